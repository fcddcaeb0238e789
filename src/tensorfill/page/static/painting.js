// Painting: the tools, by pointer or by keys, on the holes of the file that is looked at.

import { bytes } from "./api.js";
import { announce } from "./dom.js";
import { holesOf } from "./masks.js";
import { currentItem, store, tell } from "./store.js";

export const TOOLS = [
  ["brush", "Brush", "b"], ["rectangle", "Rectangle", "r"], ["line", "Line", "l"], ["text", "Text", "t"], ["pick", "By colour", "c"], ["move", "Move the picture", "h"],
];

export const painting = { tool: "brush", erasing: false, size: 14, text: "lost words", tolerance: 24, scope: "all", everywhere: true };

/** Connect the tools with the stage. */
export function paintOn(stage, busy) {
  let from = null, last = null;
  const holes = () => holesOf(currentItem());
  const radius = () => painting.size / 2;
  const scope = () => (painting.scope === "all" ? "all" : store.plane);
  const paints = () => store.tab === "holes" && currentItem()?.state === "ready" && holes();
  const spot = (place) => [place.column - 0.5, place.row - 0.5];

  function begin(place) {
    if (!paints() || !place.inside) return;
    from = last = spot(place);
    if (painting.tool === "pick") { pick(place); from = null; return; }
    if (painting.tool === "text") { stampText(from); from = null; return; }
    if (painting.tool === "brush") {
      holes().begin(scope(), painting.erasing);
      holes().line(from, from, radius());
      tell("painted");
    }
  }

  function go(place) {
    if (!from) return;
    const now = spot(place);
    if (painting.tool === "brush") { holes().line(last, now, radius()); tell("painted"); }
    last = now;
    ghost(place);
  }

  function finish() {
    if (!from) return;
    if (painting.tool !== "brush") {
      holes().begin(scope(), painting.erasing);
      if (painting.tool === "line") holes().line(from, last, radius());
      else rectangle(from, last);
    }
    holes().end();
    from = null;
    stage.ghost = null;
    stage.draw();
  }

  function rectangle([x1, y1], [x2, y2]) {
    for (let row = Math.round(Math.min(y1, y2)); row <= Math.round(Math.max(y1, y2)); row++) holes().span(row, Math.round(Math.min(x1, x2)), Math.round(Math.max(x1, x2)));
  }

  function stampText([column, row]) {
    const height = Math.max(6, painting.size * 2), canvas = new OffscreenCanvas(1, 1), font = `600 ${height}px system-ui, sans-serif`;
    let context = canvas.getContext("2d");
    context.font = font;
    canvas.width = Math.ceil(context.measureText(painting.text).width) + 2;
    canvas.height = Math.ceil(1.4 * height);
    context = canvas.getContext("2d", { willReadFrequently: true });
    context.font = font;
    context.textBaseline = "middle";
    context.fillText(painting.text, 1, canvas.height / 2);
    const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data, mask = new Uint8Array(canvas.width * canvas.height);
    for (let i = 0; i < mask.length; i++) mask[i] = pixels[4 * i + 3] > 127 ? 1 : 0;
    holes().begin(scope(), painting.erasing);
    holes().stamp(mask, Math.round(column - canvas.width / 2), Math.round(row - canvas.height / 2), canvas.width);
    holes().end();
  }

  async function pick(place) {
    const item = currentItem(), { rows, columns } = holes(), row = Math.floor(place.row), column = Math.floor(place.column);
    if (row < 0 || row >= rows || column < 0 || column >= columns) return;
    const everywhere = painting.scope === "all" && item.planes > 1;
    await busy(async () => {
      const json = { plane: store.plane, row, column, tolerance: painting.tolerance, everywhere };
      const { bytes: packed, told } = await bytes(`items/${item.id}/match`, { method: "POST", json });
      holesOf(item)?.addPacked(packed, { plane: item.planes > 1 ? store.plane : null });
      announce(`${told.count.toLocaleString("en")} pixels of this colour are holes now.`);
    });
  }

  function ghost(place) {
    const shown = paints() && place?.inside && ["brush", "rectangle", "line"].includes(painting.tool);
    stage.ghost = !shown ? null
      : from && painting.tool !== "brush" ? { kind: painting.tool, from: [from[0] + 0.5, from[1] + 0.5], to: [last[0] + 0.5, last[1] + 0.5] }
      : painting.tool === "rectangle" ? null
      : { kind: "brush", from: [place.column, place.row], radius: radius() };
    stage.draw();
  }

  stage.handlers = {
    ...stage.handlers,
    moves: () => (store.tab === "holes" ? painting.tool === "move" : store.tab !== "results" || stage.split === null),
    down: begin, move: go, up: finish,
    abandon: () => { if (from && painting.tool === "brush") { holes().end(); holes().undo(); } from = null; },
    hover: (place) => { ghost(place); tell("hover", place); },
  };
  keys(stage, { begin, go, finish, paints, isDrawing: () => from !== null });
}

/** With keys: arrows move a cursor, space paints or marks the two ends of a line or a rectangle. */
function keys(stage, { begin, go, finish, paints, isDrawing }) {
  let cursor = null;
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  stage.canvas.addEventListener("keydown", (event) => {
    if (!paints() || event.ctrlKey || event.metaKey || event.altKey) return;
    cursor ??= { column: stage.width / 2, row: stage.height / 2, inside: true, panel: 0 };
    const step = (event.shiftKey ? 10 : 1) * Math.max(1, Math.round(3 / stage.view.scale));
    if (arrows[event.key]) {
      cursor.column = Math.min(stage.width - 0.5, Math.max(0.5, cursor.column + step * arrows[event.key][0]));
      cursor.row = Math.min(stage.height - 0.5, Math.max(0.5, cursor.row + step * arrows[event.key][1]));
      if (isDrawing()) go(cursor);
      stage.ghost = { ...(isDrawing() && stage.ghost ? stage.ghost : { kind: "brush", from: [cursor.column, cursor.row], radius: painting.size / 2 }), cross: true };
      stage.draw();
    } else if (event.key === " " || event.key === "Enter") {
      if (isDrawing()) finish();
      else {
        begin(cursor);
        if (painting.tool === "brush") finish();
        else announce("Move to the other end and press space.");
      }
    } else return;
    event.preventDefault();
  });
}


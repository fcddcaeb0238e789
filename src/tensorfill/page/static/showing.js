// What the stage shows: the data with its holes, a result as it fills in, or a result in one of several views.

import { ask } from "./api.js";
import { overlayOf, overlayOfRun } from "./masks.js";
import { Picture, colour, difference, doubt, holeColour, picture } from "./pictures.js";
import { styleOf } from "./playbar.js";
import { brightest, nameOfRun } from "./results_panel.js";
import { currentItem, currentRun, store, tell } from "./store.js";

const STRETCH = 4;
const TALLEST = 6;
let turn = 0;

/** The paths of the planes that are shown for a number. */
export function shownPaths(plane) {
  const item = currentItem(), run = currentRun(), data = `items/${item.id}/plane/${plane}`;
  if (store.tab !== "results" || run?.state !== "done") return [data];
  if (store.view === "unsure") return [`runs/${run.id}/unsure/${plane}`];
  if (store.view === "parts") return run.components.map((_, part) => `runs/${run.id}/part-${part}/${plane}`);
  const filled = `runs/${run.id}/filled/${plane}`;
  return store.view === "filled" ? [filled] : [data, filled];
}

/** Show what is looked at now. */
export async function show(stage) {
  const item = currentItem(), mine = ++turn;
  if (item?.state !== "ready") return;
  try {
    const found = await compose(item, stage);
    if (mine !== turn || !found) return;
    const [height, width] = item.shape;
    stage.show({ height, width, aspect: aspectOf(item, stage), labels: item.planes === 1 && (found.split !== undefined || found.panels.length === 1) ? item.labels : [null, null], ...found });
    stage.canvas.dataset.plane = store.plane;
    stage.canvas.dataset.shown = store.tab === "results" && currentRun()?.state === "done" ? store.view : store.tab;
  } catch (error) {
    if (mine === turn) tell("trouble", error);
  }
}

/** Sites of tables and arrays may be stretched so that they use the room there is. */
function aspectOf(item, stage) {
  if (["picture", "video", "cube"].includes(item.kind) || !stage.box) return 1;
  const { left, top, right } = stage.margins, [rows, columns] = item.shape;
  const wanted = ((stage.box.height - top) / rows) / ((stage.box.width - left - right) / columns);
  return Math.min(rows * columns < 400_000 ? TALLEST : STRETCH, Math.max(1 / STRETCH, wanted));
}

async function compose(item, stage) {
  const style = styleOf(item), run = currentRun(), { plane } = store;
  const data = `items/${item.id}/plane/${plane}`;
  if (store.tab === "results" && run?.state === "running" && run.picture) return live(item, run);
  if (store.tab !== "results" || run?.state !== "done") {
    return { panels: [{ picture: await picture(data, style), overlay: overlayOf(item, plane, holeColour(item, style)) }] };
  }
  const filled = `runs/${run.id}/filled/${plane}`;
  switch (store.view) {
    case "filled": return { panels: [{ picture: await picture(filled, style) }] };
    case "difference": return { panels: [{ picture: await difference(data, filled, brightest(run)) }] };
    case "unsure": return { panels: [{ picture: await picture(filled, style), overlay: (await doubt(`runs/${run.id}/unsure/${plane}`)).at(1) }] };
    case "parts": return { panels: await parts(run, item, plane, style) };
    default: {
      const [one, two, overlay] = await Promise.all([picture(data, style), picture(filled, style), overlayOfRun(run, item, plane, holeColour(item, style))]);
      const panels = [{ picture: one, overlay, caption: "before" }, { picture: two, caption: nameOfRun(run) }];
      return store.view === "beside" ? { panels } : { panels, split: stage.split ?? 0.5 };
    }
  }
}

async function parts(run, item, plane, style) {
  const names = "⁽¹⁾ ⁽²⁾ ⁽³⁾ ⁽⁴⁾ ⁽⁵⁾ ⁽⁶⁾ ⁽⁷⁾ ⁽⁸⁾".split(" "), shade = (value) => String(Number(value.toPrecision(2))).replace("-", "−");
  const shown = await Promise.all(run.components.map((_, part) => picture(`runs/${run.id}/part-${part}/${plane}`, { map: style.map })));
  const whole = await picture(`runs/${run.id}/filled/${plane}`, style);
  return [...shown.map((one, part) => ({ picture: one, caption: `W${names[part] ?? ` ${part + 1}`}  ${shade(run.components[part].low)} … ${shade(run.components[part].high)}` })), { picture: whole, caption: "their sum" }];
}

async function live(item, run) {
  const raw = new Uint8Array(await (await ask(`runs/${run.id}/live/0`)).arrayBuffer()), [rows, columns] = item.shape;
  return { panels: [{ picture: new Picture(columns, rows, colour(raw, item.depth, styleOf(item).map)), caption: null }] };
}

/** What is on the stage, as a picture to keep. */
export function stagePicture(stage) {
  return new Promise((done) => stage.canvas.toBlob(done, "image/png"));
}


// Masks: the holes of each open file, kept on the server so that they survive a reload, and drawn over the picture.

import { ask, bytes, pack } from "./api.js";
import { Holes } from "./holes.js";
import { tell } from "./store.js";

const KEPT = "tensorfill-holes";
const WAIT = 350;
const STRENGTH = 212;

const masks = new Map();
let waiting = null;

/** The holes of a file, once they are there. */
export const holesOf = (item) => masks.get(item?.id)?.holes ?? null;

/** What the server says of the mask: {holes, known_share, painted}; null while it does not know the latest. */
export const keptOf = (item) => { const mask = masks.get(item?.id); return mask && mask.keptVersion === mask.holes.version ? mask.kept : null; };

const remembered = () => { try { return JSON.parse(sessionStorage.getItem(KEPT)) ?? {}; } catch { return {}; } };

/** Fetch which sites of a file are known, and the mask that this tab painted before it was loaded again. */
export async function prepareMask(item) {
  if (masks.has(item.id) || item.state !== "ready") return;
  const mask = { holes: null, kept: null, keptVersion: -1 };
  masks.set(item.id, mask);
  const answer = await ask(`items/${item.id}/known`), known = new Uint8Array(await answer.arrayBuffer());
  const holes = new Holes(item.planes, item.shape[0], item.shape[1], known);
  const before = remembered()[item.id];
  if (before) {
    try {
      holes.addPacked((await bytes(`items/${item.id}/holes/${before}`)).bytes);
      if (holes.planes > 1) shareLayers(holes);
      holes.past = [];
    } catch { /* the server has forgotten it */ }
  }
  mask.holes = holes;
  holes.changed = () => { tell("painted"); tell("holes"); keepSoon(item); };
  tell("painted");
  tell("holes");
  keepSoon(item, 0);
}

/** What all planes have in common becomes one layer, as it was painted. */
function shareLayers(holes) {
  const layers = [...holes.layers.values()];
  if (layers.length === holes.planes && layers.every((layer) => layer.every((value, index) => value === layers[0][index]))) holes.layers = new Map([["all", layers[0]]]);
}

function keepSoon(item, wait = WAIT) {
  clearTimeout(waiting);
  waiting = setTimeout(() => keepMask(item).catch((error) => tell("trouble", error)), wait);
}

/** Send the mask as it is now; returns what the server calls it, null if nothing is painted. */
export async function keepMask(item) {
  clearTimeout(waiting);
  const mask = masks.get(item.id);
  if (!mask?.holes) return null;
  const { holes } = mask;
  if (mask.keptVersion !== holes.version) {
    const { version } = holes;
    if (holes.empty) mask.kept = { holes: null, known_share: item.known_share, painted: 0 };
    else mask.kept = await (await ask(`items/${item.id}/holes`, { method: "PUT", body: await pack(holes.pack()) })).json();
    mask.keptVersion = version;
    sessionStorage.setItem(KEPT, JSON.stringify({ ...remembered(), [item.id]: mask.kept.holes ?? undefined }));
    tell("kept");
  }
  return mask.kept.holes;
}

export function forgetMask(id) { masks.delete(id); }

// Drawing

let overlay = null;

/** The holes of a plane as a picture to lay over it. */
export function overlayOf(item, plane, colour) {
  const holes = holesOf(item);
  if (!holes) return null;
  const name = `${item.id} ${plane} ${holes.version} ${colour}`;
  if (overlay?.name === name && !holes.stroke) return overlay.canvas;
  if (!overlay || overlay.canvas.width !== holes.columns || overlay.canvas.height !== holes.rows) {
    const canvas = new OffscreenCanvas(holes.columns, holes.rows);
    overlay = { canvas, context: canvas.getContext("2d"), name: "" };
  }
  // While a stroke is under way only what it has reached since is drawn anew.
  const whole = { top: 0, bottom: holes.rows - 1, left: 0, right: holes.columns - 1 }, fresh = holes.takeFresh();
  if (overlay.name !== name) drawPart(holes, plane, whole, colour);
  else if (fresh) drawPart(holes, plane, fresh, colour);
  overlay.name = name;
  return overlay.canvas;
}

function drawPart(holes, plane, { top, bottom, left, right }, [r, g, b]) {
  const { columns } = holes, image = new ImageData(right - left + 1, bottom - top + 1), pixels = new Uint32Array(image.data.buffer);
  const own = (STRENGTH << 24) | (b << 16) | (g << 8) | r;
  const all = holes.layers.get("all"), layer = holes.layers.get(plane), lost = holes.lost.has(plane);
  for (let row = top, j = 0; row <= bottom; row++) {
    for (let i = row * columns + left; i <= row * columns + right; i++, j++) {
      const painted = lost || layer?.[i] === 1 || (all?.[i] === 1 && layer?.[i] !== 2);
      if (painted || !holes.isKnown(plane, i)) pixels[j] = own;
    }
  }
  overlay.context.putImageData(image, left, top);
}

/** The holes of a run, which may not be those that are painted now, as a picture. */
export async function overlayOfRun(run, item, plane, colour) {
  const holes = holesOf(item);
  if (!holes) return null;
  const name = `${item.id} ${run.holes}`, drawing = `${name} ${plane} ${colour}`, kept = overlayOfRun.kept ??= { name: null, packed: null, drawing: null, canvas: null };
  if (kept.drawing === drawing) return kept.canvas;
  if (kept.name !== name) {
    kept.packed = run.holes ? (await bytes(`items/${item.id}/holes/${run.holes}`)).bytes : null;
    kept.name = name;
  }
  const { packed } = kept, canvas = new OffscreenCanvas(holes.columns, holes.rows), image = new ImageData(holes.columns, holes.rows);
  const pixels = new Uint32Array(image.data.buffer), [r, g, b] = colour, own = (255 << 24) | (b << 16) | (g << 8) | r, start = plane * holes.size;
  for (let i = 0; i < pixels.length; i++) {
    const bit = start + i, painted = packed && (packed[bit >> 3] >> (7 - (bit & 7))) & 1;
    if (painted || !holes.isKnown(plane, i)) pixels[i] = own;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return Object.assign(kept, { drawing, canvas }).canvas;
}


// The bar below the stage: which frame, band or slice is looked at, playing, colours, zoom, and what is under the pointer.

import { h, icon, iconButton } from "./dom.js";
import { colourOf, picture, ready } from "./pictures.js";
import { currentItem, on, remember, store, tell } from "./store.js";

const USUAL_RATE = 12;
const AHEAD = 8;

export const style = { map: null, bands: null };

const WORDS = { video: ["Frame", "frames"], cube: ["Band", "bands"] };
export const planeWords = (item) => WORDS[item.kind] ?? ["Slice", "slices"];

/** Whether planes may be seen three at a time, as red, green and blue. */
const hasBands = (item) => item.depth === 1 && item.between.length === 1 && item.planes >= 3 && item.kind !== "video";

/** What one place of a plane is called, and several of them. */
export const siteWords = (item) => (["picture", "video", "cube"].includes(item.kind) ? ["pixel", "pixels"] : ["cell", "cells"]);

/** How planes of a file are coloured. */
export function styleOf(item) {
  const map = style.map ?? (["picture", "video", "cube"].includes(item.kind) ? "gray" : "viridis");
  return { map, bands: style.bands && hasBands(item) && style.bands.every((band) => band < item.planes) ? style.bands : null };
}

/** Three bands that are seen as red, green and blue. */
function usualBands(item) {
  const nearest = (wanted) => item.wavelengths.reduce((best, length, band) => (Math.abs(length - wanted) < Math.abs(item.wavelengths[best] - wanted) ? band : best), 0);
  const scale = item.wavelength_unit.toLowerCase().startsWith("micro") ? 0.001 : 1;
  if (item.wavelengths.length === item.planes) return [640, 550, 460].map((length) => nearest(length * scale));
  return [5 / 6, 1 / 2, 1 / 6].map((share) => Math.min(item.planes - 1, Math.floor(share * item.planes)));
}

export function choosePlane(plane) {
  const item = currentItem();
  store.plane = (plane + item.planes) % item.planes;
  remember();
  tell("plane");
}

let playing = null;

function play(paths, button) {
  const item = currentItem(), rate = Math.min(60, Math.max(1, item.frame_rate ?? USUAL_RATE));
  let due = performance.now();
  playing = { item: item.id };
  const step = (now) => {
    if (!playing || store.item !== playing.item) { stop(button); return; }
    const next = (store.plane + 1) % item.planes;
    for (let ahead = 1; ahead <= AHEAD; ahead++) for (const path of paths((next + ahead) % item.planes)) picture(path, styleOf(item)).catch(() => {});
    const there = paths(next).every((path) => ready(path, styleOf(item)) || (picture(path, styleOf(item)).catch(() => {}), false));
    if (now >= due && there) { choosePlane(next); due = Math.max(due + 1000 / rate, now - 100); }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
  show(button);
}

function stop(button) { playing = null; if (button.isConnected) show(button); }
function show(button) { button.replaceChildren(icon(playing ? "pause" : "play")); button.setAttribute("aria-label", playing ? "Pause" : "Play"); button.title = playing ? "Pause (space)" : "Play (space)"; }

/** The bar; `paths` says which planes are shown for a number, so that playing can fetch them ahead. */
export function playbar(stage, paths) {
  playing = null;
  updates.clear();
  const item = currentItem(), bar = h("div", { class: "playbar" }), under = h("span", { class: "under", "aria-hidden": "true" });
  if (item.planes > 1) bar.append(...scrubbers(item, paths));
  bar.append(h("div", { class: "row" }, under, h("span", { class: "grow" }), ...colours(item),
    h("span", { class: "group" }, iconButton("minus", "Smaller (-)", () => stage.zoom(1 / 1.4)), iconButton("fit", "Fit (0)", () => stage.fit()), iconButton("plus", "Larger (+)", () => stage.zoom(1.4)))));
  bar.hover = (place) => { under.textContent = describe(item, place); };
  bar.play = () => bar.querySelector(".play")?.click();
  return bar;
}

function scrubbers(item, paths) {
  const [one] = planeWords(item), parts = [], sizes = item.between;
  const button = h("button", { type: "button", class: "icon-button play", "aria-label": "Play", title: "Play (space)" }, icon("play"));
  button.addEventListener("click", () => (playing ? stop(button) : play(paths, button)));
  const split = (plane) => { const found = []; for (let mode = sizes.length - 1; mode >= 0; mode--) { found[mode] = plane % sizes[mode]; plane = Math.floor(plane / sizes[mode]); } return found; };
  const join = (indices) => indices.reduce((plane, index, mode) => plane * sizes[mode] + index, 0);
  sizes.forEach((count, mode) => {
    const name = sizes.length === 1 ? one : `Mode ${mode + 3}`, shown = h("output", {});
    const input = h("input", { type: "range", min: 0, max: count - 1, value: split(store.plane)[mode], "aria-label": name, class: "scrubber", oninput: () => {
      const indices = split(store.plane);
      indices[mode] = Number(input.value);
      choosePlane(join(indices));
    } });
    const update = () => {
      const index = split(store.plane)[mode];
      input.value = index;
      shown.textContent = `${nameOf(item, index, sizes.length)} of ${count - 1}`;
      input.setAttribute("aria-valuetext", shown.textContent);
    };
    update();
    parts.push(h("div", { class: "row" }, mode === 0 ? button : null, h("span", { class: "scrub-name" }, name), input, shown));
    updates.add(update);
  });
  return parts;
}

const updates = new Set();
on("plane", () => { for (const update of updates) update(); });

function nameOf(item, index, modes) {
  if (modes === 1 && item.wavelengths.length === item.planes) return `${index} (${item.wavelengths[index]} ${item.wavelength_unit.toLowerCase().startsWith("nano") ? "nm" : item.wavelength_unit})`;
  if (modes === 1 && item.bands.length === item.planes) return `${index} (${item.bands[index]})`;
  return String(index);
}

function colours(item) {
  if (item.depth === 3) return [];
  const chosen = styleOf(item), options = [["gray", "Gray"], ["viridis", "Viridis"], ["embers", "Embers"], ...(hasBands(item) ? [["false", "False colour"]] : [])];
  const select = h("select", { "aria-label": "Colours", onchange: () => {
    style.bands = select.value === "false" ? usualBands(item) : null;
    if (select.value !== "false") style.map = select.value;
    tell("style");
  } }, options.map(([value, text]) => h("option", { value, selected: chosen.bands ? value === "false" : value === chosen.map }, text)));
  return [legend(item, chosen), select];
}

/** What the darkest and the brightest colour stand for. */
function legend(item, chosen) {
  if (chosen.bands || ["picture", "video"].includes(item.kind)) return h("span");
  const strip = h("span", { class: "strip", "aria-hidden": "true" });
  strip.style.background = `linear-gradient(90deg, ${[0, 51, 102, 153, 204, 255].map((level) => colourOf(chosen.map, level)).join(",")})`;
  const words = (value) => Number(value.toPrecision(3)).toLocaleString("en");
  return h("span", { class: "legend" }, words(item.black), strip, words(item.white));
}

function describe(item, place) {
  const row = Math.floor(place?.row ?? -1), column = Math.floor(place?.column ?? -1);
  if (row < 0 || column < 0 || row >= item.shape[0] || column >= item.shape[1]) return "";
  const [rows, columns] = item.labels, named = (labels, index, word) => (labels ? labels[index] : `${word} ${index}`);
  return `${named(rows, row, "row")}, ${named(columns, column, "column")}`;
}

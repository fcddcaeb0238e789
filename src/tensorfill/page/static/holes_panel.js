// The panel "Holes": tools, ways to make holes all at once, and how much is known.

import { bytes, pack, send } from "./api.js";
import { h, icon, iconButton, percent, segmented, slider } from "./dom.js";
import { holesOf, keptOf } from "./masks.js";
import { painting, TOOLS } from "./painting.js";
import { planeWords, siteWords } from "./playbar.js";
import { chooseTab, currentItem, store, tell } from "./store.js";

const PATTERNS = [["uniform", "one by one"], ["lines", "lines"], ["blocks", "blocks"], ["scratches", "scratches"], ["text", "text"]];
const random = { share: 50, pattern: "uniform", seed: 0 };
let growth = 2;

/** The panel. */
export function holesPanel(busy) {
  const item = currentItem(), holes = holesOf(item);
  if (!holes) return h("div", { class: "panel-body" }, h("p", { class: "quiet" }, "Looking at the file …"));
  const panel = h("div", { class: "panel-body" }, known(item), tools(item, panelChanged), history(item), all(item, busy), planes(item), mask(item, busy), next(item));
  function panelChanged() { tell("tools"); }
  return panel;
}

/** On to the method, as soon as there is something to fill in. */
function next(item) {
  const missing = keptOf(item) ? keptOf(item).known_share < 1 : false;
  return h("div", { class: "foot" }, h("button", { type: "button", class: "primary", id: "next", disabled: !missing, onclick: () => { chooseTab("method"); document.getElementById("fill")?.focus(); } }, "Next: choose a method"));
}

function known(item) {
  const kept = keptOf(item), share = kept ? kept.known_share : null, missing = share === null ? null : 1 - share;
  const bar = h("div", { class: "meter", role: "img", "aria-label": missing === null ? "counting" : `${percent(missing)} missing` }, h("span"));
  bar.firstChild.style.width = missing === null ? "0" : `${Math.max(missing > 0 ? 0.8 : 0, 100 * missing)}%`;
  return h("div", { class: "known" }, h("p", {}, h("strong", { id: "missing-share" }, missing === null ? "…" : percent(missing)), " missing",
    item.notes.length ? h("span", { class: "quiet" }) : null), bar,
    missing === 0 ? h("p", { class: "quiet" }, "Paint over what should be filled in.") : null,
    item.notes.map((note) => h("p", { class: "quiet" }, note)));
}

function tools(item, changed) {
  const several = item.planes > 1, [one, many] = planeWords(item);
  const choose = (name) => { painting.tool = name; changed(); };
  const sizeMost = Math.max(8, Math.round(Math.min(item.shape[0], item.shape[1]) / 2));
  painting.size = Math.min(painting.size, sizeMost);
  return h("fieldset", {}, h("legend", {}, "Paint"),
    h("div", { class: "tools", role: "radiogroup", "aria-label": "Tool" }, TOOLS.map(([name, label, key]) =>
      h("label", { title: `${label} (${key})` }, h("input", { type: "radio", name: "tool", value: name, checked: painting.tool === name, onchange: () => choose(name) }), icon(name), h("span", {}, label === "Move the picture" ? "Move" : label)))),
    painting.tool === "text" ? h("label", { class: "field" }, h("span", {}, "Words"), h("input", { type: "text", maxLength: 60, value: painting.text, oninput: (event) => { painting.text = event.target.value; } })) : null,
    ["brush", "line", "text"].includes(painting.tool) ? slider("Size", { min: 1, max: sizeMost, value: painting.size, words: (value) => `${value} ${siteWords(item)[value === 1 ? 0 : 1]}`, id: "size" }, (value) => { painting.size = value; }) : null,
    painting.tool === "pick" ? slider("Tolerance", { min: 0, max: 128, value: painting.tolerance, words: (value) => `${value} of 255` }, (value) => { painting.tolerance = value; }) : null,
    painting.tool === "pick" ? h("p", { class: "quiet" }, `Click on the picture: everything of this ${item.depth === 3 ? "colour" : "value"} becomes a hole.`) : null,
    several ? segmented("Where", [["all", `All ${many}`], ["one", `This ${one.toLowerCase()}`]], painting.scope, (scope) => { painting.scope = scope; }) : null,
    ["move", "pick"].includes(painting.tool) ? null : h("label", { class: "check" }, h("input", { type: "checkbox", checked: painting.erasing, onchange: (event) => { painting.erasing = event.target.checked; } }), h("span", {}, "Erase"), h("kbd", {}, "e")));
}

function history(item) {
  const holes = holesOf(item);
  return h("div", { class: "row history" },
    iconButton("undo", "Undo (Ctrl+Z)", () => holes.undo(), { disabled: !holes.past.length }),
    iconButton("redo", "Redo (Ctrl+Shift+Z)", () => holes.redo(), { disabled: !holes.future.length }),
    h("span", { class: "grow" }),
    h("button", { type: "button", class: "plain-button", disabled: holes.empty, onclick: () => holes.clear() }, "Clear all"));
}

function all(item, busy) {
  const holes = holesOf(item);
  const grow = () => busy(async () => {
    const { bytes: packed } = await bytes(`items/${item.id}/grow?pixels=${growth}`, { method: "POST", body: await pack(holes.pack()) });
    holes.addPacked(packed, { instead: true });
  });
  const scatter = () => busy(async () => {
    const json = { pattern: random.pattern, keep: Math.max(0.001, 1 - random.share / 100), seed: random.seed++ };
    const { bytes: packed } = await bytes(`items/${item.id}/scatter`, { method: "POST", json });
    holes.addPacked(packed, { instead: true });
  });
  const select = h("select", { "aria-label": "What is missing at random", onchange: (event) => { random.pattern = event.target.value; } },
    PATTERNS.map(([value, text]) => h("option", { value, selected: value === random.pattern }, text)));
  return h("details", { open: all.open ?? false, ontoggle: (event) => { all.open = event.target.open; } }, h("summary", {}, "Random holes, wider holes"),
    slider("Missing at random", { min: 1, max: 99, value: random.share, words: (value) => `${value} %`, id: "random" }, (value) => { random.share = value; }),
    h("div", { class: "row" }, select, h("button", { type: "button", class: "plain-button", onclick: scatter }, "Scatter")),
    h("div", { class: "row" }, h("label", { class: "field inline" }, h("span", {}, "Wider by"), h("input", { type: "number", min: 1, max: 200, value: growth, oninput: (event) => { growth = Number(event.target.value); } }), h("span", {}, siteWords(item)[1])),
      h("span", { class: "grow" }), h("button", { type: "button", class: "plain-button", disabled: holes.empty, onclick: grow }, "Grow")));
}

function planes(item) {
  if (item.planes < 2) return null;
  const holes = holesOf(item), [one, many] = planeWords(item), lost = holes.lost.has(store.plane);
  const toggle = () => { const planes = new Set(holes.lost); if (!planes.delete(store.plane)) planes.add(store.plane); holes.setLost(planes); };
  const field = h("input", { type: "text", value: ranges(holes.lost), placeholder: "10-12,20", "aria-label": `Missing ${many}`, onchange: () => {
    const found = parseRanges(field.value, item.planes);
    field.setCustomValidity(found ? "" : `Numbers from 0 to ${item.planes - 1}, such as 10-12,20.`);
    if (found) holes.setLost(found); else field.reportValidity();
  } });
  return h("fieldset", {}, h("legend", {}, `Missing ${many}`), h("div", { class: "row" }, field,
    h("button", { type: "button", class: "plain-button", "aria-pressed": lost, onclick: toggle }, lost ? `Keep this ${one.toLowerCase()}` : `Lose this ${one.toLowerCase()}`)));
}

/** Numbers as people write them: 10-12,20. */
export function ranges(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b), found = [];
  for (const number of sorted) {
    const last = found.at(-1);
    if (last && number === last[1] + 1) last[1] = number; else found.push([number, number]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** The way back; null for what is no such list. */
export function parseRanges(text, count) {
  const found = new Set();
  for (const part of text.split(",").map((part) => part.trim()).filter(Boolean)) {
    const [, first, last = first] = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(part) ?? [];
    if (first === undefined || Number(first) > Number(last) || Number(last) >= count) return null;
    for (let number = Number(first); number <= Number(last); number++) found.add(number);
  }
  return found;
}

function mask(item, busy) {
  const holes = holesOf(item), means = { value: "missing" };
  const input = h("input", { type: "file", class: "unseen", tabIndex: -1, "aria-hidden": "true", onchange: () => busy(async () => {
    const answer = await send(`items/${item.id}/mask?means=${means.value}`, [...input.files]);
    holes.addPacked(new Uint8Array(await answer.arrayBuffer()));
    input.value = "";
  }) });
  return h("details", { open: mask.open ?? false, ontoggle: (event) => { mask.open = event.target.open; } }, h("summary", {}, "From a mask file"), segmented("What white, 1 or True means", [["missing", "White is missing"], ["known", "White is known"]], means.value, (value) => { means.value = value; }),
    input, h("button", { type: "button", class: "plain-button", onclick: () => input.click() }, "Choose a mask …"));
}

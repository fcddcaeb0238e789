// The panel "Method": what fills the holes, its settings, and what it will take.

import { post } from "./api.js";
import { duration, h, segmented, size } from "./dom.js";
import { holesOf, keepMask, keptOf } from "./masks.js";
import { chooseRun, currentItem, store, tell } from "./store.js";

export const wish = { method: "auto", effort: "normal", settings: {}, seed: 0, lower: null, upper: null, time_limit: null, others: new Set() };
let asked = 0;

/** What is sent to the server for a method. */
function wishFor(item, method, holes) {
  const settings = method === wish.method ? { ...wish.settings } : {};
  if (method === "auto") settings.effort = wish.effort;
  return { method, settings, seed: wish.seed, lower: lowerOf(item), upper: wish.upper, time_limit: wish.time_limit, holes };
}

/** Data that goes below zero has no bound there, unless one is given. */
const lowerOf = (item) => (wish.lower === null ? (item.smallest < 0 ? null : 0) : wish.lower === "none" ? null : wish.lower);

export function methodPanel(busy) {
  const item = currentItem(), missing = keptOf(item) ? keptOf(item).known_share < 1 : true;
  const expected = h("p", { class: "estimate", role: "status" }, " ");
  const run = () => busy(async () => {
    const holes = await keepMask(item), runs = [];
    for (const method of [wish.method, ...wish.others].filter((name, index, all) => all.indexOf(name) === index)) {
      runs.push(await post("runs", { item: item.id, plane: store.plane, ...wishFor(item, method, holes) }));
    }
    for (const one of runs) if (!store.runs.has(one.id)) store.runs.set(one.id, one);
    chooseRun(runs[0].id);
  });
  const count = new Set([wish.method, ...wish.others]).size;
  showEstimate(item, expected);
  return h("div", { class: "panel-body" }, methods(), settings(), also(), whole(item),
    h("div", { class: "go foot" }, expected, h("button", { type: "button", class: "primary", id: "fill", disabled: !missing || !holesOf(item), onclick: run }, count > 1 ? `Fill in with ${count} methods` : "Fill in"),
      missing ? null : h("p", { class: "quiet" }, "Nothing is missing yet: paint some holes first.")));
}

const about = (name) => store.menu.methods.find((method) => method.name === name);

function methods() {
  const chosen = about(wish.method);
  const choose = (name) => { wish.method = name; wish.settings = {}; tell("method"); };
  return h("fieldset", {}, h("legend", {}, "Method"),
    segmented("Choice", [["auto", "Automatic"], ["one", "Choose one"]], wish.method === "auto" ? "auto" : "one", (value) => choose(value === "auto" ? "auto" : store.menu.methods[1].name)),
    wish.method === "auto"
      ? [segmented("Effort", [["low", "Quick"], ["normal", "Normal"], ["high", "Thorough"]], wish.effort, (effort) => { wish.effort = effort; tell("method"); }),
        h("p", { class: "quiet" }, { low: "One good method, without comparing.", normal: "Hides some known entries, sees which methods predict them best, and takes those.", high: "The same with every method there is; takes long." }[wish.effort])]
      : [h("select", { "aria-label": "Method", id: "method", onchange: (event) => choose(event.target.value) },
          store.menu.methods.filter((method) => method.name !== "auto").map((method) => h("option", { value: method.name, selected: method.name === wish.method }, method.name))),
        h("p", { class: "quiet" }, `${chosen?.summary ?? ""}.`), h("p", { class: "quiet small" }, chosen?.reference ?? "")]);
}

function settings() {
  const own = (about(wish.method)?.settings ?? []).filter((setting) => setting.name !== "effort");
  if (!own.length) return null;
  return h("details", { open: settings.open ?? false, ontoggle: (event) => { settings.open = event.target.open; } }, h("summary", {}, `Settings of ${wish.method}`), own.map(settingField));
}

function settingField(setting) {
  const id = `setting-${setting.name}`, given = wish.settings[setting.name];
  const set = (value) => { if (value === undefined) delete wish.settings[setting.name]; else wish.settings[setting.name] = value; tell("wish"); };
  const shown = setting.default === null ? "chosen for you" : words(setting.default);
  const field = setting.choices.length || typeof setting.default === "boolean"
    ? h("select", { id, "aria-describedby": `${id}-about`, onchange: (event) => set(event.target.value === "" ? undefined : parse(event.target.value)) },
        h("option", { value: "" }, shown), (setting.choices.length ? setting.choices : [true, false]).filter((choice) => choice !== setting.default).map((choice) => h("option", { value: words(choice), selected: choice === given }, words(choice))))
    : h("input", { id, type: "text", placeholder: shown, value: given === undefined ? "" : words(given), "aria-describedby": `${id}-about`, onchange: (event) => set(event.target.value.trim() === "" ? undefined : parse(event.target.value.trim())) });
  return h("div", { class: "setting" }, h("label", { htmlFor: id }, setting.name.replaceAll("_", " ")), field, h("p", { class: "quiet small", id: `${id}-about` }, setting.about));
}

const words = (value) => (Array.isArray(value) ? value.join(", ") : String(value));

/** What was typed: numbers, several of them, true, false, none, or a word. */
function parse(text) {
  if (text.includes(",")) return text.split(",").map((part) => parse(part.trim()));
  const known = { true: true, false: false, none: null };
  if (text.toLowerCase() in known) return known[text.toLowerCase()];
  return Number.isFinite(Number(text)) && text !== "" ? Number(text) : text;
}

function also() {
  const others = store.menu.methods.filter((method) => method.name !== wish.method);
  return h("details", { open: also.open ?? false, ontoggle: (event) => { also.open = event.target.open; } }, h("summary", {}, "Compare with others"),
    h("ul", { class: "checks" }, others.map((method) => h("li", {}, h("label", { class: "check", title: method.summary }, h("input", { type: "checkbox", checked: wish.others.has(method.name), onchange: (event) => {
      if (event.target.checked) wish.others.add(method.name); else wish.others.delete(method.name);
      tell("others");
    } }), h("span", {}, method.name))))));
}

function whole(item) {
  const number = (label, value, set, more = {}) => h("label", { class: "field" }, h("span", {}, label), h("input", { type: "number", value: value ?? "", onchange: (event) => { set(event.target.value === "" ? null : Number(event.target.value)); tell("wish"); }, ...more }));
  const bound = lowerOf(item);
  return h("details", { open: whole.open ?? false, ontoggle: (event) => { whole.open = event.target.open; } }, h("summary", {}, "Bounds, seed, time"),
    number("No value below", bound, (value) => { wish.lower = value ?? "none"; }, { placeholder: "no bound", step: "any" }),
    number("No value above", wish.upper, (value) => { wish.upper = value; }, { placeholder: "no bound", step: "any" }),
    number("Seed", wish.seed, (value) => { wish.seed = Math.max(0, Math.round(value ?? 0)); }, { min: 0, step: 1 }),
    number("Stop after, in seconds", wish.time_limit, (value) => { wish.time_limit = value; }, { min: 0.1, step: "any", placeholder: "no limit" }));
}

async function showEstimate(item, place) {
  const turn = ++asked;
  if (!holesOf(item)) return;
  try {
    const holes = await keepMask(item);
    const found = await Promise.all([wish.method, ...wish.others].map((method) => post(`items/${item.id}/estimate`, wishFor(item, method, holes))));
    if (turn !== asked) return;
    const seconds = found.reduce((sum, one) => sum + one.seconds, 0), most = Math.max(...found.map((one) => one.bytes)), tiles = Math.max(...found.map((one) => one.tiles));
    place.textContent = `About ${duration(Math.max(1, seconds))} and ${size(most)} of memory${tiles > 1 ? `, in ${tiles.toLocaleString("en")} tiles` : ""}`;
    if (!found.every((one) => one.fits)) place.textContent += `; only ${size(found[0].free)} are free`;
    place.classList.remove("wrong");
  } catch (error) {
    if (turn === asked) { place.textContent = error.message; place.classList.add("wrong"); }
  }
}

/** Estimate again, without drawing the panel anew. */
export function refreshEstimate() {
  const place = document.querySelector(".estimate");
  if (place) showEstimate(currentItem(), place);
}

// Making elements. Text is always text: nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties, listeners (on…), attributes, and children. */
export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && !name.includes("-") && name !== "list" && name !== "form") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const ICONS = {
  brush: "M4 20c3 .4 5.6-.6 6-3.4A3 3 0 0 0 5.6 14C4.3 15.4 5.4 18 4 20ZM10 14l8.5-9.300a1.9 1.9 0 0 1 2.7 2.700L12 16",
  rectangle: "M4 6h16v12H4Z",
  line: "M5 19 19 5",
  text: "M5 7V5h14v2M12 5v14M9 19h6",
  pick: "m4 20 1-4 9-9 3 3-9 9ZM13 6l2-2a2.1 2.1 0 0 1 3 0l2 2a2.1 2.1 0 0 1 0 3l-2 2",
  erase: "m9 20-5-5a1.5 1.5 0 0 1 0-2l8-8a1.5 1.5 0 0 1 2 0l6 6a1.5 1.5 0 0 1 0 2l-7 7ZM8 9l8 8M9 20h11",
  move: "M12 3v18M3 12h18M12 3 9.5 5.500M12 3l2.5 2.500M12 21l-2.5-2.500M12 21l2.5-2.500M3 12l2.5-2.500M3 12l2.5 2.500M21 12l-2.5-2.500M21 12l-2.5 2.5",
  undo: "M4 9h10a5 5 0 0 1 0 10h-4M4 9l4-4M4 9l4 4",
  redo: "M20 9H10a5 5 0 0 0 0 10h4M20 9l-4-4M20 9l-4 4",
  clear: "M5 7h14M9 7V5h6v2M7 7l1 13h8l1-13",
  play: "M7 5v14l12-7Z",
  pause: "M8 5v14M16 5v14",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  close: "m6 6 12 12M18 6 6 18",
  open: "M12 16V4M12 4 7.5 8.500M12 4l4.5 4.500M5 15v4h14v-4",
};

/** A small drawing. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button with a drawing and a name that is read aloud and shown on hovering. */
export function iconButton(name, label, onclick, more = {}) {
  return h("button", { type: "button", class: "icon-button", title: label, "aria-label": label, onclick, ...more }, icon(name));
}

/** One of several words; `choose` is called with its value. */
export function segmented(label, options, current, choose) {
  const name = `choice-${label}`;
  return h("div", { class: "segmented", role: "radiogroup", "aria-label": label },
    options.map(([value, text]) => h("label", {},
      h("input", { type: "radio", name, value, checked: value === current, onchange: () => choose(value) }), h("span", {}, text))));
}

/** A slider with its name and its value in words. */
export function slider(label, { min, max, step = 1, value, words = String, id }, changed) {
  const shown = h("output", {}, words(value));
  const input = h("input", { type: "range", min, max, step, value, id, "aria-valuetext": words(value), oninput: () => {
    const now = Number(input.value);
    shown.textContent = words(now);
    input.setAttribute("aria-valuetext", words(now));
    changed(now);
  } });
  const row = h("label", { class: "slider" }, h("span", { class: "slider-name" }, h("span", {}, label), shown), input);
  row.set = (now) => { input.value = now; shown.textContent = words(now); input.setAttribute("aria-valuetext", words(now)); };
  return row;
}

/** Put the text of an element on the clipboard, also where browsers give none to pages because the way to them is not encrypted. */
export async function copyText(element) {
  if (navigator.clipboard) { await navigator.clipboard.writeText(element.textContent); return; }
  getSelection().selectAllChildren(element);
  document.execCommand("copy");
}

/** Say something to those who listen to the page instead of looking at it. */
export function announce(sentence) {
  document.getElementById("status").textContent = sentence;
}

export const percent = (share, digits = 1) => `${(100 * share).toFixed(share > 0 && share < 0.001 ? 2 : digits)} %`;

/** A time for people. */
export function duration(seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Bytes for people. */
export const size = (count) => (count >= 1e9 ? `${(count / 1e9).toFixed(1)} GB` : `${Math.round(count / 1e6)} MB`);

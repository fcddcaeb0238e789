// The curve of a run over time: the error at entries that were held out, on one scale for all methods, or its cost.

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300, HEIGHT = 84;

function draw(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const few = (value) => String(Number(value.toPrecision(3)));

/** The drawing and what it shows. */
export function curve(points, name) {
  const found = points.filter(([, cost]) => Number.isFinite(cost) && cost > 0);
  if (found.length < 2) return [];
  const last = found.at(-1)[0] || 1, logs = found.map(([, cost]) => Math.log(cost)), low = Math.min(...logs), high = Math.max(...logs, low + 1e-9);
  const place = ([seconds], index) => `${((WIDTH - 6) * seconds) / last + 3},${HEIGHT - 6 - ((HEIGHT - 14) * (logs[index] - low)) / (high - low)}`;
  const began = few(found[0][1]), now = few(found.at(-1)[1]);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${name}: from ${began} to ${now}` });
  svg.append(draw("polyline", { points: found.map(place).join(" "), class: "line" }));
  const [x, y] = place(found.at(-1), found.length - 1).split(",");
  svg.append(draw("circle", { cx: x, cy: y, r: 3, class: "dot" }));
  return [svg, h("figcaption", {}, h("span", {}, name), h("span", { class: "number" }, `${began} → ${now}`))];
}

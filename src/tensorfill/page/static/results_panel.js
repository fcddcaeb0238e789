// The panel "Results": runs, how far they are, what came of them, and what to take along.

import { get, post, remove, save } from "./api.js";
import { announce, copyText, duration, h, iconButton, segmented, slider } from "./dom.js";
import { curve } from "./curve.js";
import { chooseRun, currentItem, currentRun, runsOf, store, tell, remember } from "./store.js";

const WORDS = { queued: "waiting", running: "filling in", done: "done", stopped: "stopped", failed: "failed" };

export function resultsPanel(stage, busy) {
  const item = currentItem(), runs = runsOf(item.id), run = currentRun();
  if (!runs.length) return h("div", { class: "panel-body" }, h("p", { class: "quiet" }, "Nothing is filled in yet. Paint holes, choose a method, then fill in."));
  return h("div", { class: "panel-body" }, list(runs, run, busy), run ? detail(run, item, stage, busy) : null);
}

/** A number with few digits, in little room. */
const plain = (value, digits = 3) => (value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(0).replace("-", "−") : (Number(value.toPrecision(digits)) + 0).toLocaleString("en", { maximumSignificantDigits: digits }));
const share = (part) => (part > 0 && part < 1e-5 ? "0.001 %" : `${plain(100 * part, 2)} %`);

/** The difference that is shown brightest, as a share of the range: a few times the error, where that is known. */
export const brightest = (run) => Math.min(1 / 3, Math.max(0.02, Number((4 * (run.summary?.score?.rmse ?? 1)).toPrecision(1))));

const EFFORTS = { low: ", quick", high: ", thorough" };
const nameOf = (run) => run.method + (run.method === "auto" ? EFFORTS[run.settings.effort] ?? "" : "");
export { nameOf as nameOfRun };

/** All runs of this file; with several done, as a table to compare. */
function list(runs, current, busy) {
  const scored = runs.some((run) => run.summary?.score);
  const alike = runs.filter((run) => run.holes === (current ?? runs.at(-1)).holes), others = alike.length < runs.length;
  const best = Math.min(...alike.map((run) => run.summary?.score?.rmse ?? Infinity));
  const row = (run, number) => {
    const score = run.summary?.score?.rmse, smallest = run.summary?.smallest;
    return h("tr", { class: run.id === current?.id ? "chosen" : "" },
      h("td", {}, h("button", { type: "button", class: "run-name", "aria-current": run.id === current?.id ? "true" : undefined, title: `Look at this one (${number + 1})`, onclick: () => chooseRun(run.id) }, nameOf(run))),
      run.state === "done"
        ? [scored ? h("td", { class: !alike.includes(run) ? "number quiet" : score === best ? "number best" : "number" }, score === undefined ? "–" : score.toFixed(4)) : null, h("td", { class: "number" }, run.summary.seconds < 0.1 ? "< 0.1 s" : `${run.summary.seconds.toFixed(1)} s`), h("td", { class: "number" }, smallest === null ? "–" : plain(smallest))]
        : h("td", { colSpan: scored ? 3 : 2, class: "state" }, run.stopping && run.state === "running" ? "stopping …" : WORDS[run.state]),
      h("td", {}, iconButton("close", `Remove ${nameOf(run)}`, () => busy(() => remove(`runs/${run.id}`)))));
  };
  const table = h("table", { class: "runs" }, h("caption", {}, runs.length > 1 ? "Compare" : "Runs"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Method"), scored ? h("th", { scope: "col", class: "number", title: "Root mean square error of the painted holes, on a scale of 0 to 1" }, "Error") : null,
      h("th", { scope: "col", class: "number" }, "Time"), h("th", { scope: "col", class: "number", title: "The smallest value, before anything was clipped" }, "Lowest"), h("th", {}, h("span", { class: "unseen" }, "Remove")))),
    h("tbody", {}, runs.map(row)));
  return [table, others ? h("p", { class: "quiet small" }, "Errors in gray are those of other holes, and cannot be compared.") : null];
}

function detail(run, item, stage, busy) {
  if (run.state === "queued" || run.state === "running") return progress(run, busy);
  if (run.state !== "done") return h("p", { role: "alert", class: run.state === "failed" ? "wrong" : "quiet" }, run.error);
  return h("div", { class: "result" }, views(run, item, stage), story(run), files(run, busy), recipes(run, busy));
}

// While it runs

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

function progress(run, busy) {
  const bar = h("progress", { max: 1, "aria-label": "How far it is" }), phase = h("p", { class: "phase" }), clock = h("p", { class: "quiet" });
  const stop = run.stopping
    ? h("button", { type: "button", class: "plain-button", id: "end", onclick: () => busy(() => post(`runs/${run.id}/cancel`, { now: true })) }, "End it now, and keep nothing")
    : h("button", { type: "button", class: "plain-button", id: "cancel", onclick: () => busy(() => post(`runs/${run.id}/cancel`)) }, run.state === "queued" ? "Take out of the queue" : "Stop, and keep the best so far");
  const drawing = h("figure", { class: "curve" }), place = h("div", { class: "progress", id: "progress" }, bar, phase, clock, drawing, stop);
  place.update = (now) => {
    const { elapsed, left } = now;
    if (left !== null && now.state === "running") bar.value = Math.min(0.98, elapsed / Math.max(elapsed + left, 1e-9));
    phase.textContent = now.state === "queued" ? "Waiting for the run before it" : now.stopping ? "Stopping after this step; the best so far is kept" : sentence(now.phase || "beginning");
    clock.textContent = now.state === "queued" ? "" : `${elapsed.toFixed(0)} s so far${left === null ? "" : `, about ${duration(left)} left`}`;
    drawing.replaceChildren(...curve(now.curve, now.curve_name));
  };
  place.update(run);
  return place;
}

/** Show progress without drawing the panel anew. */
export function refreshProgress(run) {
  if (run.id === store.run) document.getElementById("progress")?.update(run);
}

// When it is done

function views(run, item, stage) {
  const options = [["slider", "Slider"], ["beside", "Side by side"], ["filled", "Result"], ["difference", run.summary.score ? "Error" : "Difference"], ...(run.uncertainty !== null ? [["unsure", "Uncertainty"]] : []), ...(run.components.length ? [["parts", "Components"]] : [])];
  if (!options.some(([value]) => value === store.view)) store.view = "slider";
  const choose = (view) => { store.view = view; remember(); tell("view"); };
  const about = {
    slider: "Before, with its holes, and after: drag the line, or use the slider.",
    beside: "Before, with its holes, and after, at the same place and zoom.",
    filled: "The completed picture alone.",
    difference: `${run.summary.score ? "How far the result is from what was painted over" : "How far the result is from the data"}: the brightest is ${Math.round(100 * brightest(run))} % of the range, or more.`,
    unsure: "The more orange, the less certain the method is of what it filled in.",
    parts: "W⁽¹⁾, W⁽²⁾ … add up to the result, as in Figure 2 of the paper; each is drawn from its smallest to its largest value.",
  }[store.view];
  const split = slider("Before | after", { min: 0, max: 100, value: Math.round(100 * (stage.split ?? 0.5)), words: (value) => `${value} %`, id: "split" }, (value) => { stage.split = value / 100; stage.draw(); });
  stage.handlers.splits = (share) => split.set(Math.round(100 * share));
  return h("div", { class: "views" }, segmented("View", options, store.view, choose), h("p", { class: "quiet" }, about), store.view === "slider" ? split : null);
}

function story(run) {
  const { summary } = run, lines = [];
  const { score } = summary;
  if (score) lines.push(["Error in the holes", `${score.rmse.toFixed(4)} on a scale of 0 to 1${score.psnr === null ? "" : `; PSNR of the whole ${score.psnr.toFixed(1)} dB`}`]);
  lines.push(["Time", `${duration(summary.seconds)}, ${summary.iterations.toLocaleString("en")} ${summary.iterations === 1 ? "iteration" : "iterations"}`]);
  lines.push(["Why it ended", summary.stop]);
  if (summary.gap !== null) lines.push(["Certificate", summary.gap < 0.2 ? `Proved: no tensor has an objective that is lower by more than ${share(summary.gap)}.` : "How near this is to the lowest possible objective is not proved; more iterations may prove it."]);
  if (run.lower !== null && summary.nonnegative) lines.push([run.lower === 0 ? "Nonnegative" : "Lower bound", `The method itself keeps every entry at ${run.lower} or above.`]);
  else if (run.lower !== null && summary.negative_share) lines.push(["Lower bound", `${share(summary.negative_share)} of the entries were below ${run.lower}, and were set to it.`]);
  const chosen = { ...summary.reasons };
  return [
    h("dl", { class: "story" }, lines.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]).flat()),
    Object.keys(chosen).length ? h("details", {}, h("summary", {}, "What was chosen, and why"), h("dl", { class: "story" }, Object.entries(chosen).flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]))) : null,
    run.curve.length > 1 ? h("details", {}, h("summary", {}, "Progress"), h("figure", { class: "curve" }, curve(run.curve, run.curve_name))) : null,
    [...summary.notes, ...summary.losses].map((note) => h("p", { class: "quiet note" }, note)),
  ];
}

function files(run, busy) {
  const take = (what, name) => () => busy(async () => { await save(`runs/${run.id}/file/${what}`, name); announce("Saved."); });
  return h("div", { class: "downloads" },
    h("button", { type: "button", class: "primary", id: "download", onclick: take("filled", "filled") }, "Save the result"),
    h("div", { class: "row" }, h("button", { type: "button", class: "plain-button", onclick: take("report", "report.json") }, "Report"),
      h("button", { type: "button", class: "plain-button", onclick: () => tell("save picture") }, "Picture"),
      run.holes ? h("button", { type: "button", class: "plain-button", onclick: take("holes", "known.npy") }, "Holes") : null));
}

function recipes(run, busy) {
  const code = h("pre", { tabIndex: 0 }, h("code", {})), which = { value: "shell" };
  const told = run.holes ? "Save the holes as well: they are what is read here." : null;
  let both = null;
  const show = async () => { both ??= await get(`runs/${run.id}/recipe`); code.firstChild.textContent = both[which.value]; };
  const copy = (event) => { const button = event.currentTarget; return busy(async () => { await copyText(code.firstChild); button.textContent = "Copied"; announce("Copied."); setTimeout(() => { button.textContent = "Copy"; }, 1500); }); };
  return h("details", { id: "recipes", ontoggle: (event) => { if (event.target.open) show().catch((error) => tell("trouble", error)); } }, h("summary", {}, "The same from the shell and Python"),
    segmented("Where", [["shell", "Shell"], ["python", "Python"]], which.value, (value) => { which.value = value; show(); }), code,
    told ? h("p", { class: "quiet small" }, told) : null, h("button", { type: "button", class: "plain-button", onclick: copy }, "Copy"));
}

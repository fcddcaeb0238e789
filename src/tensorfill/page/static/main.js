// The page: puts its parts together and draws anew what has changed.

import { get, listen, post, saveBlob } from "./api.js";
import { announce, h } from "./dom.js";
import { holesPanel } from "./holes_panel.js";
import { holesOf, prepareMask } from "./masks.js";
import { methodPanel, refreshEstimate } from "./method_panel.js";
import { acceptDrops, fileRow, unopened, welcome } from "./opening.js";
import { paintOn, painting, TOOLS } from "./painting.js";
import { choosePlane, playbar } from "./playbar.js";
import { refreshProgress, resultsPanel } from "./results_panel.js";
import { show, shownPaths, stagePicture } from "./showing.js";
import { Stage } from "./stage.js";
import { chooseRun, chooseTab, currentItem, currentRun, hear, on, runsOf, store, tell } from "./store.js";

const TABS = [["holes", "Holes"], ["method", "Method"], ["results", "Results"]];
const main = document.getElementById("main");
const canvas = h("canvas", { id: "stage", tabIndex: 0, role: "application", "aria-roledescription": "picture" });
const stageRoom = h("div", { class: "stage" }, canvas);
const panel = h("section", { id: "panel", class: "panel", "aria-label": "Controls" });
const stage = new Stage(canvas);
let sending = null, bar = null, drawn = null;

/** Do something that may be refused; what is refused is said. */
async function busy(work) {
  document.body.classList.add("busy");
  try { return await work(); } catch (error) { trouble(error); return undefined; } finally { document.body.classList.remove("busy"); }
}

function trouble(error) {
  if (error?.name === "AbortError") return;
  const banner = document.getElementById("banner");
  if (error.status === 0 && store.server !== "yes") return;
  banner.replaceChildren(h("span", {}, error.message), h("button", { type: "button", class: "plain-button", onclick: () => { banner.hidden = true; } }, "Close"));
  banner.className = "";
  banner.hidden = false;
}

function serverChanged(state, sentence) {
  const banner = document.getElementById("banner"), before = store.server;
  store.server = state;
  document.body.classList.toggle("apart", state !== "yes");
  if (state === "yes") { if (before !== "yes") banner.hidden = true; return; }
  const words = state === "stranger" ? sentence : "The server has stopped, or cannot be reached. Start it again with tensorfill serve, and open the address that it prints.";
  banner.replaceChildren(h("span", {}, words));
  banner.className = "wrong";
  banner.hidden = false;
}

// Drawing anew

function drawFiles() { keepFocus(document.getElementById("files"), (place) => { place.replaceChildren(...fileRow()); place.querySelector(".chosen")?.scrollIntoView({ block: "nearest", inline: "nearest" }); }); }

function drawMain() {
  const item = currentItem(), wanted = !item ? "welcome" : item.state !== "ready" ? `${item.id} ${item.state}` : item.id;
  document.title = item ? `${item.name} – tensorfill` : "tensorfill";
  drawFiles();
  if (!item || item.state !== "ready") {
    drawn = wanted;
    main.className = "";
    main.replaceChildren(item ? unopened(item) : welcome(sending));
    return;
  }
  prepareMask(item).catch(trouble);
  if (drawn !== wanted) {
    drawn = wanted;
    bar = playbar(stage, shownPaths);
    main.className = "room";
    main.replaceChildren(h("div", { class: "left" }, stageRoom, bar), panel);
    stage.view.fitted = true;
    painting.size = Math.max(1, Math.min(40, Math.round(Math.min(...item.shape.slice(0, 2)) / 18)));
    stage.split = null;
    stage.resize();
  }
  drawPanel();
  show(stage);
}

function drawPanel() {
  const item = currentItem();
  if (item?.state !== "ready") return;
  const runs = runsOf(item.id), going = runs.filter((run) => ["queued", "running"].includes(run.state)).length;
  const tab = ([name, label], index) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(store.tab === name), "aria-controls": "panel-body", tabIndex: store.tab === name ? 0 : -1,
    onclick: () => chooseTab(name), onkeydown: (event) => turnTab(event, index) }, label, name === "results" && going ? h("span", { class: "count", "aria-label": `${going} under way` }, String(going)) : null);
  const body = store.tab === "holes" ? holesPanel(busy) : store.tab === "method" ? methodPanel(busy) : resultsPanel(stage, busy);
  body.id = "panel-body";
  body.setAttribute("role", "tabpanel");
  body.setAttribute("aria-labelledby", `tab-${store.tab}`);
  keepFocus(panel, () => panel.replaceChildren(h("div", { class: "tabs", role: "tablist", "aria-label": "Steps" }, TABS.map(tab)), body));
  canvas.className = store.tab === "holes" ? (painting.tool === "move" ? "moving" : "painting") : "looking";
  canvas.setAttribute("aria-label", describeStage(item));
}

function turnTab(event, index) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  chooseTab(TABS[(index + step + TABS.length) % TABS.length][0]);
  document.getElementById(`tab-${store.tab}`)?.focus();
}

function describeStage(item) {
  const [rows, columns] = item.shape, run = currentRun();
  const what = `${item.name}, ${columns} by ${rows}${item.planes > 1 ? `, ${item.planes} planes` : ""}`;
  if (store.tab === "holes") return `${what}. Arrow keys move a cursor, space paints.`;
  return store.tab === "results" && run ? `${what}, as filled in by ${run.method}` : what;
}

/** Replace what is in a place and leave the keyboard and what is scrolled where they were. */
function keepFocus(place, change) {
  const active = place.contains(document.activeElement) ? document.activeElement : null, scroll = place.querySelector(".panel-body")?.scrollTop ?? 0, was = place.dataset.shows;
  const same = active && (active.id ? `#${CSS.escape(active.id)}` : active.name && active.type === "radio" ? `input[name="${CSS.escape(active.name)}"]:checked` : active.getAttribute("aria-label") ? `[aria-label="${CSS.escape(active.getAttribute("aria-label"))}"]` : null);
  const words = active?.textContent;
  change(place);
  const scrolled = place.querySelector(".panel-body");
  if (scrolled && was === store.tab) scrolled.scrollTop = scroll;
  place.dataset.shows = store.tab;
  if (!active) return;
  const again = same ? place.querySelector(same) : [...place.querySelectorAll("button, summary")].find((other) => other.textContent === words);
  again?.focus({ preventScroll: true });
}

// What has changed

on("items", () => { drawFiles(); if (!currentItem() || currentItem().state !== "ready") drawMain(); });
on("item", drawMain);
on("tab", () => { drawPanel(); show(stage); });
on("tools others kept method", () => { drawPanel(); });
on("wish", refreshEstimate);
on("holes", () => { drawPanel(); });
on("painted style", () => { if (store.tab !== "results") show(stage); else if (currentRun()) show(stage); });
on("style", () => { const fresh = playbar(stage, shownPaths); bar.replaceWith(fresh); bar = fresh; });
on("plane", () => { show(stage); if (store.tab === "holes") drawPlaneParts(); const run = currentRun(); if (run?.state === "running") post(`runs/${run.id}/look`, { plane: store.plane }).catch(() => {}); });
on("view", () => { if (store.view === "slider" && stage.split === null) stage.split = 0.5; drawPanel(); show(stage); });
on("runs", (run) => { if (run && run.item === store.item && !store.run) chooseRun(run.id, { show: false }); if (store.tab === "results") { drawPanel(); show(stage); } else drawPanel(); });
on("run", (run) => { drawPanel(); show(stage); if (run?.state === "done") announce(`${run.method} is done.`); });
on("progress", (run) => { refreshProgress(run); if (run.id === store.run && store.tab === "results" && run.picture !== shownPicture) { shownPicture = run.picture; show(stage); } });
on("hover", (place) => bar?.hover(place));
on("sending", (name) => { sending = name; if (name && store.server === "yes") document.getElementById("banner").hidden = true; if (!currentItem()) drawMain(); if (name) announce(`Opening ${name}`); });
on("trouble", trouble);
on("save picture", async () => { const item = currentItem(), blob = await stagePicture(stage); saveBlob(blob, `${item.name.replace(/\.[^.]*$/, "")}-${store.view}.png`); });
let shownPicture = 0, planeTimer = null;

/** Only what depends on the frame, and not while frames fly by. */
function drawPlaneParts() { clearTimeout(planeTimer); planeTimer = setTimeout(drawPanel, 120); }

// Keys

addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input:not([type=radio]):not([type=checkbox]):not([type=range]), textarea, select"), item = currentItem(), holes = holesOf(item);
  if (typing || item?.state !== "ready") return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === "z") { if (event.shiftKey) holes?.redo(); else holes?.undo(); }
  else if ((event.ctrlKey || event.metaKey) && key === "y") holes?.redo();
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (key === "+" || key === "=") stage.zoom(1.4);
  else if (key === "-") stage.zoom(1 / 1.4);
  else if (key === "0") stage.fit();
  else if (key === " " && item.planes > 1 && (event.target === document.body || (event.target === canvas && store.tab !== "holes"))) bar.play();
  else if ((key === "," || key === ".") && item.planes > 1) choosePlane(store.plane + (key === "." ? 1 : -1));
  else if (store.tab === "results" && /^[1-9]$/.test(key) && runsOf(item.id)[key - 1]) chooseRun(runsOf(item.id)[key - 1].id);
  else if (store.tab === "results" && event.target === canvas && stage.split !== null && (key === "arrowleft" || key === "arrowright")) stage.handlers.splits?.(stage.split = Math.min(1, Math.max(0, stage.split + (key === "arrowright" ? 0.02 : -0.02)))), stage.draw();
  else if (store.tab === "holes" && (key === "[" || key === "]")) { painting.size = Math.max(1, Math.round(painting.size * (key === "]" ? 1.25 : 0.8) + (key === "]" ? 0.5 : 0))); tell("tools"); }
  else if (store.tab === "holes" && key === "e") { painting.erasing = !painting.erasing; tell("tools"); }
  else if (store.tab === "holes" && TOOLS.some(([, , own]) => own === key)) { painting.tool = TOOLS.find(([, , own]) => own === key)[0]; tell("tools"); }
  else return;
  event.preventDefault();
});

// Beginning

acceptDrops();
stage.handlers.resizes = () => show(stage);
paintOn(stage, busy);
drawMain();
get("menu").then((menu) => { store.menu = menu; if (!currentItem()) drawMain(); else drawPanel(); }).catch((error) => { if (error.status !== 401) trouble(error); });
listen(hear, serverChanged);

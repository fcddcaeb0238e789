// What the page knows: files and runs as the server tells of them, and what this tab looks at.

const REMEMBERED = "tensorfill-tab";

export const store = {
  items: new Map(),
  runs: new Map(),
  menu: { methods: [], samples: [], extensions: [] },
  item: null,
  run: null,
  tab: "holes",
  plane: 0,
  view: "slider",
  server: "yes",
};

const listeners = new Map();

/** Call `listener` whenever something of this kind has changed. */
export function on(kinds, listener) {
  for (const kind of kinds.split(" ")) {
    if (!listeners.has(kind)) listeners.set(kind, new Set());
    listeners.get(kind).add(listener);
  }
}

/** Say that something of this kind has changed. */
export function tell(kind, about) {
  for (const listener of listeners.get(kind) ?? []) listener(about);
}

export const currentItem = () => store.items.get(store.item) ?? null;
export const currentRun = () => { const run = store.runs.get(store.run); return run && run.item === store.item ? run : null; };
export const runsOf = (item) => [...store.runs.values()].filter((run) => run.item === item);

/** Look at another file. */
export function chooseItem(id) {
  if (store.item === id) return;
  Object.assign(store, { item: id, plane: 0, run: runsOf(id).at(-1)?.id ?? null, tab: "holes" });
  remember();
  tell("item");
}

/** Look at another run. */
export function chooseRun(id, { show = true } = {}) {
  store.run = id;
  if (show && store.tab !== "results") { store.tab = "results"; tell("tab"); }
  remember();
  tell("run");
}

export function chooseTab(tab) {
  store.tab = tab;
  remember();
  tell("tab");
}

/** What a reload of this tab brings back. */
export function remember() {
  const { item, run, tab, plane, view } = store;
  sessionStorage.setItem(REMEMBERED, JSON.stringify({ item, run, tab, plane, view }));
}

function recall() {
  try { return JSON.parse(sessionStorage.getItem(REMEMBERED)) ?? {}; } catch { return {}; }
}

/** Take in an event of the server. */
export function hear(kind, about) {
  if (kind === "state") {
    store.items = new Map(about.items.map((item) => [item.id, item]));
    store.runs = new Map(about.runs.map((run) => [run.id, run]));
    const before = recall();
    if (!store.item && store.items.has(before.item)) Object.assign(store, before);
    else if (!store.items.has(store.item)) Object.assign(store, { item: about.items.at(-1)?.id ?? null, plane: 0, tab: "holes" });
    if (!currentRun()) store.run = runsOf(store.item).at(-1)?.id ?? null;
    tell("items"); tell("item"); tell("runs");
  } else if (kind === "item") {
    const known = store.items.has(about.id);
    store.items.set(about.id, about);
    tell("items");
    if (store.item === about.id) tell("item");
    else if (!known && !store.item) chooseItem(about.id);
  } else if (kind === "closed") {
    store.items.delete(about.id);
    if (store.item === about.id) { store.item = null; const other = [...store.items.keys()].at(-1); if (other) chooseItem(other); else { remember(); tell("item"); } }
    tell("items");
  } else if (kind === "run") {
    const before = store.runs.get(about.id);
    store.runs.set(about.id, about);
    tell("runs", about);
    if (about.id === store.run) tell(before?.state === about.state && before?.extras === about.extras ? "progress" : "run", about);
  } else if (kind === "progress") {
    const run = store.runs.get(about.id);
    if (!run) return;
    const { point, ...rest } = about;
    Object.assign(run, rest);
    const last = run.curve.at(-1);
    if (point && (!last || last[0] !== point[0])) run.curve.push(point);
    tell("progress", run);
  } else if (kind === "removed") {
    store.runs.delete(about.id);
    if (store.run === about.id) { store.run = runsOf(store.item).at(-1)?.id ?? null; tell("run"); }
    tell("runs");
  }
}

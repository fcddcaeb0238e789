// Opening files: by dropping, picking, or a sample; and the row of those that are open.

import { post, remove, send } from "./api.js";
import { h, icon, iconButton } from "./dom.js";
import { forgetMask } from "./masks.js";
import { forget } from "./pictures.js";
import { chooseItem, store, tell } from "./store.js";

const picker = h("input", { type: "file", multiple: true, class: "unseen", tabIndex: -1, "aria-hidden": "true" });
document.body.append(picker);
picker.addEventListener("change", () => { openFiles([...picker.files]); picker.value = ""; });

/** Let the user pick. */
export const pickFiles = () => picker.click();

/** Send files and look at them. */
export async function openFiles(files) {
  if (!files.length) return;
  tell("sending", files.length === 1 ? files[0].name : `${files.length} files`);
  try {
    const item = await (await send("items", files)).json();
    store.items.set(item.id, store.items.get(item.id) ?? item);
    chooseItem(item.id);
  } catch (error) {
    tell("trouble", error);
  } finally {
    tell("sending", null);
  }
}

async function openSample(name) {
  try {
    const item = await post(`samples/${name}`);
    store.items.set(item.id, store.items.get(item.id) ?? item);
    chooseItem(item.id);
  } catch (error) {
    tell("trouble", error);
  }
}

export function acceptDrops() {
  let depth = 0;
  const over = (on) => document.body.classList.toggle("dropping", on);
  addEventListener("dragenter", (event) => { if (event.dataTransfer?.types.includes("Files")) { depth++; over(true); } });
  addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); if (!depth) over(false); });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); depth = 0; over(false); openFiles([...event.dataTransfer.files]); });
}

/** What is there before anything is open. */
export function welcome(sending) {
  return h("section", { class: "welcome", "aria-labelledby": "welcome" },
    h("h2", { id: "welcome" }, "Fill in what is missing"),
    h("p", {}, "Open a picture, a clip, a cube, a table or any other tensor; paint over what is damaged; and watch it fill in."),
    h("button", { type: "button", class: "drop", onclick: pickFiles }, icon("open"), h("strong", {}, sending ? `Opening ${sending} …` : "Drop a file here"), h("span", {}, "or choose one")),
    h("div", { class: "samples" }, h("span", { id: "samples" }, "Or try"),
      h("ul", { "aria-labelledby": "samples" }, store.menu.samples.map(({ name, about }) => h("li", {}, h("button", { type: "button", onclick: () => openSample(name) }, about))))),
    h("p", { class: "quiet" }, "Everything stays on this machine."));
}

/** The row of open files. */
export function fileRow() {
  const items = [...store.items.values()];
  return [
    ...items.map((item) => h("span", { class: item.id === store.item ? "file chosen" : "file" },
      h("button", { type: "button", "aria-current": item.id === store.item ? "true" : undefined, onclick: () => chooseItem(item.id), title: item.name }, item.name),
      iconButton("close", `Close ${item.name}`, () => close(item)))),
    items.length ? h("button", { type: "button", class: "file-open", onclick: pickFiles }, icon("plus"), "Open") : null,
  ].filter(Boolean);
}

async function close(item) {
  try {
    await remove(`items/${item.id}`);
    forgetMask(item.id);
    forget(item.id);
  } catch (error) { tell("trouble", error); }
}

/** What is shown while a file is read, and if it cannot be. */
export function unopened(item) {
  if (item.state === "reading") return h("section", { class: "welcome" }, h("div", { class: "spinner", "aria-hidden": "true" }), h("p", { role: "status" }, `Reading ${item.name} …`));
  const words = item.error.includes("table='wide'") || item.error.includes("'wide'") ? [["wide", "A matrix: a row per line"], ["long", "A list: an entry per line"]] : [];
  return h("section", { class: "welcome" }, h("h2", {}, `${item.name} cannot be opened`), h("p", { role: "alert" }, item.error),
    words.length ? h("p", {}, words.map(([word, text]) => h("button", { type: "button", class: "plain-button", onclick: () => post(`items/${item.id}/table`, { table: word }).catch((error) => tell("trouble", error)) }, text))) : null,
    h("button", { type: "button", class: "primary", onclick: pickFiles }, "Open another file"));
}

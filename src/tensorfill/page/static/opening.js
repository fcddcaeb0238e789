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
  const again = (words) => post(`items/${item.id}/words`, words).catch((error) => tell("trouble", error));
  const open = openings(item, again), sentence = item.error.replace(/ Say table=.*$/, "");
  return h("section", { class: "welcome" }, h("h2", {}, open.length ? `One question about ${item.name}` : `${item.name} cannot be opened`), h("p", { role: "alert" }, sentence),
    ...open,
    h("button", { type: "button", class: open.length ? "plain-button" : "primary", onclick: pickFiles }, "Open another file"));
}

const TABLE_WORDS = {
  wide: "a matrix", long: "a list of entries", header: "names in the first line", "no-header": "no names in the first line", labels: "labels in the first column", "no-labels": "numbers in the first column", "decimal-comma": "decimal commas", "decimal-point": "decimal points",
};

/** What may be added that the file does not say, where its error asks for that. */
function openings({ error }, again) {
  const tables = [...new Set([...error.matchAll(/table='([\w,-]+)'/g)].map(([, words]) => words))];
  if (tables.length) {
    const named = (words) => words.split(",").map((word) => TABLE_WORDS[word] ?? word).join(", ");
    return [h("p", { class: "choices" }, tables.map((table) => h("button", { type: "button", class: "plain-button", onclick: () => again({ table }) }, named(table))))];
  }
  const ask = (label, example, words) => {
    const field = h("input", { type: "text", placeholder: example, required: true, "aria-label": label });
    return [h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); again(words(field.value.trim())); } }, field, h("button", { class: "plain-button" }, "Open"))];
  };
  if (error.includes("FILE::NAME")) return ask("Name of the array", "the name of an array", (array) => ({ array }));
  if (error.includes("size=")) return ask("Columns x rows", "176x144", (text) => ({ size: text.split(/[x×]/).map(Number) }));
  return [];
}

// Asking the server. Every request brings the key of this launch, which came in the address and is kept in this origin alone.

const KEY = "tensorfill-key";

function takeKey() {
  const found = new URLSearchParams(location.hash.slice(1)).get("key");
  if (found) {
    localStorage.setItem(KEY, found);
    history.replaceState(null, "", location.pathname);
  }
  return localStorage.getItem(KEY) ?? "";
}

let key = takeKey();
window.addEventListener("hashchange", () => { key = takeKey(); location.reload(); });

export class Refused extends Error {
  constructor(status, sentence) { super(sentence); this.status = status; }
}

/** The answer to a request; a refusal is thrown as its sentence. */
export async function ask(path, { method = "GET", json, body, headers = {}, signal } = {}) {
  const sent = { "X-Tensorfill-Key": key, ...headers };
  if (json !== undefined) { body = JSON.stringify(json); sent["Content-Type"] = "application/json"; }
  let answer;
  try {
    answer = await fetch(`/api/${path}`, { method, body, headers: sent, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "The server does not answer.");
  }
  if (answer.ok) return answer;
  let sentence = answer.status === 503 ? "The server is busy; try again in a moment." : "The server refused this.";
  try { sentence = (await answer.json()).error ?? sentence; } catch { /* it had nothing more to say */ }
  throw new Refused(answer.status, sentence);
}

export const get = async (path) => (await ask(path)).json();
export const post = async (path, json = {}) => { const answer = await ask(path, { method: "POST", json }); return answer.status === 204 ? null : answer.json(); };
export const remove = (path) => ask(path, { method: "DELETE" });

/** Bytes, with what the server says about them. */
export async function bytes(path, given) {
  const answer = await ask(path, given);
  return { bytes: new Uint8Array(await answer.arrayBuffer()), shape: JSON.parse(answer.headers.get("X-Shape") ?? "null"), told: JSON.parse(answer.headers.get("X-Told") ?? "null") };
}

/** Bytes, packed. */
export async function pack(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}

/** Send files; they go as one body, one after the other. */
export function send(path, files) {
  const listed = JSON.stringify(files.map((file) => [file.name, file.size]));
  return ask(path, { method: "POST", body: new Blob(files), headers: { "X-Tensorfill-Files": encodeURIComponent(listed) } });
}

/** Save an answer under its name. */
export async function save(path, fallback) {
  const answer = await ask(path);
  const named = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("Content-Disposition") ?? "");
  saveBlob(await answer.blob(), named ? decodeURIComponent(named[1]) : fallback);
}

/** Save bytes under a name. */
export function saveBlob(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Listen to what happens, for ever; `changed` hears whether the server is there: "yes", "no" or "stranger". */
export async function listen(heard, changed) {
  for (let waited = 0; ; waited = Math.min(waited + 1, 5)) {
    const leaving = leaveWhenHidden();
    try {
      await visible();
      const answer = await ask("events", { signal: leaving.signal });
      waited = 0;
      changed("yes");
      await readEvents(answer.body, heard);
    } catch (error) {
      if (error.name === "AbortError") continue;
      changed(error.status === 401 ? "stranger" : "no", error.message);
      if (error.status === 401) return;
    } finally {
      leaving.over();
    }
    await new Promise((done) => setTimeout(done, 300 * (waited + 1)));
  }
}

const HIDDEN = 10_000;

/** Once the tab is seen. */
async function visible() {
  while (document.hidden) await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}

/** A tab that nobody sees does not listen for long: browsers have few connections for all tabs of a page together. */
function leaveWhenHidden() {
  const controller = new AbortController();
  let timer = null;
  const look = () => { clearTimeout(timer); if (document.hidden) timer = setTimeout(() => controller.abort(), HIDDEN); };
  document.addEventListener("visibilitychange", look);
  return { signal: controller.signal, over: () => { clearTimeout(timer); document.removeEventListener("visibilitychange", look); } };
}

async function readEvents(stream, heard) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const kind = /^event: (.*)$/m.exec(event), data = /^data: (.*)$/m.exec(event);
      if (kind && data) heard(kind[1], JSON.parse(data[1]));
    }
  }
}

// Holes: which sites are painted over, on all planes or on one, with every step back and forth.

const NONE = 0, HOLE = 1, KEPT = 2;
const MOST_REMEMBERED = 300e6;

/** Bits, the first in the highest place of a byte, as bytes of 0 and 1. */
export function unpackBits(packed, start, count) {
  const found = new Uint8Array(count);
  for (let i = 0, bit = start; i < count; i++, bit++) found[i] = (packed[bit >> 3] >> (7 - (bit & 7))) & 1;
  return found;
}

/** A box, made to hold a part of a row, too. */
const around = (box, row, from, to) => (box
  ? { top: Math.min(box.top, row), bottom: Math.max(box.bottom, row), left: Math.min(box.left, from), right: Math.max(box.right, to) }
  : { top: row, bottom: row, left: from, right: to });

export class Holes {
  constructor(planes, rows, columns, known) {
    Object.assign(this, { planes, rows, columns, known, layers: new Map(), lost: new Set(), past: [], future: [], version: 0 });
    this.changed = () => {};
  }

  get size() { return this.rows * this.columns; }
  get empty() { return !this.lost.size && ![...this.layers.values()].some((layer) => layer.includes(HOLE)); }

  /** Whether a site is known in the file itself. */
  isKnown(plane, place) {
    const bit = plane * this.size + place;
    return (this.known[bit >> 3] >> (7 - (bit & 7))) & 1;
  }

  layer(name) {
    if (!this.layers.has(name)) this.layers.set(name, new Uint8Array(this.size));
    return this.layers.get(name);
  }

  /** 1 where a plane is painted over, as bytes. */
  painted(plane) {
    if (this.lost.has(plane)) return new Uint8Array(this.size).fill(1);
    const all = this.layers.get("all"), own = this.layers.get(plane);
    if (!own) return all ? all.slice() : new Uint8Array(this.size);
    const found = new Uint8Array(this.size);
    for (let i = 0; i < found.length; i++) found[i] = own[i] === HOLE || (own[i] === NONE && all?.[i] === HOLE) ? 1 : 0;
    return found;
  }

  // Painting by strokes

  /** Begin a stroke on all planes or one; what is there is remembered. */
  begin(scope, erasing) {
    const names = erasing && scope === "all" ? [...new Set(["all", ...this.layers.keys()])] : [scope];
    this.stroke = { erasing, scope, box: null, fresh: null, before: new Map(names.map((name) => [name, this.layer(name).slice()])) };
  }

  /** Paint the columns from `first` to `last`, both included, of a row. */
  span(row, first, last) {
    const from = Math.max(0, Math.ceil(first)), to = Math.min(this.columns - 1, Math.floor(last));
    if (row < 0 || row >= this.rows || from > to) return;
    const { stroke } = this, start = row * this.columns;
    for (const name of stroke.before.keys()) {
      const value = !stroke.erasing ? HOLE : name !== "all" && stroke.scope !== "all" && this.layers.has("all") ? KEPT : NONE;
      this.layers.get(name).fill(value, start + from, start + to + 1);
    }
    stroke.box = around(stroke.box, row, from, to);
    stroke.fresh = around(stroke.fresh, row, from, to);
  }

  /** What the stroke has reached since this was asked last; null if it is nothing. */
  takeFresh() {
    const found = this.stroke?.fresh ?? null;
    if (found) this.stroke.fresh = null;
    return found;
  }

  /** A disc around a point; sites are counted by their middles. */
  disc(column, row, radius) {
    for (let y = Math.ceil(row - radius); y <= Math.floor(row + radius); y++) {
      const half = Math.sqrt(Math.max(0, radius * radius - (y - row) ** 2));
      this.span(y, column - half, column + half);
    }
  }

  /** A line with round ends. */
  line(from, to, radius) {
    const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / Math.max(0.5, radius / 3)));
    for (let step = 0; step <= steps; step++) {
      this.disc(from[0] + ((to[0] - from[0]) * step) / steps, from[1] + ((to[1] - from[1]) * step) / steps, radius);
    }
  }

  /** The sites that have a 1. */
  stamp(mask, left, top, width) {
    for (let i = 0; i < mask.length; i++) if (mask[i]) this.span(top + Math.floor(i / width), left + (i % width), left + (i % width));
  }

  /** The stroke is over: it can be undone as a whole. */
  end() {
    const { stroke } = this;
    this.stroke = null;
    if (!stroke?.box) return;
    const crops = [...stroke.before].map(([name, before]) => ({ name, before: this.crop(before, stroke.box), after: this.crop(this.layers.get(name), stroke.box) }));
    const put = (which) => { for (const part of crops) this.paste(this.layer(part.name), part[which], stroke.box); };
    this.add({ undo: () => put("before"), redo: () => put("after"), bytes: crops.reduce((sum, part) => sum + 2 * part.before.length, 0) });
  }

  crop(layer, { top, bottom, left, right }) {
    const width = right - left + 1, found = new Uint8Array(width * (bottom - top + 1));
    for (let row = top; row <= bottom; row++) found.set(layer.subarray(row * this.columns + left, row * this.columns + right + 1), (row - top) * width);
    return found;
  }

  paste(layer, part, { top, bottom, left, right }) {
    const width = right - left + 1;
    for (let row = top; row <= bottom; row++) layer.set(part.subarray((row - top) * width, (row - top + 1) * width), row * this.columns + left);
  }

  // Changes of everything at once

  /** Replace all layers and lost planes by what `make` returns of copies. */
  replace(make) {
    const before = [this.layers, this.lost], after = make(new Map(this.layers), new Set(this.lost));
    const put = ([layers, lost]) => { this.layers = layers; this.lost = lost; };
    put(after);
    this.add({ undo: () => put(before), redo: () => put(after), bytes: after[0].size * this.size });
  }

  clear() { this.replace(() => [new Map(), new Set()]); }

  setLost(planes) { this.replace((layers) => [layers, new Set(planes)]); }

  /** Add packed bits: of one plane, which may stand for all, or of each. */
  addPacked(packed, { plane = null, instead = false } = {}) {
    const single = packed.length === Math.ceil(this.size / 8) && this.planes > 1;
    this.replace((layers, lost) => {
      if (instead) { layers = new Map(); lost = new Set(); }
      const targets = single || this.planes === 1 ? [plane ?? "all"] : Array.from({ length: this.planes }, (_, index) => index);
      for (const [number, name] of targets.entries()) {
        const bits = unpackBits(packed, number * this.size, this.size);
        if (!bits.includes(1)) continue;
        const old = layers.get(name), fresh = old ? old.slice() : new Uint8Array(this.size);
        for (let i = 0; i < bits.length; i++) if (bits[i]) fresh[i] = HOLE;
        layers.set(name, fresh);
      }
      return [layers, lost];
    });
  }

  add(step) {
    this.past.push(step);
    this.future = [];
    for (let sum = 0, index = this.past.length - 1; index >= 0; index--) {
      sum += this.past[index].bytes;
      if (sum > MOST_REMEMBERED) { this.past.splice(0, index); break; }
    }
    this.touch();
  }

  touch() { this.version++; this.changed(); }
  undo() { const step = this.past.pop(); if (step) { step.undo(); this.future.push(step); this.touch(); } }
  redo() { const step = this.future.pop(); if (step) { step.redo(); this.past.push(step); this.touch(); } }

  // For the server

  /** All planes, eight sites in a byte. */
  pack() {
    const found = new Uint8Array(Math.ceil((this.planes * this.size) / 8));
    for (let plane = 0, bit = 0; plane < this.planes; plane++) {
      const sites = this.painted(plane);
      for (let i = 0; i < sites.length; i++, bit++) if (sites[i]) found[bit >> 3] |= 128 >> (bit & 7);
    }
    return found;
  }

  /** The share of the sites of a plane that are missing. */
  missingOn(plane) {
    const sites = this.painted(plane);
    let count = 0;
    for (let i = 0; i < sites.length; i++) if (sites[i] || !this.isKnown(plane, i)) count++;
    return count / this.size;
  }
}

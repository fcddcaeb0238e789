// Planes as pictures: fetched as bytes, coloured here, kept as long as there is room, in several sizes so that large ones move fluidly.

import { bytes } from "./api.js";

const MOST_BYTES = 700e6;
const STOPS = {
  gray: [[0, 0, 0], [255, 255, 255]],
  viridis: [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37]],
  embers: [[4, 4, 12], [60, 15, 80], [130, 30, 95], [200, 60, 70], [245, 125, 45], [252, 195, 90], [252, 250, 220]],
};
const tables = new Map();
const cache = new Map();
let held = 0;

/** 256 colours as 32 bits each. */
function table(name) {
  if (!tables.has(name)) {
    const stops = STOPS[name], found = new Uint32Array(256);
    for (let level = 0; level < 256; level++) {
      const place = (level / 255) * (stops.length - 1), low = Math.min(Math.floor(place), stops.length - 2), part = place - low;
      const [r, g, b] = [0, 1, 2].map((channel) => Math.round(stops[low][channel] * (1 - part) + stops[low + 1][channel] * part));
      found[level] = (255 << 24) | (b << 16) | (g << 8) | r;
    }
    tables.set(name, found);
  }
  return tables.get(name);
}

/** What holes are painted in: a colour that the data has not. */
export const holeColour = (item, style) => (item.depth === 3 || style.bands || style.map === "gray" ? [122, 79, 224] : [226, 226, 233]);

/** A colour of a map as CSS. */
export function colourOf(name, level) {
  const value = table(name)[level];
  return `rgb(${value & 255} ${(value >> 8) & 255} ${(value >> 16) & 255})`;
}

/** A picture in several sizes. */
export class Picture {
  constructor(width, height, pixels) {
    this.width = width;
    this.height = height;
    this.levels = [fromPixels(width, height, pixels)];
  }

  /** The smallest size that is still sharp at this scale. */
  at(scale) {
    let level = 0;
    while (scale * 2 ** (level + 1) <= 1 && Math.min(this.width, this.height) >> (level + 1) > 8) level++;
    while (this.levels.length <= level) this.levels.push(halve(this.levels.at(-1)));
    return this.levels[level];
  }

  get bytes() { return this.width * this.height * 5.4; }
}

function fromPixels(width, height, pixels) {
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width, height), 0, 0);
  return canvas;
}

function halve(canvas) {
  const small = new OffscreenCanvas(Math.max(1, canvas.width >> 1), Math.max(1, canvas.height >> 1));
  const context = small.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(canvas, 0, 0, small.width, small.height);
  return small;
}

/** Bytes of one or three shades per site as pixels. */
export function colour(raw, depth, map) {
  const count = raw.length / depth, pixels = new Uint32Array(count);
  if (depth === 3) {
    for (let i = 0, j = 0; i < count; i++, j += 3) pixels[i] = 0xff000000 | (raw[j + 2] << 16) | (raw[j + 1] << 8) | raw[j];
  } else {
    const colours = table(map);
    for (let i = 0; i < count; i++) pixels[i] = colours[raw[i]];
  }
  return pixels;
}

/** Three planes as red, green and blue, each stretched so that few sites are too dark or too bright. */
function falseColour(planes) {
  const stretched = planes.map((plane) => {
    const histogram = new Uint32Array(256);
    for (const level of plane) histogram[level]++;
    const at = (share) => { let sum = 0, level = 0; while (level < 255 && (sum += histogram[level]) < share * plane.length) level++; return level; };
    const low = at(0.01), high = Math.max(at(0.99), low + 1);
    return Uint8Array.from({ length: 256 }, (_, level) => Math.max(0, Math.min(255, Math.round((255 * (level - low)) / (high - low)))));
  });
  const pixels = new Uint32Array(planes[0].length);
  for (let i = 0; i < pixels.length; i++) {
    pixels[i] = 0xff000000 | (stretched[2][planes[2][i]] << 16) | (stretched[1][planes[1][i]] << 8) | stretched[0][planes[0][i]];
  }
  return pixels;
}

/** Keep the answer of `make`, which is asked once; the oldest go when there are too many. */
function keep(name, make, sizeOf) {
  const known = cache.get(name);
  if (known) {
    cache.delete(name);
    cache.set(name, known);
    return known.promise;
  }
  const entry = { size: 0, value: null };
  entry.promise = make().then((value) => {
    Object.assign(entry, { value, size: sizeOf(value) });
    held += entry.size;
    for (const [other, old] of cache) {
      if (held <= MOST_BYTES || other === name) break;
      cache.delete(other);
      held -= old.size;
    }
    return value;
  });
  entry.promise.catch(() => cache.delete(name));
  cache.set(name, entry);
  return entry.promise;
}

/** What is there already, or nothing. */
export const ready = (path, style) => cache.get(nameOf(path, style))?.value ?? null;
const nameOf = (path, style) => `${path} ${style.map}${style.bands ? style.bands.join("-") : ""}`;

/** The raw bytes of a plane. */
export const rawPlane = (path) => keep(`raw ${path}`, () => bytes(path), (found) => found.bytes.length);

/** A plane as a picture; `path` has a {} for its number where three bands may be shown as colours. */
export function picture(path, style) {
  return keep(nameOf(path, style), async () => {
    if (style.bands) {
      const planes = await Promise.all(style.bands.map((band) => rawPlane(path.replace(/\d+$/, band))));
      const [rows, columns] = planes[0].shape;
      return new Picture(columns, rows, falseColour(planes.map((plane) => plane.bytes)));
    }
    const { bytes: raw, shape: [rows, columns, depth] } = await bytes(path);
    return new Picture(columns, rows, colour(raw, depth, style.map));
  }, (found) => found.bytes);
}

/** How far two planes are apart, brighter where it is more; `most` is the share of the range that is brightest. */
export function difference(before, after, most) {
  const gain = 1 / most;
  return keep(`difference ${before} ${after} ${most}`, async () => {
    const [one, two] = await Promise.all([rawPlane(before), rawPlane(after)]);
    const [rows, columns, depth] = one.shape, found = new Uint8Array(rows * columns);
    for (let i = 0; i < found.length; i++) {
      let most = 0;
      for (let j = i * depth; j < (i + 1) * depth; j++) most = Math.max(most, Math.abs(one.bytes[j] - two.bytes[j]));
      found[i] = Math.min(255, most * gain);
    }
    return new Picture(columns, rows, colour(found, 1, "embers"));
  }, (found) => found.bytes);
}

/** How unsure a plane is, to be laid over its picture: more of the colour where it is less sure. */
export function doubt(path) {
  return keep(`doubt ${path}`, async () => {
    const { bytes: raw, shape: [rows, columns] } = await rawPlane(path), pixels = new Uint32Array(raw.length);
    for (let i = 0; i < raw.length; i++) pixels[i] = (Math.round(raw[i] * 0.9) << 24) | (20 << 16) | (110 << 8) | 255;
    return new Picture(columns, rows, pixels);
  }, (found) => found.bytes);
}

/** Forget everything about a file or a run. */
export function forget(part) {
  for (const [name, entry] of cache) if (name.includes(part)) { cache.delete(name); held -= entry.size; }
}

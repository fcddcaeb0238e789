// The stage: pictures side by side or one over the other, at the same place and zoom; panning, zooming and a cursor.

const GAP = 10;
const CAPTION = 26;
const NEAR = 14;

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.panels = [];
    this.split = null;
    this.width = this.height = 1;
    this.aspect = 1;
    this.labels = [null, null];
    this.view = { scale: 1, column: 0, row: 0, fitted: true };
    this.cursor = null;
    this.ghost = null;
    this.pointers = new Map();
    this.handlers = {};
    this.dragging = null;
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.listen();
  }

  /** Show panels {picture, overlay, caption}, or two of them with `split`, the share of the width that the first one has. */
  show({ panels, split = null, height, width, aspect = 1, labels = [null, null] }) {
    const same = width === this.width && height === this.height && aspect === this.aspect;
    const count = split === null ? panels.length : 1;
    Object.assign(this, { panels, split, width, height, aspect, labels });
    if (!same || (this.view.fitted && count !== this.count)) this.fit();
    this.count = count;
    this.draw();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    if (!box.width) return;
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    this.ratio = ratio;
    this.box = box;
    if (this.view.fitted) this.fit();
    this.paint();
    this.handlers.resizes?.();
  }

  // Where things are, in CSS pixels

  get margins() {
    const [rows, columns] = this.labels;
    return { left: rows ? Math.min(120, 14 + 6.6 * Math.max(...rows.map((label) => Math.min(label.length, 18)))) : 0, top: columns ? 66 : 0, right: columns ? 30 : 0 };
  }

  boxes() {
    const count = this.split === null ? Math.max(1, this.panels.length) : 1;
    const { width, height } = this.box ?? { width: 1, height: 1 };
    const fits = (across) => { const down = Math.ceil(count / across); return Math.min((width / across) / this.width, (height / down) / (this.height * this.aspect)); };
    let across = 1;
    for (let candidate = 2; candidate <= count; candidate++) if (fits(candidate) > fits(across) * 1.05) across = candidate;
    const down = Math.ceil(count / across), captioned = this.panels.some((panel) => panel.caption) && this.split === null;
    const { left, top, right } = this.margins;
    const wide = (width - GAP * (across + 1)) / across, high = (height - GAP * (down + 1)) / down;
    return Array.from({ length: count }, (_, index) => {
      const x = GAP + (index % across) * (wide + GAP), y = GAP + Math.floor(index / across) * (high + GAP);
      const above = captioned ? CAPTION : 0;
      return { x: x + left, y: y + top + above, width: Math.max(8, wide - left - right), height: Math.max(8, high - top - above), caption: y };
    });
  }

  fit() {
    if (!this.box) return;
    const [box] = this.boxes();
    const scale = Math.min(box.width / this.width, box.height / (this.height * this.aspect));
    this.view = { scale: scale || 1, column: this.width / 2, row: this.height / 2, fitted: true };
    this.draw();
  }

  zoom(factor, at = null) {
    const [box] = this.boxes();
    const [x, y] = at ?? [box.x + box.width / 2, box.y + box.height / 2];
    const before = this.place(x, y), { view } = this;
    const smallest = 0.5 * Math.min(box.width / this.width, box.height / (this.height * this.aspect));
    view.scale = Math.min(64, Math.max(smallest, view.scale * factor));
    view.fitted = false;
    const after = this.place(x, y);
    view.column += before.column - after.column;
    view.row += before.row - after.row;
    this.draw();
  }

  /** The site under a point: of whichever panel the point is in. */
  place(x, y) {
    const boxes = this.boxes();
    const found = boxes.findIndex((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);
    const panel = Math.max(0, found), box = boxes[panel], { view } = this;
    return {
      column: view.column + (x - box.x - box.width / 2) / view.scale,
      row: view.row + (y - box.y - box.height / 2) / (view.scale * this.aspect),
      panel, inside: found >= 0,
    };
  }

  /** Where a site is drawn in a box. */
  point(box, column, row) {
    const { view } = this;
    return [box.x + box.width / 2 + (column - view.column) * view.scale, box.y + box.height / 2 + (row - view.row) * view.scale * this.aspect];
  }

  // Drawing

  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => this.paint());
  }

  paint() {
    cancelAnimationFrame(this.waiting);
    this.waiting = null;
    if (!this.box) return;
    const { context } = this, style = getComputedStyle(this.canvas);
    this.colours = { text: style.color, quiet: style.caretColor };
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.box.width, this.box.height);
    const boxes = this.boxes();
    if (this.split !== null && this.panels.length === 2) this.paintSplit(boxes[0]);
    else this.panels.forEach((panel, index) => this.paintPanel(panel, boxes[index]));
    if (this.labels[0] || this.labels[1]) this.paintLabels(boxes[0]);
    this.paintGhost(boxes[0]);
  }

  clipped(box, draw) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    draw();
    context.restore();
  }

  paintPicture(panel, box) {
    const { context, view } = this, scale = view.scale;
    const [x, y] = this.point(box, 0, 0), width = this.width * scale, height = this.height * scale * this.aspect;
    context.imageSmoothingEnabled = scale * this.ratio < 1;
    if (panel.picture) context.drawImage(panel.picture.at(scale * this.ratio), x, y, width, height);
    if (panel.overlay) context.drawImage(panel.overlay, x, y, width, height);
  }

  paintPanel(panel, box) {
    this.clipped(box, () => this.paintPicture(panel, box));
    if (!panel.caption) return;
    const { context } = this;
    context.fillStyle = this.colours.text;
    context.font = "13px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    const [left] = this.point(box, 0, 0);
    context.fillText(panel.caption, Math.max(box.x, left) + 1, Math.max(box.y, this.point(box, 0, 0)[1]) - CAPTION / 2, box.width);
  }

  paintSplit(box) {
    const { context } = this, [left] = this.point(box, 0, 0), [right] = this.point(box, this.width, 0);
    const x = left + (right - left) * this.split;
    this.clipped({ ...box, width: Math.max(0, x - box.x) }, () => this.paintPicture(this.panels[0], box));
    this.clipped({ ...box, x, width: Math.max(0, box.x + box.width - x) }, () => this.paintPicture(this.panels[1], box));
    const top = Math.max(box.y, this.point(box, 0, 0)[1]), bottom = Math.min(box.y + box.height, this.point(box, 0, this.height)[1]);
    context.fillStyle = "rgb(0 0 0 / 35%)";
    context.fillRect(x - 1.5, top, 3, bottom - top);
    context.fillStyle = "#fff";
    context.fillRect(x - 0.75, top, 1.5, bottom - top);
    const middle = (top + bottom) / 2;
    context.beginPath();
    context.arc(x, middle, 13, 0, 7);
    context.shadowColor = "rgb(0 0 0 / 40%)";
    context.shadowBlur = 6;
    context.fill();
    context.shadowBlur = 0;
    context.strokeStyle = "#444";
    context.lineWidth = 1.6;
    context.beginPath();
    for (const side of [-1, 1]) { context.moveTo(x + side * 3, middle - 4); context.lineTo(x + side * 7, middle); context.lineTo(x + side * 3, middle + 4); }
    context.stroke();
    this.tag(this.panels[0].caption, box.x + 10, top + 10, "left", x);
    this.tag(this.panels[1].caption, Math.min(box.x + box.width, right) - 8, top + 10, "right", x);
  }

  /** A word on a picture, unless the line would cross it. */
  tag(text, x, y, align, line) {
    const { context } = this, [left] = this.point(this.boxes()[0], 0, 0);
    context.font = "12px system-ui, sans-serif";
    const width = context.measureText(text).width + 16, start = align === "left" ? Math.max(x, left + 8) : x - width;
    if (align === "left" ? start + width > line - 4 : start < line + 4) return;
    context.fillStyle = "rgb(20 20 24 / 72%)";
    context.beginPath();
    context.roundRect(start, y, width, 23, 6);
    context.fill();
    context.fillStyle = "#fff";
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillText(text, start + 8, y + 12);
  }

  paintLabels(box) {
    const { context, view } = this, [rows, columns] = this.labels;
    context.fillStyle = this.colours.quiet;
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const down = view.scale * this.aspect, everyRow = Math.ceil(14 / down), everyColumn = Math.ceil(15 / view.scale);
    const first = this.point(box, 0, 0);
    if (rows) {
      context.textAlign = "right";
      for (let row = 0; row < this.height; row += everyRow) {
        const y = this.point(box, 0, row + 0.5)[1];
        if (y > box.y && y < box.y + box.height) context.fillText(shorten(rows[row], 18), Math.max(first[0], box.x) - 8, y);
      }
    }
    if (columns) {
      for (let column = 0; column < this.width; column += everyColumn) {
        const x = this.point(box, column + 0.5, 0)[0];
        if (x < box.x || x > box.x + box.width) continue;
        context.save();
        context.translate(x, Math.max(first[1], box.y) - 7);
        context.rotate(-Math.PI / 3);
        context.textAlign = "left";
        context.fillText(shorten(columns[column], 10), 0, 0);
        context.restore();
      }
    }
  }

  /** What would be painted: the outline of a brush, a rectangle, a line. */
  paintGhost(box) {
    const { context, ghost } = this;
    if (!ghost) return;
    this.clipped(box, () => {
      context.lineWidth = 1.5;
      for (const [colour, offset] of [["rgb(0 0 0 / 70%)", 0], ["#fff", 1.5]]) {
        context.strokeStyle = colour;
        context.setLineDash(ghost.kind === "brush" && !ghost.cross ? [] : [4, 4]);
        context.lineDashOffset = offset;
        context.beginPath();
        const [x, y] = this.point(box, ...ghost.from), scale = this.view.scale;
        if (ghost.kind === "rectangle") { const [x2, y2] = this.point(box, ...ghost.to); context.rect(x, y, x2 - x, y2 - y); }
        else if (ghost.kind === "line") { const [x2, y2] = this.point(box, ...ghost.to); context.moveTo(x, y); context.lineTo(x2, y2); }
        else context.ellipse(x, y, Math.max(2, ghost.radius * scale) + offset, Math.max(2, ghost.radius * scale * this.aspect) + offset, 0, 0, 7);
        if (ghost.cross) { context.moveTo(x - 9, y); context.lineTo(x + 9, y); context.moveTo(x, y - 9); context.lineTo(x, y + 9); }
        context.stroke();
      }
      context.setLineDash([]);
    });
  }

  // Pointers

  listen() {
    const { canvas } = this;
    const at = (event) => { const box = canvas.getBoundingClientRect(); this.box = box; return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), at(event)); }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, at(event));
      if (this.pointers.size === 2) { if (this.dragging === "tool") this.handlers.abandon?.(); this.dragging = "pinch"; return; }
      const [x, y] = at(event), moving = event.button === 1 || this.handlers.moves?.(event);
      this.dragging = moving ? "move" : this.split !== null ? "split" : "tool";
      if (this.dragging === "split") this.setSplit(x); else if (this.dragging === "tool") this.handlers.down?.(this.place(x, y), event);
      if (event.button === 1) event.preventDefault();
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = at(event), before = this.pointers.get(event.pointerId);
      if (!before) { this.handlers.hover?.(this.place(...now)); this.pointTo(now); return; }
      if (this.dragging === "pinch") this.pinch(event.pointerId, now);
      else if (this.dragging === "move") this.pan(now[0] - before[0], now[1] - before[1]);
      else if (this.dragging === "split") this.setSplit(now[0]);
      else for (const part of event.getCoalescedEvents?.() ?? [event]) this.handlers.move?.(this.place(...at(part)), event);
      this.pointers.set(event.pointerId, now);
    });
    const over = (event) => {
      if (!this.pointers.delete(event.pointerId)) return;
      if (this.dragging === "tool") this.handlers.up?.(this.place(...at(event)), event);
      if (!this.pointers.size) this.dragging = null;
    };
    canvas.addEventListener("pointerup", over);
    canvas.addEventListener("pointercancel", over);
    canvas.addEventListener("pointerleave", () => { if (!this.dragging) { this.ghost = null; this.handlers.hover?.(null); this.draw(); } });
  }

  pointTo([x]) {
    if (this.split === null) return;
    const [box] = this.boxes(), [left] = this.point(box, 0, 0), [right] = this.point(box, this.width, 0);
    this.canvas.classList.toggle("on-line", Math.abs(x - left - (right - left) * this.split) < NEAR);
  }

  setSplit(x) {
    const [box] = this.boxes(), [left] = this.point(box, 0, 0), [right] = this.point(box, this.width, 0);
    this.split = Math.min(1, Math.max(0, (x - left) / (right - left)));
    this.handlers.splits?.(this.split);
    this.draw();
  }

  pan(x, y) {
    this.view.column -= x / this.view.scale;
    this.view.row -= y / (this.view.scale * this.aspect);
    this.view.fitted = false;
    this.draw();
  }

  pinch(id, now) {
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place), before = this.pointers.get(id);
    const apart = (one) => Math.hypot(one[0] - other[0], one[1] - other[1]);
    this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.zoom(apart(now) / Math.max(1, apart(before)), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
  }
}

const shorten = (label, most) => (label.length > most ? `${label.slice(0, most - 1)}…` : label);

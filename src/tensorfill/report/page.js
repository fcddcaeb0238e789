"use strict";
(() => {
  const pictures = JSON.parse(document.getElementById("picture-store").textContent);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Tables: a click on a heading sorts, a second click the other way round. What is no number goes to the end.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : null;
  };
  const wordsOf = (row, column) => row.cells[column].textContent.trim();
  const sort = (heading) => {
    const table = heading.closest("table");
    const column = heading.cellIndex;
    const body = table.tBodies[0];
    const up = heading.getAttribute("aria-sort") !== "ascending";
    const rows = [...body.rows];
    const numeric = rows.some((row) => keyOf(row, column) !== null);
    rows.sort((one, other) => {
      if (!numeric) {
        return (up ? 1 : -1) * wordsOf(one, column).localeCompare(wordsOf(other, column), "en", { numeric: true });
      }
      const [a, b] = [keyOf(one, column), keyOf(other, column)];
      if (a === null || b === null) return (a === null) - (b === null);
      return up ? a - b : b - a;
    });
    body.append(...rows);
    all("thead th", table).forEach((other) => other.setAttribute("aria-sort", "none"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  };
  all("table.sortable thead th").forEach((heading) => heading.addEventListener("click", () => sort(heading)));

  // Tabs; the arrow keys are left to the pictures.
  all('[role="tablist"]').forEach((list) => {
    const tabs = all('[role="tab"]', list);
    const choose = (tab) => tabs.forEach((other) => {
      other.setAttribute("aria-selected", String(other === tab));
      document.getElementById(other.getAttribute("aria-controls")).hidden = other !== tab;
    });
    tabs.forEach((tab) => tab.addEventListener("click", () => choose(tab)));
    if (tabs.length) choose(tabs.find((tab) => tab.getAttribute("aria-selected") === "true") || tabs[0]);
  });

  // Pictures: one store, shown wherever its key is named.
  all("img[data-key]").forEach((image) => { image.src = pictures[image.dataset.key]; });
  const albums = all(".album").map((album) => {
    const large = album.querySelector(".viewer img");
    const [name, below] = [album.querySelector("figcaption strong"), album.querySelector("figcaption span")];
    const views = all(".view", album);
    let chosen = 0;
    let holding = false;
    const paint = () => {
      const view = views[holding ? 0 : chosen];
      large.src = pictures[view.dataset.key];
      large.alt = `${view.dataset.name} ${view.dataset.below}`;
      name.textContent = view.dataset.name;
      below.textContent = view.dataset.below;
    };
    const choose = (place) => {
      chosen = (place + views.length) % views.length;
      views.forEach((view, other) => view.setAttribute("aria-pressed", String(other === chosen)));
      paint();
    };
    const hold = (on) => {
      if (holding === on || views[0].dataset.name !== "original") return;
      holding = on;
      paint();
    };
    views.forEach((view, place) => {
      view.querySelector("img").src = pictures[view.dataset.key];
      view.addEventListener("click", () => choose(place));
    });
    large.addEventListener("pointerdown", (event) => { if (event.button === 0) hold(true); });
    ["pointerup", "pointercancel"].forEach((kind) => window.addEventListener(kind, () => hold(false)));
    large.addEventListener("dragstart", (event) => event.preventDefault());
    large.addEventListener("contextmenu", (event) => { if (holding) event.preventDefault(); });
    window.addEventListener("blur", () => hold(false));
    choose(Number(album.dataset.start));
    return { album, hold, step: (by) => choose(chosen + by) };
  });
  // The keys work wherever the reader is, as long as the pictures are in sight and nothing else wants them.
  const inSight = () => albums.find(({ album }) => {
    if (album.hidden) return false;
    const box = album.getBoundingClientRect();
    return box.top < window.innerHeight && box.bottom > 0;
  });
  window.addEventListener("keydown", (event) => {
    const shown = inSight();
    if (!shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && !event.target.closest?.(".scroll")) {
      event.preventDefault();
      shown.step(by);
    }
    if (event.key === " " && event.target.closest?.(".album")) {
      event.preventDefault();
      shown.hold(true);
    }
  });
  window.addEventListener("keyup", (event) => {
    if (event.key === " ") {
      if (event.target.closest?.(".album")) event.preventDefault();
      albums.forEach((one) => one.hold(false));
    }
  });
})();

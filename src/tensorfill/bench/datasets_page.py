"""The table of docs/datasets.md, from the datasets themselves.

python -m tensorfill.bench.datasets_page docs/datasets.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from .dataset import Dataset, datasets

BEGIN, END = "<!-- datasets:begin -->", "<!-- datasets:end -->"
HEAD = ("name", "kind", "shape", "licence", "file", "sha256", "how to get it")


def render_table(shown: Iterable[Dataset]) -> str:
    """One row per dataset, in Markdown; where several files will do, the best is on top."""
    lines = [HEAD, ("---",) * len(HEAD), *map(_cells, shown)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def insert_table(page: str, shown: Iterable[Dataset]) -> str:
    """The page with a new table between its marks."""
    before, rest = page.split(BEGIN, 1)
    return f"{before}{BEGIN}\n{render_table(shown)}\n{END}{rest.split(END, 1)[1]}"


def _cells(dataset: Dataset) -> tuple[str, ...]:
    files = [f"`{file.name}`{' (approximate)' if file.approximate else ''}" for file in dataset.files]
    checksums = [f"`{file.sha256[:12]}`" if file.sha256 else "–" for file in dataset.files]
    return (
        f"`{dataset.name}`",
        f"{dataset.kind}{', paper' if dataset.in_paper else ''}",
        "×".join(map(str, dataset.shape)),
        dataset.licence,
        "<br>".join(files) or "–",
        "<br>".join(checksums) or "–",
        dataset.how_to_get,
    )


def main(path: Path) -> None:
    """Write the table into the page at `path`."""
    page = path.read_text(encoding="utf-8")
    path.write_text(insert_table(page, datasets().values()), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

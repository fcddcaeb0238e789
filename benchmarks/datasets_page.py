"""The table of docs/reference/datasets.md, from the datasets themselves.

python benchmarks/datasets_page.py
"""

from __future__ import annotations

from collections.abc import Iterable

from harness import DOCS, make_parser, put

from tensorfill.bench.dataset import Dataset, datasets

HEAD = ("name", "kind", "shape", "licence", "file", "sha256", "how to get it")


def render(shown: Iterable[Dataset]) -> str:
    """One row per dataset, in Markdown; where several files will do, the best is on top."""
    lines = [HEAD, ("---",) * len(HEAD), *map(_cells, shown)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


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


if __name__ == "__main__":
    make_parser(__doc__).parse_args()
    put(DOCS / "reference" / "datasets.md", "datasets", render(datasets().values()))

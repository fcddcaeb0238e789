"""docs/reference/reproduction.md, from the rows of a run of the paper's plan.

    tensorfill bench paper --data DIR --seeds 3 -o bench-paper
    python benchmarks/reproduction.py bench-paper

The rows are kept beside this program, in paper_rows.jsonl, so that anybody can see every number that the page rests on:
without pictures, for the data is not ours to give away, and with the curves of the paper's own method only. Without an
argument the page is made anew from those; with --add, new rows join them. Figures 1a and 1b are drawn from them by

    tensorfill report benchmarks/paper_rows.jsonl -o report
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tensorfill.report.evidence import Evidence
from tensorfill.report.reproduction import TITLE, describe_reproduction
from tensorfill.report.table import page_to_markdown
from tensorfill.rows import Row, read_rows

Curve = tuple[tuple[int, float, float], ...]
KEPT = Path(__file__).parent / "paper_rows.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "reproduction.md"


def keep(found: Iterable[Row]) -> None:
    """Keep the rows, ordered, without what the page does not need."""
    ordered = sorted(found, key=lambda row: (row.experiment, row.data.name, row.label, row.rate, row.seed, row.id))
    # Where data is not there, the sentence names a folder of this machine; how to get it is on the data's card.
    told = [replace(row, error=None) if row.status == "no data" else row for row in ordered]
    lines = [replace(row, curve=_curve(row), pictures={}, chosen={}).as_json() for row in told]
    KEPT.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _curve(row: Row) -> Curve:
    """Figure 1a is about the paper's own method; the digits that are kept are more than it shows."""
    if row.method != "nonneg-dual":
        return ()
    return tuple((step, round(seconds, 2), float(f"{rmse:.6g}")) for step, seconds, rmse in row.curve)


def page() -> str:
    """The page that the kept rows make."""
    sections = describe_reproduction(Evidence.of(read_rows(KEPT)), made_with="`python benchmarks/reproduction.py`")
    return page_to_markdown(TITLE, sections)


def main() -> None:
    """Keep new rows if there are any, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, nargs="*", help="the folder that bench wrote, or several")
    parser.add_argument("--add", action="store_true", help="keep the rows that are there as well, unless asked anew")
    chosen = parser.parse_args()
    if chosen.rows:
        folders = [KEPT, *chosen.rows] if chosen.add else chosen.rows
        keep({row.id: row for folder in folders for row in read_rows(folder).rows}.values())
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE}: {len(KEPT.read_text(encoding='utf-8').splitlines())} rows")


if __name__ == "__main__":
    main()

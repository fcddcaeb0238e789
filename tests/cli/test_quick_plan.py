"""The quick plan and its report, as a user runs them on a fresh machine; four methods, one seed, short runs."""

from pathlib import Path

import pytest
from stand_in import Run

from tensorfill.rows import read_rows

FIGURES = {"fig1a-iterations", "fig1a-seconds", "fig1b-ranks", "fig2-components", "rates", "time-error"}


@pytest.mark.slow
def test_the_quick_plan_makes_every_table_and_figure(tensorfill: Run, tmp_path: Path) -> None:
    outcome = tensorfill(
        *("bench", "quick", "--seeds", 1, "--time-limit", 0.5, "-o", tmp_path / "rows"),
        *("--methods", "nonneg-dual,dual,smf-lrtc,linear"),
    )
    assert outcome.code == 0, outcome
    rows = read_rows(tmp_path / "rows").rows
    assert {row.experiment for row in rows} == {"table", "ranks", "rates"}
    assert {row.status for row in rows} <= {"ok", "refused"}
    assert [row.label for row in rows if row.status == "refused"] == ["smf-lrtc"], "for three modes only"
    table = [row for row in rows if row.experiment == "table" and row.status == "ok"]
    assert all(row.curve and row.pictures for row in table)
    best = {name: min(row.rmse or 1 for row in table if row.data.name == name) for name in ("cat", "syn", "blobs")}
    assert all(error < 0.1 for error in best.values()), "in half a second, of which a busy machine has little"

    outcome = tensorfill("report", tmp_path / "rows", "-o", tmp_path / "report")
    assert outcome.code == 0, outcome
    assert "left out" not in outcome.out + outcome.err
    drawn = {path.stem for path in (tmp_path / "report" / "figures").glob("*.svg")}
    assert drawn >= FIGURES | {f"fig3-{name}" for name in ("cat", "syn", "blobs", "weather")}
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert all(row.label in page for row in table)

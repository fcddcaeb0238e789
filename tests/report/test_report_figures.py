"""The figures: drawn where there are rows, left out with a reason where there are none."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.text import Text
from PIL import Image
from report_rows import bad, card, evidence, full_bench, row

from tensorfill.methods.registry import available_methods
from tensorfill.report.drawing import Drawn, LeftOut, assign_strokes, figure_files, house_style
from tensorfill.report.evidence import Evidence, rank_of
from tensorfill.report.pictures import collect_albums
from tensorfill.report.plots import draw_figures
from tensorfill.rows import Row


def figures(found: Evidence) -> tuple[dict[str, Drawn], dict[str, str]]:
    """Drawn figures by name, and reasons by title."""
    made = draw_figures(found, collect_albums(found)[0])
    drawn = {figure.name: figure for figure in made if isinstance(figure, Drawn)}
    return drawn, {figure.title: figure.why for figure in made if isinstance(figure, LeftOut)}


def words(drawn: Drawn) -> str:
    """The text in a figure, a line each."""
    with house_style():
        drawn.figure.draw_without_rendering()
    return "\n".join(text.get_text() for text in drawn.figure.findobj(Text) if text.get_visible())


def test_every_figure_is_drawn_where_there_are_rows(tmp_path: Path) -> None:
    drawn, left_out = figures(evidence(*full_bench(tmp_path), folder=tmp_path))
    assert list(drawn) == [
        "fig1a-iterations",
        "fig1a-seconds",
        "fig1b-ranks",
        "fig2-components",
        "fig3-paper",
        "fig3-hall",
        "time-error",
        "rates",
    ]
    assert left_out == {}
    for name, labels in {
        "fig1a-iterations": ("Hall", "nonneg-dual", "zero-fill", "iterations", "RMSE"),
        "fig1a-seconds": ("seconds",),
        "fig1b-ranks": ("nonneg-dual", "x", "20"),
        "fig2-components": ("Hall", "original", "W, nonneg-dual"),
        "fig3-paper": ("Hall", "original", "proposed", "0.04000"),
        "fig3-hall": ("original", "observed, 10 %", "zero-fill", "0.2400"),
        "time-error": ("Hall", "seconds", "dual"),
        "rates": ("observed entries, %", "50"),
    }.items():
        told = words(drawn[name]).split("\n")
        for label in labels:
            assert label in told, (name, label, told)


def test_a_figure_is_a_png_and_an_svg_and_the_same_rows_give_the_same_bytes() -> None:
    rows = [row("hall", "dual", 0.01 / rate, experiment="rates", rate=rate) for rate in (0.1, 0.5)]
    once, again = (dict(figure_files(figures(evidence(*rows))[0]["rates"])) for _ in range(2))
    assert once == again
    assert list(once) == ["rates.png", "rates.svg"]
    with Image.open(io.BytesIO(once["rates.png"])) as picture:
        assert picture.width > 400
    assert once["rates.svg"].startswith(b"<?xml")


def test_what_nobody_asked_for_is_not_missed_and_what_was_asked_for_and_has_no_rows_says_why() -> None:
    drawn, left_out = figures(evidence(row("hall", "dual", 0.04)))
    assert list(drawn) == ["time-error"]
    assert left_out == {}
    asked = [replace(bad("failed", "hall"), experiment=name) for name in ("ranks", "rates")]
    drawn, left_out = figures(evidence(row("hall", "dual", 0.04, seconds=None), *asked))
    assert drawn == {}
    assert "`ranks`" in left_out["Figure 1b. RMSE against the rank [x, x, x]"]
    assert "`rates`" in left_out["RMSE against the sampling rate"]
    assert left_out["Time against error"] == "no run has both an RMSE and seconds."


def test_runs_that_failed_are_in_no_figure() -> None:
    found = evidence(row("hall", "dual"), row("hall", "ffw", 0.5, status="crashed"))
    assert "ffw" not in words(figures(found)[0]["time-error"])


def test_approximate_data_is_marked_in_every_figure(tmp_path: Path) -> None:
    rough = card("highway", approximate="An H.264 encode.")
    rows = [replace(each, data=rough) for each in full_bench(tmp_path)]
    drawn, _ = figures(evidence(*rows, folder=tmp_path))
    assert len(drawn) == 7, "Highway is not in the paper's Figure 3"
    for figure in drawn.values():
        assert "Highway†" in words(figure)
        assert "† approximate data" in words(figure)


def test_numbers_that_a_scale_cannot_show_are_left_out() -> None:
    curve = ((0, 0.0, 0.5), (1, 0.1, float("nan")), (2, 0.2, 0.3), (3, 0.3, 0.2))
    drawn, _ = figures(evidence(row("hall", "dual", 0.2, curve=curve, seconds=0.0)))
    assert {"fig1a-iterations", "fig1a-seconds", "time-error"} <= set(drawn)


def test_no_two_labels_look_alike() -> None:
    labels = ["nonneg-dual", "dual", "tmac", "tmac, dynamic", "lrtc-tv I", "lrtc-tv II", "ffw, τ=100", "mine", "yours"]
    styles = assign_strokes({label: label.split(",")[0].split(" ")[0] for label in labels})
    assert len({(style.color, style.marker) for style in styles.values()}) == len(labels)
    assert styles["tmac"].color == styles["tmac, dynamic"].color, "variants of a method have its colour"
    assert styles["mine"].color != styles["yours"].color
    assert assign_strokes({"dual": "dual"})["dual"] == styles["dual"], "whatever else is drawn"
    ours = assign_strokes({name: name for name in available_methods()})
    assert len({style.marker for style in ours.values()}) == len(ours)


@pytest.mark.parametrize(("rank", "x"), [([5, 5, 5], 5), ([20, 20, 3], 20), (7, 7), (None, None), ([], None)])
def test_the_x_of_a_rank(rank: object, x: float | None) -> None:
    assert rank_of(row(settings={"rank": rank})) == x


def test_a_picture_that_is_gone_or_damaged_is_named_and_left_out(tmp_path: Path) -> None:
    rows = full_bench(tmp_path)
    (tmp_path / "pictures" / "dual.png").unlink()
    (tmp_path / "pictures" / "zero-fill.png").write_bytes(b"no picture")
    (album,), problems = collect_albums(evidence(*rows, folder=tmp_path))
    assert [shot.label for shot in album.shots] == ["nonneg-dual"]
    assert problems == (
        "The picture pictures/dual.png is named in a row but is not there; it is left out.",
        "The picture pictures/zero-fill.png is named in a row but cannot be read; it is left out.",
    )


def test_no_picture_outside_the_folder_is_read(tmp_path: Path) -> None:
    inside = tmp_path / "rows"
    rows = full_bench(inside)
    Image.new("L", (4, 4)).save(tmp_path / "secret.png")
    found = evidence(row("hall", pictures={"model": "../secret.png"}), *rows[1:], folder=inside)
    (album,), problems = collect_albums(found)
    assert "nonneg-dual" not in [shot.label for shot in album.shots]
    assert "../secret.png" in problems[0]


def test_components_of_other_datasets_stand_in_for_those_of_the_paper(tmp_path: Path) -> None:
    rows = full_bench(tmp_path)
    others = [replace(each, data=card("baboon")) for each in rows]
    drawn, left_out = figures(evidence(*others, folder=tmp_path))
    assert "Baboon" in words(drawn["fig2-components"])
    assert left_out == {}
    both, _ = figures(evidence(*rows, *others, folder=tmp_path))
    assert "Baboon" not in words(both["fig2-components"])
    assert "Baboon" in words(both["fig2-components-others"])


def test_figure_3_of_the_paper_has_its_rows_and_the_settings_that_count(tmp_path: Path) -> None:
    rows = full_bench(tmp_path)
    variants = [
        replace(rows[0], label="nonneg-dual, ours", rmse=0.5),
        replace(rows[0], label="nonneg-dual, as published", rmse=0.25),
    ]
    others = [replace(each, data=card(name)) for name in ("container", "baboon", "cat") for each in variants]
    drawn, _ = figures(evidence(*others, *variants, folder=tmp_path))
    told = words(drawn["fig3-paper"]).split("\n")
    assert [title for title in told if title in ("Container", "Hall", "Baboon", "Cat")] == [
        "Container",
        "Hall",
        "Baboon",
    ]
    assert told.count("0.2500") == 3
    assert "0.5000" not in told


def test_a_divergence_does_not_squeeze_the_others() -> None:
    curve = ((0, 0.1, 20.0), (5, 0.2, 3.0))
    found = evidence(row("hall", "dual", 0.04, curve=curve), row("hall", "geomcg", 3.0, curve=curve))
    drawn, _ = figures(found)
    assert "geomcg (3.000)" in words(drawn["time-error"])
    assert "dual" in words(drawn["time-error"])
    assert "What is above 1 is out of view, all of dual on Hall, geomcg on Hall." in drawn["fig1a-seconds"].caption
    for name in ("time-error", "fig1a-iterations", "fig1a-seconds"):
        assert drawn[name].figure.axes[0].get_ylim()[1] < 3


# Rates and patterns of holes


def points(drawn: Drawn) -> list[list[tuple[float, float]]]:
    """The lines of a figure's first panel."""
    return [
        [(float(x), float(y)) for x, y in zip(*line.get_data(), strict=True)] for line in drawn.figure.axes[0].lines
    ]


def test_time_against_error_is_drawn_for_every_rate_and_pattern() -> None:
    found = evidence(
        row("hall", "dual", 0.04),
        row("hall", "dual", 0.03, experiment="shares", rate=0.2),
        row("hall", "dual", 0.2, experiment="holes", rate=0.7, pattern="blocks"),
        row("hall", "dual", 0.4, experiment="holes", rate=0.7, pattern="lines"),
    )
    drawn = {name: figure for name, figure in figures(found)[0].items() if name.startswith("time-error")}
    assert {name: points(figure) for name, figure in drawn.items()} == {
        "time-error": [[(1.5, 0.04)]],
        "time-error-holes-70-blocks": [[(1.5, 0.2)]],
        "time-error-holes-70-lines": [[(1.5, 0.4)]],
        "time-error-shares-20": [[(1.5, 0.03)]],
    }
    assert drawn["time-error-holes-70-lines"].title == "Time against error, 70 % observed (lines)"


SHARES = [row("hall", "dual", error, experiment="shares", rate=rate) for error, rate in ((0.03, 0.2), (0.02, 0.5))]
RATES = [row("hall", "dual", error, experiment="rates", rate=rate) for error, rate in ((0.05, 0.1), (0.02, 0.5))]
LINES = [replace(each, pattern="lines", rmse=10 * (each.rmse or 0)) for each in RATES]


@pytest.mark.parametrize(
    ("rows", "curves"),
    [
        (
            [*SHARES, row("hall", "ffw", 0.9), row("hall", "dual", 0.7, experiment="holes", rate=0.7, pattern="lines")],
            {"rates": [[(10, 0.04), (20, 0.03), (50, 0.02)]]},
        ),
        (RATES, {"rates": [[(10, 0.05), (50, 0.02)]]}),
        ([*RATES, *LINES], {"rates": [[(10, 0.05), (50, 0.02)]], "rates-lines": [[(10, 0.5), (50, 0.2)]]}),
    ],
    ids=["several experiments make one curve", "an experiment about rates counts", "patterns are apart"],
)
def test_curves_over_rates(rows: list[Row], curves: dict[str, list[list[tuple[float, float]]]]) -> None:
    drawn, _ = figures(evidence(row("hall", "dual", 0.04), *rows))
    assert {name: points(figure) for name, figure in drawn.items() if name.startswith("rates")} == curves
    assert all(("(lines)" in drawn[name].title) == (name == "rates-lines") for name in curves)


def test_ranks_at_other_rates_and_patterns_are_not_averaged() -> None:
    rows = [
        row("hall", "dual", error / x, experiment="ranks", settings={"rank": [x, x, x]}, rate=rate, pattern=pattern)
        for rate, pattern, error in ((0.1, "uniform", 0.1), (0.2, "uniform", 0.2), (0.1, "blocks", 0.4))
        for x in (1, 2)
    ]
    drawn, _ = figures(evidence(*rows))
    assert points(drawn["fig1b-ranks"]) == [[(1, 0.1), (2, 0.05)]]
    assert points(drawn["fig1b-ranks-20"]) == [[(1, 0.2), (2, 0.1)]]
    assert points(drawn["fig1b-ranks-10-blocks"]) == [[(1, 0.4), (2, 0.2)]]


def test_curves_of_a_panel_have_one_rate_and_one_pattern() -> None:
    curve = ((0, 0.1, 0.3), (5, 1.0, 0.05))
    blocks = {"pattern": "blocks", "curve": curve}
    drawn, _ = figures(evidence(row("hall", "dual", curve=curve), row("hall", "ffw", **blocks), row("cat", **blocks)))
    told = words(drawn["fig1a-iterations"])
    assert "ffw" not in told
    assert "Hall" in told.split("\n")
    assert "Cat (blocks)" in told


def test_every_pattern_has_an_album_of_its_own(tmp_path: Path) -> None:
    rows = full_bench(tmp_path)
    holes = [replace(each, experiment="holes", rate=0.7, pattern="blocks") for each in rows if each.pictures]
    found, _ = collect_albums(evidence(*holes, *rows, folder=tmp_path))
    assert [(album.name, album.title, album.share) for album in found] == [
        ("hall", "Hall", "10 %"),
        ("hall-blocks", "Hall, blocks", "70 % (blocks)"),
    ]
    drawn, _ = figures(evidence(*holes, *rows, folder=tmp_path))
    assert {"fig3-hall", "fig3-hall-blocks"} <= set(drawn)
    assert "observed, 70 % (blocks)" in words(drawn["fig3-hall-blocks"])
    assert "fig2-components-others" not in drawn, "components once per dataset"


def test_a_divergence_does_not_squeeze_a_sweep() -> None:
    rows = [
        row("hall", label, error, experiment="rates", rate=rate)
        for rate, label, error in (
            (0.1, "dual", 0.1),
            (0.5, "dual", 0.05),
            (0.1, "geomcg", 90.0),
            (0.5, "geomcg", 0.2),
        )
    ]
    drawn = figures(evidence(*rows))[0]["rates"]
    assert drawn.figure.axes[0].get_ylim()[1] == 1
    assert drawn.caption.endswith("What is above 1 is out of view.")
    assert "out of view" not in figures(evidence(*rows[:2]))[0]["rates"].caption

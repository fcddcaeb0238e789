"""The page on reproduction: its sentences follow from the rows."""

from __future__ import annotations

import re

import pytest
from report_rows import bad, card, evidence, row, seeds

from tensorfill.report.comparison import load_explanations
from tensorfill.report.published import load_published
from tensorfill.report.reproduction import TITLE, describe_reproduction
from tensorfill.report.table import page_to_markdown
from tensorfill.rows import Row


def page(*rows: Row, problems: tuple[str, ...] = ()) -> str:
    return page_to_markdown(TITLE, describe_reproduction(evidence(*rows, problems=problems), "tensorfill 1.2.3"))


def section(text: str, title: str) -> str:
    return text.split(f"\n## {title}", 1)[1].split("\n## ", 1)[0]


def test_it_begins_with_the_commands_that_make_it() -> None:
    text = page(*seeds("hall", "dual", 0.03, 0.04))
    assert "tensorfill bench paper --data DIR --seeds 3" in text
    assert "tensorfill report bench-paper -o report" in text
    assert "2 rows, 1 of 1 datasets there, 1 methods, seeds 0, 1." in text
    assert "1 methods, seed 0." in page(row("hall"))
    assert "1 methods at 2 settings, seed 0." in page(row("hall"), row("hall", "dual, λ=1", method="nonneg-dual"))
    assert "They ran with tensorfill 9.8.7; the report was made with tensorfill 1.2.3." in text


@pytest.mark.parametrize(
    ("rmse", "agrees"), [(0.03696, True), (0.03696 * 1.049, True), (0.03696 * 1.051, False), (0.03696 * 0.94, False)]
)
def test_five_per_cent_decide(rmse: float, agrees: bool) -> None:
    text = page(row("hall", "nonneg-dual", rmse))
    assert f"{int(agrees)} agree within 5 %; 0 more do at another setting that we ran; {int(not agrees)} agree" in text
    assert ("| Hall | nonneg-dual | proposed |" in section(text, "What reproduces (within 5 %)")) == agrees
    assert ("| Hall | nonneg-dual | proposed |" in section(text, "What differs by more than 5 %")) != agrees


def test_lower_and_higher_are_counted() -> None:
    text = page(row("hall", "ncpc", 0.07), row("hall", "tmac", 0.06), row("hall", "ffw", 0.5))
    assert "0 agree within 5 %;" in text
    assert "3 agree at none, where ours is lower in 2 and higher in 1." in text


def test_cells_are_counted_not_labels() -> None:
    rows = [
        row("hall", "nonneg-dual, as published", 0.037, method="nonneg-dual"),
        row("hall", "nonneg-dual, ours", 0.0371, method="nonneg-dual"),
        row("hall", "ffw, demo", 0.08, method="ffw"),
        row("hall", "ffw", 0.063),
        bad("no data", "braga", "ffw"),
    ]
    text = page(*rows)
    assert "has 81 cells. 2 of them have a run of ours (the others: not run: 78, no data: 1)." in text
    assert "1 agree within 5 %; 1 more do at another setting that we ran; 0 agree at none" in text
    assert "| Hall | nonneg-dual, as published | proposed |" in text
    assert "| nonneg-dual, ours 0.03710 |" in text
    assert "| Hall | ffw | FFW | 0.06300 | 0.06327 | 1.00 | ffw, demo 0.08000 |" in text


def test_the_papers_table_is_there_whole_with_ours_below() -> None:
    text = section(page(row("hall", "ncpc", 0.07), row("hall", "dual-demo", 0.04)), "The paper's Table 2, whole")
    lines = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert len(lines) == 9
    assert sum(line.count("<br>") for line in lines) == 81
    assert lines[0].startswith("| Ribeira | **0.03090**<br>not run | <u>0.03093</u><br>not run |")
    assert "| Hall | **0.03696**<br>not run | <u>0.03702</u><br>**0.04000** |" in text
    assert "| 0.53629<br><u>0.07000</u> |" in text
    assert "* Judged are Dual by `dual-demo`, NCPC by `ncpc`." in text


def test_the_mean_over_seeds_is_compared() -> None:
    assert "1 agree within" in page(*seeds("hall", "nonneg-dual", 0.02696, 0.04696))


def test_zero_filling_is_printed_beside_ncpc_and_tmac() -> None:
    rows = [row("hall", "ncpc", 0.07), row("hall", "zero-fill", 0.5)]
    text = page(*rows)
    assert "near what zero filling gives (0.5000 here)" in text
    assert "* Hall, NCPC: the paper's 0.53629 is 1.07 times the error of zero filling, 0.5000." in text
    changed = page(rows[0], row("hall", "zero-fill", 0.6))
    assert "near what zero filling gives (0.6000 here)" in changed
    assert "is 0.89 times the error of zero filling, 0.6000." in changed


def test_a_reason_whose_number_no_row_has_is_left_out() -> None:
    assert "No reason found." in page(row("hall", "ncpc", 0.07))


def test_a_reason_for_one_side_is_not_given_on_the_other() -> None:
    text = page(row("hall", "ncpc", 0.7), row("hall", "zero-fill", 0.5))
    assert "near what zero filling gives" not in section(text, "What differs")


def test_approximate_data_is_a_reason() -> None:
    text = page(row(card("highway", approximate="An H.264 encode."), "nonneg-dual", 0.029))
    assert "| Highway† | nonneg-dual | proposed |" in text
    assert "Our file is approximate, the paper's is not (†)." in text
    assert "† Highway is approximate: An H.264 encode." in text


def test_what_the_encoding_does_to_hall_is_told_with_approximate_data() -> None:
    rows = [
        row(card("highway", approximate="An H.264 encode."), "dual-demo", 0.029),
        row("hall", "dual-demo", 0.04),
        row(card("hall_h264_control", in_paper=False), "dual-demo", 0.03, experiment="encoding"),
    ]
    assert "on Hall the same encoding changes the RMSE by a factor of 0.75." in page(*rows)


def test_what_the_encoding_leaves_open_is_said_to_be_open() -> None:
    rough = card("highway", approximate="An H.264 encode.")
    rows = [
        row(rough, "rprecon", 0.0405 * 0.8),
        row("hall", "rprecon", 0.04),
        row(card("hall_h264_control", in_paper=False), "rprecon", 0.038, experiment="encoding"),
    ]
    assert "by a factor of 0.95. No reason found for the rest, a factor of 0.84. |" in page(*rows)
    assert "for the rest" not in page(row(rough, "rprecon", 0.0405 * 0.92), *rows[1:])


def test_an_inference_is_marked_as_one() -> None:
    text = section(page(row("hall", "ffw, demo", 0.08, method="ffw")), "What differs by more than 5 %")
    assert "Inference: the paper gives SMF-LRTC and FFW the same digits" in text
    assert any(explanation.inferred for explanation in load_explanations())


def test_numbers_of_other_experiments_at_the_same_rate_are_at_hand_for_reasons() -> None:
    rows = [
        row("splash", "rprecon", 0.085),
        row("splash", "rprecon, 250 iterations", 0.111, method="rprecon", experiment="reasons"),
        row("splash", "rprecon, 4 iterations", 0.25, method="rprecon", experiment="reasons"),
    ]
    text = page(*rows)
    assert "it gives 0.1110; only a run broken off" in text
    assert "1 of them have a run of ours" in text, "another experiment is another question"


def test_a_time_limit_is_a_reason() -> None:
    assert "A run of ours was stopped by its time limit." in page(row("hall", "nonneg-dual", 0.09, stop="time"))


def test_dual_is_told_at_both_settings() -> None:
    text = section(page(row("baboon", "dual", 0.12), row("baboon", "dual-demo", 0.3)), "`Dual` at two settings")
    assert "| Baboon | 0.3000 | 0.1200 | – | 0.33258 | <u>0.11943</u> |" in text
    assert "Inference: the paper says only" in text
    assert "0.3000 with the demonstration's setting, 0.1200 at λ_k = n_k (ratio 0.40)" in text


def test_the_papers_algorithm_stands_beside_our_solver() -> None:
    rows = [
        row("hall", "nonneg-dual, as published", 0.036, method="nonneg-dual", iterations=200, stop="time"),
        row("hall", "nonneg-dual, ours", 0.03, method="nonneg-dual", iterations=31),
        row("baboon", "nonneg-dual, ours", 0.12, method="nonneg-dual"),
    ]
    text = section(page(*rows), "The paper's algorithm and our default solver")
    assert "| Hall | 0.03600<sup>t</sup> | 200 | 0.03000 | 31 | 1.200 | **0.03696** |" in text
    assert "Baboon" not in text
    assert "our default solver" not in page(row("hall", "nonneg-dual"))


def test_divergence_is_told_run_by_run() -> None:
    text = page(*seeds("baboon", "geomcg", 3.0, 5.0, smallest=-200.0))
    assert "* Baboon: RMSE 3.000 (seed 0), 5.000 (seed 1); smallest value -200, the paper's 2.7629." in text
    assert "geomCG's divergence" not in page(row("hall", "geomcg", 0.07))


def test_duplicated_cells_are_named() -> None:
    text = section(page(row("hall")), "Duplicated cells")
    assert "* Hall: SMF-LRTC and FFW are both 0.06327." in text
    assert "* Braga: geomCG and NCPC are both 0.07348." in text
    assert "TMac" not in text


@pytest.mark.parametrize(
    ("ours", "sentence", "word"),
    [
        (0.0430, "W ≥ 0 lowers the RMSE on Hall.", "helps"),
        (0.0440, "It changes it by less than 0.5 % on Hall.", "changes nothing"),
        (0.0450, "It raises it on Hall.", "costs"),
    ],
)
def test_where_nonnegativity_helps_follows_from_the_rows(ours: float, sentence: str, word: str) -> None:
    rows = (row("hall", "dual", 0.044, negative_share=0.023, smallest=-0.25), row("hall", "nonneg-dual", ours))
    text = section(page(*rows), "Where nonnegativity helps")
    assert sentence in text
    assert f"| 2.3 % | -0.25 | {word} |" in text
    assert f"{ours / 0.044:.3f}" in text


def test_nonnegativity_needs_both_methods() -> None:
    assert "Where nonnegativity helps" not in page(row("hall", "dual"))
    assert "Where nonnegativity helps" not in page(row("hall", "dual"), bad("failed", "hall", "nonneg-dual"))


def test_missing_data_says_where_to_get_it() -> None:
    text = page(row("hall"), bad("no data", "tomato", "dual"))
    assert "* Tomato (video, 144×176×150): get tomato from https://example.org/tomato" in text


def test_a_figure_without_a_run_says_why() -> None:
    text = page(row("hall"), bad("crashed", "hall", "ffw", "Ended by SIGSEGV."))
    assert "* Hall, ffw (the paper's FFW: 0.06327): crashed. Ended by SIGSEGV.\n" in text


def test_without_the_papers_setup_nothing_is_compared() -> None:
    text = page(row("hall", "ncpc", 0.07, rate=0.5))
    assert "nothing can be put beside the paper's table" in text
    assert "0.53629" not in text


def test_bad_rows_are_told() -> None:
    assert "Note: Line 3 is left out." in page(row("hall"), problems=("Line 3 is left out.",))


def test_every_explanation_is_about_a_row_of_the_paper_and_has_no_measured_number() -> None:
    methods = {line.method for line in load_published().rows}
    for explanation in load_explanations():
        assert explanation.method.split(" ")[0] in methods
        assert set(explanation.datasets or ()) <= set(load_published().datasets)
        assert not re.search(r"\d\.\d", explanation.text), "measured numbers come from rows"


def test_without_a_cell_of_the_paper_its_oddities_are_left_out() -> None:
    text = page(row("cat", "dual", 0.08), row("cat", "nonneg-dual", 0.07), row("cat", "ncpc", 0.07))
    assert "No row is about a cell of it." in text
    assert "Duplicated cells" not in text
    assert "at two settings" not in text
    assert "near zero filling" not in text
    assert "W ≥ 0 lowers the RMSE on Cat." in text

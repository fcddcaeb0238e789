"""The claims of the paper's text: every verdict follows from its own figures and from rows."""

from __future__ import annotations

from report_rows import bad, card, evidence, row, seeds

from tensorfill.report.claims import judge_claims
from tensorfill.report.comparison import paper_cells
from tensorfill.report.table import Table
from tensorfill.rows import Row

PUBLISHED = "nonneg-dual, as published"
OURS = "nonneg-dual, ours"


def judged(*rows: Row) -> dict[str, tuple[str, str, str]]:
    """Claim → what the paper's figures say, what ours say, verdict."""
    found = evidence(*rows)
    setup = found.papers_setup
    assert setup is not None
    table = judge_claims(found, setup, paper_cells(found)).blocks[1]
    assert isinstance(table, Table)
    told = [[entry.lines[0].text for entry in line] for line in table.rows]
    return {said: (paper, ours, verdict) for said, paper, ours, verdict in told}


def about(word: str, *rows: Row) -> tuple[str, str, str]:
    (found,) = (told for said, told in judged(*rows).items() if word in said)
    return found


def published(dataset: str = "hall", rmse: float = 0.037, **changes: object) -> Row:
    return row(dataset, PUBLISHED, rmse, method="nonneg-dual", **changes)


def test_a_curve_that_only_falls_is_monotone() -> None:
    _, ours, verdict = about("monotonically", published(curve=((0, 0.1, 0.3), (1, 0.2, 0.1), (2, 0.3, 0.05))))
    assert ours == "never rises on Hall."
    assert verdict == "holds"


def test_a_curve_that_rises_is_told_by_how_much() -> None:
    slightly = published(curve=((0, 0.1, 0.3), (1, 0.2, 0.1), (2, 0.3, 0.1005)))
    clearly = published("baboon", curve=((0, 0.1, 0.2), (1, 0.2, 0.1), (2, 0.3, 0.11), (3, 0.4, 0.09)))
    assert about("monotonically", slightly)[2] == "nearly: it rises by less than 1 %"
    _, ours, verdict = about("monotonically", slightly, clearly)
    assert "Hall 0.5 %" in ours
    assert "Baboon 10 %" in ours
    assert verdict == "does not hold on Baboon; elsewhere it rises by less than 1 %"


def test_the_default_solver_is_not_taken_for_the_papers_where_both_ran() -> None:
    ours = row("hall", OURS, method="nonneg-dual", curve=((0, 0.1, 0.1), (1, 0.2, 0.2)))
    assert about("monotonically", ours, published(curve=((0, 0.1, 0.2), (1, 0.2, 0.1))))[2] == "holds"


def test_late_iterations() -> None:
    curve = ((0, 0.1, 0.3), (100, 1.0, 0.1), (200, 2.0, 0.0999))
    _, ours, verdict = about("After 100", published(curve=curve))
    assert ours == "From iteration 100 to the end the RMSE changes by: Hall -0.10 %."
    assert verdict == "holds (less than 1 % on 1 of 1)"
    assert about("After 100", published(curve=((0, 0.1, 0.3), (50, 0.2, 0.1))))[2] == "not judged"


def ranks(*errors: float) -> list[Row]:
    sizes = (1, 3, 10, 20)
    told = zip(sizes, errors, strict=True)
    return [
        row("baboon", OURS, error, method="nonneg-dual", experiment="ranks", settings={"rank": [x, x, x]})
        for x, error in told
    ]


def test_saturation_at_rank_ten() -> None:
    assert about("rank", row("hall"), *ranks(0.4, 0.2, 0.1, 0.1))[2] == "holds"
    _, ours, verdict = about("rank", row("hall"), *ranks(0.4, 0.1, 0.2, 0.3))
    assert ours == "Baboon: lowest at rank 3 (0.1000), 0.2000 at 10, 0.3000 at 20."
    assert verdict == "contradicted on Baboon"


def test_the_papers_own_figures_contradict_two_of_its_factors() -> None:
    paper, _, verdict = about("Hall every baseline", row("hall"))
    assert paper == "SMF-LRTC 1.71 times, FFW 1.71 times, RPrecon 1.86 times, geomCG 1.86 times"
    assert verdict == "does not hold"
    assert about("Braga", row("hall"), bad("no data", "braga", "ffw")) == ("7.2 times", "no data", "does not hold")


def test_who_is_best_is_told_by_the_paper_and_by_us() -> None:
    paper, ours, verdict = about("is the best", published(rmse=0.04), row("hall", "dual-demo", 0.03))
    assert paper == "so in its table"
    assert ours == "So on 0 of 1 datasets. Hall: behind Dual (0.03000) with 0.04000."
    assert verdict == "holds in the paper's table; here does not hold"


def test_nonnegativity_is_judged_at_the_same_setting() -> None:
    without = seeds("baboon", "dual", 0.12, 0.12, negative_share=1e-5)
    assert about("Nonnegativity", *without, row("baboon", OURS, 0.12, method="nonneg-dual"))[2].startswith(
        "does not hold: the same λ and C without nonnegativity give the same RMSE. Inference:"
    )
    assert about("Nonnegativity", *without, row("baboon", OURS, 0.06, method="nonneg-dual"))[2] == "holds in part"


def test_dark_pictures_are_not_from_negative_entries_where_there_are_none() -> None:
    assert "not for that reason" in about("darker", row("baboon", "dual-demo", 0.33, negative_share=0.0))[2]
    assert about("darker", row("baboon", "dual-demo", 0.33, negative_share=0.2))[2] == "may hold"


def test_components() -> None:
    third = ((0.1, 0.5), (0.2, 0.6), (0.7, 0.9))
    _, ours, verdict = about("W(3)", published(components=third))
    assert ours == "Hall: likeness to the original, stripes aside, 0.50, 0.60, 0.90; shares of W 0.10, 0.20, 0.70."
    assert verdict == "holds on Hall"
    assert about("W(3)", published(components=third[::-1]))[2] == "does not hold on Hall"
    assert about("W(3)", published(card("highway").name, components=()))[2] == "not judged"

"""The tables: best and second, spread, ratios, what is missing, and marks."""

from __future__ import annotations

import csv
import io
import re

import pytest
from report_rows import bad, card, evidence, row, seeds

from tensorfill.report.evidence import Evidence
from tensorfill.report.published import load_published
from tensorfill.report.table import Entry, Table, lines_to_csv, to_csv, to_latex, to_markdown
from tensorfill.report.tables import (
    list_cells,
    list_runs,
    tabulate_datasets,
    tabulate_failures,
    tabulate_measures,
    tabulate_results,
)
from tensorfill.rows import Row

DATASETS = load_published().datasets
APPROXIMATE = card("container", approximate="An H.264 encode: not the raw file.")


def results(*rows: Row) -> Table:
    return tabulate_results(evidence(*rows))[0]


def measures(found: Evidence) -> dict[str, Table]:
    return {table.name: table for group in tabulate_measures(found).values() for _, table in group}


def failures(*rows: Row) -> Table:
    table = tabulate_failures(evidence(*rows))
    assert table is not None
    return table


def entry(table: Table, method: str, column: str) -> Entry:
    place = [head.title for head in table.columns].index(column)
    return next(line[place] for line in table.rows if line[0].lines[0].text == method)


def shown(table: Table, method: str, column: str) -> list[str]:
    return [line.text for line in entry(table, method, column).lines]


# Table 2


@pytest.mark.parametrize(
    ("rows", "method", "lines"),
    [
        (seeds("hall", "dual", 0.02, 0.03, 0.04), "dual", ["0.03000 ± 0.01000", "–"]),
        ([row("hall", "dual", 0.03)], "dual", ["0.03000", "–"]),
        ([row("hall", "nonneg-dual", 2 * 0.03696)], "nonneg-dual", ["0.07392", "paper 0.03696", "ratio 2.00"]),
        ([row("hall", "lrtc-tv II", 0.09409, method="lrtc-tv")], "lrtc-tv II",
         ["0.09409", "paper 0.09409", "ratio 1.00"]),
        ([row("hall", "nonneg-dual", 0.03, rate=0.2)], "nonneg-dual", ["0.03000"]),
        ([row("hall", "geomcg", None)], "geomcg", ["not finite", "paper 0.06879"]),
        ([row("hall", "zero-fill"), row("baboon", "linear")], "linear", ["not run"]),
        ([bad("no data", "hall", "dual"), row("hall", "dual", 0.04, seed=1)], "dual", ["0.04000", "–"]),
        ([*seeds("hall", "ffw", 0.06327, 0.06327), bad("failed", "hall", "ffw", seed=2)], "ffw",
         ["0.06327 ± 0.00000 (2 of 3)", "paper 0.06327", "ratio 1.00"]),
        ([row("hall", "dual", 0.5, experiment="ranks", settings={"rank": 3}), row("hall", "dual", 0.04)], "dual",
         ["0.04000", "–"]),
        *(([row("baboon", "ffw"), bad(status, "hall", "ffw")], "ffw", [status, "paper 0.06327"])
          for status in ("no data", "failed", "crashed", "timed out", "refused")),
    ],
    ids=["several seeds", "one seed", "ratio", "variant of a method", "another rate", "not finite", "not run",
         "data that came later", "seeds that failed", "sweeps are in no table",
         "no data", "failed", "crashed", "timed out", "refused"],
)  # fmt: skip
def test_a_cell_says_what_was_found_or_why_there_is_no_number(rows: list[Row], method: str, lines: list[str]) -> None:
    assert shown(results(*rows), method, "Hall") == lines


def test_the_number_behind_a_cell_is_the_mean_and_a_note_says_over_what() -> None:
    table = results(*seeds("hall", "dual", 0.02, 0.03, 0.04))
    assert entry(table, "dual", "Hall").value == pytest.approx(0.03)
    assert "Mean ± standard deviation over seeds." in table.notes
    assert "One seed each, so no spread." in results(row("hall")).notes
    assert entry(results(row("baboon", "ffw"), bad("failed", "hall", "ffw")), "ffw", "Hall").value is None


def test_the_best_is_bold_and_the_second_underlined_in_every_column() -> None:
    errors = {"Hall": {"dual": 0.03, "ncpc": 0.02, "tmac": 0.05}, "Baboon": {"dual": 0.1, "ncpc": 0.3}}
    rows = [row(data.lower(), label, rmse) for data, found in errors.items() for label, rmse in found.items()]
    table = results(*rows, bad("failed", "hall", "ffw"))
    looks = {
        (line[0].lines[0].text, column.title): (entry.lines[0].bold, entry.lines[0].underline)
        for line in table.rows
        for column, entry in zip(table.columns[1:], line[1:], strict=True)
    }
    assert {place for place, look in looks.items() if look == (True, False)} == {("ncpc", "Hall"), ("dual", "Baboon")}
    assert {place for place, look in looks.items() if look == (False, True)} == {("dual", "Hall"), ("ncpc", "Baboon")}


def test_the_papers_best_is_bold_and_its_second_underlined_whatever_ours_are() -> None:
    rows = [
        row("hall", "nonneg-dual", 0.5),
        row("hall", "dual-demo", 0.4),
        row("hall", "ncpc", 0.1),
        row("baboon", "nonneg-dual"),
        row("baboon", "lrtc-tv"),
        bad("no data", "ruivaes", "nonneg-dual"),
        bad("no data", "ruivaes", "lrtc-tv"),
    ]
    table = results(*rows)
    papers = {
        (line[0].lines[0].text, column.title): (entry.lines[1].bold, entry.lines[1].underline)
        for line in table.rows
        for column, entry in zip(table.columns[1:], line[1:], strict=True)
        if len(entry.lines) > 1
    }
    bold = {place for place, look in papers.items() if look == (True, False)}
    underlined = {place for place, look in papers.items() if look == (False, True)}
    assert bold == {("nonneg-dual", "Hall"), ("lrtc-tv", "Baboon"), ("nonneg-dual", "Ruivaes")}
    assert underlined == {("dual-demo", "Hall"), ("nonneg-dual", "Baboon"), ("lrtc-tv", "Ruivaes")}
    assert entry(table, "ncpc", "Hall").lines[0].bold, "ours are marked by themselves"
    assert "<u>paper 0.02955</u>" in to_markdown(table)
    assert r"{\scriptsize \underline{paper 0.02955}}" in to_latex(table)


def test_the_paper_is_not_compared_with_another_pattern_whose_unobserved_entries_are_told() -> None:
    table = results(row("hall", "nonneg-dual", 0.03, pattern="fibres"), bad("failed", "hall", "ffw", pattern="fibres"))
    assert shown(table, "nonneg-dual", "Hall") == ["0.03000", "unobserved 0.03150"]
    assert shown(table, "ffw", "Hall") == ["failed"]
    assert "Below: over the unobserved entries alone." in table.notes
    assert "10 % observed (fibres)" in table.title


def test_where_there_is_no_data_a_method_that_was_not_asked_has_none_either() -> None:
    table = results(row("hall", "zero-fill"), row("hall", "ncpc"), bad("no data", "tomato", "zero-fill"))
    assert shown(table, "ncpc", "Tomato") == ["no data", "paper 0.44175"]


def test_a_run_at_its_time_limit_is_marked() -> None:
    table = results(row("hall", "dual", 0.03, stop="time"), row("hall", "ncpc", 0.04))
    assert entry(table, "dual", "Hall").lines[0].raised == "t"
    assert entry(table, "ncpc", "Hall").lines[0].raised == ""
    assert any("stopped by its time limit" in note for note in table.notes)


def test_approximate_data_is_marked_in_every_table() -> None:
    found = evidence(row(APPROXIMATE, "dual"), bad("failed", APPROXIMATE, "ffw"))
    tables = [tabulate_datasets(found), *tabulate_results(found), *measures(found).values()]
    for table in [*tables, failures(*found.rows)]:
        for text in (to_markdown(table), to_csv(table)):
            assert "Container†" in text, table.name
        assert r"Container\textdagger{}" in to_latex(table)
        assert any("† Container" in note and "H.264" in note for note in table.notes)


def test_the_papers_datasets_come_first_and_in_its_order() -> None:
    found = evidence(row("cat"), row("splash"), row("hall"), row("baboon"))
    table, others = tabulate_results(found)
    assert [column.title for column in table.columns] == ["method", "Hall", "Baboon", "Splash"]
    assert [column.title for column in others.columns] == ["method", "Cat"]
    assert (table.name, others.name) == ("table2", "table2-others")


def test_methods_come_in_the_papers_order_and_unknown_ones_last() -> None:
    labels = ("mine", "ffw", "lrtc-tv II", "dual", "nonneg-dual")
    table = results(*(row("hall", label, method=label.split(" ")[0]) for label in labels))
    assert [line[0].lines[0].text for line in table.rows] == ["nonneg-dual", "dual", "lrtc-tv II", "ffw", "mine"]


def test_other_rates_have_a_table_of_their_own() -> None:
    tables = tabulate_results(evidence(row("hall", rate=0.3), row("hall", rate=0.1)))
    assert [table.name for table in tables] == ["table2", "table2-table-30"]
    assert "30 % observed" in tables[1].title


def test_patterns_are_never_in_one_table() -> None:
    found = evidence(
        row("hall", "dual", 0.04),
        row("hall", "dual", 0.2, experiment="holes", rate=0.7, pattern="blocks"),
        row("hall", "dual", 0.4, experiment="holes", rate=0.7, pattern="lines"),
    )
    tables = tabulate_results(found)
    assert [table.name for table in tables] == ["table2", "table2-holes-70-blocks", "table2-holes-70-lines"]
    assert [entry(table, "dual", "Hall").value for table in tables] == [0.04, 0.2, 0.4]
    assert [table.title.split("datasets, ")[1] for table in tables[1:]] == [
        "70 % observed (blocks), experiment “holes”",
        "70 % observed (lines), experiment “holes”",
    ]
    assert len(measures(found)) == 3 * len(measures(evidence(row("hall", "dual", 0.04))))
    assert {"psnr", "psnr-holes-70-blocks", "psnr-holes-70-lines"} <= measures(found).keys()


def test_missing_data_is_told_at_every_rate_and_pattern_of_its_experiment() -> None:
    holes = {"experiment": "holes", "rate": 0.7}
    found = evidence(
        row("hall", "dual", 0.2, pattern="blocks", **holes),
        row("hall", "dual", 0.4, pattern="lines", **holes),
        bad("no data", "tomato", "dual", pattern="blocks", **holes),
        row("hall", "dual", 0.04),
    )
    table, *others = tabulate_results(found)
    assert [column.title for column in table.columns] == ["method", "Hall"], "another experiment"
    assert [shown(other, "dual", "Tomato")[0] for other in others] == ["no data", "no data"]


def test_of_two_runs_of_one_cell_the_later_counts_and_is_told() -> None:
    found = evidence(row("hall", "dual", 0.9, time_limit=1.0), row("hall", "dual", 0.04, time_limit=60.0))
    assert shown(tabulate_results(found)[0], "dual", "Hall")[0] == "0.04000"
    assert any(problem.startswith("1 earlier run of the same method") for problem in found.problems)


def test_runs_on_different_files_are_told() -> None:
    other = card("hall", sha256="cd" * 32)
    found = evidence(row("hall"), row(other, "dual"))
    assert found.problems == (
        "The runs on Hall read 2 different files (sha256 abababababab, cdcdcdcdcdcd); their figures are mixed.",
    )


# Other tables


def test_large_is_good_for_psnr_and_small_for_seconds() -> None:
    rows = [row("hall", "dual", 0.03, psnr=30.0, seconds=9.0), row("hall", "ncpc", 0.04, psnr=28.0, seconds=1.0)]
    tables = measures(evidence(*rows))
    assert entry(tables["psnr"], "dual", "Hall").lines[0].bold
    assert entry(tables["seconds"], "ncpc", "Hall").lines[0].bold
    assert not any(line[1].lines[0].bold for line in tables["negative"].rows), "nothing is best there"


def test_a_measure_that_no_run_has_is_left_out() -> None:
    names = measures(evidence(row("hall", ssim=None)))
    assert "ssim" not in names
    assert "gap" not in names
    assert {"unobserved", "psnr", "seconds", "memory", "smallest", "negative"} <= set(names)


def test_memory_and_shares_are_in_units_for_people() -> None:
    tables = measures(evidence(row("hall", "dual")))
    assert shown(tables["memory"], "dual", "Hall") == ["3.0"]
    assert shown(tables["negative"], "dual", "Hall") == ["2 %"]


def test_table_1_says_what_is_there_and_where_to_get_the_rest() -> None:
    table = tabulate_datasets(evidence(row("hall"), bad("no data", card("tomato", file=None, sha256=None))))
    assert shown(table, "Tomato", "there?") == ["no data"]
    assert shown(table, "Tomato", "where to get it") == ["get tomato from https://example.org/tomato"]
    assert shown(table, "Hall", "there?") == ["yes", "hall.npz"]
    assert shown(table, "Hall", "sha256") == ["abababababab"]
    assert table.notes == ("Not there: Tomato.",)


def test_failures_are_listed_with_their_reason_and_holes() -> None:
    table = failures(row("hall"), bad("crashed", "hall", "ffw", "Ended by SIGSEGV."), bad("failed", pattern="lines"))
    assert [part.lines[0].text for part in table.rows[0]][-2:] == ["crashed", "Ended by SIGSEGV."]
    assert [line[3].lines[0].text for line in table.rows] == ["10 %", "10 % (lines)"]
    assert tabulate_failures(evidence(row("hall"), bad("no data", "tomato"))) is None


# Ways to write them


def test_markdown_shows_bold_underline_and_marks() -> None:
    text = to_markdown(
        results(row("hall", "dual", 0.03, stop="time"), row("hall", "ncpc", 0.04), row("hall", "a|b_c", 0.05))
    )
    assert "| dual | **0.03000**<sup>t</sup><br>– |" in text
    assert "<u>0.04000</u>" in text
    assert r"| a\|b\_c |" in text


def test_latex_escapes_and_sets_apart() -> None:
    text = to_latex(results(*seeds("hall", "50%_λ & #{}~^\\", 0.03, 0.04), row("hall", "ncpc", 0.06, stop="time")))
    assert r"50\%\_$\lambda$ \& \#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}" in text
    assert r"\textbf{0.03500 $\pm$ 0.00707}" in text
    assert r"\underline{0.06000}$^{\mathrm{t}}$" in text
    assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_every_line_of_latex_has_as_many_cells_as_the_head() -> None:
    text = to_latex(results(row("hall", "nonneg-dual", 0.03), row("baboon", "ncpc", 0.06)))
    lines = [line for line in text.splitlines() if line.rstrip().endswith((r"\\", "[2pt]"))]
    assert len(lines) == 1 + 2 * 3
    assert {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {2}


def test_csv_has_full_precision_and_words_where_there_is_no_number() -> None:
    table = results(*seeds("hall", "dual", 0.1, 0.2, 0.4), bad("failed", "hall", "ffw"))
    lines = list(csv.reader(io.StringIO(to_csv(table))))
    assert lines[0] == ["method", "Hall"]
    assert float(lines[1][1]) == pytest.approx(0.7 / 3, rel=1e-15)
    assert lines[2] == ["ffw", "failed"]


def test_the_long_form_by_cell_has_mean_deviation_paper_and_ratio() -> None:
    text = lines_to_csv(list_cells(evidence(*seeds("hall", "ncpc", 0.1, 0.3), bad("timed out", "hall", "ffw"))))
    lines = {line["label"]: line for line in csv.DictReader(io.StringIO(text))}
    assert float(lines["ncpc"]["rmse_mean"]) == pytest.approx(0.2)
    assert float(lines["ncpc"]["rmse_deviation"]) == pytest.approx(0.02**0.5)
    assert float(lines["ncpc"]["ratio"]) == pytest.approx(0.2 / 0.53629)
    assert (lines["ffw"]["status"], lines["ffw"]["rmse_mean"]) == ("timed out", "")


def test_the_long_form_by_run_has_a_line_per_run() -> None:
    rows = seeds("hall", "dual", 0.1, 0.123456789012345)
    lines = list(csv.DictReader(io.StringIO(lines_to_csv(list_runs(rows)))))
    assert [line["seed"] for line in lines] == ["0", "1"]
    assert lines[1]["rmse"] == "0.123456789012345"
    assert lines[0]["id"] == rows[0].id


# What was published


def test_all_cells_of_the_papers_table_are_there_with_their_digits() -> None:
    assert load_published().cells == 9 * 9 == 81
    assert load_published().rmse("hall", "nonneg-dual", "nonneg-dual") == 0.03696
    assert load_published().rmse("baboon", "dual-demo", "dual-demo") == 0.33258
    assert load_published().rmse("hall", "dual", "dual") is None
    assert load_published().named("proposed").digits["container"] == "0.044908"
    assert load_published().named("proposed").digits["ribeira"] == "0.03090", "zeros at the end are digits too"


def test_the_best_and_the_second_are_those_that_the_paper_marks() -> None:
    best, second = (
        [
            next(row.name for row in load_published().rows if load_published().place(name, row) == place)
            for name in DATASETS
        ]
        for place in (0, 1)
    )
    assert best == ["proposed"] * 7 + ["LRTC-TV"] * 2
    assert second == ["Dual", "Dual", "LRTC-TV", "Dual", "Dual", "Dual", "Dual", "proposed", "proposed"]


def test_repeated_digits_are_found_and_nearly_equal_ones_are_not() -> None:
    assert load_published().repeated() == (
        ("braga", "geomCG", "NCPC", "0.07348"),
        ("hall", "SMF-LRTC", "FFW", "0.06327"),
    )

"""Plans: small TOML files, checked before anything runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tensorfill.bench.dataset import datasets
from tensorfill.bench.measuring import fit_settings
from tensorfill.bench.plan import Choice, Experiment, Plan
from tensorfill.bench.plan_file import find_plan, read_plan, shipped_plans
from tensorfill.errors import InvalidSetting, UnreadableFile
from tensorfill.methods.dual import NonnegDual
from tensorfill.methods.registry import available_methods, make
from tensorfill.report.published import load_published
from tensorfill.sampling import mask

WHOLE = """
title = "Everything there is"
time_limit = 60
[[experiment]]
name = "table"
datasets = ["hall", "baboon"]
rates = [0.1, 0.2]
patterns = ["uniform", "blocks", "fibres-2"]
seeds = 3
curve = true
pictures = true
methods = [
    "ncpc",
    {method = "dual", label = "dual, λ=1", settings = {lam = 1, C = 1000}, time_limit = 9},
    {method = "nonneg-dual", settings = {rank = [10, 10, 5]}},
]
[[experiment]]
name = "ranks"
datasets = ["hall"]
ranks = [1, 2]
time_limit = 20
methods = ["dual"]
"""
PAPERS_METHODS = {"nonneg-dual", "dual-demo", "rprecon", "geomcg", "ncpc", "tmac", "lrtc-tv", "smf-lrtc", "ffw"}


def read(folder: Path, text: str) -> Plan:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return read_plan(path, ["hall", "baboon"])


def test_a_plan_becomes_frozen_records(tmp_path: Path) -> None:
    table = Experiment(
        name="table",
        datasets=("hall", "baboon"),
        methods=(
            Choice("ncpc", "ncpc"),
            Choice("dual", "dual, λ=1", {"lam": 1, "C": 1000}, 9.0),
            Choice("nonneg-dual", "nonneg-dual", {"rank": [10, 10, 5]}),
        ),
        rates=(0.1, 0.2),
        patterns=("uniform", "blocks", "fibres-2"),
        seeds=3,
        curve=True,
        pictures=True,
    )
    ranks = Experiment("ranks", ("hall",), (Choice("dual", "dual", {}, 20.0),), ranks=(1, 2))
    assert read(tmp_path, WHOLE) == Plan("mine", "Everything there is", (table, ranks), 60.0)


def test_what_is_left_out_is_a_tenth_one_seed_and_no_limit(tmp_path: Path) -> None:
    plan = read(tmp_path, '[[experiment]]\nname = "a"\ndatasets = ["hall"]\nmethods = ["dual"]')
    assert (plan.title, plan.time_limit) == ("mine", None)
    part = plan.experiments[0]
    assert (part.rates, part.seeds, part.ranks, part.curve, part.pictures) == ((0.1,), 1, (), False, False)
    assert part.patterns == ("uniform",)


def test_datasets_and_methods_of_the_plan_are_those_of_experiments_without_their_own(tmp_path: Path) -> None:
    plan = read(
        tmp_path,
        'datasets = ["hall", "baboon"]\nmethods = ["dual"]\n[[experiment]]\nname = "a"\n'
        '[[experiment]]\nname = "b"\ndatasets = ["hall"]\ntime_limit = 5\n'
        '[[experiment]]\nname = "c"\nmethods = ["ncpc"]',
    )
    assert [part.datasets for part in plan.experiments] == [("hall", "baboon"), ("hall",), ("hall", "baboon")]
    assert [(choice.label, choice.time_limit) for part in plan.experiments for choice in part.methods] == [
        ("dual", None),
        ("dual", 5.0),
        ("ncpc", None),
    ]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            "title =",
            "titel =",
            "The plan mine.toml has an unknown key 'titel'. The keys are: title, time_limit, datasets, methods, ",
        ),
        ("rates =", "rate =", "The plan mine.toml, experiment 'table', has an unknown key 'rate'. The keys are: name,"),
        (
            '"ncpc"',
            '"npc"',
            "experiment 'table', cannot be run: There is no method 'npc'. The methods are: auto,",
        ),
        ('["hall", "baboon"]', '["hal"]', "asks for data 'hal'. The datasets are: hall, baboon."),
        ("C = 1000", "c = 1", "cannot be run: dual has no setting 'c'. Its settings are: rank, C, lam,"),
        ("C = 1000", "C = -1", "cannot be run: The 'C' of dual must be a number above 0, or 'auto'. Got -1 instead."),
        ("C = 1000", "C = nan", "'settings' must be a table of numbers, words and lists of them."),
        ("label =", "lable =", "method 'dual', has an unknown key 'lable'. The keys are: method, label, settings,"),
        ('"dual, λ=1"', '"ncpc"', "has the label 'ncpc' twice; give it once."),
        ("[0.1, 0.2]", "[0.1, 0.1]", "has the rate 0.1 twice; give it once."),
        ("[0.1, 0.2]", "[10]", "'rates' must be a list of shares above 0 and at most 1, like [0.1]. Got [10] instead."),
        (
            '["uniform", "blocks", "fibres-2"]',
            '["uniform", "block"]',
            "experiment 'table', cannot be run: There is no pattern 'block'. The patterns are: uniform, pixels,",
        ),
        ('"blocks", "fibres-2"', '"uniform"', "has the pattern 'uniform' twice; give it once."),
        (
            '["uniform", "blocks", "fibres-2"]',
            "'blocks'",
            "'patterns' must be a list of names, like ['uniform', 'blocks']. Got 'blocks' instead.",
        ),
        ("seeds = 3", "seeds = 0", "'seeds' must be a whole number, 1 or more: how many there are. Got 0 instead."),
        ("curve = true", "curve = 1", "'curve' must be true or false. Got 1 instead."),
        ("time_limit = 60", "time_limit = 0", "'time_limit' must be a number of seconds above 0. Got 0 instead."),
        ("time_limit = 20", "time_limit = 'long'", "experiment 'ranks', is wrong: 'time_limit' must be"),
        ("time_limit = 9", "time_limit = -9", "method 'dual, λ=1', is wrong: 'time_limit' must be"),
        ("ranks = [1, 2]", "ranks = [0]", "'ranks' must be a list of whole numbers, 1 or more. Got [0] instead."),
        (
            '["dual"]',
            '["linear"]',
            "experiment 'ranks', goes through 'ranks', so linear must have a setting 'rank' that is left open.",
        ),
        ('name = "ranks"', 'name = "table"', "has the experiment 'table' twice"),
        (
            'name = "table"',
            "",
            "An experiment of the plan mine.toml is wrong: 'name' must be a text. Got None instead.",
        ),
        ('["dual"]', "[]", "'methods' must be a list of names or of tables"),
        ('["dual"]', "[7]", "'methods' must hold names or tables like {method = 'dual', label = '…'}. Got 7 instead."),
    ],
)
def test_a_mistake_is_told_in_one_sentence(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    assert before in WHOLE
    with pytest.raises(InvalidSetting, match=re.escape(sentence)):
        read(tmp_path, WHOLE.replace(before, after))


def test_a_plan_without_experiments_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"^The plan mine\.toml must have one or more parts"):
        read(tmp_path, 'title = "nothing"')


def test_what_is_not_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"mine\.toml is not a plan in TOML: .*line 1"):
        read(tmp_path, "title: yaml")


def test_a_plan_is_found_by_name_or_by_path(tmp_path: Path) -> None:
    assert find_plan("quick") == shipped_plans()["quick"]
    (tmp_path / "own.toml").write_text("")
    assert find_plan(str(tmp_path / "own.toml")) == tmp_path / "own.toml"
    with pytest.raises(UnreadableFile, match=r"^There is no plan 'quik': .* those that ship: paper, quick, rivals\.$"):
        find_plan("quik")


@pytest.mark.parametrize("name", shipped_plans())
def test_the_plans_that_ship_can_be_read_and_have_a_limit(name: str) -> None:
    assert read_plan(find_plan(name), datasets()).time_limit is not None


@pytest.mark.parametrize("name", ["paper", "quick"])
def test_the_paper_and_a_quick_look_have_something_for_every_figure(name: str) -> None:
    plan = read_plan(find_plan(name), datasets())
    assert {part.name for part in plan.experiments} >= {"table", "ranks", "rates"}
    table = plan.experiments[0]
    assert table.curve
    assert table.pictures
    assert table.seeds > 1


def test_the_quick_plan_needs_no_files() -> None:
    plan = read_plan(find_plan("quick"), datasets())
    assert all(datasets()[name].make for part in plan.experiments for name in part.datasets)


def test_the_papers_plan_has_all_of_the_paper() -> None:
    table = read_plan(find_plan("paper"), datasets()).experiments[0]
    assert {name for name, dataset in datasets().items() if dataset.in_paper} <= set(table.datasets)
    assert {choice.method for choice in table.methods} >= PAPERS_METHODS
    for choice in table.methods:
        if choice.method in ("dual", "dual-demo", "nonneg-dual", "rprecon", "geomcg", "tmac", "smf-lrtc"):
            assert choice.settings["rank"] == [10, 10, 5], choice.label


def test_the_papers_method_runs_as_published_and_as_ours() -> None:
    table = read_plan(find_plan("paper"), datasets()).experiments[0]
    as_published, ours = (
        next(choice for choice in table.methods if choice.label == f"nonneg-dual, {way}")
        for way in ("as published", "ours")
    )
    assert ours.settings == {"rank": [10, 10, 5]}, "our defaults"
    made = make("nonneg-dual", as_published.settings)
    assert isinstance(made, NonnegDual)
    assert made.inner == "alternating"
    assert made.optimizer == "conjugate-gradient"
    assert made.two_stages is False
    assert made.max_iter == 200
    assert made.gradient_tolerance == 1e-5, "τ; it mostly ends at 200 iterations"


def test_every_setting_that_a_cell_of_the_paper_is_judged_by_is_in_its_plan() -> None:
    table = read_plan(find_plan("paper"), datasets()).experiments[0]
    assert {row.label for row in load_published().rows} <= {choice.label for choice in table.methods}


def test_only_a_list_of_ranks_is_fitted() -> None:
    assert fit_settings({"rank": [10, 10, 5], "C": 1}, (256, 256, 3)) == {"rank": [10, 10, 3], "C": 1}
    assert fit_settings({"rank": 20}, (8, 8, 3)) == {"rank": 20}
    assert fit_settings({}, (8, 8)) == {}


def test_the_plan_of_rivals_has_every_method_all_data_of_the_paper_and_holes_of_every_kind() -> None:
    parts = {part.name: part for part in read_plan(find_plan("rivals"), datasets()).experiments}
    aliases = {"dual-demo", "zero-fill"}
    for part in parts.values():
        assert {choice.method for choice in part.methods} == set(available_methods()) - aliases
        assert part.seeds == 1
    assert {name for name, dataset in datasets().items() if dataset.in_paper} <= set(parts["table"].datasets)
    assert {rate for name in ("table", "shares") for rate in parts[name].rates} == {0.05, 0.1, 0.2, 0.5}
    assert {name for part in parts.values() for name in part.patterns} == {"uniform", "blocks", "lines", "frames"}
    assert parts["table"].datasets == parts["shares"].datasets == parts["holes"].datasets
    assert [part.pictures for part in parts.values()] == [True, False, True, True]


def test_the_plan_of_rivals_hides_frames_only_where_there_are_any() -> None:
    for part in read_plan(find_plan("rivals"), datasets()).experiments:
        for pattern in part.patterns:
            for shape in {datasets()[name].shape[2:] for name in part.datasets}:
                assert mask(pattern, (20, 20, *shape), part.rates[0], 0).any()

"""Runs: what a plan asks, question by question, and the part of it that is asked today."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_up import a_run, card

from tensorfill.bench.plan import Choice, Experiment, Plan, list_runs, rows_without_data
from tensorfill.bench.plan_file import Selection, extend_plan, select_part
from tensorfill.errors import InvalidSetting
from tensorfill.rows import Row

CARDS = {name: card(name) for name in ("hall", "baboon", "mine")}
DUAL, OTHER = Choice("dual", "dual"), Choice("dual", "dual, λ=1", {"lam": 1})
TABLE = Experiment("table", ("hall", "baboon"), (DUAL, OTHER), rates=(0.1, 0.2), seeds=3, curve=True, pictures=True)
RANKS = Experiment("ranks", ("hall",), (DUAL,), ranks=(1, 5))
PLAN = Plan("mine", "Mine", (TABLE, RANKS), time_limit=60.0)


def test_every_combination_is_a_run_of_its_own_the_first_seed_of_everything_first() -> None:
    runs = list_runs(PLAN, CARDS)
    assert len(runs) == len({run.id for run in runs}) == 3 * 2 * 2 * 2 + 2
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)
    assert {run.experiment for run in runs if run.seed == 0} == {"table", "ranks"}
    assert {run.seed for run in runs if run.pictures} == {0}
    assert all(run.curve == (run.experiment == "table") for run in runs)
    ranked = [run for run in runs if run.experiment == "ranks"]
    assert [run.settings for run in ranked] == [{"rank": [1, 1, 1]}, {"rank": [5, 5, 5]}]
    assert "rank 5" in ranked[1].title


def test_a_time_limit_of_a_method_goes_before_that_of_the_plan() -> None:
    plan = replace(PLAN, experiments=(replace(TABLE, methods=(DUAL, replace(OTHER, time_limit=9.0))),))
    assert {(run.label, run.time_limit) for run in list_runs(plan, CARDS)} == {("dual", 60.0), ("dual, λ=1", 9.0)}


def test_ids_of_rows_from_before_there_were_patterns_stay() -> None:
    assert a_run().id == "46d74efecc44"


def test_every_pattern_is_a_run_of_its_own_and_says_so() -> None:
    holes = replace(TABLE, patterns=("uniform", "blocks"))
    runs = list_runs(Plan("mine", "Mine", (holes,)), CARDS)
    assert len(runs) == len({run.id for run in runs}) == 2 * len(list_runs(Plan("mine", "Mine", (TABLE,)), CARDS))
    assert {run.row("ok").pattern for run in runs} == {"uniform", "blocks"}
    assert {run.title for run in runs if run.data.name == "hall" and run.label == "dual" and run.seed == 0} == {
        "table: dual on hall, 10% kept, seed 0",
        "table: dual on hall, 20% kept, seed 0",
        "table: dual on hall, 10% kept (blocks), seed 0",
        "table: dual on hall, 20% kept (blocks), seed 0",
    }


def test_the_id_survives_its_row_and_the_file() -> None:
    run = a_run(settings={"rank": [10, 10, 5], "C": 1000, "lam": 0.1, "label": "λ"}, time_limit=60.0)
    row = run.row("ok", chosen={"rank": (10, 10, 3)}, rmse=0.1)
    assert run.id == row.id == Row.from_json(row.as_json()).id
    assert a_run(curve=True, pictures=True).id == a_run().id, "neither changes the answer"


def test_missing_data_is_one_row_for_each_label_of_an_experiment() -> None:
    rows = rows_without_data(list_runs(PLAN, CARDS), {"hall": "It is not there."})
    found = [(row.experiment, row.data.name, row.label, row.seed) for row in rows]
    assert found == [("table", "hall", "dual", 0), ("table", "hall", "dual, λ=1", 0), ("ranks", "hall", "dual", 0)]
    assert {(row.status, row.error) for row in rows} == {("no data", "It is not there.")}
    other = rows_without_data(list_runs(replace(PLAN, time_limit=5.0), CARDS), {"hall": "It is not there."})
    assert [row.id for row in rows] == [row.id for row in other], "the same row whatever the limit"


# Selections


def test_what_is_asked_for_is_left_or_changed_and_the_rest_stays() -> None:
    assert select_part(PLAN, Selection()) == PLAN
    assert [part.datasets for part in select_part(PLAN, Selection(datasets="baboon")).experiments] == [("baboon",)]
    assert select_part(PLAN, Selection(experiments="ranks")).experiments == (RANKS,)
    assert [part.seeds for part in select_part(PLAN, Selection(seeds=5)).experiments] == [5, 1], (
        "where there are several"
    )
    assert [part.seeds for part in select_part(PLAN, Selection(seeds=1)).experiments] == [1, 1]
    limited = replace(PLAN, experiments=(replace(TABLE, methods=(replace(DUAL, time_limit=9.0),)),))
    changed = select_part(limited, Selection(rates=(0.5,), patterns=("lines", "slices-1"), time_limit=3))
    assert {(run.rate, run.time_limit) for run in list_runs(changed, CARDS)} == {(0.5, 3.0)}
    elsewhere = select_part(PLAN, Selection(patterns=("lines", "slices-1")))
    assert {part.patterns for part in (*changed.experiments, *elsewhere.experiments)} == {("lines", "slices-1")}


def test_methods_are_chosen_by_name_or_label() -> None:
    both = select_part(PLAN, Selection(methods="dual")).experiments
    assert [choice.label for choice in both[0].methods] == ["dual", "dual, λ=1"]
    one = select_part(PLAN, Selection(methods="dual, λ=1")).experiments
    assert [choice.label for part in one for choice in part.methods] == ["dual, λ=1"]


def test_a_method_that_the_plan_does_not_have_joins_with_its_defaults() -> None:
    parts = select_part(PLAN, Selection(methods="spectral")).experiments
    assert [(part.name, [choice.label for choice in part.methods]) for part in parts] == [("table", ["spectral"])]
    both = select_part(PLAN, Selection(methods="dual, λ=1,spectral")).experiments
    assert [choice.label for choice in both[0].methods] == ["dual, λ=1", "spectral"]


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        (
            Selection(methods="ncpd"),
            r"^The plan mine has no method 'ncpd'\. It has: dual, dual, λ=1; there are also: .*ncpc",
        ),
        (Selection(datasets="hall,x"), r"^The plan mine has no dataset 'x'\. It has: hall, baboon\.$"),
        (Selection(experiments="tabel"), r"^The plan mine has no experiment 'tabel'\. It has: table, ranks\.$"),
        (Selection(seeds=0), r"^'seeds' must be 1 or more\. Got 0 instead\.$"),
        (Selection(time_limit=0), r"^'time-limit' must be a number of seconds above 0"),
        (Selection(rates=(2.0,)), r"^--rates is wrong: 'rates' must be"),
        (Selection(patterns=("block",)), r"^--patterns cannot be run: There is no pattern 'block'\. The patterns are:"),
        (Selection(experiments="ranks", datasets="baboon"), r"has no dataset 'baboon'"),
    ],
)
def test_what_the_plan_does_not_have_is_refused(wish: Selection, sentence: str) -> None:
    with pytest.raises(InvalidSetting, match=sentence):
        select_part(PLAN, wish)


def test_ones_own_method_and_data_join_every_experiment() -> None:
    plan = extend_plan(PLAN, ["mine"], ["mine", "hall"])
    assert [choice.label for choice in plan.experiments[0].methods] == ["dual", "dual, λ=1", "mine"]
    assert plan.experiments[0].datasets == ("hall", "baboon", "mine")
    assert plan.experiments[1] == replace(RANKS, datasets=("hall", "mine")), "a method may have no rank"

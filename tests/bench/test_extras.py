"""Files of one's own: a method or a dataset from one Python file."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import SPOILT, TINY

from tensorfill.bench.extras import load_extras
from tensorfill.bench.plan import Experiment, Plan
from tensorfill.bench.plan_file import extend_plan
from tensorfill.errors import TensorfillError
from tensorfill.method import Stroke
from tensorfill.methods.registry import available_methods, make
from tensorfill.report.drawing import assign_strokes


def written(folder: Path, source: str, name: str = "own.py") -> Path:
    (folder / name).write_text(source, encoding="utf-8")
    return folder / name


def test_what_a_file_brings_is_known_while_the_block_lasts(tmp_path: Path) -> None:
    with load_extras([written(tmp_path, TINY + SPOILT)]) as found:
        assert (found.methods, found.datasets) == (("spoilt",), ("tiny",))
        assert "tiny" in found.known
        assert "hall" in found.known
        assert make("spoilt", {"how": "raise"}).name == "spoilt"
        assert list(available_methods())[-1] == "spoilt"
    assert "spoilt" not in available_methods()


def test_rows_are_told_the_version_of_the_file_they_depend_on(tmp_path: Path) -> None:
    files = [written(tmp_path, TINY, "tiny.py"), written(tmp_path, SPOILT, "spoilt.py")]
    with load_extras(files) as found:
        assert set(found.versions_for("spoilt", "tiny")) == {"spoilt.py", "tiny.py"}
        assert set(found.versions_for("dual", "tiny")) == {"tiny.py"}
        assert found.versions_for("dual", "hall") == {}
        before = found.versions_for("spoilt", "hall")
    written(tmp_path, f"{SPOILT}\n# changed", "spoilt.py")
    with load_extras(files) as found:
        assert found.versions_for("spoilt", "hall") != before


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("x = 1", r"own\.py must define METHOD, a class of methods, or DATASET, or both\.$"),
        (
            "METHOD = 3",
            r"^A method must be a dataclass with name, summary, reference, nonnegative, complete, and",
        ),
        ("DATASET = 3", r"^The DATASET of .*own\.py must be a tensorfill\.bench\.dataset\.Dataset\. Got 3 instead\.$"),
        (TINY.replace('"tiny"', '"hall"'), r"^There is a dataset called 'hall' already; give that of .* another name"),
        (SPOILT.replace('"spoilt"', '"dual"'), r"^There is a method called 'dual' already; give yours another name\.$"),
        ("import nothing_of_that_name", r"own\.py cannot be run: ModuleNotFoundError: No module named"),
    ],
)
def test_a_file_that_brings_nothing_usable_is_refused(tmp_path: Path, source: str, sentence: str) -> None:
    before = available_methods()
    with pytest.raises(TensorfillError, match=sentence), load_extras([written(tmp_path, source)]):
        pass
    assert available_methods() == before


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(TensorfillError, match=r"own\.py cannot be read: No such file"),
        load_extras([tmp_path / "own.py"]),
    ):
        pass


def test_a_method_of_ones_own_is_called_and_drawn_as_it_says(tmp_path: Path) -> None:
    spoken = SPOILT.replace(
        '    name: ClassVar[str] = "spoilt"\n',
        '    name: ClassVar[str] = "spoilt"\n    label: ClassVar[str] = "Spoilt rotten"\n'
        '    stroke: ClassVar[Stroke] = Stroke("#123456", "o")\n',
    ).replace("import os\n", "import os\nfrom tensorfill.method import Stroke\n")
    plan = Plan("mine", "Mine", (Experiment("table", ("hall",), ()),))
    with load_extras([written(tmp_path, spoken)]) as found:
        (choice,) = extend_plan(plan, found.methods, ()).experiments[0].methods
        assert (choice.method, choice.label) == ("spoilt", "Spoilt rotten")
        assert assign_strokes({choice.label: choice.method})[choice.label] == Stroke("#123456", "o")
    with load_extras([written(tmp_path, SPOILT, "silent.py")]) as found:
        (choice,) = extend_plan(plan, found.methods, ()).experiments[0].methods
        assert choice.label == "spoilt"
        looks = assign_strokes({"mean-fill": "mean-fill", choice.label: choice.method})
        assert looks["spoilt"].marker != looks["mean-fill"].marker, "not that of the method it is made from"

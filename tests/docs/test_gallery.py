"""The gallery: many short scripts with a title, an explanation and a figure; `make docs` runs them all."""

from __future__ import annotations

import ast
import re
import runpy
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))
SUBJECTS = (
    "photograph text frames bands slices counts ratings forecast uncertainty certificate components tiles dask programs"
)
"""What there must be a script about, by a word of its name."""
QUICKEST = ("plot_lost_frames", "plot_uncertainty")
NETWORK = re.compile(r"urllib|requests|http|fetch_|download|socket|pooch")
SEEDLESS = re.compile(r"np\.random\.(?!Generator|default_rng\(\d)|default_rng\(\)")


@pytest.fixture(params=SCRIPTS, ids=lambda path: path.stem)
def script(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_there_is_a_script_about_every_subject() -> None:
    names = " ".join(path.stem for path in SCRIPTS)
    assert len(SCRIPTS) >= 12
    assert [word for word in SUBJECTS.split() if word not in names] == []


def test_a_script_compiles_and_is_short(script: Path) -> None:
    source = script.read_text(encoding="utf-8")
    compile(source, script.name, "exec")
    assert len(source.splitlines()) < 60


def test_a_script_has_a_title_an_explanation_and_a_figure(script: Path) -> None:
    source = script.read_text(encoding="utf-8")
    title, line, _, *explanation = (ast.get_docstring(ast.parse(source)) or "\n\n").splitlines()
    assert title
    assert line == "=" * len(title)
    assert " ".join(explanation).endswith(".")
    assert "plt.subplots" in source
    assert "# %%\n# " in source


def test_a_script_gives_the_same_result_every_time_and_needs_no_network(script: Path) -> None:
    source = script.read_text(encoding="utf-8")
    assert NETWORK.findall(source) == []
    assert SEEDLESS.findall(source) == []


def test_the_checks_of_scripts_can_fail() -> None:
    assert SEEDLESS.search("np.random.rand(3)")
    assert SEEDLESS.search("np.random.default_rng()")
    assert not SEEDLESS.search("np.random.default_rng(0)")
    assert NETWORK.search("from sklearn.datasets import fetch_openml")


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICKEST)
def test_a_quick_script_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(ROOT / "docs" / "gallery" / f"{name}.py"))
    assert pyplot.get_fignums()
    assert all(pyplot.figure(number).axes for number in pyplot.get_fignums())
    pyplot.close("all")
    assert list(tmp_path.iterdir()) == []

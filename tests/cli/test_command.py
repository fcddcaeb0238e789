"""The command as a whole: its help, its version, its list of methods, its manual, its quick start."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import typer
from stand_in import Run

from tensorfill import __version__
from tensorfill.cli import app, options
from tensorfill.methods.registry import available_methods

MANUAL = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
VERBS = dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_the_verbs() -> None:
    assert list(VERBS) == [
        "info",
        "hide",
        "complete",
        "components",
        "score",
        "methods",
        "demo",
        "bench",
        "report",
        "serve",
    ]


def test_the_version(tensorfill: Run) -> None:
    assert tensorfill("--version").out == f"tensorfill {__version__}\n"


def test_without_a_verb_it_shows_the_help(tensorfill: Run) -> None:
    assert "Usage" in (outcome := tensorfill()).out + outcome.err


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(tensorfill: Run, verb: str) -> None:
    outcome = tensorfill(verb, "--help")
    assert outcome.code == 0
    assert f"Example: tensorfill {verb}" in outcome.out


@pytest.fixture
def manual(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What writes the reference into the manual."""
    monkeypatch.syspath_prepend(MANUAL.parents[2] / "benchmarks")
    return import_module("manual")


@pytest.mark.parametrize("verb", VERBS)
def test_the_manual_has_the_reference_of_every_verb_and_more(manual: ModuleType, verb: str) -> None:
    sections = re.split(r"^## ", MANUAL.read_text(), flags=re.MULTILINE)
    (section,) = (text for text in sections if text.startswith(f"`tensorfill {verb}`"))
    assert manual.reference(verb) in section, "run: python benchmarks/manual.py docs/reference/cli.md"
    assert len(section) > len(manual.reference(verb)) + 100, "more than the reference"


def test_the_shell_completes_names_of_methods() -> None:
    assert options.method_names("nonneg") == ["nonneg-dual"]


def test_methods_lists_what_is_registered(tensorfill: Run) -> None:
    outcome = tensorfill("methods")
    assert outcome.code == 0
    for name, method in available_methods().items():
        (line,) = (line for line in outcome.out.splitlines() if line.startswith(f"{name} "))
        assert method.summary in line
        assert method.reference in line
        assert re.search(r"\byes\b" if method.nonnegative else r"\bno\b", line)


def test_help_answers_without_loading_what_is_heavy() -> None:
    heavy = {"numpy", "scipy", "numba", "PIL", "tensorfill.library", "tensorfill.methods"}
    program = "import sys, tensorfill.cli; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert heavy.isdisjoint(loaded.splitlines())


def test_python_dash_m_works() -> None:
    ran = subprocess.run([sys.executable, "-m", "tensorfill", "--version"], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, f"tensorfill {__version__}\n")

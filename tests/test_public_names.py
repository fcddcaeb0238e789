"""The public names: all there, cheap to reach for, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.metadata import version

import pytest

import tensorfill

HEAVY = ("numba", "scipy", "PIL", "typer", "rich")


def fresh(code: str) -> str:
    """What a new interpreter prints when it runs the code."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def heavy_after(statement: str) -> str:
    """The heavy packages that are loaded after a statement."""
    return fresh(f"{statement}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])")


def test_importing_tensorfill_loads_nothing_heavy() -> None:
    assert heavy_after("import tensorfill") == ""


def test_reading_the_version_and_the_names_loads_nothing_heavy() -> None:
    assert heavy_after("import tensorfill; tensorfill.__version__; dir(tensorfill)") == ""


def test_a_heavy_import_would_be_noticed() -> None:
    assert "numba" in heavy_after("import tensorfill; tensorfill.complete").split()


def test_every_public_name_resolves() -> None:
    for name in tensorfill.__all__:
        assert getattr(tensorfill, name) is not None


def test_every_public_name_can_be_the_first_one_used() -> None:
    code = """
import sys
import tensorfill
for name in tensorfill.__all__:
    for module in [module for module in sys.modules if module.split(".")[0] == "tensorfill"]:
        del sys.modules[module]
    import tensorfill
    found = getattr(tensorfill, name)
    print(name, getattr(found, "__module__", ""))
"""
    homes = dict(line.split(" ", 1) for line in fresh(code).splitlines() if " " in line)
    for name, home in homes.items():
        if home.startswith("tensorfill."):
            assert hasattr(import_module(home), name)
    assert homes["complete"] == "tensorfill.library"
    assert homes["available_methods"] == "tensorfill.methods.registry"


@pytest.mark.parametrize(
    "name",
    ["Certificate", "Completion", "History", "ObservedTensor", "TensorCompleter", "TensorfillError", "complete"],
)
def test_a_name_is_loaded_once(name: str) -> None:
    assert getattr(tensorfill, name) is getattr(tensorfill, name)


def test_dir_lists_the_public_names_in_order() -> None:
    assert dir(tensorfill) == sorted(tensorfill.__all__)
    assert len(set(tensorfill.__all__)) == len(tensorfill.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'tensorfill' has no attribute 'compleat'$"):
        tensorfill.compleat  # noqa: B018


def test_star_import_gives_the_public_names() -> None:
    code = "from tensorfill import *\nprint(sorted(name for name in dir() if name[0] != '_' or name == '__version__'))"
    assert fresh(code) == str(sorted(tensorfill.__all__))


def test_the_version_is_the_one_that_was_installed() -> None:
    assert tensorfill.__version__ == version("tensorfill")

"""Which way imports go: down only, and neighbours on a line don't import each other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tensorfill"

LAYERS = """
cli
bench | report | estimator | inpainting | page
library | files
lazy
large
methods | peers
dual | spectral | patches | factors
selection
riemannian | tiles
numerics
formats | sampling | metrics | iterating | units | foregone
method
completion | rows
notebook | entrywise
observed | estimates | views | ranking
bounds | missingness | labels
tensor | memory | compiling | keeping
errors | private_folder | interrupting | telling
"""
DEPTH = {room.strip(): depth for depth, line in enumerate(LAYERS.strip().splitlines()) for room in line.split("|")}
FREE = {"__init__", "__main__", "assets"}
"""The public names, the command's doorway, and the data files: no rooms, and the business of `cli` and `page` alone."""
NAMELESS = {"utils", "helpers", "common", "misc", "tools"}


def room_of(module: str) -> str:
    """The room of a module: tensorfill.dual.solve is in dual, tensorfill itself in __init__."""
    return (*module.split("."), "__init__")[1]


def imports(module: str, source: str) -> list[tuple[int, str]]:
    """Every module of tensorfill that a module imports, wherever in its source, with the line.

    Packages are called by their file, tensorfill.formats.__init__, so that one dot always means the same folder.
    """
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            # `from .. import formats` names rooms; `from ..errors import InvalidInput` names what is in one.
            names = [alias.name for alias in node.names if alias.name in DEPTH or alias.name in FREE]
            found += [(node.lineno, f"{base}.{name}") for name in names] if base == "tensorfill" else []
            found += [(node.lineno, base)] if base != "tensorfill" or len(names) < len(node.names) else []
    return [(line, name) for line, name in found if name.split(".")[0] == "tensorfill"]


def violations(module: str, source: str) -> list[str]:
    """A sentence for every import of a module that does not go down."""
    room = room_of(module)
    if room in FREE:
        return []
    if room not in DEPTH:
        return [f"{module} is in no layer; give {room!r} a place in LAYERS and in docs/explanation/architecture.md."]
    found = []
    for line, name in imports(module, source):
        target = room_of(name)
        if target == room or (room in ("cli", "page") and target in FREE):
            continue
        if target not in DEPTH:
            found.append(f"{module}, line {line}: imports {name}, which is in no layer.")
        elif DEPTH[target] < DEPTH[room]:
            found.append(f"{module}, line {line}: imports {name}, which lies above it.")
        elif DEPTH[target] == DEPTH[room]:
            found.append(f"{module}, line {line}: imports {name}, its neighbour.")
    return found


def modules() -> dict[str, Path]:
    """Every module under src/tensorfill by name."""
    return {".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): path for path in SOURCE.rglob("*.py")}


HEAVY = {"tensorfill.cli", "tensorfill.methods.registry", "tensorfill.notebook"}
"""Loaded where they are used, because they take a moment: by the command's doorway, by the shell, by a notebook."""
COMPILED = {"tensorfill.formats.pictures.png_filters"}
"""The same for what compiles a kernel."""


def late_imports(module: str, source: str) -> list[str]:
    """A sentence for every module of ours that is imported inside of a function, unless it is heavy."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for line, name in imports(module, ast.unparse(function)):
                if name not in HEAVY | COMPILED and room_of(name) not in FREE:
                    found.append(f"{module}, {function.name}, line {line}: imports {name} inside of a function.")
    return found


def graph() -> dict[str, set[str]]:
    """Which modules a module imports when it is loaded."""
    known = modules()
    found: dict[str, set[str]] = {}
    for module, path in known.items():
        found[module] = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.level:
                base = ".".join([*module.split(".")[: -node.level], *([node.module] if node.module else [])])
                for alias in node.names:
                    candidates = (f"{base}.{alias.name}", f"{base}.{alias.name}.__init__", base, f"{base}.__init__")
                    found[module] |= {next(target for target in candidates if target in known)}
    return {module: targets - {module} for module, targets in found.items()}


def cycle(imported: dict[str, set[str]]) -> list[str]:
    """Modules that import each other, in a circle; none if there are none."""
    left = dict(imported)
    while done := [module for module, targets in left.items() if not targets & left.keys()]:
        for module in done:
            del left[module]
    if not left:
        return []
    walk = [next(iter(left))]
    while walk.count(walk[-1]) == 1:
        walk.append(next(iter(left[walk[-1]] & left.keys())))
    return walk[walk.index(walk[-1]) :]


def nameless(paths: list[Path]) -> list[Path]:
    """The files and folders whose name says nothing."""
    return [path for path in paths if path.name.split(".")[0].lower().strip("_") in NAMELESS]


# The house


def test_imports_go_down_only() -> None:
    sources = {module: path.read_text(encoding="utf-8") for module, path in modules().items()}
    assert [found for module, source in sources.items() for found in violations(module, source)] == []


def test_nothing_of_ours_is_imported_inside_of_a_function() -> None:
    sources = {module: path.read_text(encoding="utf-8") for module, path in modules().items()}
    assert [found for module, source in sources.items() for found in late_imports(module, source)] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert len(graph()) > 100
    assert cycle(graph()) == []


def test_every_layer_is_there() -> None:
    assert set(DEPTH) == {room_of(module) for module in modules()} - FREE


def test_no_file_or_folder_has_a_name_that_says_nothing() -> None:
    paths = [path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*")]
    assert len(paths) > 50
    assert nameless(paths) == []


# The checks can fail


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        (
            "tensorfill.tensor",
            "from .observed import ObservedTensor",
            "line 1: imports tensorfill.observed, which lies",
        ),
        ("tensorfill.dual.solve", "from ..methods.registry import make", "imports tensorfill.methods.registry, which"),
        ("tensorfill.dual.solve", "from .. import library", "imports tensorfill.library, which lies above it"),
        (
            "tensorfill.dual.solve",
            "\nimport tensorfill.library",
            "line 2: imports tensorfill.library, which lies above",
        ),
        ("tensorfill.dual.solve", "from tensorfill.cli.app import app", "imports tensorfill.cli.app, which lies above"),
        ("tensorfill.dual.__init__", "from ..library import complete", "imports tensorfill.library, which lies above"),
        ("tensorfill.dual.solve", "def f():\n    from ..library import complete", "line 2: imports tensorfill.library"),
        (
            "tensorfill.errors",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .tensor import Array",
            "line 3: imports tensorfill.tensor, which lies above it",
        ),
        (
            "tensorfill.numerics.threads",
            "from ..riemannian.tucker import add",
            "riemannian.tucker, which lies above it",
        ),
        ("tensorfill.metrics", "from .formats import read", "imports tensorfill.formats, its neighbour"),
        ("tensorfill.sampling", "from . import metrics", "imports tensorfill.metrics, its neighbour"),
        ("tensorfill.dual.solve", "import tensorfill", "imports tensorfill, which is in no layer"),
        ("tensorfill.dual.solve", "from .. import complete", "imports tensorfill, which is in no layer"),
        ("tensorfill.dual.solve", "from ..page import app", "imports tensorfill.page, which lies above it"),
        ("tensorfill.page.app", "from ..cli.app import app", "imports tensorfill.cli.app, which lies above it"),
        ("tensorfill.dual.solve", "from ..stage import server", "imports tensorfill.stage, which is in no layer"),
        ("tensorfill.stage.server", "", "tensorfill.stage.server is in no layer; give 'stage' a place in LAYERS"),
        ("tensorfill.plots", "", "tensorfill.plots is in no layer; give 'plots' a place in LAYERS"),
    ],
)
def test_a_violation_is_caught(module: str, source: str, complaint: str) -> None:
    found = violations(module, source)
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("tensorfill.dual.solve", "from ..riemannian.product import Product\nfrom .inner import InnerSolver"),
        ("tensorfill.formats.__init__", "from .contents import Contents\nfrom ..errors import InvalidInput"),
        ("tensorfill.estimator", "from .library import complete\nfrom tensorfill.observed import ObservedTensor"),
        ("tensorfill.cli.app", "from .. import __version__, formats\nimport tensorfill.assets"),
        ("tensorfill.__init__", "from .library import complete"),
        ("tensorfill.__main__", "from .cli import app"),
        ("tensorfill.errors", "import numpy.typing\nfrom tensorfillers import cli"),
    ],
)
def test_what_is_allowed_is_not_complained_about(module: str, source: str) -> None:
    assert violations(module, source) == []


@pytest.mark.parametrize("path", ["utils.py", "dual/helpers.py", "common/__init__.py", "misc", "_tools.py"])
def test_a_name_that_says_nothing_is_caught(path: str) -> None:
    whole = Path(path)
    assert nameless([*whole.parents, whole]) != []
    assert nameless([Path("toolsmith.py"), Path("dual/uncommon.py")]) == []


def test_an_import_inside_of_a_function_is_caught() -> None:
    source = "def f():\n    from ..tensor import entries\n    import numpy\n"
    assert late_imports("tensorfill.dual.solve", source) == [
        "tensorfill.dual.solve, f, line 2: imports tensorfill.tensor inside of a function."
    ]


def test_a_circle_is_caught() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["b", "c", "b"]

"""Every example runs on its own, says something, and leaves nothing behind."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def example(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.slow
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True, timeout=180)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip()
    assert ended.stderr == ""
    assert "nan" not in ended.stdout
    assert list(tmp_path.iterdir()) == []


def test_an_example_says_what_it_shows(example: Path) -> None:
    module = ast.parse(example.read_text(encoding="utf-8"))
    docstring = ast.get_docstring(module)
    assert docstring
    assert docstring.splitlines()[0].endswith(".")
    assert ast.unparse(module.body[-1]) == "if __name__ == '__main__':\n    main()"

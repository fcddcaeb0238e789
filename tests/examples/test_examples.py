"""Every example runs on its own, says something, and leaves nothing behind."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def example(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.slow
def test_an_example_runs(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(example), run_name="__main__")
    out, err = capfd.readouterr()
    assert out.strip()
    assert err == ""
    assert "nan" not in out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_example_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, EXAMPLES[0]], cwd=tmp_path, capture_output=True, text=True, timeout=180)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.strip()


def test_an_example_says_what_it_shows(example: Path) -> None:
    module = ast.parse(example.read_text(encoding="utf-8"))
    docstring = ast.get_docstring(module)
    assert docstring
    assert docstring.splitlines()[0].endswith(".")
    assert ast.unparse(module.body[-1]) == "if __name__ == '__main__':\n    main()"

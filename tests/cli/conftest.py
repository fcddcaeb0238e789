"""What the tests of the command line share: a way to run it, and a stand-in for the solver."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stand_in import MeanFill, Outcome, Run
from typer.testing import CliRunner

from tensorfill import library
from tensorfill.cli import app


@pytest.fixture
def tensorfill() -> Run:
    """Run the command with these arguments."""

    def run(*arguments: object) -> Outcome:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def refused(tensorfill: Run, tmp_path: Path) -> Run:
    """Run the command, and make sure that it failed with one sentence, code 2, and no file touched."""

    def run(*arguments: object) -> Outcome:
        before = contents_of(tmp_path)
        outcome = tensorfill(*arguments)
        assert outcome.code == 2, outcome
        assert outcome.err.startswith("Error: ")
        assert outcome.err.count("\n") == 1, "one line"
        assert "Traceback" not in outcome.err
        assert outcome.out == ""
        assert contents_of(tmp_path) == before, "nothing is written"
        return outcome

    return run


def contents_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> MeanFill:
    """The stand-in, in place of the real solver."""
    stand_in = MeanFill()
    monkeypatch.setattr(library, "complete", stand_in)
    return stand_in


@pytest.fixture
def holes(tmp_path: Path) -> Path:
    """A colour picture of which a third is missing."""
    rng = np.random.default_rng(0)
    observed = rng.random((6, 5, 3)) < 0.67
    data = np.where(observed, rng.integers(1, 256, observed.shape), 0).astype(np.uint8)
    np.savez(tmp_path / "holes.npz", data=data, observed=observed)
    return tmp_path / "holes.npz"

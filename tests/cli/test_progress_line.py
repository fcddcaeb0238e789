"""The live line."""

import io

import pytest

from tensorfill.cli import progress
from tensorfill.completion import Iteration


def test_an_iteration_in_one_line() -> None:
    step = Iteration(12, 3.0, 123.456789, 0.00123, 40, 7, relative_gap=0.02)
    assert progress.described(step) == "iteration 12  cost 123.457  gradient 1.23e-03  gap 2.00e-02"


def test_a_method_without_a_gradient_says_nothing_about_it() -> None:
    step = Iteration(3, 1.0, 123.4567, float("nan"), 3, 0)
    assert progress.described(step) == "iteration 3  cost 123.457"


def test_the_gap_is_left_out_while_it_is_not_known() -> None:
    assert "gap" not in progress.described(Iteration(1, 0.1, 2.0, 0.5, 1, 0))


def test_without_a_terminal_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    with progress.ProgressLine():
        pass
    assert stream.getvalue() == ""

"""What a method says of itself, and what is taken where it says nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tensorfill.method import (
    Method,
    Question,
    candidate_place,
    extends_constants,
    fills_lost_slices,
    has_components,
    interpolates,
    looks_at_neighbours,
    needs_known_only,
    tells_uncertainty,
    worth_trying,
)
from tensorfill.methods.constant_fill import MeanFill, ZeroFill
from tensorfill.methods.dual import NonnegDual
from tensorfill.methods.interpolation import Linear
from tensorfill.methods.spectral import Spectral
from tensorfill.methods.tmac import TMac
from tensorfill.observed import ObservedTensor


def lost_row() -> ObservedTensor:
    table = np.arange(12.0).reshape(4, 3)
    table[1] = np.nan
    return ObservedTensor.from_array(table)


def test_one_that_says_nothing_is_taken_to_be_of_low_rank() -> None:
    method, data = TMac(), lost_row()
    assert not looks_at_neighbours(method, data)
    assert not fills_lost_slices(method, data)
    assert not interpolates(method)
    assert worth_trying(method, data)
    assert extends_constants(method)


def test_what_others_say_counts() -> None:
    data = lost_row()
    assert looks_at_neighbours(Linear(), data)
    assert interpolates(Linear())
    assert fills_lost_slices(MeanFill(), data)
    assert not looks_at_neighbours(MeanFill(), data)
    assert interpolates(MeanFill())
    assert not extends_constants(ZeroFill())


@pytest.mark.parametrize("said", [tells_uncertainty, needs_known_only, has_components])
def test_of_one_that_does_not_say_so_nothing_is_expected(said: Callable[[type[Method]], bool]) -> None:
    assert not said(TMac)


def test_what_may_be_expected_of_others() -> None:
    assert tells_uncertainty(Spectral)
    assert needs_known_only(NonnegDual)
    assert has_components(NonnegDual)


def test_one_that_does_not_say_when_it_is_compared_is_so_at_high_effort_only() -> None:
    assert candidate_place(TMac, Question("high", (4, 3))) is not None
    assert candidate_place(TMac, Question("normal", (4, 3))) is None
    assert candidate_place(TMac, Question("low", (4, 3))) is None


def test_sizes_of_tensors_in_words() -> None:
    questions = [Question("normal", (2, 2**power)) for power in (12, 14, 18, 22)]
    assert [question.short for question in questions] == [True, False, False, False]
    assert [question.small for question in questions] == [True, True, False, False]
    assert [question.large for question in questions] == [False, False, False, True]

"""What a method says of itself, and what is taken where it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tensorfill.method import Method, Question, Stroke, add_defaults
from tensorfill.methods.constant_fill import MeanFill, ZeroFill
from tensorfill.methods.dual import NonnegDual
from tensorfill.methods.interpolation import Linear
from tensorfill.methods.spectral import Spectral
from tensorfill.methods.tmac import TMac
from tensorfill.methods.tnn import TNN
from tensorfill.observed import ObservedTensor


def lost_row() -> ObservedTensor:
    table = np.arange(12.0).reshape(4, 3)
    table[1] = np.nan
    return ObservedTensor.from_array(table)


@dataclass(frozen=True, kw_only=True)
class Plain:
    """A class of methods that derives from nothing."""

    name = "plain"
    complete = TMac.complete


@pytest.fixture(params=[TMac, Plain])
def silent(request: pytest.FixtureRequest) -> Any:
    """A method that says nothing but what it must."""
    kind = request.param
    if kind is Plain:
        add_defaults(kind)
    return kind()


def test_one_that_says_nothing_is_taken_to_be_of_low_rank(silent: Method) -> None:
    data = lost_row()
    assert silent.worth_trying(data)
    assert silent.extends_constants
    assert silent.refuses(data) is None
    assert not silent.looks_at_neighbours(data)
    assert not silent.fills_lost_slices(data)
    expected_of_few = ("interpolates", "same_everywhere", "tells_uncertainty", "needs_known_only", "has_components")
    assert not any(getattr(silent, member) for member in expected_of_few)
    assert silent.settings_in_data_units == ()


def test_it_is_compared_at_high_effort_only(silent: Method) -> None:
    efforts = ("low", "normal", "high")
    assert [silent.candidate(Question(effort, (4, 3))) is not None for effort in efforts] == [False, False, True]


def test_what_others_say_counts() -> None:
    data = lost_row()
    assert Linear().looks_at_neighbours(data)
    assert Linear.interpolates
    assert MeanFill().fills_lost_slices(data)
    assert not MeanFill().looks_at_neighbours(data)
    assert not ZeroFill.extends_constants
    assert ZeroFill().candidate(Question("high", (4, 3))) is None
    assert TNN().candidate(Question("normal", (4, 3))) == TNN.place_if_small
    assert TNN().candidate(Question("normal", (1000, 1000))) is None
    assert Spectral.tells_uncertainty
    assert NonnegDual.needs_known_only
    assert NonnegDual.has_components


def test_what_is_said_already_stays() -> None:
    class Own(Plain):
        costs = "much"

    add_defaults(Own)
    assert Own.costs == "much"


def test_a_method_made_of_another_one_does_not_look_like_it() -> None:
    class Tall(TMac):
        label = "TMac, tall"

    class Taller(Tall):
        stroke = Stroke("red", "x")

    assert TMac.stroke is not None
    assert (Tall.label, Tall.stroke) == ("TMac, tall", None)
    assert (Taller.label, Taller.stroke) == (None, Stroke("red", "x"))


def test_sizes_of_tensors_in_words() -> None:
    questions = [Question("normal", (2, 2**power)) for power in (12, 14, 18, 22)]
    assert [question.short for question in questions] == [True, False, False, False]
    assert [question.small for question in questions] == [True, True, False, False]
    assert [question.large for question in questions] == [False, False, False, True]

"""Which modes are places is seen from the data, in whatever order they come."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tensorfill.spectral.bases import Cosines
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.roles import modes_of_places
from tensorfill.spectral.start import starting_prior
from tensorfill.tensor import Array


def clip() -> Array:
    """A picture of waves that hardly changes from frame to frame."""
    i, j, k = np.meshgrid(np.arange(28), np.arange(24), np.arange(12), indexing="ij")
    return np.asarray(2 + np.sin(i / 2.5) * np.cos(j / 3) + 0.5 * np.sin(j / 1.7 + 1) + 0.1 * np.sin(i / 4 + k / 3))


def known_data(truth: Array, share: float, seed: int = 0) -> KnownData:
    known = np.random.default_rng(seed).random(truth.shape) < share
    return KnownData(known, truth[known] - truth[known].mean())


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_frames_are_no_place_wherever_they_are(order: tuple[int, ...]) -> None:
    data = known_data(clip().transpose(order), 0.2)
    assert modes_of_places(data) == {order.index(0), order.index(1)}


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_channels_are_no_place(axis: int) -> None:
    picture = np.moveaxis(np.broadcast_to(clip()[..., :1], (28, 24, 3)), 2, axis)
    assert modes_of_places(known_data(np.ascontiguousarray(picture), 0.3)) == {0, 1, 2} - {axis}


def test_large_data_is_looked_at_in_part_to_the_same_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorfill.spectral.roles._ENOUGH", 2000)
    assert modes_of_places(known_data(clip(), 0.3)) == {0, 1}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_learning_starts_from_the_same_variances_in_any_order(order: tuple[int, ...]) -> None:
    truth = clip().transpose(order)
    places = modes_of_places(known_data(truth, 0.2))
    start = starting_prior([Cosines(size) for size in truth.shape], 1.0, places)
    usual = starting_prior([Cosines(size) for size in clip().shape], 1.0)
    np.testing.assert_allclose(start.variances, usual.variances.transpose(order))

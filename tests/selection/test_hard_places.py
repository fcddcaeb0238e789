"""Entries that are hard to predict: at the ends of the longest mode, and next to outliers."""

from __future__ import annotations

import numpy as np

from tensorfill.observed import ObservedTensor
from tensorfill.selection.hard_places import hard_places


def test_ends_of_the_longest_mode_are_hard() -> None:
    rng = np.random.default_rng(0)
    known = rng.random((3, 200)) < 0.5
    found = hard_places(ObservedTensor.from_array(rng.random(known.shape), known), np.zeros_like(known))
    columns = np.flatnonzero(known.any(axis=0))
    assert set(np.flatnonzero(found.any(axis=0))) == {columns[0], columns[-1]}
    assert not (found & ~known).any()


def test_neighbours_of_an_outlier_are_hard_and_the_outlier_itself_is_not_held_out() -> None:
    rng = np.random.default_rng(1)
    known = rng.random((30, 40)) < 0.6
    known[12, 20] = True
    values = 0.7 + 0.01 * rng.random(known.shape)
    values[12, 20] = 700.0
    found = hard_places(ObservedTensor.from_array(values, known), np.zeros_like(known))
    assert found[10:15, 18:23].sum() == known[10:15, 18:23].sum() - 1
    assert not found[12, 20]


def test_what_is_held_out_already_is_left_alone() -> None:
    known = np.ones((3, 200), dtype=bool)
    held = np.zeros_like(known)
    held[:, 0] = True
    found = hard_places(ObservedTensor.from_array(np.random.default_rng(2).random(known.shape), known), held)
    assert not (found & held).any()
    assert found[:, -1].all()

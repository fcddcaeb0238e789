"""Weights of missing entries grow from what is known to the middle of a hole."""

from __future__ import annotations

import numpy as np

from tensorfill.spectral.depth import depth_weights


def test_nothing_is_open_at_known_entries() -> None:
    missing = np.zeros((8, 9, 3), dtype=bool)
    missing[2:7, 3:8] = True
    weights = depth_weights(missing, np.float64)
    assert not weights[~missing].any()
    assert (weights[missing] > 0).all()
    assert (weights < 1).all()


def test_the_middle_of_a_hole_is_deepest() -> None:
    missing = np.zeros((30, 31), dtype=bool)
    missing[5:26, 5:26] = True
    weights = depth_weights(missing, np.float64)
    assert np.unravel_index(weights.argmax(), weights.shape) == (15, 15)
    np.testing.assert_allclose(weights[15, 5:16], np.sqrt(np.arange(1, 12) / np.arange(9, 20)))


def test_a_channel_with_nothing_known_is_open_whatever_the_others_know() -> None:
    missing = np.zeros((8, 9, 3), dtype=bool)
    missing[..., 1] = True
    weights = depth_weights(missing, np.float64)
    assert (weights[..., 1] == 1).all()
    assert not weights[..., [0, 2]].any()


def test_a_mask_that_is_the_same_in_all_frames_gives_the_same_weights_in_all() -> None:
    missing = np.random.default_rng(0).random((12, 10, 1)) < 0.6
    whole = depth_weights(np.repeat(missing, 5, axis=2), np.float32)
    np.testing.assert_array_equal(whole, np.repeat(depth_weights(missing, np.float32), 5, axis=2))

"""A blend: a weighted mean of what its parts say, none below zero."""

import numpy as np
import pytest

from tensorfill.estimates.blend import BlendedEstimate
from tensorfill.estimates.dense import DenseEstimate

FIRST, SECOND = np.array([[1.0, -2.0], [3.0, 4.0]]), np.array([[0.0, 6.0], [-1.0, 8.0]])


@pytest.fixture
def blend() -> BlendedEstimate:
    return BlendedEstimate([DenseEstimate(FIRST), DenseEstimate(SECOND)], [0.25, 0.75])


def test_parts_are_clipped_before_they_are_added(blend: BlendedEstimate) -> None:
    np.testing.assert_allclose(blend.dense(), [[0.25, 4.5], [0.75, 7.0]])


def test_single_entries_are_those_of_the_whole(blend: BlendedEstimate) -> None:
    rows = np.argwhere(np.ones((2, 2), dtype=bool))
    np.testing.assert_allclose(blend.at(rows), blend.dense()[tuple(rows.T)])


def test_components_are_the_weighted_parts(blend: BlendedEstimate) -> None:
    np.testing.assert_allclose(sum(blend.components()), blend.dense())
    assert len(blend.components()) == 2

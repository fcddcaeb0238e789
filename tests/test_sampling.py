"""Hiding entries: the rule is one line of numpy, so that anyone can repeat it."""

import re

import numpy as np
import pytest

from tensorfill.errors import InvalidSetting
from tensorfill.sampling import uniform


@pytest.mark.parametrize("shape", [(7,), (4, 5), (3, 4, 5), (2, 3, 2, 3)])
@pytest.mark.parametrize("keep", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_the_rule_is_exactly_one_line_of_numpy(shape: tuple[int, ...], keep: float, seed: int) -> None:
    kept = uniform(shape, keep, seed)
    np.testing.assert_array_equal(kept, np.random.default_rng(seed).random(shape) < keep)
    assert kept.dtype == np.bool_


def test_the_share_kept_is_as_asked() -> None:
    assert uniform((100, 100, 10), keep=0.3, seed=0).mean() == pytest.approx(0.3, abs=0.01)


def test_keeping_everything_keeps_everything() -> None:
    assert uniform((10, 10), keep=1, seed=0).all()


def test_a_larger_share_keeps_what_a_smaller_one_kept() -> None:
    assert uniform((9, 9), 0.7, seed=3)[uniform((9, 9), 0.2, seed=3)].all()


def test_seeds_differ() -> None:
    assert (uniform((9, 9), 0.5, seed=0) != uniform((9, 9), 0.5, seed=1)).any()


def test_a_list_is_a_shape_too() -> None:
    np.testing.assert_array_equal(uniform([3, 4], 0.5, 0), uniform((3, 4), 0.5, 0))


def test_numpys_global_state_is_neither_used_nor_changed() -> None:
    np.random.seed(5)  # noqa: NPY002
    first = uniform((6, 6), 0.5, 0)
    drawn = np.random.random()  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    assert drawn == np.random.random()  # noqa: NPY002
    np.testing.assert_array_equal(first, uniform((6, 6), 0.5, 0))


@pytest.mark.parametrize("keep", [0, -0.1, 1.5, float("nan")])
def test_a_share_outside_the_possible_is_refused(keep: float) -> None:
    sentence = f"'keep' must be above 0 and at most 1, the share of entries to keep. Got {keep!r} instead."
    with pytest.raises(InvalidSetting, match=f"^{re.escape(sentence)}$"):
        uniform((3, 3), keep, seed=0)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^'seed' must be 0 or more\. Got -1 instead\.$"):
        uniform((3, 3), 0.5, seed=-1)

"""The pattern of holes: which kinds of missing entries there are, and that nobody finds it out twice."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill import complete
from tensorfill import missingness as patterns
from tensorfill.missingness import Missingness

Mask = NDArray[np.bool_]


def scattered() -> Mask:
    return np.random.default_rng(0).random((60, 80)) < 0.5


def test_scattered_entries_are_of_one_kind() -> None:
    pattern = Missingness(scattered())
    assert not any((pattern.structured, pattern.any_lost, pattern.any_deep, pattern.mixed, pattern.only_lost))
    assert not pattern.apart.any()


def test_a_large_hole_among_scattered_entries_is_apart() -> None:
    known = scattered()
    known[10:30, 20:50] = False
    pattern = Missingness(known)
    assert pattern.any_deep
    assert pattern.apart is pattern.deep
    assert pattern.deep[12:28, 22:48].all()
    assert not (pattern.deep & known).any()


def test_a_lost_row_among_scattered_entries_is_apart() -> None:
    known = scattered()
    known[7] = False
    pattern = Missingness(known)
    assert pattern.mixed
    assert pattern.apart is pattern.lost
    assert not pattern.only_lost
    assert [indices.tolist() for indices in pattern.lost_indices] == [[7], []]
    left, indices = pattern.left
    np.testing.assert_array_equal(left.mask, np.delete(known, 7, axis=0))
    np.testing.assert_array_equal(known[np.ix_(*indices)], left.mask)
    assert not left.any_lost


def test_lost_frames_alone_are_holes_like_others() -> None:
    known = np.ones((12, 10, 9), dtype=bool)
    known[:, :, 4] = False
    pattern = Missingness(known)
    assert pattern.only_lost
    assert pattern.structured
    assert not pattern.mixed


def test_what_is_left_is_another_pattern() -> None:
    known = np.ones((12, 10), dtype=bool)
    known[3] = False
    held = np.zeros_like(known)
    held[8] = True
    pattern = Missingness(known)
    assert pattern.without(held).lost_indices[0].tolist() == [3, 8]
    assert pattern.lost_indices[0].tolist() == [3]


@pytest.mark.parametrize("question", ["structured", "mixed", "any_deep", "apart", "lost"])
def test_nothing_is_found_out_twice(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for name in ("is_structured", "find_large_holes", "find_lost_indices"):
        real = getattr(patterns, name)
        monkeypatch.setattr(patterns, name, lambda *given, name=name, real=real: (asked.append(name), real(*given))[1])
    pattern = Missingness(scattered())
    first = getattr(pattern, question)
    once = list(asked)
    assert once
    assert getattr(pattern, question) is first
    assert asked == once


def test_a_pattern_can_be_pickled() -> None:
    pattern = Missingness(scattered())
    assert not pattern.structured
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(pattern)).mask, pattern.mask)


def test_one_completion_asks_once_whether_missingness_is_structured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By itself, for its choice of bases, for its choice between methods, and for how sure it is."""
    asked: list[int] = []
    real = patterns.is_structured

    def look(mask: Mask) -> Any:
        asked.append(mask.size)
        return real(mask)

    monkeypatch.setattr(patterns, "is_structured", look)
    i, j = np.meshgrid(np.linspace(0, 6, 200), np.linspace(0, 4, 100), indexing="ij")
    known = np.random.default_rng(0).random(i.shape) < 0.5
    complete(2 + np.sin(i + j), known, method="spectral").uncertainty.any()
    assert asked == [known.size]
    asked.clear()
    complete(2 + np.sin(i + j), known, effort="low").uncertainty.any()
    assert asked == [known.size]

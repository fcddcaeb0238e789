"""What groups start from, and how much of it stays."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.missingness import Missingness
from tensorfill.patches.settings import PatchSettings
from tensorfill.patches.start import Start
from tensorfill.selection.judge import Judge

Floats = NDArray[np.float32]


def start_of(side: int = 40) -> tuple[Start, Floats, Floats]:
    """One with a tenth held out; the truth there, and what the start predicts."""
    rng = np.random.default_rng(0)
    values = rng.random((side, side)).astype(np.float32)
    mask = rng.random((side, side)) < 0.5
    held = mask & (rng.random((side, side)) < 0.2)
    before = (values + rng.normal(size=values.shape) * 0.1).astype(np.float32)
    judge = Judge.of(Missingness(mask), held)
    start = Start(mask, values, held, judge, before, before, 0.0, frozenset({0, 1}), 0.0)
    return start, values[held], before[held]


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_as_much_counts_as_makes_errors_smallest(share: float) -> None:
    start, truth, first = start_of()
    said = first + (truth - first) / np.float32(share)  # too far by just that
    assert start.share(said, first, PatchSettings()) == pytest.approx(share, rel=1e-4)


@pytest.mark.parametrize(("factor", "share"), [(0.5, 1.0), (4.0, 0.5)])
def test_groups_count_for_a_half_at_least_and_never_for_more_than_they_say(factor: float, share: float) -> None:
    start, truth, first = start_of()
    assert start.share(first + np.float32(factor) * (truth - first), first, PatchSettings()) == share


def test_of_few_entries_or_no_change_nothing_is_learned() -> None:
    start, truth, first = start_of(side=10)
    assert start.share(first + 2 * (truth - first), first, PatchSettings()) == 1
    start, _, first = start_of()
    assert start.share(first, first, PatchSettings()) == 1

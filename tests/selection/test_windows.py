"""Windows: how a part of a tensor is cut."""

from __future__ import annotations

from tensorfill.selection.windows import window_sizes, windows


def test_the_longest_modes_are_halved_until_few_entries_are_left() -> None:
    assert window_sizes((512, 512, 31), (0, 1, 2), 2**18, 32) == [64, 128, 31]
    assert window_sizes((100, 50), (0, 1), 5000, 32) == [100, 50]


def test_modes_that_must_not_be_cut_stay_whole() -> None:
    assert window_sizes((512, 64), (1,), 2**14, 32) == [512, 32]
    assert window_sizes((512, 64), (1,), 2**13, 32) is None
    assert window_sizes((512, 64), (), 2**13, 32) is None


def test_windows_are_at_the_beginning_the_middle_and_the_end() -> None:
    assert list(windows((10, 4), [4, 4])) == [
        (slice(0, 4), slice(0, 4)),
        (slice(3, 7), slice(0, 4)),
        (slice(6, 10), slice(0, 4)),
    ]

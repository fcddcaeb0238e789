"""Arrays on disk: every part is what it would be of an array in memory, and little is in memory at a time."""

from __future__ import annotations

import pickle
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorfill.errors import UnreadableFile
from tensorfill.formats import file_array
from tensorfill.formats.file_array import FileArray, cut, fill_by_pieces, order_of, pieces, take

VALUES = np.arange(4 * 5 * 6 * 3).reshape(4, 5, 6, 3)
KEYS = [
    np.s_[:],
    np.s_[1:3],
    np.s_[..., 0],
    np.s_[2, :, 1:4, 2],
    np.s_[:, ::2, ::-1],
    np.s_[-1, -2:, ..., 1:],
    np.s_[3:3],
]


def on_disk(folder: Path, values: np.ndarray, dtype: Any = None, axes: Any = None, offset: int = 0) -> FileArray:
    """The same numbers in a file."""
    axes = tuple(range(values.ndim)) if axes is None else axes
    stored = np.dtype(values.dtype if dtype is None else dtype)
    path = folder / "numbers"
    path.write_bytes(bytes(offset) + values.transpose(axes).astype(stored).tobytes())
    return FileArray.of(path, stored, values.shape, axes, offset)


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("axes", [None, (2, 0, 1, 3), (3, 2, 1, 0)], ids=str)
@pytest.mark.parametrize("mapped", [2**26, 100, 1], ids=str)
def test_a_part_is_that_of_the_array(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: Any, axes: Any, mapped: int
) -> None:
    monkeypatch.setattr(file_array, "_MAPPED", mapped)
    array = on_disk(tmp_path, VALUES, axes=axes)
    np.testing.assert_array_equal(array[key], VALUES[key])
    np.testing.assert_array_equal(array.part(key)[...], VALUES[key])
    changed = VALUES.copy()
    changed[key] = array[key] = -7
    np.testing.assert_array_equal(array, changed)


@pytest.mark.parametrize("dtype", [">f4", "<u2", "?", ">i8"])
def test_values_are_in_the_byte_order_of_this_machine(tmp_path: Path, dtype: str) -> None:
    values = (VALUES % 2).astype(dtype)
    array = on_disk(tmp_path, values, offset=13)
    assert array.dtype == values.dtype.newbyteorder("=") == array[0].dtype
    np.testing.assert_array_equal(array, values)


def test_what_is_read_lies_in_memory_as_it_does_in_the_file(tmp_path: Path) -> None:
    frames = on_disk(tmp_path, VALUES, axes=(2, 0, 1, 3))
    assert np.moveaxis(frames[:, :, 1:3], 2, 0).flags.c_contiguous
    assert order_of(frames) == [2, 0, 1, 3]


def test_numpy_takes_it_for_the_whole_array(tmp_path: Path) -> None:
    array = on_disk(tmp_path, VALUES)
    np.testing.assert_array_equal(array == 5, VALUES == 5)
    np.testing.assert_array_equal(1 + array, VALUES + 1)
    assert np.asarray(array, dtype=np.float32).dtype == np.float32
    assert (len(array), array.ndim, array.size, array.nbytes) == (4, 4, VALUES.size, VALUES.nbytes)
    np.testing.assert_array_equal(array.T, VALUES.T)


def test_it_can_be_sent_to_another_process(tmp_path: Path) -> None:
    array = on_disk(tmp_path, VALUES)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(array)), VALUES)


def test_a_file_that_became_shorter_is_an_error_and_not_the_end_of_the_process(tmp_path: Path) -> None:
    array = on_disk(tmp_path, VALUES)
    array.path.write_bytes(bytes(100))
    with pytest.raises(UnreadableFile, match="has become shorter"):
        array[...]
    array.path.unlink()
    with pytest.raises(UnreadableFile, match="cannot be read any more: No such file"):
        array[...]


def test_wrong_indices_are_refused(tmp_path: Path) -> None:
    array = on_disk(tmp_path, VALUES)
    with pytest.raises(IndexError):
        array[4]
    with pytest.raises(IndexError, match="5 indices for 4 modes"):
        array[0, 0, 0, 0, 0]
    with pytest.raises(TypeError):
        array[[1, 2]]


@pytest.mark.parametrize("shape", [(), (7,), (0, 3), (4, 5, 6), (1, 1, 9)])
@pytest.mark.parametrize("most", [1, 10, 1000])
def test_regions_make_up_the_whole_each_once(shape: tuple[int, ...], most: int) -> None:
    seen = np.zeros(shape, int)
    for region in cut(shape, 1, most=most):
        seen[region] += 1
        assert np.zeros(shape)[region].size <= max(1, most)
    assert (seen == 1).all()


def test_regions_are_cut_between_blocks() -> None:
    regions = list(cut((10, 7), 1, blocks=(4, 3), most=12))
    assert {(part.start, part.stop) for part, _ in regions} == {(0, 4), (4, 8), (8, 10)}
    assert {(part.start, part.stop) for _, part in regions} == {(0, 3), (3, 6), (6, 7)}


def test_an_array_goes_to_disk_by_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = on_disk(tmp_path, np.zeros_like(VALUES), axes=(2, 0, 1, 3))
    fill_by_pieces(array, lambda region: VALUES[region])
    np.testing.assert_array_equal(array, VALUES)
    monkeypatch.setattr(file_array, "PIECE", array.nbytes // 6)
    assert [region[2].start for region in pieces(array)] == [0, 1, 2, 3, 4, 5]


def test_a_number_by_itself_stays_an_array(tmp_path: Path) -> None:
    single = np.array(3.5, dtype=">f8")
    assert take(single, ()).dtype == single.dtype
    assert take(on_disk(tmp_path, single), ()).shape == ()


def test_little_of_a_large_file_is_in_memory_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    with path.open("wb") as file:
        file.truncate(2**30)
    array = FileArray.of(path, np.dtype(np.uint8), (2**10, 2**10, 2**10))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for region in pieces(array):
        assert not array[region].any()
    assert not array[:, 5:7, ::512].any()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**28 / 2**10

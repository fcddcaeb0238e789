"""An array that is still being made: readers wait for what they need, and no longer."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tensorfill.formats import Contents, DataFile
from tensorfill.formats.arriving import ArrivingArray
from tensorfill.formats.contents import Reading
from tensorfill.formats.file_array import take
from tensorfill.formats.scratch import scratch_in

SOON = 0.05  # seconds


def test_what_is_there_is_read_at_once() -> None:
    array = ArrivingArray(np.arange(24).reshape(2, 3, 4), mode=2)
    array.advance(2)
    assert array[:, :, :2].sum() == take(array.array, np.s_[:, :, :2]).sum()
    assert array[0, 0, 1] == 1
    assert (array.shape, array.dtype, array.size, array.there) == ((2, 3, 4), np.dtype(int), 24, 2)


def test_a_reader_waits_for_what_is_not_there_yet() -> None:
    values = np.zeros((2, 3, 4))
    array = ArrivingArray(values, mode=2)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(lambda: array[:, :, 1:3].sum())
        array.advance(2)
        with pytest.raises(TimeoutError):
            reader.result(SOON)
        values[...] = 1
        array.advance(3)
        assert reader.result(10) == 12


def test_waiting_ends_with_the_error_of_who_makes_it() -> None:
    array = ArrivingArray(np.zeros((4, 5)))
    array.advance(2)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(lambda: np.asarray(array))
        array.abort(RuntimeError("no more"))
        with pytest.raises(RuntimeError, match="no more"):
            reader.result(10)
    assert array[:2].shape == (2, 5)  # what is there stays


@pytest.mark.parametrize("name", ["out.npy", "out.h5", "out.zarr", "out.mkv", "out.tif", "out.gif", "out.npz", "out"])
def test_a_file_is_written_while_its_pages_come(tmp_path: Path, name: str) -> None:
    values = np.random.default_rng(0).integers(0, 255, (6, 7, 5), dtype=np.uint8)
    file = DataFile.of(tmp_path / name, None if "." in name else "frames")
    mode = file.form.page_mode(Contents(values))
    assert mode is not None
    with scratch_in(tmp_path, large=0) as scratch:
        array = ArrivingArray(scratch.allocate(values.shape, values.dtype), mode)
        writer = threading.Thread(target=file.write, args=(Contents(array),))
        writer.start()
        for index in range(values.shape[mode]):
            place = (slice(None),) * mode + (slice(index, index + 1),)
            array.array[place] = values[place]
            array.advance(index + 1)
        writer.join(60)
        assert not writer.is_alive()
    np.testing.assert_array_equal(file.read(Reading()), values)


def test_a_file_that_is_not_finished_is_not_there(tmp_path: Path) -> None:
    array = ArrivingArray(np.zeros((4, 5)))
    array.advance(3)
    array.abort(RuntimeError("no more"))
    with pytest.raises(RuntimeError, match="no more"):
        DataFile.of(tmp_path / "out.npy").write(Contents(array))
    assert list(tmp_path.iterdir()) == []

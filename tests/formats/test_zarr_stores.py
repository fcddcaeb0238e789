"""Zarr stores, in folders and zip files: which array, what is kept, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr
from array_files import decode_here, read

from tensorfill.errors import UnreadableFile

CUBE = np.arange(24, dtype=np.int16).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    decode_here(monkeypatch)


def stored(path: Path, data: np.ndarray = CUBE, **how: Any) -> Path:
    """A store as another program would write it."""
    array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, **{"chunks": (1, 3, 2), **how})
    array[...] = data
    return path


@pytest.mark.parametrize(
    "how",
    [
        {"zarr_format": 2},
        {"zarr_format": 2, "compressors": numcodecs.Blosc()},
        {"zarr_format": 2, "compressors": numcodecs.LZ4(), "filters": [numcodecs.Delta(dtype="i2")]},
        {"zarr_format": 2, "order": "F", "compressors": None},
        {"compressors": zarr.codecs.GzipCodec()},
        {"compressors": zarr.codecs.BloscCodec()},
        {"compressors": None},
        {"shards": (2, 3, 4)},
    ],
)
def test_stores_of_other_programs_are_read(tmp_path: Path, how: dict[str, Any]) -> None:
    contents = read(stored(tmp_path / "a.zarr", **how))
    np.testing.assert_array_equal(contents.data, CUBE)


def test_an_array_in_a_group_is_named_by_its_path(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "a.zarr")
    for name in ("0", "labels/1"):
        group.create_array(name, shape=CUBE.shape, dtype=CUBE.dtype)[...] = CUBE
    assert read(tmp_path / "a.zarr", "labels/1").metadata.variable == "labels/1"
    with pytest.raises(UnreadableFile, match=r"has no array '../a.zarr/0'"):
        read(tmp_path / "a.zarr", "../a.zarr/0")


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_a_group_may_describe_all_its_arrays_itself_as_xarray_has_it(tmp_path: Path, version: Any) -> None:
    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=version, attributes={"made from": "array"})
    for name in ("cube", "deep/inside"):
        group.create_array(name, shape=CUBE.shape, dtype=CUBE.dtype)[...] = CUBE
    zarr.consolidate_metadata(tmp_path / "a.zarr")
    for name in ("cube", "deep/inside"):
        np.testing.assert_array_equal(read(tmp_path / "a.zarr", name).data, CUBE)


def test_the_description_whose_codecs_are_checked_is_the_one_that_is_used(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.zarr")
    other = json.loads((stored(tmp_path / "b.zarr", zarr_format=2) / ".zarray").read_text())
    (path / ".zarray").write_text(json.dumps({**other, "zarr_format": 3}))  # which would lead to zarr.json instead
    with pytest.raises(UnreadableFile, match="damaged"):
        read(path)


def test_a_piece_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.zarr")
    (path / "c/0/0/0").unlink()
    assert read(path).notes == (f"{path} stores 3 of its 4 pieces; in the others all is 0.",)

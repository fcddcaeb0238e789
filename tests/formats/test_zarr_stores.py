"""Zarr stores, in folders and zip files: which array, what is kept, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr
from array_files import check_same, decode_here, read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tensorfill import formats
from tensorfill.errors import TensorfillError, UnreadableFile
from tensorfill.formats import Contents, Metadata

DTYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", ">f8", ">i2"]
CUBE = np.arange(24, dtype=np.int16).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    decode_here(monkeypatch)


def stored(path: Path, data: np.ndarray = CUBE, **how: Any) -> Path:
    """A store as another program would write it."""
    array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, **{"chunks": (1, 3, 2), **how})
    array[...] = data
    return path


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=2, max_dims=5, max_side=4))
    ),
    masked=st.booleans(),
    name=st.sampled_from([None, "data", "scan/first/cube"]),
    file=st.sampled_from(["a.zarr", "a.zarr.zip"]),
    attributes=st.dictionaries(
        st.text("abcé_", min_size=1, max_size=5),
        st.one_of(st.text(max_size=5), st.integers(-(2**40), 2**40), st.lists(st.floats(0, 1), max_size=3)),
        max_size=3,
    ),
)
def test_writing_and_reading_changes_nothing(
    tmp_path: Path,
    data: np.ndarray,
    masked: bool,
    name: str | None,
    file: str,
    attributes: dict[str, Any],
) -> None:
    observed = np.arange(data.size).reshape(data.shape) % 3 > 0 if masked else None
    metadata = Metadata(
        variable=name,
        wavelengths=tuple(np.linspace(0.4, 0.7, data.shape[-1]).tolist()),
        affine=np.diag([0.1, 2.0, 3.0, 1.0]),
        header={"attributes": attributes, "dimension_names": tuple("abcde"[: data.ndim])},
        header_of="zarr",
    )
    contents = Contents(data, observed, metadata=metadata)
    assert formats.write(tmp_path / file, contents) == ()
    back = read(tmp_path / file)
    check_same(back, contents, "wavelengths", "affine", "header")
    assert back.metadata.variable == (name or ("data" if masked else None))
    assert back.notes == ()


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


@pytest.mark.parametrize("field", [{"filters": [{"id": "pickle"}]}, {"compressor": {"id": "pickle"}}])
def test_pickles_are_never_loaded(tmp_path: Path, field: dict[str, Any]) -> None:
    path = stored(tmp_path / "a.zarr", zarr_format=2)
    said = json.loads((path / ".zarray").read_text())
    (path / ".zarray").write_text(json.dumps({**said, **field}))
    with pytest.raises(UnreadableFile, match="packed by the codec 'pickle', which is not used here"):
        read(path)


def test_pickles_are_never_loaded_from_new_stores_or_shards_either(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.zarr", shards=(2, 3, 4))
    said = json.loads((path / "zarr.json").read_text())
    said["codecs"][0]["configuration"]["codecs"].append({"name": "numcodecs.pickle", "configuration": {}})
    (path / "zarr.json").write_text(json.dumps(said))
    with pytest.raises(UnreadableFile, match=r"packed by the codec 'numcodecs.pickle'"):
        read(path)


def test_the_description_whose_codecs_are_checked_is_the_one_that_is_used(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.zarr")
    other = json.loads((stored(tmp_path / "b.zarr", zarr_format=2) / ".zarray").read_text())
    (path / ".zarray").write_text(json.dumps({**other, "zarr_format": 3}))  # which would lead to zarr.json instead
    with pytest.raises(UnreadableFile, match="damaged"):
        read(path)


def test_links_out_of_the_store_are_not_followed(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.zarr")
    secret = tmp_path / "secret"
    (path / "c/0/0/0").rename(secret)
    (path / "c/0/0/0").symlink_to(secret)
    with pytest.raises(UnreadableFile, match="is a link that leads out of its Zarr store, which is not followed"):
        read(path)
    (path / "c/0/0/0").unlink()
    (path / "c/0").rename(tmp_path / "folder")
    (path / "c/0").symlink_to(tmp_path / "folder")
    with pytest.raises(UnreadableFile, match="is a link that leads out"):
        read(path)


def test_a_pipe_among_the_pieces_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.zarr")
    (path / "c/0/0/0").unlink()
    os.mkfifo(path / "c/0/0/0")
    with pytest.raises(UnreadableFile, match="is not an ordinary file"):
        read(path)


def test_a_piece_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.zarr")
    (path / "c/0/0/0").unlink()
    assert read(path).notes == (f"{path} stores 3 of its 4 pieces; in the others all is 0.",)


@pytest.mark.parametrize("how", [{}, {"compressors": None}, {"zarr_format": 2}, {"shards": (2, 3, 4)}])
def test_a_piece_cut_short_is_refused(tmp_path: Path, how: dict[str, Any]) -> None:
    path = stored(tmp_path / "a.zarr", **how)
    piece = max((file for file in path.rglob("*") if file.is_file() and "zarr" not in file.name), key=os.path.getsize)
    whole = piece.read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        piece.write_bytes(whole[:length])
        with pytest.raises(UnreadableFile, match="not a Zarr store that can be read: it is damaged"):
            read(path)


@pytest.mark.parametrize(
    ("shape", "chunks", "sentence"),
    [
        ([10**6, 10**6, 10**3], [100, 100, 10], "declares an array"),
        ([30000, 30000, 4], [1000, 1000, 4], "declares an array"),
        ([2000, 2000, 4], [1, 1, 1], "too many to read"),
        ([2, 3, 4], [10**6, 10**6, 1], "declares an array"),
        ([-2, 3, 4], [1, 3, 2], "damaged"),
        ([2, 3], [1, 3, 2], "damaged"),
        ("ab", [1, 3, 2], "damaged"),
    ],
)
def test_sizes_that_lie_are_refused(tmp_path: Path, shape: Any, chunks: Any, sentence: str) -> None:
    path = stored(tmp_path / "a.zarr", zarr_format=2)
    said = json.loads((path / ".zarray").read_text())
    (path / ".zarray").write_text(json.dumps({**said, "shape": shape, "chunks": chunks}))
    with pytest.raises(TensorfillError, match=sentence):
        read(path)


def test_an_empty_folder_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "a.zarr").mkdir()
    with pytest.raises(UnreadableFile, match=r"The arrays in it are: none"):
        read(tmp_path / "a.zarr")

"""Zarr stores, in folders and zip files: which array, what is kept, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tensorfill.errors import InvalidInput, TensorfillError, UnreadableFile
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.arrays.zarr_store import Zarr, ZarrZip
from tensorfill.formats.reading import Reading

DTYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", ">f8", ">i2"]
CUBE = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
BOTH = [(Zarr(), "a.zarr"), (ZarrZip(), "a.zarr.zip")]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves the start of a process per store; test_guarded_reading.py has one."""
    monkeypatch.setattr(Zarr, "guarded", False)


def read(path: Path, dataset: str | None = None) -> Contents:
    """What is in the store."""
    return Zarr().read(path, Reading(dataset))


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
    which=st.sampled_from(BOTH),
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
    which: tuple[Zarr, str],
    attributes: dict[str, Any],
) -> None:
    form, path = which[0], tmp_path / which[1]
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    observed = np.arange(data.size).reshape(data.shape) % 3 > 0 if masked else None
    metadata = Metadata(
        variable=name,
        wavelengths=tuple(np.linspace(0.4, 0.7, data.shape[-1]).tolist()),
        affine=np.diag([0.1, 2.0, 3.0, 1.0]),
        header={"attributes": attributes, "dimension_names": tuple("abcde"[: data.ndim])},
        header_of="zarr",
    )
    contents = Contents(data, observed, metadata=metadata)
    assert form.refuses(contents) is None
    form.write(path, contents)
    back = form.read(path, Reading())
    np.testing.assert_array_equal(back.data, data)
    assert back.dtype == data.dtype.newbyteorder("=")
    assert (back.observed is None) == (observed is None)
    if observed is not None:
        np.testing.assert_array_equal(back.observed, observed)
    assert back.metadata.variable == (name or ("data" if masked else None))
    assert back.metadata.wavelengths == metadata.wavelengths
    np.testing.assert_array_equal(back.metadata.affine, metadata.affine)
    assert back.metadata.header == metadata.header
    assert back.notes == ()


@pytest.mark.parametrize("shape", [(), (3,), (0, 3)])
def test_odd_shapes_are_kept_too(tmp_path: Path, shape: tuple[int, ...]) -> None:
    Zarr().write(tmp_path / "a.zarr", Contents(np.ones(shape)))
    assert read(tmp_path / "a.zarr").shape == shape


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
    with pytest.raises(UnreadableFile, match=r"unless FILE::NAME says .* The arrays in it are: '0', 'labels/1'.$"):
        read(tmp_path / "a.zarr")
    with pytest.raises(UnreadableFile, match=r"has no array '../a.zarr/0'"):
        read(tmp_path / "a.zarr", "../a.zarr/0")


def test_the_only_array_of_a_group_needs_no_name(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=2)
    group.create_array("cube", shape=CUBE.shape, dtype=CUBE.dtype)[...] = CUBE
    np.testing.assert_array_equal(read(tmp_path / "a.zarr").data, CUBE)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_a_group_may_describe_all_its_arrays_itself_as_xarray_has_it(tmp_path: Path, version: Any) -> None:
    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=version, attributes={"made from": "array"})
    for name in ("cube", "deep/inside"):
        group.create_array(name, shape=CUBE.shape, dtype=CUBE.dtype)[...] = CUBE
    zarr.consolidate_metadata(tmp_path / "a.zarr")
    for name in ("cube", "deep/inside"):
        np.testing.assert_array_equal(read(tmp_path / "a.zarr", name).data, CUBE)


@pytest.mark.parametrize("field", ["filters", "compressor"])
def test_pickles_are_never_loaded(tmp_path: Path, field: str) -> None:
    path = stored(tmp_path / "a.zarr", zarr_format=2)
    said = json.loads((path / ".zarray").read_text())
    said[field] = [{"id": "pickle"}] if field == "filters" else {"id": "pickle"}
    (path / ".zarray").write_text(json.dumps(said))
    with pytest.raises(UnreadableFile, match="packed by the codec 'pickle', which is not used here"):
        read(path)


def test_pickles_are_never_loaded_from_new_stores_or_shards_either(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.zarr", shards=(2, 3, 4))
    said = json.loads((path / "zarr.json").read_text())
    said["codecs"][0]["configuration"]["codecs"].append({"name": "numcodecs.pickle", "configuration": {}})
    (path / "zarr.json").write_text(json.dumps(said))
    with pytest.raises(UnreadableFile, match=r"packed by the codec 'numcodecs.pickle'"):
        read(path)


@pytest.mark.parametrize("dtype", ["complex64", "M8[s]", "U3"])
def test_what_is_not_a_real_number_is_refused(tmp_path: Path, dtype: str) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(2, 2), dtype=dtype, zarr_format=2)
    with pytest.raises(InvalidInput, match="must hold real numbers"):
        read(tmp_path / "a.zarr")


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


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.99])
def test_a_zip_file_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "a.zarr.zip"
    ZarrZip().write(path, Contents(CUBE))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UnreadableFile, match="not a Zarr store that can be read: it is damaged"):
        ZarrZip().read(path, Reading())


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


def test_without_zarr_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(UnreadableFile, match=r"a.zarr needs zarr.*: pip install 'tensorfill\[volumes\]'$"):
        read(tmp_path / "a.zarr")

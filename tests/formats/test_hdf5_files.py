"""One array of an HDF5 file: which one, what is kept, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from array_files import check_same, decode_here, read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tensorfill import formats
from tensorfill.errors import InvalidInput, TensorfillError, UnreadableFile
from tensorfill.formats import Contents, Metadata

DTYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", ">f8", ">i2"]
CUBE = np.arange(24.0).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    decode_here(monkeypatch)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=2, max_dims=5, max_side=4))
    ),
    masked=st.booleans(),
    name=st.sampled_from(["data", "images", "scan/first/cube", "été"]),
    attributes=st.dictionaries(
        st.text("abcé_", min_size=1, max_size=5),
        st.one_of(
            st.text("ab é", max_size=5),
            st.integers(-(2**60), 2**60),
            st.floats(allow_nan=False),
            st.binary(max_size=4).map(lambda text: text.rstrip(b"\0")),
            arrays.arrays("f4", (3,), elements=st.floats(0, 1, width=32)),
            st.lists(st.text("ab", max_size=3), min_size=1, max_size=3).map(tuple),
        ),
        max_size=4,
    ),
)
def test_writing_and_reading_changes_nothing(
    tmp_path: Path, data: np.ndarray, masked: bool, name: str, attributes: dict[str, Any]
) -> None:
    observed = np.arange(data.size).reshape(data.shape) % 3 > 0 if masked else None
    bands = data.shape[-1]
    metadata = Metadata(
        variable=name,
        header=attributes,
        header_of="hdf5",
        wavelengths=tuple(np.linspace(0.4, 0.7, bands).tolist()),
        wavelength_unit="µm",
        band_names=tuple(f"band {band}" for band in range(bands)),
        affine=np.diag([2.0, 0.1, 3.0, 1.0]),
        frame_rate=Fraction(30000, 1001),
    )
    contents = Contents(data, observed, metadata=metadata)
    formats.write(tmp_path / "a.h5", contents)
    back = read(tmp_path / "a.h5")
    check_same(back, contents, "variable", "wavelengths", "wavelength_unit", "band_names", "affine", "frame_rate")
    assert back.metadata.header.keys() == attributes.keys()
    for key, value in attributes.items():
        np.testing.assert_array_equal(back.metadata.header[key], value)


def test_values_are_packed(tmp_path: Path) -> None:
    formats.write(tmp_path / "a.h5", Contents(np.zeros((100, 100, 10))))
    assert (tmp_path / "a.h5").stat().st_size < 20_000


def test_a_dataset_is_named_by_its_path(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["scan/a"], file["scan/b"] = CUBE, CUBE + 1
        file["shortcut"] = h5py.SoftLink("/scan/b")
    assert read(tmp_path / "a.h5", "/scan/b").data[0, 0, 0] == 1
    assert read(tmp_path / "a.h5", "shortcut").metadata.variable == "scan/b"


def test_an_array_may_be_in_a_group_which_is_none_itself(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x/a"], file["wavelengths"], file["name"] = CUBE, np.arange(4.0), "text"
    assert read(tmp_path / "a.h5").metadata.variable == "x/a"
    with pytest.raises(InvalidInput, match=r"'x' in .* is a group, not an array"):
        read(tmp_path / "a.h5", "x")


def test_links_to_other_files_are_not_followed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["data"] = CUBE
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["link"] = h5py.ExternalLink("secret.h5", "/data")
        file["soft"] = h5py.SoftLink("/link")
    for name in ("link", "soft"):
        with pytest.raises(UnreadableFile, match="is a link to another file, which is not followed"):
            read(tmp_path / "a.h5", name)
    with pytest.raises(UnreadableFile, match=r"The arrays in it are: none"):
        read(tmp_path / "a.h5")


def test_a_link_to_itself_ends(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["loop"] = h5py.SoftLink("/loop")
        file["group/again"] = file["/"]
    with pytest.raises(UnreadableFile):
        read(tmp_path / "a.h5", "loop")
    with pytest.raises(UnreadableFile, match="none"):
        read(tmp_path / "a.h5")


def test_values_in_other_files_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(24 * 8))
    layout = h5py.VirtualLayout(shape=(2, 3), dtype="f8")
    layout[:] = h5py.VirtualSource("other.h5", "data", shape=(2, 3))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("outside", (2, 3, 4), "f8", external=[("secret.bin", 0, 24 * 8)])
        file.create_virtual_dataset("virtual", layout)
    for name in ("outside", "virtual"):
        with pytest.raises(UnreadableFile, match="lie in other files or datasets, which are not followed"):
            read(tmp_path / "a.h5", name)


def test_absurd_sizes_are_refused_before_memory_is_asked_for(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("large", (10**5, 10**5, 10**3), "f8", chunks=(100, 100, 10))
        file.create_dataset("packed", (20000, 20000), "u4", chunks=(1000, 1000))
        file.create_dataset("dust", (10000, 10000), "u1", chunks=(1, 1))
        file.create_dataset("chunk", (2, 2), "u1", chunks=(60000, 60000), maxshape=(None, None))
    for name, sentence in [("large", "declares an array"), ("packed", "made to fill"), ("dust", "too many")]:
        with pytest.raises(TensorfillError, match=sentence):
            read(tmp_path / "a.h5", name)


def test_a_filter_that_is_not_installed_is_named(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        shape = h5py.h5s.create_simple((4, 4))
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_chunk((4, 4))
        how.set_filter(32999, h5py.h5z.FLAG_OPTIONAL, ())
        h5py.h5d.create(file.id, b"data", h5py.h5t.NATIVE_UINT8, shape, how)
    with pytest.raises(UnreadableFile, match=r"packed by a filter that is not installed \(.*number 32999\)"):
        read(tmp_path / "a.h5")


def test_a_value_that_marks_missing_entries_is_told_and_not_guessed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"] = CUBE
        file["data"].attrs["_FillValue"] = -999.0
    contents = read(tmp_path / "a.h5")
    assert contents.observed is None
    assert "missing=VALUE" in contents.notes[0]

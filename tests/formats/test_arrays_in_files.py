"""What holds for every format of arrays: which one is meant, what comes back, and what is refused."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from array_files import BY_NAME, MATLAB, check_same, decode_here, read, save
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats import Contents, Metadata

WRITTEN = (".npy", ".npz", ".mat", ".h5", ".zarr", ".zarr.zip", ".nii", ".nii.gz", ".hdr")
SHARES = (0.0, 0.1, 0.3, 0.6, 0.9, 0.999)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    decode_here(monkeypatch)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64", ">f8"])
@pytest.mark.parametrize("kind", [*BY_NAME, "npy", "nii", "nii.gz"])
def test_an_array_of_another_program_comes_back_as_it_was(tmp_path: Path, kind: str, dtype: str) -> None:
    data = np.arange(24).reshape((4, 6) if kind == "mat 4" else (2, 3, 4)).astype(dtype)
    if kind == "mat 7.3":
        data = data.astype(data.dtype.newbyteorder("="))
    check_same(read(save(tmp_path, kind, data=data, wavelengths=np.arange(4.0))), Contents(data))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.sampled_from(["bool", "u1", "i2", "u4", "i8", "f2", "f4", "f8", ">f8", ">i2"]).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4))
    ),
    masked=st.booleans(),
    by_slices=st.booleans(),
    extension=st.sampled_from(WRITTEN),
)
def test_what_is_neither_refused_nor_told_to_be_lost_comes_back(
    tmp_path: Path, data: np.ndarray, masked: bool, by_slices: bool, extension: str
) -> None:
    path = tmp_path / f"a{extension}"
    for old in tmp_path.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    observed = np.arange(data.size).reshape(data.shape) % 3 > 0 if masked else None
    sent = Contents(np.asfortranarray(data) if by_slices and data.ndim else data, observed)
    form = formats.format_of(path)
    if form.refuses(sent) is not None or form.losses(sent) or (masked and not form.holds_mask):
        return
    assert formats.write(path, sent) == ()
    check_same(read(path, "data" if extension in (".npz", ".mat", ".h5") else None), sent)


_ALL = ("bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", ">f8", ">i2")
_CALLED = st.text("abcé_", min_size=1, max_size=5)
_PLAIN = st.one_of(st.text("ab é", max_size=5), st.integers(-(2**40), 2**40), st.floats(allow_nan=False))
_LISTS = st.lists(st.text("ab", max_size=3), min_size=1, max_size=3)
_BYTES = st.binary(max_size=4).map(lambda text: text.rstrip(b"\0"))
_ROW = arrays.arrays("f4", (3,), elements=st.floats(0, 1, width=32))


@dataclass(frozen=True)
class Keeps:
    """What comes back from files of a format."""

    dtypes: tuple[str, ...] = _ALL
    fields: tuple[str, ...] = ()
    names: tuple[str | None, ...] = (None,)
    header: st.SearchStrategy[dict[str, Any]] = st.just({})  # noqa: RUF009
    header_of: str = ""
    modes: tuple[int, int] = (2, 5)
    masked: bool = True


_ZARR = Keeps(
    fields=("wavelengths", "wavelength_unit", "band_names", "affine", "frame_rate"),
    names=("data", "scan/first/cube"),
    header=st.fixed_dictionaries({"attributes": st.dictionaries(_CALLED, _PLAIN, max_size=3)}),
    header_of="zarr",
)
_NIFTI = Keeps(dtypes=tuple({*_ALL} - {"bool", "f2"}), fields=("kind", "affine"), masked=False)
_ENVI = {
    "description": st.just("{two\nlines}"),
    "interleave": st.sampled_from(["bsq", "bil", "bip"]),
    "byte order": st.sampled_from(["0", "1"]),
    "map info": st.just("{UTM, 1, 1, 500000, 4000000, 30, 30, 11, North}"),
}
KEEPS = {
    ".npy": Keeps(masked=False),
    ".npz": Keeps(names=("image", "file", "data", "été")),
    ".mat": Keeps(
        dtypes=tuple({*_ALL} - {"f2"}),
        names=("data", "Image_2"),
        header=st.sampled_from([{}, {"version": "7.3"}]),
        header_of="mat",
    ),
    ".h5": Keeps(
        fields=_ZARR.fields,
        names=("data", "images", "scan/first/cube", "été"),
        header=st.dictionaries(_CALLED, st.one_of(_PLAIN, _BYTES, _ROW, _LISTS.map(tuple)), max_size=4),
        header_of="hdf5",
    ),
    ".zarr": _ZARR,
    ".zarr.zip": _ZARR,
    ".nii": _NIFTI,
    ".nii.gz": _NIFTI,
    ".hdr": Keeps(
        dtypes=("u1", "i2", "i4", "f4", "f8", "u2", "u4", "i8", "u8", ">f4", ">u2"),
        fields=("kind", "wavelengths", "wavelength_unit", "band_names"),
        header=st.fixed_dictionaries(_ENVI),
        header_of="envi",
        modes=(3, 3),
        masked=False,
    ),
}
"""By extension."""


@pytest.mark.parametrize("extension", KEEPS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_numbers_mask_name_metadata_and_header_come_back(tmp_path: Path, extension: str, draw: st.DataObject) -> None:
    keeps, path = KEEPS[extension], tmp_path / f"a{extension}"
    shapes = arrays.array_shapes(min_dims=keeps.modes[0], max_dims=keeps.modes[1], max_side=4)
    data = draw.draw(st.sampled_from(keeps.dtypes).flatmap(lambda dtype: arrays.arrays(dtype, shapes)))
    bands = data.shape[-1]
    told: dict[str, Any] = {
        "kind": "cube" if extension == ".hdr" else "volume",
        "wavelengths": tuple((np.arange(bands) / 3 + 400).tolist()),
        "wavelength_unit": draw.draw(st.sampled_from(["", "Nanometers", "µm"])),
        "band_names": tuple(f"Band {band} é" for band in range(bands)),
        "affine": np.diag([2.0, 0.5, 3.0, 1.0]),
        "frame_rate": Fraction(30000, 1001),
    }
    told = {name: told[name] for name in keeps.fields}
    header, variable = draw.draw(keeps.header), draw.draw(st.sampled_from(keeps.names))
    if keeps is _ZARR:
        header["dimension_names"] = tuple("abcde"[: data.ndim])
    metadata = Metadata(variable=variable, header=header, header_of=keeps.header_of, **told)
    masked = keeps.masked and draw.draw(st.booleans())
    sent = Contents(data, np.arange(data.size).reshape(data.shape) % 3 > 0 if masked else None, metadata=metadata)
    form = formats.format_of(path)
    assert form.refuses(sent) is None
    assert all("leaves out sizes of 1" in sentence for sentence in formats.write(path, sent))
    back = read(path)
    check_same(back, sent, "variable", *keeps.fields)
    assert back.notes == ()
    for key, value in header.items():
        np.testing.assert_equal(back.metadata.header[key], value)


@pytest.mark.parametrize("kind", BY_NAME)
def test_without_a_name_it_is_data_or_the_only_matrix_or_the_only_array(tmp_path: Path, kind: str) -> None:
    square, line, number = np.ones((2, 3)), np.ones((1, 3)), np.ones((1, 1))
    for variables, meant in (
        ({"data": square, "other": square}, "data"),
        ({"gain": number, "cube": square, "wavelengths": line}, "cube"),
        ({"whatever": line}, "whatever"),
    ):
        folder = tmp_path / meant
        folder.mkdir()
        contents = read(save(folder, kind, **variables))
        assert contents.metadata.variable == meant
        assert contents.shape == variables[meant].shape


@pytest.mark.parametrize("kind", BY_NAME)
def test_several_are_listed_and_one_is_named_behind_two_colons(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path, kind, first=np.ones((2, 3)), second=np.full((4, 5), 7.0))
    np.testing.assert_array_equal(read(path, "second").data, np.full((4, 5), 7.0))
    there = r"s in it are: 'first', 'second'\.$"
    with pytest.raises(UnreadableFile, match=r"should hold one .* unless FILE::NAME says which is meant.*" + there):
        read(path)
    with pytest.raises(UnreadableFile, match=r"has no (array|variable) 'third'.*" + there):
        read(path, "third")


@pytest.mark.parametrize("kind", [kind for kind in BY_NAME if kind != "mat 4"])
def test_the_mask_is_called_like_the_array_or_observed(tmp_path: Path, kind: str) -> None:
    known = np.eye(4, 5) > 0
    path = save(tmp_path, kind, a=np.ones((4, 5)), b=np.ones((4, 5)), b_observed=known, observed=~known)
    np.testing.assert_array_equal(read(path, "a").observed, ~known)
    np.testing.assert_array_equal(read(path, "b").observed, known)


@pytest.mark.parametrize("kind", [kind for kind in BY_NAME if kind != "npz"])
def test_an_observed_that_is_no_mask_is_left_alone_and_told(tmp_path: Path, kind: str) -> None:
    contents = read(save(tmp_path, kind, data=np.ones((2, 3)), observed=np.ones((2, 3))))
    assert contents.observed is None
    assert "not taken for its mask" in contents.notes[0]


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        *((kind, "complex64") for kind in (*BY_NAME, "npy", "nii")),
        *((kind, dtype) for kind in ("npy", "npz", "zarr", "zarr.zip") for dtype in ("U3", "M8[s]", "i4,f8")),
        *(("h5", dtype) for dtype in ("S3", "i4,f8")),
    ],
)
def test_what_is_not_a_real_number_is_refused(tmp_path: Path, kind: str, dtype: str) -> None:
    path = save(tmp_path, kind, data=np.zeros((2, 2), dtype))
    with pytest.raises(InvalidInput, match="must hold real numbers"):
        read(path, "data" if kind in BY_NAME else None)


@pytest.mark.parametrize("kind", ["npy", "nii", "nii.gz", "zarr.zip", "npz", "h5", *MATLAB])
def test_a_file_cut_short_or_something_else_is_refused(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path, kind, data=np.random.default_rng(0).random((30, 200)))
    whole = path.read_bytes()
    texts = [b"", b"row,column,value\n1,2,3\n" * 30, *(whole[: int(share * len(whole))] for share in SHARES)]
    for text in texts:
        path.write_bytes(text)
        with pytest.raises(UnreadableFile, match=r"is not an? .* that can be read: it is damaged, cut short"):
            read(path)


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [
        ("a.h5", "h5py", "hyperspectral"),
        ("a.mat", "h5py", "hyperspectral"),
        ("a.zarr", "zarr", "volumes"),
        ("a.nii", "nibabel", "volumes"),
    ],
)
def test_without_its_library_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, library: str, extra: str
) -> None:
    contents = Contents(np.ones((2, 2)), metadata=Metadata(header={"version": "7.3"}, header_of="mat"))
    formats.write(tmp_path / name, contents)
    monkeypatch.setitem(sys.modules, library, None)
    sentence = rf"{name} needs {library}, which is not installed: pip install 'tensorfill\[{extra}\]'$"
    with pytest.raises(UnreadableFile, match=sentence):
        read(tmp_path / name)
    with pytest.raises(UnreadableFile, match=sentence):
        formats.write(tmp_path / name, contents)
    assert read(save(tmp_path, "mat 5", data=np.ones((2, 2)))).shape == (2, 2)


@pytest.mark.parametrize("extension", WRITTEN)
def test_a_file_that_is_not_there_is_told(tmp_path: Path, extension: str) -> None:
    with pytest.raises(UnreadableFile, match=rf"^There is no (file|folder) .*a{extension}\.$"):
        read(tmp_path / f"a{extension}")


@pytest.mark.parametrize("extension", WRITTEN)
def test_what_a_format_has_no_place_for_is_told(tmp_path: Path, extension: str) -> None:
    alpha = np.ones((2, 3))
    told = formats.write(tmp_path / f"a{extension}", Contents(np.ones((2, 3)), metadata=Metadata(alpha=alpha)))
    assert any("does not keep how opaque pixels are." in sentence for sentence in told)

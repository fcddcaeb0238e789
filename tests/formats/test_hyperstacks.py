"""TIFF files whose pages make up several modes, time, depth and channels: read by their axes, and written with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

from tensorfill.formats.pictures.tiff import Tiff
from tensorfill.formats.reading import Reading

HYPER = np.random.default_rng(5).integers(0, 255, (2, 4, 3, 6, 8), dtype=np.uint8)
"""Two frames of four slices in three channels."""


@pytest.mark.parametrize("how", [{"imagej": True}, {"ome": True}, {"photometric": "minisblack"}])
def test_hyperstacks_are_read_by_their_axes_and_written_back_with_them(tmp_path: Path, how: dict[str, Any]) -> None:
    tifffile.imwrite(tmp_path / "a.tif", HYPER, metadata={"axes": "TZCYX"}, **how)
    read = Tiff().read(tmp_path / "a.tif", Reading())
    np.testing.assert_array_equal(read.data, HYPER.transpose(3, 4, 0, 1, 2))
    assert read.metadata.axes == "YXTZC"
    assert read.notes == ()
    Tiff().write(tmp_path / "b.tif", read)
    with tifffile.TiffFile(tmp_path / "a.tif") as before, tifffile.TiffFile(tmp_path / "b.tif") as after:
        assert after.series[0].axes == "TZCYX"
        np.testing.assert_array_equal(after.asarray(), HYPER)
        assert after.imagej_metadata == before.imagej_metadata
        assert after.is_ome == before.is_ome


def test_what_imagej_says_about_units_comes_back(tmp_path: Path) -> None:
    told = {
        "axes": "ZCYX",
        "spacing": 2.5,
        "unit": "um",
        "mode": "composite",
        "Labels": [str(page) for page in range(12)],
    }
    tifffile.imwrite(tmp_path / "a.tif", HYPER[0], imagej=True, metadata=told, resolution=(3.0, 3.0))
    read = Tiff().read(tmp_path / "a.tif", Reading())
    assert read.shape == (6, 8, 4, 3)
    assert read.metadata.axes == "YXZC"
    Tiff().write(tmp_path / "b.tif", read)
    with tifffile.TiffFile(tmp_path / "a.tif") as before, tifffile.TiffFile(tmp_path / "b.tif") as after:
        assert after.imagej_metadata == before.imagej_metadata
        assert after.pages[0].tags["XResolution"].value == before.pages[0].tags["XResolution"].value


def test_of_a_hyperstack_frames_are_read_along_its_first_mode(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tif", HYPER, imagej=True, metadata={"axes": "TZCYX"})
    read = Tiff().read(tmp_path / "a.tif", Reading(frames=(1, 1)))
    np.testing.assert_array_equal(read.data, HYPER[1:].transpose(3, 4, 0, 1, 2))
    Tiff().write(tmp_path / "b.tif", read)
    back = Tiff().read(tmp_path / "b.tif", Reading())
    np.testing.assert_array_equal(back.data, read.data)
    assert back.metadata.axes == "YXTZC"


def test_axes_that_do_not_fit_the_pages_are_told(tmp_path: Path) -> None:
    lines = "ImageJ=1.54\nimages=12\nchannels=5\nslices=4\nhyperstack=true\n"
    tifffile.imwrite(tmp_path / "a.tif", HYPER[0].reshape(12, 6, 8), description=lines, metadata=None)
    read = Tiff().read(tmp_path / "a.tif", Reading())
    assert read.shape == (6, 8, 12)
    assert "also 4 slices, 5 channels: they do not fit, and are read one by one." in read.notes[0]

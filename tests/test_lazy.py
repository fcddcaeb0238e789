"""Dask arrays are completed lazily and in kind; what is computed in the end is what NumPy arrays give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorfill
from tensorfill.errors import InvalidInput, InvalidSetting

da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(1)
ROWS, COLUMNS, FRAMES = np.ogrid[:48, :40, :12]
CLIP = (120 + 80 * np.sin(ROWS / 7 + FRAMES / 5) * np.cos(COLUMNS / 6)).astype(np.uint8)
KNOWN = RNG.random(CLIP.shape) < 0.5
TILE = (24, 20, 12)


@pytest.fixture(scope="module")
def lazy() -> Any:
    return tensorfill.complete(
        da.from_array(CLIP, chunks=(24, 40, 5)), da.from_array(KNOWN, chunks=16), "spectral", tile=TILE
    )


@pytest.fixture(scope="module")
def eager() -> tensorfill.Completion:
    return tensorfill.complete(CLIP, KNOWN, "spectral", tile=TILE)


def test_it_is_lazy_and_in_the_chunks_of_the_data(lazy: Any) -> None:
    assert isinstance(lazy.tensor, da.Array)
    assert lazy.filled is lazy.tensor
    assert lazy.tensor.chunks == ((24, 24), (40,), (5, 5, 2))
    assert lazy.tensor.dtype == CLIP.dtype
    assert "not computed yet" in repr(lazy)


def test_it_computes_what_a_numpy_array_gives_bit_for_bit(lazy: Any, eager: tensorfill.Completion) -> None:
    found = lazy.compute()
    assert np.array_equal(found, eager.tensor)
    assert np.array_equal(found[KNOWN], CLIP[KNOWN])
    assert np.array_equal(lazy.compute(scheduler="synchronous"), found)


def test_the_model_and_the_uncertainty_are_lazy_too(lazy: Any, eager: tensorfill.Completion) -> None:
    np.testing.assert_allclose(lazy.model.compute(), eager.model, rtol=1e-6)
    unsure = lazy.uncertainty.compute()
    assert (unsure[KNOWN] == 0).all()
    np.testing.assert_allclose(unsure, eager.uncertainty, rtol=1e-4)


def test_it_joins_a_larger_graph(lazy: Any, eager: tensorfill.Completion, tmp_path: Path) -> None:
    assert np.array_equal((lazy.astype(int) + 1).compute(), eager.tensor.astype(int) + 1)
    assert np.array_equal((lazy // 2)[3].compute(), (eager.tensor // 2)[3])
    assert np.array_equal(da.concatenate([lazy, lazy]).compute(), np.concatenate([eager.tensor] * 2))
    assert isinstance(lazy.persist(), da.Array)
    pytest.importorskip("zarr")
    lazy.to_zarr(str(tmp_path / "filled.zarr"))
    assert np.array_equal(da.from_zarr(str(tmp_path / "filled.zarr")).compute(), eager.tensor)


def test_a_data_array_comes_back_with_its_coordinates(eager: tensorfill.Completion) -> None:
    xarray = pytest.importorskip("xarray")
    holes = np.where(KNOWN, CLIP, np.nan).astype(np.float32)
    data = xarray.DataArray(
        da.from_array(holes, chunks=24), dims=("y", "x", "time"), coords={"time": np.arange(12.0)}, name="light"
    )
    found = tensorfill.complete(data, method="spectral", tile=TILE).filled
    assert isinstance(found.data, da.Array)
    assert (found.dims, found.name) == (data.dims, "light")
    assert found.time.equals(data.time)
    whole = tensorfill.complete(holes, method="spectral", tile=TILE)
    assert np.array_equal(found.compute().values, whole.tensor)


def test_a_mask_of_the_first_modes_is_enough() -> None:
    pixels = RNG.random(CLIP.shape[:2]) < 0.6
    found = tensorfill.complete(da.from_array(CLIP, chunks=24), pixels, "linear", tile=TILE)
    assert np.array_equal(found.compute()[pixels], CLIP[pixels])


def test_other_bounds_are_kept() -> None:
    data = CLIP.astype(np.float32) - 150
    found = tensorfill.complete(da.from_array(data, chunks=24), KNOWN, "spectral", tile=TILE, lower=None, upper=60)
    assert found.model.max().compute() <= 60
    with pytest.raises(InvalidInput, match=r"In the tile that begins at .*negative"):
        tensorfill.complete(da.from_array(data, chunks=24), KNOWN, "spectral", tile=TILE).compute()


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"time_limit": 3}, "nothing yet that time_limit= could be about"),
        ({"watch": print}, "nothing yet that watch= could be about"),
        ({"tile": "large"}, "be 'auto', None, a whole number above 1"),
        ({"tile": (1, 2)}, "one for each of the 3 modes"),
        ({"method": "none such"}, "none such"),
    ],
)
def test_what_cannot_be_is_refused_at_once(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidSetting, match=sentence):
        tensorfill.complete(da.from_array(CLIP, chunks=24), KNOWN, **asked)


def test_masks_that_do_not_fit_are_refused_at_once() -> None:
    data = da.from_array(CLIP, chunks=24)
    with pytest.raises(InvalidInput, match="boolean"):
        tensorfill.complete(data, CLIP)
    with pytest.raises(InvalidInput, match="shape of the data"):
        tensorfill.complete(data, KNOWN[:5])


def test_a_numpy_array_does_not_load_dask() -> None:
    program = """
import sys, numpy, tensorfill
tensorfill.complete(numpy.ones((6, 6)), numpy.eye(6) == 0, "linear")
assert not [name for name in sys.modules if name.split(".")[0] in ("dask", "distributed", "xarray")]
"""
    subprocess.run([sys.executable, "-c", program], check=True)

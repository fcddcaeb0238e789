"""What tiles share: a prior pooled over windows, and the solver of a tile that starts with it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tensorfill.methods.shared_spectral import SharedSpectral
from tensorfill.methods.spectral import Spectral
from tensorfill.observed import ObservedTensor
from tensorfill.spectral.bases import Cosines, CosinesWithin
from tensorfill.spectral.prior import fit_to, starting_prior
from tensorfill.spectral.run import SpectralSettings
from tensorfill.spectral.shared import constraint_pays
from tensorfill.tensor import Array

ROWS, COLUMNS, FRAMES = np.ogrid[:56, :48, :12]
CLIP = 100 * (0.5 + 0.3 * np.sin(ROWS / 7 + FRAMES / 5) * np.cos(COLUMNS / 6) + 0.1 * np.sin(ROWS * COLUMNS / 300))
SCATTERED = np.random.default_rng(1).random(CLIP.shape) < 0.3
LOST = np.ones(CLIP.shape, bool)
LOST[:, :, [4, 9]] = LOST[:, 20:23] = LOST[30:34, 5:15] = False


def windows(known: Array, data: Array = CLIP) -> list[ObservedTensor]:
    return [ObservedTensor.from_array(data[part], known[part]) for part in (np.s_[:40], np.s_[16:, :40])]


def learn(known: Array, data: Array = CLIP, method: Spectral | None = None) -> SharedSpectral:
    learned = (method or Spectral()).learn(windows(known, data), rng=np.random.default_rng(0))
    assert isinstance(learned, SharedSpectral)
    return learned


@pytest.fixture(scope="module")
def shared() -> SharedSpectral:
    return learn(SCATTERED)


def rmse(found: Array, known: Array, data: Array = CLIP) -> float:
    return float(np.sqrt(np.mean((found - data)[~known] ** 2)))


def complete(method: Spectral | SharedSpectral, known: Array, data: Array = CLIP) -> Array:
    done = method.complete(ObservedTensor.from_array(data, known), rng=np.random.default_rng(0))
    return np.asarray(done.model)


@pytest.mark.parametrize("known", [SCATTERED, LOST], ids=["scattered", "lost"])
def test_a_tile_is_completed_about_as_well_as_by_itself(known: Array) -> None:
    assert rmse(complete(learn(known), known), known) < 1.1 * rmse(complete(Spectral(), known), known)


def test_nothing_is_negative_and_there_is_a_certificate(shared: SharedSpectral) -> None:
    done = shared.complete(ObservedTensor.from_array(CLIP, SCATTERED), rng=np.random.default_rng(0))
    assert done.model.min() >= 0
    assert done.certificate is not None
    assert done.certificate.lower <= done.certificate.upper
    assert "held-out entries of 2 windows" in done.reasons["bases"]


def test_it_is_sure_where_it_is_right(shared: SharedSpectral) -> None:
    done = shared.complete(ObservedTensor.from_array(CLIP, SCATTERED), rng=np.random.default_rng(0))
    errors, sure = np.abs(done.tensor - CLIP)[~SCATTERED], done.uncertainty[~SCATTERED]
    assert 0.5 < np.mean(errors < sure) < 0.95
    assert np.mean(errors < 2 * sure) > 0.88


def test_lost_slices_are_less_sure_than_what_is_missing_here_and_there() -> None:
    known = SCATTERED.copy()
    known[:, :, 5] = False
    done = learn(known).complete(ObservedTensor.from_array(CLIP, known), rng=np.random.default_rng(0))
    missing = ~known
    missing[:, :, 5] = False
    assert done.uncertainty[:, :, 5].mean() > done.uncertainty[missing].mean()


def test_the_units_of_a_tile_do_not_matter(shared: SharedSpectral) -> None:
    """A tile of another size by a power of two is told so by its setting in the units of the data."""
    assert shared.settings_in_data_units == ("scale",)
    halved = SharedSpectral(
        **{part.name: getattr(shared, part.name) for part in fields(shared)} | {"scale": shared.scale / 4}
    )
    np.testing.assert_allclose(
        4 * complete(halved, SCATTERED, CLIP / 4), complete(shared, SCATTERED), rtol=1e-9, atol=1e-9
    )


def test_a_tile_far_brighter_than_all_windows_learns_by_itself(shared: SharedSpectral) -> None:
    bright = 2.0**30 * CLIP
    np.testing.assert_array_equal(complete(shared, SCATTERED, bright), complete(Spectral(power=1), SCATTERED, bright))


def test_a_dark_tile_is_dark(shared: SharedSpectral) -> None:
    assert not complete(shared, SCATTERED, np.zeros(CLIP.shape)).any()
    assert not complete(shared, SCATTERED, np.full(CLIP.shape, 1e-9)).max() > 2e-9


def test_a_power_that_windows_choose_is_that_of_tiles() -> None:
    skewed = np.exp(CLIP / 12) + np.random.default_rng(0).exponential(1, CLIP.shape)
    shared = learn(SCATTERED, skewed, Spectral(power=0.5))
    assert shared.power == 0.5
    assert shared.variance > 0
    alone = complete(Spectral(power=0.5), SCATTERED, skewed)
    assert rmse(complete(shared, SCATTERED, skewed), SCATTERED, skewed) < 1.15 * rmse(alone, SCATTERED, skewed)


def test_settings_of_one_size_are_not_shared() -> None:
    rng = np.random.default_rng(0)
    for method in (
        Spectral(rank=2),
        Spectral(spectrum="matern-3/2"),
        Spectral(borders=((1, 0), (0, 0), (0, 0))),
        Spectral(bases=("fourier", "dct", "dct")),
    ):
        assert method.learn(windows(SCATTERED), rng=rng) is method
    dark = [ObservedTensor.from_array(np.zeros(CLIP.shape), SCATTERED)]
    assert Spectral().learn(dark, rng=rng) == Spectral()


def test_bases_that_are_given_are_those_of_tiles() -> None:
    assert learn(SCATTERED, method=Spectral(bases=("dct", "dct", "learned"))).shared.learned == (2,)
    assert learn(SCATTERED, method=Spectral(bases=("dct", "dct", "dct"))).shared.learned == ()


_ELSEWHERE = """
import pickle, sys
import numpy as np
method, observed = pickle.load(open(sys.argv[1], "rb"))
sys.stdout.write(method.complete(observed, rng=np.random.default_rng(0)).model.tobytes().hex())
"""


def test_another_process_gets_the_same_bits(shared: SharedSpectral, tmp_path: Path) -> None:
    tile = ObservedTensor.from_array(CLIP[:40], SCATTERED[:40])
    (tmp_path / "tile").write_bytes(pickle.dumps((shared, tile)))
    told = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, str(tmp_path / "tile")], capture_output=True, text=True, check=True
    )
    here = shared.complete(tile, rng=np.random.default_rng(0)).model
    assert bytes.fromhex(told.stdout) == here.tobytes()


def test_a_spectrum_fits_other_sizes_and_borders() -> None:
    prior = starting_prior([Cosines(64), Cosines(40)], 1.0)
    np.testing.assert_allclose(fit_to(prior, [Cosines(64), Cosines(40)]).variances, prior.variances)
    wide = fit_to(prior, [CosinesWithin(67, 2, 1), Cosines(80)])
    assert wide.transform.coefficient_shape == (67, 80)
    inner = fit_to(prior, [Cosines(64), Cosines(80)]).variances
    np.testing.assert_allclose(wide.variances[: len(inner)], inner)
    assert len(wide.variances) == len(inner) + 3
    assert (wide.variances > 0).all()


def test_w_above_zero_takes_its_full_time_only_where_it_made_windows_better(shared: SharedSpectral) -> None:
    def found(*errors: tuple[float, float] | None) -> bool:
        plan = SimpleNamespace(settings=SpectralSettings())
        return constraint_pays([SimpleNamespace(constraint_errors=each, plan=plan) for each in errors])  # type: ignore[misc]

    assert not shared.shared.constraint_pays  # nothing of this clip is near zero
    assert not found(None, None)
    assert not found(None, (1.0, 0.99))
    assert found(None, (1.0, 0.9))
    assert not found((1.0, 1.2), (1.0, 0.9))

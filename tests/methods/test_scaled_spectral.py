"""Spectral with slices in units of their own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill import complete
from tensorfill.errors import InvalidSetting
from tensorfill.methods.scaled_spectral import ScaledSpectral
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

Mask = NDArray[np.bool_]


def stations(seed: int) -> tuple[Array, Mask]:
    """Places whose sizes have nothing to do with each other but whose hours are alike; whole days are missing."""
    rng = np.random.default_rng(seed)
    sizes = rng.lognormal(0, 1.5, 20)
    hours = 1 + np.sin(np.linspace(0, 3, 16))[None, :] * rng.uniform(0.5, 1, (14, 1))
    full = sizes[:, None, None] * hours * rng.lognormal(0, 0.05, (20, 14, 16))
    known = np.broadcast_to(rng.random((20, 14, 1)) > 0.4, full.shape)
    return full, known


def relative_error(found: Array, full: Array, known: Mask) -> float:
    """Of every place in its own size, root mean square."""
    return float(np.sqrt(np.mean(((found - full) / full.mean(axis=(1, 2), keepdims=True))[~known] ** 2)))


@pytest.mark.parametrize("seed", range(3))
def test_small_slices_are_no_noise_beside_large_ones(seed: int) -> None:
    full, known = stations(seed)
    scaled, plain = (complete(full, known, method=method).model for method in ("scaled-spectral", "spectral"))
    assert relative_error(scaled, full, known) < 0.8 * relative_error(plain, full, known)


def test_the_mode_is_found_and_told() -> None:
    full, known = stations(0)
    done = complete(full, known, method="scaled-spectral")
    assert done.settings["mode"] == 1
    assert "mode 1" in done.reasons["mode"]
    turned = complete(full.transpose(2, 0, 1), known.transpose(2, 0, 1), method="scaled-spectral")
    assert turned.settings["mode"] == 2
    again = complete(full, known, method="scaled-spectral", mode=1)
    np.testing.assert_array_equal(again.model, done.model)


def test_it_is_tried_by_auto_where_slices_differ_in_size_only() -> None:
    full, known = stations(1)
    assert ScaledSpectral().worth_trying(ObservedTensor.from_array(full, known))
    assert "scaled-spectral" in complete(full, known).reasons["weights"]
    even = full / full.mean(axis=(1, 2), keepdims=True)
    assert not ScaledSpectral().worth_trying(ObservedTensor.from_array(even, known))


def test_predictions_deviations_and_watchers_are_in_the_datas_units() -> None:
    full, known = stations(2)
    seen: list[float] = []
    done = complete(
        full,
        known,
        method="scaled-spectral",
        watch=lambda snapshot: seen.append(float(snapshot.estimate.dense().max())),
    )
    where = np.argwhere(~known)[::50]
    np.testing.assert_allclose(done.predict(where, raw=True), done.model[tuple(where.T)], rtol=1e-6)
    assert seen[-1] == pytest.approx(done.model.max(), rel=0.05)
    missed = np.abs(done.model - full)[~known]
    assert np.mean(missed < 2 * done.uncertainty[~known]) > 0.8


@pytest.mark.parametrize("mode", [0, 1.5, "first", 4])
def test_a_mode_that_is_none_is_refused(mode: object) -> None:
    full, known = stations(0)
    with pytest.raises(InvalidSetting, match="'mode' of scaled-spectral"):
        complete(full, known, method="scaled-spectral", mode=mode)

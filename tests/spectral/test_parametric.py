"""Spectra of a family: recovered exactly if the variances are of it, and the nearest of it if not."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.spectral.bases import Cosines, Entries
from tensorfill.spectral.bins import Bins
from tensorfill.spectral.parametric import CORRELATIONS, ParametricSpectrum
from tensorfill.spectral.start import cosine_variances
from tensorfill.tensor import Array

BASES = (Cosines(40), Cosines(30), Cosines(3))


def of_the_family(family: str, lengths: tuple[float, float], channels: Array) -> Array:
    parts = [
        Bins([basis]).sums(cosine_variances(basis.size, CORRELATIONS[family](np.arange(basis.size) / length)))
        / Bins([basis]).counts
        for basis, length in zip(BASES, lengths, strict=False)
    ]
    return 0.7 * np.multiply.outer(np.multiply.outer(parts[0], parts[1]), channels)


@pytest.mark.parametrize("family", CORRELATIONS)
def test_variances_of_a_family_are_found_again_with_the_lengths_given(family: str) -> None:
    wanted = of_the_family(family, (5.0, 2.0), np.array([2.0, 0.5, 0.1]))
    spectrum = ParametricSpectrum(family, BASES, (5.0, 2.0, 1.0))  # type: ignore[arg-type]
    np.testing.assert_allclose(spectrum.nearest(wanted, Bins(BASES).counts), wanted, rtol=1e-6)


@pytest.mark.parametrize("family", ["matern-1/2", "matern-3/2"])
def test_lengths_are_found_if_they_are_not_given(family: str) -> None:
    wanted = of_the_family(family, (6.0, 2.0), np.array([2.0, 0.5, 0.1]))
    found = ParametricSpectrum(family, BASES, None).nearest(wanted, Bins(BASES).counts)  # type: ignore[arg-type]
    weights = Bins(BASES).counts / Bins(BASES).counts.sum()
    assert np.sqrt((weights * np.log(found / wanted) ** 2).sum()) < 0.15, "as near as the grid of lengths is fine"


def test_what_is_found_is_the_most_likely_of_all_lengths_tried() -> None:
    rng = np.random.default_rng(0)
    wanted = of_the_family("matern-1/2", (5.0, 2.0), np.ones(3)) * np.exp(0.5 * rng.normal(size=Bins(BASES).shape))
    weights = Bins(BASES).counts

    def cost(variances: Array) -> float:
        return float((weights * (np.log(variances) + wanted / variances)).sum())

    best = cost(ParametricSpectrum("matern-1/2", BASES, None).nearest(wanted, weights))
    for lengths in ((1.0, 1.0, 1.0), (20.0, 20.0, 1.0), (5.0, 10.0, 1.0)):
        assert best <= cost(ParametricSpectrum("matern-1/2", BASES, lengths).nearest(wanted, weights)) + 1e-6


def test_a_mode_without_a_basis_keeps_one_variance() -> None:
    bases = (Cosines(20), Entries(6))
    wanted = np.ones(Bins(bases).shape)
    found = ParametricSpectrum("matern-1/2", bases, None).nearest(wanted, Bins(bases).counts)
    assert found.shape == Bins(bases).shape == (found.shape[0], 1)

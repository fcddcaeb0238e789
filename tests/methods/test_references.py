"""The baselines come out where their authors' programs do.

Reference figures: RMSE over all entries of the raw model, by the authors' programs with another mask and seed; on the
synthetic tensor also with another realisation of the tensor, so there only the order of magnitude is compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill import complete, formats
from tensorfill.estimates.factored import TuckerTensor

BABOON = Path(__file__).parents[3] / "shared" / "data" / "baboon_256.png"

SYNTHETIC: list[tuple[str, dict[str, Any], float]] = [
    ("dual-demo", {"rank": (10, 10, 5)}, 0.0032),
    ("rprecon", {"rank": (10, 10, 5)}, 0.0211),
    ("ncpc", {"rank": 10}, 0.0018),
    ("tmac", {"rank": (10, 10, 5)}, 0.0184),
    ("tmac", {"rank": (10, 10, 5), "weights": "dynamic"}, 0.0181),
    ("lrtc-tv", {}, 0.0491),
    ("lrtc-tv", {"variant": "II"}, 0.0063),
    ("smf-lrtc", {"rank": (10, 10, 5)}, 0.0042),
    ("ffw", {"tau": 100.0}, 0.0047),
    ("ffw", {"tau": 100.0, "standardize": True}, 0.0064),
]

PICTURE: list[tuple[str, dict[str, Any], float]] = [
    ("zero-fill", {}, 0.5120),
    ("mean-fill", {}, 0.1974),
    ("dual", {"rank": (10, 10, 3)}, 0.119),
    ("dual-demo", {"rank": (10, 10, 3)}, 0.33225),
    ("ncpc", {"rank": 10}, 0.1241),
    ("tmac", {"rank": (10, 10, 3)}, 0.1272),
    ("tmac", {"rank": (10, 10, 3), "weights": "dynamic"}, 0.5120),
    ("lrtc-tv", {}, 0.0996),
    ("smf-lrtc", {"rank": (10, 10, 3)}, 0.1150),
    ("ffw", {"tau": 100.0}, 0.1468),
    ("ffw", {"tau": 100.0, "standardize": True}, 0.1241),
    ("t-ctv", {}, 0.0881),
    ("tnn", {}, 0.1303),
    ("halrtc", {}, 0.1178),
    ("spc", {}, 0.0852),
    ("spc", {"variant": "total-variation"}, 0.0987),
]


def synthetic() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """64 × 64 × 20 of multilinear rank (5, 5, 3), 30 % known."""
    rng = np.random.default_rng(100)
    factors = tuple(rng.random((size, rank)) for size, rank in ((64, 5), (64, 5), (20, 3)))
    truth = TuckerTensor(rng.random((5, 5, 3)), factors).dense()
    return truth / truth.max(), np.random.default_rng(0).random(truth.shape) < 0.3


def rmse(truth: NDArray[np.float64], known: NDArray[np.bool_], method: str, settings: dict[str, Any]) -> float:
    model = complete(truth, known, method=method, **settings).model
    return float(np.sqrt(np.mean((model - truth) ** 2)))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "settings", "reference"), SYNTHETIC, ids=str)
def test_on_a_synthetic_tensor_they_are_as_good(method: str, settings: dict[str, Any], reference: float) -> None:
    assert rmse(*synthetic(), method, settings) < 1.5 * reference


@pytest.mark.slow
def test_geomcg_overfits_as_its_program_does() -> None:
    truth, known = synthetic()
    overfitted = rmse(truth, known, "geomcg", {"rank": (10, 10, 5)})
    assert 0.1 < overfitted < 1.0
    assert rmse(truth, known, "geomcg", {"rank": (5, 5, 3)}) < 0.1 * overfitted, "with the right rank it does not"


@pytest.mark.slow
@pytest.mark.skipif(not BABOON.exists(), reason="the picture is not there")
@pytest.mark.parametrize(("method", "settings", "reference"), PICTURE, ids=str)
def test_on_a_picture_they_are_within_three_per_cent(method: str, settings: dict[str, Any], reference: float) -> None:
    truth = formats.read(BABOON).data / 255
    known = np.random.default_rng(0).random(truth.shape) < 0.1
    assert rmse(truth, known, method, settings) < 1.03 * reference

"""Counts by station, day and hour, of which whole station-days are missing."""

from __future__ import annotations

import numpy as np

from tensorfill.tensor import Array


def station_days(seed: int = 0, share: float = 0.7) -> tuple[Array, Array]:
    """Counts by station, day and hour: a large station, a holiday unlike all other days, whole station-days missing."""
    rng = np.random.default_rng(seed)
    stations, days, hours = 30, 14, 24
    profiles = rng.random((3, hours)) ** 2
    levels = np.append(30.0, rng.uniform(1.0, 5.0, stations - 1))
    kinds = rng.dirichlet(np.ones(3), stations) * levels[:, None]
    weekly = np.where((np.arange(days) % 7 >= 5)[:, None], [0.3, 1.0, 1.4], [1.0, 0.6, 0.2])
    weekly[4] = [0.2, 0.1, 3.0]
    truth = rng.poisson(40 * np.einsum("sk,dk,kh->sdh", kinds, weekly, profiles)).astype(float)
    known = rng.random((stations, days, 1)) < share
    known[0, 4] = known[0, 9] = False
    return truth, np.broadcast_to(known, truth.shape).copy()

"""How quick a core of this machine is, compared with those that forecasts were measured on: a moment of work."""

from __future__ import annotations

import time

_ROUNDS = 12
_REFERENCE = 0.0046  # seconds for one round on a core of the machine that forecasts were measured on
_SHAPE = (192, 192, 12)
_MOST = 8.0


def machine_pace() -> float:
    """How many times longer a core works here. How much of it others leave to us shows while the work is done."""
    import numpy as np
    from scipy import fft

    numbers = np.linspace(0.0, 1.0, int(np.prod(_SHAPE))).reshape(_SHAPE)
    taken = []
    for _ in range(_ROUNDS):
        began = time.thread_time()
        fft.idctn(fft.dctn(numbers, axes=(0, 1)), axes=(0, 1))
        taken.append(time.thread_time() - began)
    return float(np.clip(np.median(taken) / _REFERENCE, 1 / _MOST, _MOST))

"""
A forecast: the end of a series is missing
==========================================

A forecast is a completion in which the last slices of a tensor are missing. A series with periods becomes a
tensor with a mode for each: here hours, days of the week, and weeks.
"""

import matplotlib.pyplot as plt
import numpy as np

from tensorfill import complete

# %%
# Electric load of 8 meters over 15 weeks. Days and weeks have their patterns, and the level drifts. The last two
# weeks are not known yet.

rng = np.random.default_rng(1)
hours, weeks, meters = np.arange(24), np.arange(15), 8
daily = np.stack([np.exp(-((hours - at) ** 2) / (2 * width**2)) for at, width in ((8, 1.5), (19, 2.5))])
weekdays = np.array([[1.2, 1.2, 1.1, 1.1, 1.0, 0.5, 0.4], [0.8, 0.8, 0.9, 0.9, 1.2, 1.3, 1.0]])
drift = 1 + 0.4 * np.cos(2 * np.pi * weeks / 30)
load = np.einsum("mp,ph,pd,w->hdwm", rng.gamma(4, 0.25, (meters, 2)), daily, weekdays, drift) + 0.2
truth = load * np.exp(rng.normal(0, 0.06, load.shape))

observed = np.ones(truth.shape, dtype=bool)
observed[:, :, 13:] = False
done = complete(truth, observed)

# %%
# The last known week, repeated, is what a forecast has to beat.


def error(guess: np.ndarray) -> float:
    """RMSE of the two weeks that are not known."""
    return float(np.sqrt(np.mean((guess - truth[:, :, 13:]) ** 2)))


print(f"mean of all weeks        RMSE {error(truth[:, :, :13].mean(axis=2, keepdims=True)):.3f} kW")
print(f"the last week, repeated  RMSE {error(truth[:, :, 12:13]):.3f} kW")
print(f"completed                RMSE {error(done.tensor[:, :, 13:]):.3f} kW")

# %%
# The band is the forecast plus and minus two standard deviations. It is cautious: only a few stretches at the end
# of the series could be held out to calibrate it.

first, meter = 11, 3
time = np.arange((15 - first) * 168) / 24
true, guess, deviation = (array[:, :, first:, meter].T.ravel() for array in (truth, done.tensor, done.uncertainty))
future = time >= 14
fig, ax = plt.subplots(figsize=(9, 3.2), layout="constrained")
low, high = guess - 2 * deviation, guess + 2 * deviation
ax.fill_between(time[future], low[future].clip(0), high[future], color="#A2C8EC", label="± 2 standard deviations")
ax.plot(time, true, ".", color="0.4", markersize=3, label="truth")
ax.plot(time[future], guess[future], color="#006BA4", label="forecast")
ax.axvline(14, color="0.3", linestyle="--", linewidth=1)
ax.set(xlabel="day", ylabel="load / kW", title="One meter: two weeks that are known, two that are not", xlim=(0, 28))
ax.set_ylim(0)
ax.legend(ncols=3, fontsize=8, loc="upper left")

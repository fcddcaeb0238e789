"""
Counts of traffic with broken counters
======================================

Vehicles are counted by sensor, day and hour. Counters break for days at a time, and single hours are lost.
"""

import matplotlib.pyplot as plt
import numpy as np

from tensorfill import complete

# %%
# Rates have a morning and an evening peak that differ from sensor to sensor, and quiet weekends. Counts are
# Poisson.

rng = np.random.default_rng(0)
hours, days, sensors = np.arange(24), np.arange(28), 40
peaks = np.stack([np.exp(-((hours - at) ** 2) / (2 * width**2)) for at, width in ((8, 1.5), (17, 2), (13, 5))])
week = np.where(days % 7 < 5, 1.0, 0.45)[None, :, None] * rng.gamma(60, 1 / 60, (1, 28, 1))
rate = 12 + np.einsum("sp,ph->sh", rng.gamma(2, 60, (sensors, 3)), peaks)[:, None, :] * week
counts = rng.poisson(rate)  # sensor, day, hour

observed = rng.random(counts.shape) > 0.15
for sensor in range(sensors):
    start = rng.integers(0, 24)
    observed[sensor, start : start + rng.integers(2, 6)] = False

done = complete(counts, observed)
print(f"{np.mean(~observed):.0%} missing; counts stay whole numbers: {done.tensor.dtype}; smallest {done.tensor.min()}")

# %%
# The usual replacement is the mean of the same sensor and hour over the days on which it worked. Errors are next
# to the true rate, which no method saw: the counts themselves have Poisson noise that nobody can predict.

usual = np.nanmean(np.where(observed, counts, np.nan), axis=1, keepdims=True)
for name, guess in (("mean of sensor and hour", np.broadcast_to(usual, rate.shape)), ("completed", done.model)):
    print(f"{name:24} RMSE {np.sqrt(np.mean((guess - rate)[~observed] ** 2)):5.1f} vehicles an hour")

# %%
# Two weeks of one sensor. Grey bands are hours without a count.

sensor = 4
shown = slice(0, 14 * 24)
time = np.arange(14 * 24) / 24
gone = ~observed[sensor].ravel()[shown]
fig, ax = plt.subplots(figsize=(9, 3.2), layout="constrained")
ax.fill_between(time, 0, 1, where=gone, transform=ax.get_xaxis_transform(), color="0.88", step="mid", linewidth=0)
ax.plot(time, counts[sensor].ravel()[shown], ".", color="0.45", markersize=4, label="counts, also those not seen")
ax.plot(time, done.model[sensor].ravel()[shown], color="#006BA4", label="completed")
ax.plot(
    time,
    np.broadcast_to(usual, rate.shape)[sensor].ravel()[shown],
    ":",
    color="#C85200",
    label="mean of sensor and hour",
)
ax.set(xlabel="day", ylabel="vehicles an hour", title="A counter that broke down", xlim=(0, 14))
ax.legend(ncols=3, fontsize=8, loc="upper center")

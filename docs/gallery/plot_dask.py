"""
Lazily, with Dask
=================

Given a Dask array, :func:`tensorfill.complete` computes nothing at first. It returns a lazy completion whose
``tensor`` is a Dask array in the chunks of the data: it joins a larger graph, and only the tiles that are
needed are completed.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from tensorfill import complete

# %%
# A time series of maps: rows, columns, days. In practice this would be ``da.from_zarr(...)``.

rng = np.random.default_rng(0)
rows, columns, days = np.meshgrid(np.linspace(0, 3, 96), np.linspace(0, 4, 128), np.linspace(0, 2, 12), indexing="ij")
truth = 1 + 0.5 * np.sin(2 * rows + days) * np.cos(3 * columns - days) + 0.2 * np.sin(9 * rows * columns / 4 + days)
observed = rng.random(truth.shape) < 0.15
maps = da.from_array(np.where(observed, truth, np.nan), chunks=(48, 64, 12))  # NaN marks what is missing

lazy = complete(maps, method="spectral", tile=(48, 64, 12))
print(lazy.tensor)

# %%
# Work on it as on any array. This computes the two tiles on the left, and those around them only as far as they
# overlap.

left = lazy.tensor[:, :64].compute()
mean = lazy.tensor.mean(axis=(0, 1)).compute()

fig, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained", width_ratios=(1.35, 0.7, 1))
axes[0].imshow(maps[:, :, 6].compute(), cmap=plt.colormaps["viridis"].with_extremes(bad="0.9"), vmin=0.3, vmax=1.7)
axes[0].set_title("observed (15 %), day 6")
axes[1].imshow(left[:, :, 6], cmap="viridis", vmin=0.3, vmax=1.7)
axes[1].set_title("left half, completed")
for ax in axes[:2]:
    ax.axis("off")
axes[2].plot(truth.mean(axis=(0, 1)), color="0.7", linewidth=5, label="truth")
axes[2].plot(da.nanmean(maps, axis=(0, 1)).compute(), ":", color="#C85200", label="mean of what is observed")
axes[2].plot(mean, color="#006BA4", label="mean of the completion")
axes[2].set(xlabel="day", title="Mean of the map")
axes[2].legend(fontsize=8)

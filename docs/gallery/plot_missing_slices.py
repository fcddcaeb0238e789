"""
A volume with missing slices
============================

A scan of a head-like phantom in which two slices of three were not taken. What lies between is filled in.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.interpolate import interp1d
from scipy.ndimage import gaussian_filter

from tensorfill import complete

# %%
# Ellipsoids of different intensity: centre, half axes, intensity. A slight blur stands for the resolution of the
# scanner.

ELLIPSOIDS = [
    ((0, 0, 0), (0.92, 0.70, 0.95), 1.0),
    ((-0.02, 0, 0), (0.86, 0.63, 0.88), -0.7),
    ((0.0, 0.24, 0.05), (0.34, 0.14, 0.45), 0.25),
    ((0.0, -0.24, -0.05), (0.42, 0.17, 0.40), 0.25),
    ((0.40, 0.0, 0.1), (0.22, 0.26, 0.35), 0.3),
    ((-0.55, 0.1, 0.0), (0.10, 0.16, 0.25), 0.45),
]
y, x, z = np.meshgrid(*(np.linspace(-1, 1, size) for size in (60, 52, 43)), indexing="ij")
truth = np.zeros(y.shape)
for (cy, cx, cz), (ay, ax_, az), intensity in ELLIPSOIDS:
    truth += intensity * (((y - cy) / ay) ** 2 + ((x - cx) / ax_) ** 2 + ((z - cz) / az) ** 2 < 1)
truth = gaussian_filter(truth, 1.0).clip(0)

taken = np.arange(43) % 3 == 0
observed = np.broadcast_to(taken, truth.shape)
done = complete(truth, observed, method="spectral")

# %%
# Repeating the nearest slice leaves steps, and linear interpolation between slices a ripple; a section along the
# head shows both.

nearest = truth[:, :, 3 * np.round(np.arange(43) / 3).astype(int)]
linear = interp1d(np.arange(0, 43, 3), truth[:, :, ::3])(np.arange(43))

panels = {"taken": np.where(observed, truth, np.nan)}
for name, guess in {"nearest slice": nearest, "linear": linear, "completed": done.tensor}.items():
    panels[f"{name}, RMSE {np.sqrt(np.mean((guess - truth)[:, :, ~taken] ** 2)):.3f}"] = guess
panels["truth"] = truth
grey = plt.colormaps["gray"].with_extremes(bad="#44679b")
fig, axes = plt.subplots(1, 5, figsize=(11, 3.3), layout="constrained")
for ax, (title, volume) in zip(axes, panels.items(), strict=True):
    ax.imshow(volume[:, 26, :], cmap=grey, vmin=0, vmax=1, aspect=0.8)
    ax.set_title(title, fontsize=10)
    ax.set(xticks=[], yticks=[])

"""
Lost frames of a clip
=====================

Some frames of a clip are missing altogether. Low rank alone says nothing about such a frame; the methods that
``auto`` starts with use that neighbouring frames are alike.
"""

import matplotlib.pyplot as plt
import numpy as np

from tensorfill import complete

# %%
# A clip of waves that move: rows, columns, frames. Frames 5, 14, 15 and 26 are lost.

rows, columns, frames = np.meshgrid(np.arange(64), np.arange(96), np.arange(40), indexing="ij")
phase = 2 * np.pi * frames / 40
swell = np.sin(0.16 * columns + 0.22 * rows - 4 * phase) + 0.6 * np.sin(0.09 * columns - 0.3 * rows + 5 * phase)
depth = 0.35 + 0.5 * rows / 64
truth = np.clip(255 * depth * (0.75 + 0.12 * swell), 0, 255)
buoy = np.exp(-((rows - 34 - 5 * np.sin(2 * phase)) ** 2 + (columns - 60) ** 2) / 16)
truth = (1 - buoy) * truth + buoy * 245 + np.random.default_rng(0).normal(0, 1.5, truth.shape)

lost = [5, 14, 15, 26]
observed = np.ones(truth.shape, dtype=bool)
observed[:, :, lost] = False
done = complete(truth, observed, effort="low")

# %%
# The frames before and after, the mean of these two, and the completion, each with its error.

shown = 26
mean = (truth[:, :, shown - 1] + truth[:, :, shown + 1]) / 2
error = {
    name: np.sqrt(np.mean((guess - truth[:, :, shown]) ** 2)) / 255
    for name, guess in {"mean": mean, "done": done.tensor[:, :, shown]}.items()
}
panels = {
    f"frame {shown - 1}": truth[:, :, shown - 1],
    f"frame {shown + 1}": truth[:, :, shown + 1],
    f"frame {shown}, truth": truth[:, :, shown],
    f"mean of both, RMSE {error['mean']:.3f}": mean,
    f"completed, RMSE {error['done']:.3f}": done.tensor[:, :, shown],
    "its error × 10": 10 * abs(done.tensor[:, :, shown] - truth[:, :, shown]),
}
fig, axes = plt.subplots(2, 3, figsize=(9, 4.4), layout="constrained")
for ax, (title, image) in zip(axes.flat, panels.items(), strict=True):
    ax.imshow(image, cmap="cividis", vmin=0, vmax=255)
    ax.set_title(title)
    ax.axis("off")

"""
Larger than memory: tiles
=========================

A tensor that does not fit into memory is cut into overlapping tiles. Each is completed by itself, with what was
learned from a few windows of the whole, and the tiles are blended where they overlap. Here a small example is
cut on purpose.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage.data import brick

from tensorfill import complete

# %%
# A wall of which 30 % of the pixels are observed, once as a whole and once in tiles of 96 × 96 pixels.

truth = brick()[:192, :288] / 255
observed = np.random.default_rng(0).random(truth.shape) < 0.3
whole = complete(truth, observed, method="spectral", tile=None)
tiles = complete(truth, observed, method="spectral", tile=(96, 96))
print(tiles.reasons["tiles"])

# %%
# White lines mark the tiles. Each tile saw 16 pixels of its neighbours to either side, so there are no seams.


def error(done) -> float:
    """RMSE of the missing entries."""
    return float(np.sqrt(np.mean((done.tensor - truth)[~observed] ** 2)))


panels = {
    "observed (30 %)": np.where(observed, truth, np.nan),
    f"as a whole, RMSE {error(whole):.4f}": whole.tensor,
    f"in six tiles, RMSE {error(tiles):.4f}": tiles.tensor,
    "difference of the two × 20": abs(tiles.tensor - whole.tensor) * 20,
}
fig, axes = plt.subplots(2, 2, figsize=(9, 6.2), layout="constrained")
for ax, (title, image) in zip(axes.flat, panels.items(), strict=True):
    ax.imshow(image, cmap=plt.colormaps["gray"].with_extremes(bad="#44679b"), vmin=0, vmax=1)
    ax.set_title(title)
    ax.axis("off")
for at in (96, 192):
    axes[1, 0].axvline(at - 0.5, color="white", linewidth=0.8)
axes[1, 0].axhline(95.5, color="white", linewidth=0.8)

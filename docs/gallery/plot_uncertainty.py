"""
How sure is a completion?
=========================

``Completion.uncertainty`` gives the standard deviation of every entry. It is calibrated on observed entries
that were held out.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage.data import astronaut

from tensorfill import complete

# %%
# A photograph of which 20 % of the pixels are observed, and a block of which nothing is.

truth = astronaut()[0:160, 140:300].mean(axis=2) / 255
observed = np.random.default_rng(0).random(truth.shape) < 0.2
observed[100:125, 20:60] = False

done = complete(truth, observed, method="spectral")
error, deviation = abs(done.tensor - truth), done.uncertainty

# %%
# The map of deviations is large where the errors are: at edges, and inside the block.

panels = {
    "observed": (np.where(observed, truth, np.nan), "gray", 1.0),
    "completed": (done.tensor, "gray", 1.0),
    "standard deviation": (deviation, "cividis", 0.25),
    "error": (error, "cividis", 0.25),
}
fig, axes = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
for ax, (title, (image, colours, largest)) in zip(axes, panels.items(), strict=True):
    shown = ax.imshow(image, cmap=plt.colormaps[colours].with_extremes(bad="#44679b"), vmin=0, vmax=largest)
    ax.set_title(title)
    ax.axis("off")
fig.colorbar(shown, ax=axes[2:], shrink=0.8)

# %%
# Calibration: sort the missing entries by their deviation, and compare it with the errors that were made. Points
# on the diagonal mean that the deviations are right on average; of normal errors 68 % and 95 % would lie within
# one and two deviations.

missing = ~observed
order = np.argsort(deviation[missing])
told = [np.sqrt(np.mean(part**2)) for part in np.array_split(deviation[missing][order], 12)]
made = [np.sqrt(np.mean(part**2)) for part in np.array_split(error[missing][order], 12)]
within = [np.mean(error[missing] < factor * deviation[missing]) for factor in (1, 2)]
fig, ax = plt.subplots(figsize=(4.2, 4), layout="constrained")
ax.axline((0, 0), slope=1, color="0.6", linestyle="--")
ax.plot(told, made, "o-", color="#006BA4")
ax.set(xlabel="standard deviation told", ylabel="RMSE made", xlim=0, ylim=0)
ax.set_title(f"{within[0]:.0%} within one, {within[1]:.0%} within two", fontsize=10)

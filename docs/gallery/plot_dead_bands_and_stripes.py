"""
Dead bands and stripes of a cube
================================

A hyperspectral camera loses whole bands, and single columns of other bands. Both are filled in from the bands
and the places around them.
"""

import matplotlib.pyplot as plt
import numpy as np

from tensorfill import complete

# %%
# Four materials, each with a spectrum of its own, mixed over a small scene of 64 × 64 pixels and 24 bands, with
# noise.

rng = np.random.default_rng(7)
rows, columns = np.meshgrid(np.linspace(0, 1, 64), np.linspace(0, 1, 64), indexing="ij")
near = np.stack([np.exp(-9 * ((rows - y) ** 2 + (columns - x) ** 2)) for y, x in rng.random((4, 2))])
veins = 1 + 0.25 * np.sin(24 * columns + 9 * np.sin(6 * rows))
wavelengths, bands = np.linspace(420, 1040, 24), np.linspace(0, 1, 24)
peaks = np.array([[0.0], [0.3], [0.6], [1.0]])
spectra = 0.35 + 0.5 * np.exp(-12 * (bands - peaks) ** 2)
truth = np.einsum("krc,kb->rcb", near * veins / near.sum(axis=0), spectra) + rng.normal(0, 0.003, (64, 64, 24))

observed = np.ones(truth.shape, dtype=bool)
observed[:, :, [6, 15, 16]] = False
for band in range(24):
    observed[:, rng.choice(64, 10, replace=False), band] = False

done = complete(truth, observed, method="spectral")
error = np.sqrt(np.mean((done.tensor - truth)[~observed] ** 2))
print(f"{np.mean(~observed):.0%} missing, RMSE of the missing entries {error:.4f}")

# %%
# A band with stripes above, a dead band below.

fig, axes = plt.subplots(2, 3, figsize=(7.5, 5.2), layout="constrained")
grey = plt.colormaps["cividis"].with_extremes(bad="lightgrey")
for line, band in zip(axes, (10, 15), strict=True):
    seen = np.where(observed, truth, np.nan)[:, :, band]
    for ax, image, title in zip(
        line, (seen, done.tensor[:, :, band], truth[:, :, band]), ("observed", "completed", "truth"), strict=True
    ):
        ax.imshow(image, cmap=grey, vmin=0.2, vmax=1)
        ax.set_title(f"{wavelengths[band]:.0f} nm, {title}")
        ax.axis("off")

# %%
# The spectrum of one pixel, with the dead bands.

fig, ax = plt.subplots(figsize=(7.5, 3), layout="constrained")
ax.plot(wavelengths, truth[30, 20], color="0.6", linewidth=5, label="truth")
ax.plot(wavelengths, done.tensor[30, 20], color="#006BA4", label="completed")
missing = ~observed[30, 20]
ax.plot(wavelengths[missing], done.tensor[30, 20, missing], "o", color="#C85200", label="was missing")
ax.set(xlabel="wavelength / nm", ylabel="reflectance", title="Spectrum of one pixel")
ax.legend()

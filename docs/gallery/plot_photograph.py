"""
A photograph with 10 % of its entries
=====================================

Hide nine of ten entries of a photograph and complete it with the default settings.
"""

# %%
# Load the photograph that ships with tensorfill, and keep one entry in ten.

from importlib.resources import as_file, files

import matplotlib.pyplot as plt
import numpy as np

import tensorfill

with as_file(files("tensorfill.assets") / "cat.png") as path:
    photograph = tensorfill.read(path).data
observed = np.random.default_rng(0).random(photograph.shape) < 0.1

# %%
# Complete it. ``auto`` needs no settings.

done = tensorfill.complete(photograph, observed, effort="low")
print(done.stop)
print(f"RMSE {tensorfill.score(photograph, done.tensor).rmse:.4f} on a scale of 0 to 1")

# %%
# Observed entries, completion, original.

figure, panels = plt.subplots(1, 3, figsize=(9, 3.2))
for panel, picture, title in zip(
    panels,
    (np.where(observed, photograph, 0), done.tensor, photograph),
    ("observed", "completed", "original"),
    strict=True,
):
    panel.imshow(picture)
    panel.set_title(title)
    panel.set_axis_off()
figure.tight_layout()

"""
A photograph with 90 % missing
==============================

Only 10 % of the entries of a colour photograph are observed. :func:`tensorfill.complete` fills in the others
without any setting.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from tensorfill import complete, score

# %%
# The photograph ships with tensorfill. Every entry, that is every colour of every pixel, is observed with
# probability 0.1. In ``observed`` True means observed.

with (files("tensorfill.assets") / "cat.png").open("rb") as file:
    truth = np.asarray(Image.open(file).convert("RGB"))[40:200, 40:200]
observed = np.random.default_rng(0).random(truth.shape) < 0.1

done = complete(truth, observed)

# %%
# ``done.tensor`` has the shape and the dtype of the input, and the observed entries are exactly as they were.

panels = {
    "observed (10 %)": np.where(observed, truth, 0),
    f"completed, RMSE {score(truth, done.tensor, observed).rmse_unobserved:.3f}": done.tensor,
    "truth": truth,
}
fig, axes = plt.subplots(1, 3, figsize=(9, 3.3), layout="constrained")
for ax, (title, image) in zip(axes, panels.items(), strict=True):
    ax.imshow(image)
    ax.set_title(title)
    ax.axis("off")

# %%
# ``done.reasons`` says what was chosen, and why.

for question, answer in done.reasons.items():
    print(f"{question}: {answer}")

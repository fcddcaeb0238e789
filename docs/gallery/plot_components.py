"""
Components of a completion
==========================

``nonneg-dual`` writes the completed tensor as a sum of components, W = W⁽¹⁾ + W⁽²⁾ + W⁽³⁾, one for each mode,
as in Figure 2 of Sinha, Naram and Kumar. Component k has low rank along mode k only.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from tensorfill import complete

# %%
# 30 % of the entries are observed, and the ranks are 10, 10 and 3.

with (files("tensorfill.assets") / "cat.png").open("rb") as file:
    truth = np.asarray(Image.open(file).convert("RGB").resize((128, 128), Image.Resampling.LANCZOS)) / 255
observed = np.random.default_rng(0).random(truth.shape) < 0.3
done = complete(truth, observed, "nonneg-dual", rank=(10, 10, 3))

# %%
# W⁽¹⁾ is a sum of a few patterns of rows and shows horizontal structure, W⁽²⁾ vertical structure. W⁽³⁾ has low
# rank in colour only, so it mostly corrects the other two at single observed entries. Each is divided by its
# largest value. Components may be negative, which is shown as black; only their sum is nonnegative.

panels = {"observed (30 %)": np.where(observed, truth, 0)}
panels |= {f"component of mode {mode}": part / part.max() for mode, part in enumerate(done.components, start=1)}
panels |= {"sum, W": done.model, "truth": truth}
fig, axes = plt.subplots(2, 3, figsize=(8, 5.6), layout="constrained")
for ax, (title, image) in zip(axes.flat, panels.items(), strict=True):
    ax.imshow(image.clip(0, 1))
    ax.set_title(title)
    ax.axis("off")

# %%
# How much each component contributes, and how many singular values its unfolding has.

for mode, part in enumerate(done.components):
    unfolding = np.moveaxis(part, mode, 0).reshape(truth.shape[mode], -1)
    share = np.sum(part**2) / sum(np.sum(other**2) for other in done.components)
    print(f"component {mode + 1}: rank {np.linalg.matrix_rank(unfolding, tol=1e-8)}, {share:.0%} of the squares")
print("the sum of the components is the model:", np.allclose(sum(done.components), done.model, atol=1e-3))

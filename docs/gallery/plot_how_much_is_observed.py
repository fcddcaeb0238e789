"""
Error against the share that is observed
========================================

How the error of some methods falls as more is observed, on one photograph.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage.data import chelsea

from tensorfill import available_methods, complete

# %%
# ``nonneg-dual`` is the paper's method, ``spectral`` and ``patches`` are those that ``auto`` starts with,
# ``linear`` interpolates.

truth = chelsea()[60:156, 120:216] / 255
shares = (0.05, 0.1, 0.2, 0.4)
methods = ("mean-fill", "nonneg-dual", "linear", "spectral", "patches")
errors = {name: [] for name in methods}
for share in shares:
    observed = np.random.default_rng(0).random(truth.shape) < share
    for name in methods:
        done = complete(truth, observed, method=name)
        errors[name].append(np.sqrt(np.mean((done.tensor - truth)[~observed] ** 2)))

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
strokes = zip(methods, ("0.6", "#C85200", "#FFBC79", "#5F9ED1", "#00426B"), "xsv^o", strict=True)
for name, colour, marker in strokes:
    ax.plot(shares, errors[name], marker=marker, color=colour, label=name)
ax.set(xscale="log", yscale="log", xlabel="share observed", ylabel="RMSE of missing entries")
ax.set_xticks(shares, [f"{share:.0%}" for share in shares], minor=False)
ax.minorticks_off()
ax.set_yticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
ax.grid(alpha=0.3)
ax.legend()

# %%
# What each of them is, in a line:

for name in methods:
    print(f"{name:12} {available_methods()[name].summary}")

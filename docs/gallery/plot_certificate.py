"""
The certificate: a gap that closes
==================================

``nonneg-dual`` and ``dual`` solve a convex problem and bound its smallest objective from both sides. This shows
the bounds against the iterations.
"""

import matplotlib.pyplot as plt
import numpy as np

from tensorfill import complete

# %%
# A small nonnegative tensor with noise, half of it observed. The convex problem has no limit on rank, the
# iteration has: with a small rank the gap stays open, with full rank it closes.

rng = np.random.default_rng(0)
shape = (14, 12, 10)
truth = np.einsum("ir,jr,kr->ijk", *(rng.random((size, 3)) ** 3 for size in shape))
noisy = np.maximum(truth + rng.normal(0, 0.02, shape), 0)
observed = rng.random(shape) < 0.5

runs = {}
for rank in ((1, 1, 1), (2, 2, 2), (4, 4, 4), shape):
    runs[rank] = complete(noisy, observed, "nonneg-dual", rank=rank, gradient_tolerance=1e-6, max_iter=100)

print("rank           lower bound   upper bound   relative gap   RMSE of missing entries")
for rank, done in runs.items():
    proof, error = done.certificate, np.sqrt(np.mean((done.model - truth)[~observed] ** 2))
    print(f"{rank!s:14}{proof.lower:12.5f}{proof.upper:14.5f}{proof.relative_gap:15.1e}{error:12.4f}")

# %%
# The gap is computed every few iterations, and noted in ``history.relative_gap``.

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
colours = ("#C85200", "#FFBC79", "#5F9ED1", "#00426B")
for (rank, done), colour, marker in zip(runs.items(), colours, "os^D", strict=True):
    gap = done.history.relative_gap
    there = np.isfinite(gap)
    numbers = np.array([step.iteration for step in done.history])
    ax.semilogy(numbers[there], gap[there], marker=marker, color=colour, label=f"rank {rank}")
ax.set(xlabel="outer iteration", ylabel="relative gap", title="Duality gap of nonneg-dual")
ax.grid(alpha=0.3)
ax.legend()

# %%
# The gap is about the convex problem, not about the truth: the error in the table need not fall with it.

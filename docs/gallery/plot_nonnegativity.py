"""
What nonnegativity is worth
===========================

``nonneg-dual`` requires the completed tensor to be nonnegative while it solves; ``dual`` does not, and is
clipped at zero afterwards. Where data is zero in many places the difference is large; where nothing would be
negative there is none.
"""

import matplotlib.pyplot as plt
import numpy as np

from tensorfill import complete

# %%
# Activity of 20 people by hour and place: four groups, each active at some hours and places only. The share of
# zeros in the factors is varied.


def activity(rng: np.random.Generator, zeros: float) -> np.ndarray:
    """A sum of four nonnegative patterns whose factors are zero with the given probability."""
    factors = [rng.random((20, 4)) * (rng.random((20, 4)) >= zeros) for _ in range(3)]
    return np.einsum("ir,jr,kr->ijk", *factors)


shares = (0.0, 0.2, 0.4, 0.6)
errors = {"dual": [], "nonneg-dual": []}
zero_entries = []
for zeros in shares:
    rng = np.random.default_rng(0)
    draws = [activity(rng, zeros) for _ in range(3)]
    observed = rng.random(draws[0].shape) < 0.4
    zero_entries.append(np.mean([draw == 0 for draw in draws]))
    for method, found in errors.items():
        models = [np.maximum(complete(draw, observed, method, rank=4).model, 0) for draw in draws]
        squares = [np.mean((model - draw)[~observed] ** 2) for model, draw in zip(models, draws, strict=True)]
        found.append(np.sqrt(np.mean(squares)))

# %%
# Each point is the error over three draws of the data.

fig, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
ax.plot(zero_entries, errors["dual"], "s--", color="#C85200", label="dual, clipped at zero afterwards")
ax.plot(zero_entries, errors["nonneg-dual"], "o-", color="#006BA4", label="nonneg-dual")
ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
ax.set(xlabel="share of entries that are zero", ylabel="RMSE of missing entries", title="40 % observed", ylim=0)
ax.legend()

"""
Ratings, and the top of a list
==============================

A long table of ratings, one row for each: user, film, stars. The other entries are predicted, and the best
unseen films of a user are listed.
"""

import matplotlib.pyplot as plt
import numpy as np

from tensorfill import ObservedTensor, complete

# %%
# Synthetic ratings of 300 users and 200 films: users and films have a general level, and there are two kinds of
# taste. A few films are rated often and most are rated seldom.

rng = np.random.default_rng(0)
users, films = 300, 200
taste, style = rng.normal(0, 1, (users, 2)), rng.normal(0, 1, (films, 2))
stars = 3.4 + 0.4 * rng.normal(size=(users, 1)) + 0.5 * rng.normal(size=films) + 0.45 * taste @ style.T
stars = np.clip(np.rint(stars + rng.normal(0, 0.6, stars.shape)), 1, 5)
popular = 1 / (1 + np.arange(films)) ** 0.6
user, film = np.nonzero(rng.random(stars.shape) < 0.15 * popular / popular.mean())
test = rng.random(len(user)) < 0.1

pairs, values = np.column_stack((user, film)), stars[user, film]
ratings = ObservedTensor.from_coordinates(pairs[~test], values[~test], (users, films))

# %%
# Users and films have no order, and few ratings are known. `auto` recognises that, and compares methods for such
# tables. ``lower`` and ``upper`` keep predictions between one and five stars.

mean = values[~test].mean()
found = {"mean of all": np.sqrt(np.mean((mean - values[test]) ** 2))}
runs = {name: complete(ratings, method=name, lower=1, upper=5) for name in ("main-effects", "bcpf", "auto")}
for name, done in runs.items():
    found[name] = np.sqrt(np.mean((done.predict(pairs[test], raw=True) - values[test]) ** 2))
print(runs["auto"].reasons["weights"])

fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
bars = ax.barh(list(found), list(found.values()), color=["0.7", "#5F9ED1", "#5F9ED1", "#006BA4"])
ax.bar_label(bars, fmt="%.3f", padding=3)
ax.set(xlabel="RMSE of ratings held out for the test / stars", xlim=(0, 1.4))
ax.invert_yaxis()

# %%
# The five best unseen films of user 7, and how sure the method is of them.

best = runs["auto"].top(7, 5, raw=True)
values, deviations = runs["auto"].predict(best.coordinates, raw=True, deviation=True)
for film, value, deviation in zip(best.labels, values, deviations, strict=True):
    print(f"film {film:3}: {value:.2f} ± {deviation:.2f} stars")

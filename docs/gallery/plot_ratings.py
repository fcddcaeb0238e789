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
# Methods that factorise suit ratings, because users and films have no order. ``predict`` gives values at
# coordinates without building the full matrix. ``lower`` and ``upper`` keep predictions between one and five
# stars.

mean = values[~test].mean()
found = {"mean of all": np.sqrt(np.mean((mean - values[test]) ** 2))}
runs = {name: complete(ratings, method=name, lower=1, upper=5) for name in ("ncpc", "bcpf")}
runs["nonneg-dual, rank 3, C = 0.1"] = complete(ratings, method="nonneg-dual", rank=3, C=0.1, lower=1, upper=5)
for name, done in runs.items():
    found[name] = np.sqrt(np.mean((done.predict(pairs[test], raw=True) - values[test]) ** 2))

fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
bars = ax.barh(list(found), list(found.values()), color=["0.7", "#5F9ED1", "#006BA4", "#5F9ED1"])
ax.bar_label(bars, fmt="%.3f", padding=3)
ax.set(xlabel="RMSE of ratings held out for the test / stars", xlim=(0, 1.4))
ax.invert_yaxis()

# %%
# The five best unseen films of user 7: predict all films, leave out those the user has rated, sort.

unseen = np.setdiff1d(np.arange(films), film[user == 7])
predicted = runs["bcpf"].predict(np.column_stack((np.full(len(unseen), 7), unseen)), raw=True)
for place in np.argsort(predicted)[::-1][:5]:
    print(f"film {unseen[place]:3}: {predicted[place]:.2f} stars")

"""Ratings: `auto` and methods for sparse tensors on the same held-out tenth, error and seconds side by side.

    python benchmarks/ratings.py [--data FILE] [--weeks] [--large 20000000] [--seeds 1] [--methods auto …]

FILE has the columns user, item, rating, seconds; without one, ratings are made up (benchmarks/ratings_data.py).
"""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np
from harness import make_parser
from ratings_data import Ratings, make_large, make_ratings, read_ratings

import tensorfill

METHODS = ("auto", "main-effects", "bayes-factors", "nonneg-dual", "bcpf")


def main() -> None:
    """Print a line per method and seed."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--weeks", action="store_true", help="weeks as a third mode")
    parser.add_argument(
        "--large", type=int, default=0, help="so many entries of a made-up 20,000 × 20,000 × 200 tensor"
    )
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.1, help="of the ratings are held out")
    parser.add_argument("--methods", nargs="+", default=METHODS)
    chosen = parser.parse_args()
    for seed in range(chosen.seeds):
        if chosen.large:
            ratings = make_large(known=chosen.large, seed=seed)
        elif chosen.data is not None:
            ratings = read_ratings(chosen.data, weeks=chosen.weeks)
        else:
            ratings = make_ratings(weeks=30 if chosen.weeks else 0, seed=seed)
        noise = "" if ratings.noise is None else f", noise {ratings.noise:.4f}"
        print(f"{ratings.shape}, {len(ratings.values):,} entries, seed {seed}{noise}", flush=True)
        for name in chosen.methods:
            print(measure(ratings, name, chosen.share, seed), flush=True)


def measure(ratings: Ratings, name: str, share: float, seed: int) -> str:
    """A line of numbers: what a method makes of the ratings that are not held out."""
    known, held = ratings.split(share, seed)
    observed = tensorfill.ObservedTensor.from_coordinates(
        ratings.coordinates[known], ratings.values[known], ratings.shape
    )
    begun, used = time.perf_counter(), time.process_time()
    done = tensorfill.complete(observed, method=name, lower=ratings.lower, upper=ratings.upper)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - used
    misses = done.predict(ratings.coordinates[held], raw=True) - ratings.values[held]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    told = done.settings.get("weights", "") if name == "auto" else ""
    error = float(np.sqrt(np.mean(misses**2)))
    return f"{name:15} RMSE {error:.4f}  {seconds:6.1f} s, {cpu:6.1f} s of CPU  peak {peak:.2f} GiB  {told}"


if __name__ == "__main__":
    main()

"""A long table with string labels goes in, a full table with the same columns comes out.

Trips counted between stations by the hour, one row each; hours in which a counter failed have no row.
"""

from importlib import import_module
from typing import Any

import numpy as np

from tensorfill import complete


def main() -> None:
    """Complete synthetic counts in a pandas DataFrame."""
    pandas: Any = import_module("pandas")
    rng = np.random.default_rng(0)
    stations = [f"station {number}" for number in range(1, 31)]
    days = pandas.date_range("2024-03-01", periods=28, freq="D")
    hours = list(range(6, 23))
    rate = np.einsum(
        "sp,dp,hp->sdh",
        rng.gamma(1.0, 10.0, (len(stations), 2)),
        rng.gamma(9.0, 1 / 9, (len(days), 2)),
        rng.gamma(2.0, 0.5, (len(hours), 2)),
    )
    index = pandas.MultiIndex.from_product((stations, days, hours), names=("station", "day", "hour"))
    full = pandas.DataFrame({"trips": rng.poisson(rate).ravel()}, index=index).reset_index()
    counted = full.sample(frac=0.4, random_state=0)

    filled = complete(counted).filled

    print(f"{len(counted):,} rows in, {len(filled):,} rows out, {filled['trips'].dtype} as before:")
    print(filled.head(4).to_string(index=False))
    both = filled.merge(full, on=["station", "day", "hour"], suffixes=("", "_true"))
    unseen = ~both.set_index(["station", "day", "hour"]).index.isin(counted.set_index(["station", "day", "hour"]).index)
    usual = counted.groupby(["station", "hour"])["trips"].mean().rename("usual")
    both = both.join(usual, on=["station", "hour"])[unseen]
    for name, column in (("mean of station and hour", "usual"), ("completed", "trips")):
        error = np.sqrt(((both[column] - both["trips_true"]) ** 2).mean())
        print(f"{name:25} RMSE where nothing was counted: {error:.2f} trips")


if __name__ == "__main__":
    main()

"""Fill the gaps in hourly counts: hour × day × station, NaN where a counter was out of order."""

import numpy as np

from tensorfill import complete


def main() -> None:
    """Complete synthetic Poisson counts of which 60 % are missing."""
    rng = np.random.default_rng(0)
    hours, days, stations, patterns = 24, 60, 40, 3
    by_hour = rng.gamma(1.0, 1.0, (hours, patterns))
    by_day = rng.gamma(4.0, 0.25, (days, patterns))
    by_station = rng.gamma(1.0, 4.0, (stations, patterns))
    rate = np.einsum("hp,dp,sp->hds", by_hour, by_day, by_station)
    counts = rng.poisson(rate).astype(float)

    with_gaps = counts.copy()
    with_gaps[rng.random(counts.shape) < 0.6] = np.nan
    hidden = np.isnan(with_gaps)

    done = complete(with_gaps, rank=4, C=1.0)

    print(done.stop)
    usual = np.broadcast_to(np.nanmean(with_gaps, axis=1, keepdims=True), counts.shape)
    for name, estimate in (("usual for hour and station", usual), ("completed", done.tensor)):
        error = np.sqrt(np.mean((estimate - rate)[hidden] ** 2))
        print(f"{name:27} RMSE to the true rate, where it was missing: {error:.2f}")
    print(f"smallest value before clipping at zero: {done.smallest:.1e}; afterwards: {done.tensor.min():g}")


if __name__ == "__main__":
    main()

"""A tensor that is never built: 20,000 × 20,000 × 200 with two million known coordinates, a million predicted.

    python benchmarks/sparse_tensors.py [--known 2000000] [--asked 1000000] [--size 20000]

Prints seconds, peak memory of the process, and the smallest prediction. The data is synthetic (nonnegative, rank 5).
"""

from __future__ import annotations

import resource

import numpy as np
from harness import make_parser

import tensorfill


def main() -> None:
    """Make the data, complete it, predict what was held out."""
    parser = make_parser(__doc__)
    parser.add_argument("--known", type=int, default=2_000_000)
    parser.add_argument("--asked", type=int, default=1_000_000)
    parser.add_argument("--size", type=int, default=20_000)
    chosen = parser.parse_args()
    shape = (chosen.size, chosen.size, 200)
    rng = np.random.default_rng(0)
    factors = [rng.random((n, 5)) ** 3 for n in shape]
    wanted = chosen.known + chosen.asked
    positions = np.unique(rng.integers(0, chosen.size**2 * 200, size=wanted + wanted // 10))
    coordinates = np.stack(np.unravel_index(rng.permutation(positions)[:wanted], shape), axis=1)
    values = np.einsum("ir,ir,ir->i", *(F[coordinates[:, k]] for k, F in enumerate(factors)))
    observed = tensorfill.ObservedTensor.from_coordinates(coordinates[: chosen.known], values[: chosen.known], shape)
    done = tensorfill.complete(observed, rank=5)
    predicted = done.predict(coordinates[chosen.known :])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{done.stop}\n{' '.join(done.notes)}")
    print(f"{done.seconds:.0f} s, {done.iterations} iterations, peak memory {peak:.2f} GiB")
    print(f"{len(predicted):,} predictions, the smallest {predicted.min():g}")


if __name__ == "__main__":
    main()

"""What the certificate says: with full rank the gap closes, with too small a rank it stays open.

The gap is about the convex problem, not about the truth: the last column need not fall with it.
"""

import numpy as np

from tensorfill import complete


def main() -> None:
    """Solve one tiny problem with growing ranks and compare the bounds."""
    rng = np.random.default_rng(0)
    shape = (8, 7, 6)
    truth = np.einsum("ir,jr,kr->ijk", *(rng.random((size, 2)) ** 3 for size in shape))
    observed = rng.random(shape) < 0.5

    print("rank        lower bound   upper bound   relative gap   RMSE of hidden entries")
    for rank in ((1, 1, 1), (2, 2, 2), (3, 3, 3), shape):
        done = complete(truth, observed, rank=rank, max_iter=1000, gradient_tolerance=1e-6)
        proof = done.certificate
        assert proof is not None
        error = np.sqrt(np.mean((done.model - truth)[~observed] ** 2))
        print(f"{rank!s:10}{proof.lower:13.6f}{proof.upper:14.6f}{proof.relative_gap:15.1e}{error:15.4f}")
    print("No completion of this data can have an objective below the largest lower bound.")


if __name__ == "__main__":
    main()

"""A last step with one quadratic prior for the whole picture: what it would bring to `patches`, and cost.

    python benchmarks/one_prior.py [--rows coffee,astronaut] [--side 128]

The groups of the last round are fixed. Every member of a group has the Gaussian of that group, so that together

    minimise  ‖(W − Y)_Ω‖²/(2σ²) + (β/2) Σ_i (R_i W − μ_i)ᵀ Σ_i⁻¹ (R_i W − μ_i)/n_i

is a convex problem, which W ≥ 0 could be added to and for which there would be a certificate. R_i cuts a patch out, and
n_i is in how many patches its entries are on average. It is solved by conjugate gradients, and compared with the
weighted average of conditional means that `patches` ends with, made from the same groups, in double precision.

Protocol: the middle of photographs that ship inside scikit-image, entries observed where
numpy.random.default_rng(0).random(shape) < 0.1, RMSE over all entries from 0 to 1, known ones kept. The settings of
groups are those that `patches` has chosen.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from harness import GrowingTable, make_parser, names_from
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from photographs import COLOUR, photograph
from scipy.sparse import diags_array
from scipy.sparse.linalg import LinearOperator, cg

import tensorfill
from tensorfill import sampling

Array = NDArray[np.float64]

ROWS = ("coffee", "astronaut", "chelsea")
SHARE, STRIDE, INFORMERS, STEPS = 0.1, 4, 2.5, 40
BETAS = (0.3, 1.0, 3.0)
RIDGE = 1e-6  # of the mean variance, so that covariances can be inverted


@dataclass(frozen=True)
class Group:
    """Similar patches and their Gaussian."""

    members: NDArray[np.int64]
    """A row of positions for each."""
    mean: Array
    covariance: Array


@dataclass(frozen=True)
class Problem:
    """A picture with holes, and how groups are made."""

    truth: Array
    known: NDArray[np.bool_]
    side: int
    window: int
    members: int
    noise: float
    """σ²."""

    def places(self) -> NDArray[np.int64]:
        """Positions of all patches, by their first row and column."""
        indices = np.arange(self.truth.size).reshape(self.truth.shape)
        cut = sliding_window_view(indices, (self.side, self.side), axis=(0, 1))
        return np.moveaxis(cut, 2, -1).reshape(*cut.shape[:2], -1)

    def rmse(self, found: Array) -> float:
        """With known entries kept."""
        return float(np.sqrt(np.mean(np.where(self.known, 0, np.maximum(found, 0) - self.truth) ** 2)))

    def matched(self, x: Array) -> list[tuple[NDArray[np.int64], Array, Array]]:
        """Of every reference patch the most similar ones, their values and weights."""
        places = self.places()
        patches = x.reshape(-1)[places]
        ends = [size - self.side for size in self.truth.shape[:2]]
        grid = [sorted({*range(0, end, STRIDE), end}) for end in ends]
        found = []
        for row in grid[0]:
            for column in grid[1]:
                near = tuple(slice(max(0, at - self.window), at + self.window + 1) for at in (row, column))
                positions = places[near].reshape(-1, places.shape[-1])
                values = patches[near].reshape(-1, places.shape[-1])
                distances = np.sum((values - patches[row, column]) ** 2, axis=1)
                nearest = np.argsort(distances)[: round(INFORMERS * self.members)]
                limit = distances[nearest[min(self.members, len(nearest)) - 1]]
                weights = np.minimum(1, limit / np.maximum(distances[nearest], 1e-12))
                found.append((positions[nearest], values[nearest], weights))
        return found

    def averaged(self, x: Array) -> tuple[Array, list[Group]]:
        """The weighted average of conditional means, and the groups behind it, after two passes."""
        totals, weights = np.zeros((2, self.truth.size))
        groups = []
        for positions, values, importance in self.matched(x):
            members = positions[: self.members]
            mean = importance @ values / importance.sum()
            spread, count = (importance[:, None] * (values - mean)).T @ (values - mean), float(importance.sum())
            unsure = np.zeros_like(spread)
            for _ in range(2):
                covariance = (spread + unsure) / count
                covariance += RIDGE * np.trace(covariance) / len(mean) * np.eye(len(mean))
                means, variances, left = self._conditioned(members, mean, covariance)
                group = Group(members, mean, covariance)
                mean = means.mean(axis=0)
                spread, count, unsure = (means - mean).T @ (means - mean), len(members), left
            sure = 1 / (variances + self.noise)
            totals += scattered(members, sure * means, totals.size)
            weights += scattered(members, sure, weights.size)
            groups.append(group)
        reached = weights > 0
        average = np.where(reached, totals / np.where(reached, weights, 1), x.reshape(-1))
        return average.reshape(x.shape), groups

    def _conditioned(self, members: NDArray[np.int64], mean: Array, covariance: Array) -> tuple[Array, Array, Array]:
        """Conditional means and variances of members, and the sum of their covariances."""
        known, values = self.known.reshape(-1), self.truth.reshape(-1)
        means, variances, total = [], [], np.zeros_like(covariance)
        for place in members:
            there = known[place]
            across = covariance[:, there]
            gain = np.linalg.solve(covariance[np.ix_(there, there)] + self.noise * np.eye(there.sum()), across.T)
            left = covariance - across @ gain
            means.append(mean + gain.T @ (values[place][there] - mean[there]))
            variances.append(np.diag(left))
            total += left
        return np.array(means), np.array(variances), total

    def solved(self, groups: Sequence[Group], beta: float, x: Array) -> Array:
        """The minimiser with one quadratic prior, from x on."""
        known = self.known.reshape(-1)
        covered = np.zeros(x.size)
        for group in groups:
            covered += scattered(group.members, 1, covered.size)
        precisions = [
            beta
            / covered[group.members].mean()
            * np.linalg.inv(group.covariance + self.noise / 10 * np.eye(len(group.mean)))
            for group in groups
        ]
        tie = 1e-3 / self.truth.var()  # to x, for entries that no group reaches
        right = tie * x.reshape(-1) + np.where(known, self.truth.reshape(-1) / self.noise, 0)
        diagonal = tie + known / self.noise
        for group, precision in zip(groups, precisions, strict=True):
            right += scattered(group.members, precision @ group.mean, right.size)
            diagonal += scattered(group.members, np.diag(precision), diagonal.size)

        def apply(w: Array) -> Array:
            out: Array = (tie + known / self.noise) * w
            for group, precision in zip(groups, precisions, strict=True):
                out += scattered(group.members, w[group.members] @ precision, out.size)
            return out

        system = LinearOperator((x.size, x.size), matvec=apply, dtype=np.float64)
        solution, _ = cg(system, right, x0=x.reshape(-1), rtol=0.0, maxiter=STEPS, M=diags_array(1 / diagonal))
        return np.asarray(solution).reshape(x.shape)


def scattered(positions: NDArray[np.int64], values: Array | float, size: int) -> Array:
    """Values, the same for all rows or not, added up at positions."""
    weights = np.broadcast_to(values, positions.shape).reshape(-1)
    return np.bincount(positions.reshape(-1), weights, size).astype(np.float64, copy=False)


def measure(name: str, side: int) -> list[str]:
    """A row of the table."""
    truth = photograph(name, side) / 255
    known = sampling.uniform(truth.shape, keep=SHARE, seed=0)
    done = tensorfill.complete(truth, known, "patches", power=1)
    chosen = done.settings
    problem = Problem(truth, known, chosen["patch"], chosen["window"], chosen["members"], chosen["noise"] ** 2)
    start = np.where(known, truth, done.model)
    average, groups = problem.averaged(start)
    cells = [f"{problem.rmse(done.model):.5f}", f"{problem.rmse(average):.5f}"]
    began = time.perf_counter()
    cells += [f"{problem.rmse(problem.solved(groups, beta, start)):.5f}" for beta in BETAS]
    seconds = (time.perf_counter() - began) / len(BETAS)
    kept = sum(group.covariance.nbytes for group in groups) / 2**20
    return [name, *cells, f"{seconds:.0f} s, {kept:.0f} MB"]


def main() -> None:
    """Measure row by row."""
    parser = make_parser(__doc__)
    parser.add_argument("--rows", default=",".join(ROWS), help=f"comma-separated: {','.join(COLOUR)}")
    parser.add_argument("--side", type=int, default=128)
    given = parser.parse_args()
    head = ("10 % observed", "`patches`", "one round more", *(f"one prior, β = {beta:g}" for beta in BETAS), "cost")
    table = GrowingTable(*head)
    for name in names_from(given.rows, COLOUR, "photograph"):
        table.add(measure(name, given.side))


if __name__ == "__main__":
    main()

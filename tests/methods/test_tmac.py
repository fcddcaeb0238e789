"""TMac: its descent, its trap, its changing ranks, and a transcription of its formulas that unfolds everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.completion import Snapshot
from tensorfill.methods.tmac import TMac, find_gap, raise_rank, reduce_rank
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import fold, unfold

Array = NDArray[np.float64]


def problem(shape: tuple[int, ...], rank: int = 2, share: float = 0.5) -> tuple[Array, NDArray[Any]]:
    """A noisy nonnegative tensor whose largest known value is 1."""
    rng = np.random.default_rng(len(shape))
    letters = "abcd"[: len(shape)]
    factors = [rng.random((size, rank)) ** 2 for size in shape]
    data = np.einsum(",".join(f"{letter}r" for letter in letters) + "->" + letters, *factors)
    data = data / data.max() + 0.1 * rng.random(shape)
    known = rng.random(shape) < share
    return data / data[known].max(), known


def separate_blocks(shape: tuple[int, ...], rank: int) -> tuple[Array, NDArray[Any]]:
    """A nonnegative tensor of this rank in every mode, all its singular values alike."""
    rng = np.random.default_rng(rank)
    members = [np.eye(rank)[rng.permutation(np.arange(size) % rank)] * rng.uniform(0.5, 1, (size, 1)) for size in shape]
    return np.einsum("ir,jr,kr->ijk", *members), rng.random(shape) < 0.5


def complete(data: Array, known: NDArray[Any], **settings: Any) -> Any:
    watch = settings.pop("watch", None)
    observed = ObservedTensor.from_array(data, known)
    return TMac(**settings).complete(observed, rng=np.random.default_rng(3), watch=watch)


def watched(data: Array, known: NDArray[Any], **settings: Any) -> list[Snapshot]:
    seen: list[Snapshot] = []
    complete(data, known, watch=seen.append, **settings)
    return seen


def pairs(snapshot: Snapshot) -> Any:
    return snapshot.estimate.estimate.pairs  # type: ignore[attr-defined]


def ranks(snapshot: Snapshot) -> tuple[int, ...]:
    return tuple(pair.X.shape[1] for pair in pairs(snapshot))


# The algorithm


class Transcription:
    """The formulas as they are written, on unfoldings."""

    def __init__(self, data: Array, known: NDArray[Any], rank: tuple[int, ...]) -> None:
        self.data, self.known, self.shape, self.rank = data, known, data.shape, rank
        rng = np.random.default_rng(3)
        size = np.linalg.norm(data[known]) * np.sqrt(data.size / known.sum())
        self.X, self.Y = [], []
        for n, (length, r) in enumerate(zip(self.shape, rank, strict=True)):
            columns = data.size // length
            X = rng.standard_normal((length, r))
            Y = unfold(rng.standard_normal((*self.shape[:n], r, *self.shape[n + 1 :])), n)
            self.X.append(X * size ** (length / (length + columns)) / np.linalg.norm(X))
            self.Y.append(Y * size ** (columns / (length + columns)) / np.linalg.norm(Y))
        self.M = np.where(known, data, 0.0)
        self.alpha = np.full(data.ndim, 1 / data.ndim)

    def parts(self) -> list[Array]:
        return [fold(X @ Y, n, self.shape) for n, (X, Y) in enumerate(zip(self.X, self.Y, strict=True))]

    def cost(self, alpha: Array) -> float:
        return float(alpha @ [0.5 * np.sum((part - self.M) ** 2) for part in self.parts()])

    def result(self) -> Array:
        return np.tensordot(self.alpha, self.parts(), axes=1)

    def iterate(self, *, dynamic: bool) -> float:
        """One iteration; the objective after it, with the weights that made M."""
        for n in range(len(self.shape)):
            M = unfold(self.M, n)
            self.X[n] = M @ self.Y[n].T
            self.Y[n] = np.linalg.pinv(self.X[n].T @ self.X[n]) @ self.X[n].T @ M
        self.M = np.where(self.known, self.data, self.result())
        cost = self.cost(self.alpha)
        if dynamic:
            squares = np.array([np.sum((part - self.data)[self.known] ** 2) for part in self.parts()])
            self.alpha = (1 / squares) / np.sum(1 / squares)
        return cost


@pytest.mark.parametrize(
    ("shape", "rank"),
    [((9, 7), (2, 3)), ((8, 5, 6), (3, 2, 2)), ((5, 6, 7), (2, 2, 3)), ((4, 6, 3, 5), (2, 2, 1, 3))],
    ids=str,
)
@pytest.mark.parametrize("weights", ["fixed", "dynamic"])
def test_it_does_what_the_formulas_say(shape: tuple[int, ...], rank: tuple[int, ...], weights: str) -> None:
    data, known = problem(shape)
    seen = watched(data, known, rank=rank, weights=weights, tolerance=0.0, max_iter=15)
    formulas = Transcription(data, known, rank)
    assert seen[0].step.cost == pytest.approx(formulas.cost(formulas.alpha))
    np.testing.assert_allclose(seen[0].estimate.dense(), formulas.result(), atol=1e-12)
    for snapshot in seen[1:]:
        assert snapshot.step.cost == pytest.approx(formulas.iterate(dynamic=weights == "dynamic"), rel=1e-7)
        np.testing.assert_allclose(snapshot.estimate.dense(), formulas.result(), atol=1e-8)
        np.testing.assert_allclose([pair.weight for pair in pairs(snapshot)], formulas.alpha)
    assert len(seen) == 16


def test_the_objective_never_rises_with_fixed_weights_and_ranks() -> None:
    data, known = problem((14, 12, 10), rank=4)
    cost = complete(data, known, rank=3, tolerance=0.0, max_iter=100).history.cost
    assert (np.diff(cost) <= 1e-12 * cost[0]).all()
    assert cost[-1] < 0.2 * cost[1]


def test_the_result_is_the_weighted_sum_of_its_components_and_does_not_keep_known_entries() -> None:
    data, known = problem((12, 10, 8))
    done = complete(data, known, rank=2)
    assert len(done.components) == 3
    np.testing.assert_allclose(sum(done.components), done.model, atol=1e-12)
    for mode, part in enumerate(done.components):
        assert np.linalg.matrix_rank(unfold(part, mode), tol=1e-8) == 2
    assert np.abs((done.model - data)[known]).max() > 1e-3


def test_dynamic_weights_are_largest_where_the_known_entries_are_met_best() -> None:
    data, known = problem((12, 10, 8), rank=4)
    last = watched(data, known, rank=(6, 2, 1), weights="dynamic", max_iter=30)[-1]
    weights = np.array([pair.weight for pair in pairs(last)])
    folded = [fold(pair.X @ pair.Y, pair.mode, data.shape) for pair in pairs(last)]
    misfits = np.array([np.sum((part - data)[known] ** 2) for part in folded])
    np.testing.assert_allclose(weights * misfits, np.full(3, weights[0] * misfits[0]))
    assert weights.sum() == pytest.approx(1)


# The trap


def picture() -> tuple[Array, NDArray[Any]]:
    across, down = np.meshgrid(np.linspace(0, 1, 24), np.linspace(0, 1, 20))
    colours = np.stack([0.2 + 0.8 * across, 1 - 0.5 * down, 0.3 + 0.5 * across * down], axis=2)
    return colours, np.random.default_rng(0).random(colours.shape) < 0.5


def test_dynamic_weights_and_a_full_rank_give_back_zeros_where_nothing_is_known() -> None:
    data, known = picture()
    done = complete(data, known, rank=(2, 2, 3), weights="dynamic")
    assert (done.iterations, done.stop.kind) == (1, "fit")
    np.testing.assert_allclose(done.model, np.where(known, data, 0.0), atol=1e-8)
    assert "unknown entries stay at zero" in done.notes[0]
    assert "or weights='fixed'" in done.notes[0]


def test_so_do_fixed_weights_if_the_rank_is_full_in_every_mode() -> None:
    data, known = problem((9, 7, 5))
    done = complete(data, known, rank=(9, 7, 5))
    np.testing.assert_allclose(done.model, np.where(known, data, 0.0), atol=1e-8)
    assert "entries stay at zero, where they start; give a smaller rank." in done.notes[0]
    done = complete(data, known, rank=(9, 7, 5), start="mean")
    np.testing.assert_allclose(done.model, np.where(known, data, data[known].mean()), atol=1e-8)
    assert "entries stay at the mean, where they start; give a smaller rank." in done.notes[0]


@pytest.mark.parametrize("shape", [(20, 15), (12, 10, 8), (9, 8, 6)], ids=str)
def test_data_that_is_nearly_constant_is_completed_by_that(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    data, known = 7.3 + 1e-9 * rng.random(shape), rng.random(shape) < 0.3
    np.testing.assert_allclose(complete(data, known).model, 7.3, rtol=1e-6)


def test_the_cost_at_the_start_is_the_objective_there_whatever_M_begins_with() -> None:
    data, known = problem((6, 5, 4))
    for start in ("zero", "mean"):
        seen: list[Snapshot] = []
        TMac(rank=2, max_iter=1, start=start).complete(
            ObservedTensor.from_array(data, known), rng=np.random.default_rng(0), watch=seen.append
        )
        M = np.where(known, data, data[known].mean() if start == "mean" else 0.0)
        parts = seen[0].estimate.components()
        expected = 0.5 * np.mean([np.sum((len(parts) * part - M) ** 2) for part in parts])
        assert seen[0].step.cost == pytest.approx(expected)


def test_fixed_weights_complete_the_same_picture_and_are_the_default() -> None:
    data, known = picture()
    done = complete(data, known, rank=(2, 2, 3))
    assert done.settings["weights"] == "fixed"
    assert done.notes == ()
    assert np.sqrt(np.mean((done.model - data)[~known] ** 2)) < 0.02


# Changing ranks


def test_decreasing_ranks_find_the_true_ones() -> None:
    data, known = separate_blocks((30, 24, 20), 4)
    seen = watched(data, known, rank=6, ranks="decreasing", tolerance=1e-6)
    assert ranks(seen[0]) == (6, 6, 6)
    assert ranks(seen[-1]) == (4, 4, 4)
    np.testing.assert_allclose(seen[-1].estimate.dense(), data, atol=0.01)


def test_ranks_do_not_decrease_below_rank_min() -> None:
    data, known = problem((20, 18, 16), rank=3)  # its first singular value is far above the others
    assert ranks(watched(data, known, rank=5, ranks="decreasing", max_iter=20)[-1]) == (1, 1, 1)
    least = watched(data, known, rank=5, ranks="decreasing", rank_min=(2, 3, 4), max_iter=20)[-1]
    assert all(found >= smallest for found, smallest in zip(ranks(least), (2, 3, 4), strict=True))


def test_increasing_ranks_reach_the_true_ones_from_below() -> None:
    data, known = separate_blocks((30, 24, 20), 4)
    seen = watched(data, known, rank=2, ranks="increasing", rank_max=4, tolerance=1e-6)
    assert ranks(seen[0]) == (2, 2, 2)
    assert ranks(seen[-1]) == (4, 4, 4)
    np.testing.assert_allclose(seen[-1].estimate.dense(), data, atol=0.01)


def test_ranks_increase_in_steps_and_no_further_than_rank_max_and_the_mode() -> None:
    data, known = problem((20, 12, 5), rank=6)
    settings = {"ranks": "increasing", "rank_increment": (1, 3, 2), "rank_max": (5, 6, 50)}
    seen = watched(data, known, rank=1, tolerance=0.0, max_iter=150, **settings)
    found = np.array([ranks(snapshot) for snapshot in seen])
    assert set(np.diff(found[:, 0])) == {0, 1}
    assert set(np.diff(found[:, 1])) == {0, 3, 2}
    assert tuple(found[-1]) == (5, 6, 5)


def test_a_gap_must_stand_out_from_the_other_ratios() -> None:
    clear = np.array([9.0, 8.0, 7.0, 1e-3, 9e-4])
    assert find_gap(clear, 1, 10.0) == 3
    assert find_gap(clear, 3, 10.0) == 3
    assert find_gap(clear, 4, 10.0) is None
    assert find_gap(np.array([16.0, 8.0, 4.0, 2.0, 1.0]), 1, 10.0) is None
    assert find_gap(np.array([1.0, 1.0, 0.0, 0.0]), 1, 10.0) == 2
    assert find_gap(np.array([5.0, 1e-9]), 1, 10.0) is None, "a single ratio has nothing to stand out from"
    assert find_gap(np.zeros(4), 1, 10.0) is None


def test_a_pair_is_cut_to_the_leading_singular_vectors_of_its_product() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((7, 4)), rng.standard_normal((5, 4, 6))
    rows = unfold(reduce_rank(X, Y, 1, 2), 1)
    expected = np.linalg.svd(X @ unfold(Y, 1))[2][:2]
    np.testing.assert_allclose(rows @ rows.T, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(rows.T @ rows, expected.T @ expected, atol=1e-10)


def test_a_pair_grows_by_random_rows_and_keeps_what_it_spans() -> None:
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((5, 2, 6))
    rows = unfold(raise_rank(Y, 1, 3, rng), 1)
    np.testing.assert_allclose(rows @ rows.T, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(unfold(Y, 1) @ rows.T @ rows, unfold(Y, 1), atol=1e-12)


# Stopping


def test_it_stops_after_three_iterations_with_hardly_any_change() -> None:
    data, known = problem((12, 10, 8))
    seen = watched(data, known, rank=2, tolerance=1e-3)
    misfit = np.array(
        [
            sum(np.sum((fold(p.X @ p.Y, p.mode, data.shape) - data)[known] ** 2) for p in pairs(snapshot))
            for snapshot in seen[1:]
        ]
    )
    small = np.abs(np.diff(misfit)) < 1e-3 * (misfit[:-1] + 1)
    assert complete(data, known, rank=2, tolerance=1e-3).stop.kind == "change"
    assert small[-3:].all()
    assert not (small[:-3] & small[1:-2] & small[2:-1]).any()


# Settings


def test_settings_are_told_as_used() -> None:
    data, known = problem((12, 10, 8))
    settings = complete(data, known, max_iter=1, rank_min=2).settings
    assert settings["rank"] == (2, 2, 2)  # 2·2·(12 + 80 − 2) is below the number of known entries, 3·… is not
    assert settings["start"] == "mean"
    assert settings["rank_min"] == (2, 2, 2)
    assert settings["rank_max"] == (50, 50, 50)

"""One dot-product test for every linear operator of the house: <A x, y> = <x, Aᵀy>."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorfill.dual.preconditioner import FreeSystem
from tensorfill.methods.frank_wolfe import SparseUnfolding
from tensorfill.numerics.fibre_operator import FibreOperator
from tensorfill.numerics.linear_operator import LinearOperator
from tensorfill.numerics.periodic_differences import Smoother, add_adjoint, add_differences
from tensorfill.numerics.sampled_effects import SampledEffects
from tensorfill.numerics.sampled_kruskal import SampledKruskal
from tensorfill.numerics.sampled_rank_one import SampledRankOne
from tensorfill.numerics.sampled_tucker import SampledTucker
from tensorfill.numerics.tensor_nuclear_norm import SliceTransform
from tensorfill.numerics.unfoldings import share_mode_product
from tensorfill.riemannian.tucker import TuckerQuotient, random_nonnegative
from tensorfill.spectral.bases import Columns, Cosines, Entries, Waves
from tensorfill.spectral.hole_system import HoleSystem
from tensorfill.spectral.scattered_solver import CoefficientSystem
from tensorfill.spectral.transform import Bins, SummedTransform, Transform
from tensorfill.tensor import Array, mode_product

Operator = LinearOperator[Any, Any]
Make = Callable[[tuple[int, ...]], Operator]

SHAPES = [(7, 5), (6, 5, 4), (3, 6, 2, 4)]
RNG = np.random.default_rng(0)


def draw(shape: Any, rng: np.random.Generator) -> Any:
    """Random numbers in an array, or in tuples of arrays for tuples of shapes."""
    if all(isinstance(size, int) for size in shape):
        return rng.standard_normal(shape)
    return tuple(draw(part, rng) for part in shape)


def inner(a: Any, b: Any) -> float:
    """<a, b>, for arrays or tuples of them."""
    if isinstance(a, tuple):
        return sum(inner(one, other) for one, other in zip(a, b, strict=True))
    return float(np.vdot(a, b).real)


def mismatch(operator: Operator, seed: int) -> float:
    """|<A x, y> − <x, Aᵀy>| for random x and y, relative to the lengths of A x and y."""
    rng = np.random.default_rng(seed)
    y, x = (draw(shape, rng) for shape in operator.shape)
    Ax, Aty = operator.forward(x), operator.adjoint(y)
    return abs(inner(Ax, y) - inner(x, Aty)) / np.sqrt(inner(Ax, Ax) * inner(y, y))


def symmetric(shape: tuple[int, ...], apply: Callable[[Array], Array]) -> Operator:
    return LinearOperator((shape, shape), apply, apply)


def factors_of(shape: tuple[int, ...], rank: int = 2) -> tuple[Array, ...]:
    return tuple(RNG.standard_normal((size, rank)) for size in shape)


def known_in(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(1).random(shape) < 0.5


def positions_in(shape: tuple[int, ...]) -> np.ndarray:
    return np.flatnonzero(known_in(shape))


def transform_of(shape: tuple[int, ...]) -> Transform:
    own = Columns(np.linalg.qr(RNG.standard_normal((shape[0], shape[0])))[0], "own", np.float64)
    return Transform([own, *(kind(size) for kind, size in zip((Waves, Cosines, Entries), shape[1:], strict=False))])


def plain_transform(shape: tuple[int, ...]) -> Transform:
    return Transform([Cosines(size) for size in shape])


def times_matrix(multiply: Callable[[Array, Array, int], Array]) -> Make:
    def make(shape: tuple[int, ...]) -> Operator:
        matrix = RNG.standard_normal((3, shape[1]))
        there = (shape[0], 3, *shape[2:])
        return LinearOperator(
            (there, shape), lambda x: multiply(x, matrix, 1), lambda y: multiply(y, np.ascontiguousarray(matrix.T), 1)
        )

    return make


def sandwich(shape: tuple[int, ...]) -> Operator:
    return FibreOperator(shape, positions_in(shape)).sandwich(factors_of(shape), factors_of(shape), shape)


def free_system(part: str) -> Make:
    def make(shape: tuple[int, ...]) -> Operator:
        positions = positions_in(shape)
        free, D = RNG.random((2, len(positions)))
        U = tuple(factor / np.linalg.norm(factor) for factor in factors_of(shape))
        system = FreeSystem(FibreOperator(shape, positions), U, tuple(map(float, shape)), D, free < 0.7)
        return symmetric(positions.shape, lambda x: getattr(system, part)(np.where(free < 0.7, x, 0.0))[0])

    return make


def tucker_tangent(shape: tuple[int, ...]) -> Operator:
    core = RNG.standard_normal((2,) * len(shape))
    return SampledTucker(shape, positions_in(shape)).tangent(core, factors_of(shape))


def kruskal_in_a_factor(shape: tuple[int, ...]) -> Operator:
    """Linear in the factor of one mode, the others fixed."""
    positions, mode = positions_in(shape), len(shape) - 1
    sampled = SampledKruskal(shape, positions)
    factors = np.concatenate(factors_of(shape))

    def forward(x: Array) -> Array:
        changed = factors.copy()
        sampled.blocks(changed)[mode][...] = x
        return sampled.values(changed)

    return LinearOperator(
        (positions.shape, (shape[mode], 2)), forward, lambda y: sampled.times_khatri_rao(y, factors, mode)
    )


def main_effects(shape: tuple[int, ...]) -> Operator:
    return SampledEffects(shape, positions_in(shape)).operator()


def rank_one_along_fibres(shape: tuple[int, ...]) -> Operator:
    """Linear in the vector along the fibres, the other modes fixed."""
    sampled = SampledRankOne(shape, positions_in(shape))
    scales, vectors = RNG.standard_normal(len(sampled.heads)), np.zeros(sum(shape))
    count = len(sampled.order)

    def forward(v: Array) -> Array:
        x, new = np.zeros(count), vectors.copy()
        sampled.block(new, sampled.fibre_mode)[...] = v
        sampled.exchange(x, (vectors, scales), (new, scales))
        return x

    return LinearOperator(((count,), (max(shape),)), forward, lambda y: sampled.along_fibres(y, scales))


def sparse_unfolding(shape: tuple[int, ...]) -> Operator:
    """X_kᵀ u and X_k v."""
    positions = positions_in(shape)
    unfolding = SparseUnfolding(FibreOperator(shape, positions), 1)
    x = RNG.standard_normal(len(positions))
    slots = unfolding.slots(x)
    return LinearOperator(
        ((len(unfolding.columns),), (shape[1],)),
        lambda u: unfolding.fibre_dots(slots, u),
        lambda v: unfolding.right_product(x, v[:, None])[:, 0],
    )


def power_step(shape: tuple[int, ...]) -> Operator:
    unfolding = SparseUnfolding(FibreOperator(shape, positions_in(shape)), 1)
    slots = RNG.standard_normal(len(positions_in(shape)))
    return symmetric((shape[1],), lambda u: unfolding.power_step(slots, u))


def differences(shape: tuple[int, ...]) -> Operator:
    def added(add: Callable[[Array, int, Array], None]) -> Callable[[Array], Array]:
        def apply(x: Array) -> Array:
            out = np.zeros_like(x)
            add(x, 1, out)
            return out

        return apply

    return LinearOperator((shape, shape), added(add_differences), added(add_adjoint))


def cosine_slices(shape: tuple[int, ...]) -> Operator:
    transform = SliceTransform("dct", shape)
    return LinearOperator((transform.slices, shape), transform.forward, transform.backward)


def by_transform(make_transform: Callable[[tuple[int, ...]], Transform | SummedTransform]) -> Make:
    def make(shape: tuple[int, ...]) -> Operator:
        transform = make_transform(shape)
        return LinearOperator((shape, transform.coefficient_shape), transform.to_entries, transform.to_coefficients)

    return make


def coefficients(shape: tuple[int, ...]) -> Operator:
    system = CoefficientSystem(transform_of(shape), known_in(shape), 0.5, RNG.random(shape))
    return symmetric(shape, lambda c: system.apply(c)[0])


def holes(part: str) -> Make:
    def make(shape: tuple[int, ...]) -> Operator:
        known = np.ones(shape, dtype=bool)
        known[1:3, 1:3] = False
        known[-1] = False
        transform = plain_transform(shape)
        system, _ = HoleSystem(transform, Bins(transform.bases), known).weigh(0.1 + RNG.random(shape), 1e-2)
        return symmetric(shape, lambda u: getattr(system, part)(np.where(known, 0.0, u))[0])

    return make


def rotations(part: str) -> Make:
    """On skew matrices, one per mode."""

    def skew(x: Array) -> Array:
        matrices = x.reshape(-1, 2, 2)
        return (matrices - matrices.transpose(0, 2, 1)).reshape(-1)

    def make(shape: tuple[int, ...]) -> Operator:
        geometry = TuckerQuotient(random_nonnegative(shape, (2,) * len(shape), np.random.default_rng(0)))
        apply = getattr(geometry.rotation_system(), part)
        return symmetric((4 * len(shape),), lambda x: skew(apply(skew(x))[0]))

    return make


OPERATORS: dict[str, Make] = {
    "mode product": times_matrix(mode_product),
    "shared mode product": times_matrix(share_mode_product),
    "fibre sandwich": sandwich,
    "D + K": free_system("apply"),
    "leading directions": free_system("precondition"),
    "Tucker tangent": tucker_tangent,
    "Kruskal in a factor": kruskal_in_a_factor,
    "main effects": main_effects,
    "rank one along fibres": rank_one_along_fibres,
    "sparse unfolding": sparse_unfolding,
    "power step": power_step,
    "periodic differences": differences,
    "smoother": lambda shape: symmetric(shape, Smoother(shape, (0, 1), np.float64).solve),
    "slices by cosines": cosine_slices,
    "transform": by_transform(transform_of),
    "sum of transforms": by_transform(lambda shape: SummedTransform([transform_of(shape), plain_transform(shape)])),
    "coefficients": coefficients,
    "holes": holes("apply"),
    "holes, preconditioner": holes("precondition"),
    "rotations": rotations("apply"),
    "rotations, preconditioner": rotations("precondition"),
}
SINGLE = {"leading directions", "holes, preconditioner"}
"""Answer in single precision."""


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", OPERATORS)
def test_the_adjoint_is_the_adjoint(name: str, shape: tuple[int, ...]) -> None:
    operator = OPERATORS[name](shape)
    allowed = 1e-5 if name in SINGLE else 1e-12
    assert max(mismatch(operator, seed) for seed in range(3)) <= allowed


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", OPERATORS)
def test_an_adjoint_that_is_off_by_a_thousandth_is_caught(name: str, shape: tuple[int, ...]) -> None:
    operator = OPERATORS[name](shape)

    def wrong(y: Any) -> Any:
        found = operator.adjoint(y)
        return (found[0] * 1.001, *found[1:]) if isinstance(found, tuple) else found * 1.001

    broken = LinearOperator(operator.shape, operator.forward, wrong)
    assert max(mismatch(broken, seed) for seed in range(3)) > 1e-5

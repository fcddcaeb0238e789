"""A law for the size of errors finds what made them, and is cautious where little is known."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.selection.variance_law import Evidence, VarianceLaw
from tensorfill.tensor import Array


def made(count: int, *, power: float = 1.0, weight: float = 0.0, seed: int = 0) -> tuple[Evidence, Array]:
    """Normal errors with log d² = power · guess + weight · property, and these d."""
    rng = np.random.default_rng(seed)
    guess, properties = rng.standard_normal(count), rng.standard_normal((count, 2))
    deviations = np.exp(0.5 * (power * guess + weight * properties[:, 0]))
    return Evidence(guess, properties, (deviations * rng.standard_normal(count)) ** 2), deviations


def deviations_of(law: VarianceLaw, seen: Evidence) -> Array:
    return np.exp(0.5 * law.logarithms(seen.guess, seen.properties.T))


@pytest.mark.parametrize(("power", "weight"), [(1.0, 0.0), (1.0, 0.7), (0.6, -0.5), (1.8, 0.3)])
def test_the_law_behind_the_errors_is_found(power: float, weight: float) -> None:
    law = VarianceLaw.fitted(made(20_000, power=power, weight=weight)[0])
    np.testing.assert_allclose(law.weights, [power - 1, weight, 0.0], atol=0.05)


def test_deviations_are_those_of_the_errors() -> None:
    seen, expected = made(20_000, power=0.8, weight=0.5)
    law = VarianceLaw.fitted(seen)
    np.testing.assert_allclose(law.factor(seen) * deviations_of(law, seen), expected, rtol=0.15)


def test_a_larger_guess_always_gives_a_larger_deviation() -> None:
    law = VarianceLaw.fitted(made(5_000, power=-1.0)[0])
    found = law.logarithms(np.linspace(-2.0, 2.0, 9), [np.zeros(9), np.zeros(9)])
    assert (np.diff(found) > 0).all()


def test_without_errors_the_guess_stands() -> None:
    seen = Evidence(np.zeros(0), np.zeros((0, 2)), np.zeros(0))
    law = VarianceLaw.fitted(seen)
    guess = np.array([-3.0, 0.5])
    np.testing.assert_array_equal(law.logarithms(guess, [np.ones(2), np.ones(2)]), guess)


def test_few_errors_change_the_guess_less_than_many() -> None:
    def constant(count: int) -> float:
        return VarianceLaw.fitted(Evidence(np.zeros(count), np.zeros((count, 1)), np.full(count, 100.0))).constant

    assert 0 < constant(2) < constant(20) < constant(2000) < np.log(100.0)


def test_errors_that_are_alike_count_less() -> None:
    squares = np.full(1000, 100.0)
    alone, alike = (
        VarianceLaw.fitted(Evidence(np.zeros(1000), np.zeros((1000, 1)), squares, share)).constant
        for share in (1.0, 0.01)
    )
    assert alike < alone - 0.5


def test_a_property_that_never_varied_counts_for_nothing() -> None:
    seen, _ = made(500)
    same = Evidence(seen.guess, np.column_stack([seen.properties, np.full(500, 3.0)]), seen.squares)
    assert VarianceLaw.fitted(same).weights[-1] == 0


def test_properties_beyond_what_was_seen_are_not_extrapolated() -> None:
    seen, _ = made(5_000, weight=1.0)
    law = VarianceLaw.fitted(seen)
    far, further = (law.logarithms(np.zeros(1), [np.full(1, value), np.zeros(1)])[0] for value in (10.0, 1000.0))
    assert far == further


def test_errors_with_heavy_tails_are_still_within_the_right_bounds() -> None:
    rng = np.random.default_rng(0)
    seen = Evidence(np.zeros(20_000), np.zeros((20_000, 1)), rng.standard_t(4, 20_000) ** 2)
    law = VarianceLaw.fitted(seen)
    plain = deviations_of(law, seen)
    matched = law.factor(seen) * plain
    errors = np.sqrt(seen.squares)

    def off(deviations: Array) -> float:
        return max(abs(np.mean(errors < deviations) - 0.683), abs(np.mean(errors < 2 * deviations) - 0.954))

    assert off(plain) > 0.07
    assert off(matched) < 0.03


def test_a_few_huge_errors_make_deviations_large_on_average() -> None:
    squares = np.full(1000, 1e-4)
    squares[:10] = 100.0
    seen = Evidence(np.zeros(1000), np.zeros((1000, 1)), squares)
    law = VarianceLaw.fitted(seen)
    stated = law.factor(seen) * deviations_of(law, seen)
    assert np.sqrt(np.mean(stated**2)) >= 0.49 * np.sqrt(np.mean(squares))

"""A linear operator as a value: what it does, and what its adjoint does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

X = TypeVar("X")
Y = TypeVar("Y")


@dataclass(frozen=True, eq=False)
class LinearOperator(Generic[X, Y]):
    """A, with <A x, y> = <x, Aᵀy> for all x and y: arrays, or tuples of them."""

    shape: tuple[Any, Any]
    """The shape of y, and the shape of x; tuples of shapes for tuples of arrays."""
    forward: Callable[[X], Y]
    """x ↦ A x."""
    adjoint: Callable[[Y], X]
    """y ↦ Aᵀy."""

"""What a notebook asks of a Completion, so that this room need not know where completions come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from ..observed import ObservedTensor


class Proof(Protocol):
    """How far from the global optimum it can be."""

    @property
    def relative_gap(self) -> float: ...


class Steps(Protocol):
    """The iterations, as columns."""

    @property
    def seconds(self) -> NDArray[Any]: ...
    @property
    def cost(self) -> NDArray[Any]: ...


class Shown(Protocol):
    """A completion as far as it is shown."""

    @property
    def observed(self) -> ObservedTensor: ...
    @property
    def method(self) -> str: ...
    @property
    def stop(self) -> object: ...
    @property
    def seconds(self) -> float: ...
    @property
    def certificate(self) -> Proof | None: ...
    @property
    def history(self) -> Steps: ...
    @property
    def smallest(self) -> float | None: ...
    @property
    def negative_share(self) -> float | None: ...
    @property
    def lower(self) -> float | None: ...
    @property
    def upper(self) -> float | None: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def tensor(self) -> NDArray[Any]: ...

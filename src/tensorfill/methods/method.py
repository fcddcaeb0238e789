"""Method: what every completion method offers, ours and the baselines alike."""

from typing import ClassVar, Protocol

import numpy as np

from ..completion import Completion, Watch
from ..observed import ObservedTensor


class Method(Protocol):
    """An immutable record of settings that can complete a tensor. It never sees the truth."""

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    nonnegative: ClassVar[bool]
    """Whether the method's own tensor is nonnegative, before anything is clipped."""

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why this method with these settings cannot complete this tensor, in one sentence; None if it can."""
        ...

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor, calling `watch` after every outer iteration."""
        ...

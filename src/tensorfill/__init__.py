"""Fill in the missing entries of nonnegative tensors, with uncertainty and a certificate of optimality.

>>> import numpy as np, tensorfill
>>> table = np.outer([1.0, 2.0, 3.0], [2.0, 4.0, 6.0, 8.0])
>>> table[1, 2] = np.nan
>>> done = tensorfill.complete(table, rank=1, C=1000)
>>> round(float(done.tensor[1, 2]), 2)
12.0
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .completion import Certificate, Completion, History, Iteration, Snapshot, StopReason, Watch
    from .errors import TensorfillError, TensorfillWarning
    from .estimator import TensorCompleter
    from .files import read, write
    from .formats import Contents, Entries, Metadata
    from .inpainting import inpaint
    from .library import complete
    from .methods.registry import available_methods
    from .metrics import score
    from .observed import ObservedTensor

__version__ = "0.2.0"

# Loaded when first used, so that `import tensorfill` and the command line start at once.
_HOME = {
    "Certificate": "completion",
    "Completion": "completion",
    "Contents": "formats",
    "Entries": "formats",
    "History": "completion",
    "Iteration": "completion",
    "Metadata": "formats",
    "ObservedTensor": "observed",
    "Snapshot": "completion",
    "StopReason": "completion",
    "TensorCompleter": "estimator",
    "TensorfillError": "errors",
    "TensorfillWarning": "errors",
    "Watch": "completion",
    "available_methods": "methods.registry",
    "complete": "library",
    "inpaint": "inpainting",
    "read": "files",
    "score": "metrics",
    "write": "files",
}

__all__ = [
    "Certificate",
    "Completion",
    "Contents",
    "Entries",
    "History",
    "Iteration",
    "Metadata",
    "ObservedTensor",
    "Snapshot",
    "StopReason",
    "TensorCompleter",
    "TensorfillError",
    "TensorfillWarning",
    "Watch",
    "__version__",
    "available_methods",
    "complete",
    "inpaint",
    "read",
    "score",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tensorfill' has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

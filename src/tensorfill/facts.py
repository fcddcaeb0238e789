"""All that is worth keeping about a completion, as plain values and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from .completion import Completion


def describe_run(done: Completion) -> dict[str, Any]:
    """Everything worth keeping about a completion."""
    proof = done.certificate
    return {
        "method": done.method,
        "settings": dict(done.settings),
        "reasons": dict(done.reasons),
        "shape": list(done.observed.shape),
        "dtype": str(done.observed.dtype),
        "observed_count": done.observed.count,
        "observed_share": done.observed.share,
        "seconds": done.seconds,
        "iterations": done.iterations,
        "stop": {"kind": done.stop.kind, "sentence": done.stop.sentence},
        "certificate": proof and {**asdict(proof), "gap": proof.gap, "relative_gap": proof.relative_gap},
        "lower": done.lower,
        "upper": done.upper,
        "smallest_before_clipping": done.smallest,
        "negative_share_before_clipping": done.negative_share,
        "nonnegative": done.nonnegative,
        "notes": list(done.notes),
        "history": [
            {"iteration": step.iteration, "seconds": step.seconds, "cost": step.cost, **step.measures}
            for step in done.history
        ],
    }


def as_json(value: Any) -> str:
    """Strict JSON: what is not a finite number is null."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else str(value)

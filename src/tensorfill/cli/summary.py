"""A completion told in a few lines, and told in full as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from .. import __version__
from ..completion import Certificate, Completion, Iteration
from ..metrics import Score


def lines(done: Completion) -> list[tuple[str, str]]:
    """The rows of the short table."""
    rows = [
        ("method", done.method),
        (
            "observed",
            f"{done.observed.count:,} of {done.observed.size:,} entries ({done.observed.share:.1%})",
        ),
        ("stopped because", done.stop.sentence),
        ("iterations", str(done.iterations)),
        ("seconds", f"{done.seconds:.2f}"),
    ]
    rows += [(f"{name} because", done.reasons[name]) for name in ("weights", "bases") if name in done.reasons]
    if done.certificate is not None:
        rows.append(("relative gap", f"{done.certificate.relative_gap:.2e}"))
    if done.smallest is not None:
        rows.append((f"smallest entry{'' if done.lower is None else ' before clipping'}", f"{done.smallest:.6g}"))
    if done.negative_share:
        count = round(done.negative_share * done.observed.size)
        what = "zero" if done.lower == 0 else done.lower
        rows.append((f"below {what} before clipping", f"{count:,} of the entries ({done.negative_share:.2%})"))
    return rows


def score_lines(score: Score) -> list[tuple[str, str]]:
    """The rows that compare an estimate with the truth."""
    hidden = "not known" if score.rmse_unobserved is None else f"{score.rmse_unobserved:.6f}"
    return [
        ("RMSE, all entries", f"{score.rmse:.6f}"),
        ("RMSE, unobserved entries", hidden),
        ("PSNR, all entries", f"{score.psnr:.2f} dB"),
    ]


def report(done: Completion, *, seed: int, input_name: str, output_name: str) -> dict[str, Any]:
    """Everything worth keeping about a run."""
    return {
        "tensorfill": __version__,
        "input": input_name,
        "output": output_name,
        "method": done.method,
        "settings": dict(done.settings),
        "reasons": dict(done.reasons),
        "seed": seed,
        "shape": list(done.observed.shape),
        "dtype": str(done.observed.dtype),
        "observed_count": done.observed.count,
        "observed_share": done.observed.share,
        "seconds": done.seconds,
        "iterations": done.iterations,
        "stop": {"kind": done.stop.kind, "sentence": done.stop.sentence},
        "certificate": None if done.certificate is None else _certificate(done.certificate),
        "lower": done.lower,
        "upper": done.upper,
        "smallest_before_clipping": done.smallest,
        "negative_share_before_clipping": done.negative_share,
        "nonnegative": done.nonnegative,
        "notes": list(done.notes),
        "history": [_iteration(step) for step in done.history],
    }


def _iteration(step: Iteration) -> dict[str, float]:
    return {"iteration": step.iteration, "seconds": step.seconds, "cost": step.cost, **step.measures}


def _certificate(certificate: Certificate) -> dict[str, float]:
    return {**asdict(certificate), "gap": certificate.gap, "relative_gap": certificate.relative_gap}


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

"""The card: before and after, what was done, and how the cost fell, as HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Protocol

from numpy.typing import NDArray

from ..errors import TooLarge
from ..observed import ObservedTensor
from ..views import shades_of, view_of
from .drawings import SIDE, Thumbnail, draw_curve, draw_thumbnail

LARGEST = 20_000_000
"""Entries from which on a tensor is not built only to be looked at."""
# Colours come from the notebook, light or dark; what is set here is lighter or heavier ink of the same.
_SOFT = "opacity:.65;font-size:.9em"
_CELL = "padding:1px 12px 1px 0;text-align:left;vertical-align:top;border:none;background:none;white-space:normal"


# What is asked of a Completion, so that this room need not know where completions come from.


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


def html(done: Shown) -> str:
    """A completion as one piece of HTML: no scripts, no other files, every text escaped."""
    parts = [_pictures(done), _facts(done), draw_curve(done.history.seconds, done.history.cost), _notes(done)]
    inside = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div style="display:flex;flex-direction:column;gap:10px;max-width:640px;line-height:1.35">{inside}</div>'


def _pictures(done: Shown) -> str:
    if done.observed.size > LARGEST:
        return _sentence(
            f"No picture: the tensor has {done.observed.size:,} entries, too many to build only to be looked at; "
            "ask for the entries you need with predict(indices)."
        )
    try:
        tensor = done.tensor
    except TooLarge as error:
        return _sentence(f"No picture: {error}")
    observed = done.observed
    known = observed.mask()
    before = known.astype(observed.dtype)
    before.reshape(-1)[observed.positions] = observed.known
    view = view_of(known)
    after = view.of(tensor)
    black, white = shades_of(after)
    figures = [
        _figure(draw_thumbnail(view.of(before), white, view.of(known), black), "before"),
        _figure(draw_thumbnail(after, white, black=black), "after"),
    ]
    said = ["holes are checkered", view.caption, "" if white == 255 else f"white is {white:.4g}"]
    if black:
        said.append(f"black is {black:.4g}")
    caption = _sentence("; ".join(part for part in said if part))
    return f'<div style="display:flex;flex-wrap:wrap;gap:12px">{"".join(figures)}</div>{caption}'


def _figure(picture: Thumbnail, caption: str) -> str:
    # Without a style of its own, the size of an <img> is overruled by notebooks.
    style = f"width:{picture.width}px;height:{picture.height}px;max-width:none;margin:0;image-rendering:pixelated"
    image = f'<img src="{picture.address}" alt="{escape(caption)}" style="{style}">'
    return f'<div style="max-width:{SIDE}px">{image}<div style="{_SOFT}">{escape(caption)}</div></div>'


def _facts(done: Shown) -> str:
    observed = done.observed
    share = f"{observed.count:,} of {observed.size:,} entries ({observed.share:.1%})"
    gap = "none" if done.certificate is None else f"relative gap {done.certificate.relative_gap:.2e}"
    smallest = "not looked at" if done.smallest is None else f"{done.smallest:.6g}"
    if done.negative_share:
        below = "zero" if done.lower == 0 else done.lower
        smallest += f"; {done.negative_share:.2%} of the entries below {below}"
    facts = {
        "method": done.method,
        "shape": f"{' × '.join(map(str, observed.shape))}, {observed.dtype}",
        "observed": share,
        "seconds": f"{done.seconds:.2f}",
        "stopped": str(done.stop),
        "certificate": gap,
        "smallest" if done.lower is None else "smallest before clipping": smallest,
    }
    if (done.lower, done.upper) != (0, None):
        facts["bounds"] = f"{_tell_bound(done.lower, 'below')}, {_tell_bound(done.upper, 'above')}"
    rows = "".join(
        f'<tr style="background:none"><th style="{_CELL};font-weight:600;white-space:nowrap">{escape(name)}</th>'
        f'<td style="{_CELL}">{escape(fact)}</td></tr>'
        for name, fact in facts.items()
    )
    return f'<table style="border-collapse:collapse;border:none;margin:0;color:inherit">{rows}</table>'


def _tell_bound(bound: float | None, side: str) -> str:
    return f"no bound {side}" if bound is None else f"nowhere {side} {bound}"


def _notes(done: Shown) -> str:
    return "".join(f"<div>⚠ {escape(note)}</div>" for note in done.notes)


def _sentence(text: str) -> str:
    return f'<div style="{_SOFT}">{escape(text)}</div>' if text else ""

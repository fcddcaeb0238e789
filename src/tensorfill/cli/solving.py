"""Solving: what the library is asked, what that will take, and running it for a person who watches."""

from __future__ import annotations

import logging
import math
import signal
import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from .. import library
from ..bounds import Bounds
from ..completion import Completion, Snapshot
from ..errors import InvalidSetting, TensorfillWarning, TooLarge, must_be
from ..formats import Contents, Entries
from ..interrupting import raise_if_pressed, remembered
from ..large.planning import TileWish
from ..memory import available_memory
from ..methods.auto import is_sparse, method_for
from ..methods.forecast import Forecast, forecast, method_seconds
from ..methods.registry import make
from ..methods.setting_checks import AUTO
from ..telling import listening, seconds_compiling
from ..tensor import entries
from .app import Stopped
from .options import BoundOptions, SolvingOptions, TileOptions
from .progress import ProgressLine

_WORTH_TELLING = 1.0  # seconds
_WORTH_KEEPING = 300.0  # seconds that a run will take, from which on what is finished is kept
_SETTINGS = (
    *("effort", "max_iter", "gradient_tolerance", "gap_tolerance"),
    *("inner", "optimizer", "start", "nonnegative_on"),
)
"""Settings that are passed on as they are typed."""
Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Solving:
    """A method with its settings, and what else the library is asked, whatever the data."""

    method: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    bounds: Bounds = field(default_factory=Bounds)
    time_limit: float | None = None
    keep_observed: bool = True
    clip: bool = False

    def __post_init__(self) -> None:
        """Refuse settings that no data would suit."""
        make(self.chosen, self.settings)

    @classmethod
    def of(cls, given: SolvingOptions, bounds: BoundOptions) -> Solving:
        """From options as they are typed."""
        if given.seed < 0:
            raise InvalidSetting(must_be("seed", "be 0 or more", given.seed))
        settings = {name: getattr(given, name) for name in _SETTINGS if getattr(given, name) is not None}
        parsers: dict[str, Callable[[str], Any]] = {"rank": parse_rank, "C": parse_C, "lam": parse_weights}
        for name, parse in parsers.items():
            text = getattr(given, name)
            if text is not None:
                settings[name] = AUTO if text.strip().lower() == AUTO else parse(text)
        return cls(
            method=given.method,
            settings=settings | parse_settings(given.set_ or (), taken=settings),
            seed=given.seed,
            bounds=parse_bounds(bounds.lower, bounds.upper),
            time_limit=given.time_limit,
            keep_observed=not given.no_keep_observed,
            clip=given.clip_negative,
        )

    @cached_property
    def chosen(self) -> str:
        """The name of the method that these settings choose."""
        return method_for(self.method, self.settings)

    def forecast(self, source: Contents | Entries) -> tuple[Forecast, Callable[[str], float]]:
        """What it will need, and, from the name of a method, how long one run of that takes on these data."""
        shape, (structured, missing) = source.shape, _look_at_missingness(source)
        effort = self.settings.get("effort", "normal")
        sparse = isinstance(source, Entries) and self.chosen == "auto" and is_sparse(source.observed_tensor)
        expected = forecast(shape, self.chosen, effort=effort, structured=structured, missing=missing, sparse=sparse)
        return expected, lambda method: method_seconds(shape, method, structured=structured, missing=missing)

    def run(self, data: Contents | Entries, line: ProgressLine) -> tuple[Completion, tuple[str, ...]]:
        """Complete with progress on a terminal; also returns the notes that were not shown on the way."""

        def watch(snapshot: Snapshot) -> None:
            line.watch(snapshot)
            raise_if_pressed()

        with attended(line) as shown:
            done = library.complete(
                data,
                method=self.method,
                keep_observed=self.keep_observed,
                negatives="clip" if self.clip else "raise",
                random_state=self.seed,
                watch=watch,
                time_limit=self.time_limit,
                lower=self.bounds.lower,
                upper=self.bounds.upper,
                tile=None,
                **self.settings,
            )
        return done, tuple(note for note in done.notes if note not in shown)

    def run_alone(self, data: Contents | Entries) -> tuple[Completion, tuple[str, ...]]:
        """The same with lines of progress of its own."""
        with ProgressLine() as line:
            line.begin(self.method, 0.0)
            return self.run(data, line)


@dataclass(frozen=True)
class TileWishes:
    """What is asked about tiles, and about what is kept of a long run."""

    tile: TileWish = "auto"
    checkpoint: Path | None = None
    fresh: bool = False
    scheduler: str | None = None

    @classmethod
    def of(cls, given: TileOptions) -> TileWishes:
        """From options as they are typed."""
        return cls(parse_tile(given.tile), given.checkpoint, given.fresh, given.scheduler)

    @property
    def cut(self) -> bool:
        """Whether tiles are asked for, of whatever size the tensor is."""
        return self.tile not in ("auto", None)

    @property
    def for_one_file(self) -> TileWishes:
        """The same for one of several files that workers share."""
        return replace(self, scheduler=None)

    def folder_for(self, output: Path, seconds: float) -> Path | None:
        """Where a run that takes so long keeps what is finished; None if it need not."""
        folder = self.checkpoint or output.with_name(f"{output.name}.checkpoint")
        return folder if self.checkpoint or seconds > _WORTH_KEEPING or folder.is_dir() else None


# What it will take


def _look_at_missingness(source: Contents | Entries) -> tuple[bool, float]:
    """Whether missingness is structured, and which share of the entries is missing."""
    total = entries(source.shape)
    if isinstance(source, Entries):
        return False, 1 - len(source.values) / total if total else 0.0
    if not total or (source.observed is None and source.dtype.kind != "f"):  # no entry can be missing
        return False, 0.0
    return source.missingness.structured, 1 - float(source.missingness.mask.mean())


def check_memory(source: Contents | Entries, name: str, expected: Forecast) -> None:
    """Refuse, with what to do, what would not fit; a table is completed without being made full."""
    if isinstance(source, Entries) or expected.fits:
        return
    ways = ["a smaller part of it"]
    if source.metadata.kind == "video":
        ways = ["fewer frames with --frames 0-99", *(["--gray"] if source.ndim == 4 else [])]
    raise TooLarge(
        f"Completing {name}, {entries(source.shape):,} entries, would need about {gigabytes(expected.bytes)} of "
        f"memory, and {gigabytes(available_memory())} are free; take {' or '.join(ways)}."
    )


def gigabytes(count: float) -> str:
    """Bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


# What happens around the work


@contextmanager
def attended(line: ProgressLine) -> Iterator[list[str]]:
    """Show the phases, warnings and log of long work in the block, and let Ctrl-C stop it; gives what was warned of."""
    shown: list[str] = []
    with _plain_warnings(line, shown), _plain_log(line), listening(line.enter), remembered():
        compiled, _ = seconds_compiling()
        try:
            yield shown
        except KeyboardInterrupt:
            # With iterations done, this was a second Ctrl-C while the library was finishing up after the first.
            when = "before the first iteration" if line.iterations == 0 else "again before the result was ready"
            raise Stopped(f"Stopped {when}; nothing was written.") from None
        if (taken := seconds_compiling()[0] - compiled) >= _WORTH_TELLING:
            line.say(f"Compiling took {taken:.0f} s.")


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ctrl-C has no effect in the block: files are written whole, all of them, and told about."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _plain_log(line: ProgressLine) -> Iterator[None]:
    """What the library logs, such as that it is compiling, as plain lines."""

    class Line(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            line.say(record.getMessage())

    logger, handler = logging.getLogger("tensorfill"), Line()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


@contextmanager
def _plain_warnings(line: ProgressLine, shown: list[str]) -> Iterator[None]:
    """Our own warnings as one plain line each, at once; those of others as Python shows them."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", TensorfillWarning)
        otherwise = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, TensorfillWarning):
                otherwise(message, category, *place, **more)
            elif str(message) not in shown:
                shown.append(str(message))
                line.note(str(message))

        warnings.showwarning = show
        yield


# Options as people type them


def parse_rank(text: str) -> int | tuple[int, ...]:
    """One rank for every mode, or one each.

    >>> parse_rank("10"), parse_rank("10, 10, 3")
    (10, (10, 10, 3))
    """
    return _one_or_several(
        text, int, "--rank takes whole numbers, one for all modes or one per mode, like 10,10,3, or auto"
    )


def parse_weights(text: str) -> float | tuple[float, ...]:
    """One weight for every mode, or one each.

    >>> parse_weights("0.5"), parse_weights("1,1,2")
    (0.5, (1.0, 1.0, 2.0))
    """
    return _one_or_several(text, float, "--lam takes numbers, one for all modes or one per mode, like 1,1,1, or auto")


def parse_C(text: str) -> float:
    """How closely observed entries are followed.

    >>> parse_C("0.01")
    0.01
    """
    try:
        return float(text)
    except ValueError:
        raise InvalidSetting(f"--C takes a number, like 10, or auto. Got {text!r} instead.") from None


def _one_or_several(text: str, kind: Callable[[str], Number], rule: str) -> Number | tuple[Number, ...]:
    try:
        numbers = tuple(kind(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(f"{rule}. Got {text!r} instead.") from None
    return numbers if len(numbers) > 1 else numbers[0]


def parse_tile(text: str) -> TileWish:
    """The size of tiles, one for all modes or one for each; or auto, or none.

    >>> parse_tile("auto"), parse_tile("none"), parse_tile("256"), parse_tile("240,427,60,3")
    ('auto', None, 256, (240, 427, 60, 3))
    """
    word = text.strip().lower()
    if word in ("auto", "none"):
        return "auto" if word == "auto" else None
    rule = "--tile takes auto, none, or the size of tiles: one number, or one for each mode, like 240,427,60"
    return _one_or_several(text, int, rule)


def parse_bounds(lower: str, upper: str) -> Bounds:
    """Numbers, or none for no bound.

    >>> parse_bounds("-1000", "none"), parse_bounds("none", "0.5")
    (Bounds(lower=-1000, upper=None), Bounds(lower=None, upper=0.5))
    """
    return Bounds.of(_parse_bound("--lower", lower), _parse_bound("--upper", upper))


def _parse_bound(option: str, text: str) -> int | float | None:
    if text.strip().lower() == "none":
        return None
    try:
        found = _parse_number(text)
    except ValueError:
        found = float("nan")
    if not math.isfinite(found):
        raise InvalidSetting(f"{option} takes a number, or none for no bound. Got {text!r} instead.")
    return found


def parse_settings(assignments: Sequence[str], taken: Collection[str] = ()) -> dict[str, Any]:
    """Settings from `name=value`; values are numbers, several of them, true, false, none or words.

    >>> parse_settings(["tau=100", "rank_max=20,20,3", "standardize=true", "weights=dynamic"])
    {'tau': 100, 'rank_max': (20, 20, 3), 'standardize': True, 'weights': 'dynamic'}
    """
    found: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        name = name.replace("-", "_")
        if not (name.isidentifier() and equals and value):
            raise InvalidSetting(f"--set takes NAME=VALUE, like tau=100. Got {assignment!r} instead.")
        if name in found or name in taken:
            raise InvalidSetting(f"The setting {name!r} is given twice; give it once.")
        found[name] = _parse_setting(value)
    return found


def _parse_setting(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        parts = tuple(_parse_number(part) for part in text.split(",") if part.strip())
    except ValueError:
        return text
    return parts if "," in text else parts[0]


def _parse_number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)

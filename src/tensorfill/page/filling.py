"""Filling, in a worker: an estimate, or a run, the same as `tensorfill complete`, with pictures on the way."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__, library
from ..bounds import Bounds
from ..completion import Completion, Snapshot, as_json, describe_run
from ..errors import InvalidInput
from ..formats import Contents, DataFile, Entries
from ..interrupting import raise_if_pressed, remembered
from ..memory import available_memory
from ..methods.auto import method_for
from ..methods.registry import make
from ..missingness import Missingness
from ..telling import Phase, Round, TimeAhead, listening, seconds_compiling
from ..tensor import entries
from .held_out import Curve
from .outlook import Outlook, look_ahead
from .planes import Layout, Shades, draw_plane, unpack
from .reading import Teller, Words, filled_file, holes_file, read_file
from .showing import measure, show_components, show_result, show_uncertainty

_TICK = 0.4
_BETWEEN_PICTURES = 0.7
_PART_FOR_PICTURES = 0.1  # of the time that passes
_BETWEEN_POINTS = 0.1
_CORES_USED = 1.8  # as forecasts were measured


def estimate(
    outlet: Teller,
    *,
    shape: list[int],
    channels: int,
    listed: bool,
    known: str,
    holes: str | None,
    method: str,
    settings: dict[str, Any],
) -> dict[str, Any]:
    """About how long it will take and how much memory, as `tensorfill info` says."""
    del outlet
    make(method_for(method, settings), settings)
    layout = Layout(tuple(shape), channels)
    sites = _known_sites(layout, known, holes)
    structured, missing = Missingness(layout.as_tensor(sites)).structured, 1 - float(sites.mean())
    found = look_ahead(shape, method, settings, structured=structured, missing=missing, listed=listed)
    return {
        "seconds": found.seconds,
        "bytes": found.bytes,
        "free": available_memory(),
        "fits": found.fits,
        "tiles": found.tiles,
    }


def _known_sites(layout: Layout, known: str, holes: str | None) -> NDArray[np.bool_]:
    sites = unpack(Path(known).read_bytes(), layout.sites)
    return sites if holes is None else sites & ~unpack(Path(holes).read_bytes(), layout.sites)


@dataclass
class Job:
    """One run: what is read, what is asked, and where its files go."""

    folder: Path
    path: Path
    words: Words
    channels: int
    shades: Shades
    holes: Path | None
    method: str
    settings: dict[str, Any]
    seed: int
    lower: float | None
    upper: float | None
    time_limit: float | None
    layout: Layout = field(init=False)
    truth: Contents = field(init=False)
    hidden: NDArray[np.bool_] | None = field(init=False, default=None)
    """The entries that are known but were painted over, in the shape of the tensor."""

    def read(self) -> Contents | Entries:
        """The data with all its holes; a table is written as it is then, for the command to read."""
        found = read_file(self.path, self.words)
        self.truth = found if isinstance(found, Contents) else found.contents()
        self.layout = Layout(tuple(found.shape), self.channels)
        if self.holes is None:
            return found
        holes = self.layout.as_tensor(unpack(self.holes.read_bytes(), self.layout.sites))
        self.hidden = holes & self.truth.known()
        if isinstance(found, Entries):
            left = found.without(holes[tuple(found.coordinates.T)])
            holes_file(self.folder, self.path).write(left)
            return left
        # Without NaNs: one that is marked observed is a mistake, which the library and the command point out.
        known = self.truth.known() & ~holes
        alike = self.layout.channels and bool((known == known[..., :1]).all())
        np.save(self.folder / "known.npy", known[..., 0] if alike else known)
        return replace(found, observed=known)

    @property
    def output(self) -> DataFile:
        """In the format of the input."""
        return filled_file(self.folder, self.path)


def fill(
    outlet: Teller,
    *,
    folder: str,
    path: str,
    name: str,
    words: Words,
    channels: int,
    black: float,
    white: float,
    holes: str | None,
    method: str,
    settings: dict[str, Any],
    seed: int,
    lower: float | None,
    upper: float | None,
    time_limit: float | None,
    plane: int,
) -> dict[str, Any]:
    """Complete a file; tells of progress, of the result as soon as it is there, and of what is worked out after it."""
    del name
    asked = (method, settings, seed, lower, upper, time_limit)
    place = None if holes is None else Path(holes)
    job = Job(Path(folder), Path(path), words, channels, Shades(black, white), place, *asked)
    outlet.wanted.setdefault("plane", plane)
    outlet.tell(phase="reading")
    source = job.read()
    if isinstance(source, Contents):
        if not source.missingness.mask.any():
            raise InvalidInput("There is nothing to fill the holes from: all entries are missing.")
        job.output.check_holds(source)
    watching = Watching(outlet, job, source)
    done = watching.complete()
    losses = job.output.write(job.output.form.fill(source, done), force=True)
    told = {"tensorfill": __version__, **describe_run(done), "seed": seed, "losses": list(losses)}
    told["score"] = measure(job.truth, done, job.hidden)
    told["tile"] = watching.outlook.tile
    (job.folder / "report.json").write_text(as_json(told), encoding="utf-8")
    show_result(job.folder, done, job.layout, job.shades)
    outlet.tell(result=summarise(done, told), components=0)
    parts = show_components(job.folder, done, job.layout)
    # Of tiles it would be worked out by completing them all again.
    unsure = show_uncertainty(job.folder, done, job.layout) if watching.outlook.tile is None else None
    return {"components": parts, "uncertainty": unsure}


def summarise(done: Completion, told: dict[str, Any]) -> dict[str, Any]:
    """What the page says of a result; the report has the rest."""
    proof = told["certificate"]
    return {
        "seconds": done.seconds,
        "iterations": done.iterations,
        "stop": done.stop.sentence,
        "stopped": done.stop.kind == "interrupted",
        "smallest": done.smallest,
        "negative_share": done.negative_share,
        "nonnegative": done.nonnegative,
        "gap": None if proof is None else proof["relative_gap"],
        "reasons": dict(done.reasons),
        "notes": list(done.notes),
        "losses": told["losses"],
        "score": told["score"],
        "tile": told["tile"],
    }


class Watching:
    """What is told while the library works: the phase, the time left, a curve, and now and then a picture."""

    def __init__(self, outlet: Teller, job: Job, source: Contents | Entries) -> None:
        self._outlet, self._job, self._source = outlet, job, source
        self._began = time.monotonic()
        self.outlook = self._look_ahead()
        self._ahead = TimeAhead(self.outlook.seconds, self.outlook.seconds_of, worked=_worked)
        self._curve = Curve.of(source, job.method, job.settings, Bounds.of(job.lower, job.upper))
        outlet.tell(curve=self._curve.name)
        self._over = threading.Event()
        self._phase = "completing"
        self._next_picture = self._next_point = 0.0
        self._pictures = 0

    def complete(self) -> Completion:
        """Ask the library what the command asks it."""
        job = self._job
        _tell_of_compiling(self._outlet)
        ticking = threading.Thread(target=self._tick, name="tick", daemon=True)
        ticking.start()
        try:
            with listening(self._hear), remembered():
                return library.complete(
                    self._source,
                    method=job.method,
                    random_state=job.seed,
                    watch=self._watch,
                    time_limit=job.time_limit,
                    lower=job.lower,
                    upper=job.upper,
                    tile=self.outlook.tile,
                    **job.settings,
                )
        finally:
            self._over.set()

    def _look_ahead(self) -> Outlook:
        source, listed = self._source, isinstance(self._source, Entries)
        if isinstance(source, Contents):
            structured, missing = source.missingness.structured, 1 - float(source.missingness.mask.mean())
        else:
            structured, missing = False, 1 - len(source.values) / max(1, entries(source.shape))
        method, settings = self._job.method, self._job.settings
        found = look_ahead(source.shape, method, settings, structured=structured, missing=missing, listed=listed)
        if not found.fits:
            raise InvalidInput("There is not enough memory for this; use fewer frames, or a method that needs less.")
        return found

    def _hear(self, told: Phase | Round) -> None:
        if isinstance(told, Round):
            self._ahead.begin_round(told)
        else:
            self._ahead.enter(told)
            self._phase = told.words
            self._outlet.tell(phase=self._phase)

    def _tick(self) -> None:
        while not self._over.wait(_TICK):
            elapsed = time.monotonic() - self._began
            passing = (elapsed + _TICK) / (_worked() + _TICK)
            self._outlet.tell(elapsed=elapsed, left=passing * self._ahead.left())

    def _watch(self, snapshot: Snapshot) -> None:
        now = time.monotonic()
        if now >= self._next_point:
            self._next_point = now + _BETWEEN_POINTS
            step, cost = snapshot.step, _finite(snapshot.step.cost * self._curve.factor)
            # The phase again: kernels that were compiled meanwhile have told of that.
            self._outlet.tell(phase=self._phase, iteration=step.iteration, cost=cost, elapsed=now - self._began)
        if now >= self._next_picture:
            self._draw(snapshot)
            taken = time.monotonic() - now
            self._next_picture = time.monotonic() + max(_BETWEEN_PICTURES, taken / _PART_FOR_PICTURES)
        raise_if_pressed()

    def _draw(self, snapshot: Snapshot) -> None:
        """The plane that is looked at, as it stands: what is known, and the estimate elsewhere."""
        layout, truth = self._job.layout, self._job.truth
        plane = int(self._outlet.wanted.get("plane", 0)) % layout.count
        index = layout.index(plane)
        known = truth.known()[index] if self._job.hidden is None else (truth.known() & ~self._job.hidden)[index]
        part = np.array(truth.data[index], dtype=np.float64)
        holes = np.argwhere(~known)
        if len(holes):
            between = np.unravel_index(plane, layout.between or (1,))[: len(layout.between)]
            middle = np.broadcast_to(np.array(between, dtype=np.int64).reshape(1, -1), (len(holes), len(between)))
            coordinates = np.concatenate((holes[:, :2], middle, holes[:, 2:]), axis=1)
            part[~known] = snapshot.estimate.at(coordinates)
        whole = np.zeros(layout.shape[:2] + layout.shape[-1:] if layout.channels else layout.shape[:2])
        whole[...] = part
        flat = Layout(whole.shape, layout.channels)
        target = self._job.folder / "live.new"
        target.write_bytes(draw_plane(whole, flat, self._job.shades, 0).tobytes())
        target.replace(self._job.folder / "live.bin")
        self._pictures += 1
        self._outlet.tell(picture=self._pictures, plane=plane)


def _tell_of_compiling(outlet: Teller) -> None:
    """What the library logs is that it compiles, the first time: it takes a while, and nobody's forecast counts it."""

    class Line(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            outlet.tell(phase=record.getMessage())

    logger = logging.getLogger("tensorfill")
    logger.addHandler(Line())
    logger.setLevel(logging.INFO)


def _worked() -> float:
    """Seconds of work as on two cores, without compiling."""
    return max(0.0, time.process_time() - seconds_compiling()[1]) / _CORES_USED


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

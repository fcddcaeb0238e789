"""Large tensors: cut into tiles, with everything chosen once, on a few windows; and told of as one completion."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .bounds import Bounds
from .completion import Completion, Estimate, History, Iteration, Snapshot, StopReason, Watch
from .errors import InvalidSetting, must_be
from .estimates.derived import RowsSoFar
from .estimates.estimate import DenseEstimate
from .foregone import quick_interpolation
from .interrupting import TimeIsUp, seconds_left, time_limited
from .iterating import Clock
from .memory import available_memory
from .method import Method
from .methods.forecast import FIXED_BYTES, Forecast, forecast_tile, most_bytes, most_bytes_of_tile
from .methods.task import Asked, Task, refuse_deviations
from .numerics.threads import quiet_blas, thread_count
from .observed import ObservedTensor, UnlistedTensor
from .telling import Phase, tell_phase
from .tensor import entries
from .tiles.answer import TileAnswer, TileQuestion
from .tiles.blending import Rows
from .tiles.checkpoint import Checkpoint
from .tiles.run import Keeper, ThisThread, TileFacts, TileRun, Workers
from .tiles.tensors import LargeTensor, Part, Survey, choose_windows, window_entries
from .tiles.tiling import Tile, Tiling, given_tiles, overhead, plan_tiles
from .units import Shift, Units

Mask = NDArray[np.bool_]
TileWish = Literal["auto"] | int | Sequence[int] | None
"""What `tile=` takes: "auto", the sizes of tiles, one for all long modes, or None for no tiles."""

ALWAYS_WHOLE = 2**22
"""Entries up to which nobody has to ask whether they fit."""

_BUDGET = 3.2e9  # bytes for the tiles that are worked on at a time: more makes them little quicker
_MOST_OF_FREE = 0.5  # of the memory that is free
_FEW = 80  # characters of a setting
_LAYER_BYTES = 2 * np.dtype(np.float32).itemsize  # of a layer of finished tiles, for every entry
_MOSTLY_KNOWN = 0.6  # share from which on holes are likelier than entries that are missing one by one
_LEARNING = 2.0  # times as long as a tile takes, for each entry of a window
_PRECISE = 2**24  # whole numbers up to which single precision tells all apart


def plan(shape: Sequence[int], asked: Asked, share: float, tile: TileWish, *, leading: int = 0) -> Tiling | None:
    """Where to cut; None if it is completed whole."""
    if tile is None:
        return None
    if tile != "auto":
        return plan_wished(shape, tile, leading=leading)
    effort = asked.settings.get("effort", "normal")
    if most_bytes(shape, asked.method.name, effort=effort, missing=1 - share) <= available_memory():
        return None
    return plan_for(shape, asked.method, share, leading=leading)


def plan_for(shape: Sequence[int], method: Method, share: float, *, leading: int = 0, at_a_time: int = 1) -> Tiling:
    """Tiles that a method has room for, if it completes so many at a time."""
    size = max(1, entries(shape))
    each = (most_bytes_of_tile(shape, size, method.name, missing=1 - share) - FIXED_BYTES) / size
    room = (min(_BUDGET, _MOST_OF_FREE * available_memory()) - FIXED_BYTES) / at_a_time
    return plan_tiles(shape, room / each, layer_weight=_LAYER_BYTES / each, leading=leading)


@dataclass(frozen=True)
class TileForecast:
    """About what a run over all tiles will need."""

    tiles: int
    bytes: int
    """At the peak, with so many tiles at a time as was asked."""
    seconds: float
    """Learning and all tiles, one after the other."""
    learning: float
    """Seconds of these before the first tile."""

    @property
    def fits(self) -> bool:
        """Whether that much memory is free now."""
        return self.bytes <= available_memory()

    @property
    def each(self) -> float:
        """Seconds of a tile."""
        return (self.seconds - self.learning) / self.tiles


def forecast_tiles(
    tiling: Tiling, asked: Asked, share: float, *, structured: bool | None = None, at_a_time: int = 1
) -> TileForecast:
    """What completing all tiles will need, if this share is known.

    Where nobody says whether what is missing is `structured`, it is taken to be if most is known: as lost frames,
    scratches and writing leave it.
    """
    holes = share > _MOSTLY_KNOWN if structured is None else structured
    effort = asked.settings.get("effort", "normal")

    def forecast_one(structured: bool) -> Forecast:
        return forecast_tile(
            tiling.largest, tiling.work, asked.method.name, effort=effort, structured=structured, missing=1 - share
        )

    kinds = (False, True) if structured is None else (structured,)
    tile = max(forecast_one(kind).bytes for kind in kinds) - FIXED_BYTES
    others = entries(tiling.shape) // max(1, tiling.shape[tiling.leading])
    layer = _LAYER_BYTES * others * tiling.largest[tiling.leading] if tiling.count > 1 else 0
    seconds = forecast_one(holes).seconds
    learned = min(window_entries(tiling.shape) * _LEARNING / max(1, tiling.work), 1.0) if tiling.count > 1 else 0.0
    return TileForecast(
        tiling.count, round(FIXED_BYTES + at_a_time * tile + layer), (1 + learned) * seconds, learned * seconds
    )


def plan_wished(shape: Sequence[int], tile: object, *, leading: int = 0) -> Tiling:
    """Tiles of the size that is asked for: one number for all modes, or one for each."""
    numbers: Any = tile if isinstance(tile, Sequence | np.ndarray) else [tile] * len(shape)
    whole = all(type(size) is not bool and isinstance(size, int | np.integer) and size > 1 for size in numbers)
    if not whole or len(numbers) != len(shape):
        requirement = f"be 'auto', None, a whole number above 1, or one for each of the {len(shape)} modes"
        raise InvalidSetting(must_be("tile", requirement, tile))
    return given_tiles(shape, [int(size) for size in numbers], leading=leading)


def tiles_at_a_time(tiling: Tiling, asked: Asked, share: float) -> int:
    """How many there is memory for, up to the number of cores."""
    room = min(_BUDGET, _MOST_OF_FREE * available_memory())
    fitting = [
        count
        for count in range(1, min(thread_count(), tiling.count) + 1)
        if forecast_tiles(tiling, asked, share, at_a_time=count).bytes <= room
    ]
    return max(fitting, default=1)


# One tile


@dataclass(frozen=True)
class TaskSolver:
    """Completes a tile as a tensor of its own, with what was learned for all of them."""

    asked: Asked
    shift: Shift
    seed: int
    level: float
    """What is said of a tile of which nothing is known."""
    deviations: bool = False

    def __call__(self, question: TileQuestion) -> TileAnswer:
        """The completion of a tile."""
        if not question.known.any():
            return self._answer_nothing_known(question)
        data = ObservedTensor.from_array(question.values, question.known, lower=None)
        with quiet_blas():  # the same bits however many threads a worker has
            task = Task.of(data, self.asked, shift=self.shift)
            done = task.answer_at_once()
            if done is None:
                solved = task.solve(np.random.default_rng([self.seed, question.number]), None, warn=False)
                done = task.finish(solved, max(0.0, seconds_left()))
            return _answer(done, self.deviations)

    def _answer_nothing_known(self, question: TileQuestion) -> TileAnswer:
        model = np.full(question.known.shape, self.level, model_dtype(question.values.dtype))
        unsure = np.full(question.known.shape, abs(self.level), np.float32) if self.deviations else None
        note = "Nothing is known in some tiles; they hold the mean of all that is known."
        return TileAnswer(model, unsure, _facts(self.asked.method.name, 0, ("done", ""), notes=[note]))


@dataclass(frozen=True)
class Guess:
    """The cheapest method: a quick interpolation."""

    solver: TaskSolver

    def __call__(self, question: TileQuestion) -> TileAnswer:
        """What is around a hole."""
        solver = self.solver
        if not question.known.any():
            return solver(question)
        data = ObservedTensor.from_array(question.values, question.known, lower=None)
        data = data.within(solver.asked.bounds, "clip")[0]
        done = quick_interpolation(data, solver.asked.method.name, solver.asked.settings)
        bounds = solver.asked.bounds
        return _answer(replace(done, lower=bounds.lower, upper=bounds.upper), solver.deviations)


def fill(model: NDArray[Any], values: NDArray[Any], known: Mask, bounds: Bounds, *, keep: bool = True) -> NDArray[Any]:
    """A model in the dtype of the data, known entries kept, or, if they lie outside of the bounds, put on them."""
    full: NDArray[Any] = bounds.as_dtype(model.astype(np.float64), values.dtype)
    if keep:
        full[known] = bounds.kept_by(values[known], lambda number: number, clip=True)[0]
    return full


def model_dtype(dtype: np.dtype[Any]) -> np.dtype[np.floating[Any]]:
    """Single precision where it tells all values of the data apart."""
    return np.dtype(np.float32 if np.can_cast(dtype, np.float32) else np.float64)


def _answer(done: Completion, deviations: bool) -> TileAnswer:
    dtype = model_dtype(done.observed.dtype)
    return TileAnswer(
        model=done.model.astype(dtype),
        deviations=replace(done, keep_observed=False).uncertainty.astype(np.float32) if deviations else None,
        facts=_facts(
            done.method,
            done.observed.count,
            (done.stop.kind, done.stop.sentence),
            seconds=done.seconds,
            cost=done.history[-1].cost if done.history else None,
            notes=list(done.notes),
            reasons=dict(done.reasons),
            smallest=done.smallest,
            nonnegative=done.nonnegative,
            certificate=None if done.certificate is None else asdict(done.certificate),
        ),
    )


def _facts(method: str, known: int, stop: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"method": method, "known": known, "stop": stop, **more}


# What tiles share


def shared_shift(asked: Asked, ends: NDArray[Any]) -> Shift:
    """By the smallest and the largest known value of all tiles, so that they agree."""
    two = ObservedTensor((2, 1), np.arange(2), ends)
    return Shift.of(asked.bounds, two, moves=asked.method.extends_constants)


def learn_from(windows: Sequence[Part], asked: Asked, shift: Shift, seed: int, work: int = 0) -> Asked:
    """The same with a method that has chosen all it chooses on these windows; `work` entries are to be completed.

    If the time is over before that, it has chosen nothing: there is none to complete tiles either.
    """
    method, parts = asked.method, []
    for values, known in windows:
        # What lies outside of the bounds was refused, or it is clipped.
        sample = ObservedTensor.from_array(values, known, lower=None).within(asked.bounds, "clip")[0]
        part = shift.apply(sample)
        if Units.of(part, shift, part, method, columns_apart=False).size.is_none:  # else tiles differ in their units
            parts.append(part)
    if parts:
        with quiet_blas(), suppress(TimeIsUp), time_limited(seconds_left()):  # which leaves the deadline as it is
            method = method.learn(parts, rng=np.random.default_rng([seed, len(parts)]), work=work)
    return replace(asked, method=method, notes=())


# All tiles


@dataclass(eq=False)
class Large:
    """A tensor that is completed in tiles."""

    tensor: LargeTensor
    asked: Asked
    tiling: Tiling
    seen: Survey
    seed: int
    deviations: bool = False
    """Whether these are worked out along with the answer."""
    clock: Clock = field(default_factory=Clock)
    keeper: Keeper | None = None
    """What keeps answers, so that they need not be found twice."""
    _history: list[Iteration] = field(default_factory=list)

    def learn(self) -> TaskSolver:
        """The solver of tiles, with everything chosen on a few windows."""
        shift = shared_shift(self.asked, np.asarray([self.seen.smallest, self.seen.largest], self.tensor.dtype))
        windows = choose_windows(self.tensor, self.seen.share(self.tensor.shape)) if self.tiling.count > 1 else []
        tell_phase(Phase("learning", f"from {len(windows)} windows"))
        asked = learn_from(windows, self.asked, shift, self.seed, self.tiling.work)
        return TaskSolver(asked, shift, self.seed, self.seen.mean, self.deviations)

    def complete(
        self, solver: TaskSolver, deliver: Callable[[Rows], None], workers: Workers, watch: Watch | None, so_far: SoFar
    ) -> TileRun:
        """Complete all tiles, and deliver rows of the model as they are done."""

        def look(facts: TileFacts) -> bool:
            self._history.append(
                Iteration(len(self._history), self.clock.seconds, float(facts.facts.get("cost") or 0.0), {})
            )
            return watch is not None and self.clock.call_paused(watch, Snapshot(self._history[-1], so_far()))

        run = TileRun(
            tiling=self.tiling,
            ask=self._ask,
            solve=solver,
            guess=Guess(solver),
            deliver=deliver,
            deviations=self.deviations,
            watch=look,
            keeper=self.keeper,
        )
        run.run(workers)
        return run

    def _ask(self, tile: Tile) -> TileQuestion:
        return TileQuestion(tile.number, *self.tensor.part(tile.reach))

    def tell(self, run: TileRun, observed: ObservedTensor, estimate: Estimate, solver: TaskSolver) -> Completion:
        """All tiles as one completion."""
        facts = [done.facts for done in run.done]
        smallest = [fact["smallest"] for fact in facts if fact.get("smallest") is not None]
        return Completion(
            observed=observed,
            method=self.asked.method.name,
            estimate=estimate,
            nonnegative=self.asked.bounds.lower is not None,
            stop=self._stop(run),
            seconds=self.clock.seconds,
            history=History(self._history),
            settings=_plain_settings(solver.asked.method, self.asked.settings),
            smallest=min(smallest, default=None),
            notes=(*self._notes(), *_merge_notes(facts)),
            reasons=self._reasons(facts),
            lower=self.asked.bounds.lower,
            upper=self.asked.bounds.upper,
        )

    def _stop(self, run: TileRun) -> StopReason:
        count = self.tiling.count
        if run.stopped is None:
            return StopReason("done", f"Done: {count} tiles, each completed by itself.")
        whole = sum(done.whole for done in run.done)
        why = {"time": "Out of time", "interrupted": "Interrupted", "watch": "Stopped by the watcher"}[run.stopped]
        rest = "the others hold what was found so far, or a quick interpolation"
        return StopReason(run.stopped, f"{why} after {whole} of {count} tiles; {rest}.")

    def _notes(self) -> tuple[str, ...]:
        if not self.seen.clipped:
            return ()
        return (f"{self.seen.clipped:,} known values outside of the bounds were set to them.",)

    def _reasons(self, facts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        shape = " × ".join(str(count) for count in self.tiling.counts)
        largest = " × ".join(str(size) for size in self.tiling.largest)
        found: dict[str, str] = {}
        for name in ("weights", "bases", "power", "patches", "groups"):
            told = [fact["reasons"][name] for fact in facts if name in fact.get("reasons", {})]
            if told:
                found[name] = told[len(told) // 2]
        found["tiles"] = (
            f"{self.tiling.count} ({shape}), of {largest} entries at most; {overhead(self.tiling) - 1:.0%} of the "
            "entries more than once. What else is told of choices is that of one of them."
        )
        proofs = [fact["certificate"] for fact in facts if fact.get("certificate")]
        if proofs:
            gaps = [(proof["upper"] - proof["lower"]) / proof["upper"] for proof in proofs if proof["upper"] > 0]
            found["certificate"] = (
                f"Of each tile by itself, in {len(proofs)} of {self.tiling.count}: the relative gap is "
                f"{max(gaps, default=0.0):.2g} at most."
            )
        return found


SoFar = Callable[[], Estimate]


def _plain_settings(method: Method, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, and what `auto` has chosen from."""
    weights = getattr(method, "weights", None)
    return {**given, **({} if weights is None else {"weights": dict(weights)})}


def _merge_notes(facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every note once; places in tiles mean nothing to who reads them."""
    counted = Counter(note for fact in facts for note in fact.get("notes", ()) if "slices of mode" not in note)
    tiles = len(facts)
    return [note if count == tiles else f"{note} (in {count} of {tiles} tiles)" for note, count in counted.items()]


# All of it in memory


def complete_in_memory(
    tensor: LargeTensor,
    observed: ObservedTensor,
    asked: Asked,
    tiling: Tiling,
    rng: np.random.Generator,
    watch: Watch | None,
    workers: Workers | None = None,
) -> Completion:
    """A completion whose data and model are in memory, as those of small tensors are."""
    known = observed.known
    seen = Survey(observed.count, known.min(), known.max(), float(known.mean(dtype=np.float64)), 0)
    large = Large(tensor, asked, tiling, seen, int(rng.integers(2**62)))
    model: NDArray[np.floating[Any]] = np.full(observed.shape, seen.mean, model_dtype(observed.dtype))
    end = 0

    def deliver(rows: Rows) -> None:
        nonlocal end
        model[rows.region] = rows.model
        end = rows.region[tiling.leading].stop

    solver = large.learn()
    run = large.complete(
        solver, deliver, workers or ThisThread(), watch, lambda: RowsSoFar(model, tiling.leading, end, seen.mean)
    )
    done = large.tell(run, observed, DenseEstimate(model), solver)
    return replace(done, deviations=Deviations(tensor, asked, tiling, seen, solver))


@dataclass(frozen=True, eq=False)
class Deviations:
    """Works out how sure each tile is of itself, by completing them again: kept for all, it would not fit."""

    tensor: LargeTensor
    asked: Asked
    tiling: Tiling
    seen: Survey
    solver: TaskSolver

    def __call__(self) -> NDArray[np.float64]:
        """Those of all entries."""
        if not self.asked.method.tells_uncertainty:
            return refuse_deviations(self.asked.method.name)
        found = np.zeros(self.tensor.shape, np.float64)

        def deliver(rows: Rows) -> None:
            found[rows.region] = rows.deviations

        large = Large(self.tensor, self.asked, self.tiling, self.seen, self.solver.seed, deviations=True)
        solver = replace(self.solver, deviations=True)
        run = large.complete(solver, deliver, ThisThread(), None, lambda: DenseEstimate(found))
        if run.stopped == "interrupted":
            raise KeyboardInterrupt
        return found


# All of it on disk


def run_identity(
    source: str, asked: Asked, seed: int, tile: TileWish, shape: Sequence[int], *, deviations: bool
) -> dict[str, str]:
    """What answers of tiles depend on, for a `Checkpoint`; `source` says which data it is, such as a fingerprint."""
    return {
        "input": source,
        "shape": " × ".join(map(str, shape)),
        "method": asked.method.name,
        "settings": ", ".join(f"{name}={_fingerprint(value)}" for name, value in sorted(asked.settings.items())),
        "bounds": f"{asked.bounds.lower} to {asked.bounds.upper} ({asked.negatives})",
        "seed": str(seed),
        "tile": _fingerprint(tile),
        "uncertainty": "wanted" if deviations else "not wanted",
    }


def settled_tiling(checkpoint: Checkpoint, tiling: Tiling) -> Tiling:
    """The tiling that the run has begun with, or this one if it begins: how much memory is free may have changed."""
    told = checkpoint.settle("tiling", asdict(tiling))
    tuples = {name: tuple(told[name]) for name in ("shape", "overlap", "blend")}
    return Tiling(**tuples, edges=tuple(map(tuple, told["edges"])), leading=told["leading"])


def _fingerprint(value: object) -> str:
    """A setting in a few words; one that is long as the beginning of a checksum."""
    words = f"{value.shape} {value.tolist()}" if isinstance(value, np.ndarray) else repr(value)
    return words if len(words) <= _FEW else hashlib.blake2b(words.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, eq=False)
class Output:
    """Arrays that are filled in as rows are done: values or, if `raw`, the model itself; and deviations, if wanted."""

    values: Any
    """In memory or in a file: whatever regions can be assigned to."""
    deviations: Any = None
    raw: bool = False
    keep_observed: bool = True
    within: tuple[float, float] | None = None
    """What the format of a file can hold."""
    done: Callable[[int], None] = lambda end: None
    """Called with the index of the leading mode up to which it is whole."""


def complete_on_disk(
    tensor: LargeTensor,
    asked: Asked,
    tiling: Tiling,
    seen: Survey,
    seed: int,
    output: Output,
    watch: Watch | None = None,
    workers: Workers | None = None,
    checkpoint: Checkpoint | None = None,
) -> Completion:
    """A completion of which nothing is ever whole in memory; it is in `output`.

    What `checkpoint` holds is not computed again; whoever has opened it removes it when the output is whole.
    """
    observed = UnlistedTensor.of(tensor.shape, tensor.dtype, seen.count)
    large = Large(tensor, asked, tiling, seen, seed, deviations=output.deviations is not None, keeper=checkpoint)

    def deliver(rows: Rows) -> None:
        values, known = tensor.part(rows.region)
        full = rows.model if output.raw else fill(rows.model, values, known, asked.bounds, keep=output.keep_observed)
        output.values[rows.region] = full if output.within is None else np.clip(full, *output.within)
        if output.deviations is not None and rows.deviations is not None:
            unsure = np.where(known, np.float32(0), rows.deviations) if output.keep_observed else rows.deviations
            output.deviations[rows.region] = unsure
        output.done(rows.region[tiling.leading].stop)

    solver = large.learn()
    level = DenseEstimate(output.values)
    run = large.complete(solver, deliver, workers or ThisThread(), watch, lambda: level)
    done = large.tell(run, observed, level, solver)
    kept = () if checkpoint is None else checkpoint.notes
    return replace(done, keep_observed=output.keep_observed, notes=(*asked.notes, *done.notes, *kept))

"""Measuring: one run from its data to its row. Only `complete` is timed, and it sees nothing but the known entries."""

from __future__ import annotations

import platform
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Snapshot
from ..errors import DataNotFound, InvalidInput, TensorfillError, TensorfillWarning
from ..library import complete
from ..methods.registry import available_methods
from ..metrics import rmse, score, ssim
from ..observed import ObservedTensor
from ..rows import DataCard, Row
from ..sampling import mask
from ..tensor import Array
from .dataset import Dataset, LoadedData
from .peak_memory import PeakMemory
from .pictures import Pictures
from .plan import Run

_PACKAGES = ("tensorfill", "numpy", "scipy", "numba")
_WARM_UP_SIZE = 16
_WARM_UP_ITERATIONS = 20  # enough for ours to end by themselves, which loads what they only need in the end
_WITH_SPACE = ("image", "video", "cube")
_SSIM_WINDOW = 11
_ALL_UP_TO, _GROWTH = 20, 1.05  # of the iterations in a curve


@dataclass(frozen=True)
class Place:
    """Where a run finds its data and leaves its pictures, and what it may use."""

    data: Path | None
    rows: Path
    threads: int
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of files of one's own, besides those of the packages."""


def measure(run: Run, dataset: Dataset, place: Place, loaded: Callable[[DataCard], None] = lambda card: None) -> Row:
    """Answer a run; `loaded` is told when its data is there. Whatever goes wrong is part of the answer."""
    about: dict[str, Any] = {"threads": place.threads, "versions": {**installed_versions(), **place.versions}}
    try:
        data = dataset.load(place.data)
    except DataNotFound as error:
        return run.row("no data", error=str(error), **about)
    except Exception as error:
        return run.row("failed", error=_describe(error), **about)
    loaded(data.card)
    about["data"] = data.card
    try:
        observed = mask(run.pattern, data.truth.shape, run.rate, run.seed)
        done, peak, recorder = _complete(run, data.truth, observed)
    except TensorfillError as error:
        return run.row("refused", error=str(error), **about)
    except Exception as error:
        traceback.print_exc()  # for the log of the run
        return run.row("failed", error=_describe(error), **about)
    try:
        found = _score(run, data, observed, done, recorder)
        if run.pictures:
            found["pictures"] = _write_pictures(run, data, observed, done, place.rows)
    except Exception as error:
        traceback.print_exc()
        return run.row("failed", error=_describe(error), **about)
    return run.row("ok", peak_memory=peak, **found, **about)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip().rstrip(":").replace("\n", " ")


def installed_versions() -> dict[str, str]:
    """The versions of what runs."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _complete(
    run: Run, truth: Array, observed: NDArray[np.bool_]
) -> tuple[Completion, int | None, CurveRecorder | None]:
    """The completion, its peak memory, and what recorded its curve."""
    known = ObservedTensor.from_array(truth, observed)
    settings = fit_settings(run.settings, known.shape)
    nonnegative = available_methods()[run.method].nonnegative if run.method in available_methods() else False
    recorder = CurveRecorder(truth, nonnegative=nonnegative) if run.curve else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TensorfillWarning)
        _warm_up(run, truth, observed)
        memory = PeakMemory()
        done = complete(
            known,
            method=run.method,
            random_state=run.seed,
            watch=None if recorder is None else memory.exclude(recorder),
            time_limit=run.time_limit,
            **settings,
        )
        peak = memory.bytes()
    return done, peak, recorder


def _warm_up(run: Run, truth: Array, observed: NDArray[np.bool_]) -> None:
    """The same method on a corner of the known entries, so that loading compiled code is not part of its time."""
    corner = _corner(observed, spread=run.pattern == "uniform")
    shape = truth[corner].shape
    settings = fit_settings(run.settings, shape)
    if isinstance(settings.get("rank"), int):
        settings["rank"] = min(settings["rank"], *shape)
    try:
        known = ObservedTensor.from_array(truth[corner], observed[corner])
        complete(known, method=run.method, random_state=run.seed, watch=_warm, **settings)
    except Exception:
        pass  # what is wrong with it will show in the run itself


def _corner(observed: NDArray[np.bool_], *, spread: bool) -> tuple[slice, ...] | tuple[NDArray[np.int64], ...]:
    """A few indices of every mode: the first, or where holes are large, those with most known entries."""
    if spread:
        return tuple(slice(0, _WARM_UP_SIZE) for _ in observed.shape)
    modes = range(observed.ndim)
    counts = [observed.sum(axis=tuple(other for other in modes if other != mode)) for mode in modes]
    most = [np.sort(np.argsort(-count, kind="stable")[:_WARM_UP_SIZE]) for count in counts]
    return np.ix_(*most)


def _warm(snapshot: Snapshot) -> bool:
    return snapshot.step.iteration >= _WARM_UP_ITERATIONS


def _score(
    run: Run,
    loaded: LoadedData,
    observed: NDArray[np.bool_],
    done: Completion,
    recorder: CurveRecorder | None,
) -> dict[str, Any]:
    truth, model = loaded.truth, done.model
    if not np.isfinite(model).all():
        raise InvalidInput("The model has entries that are NaN or infinite")
    result = score(truth, model, observed)
    spatial = loaded.card.kind in _WITH_SPACE and min(truth.shape[:2]) >= _SSIM_WINDOW
    return {
        "chosen": done.settings,
        "rmse": result.rmse,
        "rmse_unobserved": result.rmse_unobserved,
        "psnr": result.psnr,
        "ssim": ssim(truth, model) if spatial else None,
        "smallest": result.smallest if done.smallest is None else done.smallest,
        "negative_share": result.negative_share if done.negative_share is None else done.negative_share,
        "seconds": done.seconds,
        "iterations": done.iterations,
        "stop": done.stop.kind,
        "stop_sentence": done.stop.sentence,
        "relative_gap": None if done.certificate is None else done.certificate.relative_gap,
        "curve": () if recorder is None else recorder.finish(done.iterations, done.seconds, result.rmse),
        "components": measure_components(done.components, truth) if _has_components(run) else (),
    }


def _write_pictures(
    run: Run, loaded: LoadedData, observed: NDArray[np.bool_], done: Completion, folder: Path
) -> dict[str, str]:
    """Role → path. Truth and what is known of it are the same for all methods, and written by each of them."""
    name, asked = run.data.name, f"{run.rate:g}"
    gone: tuple[int, ...] = ()
    if run.pattern != "uniform":
        asked += f"-{run.pattern}"
        gone = tuple(np.flatnonzero(~observed.reshape(-1, observed.shape[-1]).any(axis=0)).tolist())
    pictures = Pictures.of(folder, loaded.card, loaded.truth, gone)
    found = {
        "truth": pictures.write(f"{name}-truth-{asked}" if gone else f"{name}-truth", loaded.truth),
        "observed": pictures.write(f"{name}-observed-{asked}", np.where(observed, loaded.truth, 0.0)),
        "model": pictures.write(f"{run.id}-model", done.model),
    }
    if _has_components(run):
        for number, component in enumerate(done.components, start=1):
            found[f"component {number}"] = pictures.write_component(f"{run.id}-component-{number}", component)
    return found


def _has_components(run: Run) -> bool:
    return available_methods()[run.method].has_components


# The rank


def fit_settings(settings: Mapping[str, Any], shape: Sequence[int]) -> dict[str, Any]:
    """Settings with a list for a rank fitted to the tensor: one rank per mode, none larger than its mode.

    Where the tensor has more modes than there are ranks, the last is repeated; where it has fewer, the last ones are
    left out. A single number is left as it is: it may be the rank of the whole tensor rather than of each mode.

    >>> [fit_settings({"rank": [10, 10, 5]}, shape)["rank"] for shape in ((256, 256, 3), (9, 64, 20, 4), (8, 8))]
    [[10, 10, 3], [9, 10, 5, 4], [8, 8]]
    """
    rank = settings.get("rank")
    if not isinstance(rank, list) or not rank:
        return dict(settings)
    wanted = [*rank, *[rank[-1]] * len(shape)]
    return {**settings, "rank": [min(value, size) for value, size in zip(wanted, shape, strict=False)]}


# The curve


class CurveRecorder:
    """A watcher that keeps (iteration, seconds, RMSE) of iterations 0 to 20, then whenever their number grew by 5 %.

    The clock of the method stands still meanwhile.
    """

    def __init__(self, truth: Array, *, nonnegative: bool) -> None:
        self._truth = truth
        self._nonnegative = nonnegative
        self._points: list[tuple[int, float, float]] = []

    def __call__(self, snapshot: Snapshot) -> None:
        """The watcher to hand to a method; it never asks to stop."""
        step = snapshot.step
        last = self._points[-1][0] if self._points else -1
        if step.iteration <= _ALL_UP_TO or step.iteration >= last * _GROWTH:
            dense = snapshot.estimate.dense()
            error = rmse(self._truth, np.maximum(dense, 0.0) if self._nonnegative else dense)
            self._points.append((step.iteration, step.seconds, error))

    def finish(self, iteration: int, seconds: float, error: float) -> tuple[tuple[int, float, float], ...]:
        """The curve, its last point being the result as it was returned."""
        return (*(point for point in self._points if point[0] < iteration), (iteration, seconds, error))


# The components


def measure_components(components: Sequence[Array], truth: Array) -> tuple[tuple[float, float], ...]:
    """(share, likeness) of each component W^(k): how much of W it carries, and how much of the scene is seen in it.

    The share is <W^(k), W>/‖W‖²; all add up to 1. The likeness is the correlation with the truth of what a slice of the
    first two modes has beyond stripes: its means over rows and over columns are taken out first, for a bright sky above
    a dark road is in every component, and only the scene itself tells them apart.

    >>> scene = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> stripes = np.array([[1.0, 1.0], [0.0, 0.0]])
    >>> measure_components([scene, stripes], 5 * scene + stripes)
    ((0.5, 1.0), (0.5, 0.0))
    """
    total = np.sum(components, axis=0)
    size = float(np.vdot(total, total))
    return tuple(
        (float(np.vdot(part, total)) / size if size > 0 else 0.0, _correlate(part, truth)) for part in components
    )


def _correlate(one: Array, other: Array) -> float:
    """0 where one of them has nothing but stripes."""
    a, b = _remove_stripes(one), _remove_stripes(other)
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.vdot(a, b)) / size if size > 0 else 0.0


def _remove_stripes(tensor: Array) -> Array:
    means = tensor.mean(axis=0, keepdims=True) + tensor.mean(axis=1, keepdims=True)
    return np.asarray(tensor - means + tensor.mean(axis=(0, 1), keepdims=True))

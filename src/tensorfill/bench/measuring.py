"""Measuring: one run from its data to its row. Only `complete` is timed, and it sees nothing but the known entries."""

from __future__ import annotations

import platform
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Snapshot
from ..errors import DataNotFound, InvalidInput, TensorfillError, TensorfillWarning
from ..library import complete
from ..method import has_components
from ..methods.registry import available_methods
from ..metrics import score, ssim
from ..observed import ObservedTensor
from ..rows import DataCard, Row
from ..sampling import mask
from ..tensor import Array
from .component_measures import component_measures
from .curve import CurveRecorder
from .dataset import Dataset, LoadedData
from .fitted_rank import fitted_settings
from .peak_memory import PeakMemory
from .pictures import Pictures
from .runs import Run

_PACKAGES = ("tensorfill", "numpy", "scipy", "numba")
_WARM_UP_SIZE = 16
_WARM_UP_ITERATIONS = 20  # enough for ours to end by themselves, which loads what they only need in the end
_WITH_SPACE = ("image", "video", "cube")
_SSIM_WINDOW = 11


@dataclass(frozen=True)
class Place:
    """Where a run finds its data and leaves its pictures, and what it may use."""

    data: Path | None
    rows: Path
    threads: int
    versions: Mapping[str, str]
    """Of files of one's own, besides those of the packages."""


def measure(run: Run, dataset: Dataset, place: Place, loaded: Callable[[DataCard], None] = lambda card: None) -> Row:
    """Answer a run; `loaded` is told when its data is there. Whatever goes wrong is part of the answer."""
    about: dict[str, Any] = {"threads": place.threads, "versions": {**installed(), **place.versions}}
    try:
        data = dataset.load(place.data)
    except DataNotFound as error:
        return run.row("no data", error=str(error), **about)
    except Exception as error:
        return run.row("failed", error=_sentence(error), **about)
    loaded(data.card)
    try:
        observed = mask(run.pattern, data.truth.shape, run.rate, run.seed)
        done, found = _completed(run, data.truth, observed)
    except TensorfillError as error:
        return run.row("refused", data=data.card, error=str(error), **about)
    except Exception as error:
        _show_where()
        return run.row("failed", data=data.card, error=_sentence(error), **about)
    try:
        found |= _scored(run, data, observed, done, found.pop("recorder"))
        if run.pictures:
            found["pictures"] = _pictures(run, data, observed, done, place.rows)
    except Exception as error:
        _show_where()
        return run.row("failed", data=data.card, error=_sentence(error), **about)
    return run.row("ok", data=data.card, **found, **about)


def installed() -> dict[str, str]:
    """The versions of what runs."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _completed(run: Run, truth: Array, observed: NDArray[np.bool_]) -> tuple[Completion, dict[str, Any]]:
    known = ObservedTensor.from_array(truth, observed)
    settings = fitted_settings(run.settings, known.shape)
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
            watch=None if recorder is None else memory.unwatched(recorder),
            time_limit=run.time_limit,
            **settings,
        )
        peak = memory.bytes()
    return done, {"peak_memory": peak, "recorder": recorder}


def _warm_up(run: Run, truth: Array, observed: NDArray[np.bool_]) -> None:
    """The same method on a corner of the known entries, so that loading compiled code is not part of its time."""
    corner = _corner(observed, spread=run.pattern == "uniform")
    shape = truth[corner].shape
    settings = fitted_settings(run.settings, shape)
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


def _scored(
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
        "curve": () if recorder is None else recorder.ended(done.iterations, done.seconds, result.rmse),
        "components": component_measures(done.components, truth) if _has_components(run) else (),
    }


def _pictures(
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
    return has_components(available_methods()[run.method])


def _sentence(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip().rstrip(":").replace("\n", " ")


def _show_where() -> None:
    """For the log of the run."""
    import traceback

    traceback.print_exc()

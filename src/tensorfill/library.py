"""The library's front door: `complete` takes an array with holes and gives back a Completion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .bounds import Bounds, Number
from .completion import Completion, Watch
from .errors import InvalidInput, InvalidSetting, must_be
from .formats import Contents, Entries
from .interrupting import time_limited
from .large.in_memory import complete_in_memory
from .large.planning import ALWAYS_WHOLE, TileWish, plan
from .lazy import complete_lazily, refuse_for_lazy
from .methods.task import Asked, Task
from .observed import Negatives, ObservedTensor, spread_observed
from .peers import Arrived, accept, check_alignment, is_lazy
from .tiles.tensors import InMemory


def complete(
    array: ArrayLike | ObservedTensor | Contents | Entries | Any,
    observed: ArrayLike | None = None,
    method: str = "auto",
    *,
    keep_observed: bool = True,
    negatives: Negatives = "raise",
    random_state: int | np.random.Generator = 0,
    watch: Watch | None = None,
    time_limit: float | None = None,
    lower: Number | None = 0,
    upper: Number | None = None,
    coordinates: Sequence[object] | None = None,
    value: object = None,
    tile: TileWish = "auto",
    **settings: Any,
) -> Completion:
    """Fill the missing entries of a tensor, nowhere below 0 unless you say so.

    Parameters
    ----------
    array
        The data: any real dtype, two modes or more. NaN marks what is missing when `observed` is not given;
        masked arrays work; an `ObservedTensor` brings coordinates instead of a full array. So do `tensorfill.read`'s
        results, an xarray DataArray, and tables: a DataFrame of pandas or polars, wide (a matrix) or long (a row per
        entry), and a pandas Series with coordinates in its index. These come back in kind as `Completion.filled`.
        Columns of a wide table that are in different units are scaled each by itself. A dask array, or a DataArray made
        of one, is completed lazily, tile by tile: what is returned computes when it is asked to.
    observed
        Boolean array, **True where the value is known**: of the same shape, or of its first modes if the others are all
        alike, such as (row, column) for a picture with channels.
    method
        One of `tensorfill.available_methods()`. "auto" needs no settings; given a `rank`, or what only
        "nonneg-dual" and its kin have, such as `C`, it is that method, and a note says so. Other settings, such as
        `max_iter`, come with the name of their method.
    keep_observed
        Put the known entries back into `Completion.tensor` exactly (the default), or leave the model's values.
    negatives
        What to do with negative observed values, and others outside the bounds: "raise" an error, or "clip" them to the
        bound, which a note counts.
    random_state
        Seed or generator for what is random in a method. The same seed gives the same bits.
    watch
        Called with a `Snapshot` after every outer iteration; return True to stop there.
    time_limit
        Stop after this many seconds, and return what is there: the last iteration that was finished, or a quick
        interpolation if none was.
    lower
        What no entry lies below: 0, another number, or None if there is no such bound, as for z-scores or differences.
        Methods keep to it as they keep to W ≥ 0: they see the distance from it, or from the smallest known value if
        there is none.
    upper
        What no entry lies above, kept by clipping; None if there is no such bound.
    coordinates, value
        The names of the columns of a long table that hold its coordinates, and of the one that holds its values.
        `coordinates=[]` says that the table is wide. Needed only where that can be seen in more than one way.
    tile
        Whether a tensor is cut into overlapping tiles, each completed by itself with what was learned on a few windows
        of the whole: "auto" where it would not fit into memory otherwise, the size of tiles (one number for all modes,
        or one for each), or None for no tiles.
    settings
        Settings of the method, e.g. `rank`, `C`; see the method's own page.

    Examples
    --------
    >>> import numpy as np
    >>> data = np.multiply.outer([1.0, 2.0, 3.0], np.outer([1.0, 2.0], [3.0, 1.0]))
    >>> known = np.ones(data.shape, bool)
    >>> known[0, 1, 1] = False
    >>> done = complete(data, known, rank=1, C=1000)
    >>> np.allclose(done.tensor[known], data[known]), round(float(done.tensor[0, 1, 1]), 1)
    (True, 2.0)
    """
    _refuse_mask(settings)
    if is_lazy(array):
        refuse_for_lazy(watch=watch, time_limit=time_limit, coordinates=coordinates, value=value)
        asked = Asked.of(method, settings, Bounds.of(lower, upper), negatives)
        seed = int(_generator(random_state).integers(2**62))
        lazy = complete_lazily(array, observed, asked, tile, seed, keep_observed=keep_observed)
        return cast(Completion, lazy)
    limit = _check_limit(time_limit)
    with time_limited(limit):
        arrived = accept(array, coordinates, value)
        check_alignment(array, observed)
        given = _observe(array if arrived is None else arrived.given, observed)
        asked = Asked.of(method, settings, Bounds.of(lower, upper), negatives)
        rng = _generator(random_state)
        whole = _is_listed(array, arrived) or tile is None or (tile == "auto" and given.size <= ALWAYS_WHOLE)
        tiling = None if whole else plan(given.shape, asked, given.share, tile)
        apart = arrived is not None and arrived.columns_apart
        task = Task.of(given, asked, refusing=tiling is None, columns_apart=apart)
        done = task.answer_at_once()
        if done is None and tiling is not None:
            done = task.finish_tiles(complete_in_memory(InMemory.of(task.data), task.data, asked, tiling, rng, watch))
        solved = None if done is not None else task.solve(rng, watch)
    if solved is not None:
        done = task.finish(solved, limit)
    assert done is not None
    done = replace(done, keep_observed=keep_observed)
    return done if arrived is None else _give_back(done, arrived)


def _give_back(done: Completion, arrived: Arrived) -> Completion:
    """In kind, with what there is to say about how it was understood."""
    reasons = {**done.reasons, "table": arrived.read_as} if arrived.read_as else done.reasons
    axes = arrived.given.axes if isinstance(arrived.given, Entries) else None
    return replace(done, give_back=arrived.give_back, axes=axes, notes=(*arrived.notes, *done.notes), reasons=reasons)


def _is_listed(array: object, arrived: Arrived | None) -> bool:
    """Whether entries came as a list, so that there never need be a full tensor."""
    given = array if arrived is None else arrived.given
    return isinstance(given, ObservedTensor | Entries)


def _refuse_mask(settings: dict[str, Any]) -> None:
    """What other packages call the holes has its own name here, and the other way round."""
    if "mask" in settings:
        raise InvalidSetting(
            "There is no 'mask': what is known goes into observed=, where True means known. If True in the mask means "
            "missing, write observed=~mask; inpaint(image, mask) takes it as it is."
        )
    if "missing" in settings:
        raise InvalidSetting(
            "There is no 'missing': what is known goes into observed=, where True means known, such as "
            "observed=array != 0 if 0 marks what is missing; NaN is missing anyway."
        )


def _observe(array: Any, observed: ArrayLike | None) -> ObservedTensor:
    """What is known, whatever its range."""
    if isinstance(array, ObservedTensor | Entries):
        if observed is not None:
            raise InvalidInput(
                f"{'A table' if isinstance(array, Entries) else 'An ObservedTensor'} already says what is observed; "
                "leave 'observed' out."
            )
        return array if isinstance(array, ObservedTensor) else array.observed_tensor
    if isinstance(array, Contents):
        if observed is None:
            return array.observed_tensor
        both = observed if array.observed is None else spread_observed(observed, array.shape) & array.observed
        return ObservedTensor.from_array(array.data, both, lower=None)
    return ObservedTensor.from_array(array, observed, lower=None)


def _check_limit(time_limit: object) -> float:
    if time_limit is None:
        return math.inf
    if isinstance(time_limit, bool) or not isinstance(time_limit, Real) or not float(time_limit) > 0:
        raise InvalidSetting(must_be("time_limit", "be a number of seconds above 0", time_limit))
    return float(time_limit)


def _generator(random_state: int | np.random.Generator) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidSetting(
            must_be("random_state", "be a whole number, 0 or more, or a generator", random_state)
        ) from None

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
    r"""Fill the missing entries of a tensor; no entry of the result is below `lower`, which is 0 by default.

    Parameters
    ----------
    array : array_like, ObservedTensor, Contents, Entries, DataFrame, Series or DataArray
        The data, of any real dtype and any shape with two modes or more, in any unit. NaN marks what is missing when
        `observed` is not given; the mask of a masked array works too. An `ObservedTensor` lists coordinates instead
        of a full array. What `tensorfill.read` returns is accepted, and so are an xarray DataArray, a DataFrame of
        pandas or polars, wide (a matrix) or long (one row per entry), and a pandas Series whose index holds the
        coordinates; these are returned in the same form as `Completion.filled`. The columns of a wide table are
        scaled separately if their units differ. A dask array, or a DataArray made of one, is completed lazily, tile by
        tile.
    observed : array_like of bool, optional
        **True where the value is known**. Its shape is that of `array`, or that of its first modes if all others share
        one mask, such as (row, column) for a picture with channels.
    method : str, default "auto"
        One of `tensorfill.available_methods()`. "auto" needs no settings; given a `rank`, or what only
        "nonneg-dual" and its kin have, such as `C`, it is that method, and a note says so. Other settings, such as
        `max_iter`, come with the name of their method.
    keep_observed : bool, default True
        Put the known entries into `Completion.tensor` exactly as given. With False, it has the model's values there.
    negatives : {"raise", "clip"}, default "raise"
        What to do with known values outside the bounds: raise an error, or set them to the bound; a note counts them.
    random_state : int or numpy.random.Generator, default 0
        Seed or generator for what is random in a method. The same seed gives the same bits.
    watch : callable, optional
        Called with a `Snapshot` after every outer iteration; it returns True to stop there. See `Watch`.
    time_limit : float, optional
        Stop after this many seconds, and return the last iteration that was finished, or a quick interpolation if none
        was.
    lower : float or None, default 0
        No entry is below this number. None means no bound, as for z-scores or differences. Methods see the distance
        from the bound, or from the smallest known value if there is no bound.
    upper : float or None, default None
        No entry is above this number, by clipping. None means no bound.
    coordinates, value : list of str and str, optional
        The names of the columns of a long table that hold its coordinates, and of the one that holds its values.
        `coordinates=[]` says that the table is wide. Needed only where a table can be read in more than one way.
    tile : "auto", int, tuple of int or None, default "auto"
        Cut the tensor into overlapping tiles, each completed by itself with what was learned on a few windows of the
        whole. "auto" does so where the tensor would not fit into memory; a number, or one for each mode, is the size of
        a tile in entries; None means no tiles.
    **settings
        Settings of the method, such as `rank`, `C`, `effort`; see the page of the method.

    Returns
    -------
    Completion
        The completed tensor, of the shape and dtype of `array`, with its uncertainty, certificate and history.

    Raises
    ------
    TensorfillError
        If the data, the mask or a setting cannot be used. The message is one sentence that says what would be right.

    Warns
    -----
    UnrecoverableSlice
        If nothing is known in a slice, and the method cannot fill it from its neighbours.

    See Also
    --------
    inpaint : the same for pictures, with a mask that is True where pixels are missing.
    TensorCompleter : the same as a scikit-learn estimator.

    Notes
    -----
    With :math:`\Omega` the set of known entries and :math:`Y` their values, every method looks for a
    tensor :math:`W` that is close to :math:`Y` on :math:`\Omega` and simple elsewhere. `nonneg-dual` solves [1]_

    .. math::

        \min_{W = \sum_k W^{(k)} \ge 0} \; C \lVert (W - Y)_\Omega \rVert^2
        + \sum_k \frac{1}{2 \lambda_k} \lVert W^{(k)}_{(k)} \rVert_*^2

    where :math:`W^{(k)}_{(k)}` is the mode-k unfolding and :math:`\lVert \cdot \rVert_*` the trace norm. `auto` hides
    some of the known entries, compares methods on them, and takes the best one or a blend.

    References
    ----------
    .. [1] T. K. Sinha, J. Naram, P. Kumar, "Nonnegative Low-Rank Tensor Completion via Dual Formulation with
       Applications to Image and Video Completion", WACV 2022.

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

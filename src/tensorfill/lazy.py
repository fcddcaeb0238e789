"""Dask arrays, and DataArrays of xarray made of them: completed lazily, tile by tile, and given back in kind.

Nothing is computed before somebody asks for it. What is learned is one task, each tile another, and each core that is
put together from a tile and its neighbours a third; so they join whatever graph the data comes from and goes into.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from .bounds import Bounds
from .errors import InvalidInput, InvalidSetting
from .large.one_tile import TaskSolver, fill, model_dtype
from .large.planning import TileWish, plan_for, plan_wished
from .large.shared import learn_from, shared_shift
from .methods.task import Asked, refuse_deviations
from .numerics.threads import thread_count, threads_limited
from .tiles.answer import TileQuestion
from .tiles.blending import blend_one
from .tiles.tensors import candidates, rank_windows
from .tiles.tiling import Tile, Tiling, align, sizes_of, within

_LEARNED_FROM = 8  # windows that are read to choose from

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]
What = Literal["tensor", "model", "uncertainty"]


def complete_lazily(
    data: Any, observed: Any, asked: Asked, tile: TileWish, seed: int, *, keep_observed: bool
) -> LazyCompletion:
    """The completion of a dask array or a DataArray, to be computed when it is needed."""
    da = _da()
    array = da.asarray(data.data if hasattr(data, "dims") else data)
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"A dask array must hold real numbers. Got {array.dtype} instead.")
    if array.ndim < 2 or any(not np.isfinite(size) for size in array.shape):
        raise InvalidInput(f"A dask array needs two modes or more, of known sizes. Got the shape {array.shape}.")
    known = _known(da, array, getattr(observed, "data", observed) if hasattr(observed, "dims") else observed)
    if tile is None:
        tiling = plan_wished(array.shape, array.shape)
    elif tile == "auto":
        tiling = align(plan_for(array.shape, asked.method, 0.5, at_a_time=thread_count()), array.chunks)
    else:
        tiling = plan_wished(array.shape, tile)
    return LazyCompletion(data, array, known, asked, tiling, seed, keep_observed)


def _known(da: Any, array: Any, observed: Any) -> Any:
    """What is known, chunked as the data is."""
    known = ~da.isnan(array) if array.dtype.kind == "f" else da.ones(array.shape, bool, chunks=array.chunks)
    if observed is None:
        return known
    mask = da.asarray(observed)
    if mask.dtype != np.bool_:
        raise InvalidInput(f"'observed' must be a boolean array, True where the value is known. Got {mask.dtype}.")
    if mask.shape != array.shape[: mask.ndim] or not mask.ndim:
        raise InvalidInput(
            f"'observed' must have the shape of the data, {array.shape}, or of its first modes. Got {mask.shape}."
        )
    mask = mask.reshape(mask.shape + (1,) * (array.ndim - mask.ndim))
    return da.broadcast_to(mask, array.shape).rechunk(array.chunks)


@dataclass(frozen=True, eq=False)
class LazyCompletion(NDArrayOperatorsMixin):
    """A completion of a dask array. All that such an array, or a DataArray made of one, can do is done by `filled`.

    So `complete(x).to_zarr(store)`, `complete(x).persist()` and `dask.compute(complete(x))` are what they are for x.
    """

    data: Any
    array: Any
    known: Any
    asked: Asked
    tiling: Tiling
    seed: int
    keep_observed: bool = True

    @cached_property
    def tensor(self) -> Any:
        """The completed tensor as a dask array: dtype and chunks of the data, known entries kept."""
        return self._assemble("tensor", self.array.dtype, self._answers(deviations=False))

    @cached_property
    def model(self) -> Any:
        """The method's own tensor in floating point, as a dask array."""
        return self._assemble("model", model_dtype(self.array.dtype), self._answers(deviations=False))

    @cached_property
    def uncertainty(self) -> Any:
        """The standard deviation of every entry as a dask array; 0 where it is known and kept."""
        if not self.asked.method.tells_uncertainty:
            return refuse_deviations(self.asked.method.name)
        return self._assemble("uncertainty", np.dtype(np.float32), self._answers(deviations=True))

    @cached_property
    def filled(self) -> Any:
        """The tensor in kind: a dask array, or a DataArray with coordinates and attributes of the data."""
        return self.data.copy(data=self.tensor) if hasattr(self.data, "dims") else self.tensor

    def _answers(self, *, deviations: bool) -> list[Any]:
        """For every tile what is said of its share, to be computed."""
        solver = self._solver_with_deviations if deviations else self._solver
        solve = _delayed(_solve)
        return [solve(solver, tile, self.array[tile.reach], self.known[tile.reach]) for tile in self.tiling]

    @cached_property
    def _solver(self) -> Any:
        """What is learned from a few windows, to be computed."""
        regions = list(candidates(self.array.shape, most=_LEARNED_FROM))
        parts = [(self.array[region], self.known[region]) for region in regions]
        ends = None if self.asked.bounds.lower == 0 else self._ends()  # methods see the distance from the smallest
        return _delayed(_learn)(self.asked, self.seed, [list(part) for part in parts], ends, self.tiling.count > 1)

    def _ends(self) -> list[Any]:
        """The smallest and the largest known value, to be computed."""
        dtype = self.array.dtype
        low, high = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        smallest, largest = (_da().where(self.known, self.array, dtype.type(end)) for end in (high, low))
        return [smallest.min(), largest.max()]

    @cached_property
    def _solver_with_deviations(self) -> Any:
        return _delayed(replace)(self._solver, deviations=True)

    def _assemble(self, what: What, dtype: np.dtype[Any], answers: Sequence[Any]) -> Any:
        """Cores as blocks of one array, in the chunks of the data."""
        da, put_together = _da(), _delayed(_put_together)
        blocks = np.empty(self.tiling.counts, dtype=object)
        for tile in self.tiling:
            near = self.tiling.neighbours(tile)
            core = put_together(
                what,
                self.tiling,
                tile,
                [answers[other.number] for other in near],
                self.array[tile.core],
                self.known[tile.core],
                self.asked.bounds,
                self.keep_observed,
            )
            blocks[tile.at] = da.from_delayed(core, sizes_of(tile.core), dtype)
        return da.block(blocks.tolist()).rechunk(self.array.chunks)

    # As the collection that it makes

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and not name.startswith("__dask"):
            raise AttributeError(name)
        return getattr(self.filled, name)

    def __getitem__(self, index: Any) -> Any:
        return self.filled[index]

    def __len__(self) -> int:
        return len(self.filled)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [each.filled if isinstance(each, LazyCompletion) else each for each in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __dask_graph__(self) -> Any:
        return self.filled.__dask_graph__()

    def __dask_keys__(self) -> Any:
        return self.filled.__dask_keys__()

    def to_dask_array(self) -> Any:
        """The tensor, for functions of dask that take an array."""
        return self.tensor

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Numbers:
        return np.asarray(self.tensor.compute(), dtype=dtype)

    def __repr__(self) -> str:
        tiles = f"{self.tiling.count} tiles" if self.tiling.count > 1 else "one tile"
        return f"LazyCompletion({self.asked.method.name}, shape {self.array.shape}, {tiles}, not computed yet)"


def _da() -> Any:
    """The library, which takes a moment to load and which only those need who have its arrays."""
    import dask.array

    return dask.array


def _delayed(function: Any) -> Any:
    from dask.delayed import delayed

    return delayed(function, pure=True)


# What workers do: functions of the module, so that they can be sent


def _learn(asked: Asked, seed: int, parts: Sequence[Sequence[Numbers]], ends: Any, several: bool) -> TaskSolver:
    pairs = [(np.asarray(values), np.asarray(known)) for values, known in parts]
    there = [values[known] for values, known in pairs if known.any()]
    if not there:
        raise InvalidInput(
            "Nothing is observed in any of the windows that were looked at, so there is nothing to learn from."
        )
    mean = float(np.mean([part.mean(dtype=np.float64) for part in there]))
    shift = shared_shift(asked, np.asarray([0, 0] if ends is None else ends, pairs[0][0].dtype))
    share = float(np.mean([known.mean() for _, known in pairs]))
    chosen = [pairs[index] for index in rank_windows(pairs, share)] if several else []
    with threads_limited(1):
        return TaskSolver(learn_from(chosen, asked, shift, seed), shift, seed, mean)


def _solve(solver: TaskSolver, tile: Tile, values: Numbers, known: Mask) -> Any:
    share = within(tile.share, tile.reach)
    question = TileQuestion(tile.number, np.asarray(values), np.asarray(known), share)
    try:
        with threads_limited(1):  # tiles are what dask works on side by side
            answer = solver(question)
    except InvalidInput as error:
        corner = tuple(part.start for part in tile.reach)
        raise InvalidInput(f"In the tile that begins at {corner}: {error}") from error
    return answer.model[share], None if answer.deviations is None else answer.deviations[share]


def _put_together(
    what: What,
    tiling: Tiling,
    tile: Tile,
    answers: Sequence[Any],
    values: Numbers,
    known: Mask,
    bounds: Bounds,
    keep: bool,
) -> Numbers:
    neighbours = tiling.neighbours(tile)
    near = [
        (other, other.share, answer[what == "uncertainty"]) for other, answer in zip(neighbours, answers, strict=True)
    ]
    blended = blend_one(tiling, tile, near)
    if what == "tensor":
        return fill(blended, np.asarray(values), np.asarray(known), bounds, keep=keep)
    return np.where(known, np.float32(0), blended) if what == "uncertainty" and keep else blended


def refuse_for_lazy(**given: object) -> None:
    """What a result that is not computed yet cannot have."""
    for name, value in given.items():
        if value is not None:
            raise InvalidSetting(
                f"A dask array is completed when it is computed, so there is nothing yet that {name}= could be about; "
                f"leave it out, or complete array.compute()."
            )

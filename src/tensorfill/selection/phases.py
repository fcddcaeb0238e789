"""The phases of a choice as it tells them: methods are compared one after the other, then some of them run again."""

from __future__ import annotations

from collections.abc import Sequence

from ..telling import Phase, tell_phase

# How often the only other method gets a weight, and runs once more on all that is known: on pictures seldom, on clips
# nearly always, on other tensors now and then.
_RUNS_AGAIN_ON_PICTURES, _RUNS_AGAIN = 0.2, 0.6
_IN_ALL = 0.6  # the same for all of several
_CLOSE_ON_PICTURES, _CLOSE = 0.1, 0.6  # how often one that was compared on a part of the data is compared on all of it
_PART = 1 / 6  # of a run is one on a part of the data
_CHANNELS = 4  # at most, in the last mode of a picture


def runs_again(others: int, shape: Sequence[int]) -> float:
    """How often each of so many methods other than the first one runs once more, on average."""
    return min(_RUNS_AGAIN_ON_PICTURES if _is_picture(shape) else _RUNS_AGAIN, _IN_ALL / max(1, others))


def runs_in_all(others: int, shape: Sequence[int], *, raced: bool) -> float:
    """How often each of so many methods other than the first one runs, on average; on a part of the data is less."""
    return (_PART if raced else 0.0) + _runs_on_all(others, shape, raced=raced)


def _runs_on_all(others: int, shape: Sequence[int], *, raced: bool) -> float:
    """The same on all of the data, where those that are `raced` have to be close on a part of it."""
    again = runs_again(others, shape)
    close = _CLOSE_ON_PICTURES if _is_picture(shape) else _CLOSE
    return close + min(close, again) if raced else 1 + again


def _is_picture(shape: Sequence[int]) -> bool:
    return len(shape) == 2 or shape[-1] <= _CHANNELS


def tell_leading(name: str, others: Sequence[str], shape: Sequence[int], *, raced: bool) -> None:
    """The first one begins, with which others will be compared, `raced` on a part of the data first."""
    runs = runs_in_all(len(others), shape, raced=raced)
    later = tuple((other, runs) for other in others)
    tell_phase(Phase("comparing" if others else "completing", name, 1, 1 + len(others), later))


def tell_comparing(name: str, names: Sequence[str], shape: Sequence[int]) -> None:
    """This one of the methods that are compared begins; the first one is not run again."""
    place = names.index(name)
    again = [(other, runs_again(len(names) - 1, shape)) for other in names[1:]]
    later = (*((other, 1.0) for other in names[place + 1 :]), *again)
    tell_phase(Phase("comparing" if len(names) > 1 else "completing", name, place + 1, len(names), later))


def tell_racing(name: str, names: Sequence[str], shape: Sequence[int]) -> None:
    """This one of the methods that are compared on a part of the data begins; how many are close is not known yet."""
    place = names.index(name)
    on_all = [(other, _runs_on_all(len(names), shape, raced=True)) for other in names]
    later = (*((other, _PART) for other in names[place + 1 :]), *on_all)
    tell_phase(Phase("comparing on a part", name, place + 1, len(names), later, _PART))


def tell_completing(name: str, names: Sequence[str]) -> None:
    """This one of the methods whose weighted mean is the result begins, with all that is known."""
    place = names.index(name)
    later = tuple((other, 1.0) for other in names[place + 1 :])
    tell_phase(Phase("completing", name, place + 1, len(names), later))

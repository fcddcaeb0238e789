"""The phases of a choice as it tells them: methods are compared one after the other, then some of them run again."""

from __future__ import annotations

from collections.abc import Sequence

from ..telling import Phase, tell_phase

# How often the only other method gets a weight, and runs once more on all that is known: on pictures seldom, on clips
# nearly always, on other tensors now and then.
_RUNS_AGAIN_ON_PICTURES, _RUNS_AGAIN = 0.2, 0.6
_IN_ALL = 0.6  # the same for all of several
_CHANNELS = 4  # at most, in the last mode of a picture


def runs_again(others: int, shape: Sequence[int]) -> float:
    """How often each of so many methods other than the first one runs once more, on average."""
    picture = len(shape) == 2 or shape[-1] <= _CHANNELS
    return min(_RUNS_AGAIN_ON_PICTURES if picture else _RUNS_AGAIN, _IN_ALL / max(1, others))


def tell_comparing(name: str, names: Sequence[str], shape: Sequence[int]) -> None:
    """This one of the methods that are compared begins; the first one is not run again."""
    place = names.index(name)
    again = [(other, runs_again(len(names) - 1, shape)) for other in names[1:]]
    later = (*((other, 1.0) for other in names[place + 1 :]), *again)
    tell_phase(Phase("comparing" if len(names) > 1 else "completing", name, place + 1, len(names), later))


def tell_racing(name: str, names: Sequence[str]) -> None:
    """This one of the methods that are compared on a part of the data begins; how many run again is not known yet."""
    tell_phase(Phase("comparing on a part", name, names.index(name) + 1, len(names)))


def tell_completing(name: str, names: Sequence[str]) -> None:
    """This one of the methods whose weighted mean is the result begins, with all that is known."""
    place = names.index(name)
    later = tuple((other, 1.0) for other in names[place + 1 :])
    tell_phase(Phase("completing", name, place + 1, len(names), later))

"""The phases of `auto` as it tells them: methods are compared one after the other, then some of them run again."""

from __future__ import annotations

from collections.abc import Sequence

from ..telling import Phase, tell_phase

_RUNS_AGAIN = 0.4  # how often the only other method gets a weight, and runs once more on all that is known
_IN_ALL = 0.6  # the same for all of several


def runs_again(others: int) -> float:
    """How often each of so many methods other than spectral runs once more, on average."""
    return min(_RUNS_AGAIN, _IN_ALL / max(1, others))


def tell_comparing(name: str, names: Sequence[str]) -> None:
    """This one of the methods that are compared begins; the first one is not run again."""
    place = names.index(name)
    again = [(other, runs_again(len(names) - 1)) for other in names[1:]]
    later = (*((other, 1.0) for other in names[place + 1 :]), *again)
    tell_phase(Phase("comparing" if len(names) > 1 else "completing", name, place + 1, len(names), later))


def tell_completing(name: str, names: Sequence[str]) -> None:
    """This one of the methods whose weighted mean is the result begins, with all that is known."""
    place = names.index(name)
    later = tuple((other, 1.0) for other in names[place + 1 :])
    tell_phase(Phase("completing", name, place + 1, len(names), later))

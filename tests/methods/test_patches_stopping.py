"""`patches`, watched, and stopped by a watcher, Ctrl-C or the clock: what is there is kept."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from patches_examples import (
    error,
    example,
    spectral_iterations,
    stop_after,
)

from tensorfill import interrupting
from tensorfill.completion import Snapshot
from tensorfill.library import complete
from tensorfill.patches import view
from tensorfill.telling import Phase, Round, listening


def test_the_watcher_sees_every_iteration_and_changes_nothing() -> None:
    truth, known, done = example()
    seen, watch = stop_after(-1)
    watched = complete(truth, known, "patches", watch=watch)
    assert [snapshot.step for snapshot in seen] == list(watched.history)
    assert len(seen) == len(done.history)
    np.testing.assert_array_equal(watched.model, done.model)
    np.testing.assert_array_equal(seen[-1].estimate.dense(), done.estimate.dense())
    assert all(snapshot.estimate.dense().min() >= 0 for snapshot in seen[spectral_iterations() :])


@pytest.mark.parametrize("more", [-3, 0, 2, 5, 8])
def test_a_watcher_that_cancels_keeps_what_is_there(more: int) -> None:
    """During the rounds of spectral, while settings are compared, and during those of groups."""
    truth, known, _ = example()
    last = spectral_iterations() + more
    seen, watch = stop_after(last)
    done = complete(truth, known, "patches", watch=watch)
    assert (done.stop.kind, done.iterations, len(seen)) == ("watch", last, last + 1)
    assert str(done.stop) == f"Stopped by the watcher after {last} iterations: the result so far."
    np.testing.assert_allclose(done.model, np.maximum(seen[-1].estimate.dense(), 0), atol=1e-12)
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert (done.model >= 0).all()
    assert np.isfinite(done.uncertainty).all()
    told = done.reasons.get("patches", "")
    assert told == "" if more < 0 else told.startswith("Stopped before the last round: error at held-out entries ")


def test_the_later_it_is_cancelled_the_better() -> None:
    truth, known, done = example()
    early, late = spectral_iterations() + 1, len(done.history) - 3
    stopped = [complete(truth, known, "patches", watch=stop_after(last)[1]) for last in (early, late)]
    assert error(stopped[1], truth, known) < 0.7 * error(stopped[0], truth, known)


@pytest.mark.parametrize("more", [1, 7])
def test_an_interrupt_keeps_what_is_there(more: int) -> None:
    truth, known, _ = example()
    last = spectral_iterations() + more

    def interrupt(snapshot: Snapshot) -> None:
        if snapshot.step.iteration == last:
            raise KeyboardInterrupt

    done = complete(truth, known, "patches", watch=interrupt)
    assert (done.stop.kind, done.iterations) == ("interrupted", last)
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert (done.model >= 0).all()


@pytest.mark.parametrize("kind", ["time", "interrupted"])
@pytest.mark.parametrize("number", [1, 9])
def test_it_can_be_stopped_in_the_middle_of_a_round(kind: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    truth, known, done = example()
    share, calls = view.share, []

    def stopped(work: Callable[[int], None], pieces: int) -> None:
        calls.append(pieces)
        if len(calls) == number:
            if kind == "interrupted":
                raise KeyboardInterrupt
            interrupting._deadline.end = 0.0  # what is shared looks at it
        share(work, pieces)

    monkeypatch.setattr(view, "share", stopped)
    found = complete(truth, known, "patches", time_limit=1000)
    assert (found.stop.kind, len(calls)) == (kind, number)
    assert spectral_iterations() <= len(found.history) < len(done.history)
    np.testing.assert_array_equal(found.tensor[known], truth[known])
    assert (found.model >= 0).all()
    assert np.isfinite(found.uncertainty).all()


def test_without_time_there_is_a_quick_interpolation() -> None:
    truth, known, _ = example()
    done = complete(truth, known, "patches", time_limit=1e-9)
    assert (done.stop.kind, done.iterations) == ("time", 0)
    np.testing.assert_array_equal(done.tensor[known], truth[known])


@pytest.mark.parametrize(("rounds", "most"), [(8, 6), (1, 2)])
def test_it_tells_how_many_rounds_are_left(rounds: int, most: int) -> None:
    truth, known, _ = example()
    told: list[Phase | Round] = []
    with listening(told.append):
        complete(truth, known, "patches", max_iter=rounds)
    left = [one.left for one in told if isinstance(one, Round)]
    assert left[0] == most
    assert left[-1] == 1
    assert all(before - after <= 2 for before, after in itertools.pairwise(left)), left

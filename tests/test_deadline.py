"""A deadline: raised once, in the thread that set it, in the middle of whatever is under way."""

from __future__ import annotations

import threading
import time

import pytest

from tensorfill.interrupting import TimeIsUp, ended_by, look_at_clock, postpone, seconds_left, time_limited
from tensorfill.numerics.threads import share


def test_without_a_deadline_nothing_is_raised() -> None:
    look_at_clock()
    assert seconds_left() == float("inf")


def test_it_is_raised_once() -> None:
    with time_limited(0):
        with pytest.raises(TimeIsUp):
            look_at_clock()
        look_at_clock()


def test_it_ends_with_its_block_and_gives_the_outer_one_back() -> None:
    with time_limited(100):
        with time_limited(0):
            pass
        look_at_clock()
        assert 0 < seconds_left() <= 100
    assert seconds_left() == float("inf")


def test_it_can_be_postponed() -> None:
    with time_limited(0):
        postpone(100)
        look_at_clock()


def test_other_threads_have_no_part_in_it() -> None:
    raised: list[bool] = []

    def look() -> None:
        try:
            look_at_clock()
        except TimeIsUp:
            raised.append(True)

    with time_limited(0):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert not raised


def test_shared_work_is_left_in_the_middle() -> None:
    done: list[int] = []

    def work(piece: int) -> None:
        done.append(piece)
        time.sleep(0.01)

    with time_limited(0.05), pytest.raises(TimeIsUp):
        share(work, 10_000)
    assert 0 < len(done) < 1000


def test_another_thread_can_end_the_time() -> None:
    event = threading.Event()
    with ended_by(event):
        look_at_clock()
        assert seconds_left() == float("inf")
        event.set()
        assert seconds_left() == 0
        with pytest.raises(TimeIsUp):
            look_at_clock()
        look_at_clock()
    assert seconds_left() == float("inf")


def test_of_a_deadline_and_another_thread_the_first_one_counts() -> None:
    event = threading.Event()
    with time_limited(100), ended_by(event):
        assert 90 < seconds_left() <= 100
        event.set()
        assert seconds_left() == 0
    with time_limited(0), ended_by(threading.Event()), pytest.raises(TimeIsUp):
        look_at_clock()

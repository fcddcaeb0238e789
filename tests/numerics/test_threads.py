"""Work shared between threads is done once, all of it, and its failures are not lost."""

import threading
import time
import weakref

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from tensorfill.errors import InvalidSetting
from tensorfill.numerics import threads


@pytest.fixture(params=[1, 2, 4])
def thread_count(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(threads, "thread_count", lambda: request.param)
    return request.param


@pytest.mark.parametrize("pieces", [0, 1, 2, 7, 64])
def test_every_piece_is_done_exactly_once(thread_count: int, pieces: int) -> None:
    done: list[int] = []
    lock = threading.Lock()

    def work(piece: int) -> None:
        with lock:
            done.append(piece)

    threads.share(work, pieces)
    assert sorted(done) == list(range(pieces))


def test_an_error_in_a_piece_reaches_the_caller(thread_count: int) -> None:
    def work(piece: int) -> None:
        if piece == 3:
            raise RuntimeError("piece 3")

    with pytest.raises(RuntimeError, match="piece 3"):
        threads.share(work, 8)


def test_the_number_of_threads_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    threads.thread_count.cache_clear()
    monkeypatch.setenv("TENSORFILL_THREADS", "3")
    assert threads.thread_count() == 3
    threads.thread_count.cache_clear()


@pytest.mark.parametrize("at_fault", [KeyboardInterrupt, MemoryError])
def test_after_a_failure_nobody_is_still_working_and_sharing_goes_on(
    monkeypatch: pytest.MonkeyPatch, at_fault: type[BaseException]
) -> None:
    monkeypatch.setattr(threads, "thread_count", lambda: 3)
    caller = threading.get_ident()
    busy = threading.Semaphore(0)
    finished: list[int] = []

    def work(piece: int) -> None:
        if threading.get_ident() == caller:
            busy.acquire()  # a helper is in the middle of its piece
            raise at_fault
        busy.release()
        time.sleep(0.05)
        finished.append(piece)

    with pytest.raises(at_fault):
        threads.share(work, 8)
    before = list(finished)
    assert before
    time.sleep(0.1)
    assert finished == before
    done: list[int] = []
    threads.share(done.append, 8)
    assert sorted(done) == list(range(8))


def test_callers_in_several_threads_do_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "thread_count", lambda: 2)
    totals = [0] * 4

    def user(i: int) -> None:
        for _ in range(50):
            done: list[int] = []
            threads.share(done.append, 5)
            totals[i] += sum(done)

    users = [threading.Thread(target=user, args=(i,)) for i in range(4)]
    for one in users:
        one.start()
    for one in users:
        one.join()
    assert totals == [50 * 10] * 4


def test_helpers_end_with_the_thread_they_helped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "thread_count", lambda: 2)
    before = threading.active_count()
    user = threading.Thread(target=lambda: threads.share(lambda piece: None, 4))
    user.start()
    user.join()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before  # fewer if helpers of another test were still about to end


def blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_blas_is_quiet_until_the_last_one_who_asked_for_it_has_left() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))  # BLAS is loaded
    before = blas_threads()
    assert before
    first, second = threads.quiet_blas(), threads.quiet_blas()
    with first:
        second.__enter__()
        assert set(blas_threads()) == {1}
    assert set(blas_threads()) == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before


def test_nothing_that_was_worked_on_is_held_on_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "thread_count", lambda: 3)

    class Large:
        def work(self, piece: int) -> None:
            time.sleep(0.01)

    large = Large()
    watched = weakref.ref(large)
    threads.share(large.work, 6)
    del large
    assert watched() is None


@pytest.mark.parametrize("wish", ["20000", "0", "-1", "abc", "²", "9" * 60])
def test_an_absurd_number_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch, wish: str) -> None:
    threads.thread_count.cache_clear()
    monkeypatch.setenv("TENSORFILL_THREADS", wish)
    with pytest.raises(InvalidSetting, match="'TENSORFILL_THREADS' must be a whole number from 1 to 256"):
        threads.thread_count()


def test_where_the_system_has_no_more_threads_fewer_do_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = threading.Thread.start, []

    def limited(self: threading.Thread) -> None:
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        started.append(self)
        start(self)

    monkeypatch.setattr(threads, "thread_count", lambda: 6)
    monkeypatch.setattr(threading.Thread, "start", limited)
    threads._staff.dismiss()
    done: list[int] = []
    threads.share(done.append, 20)
    threads.share(done.append, 20)
    assert sorted(done) == sorted([*range(20), *range(20)])
    assert len(started) == 2, "the second time those that are there are asked again"
    threads._staff.dismiss()

"""Work shared between threads is done once, all of it, and its failures are not lost."""

import threading

import pytest

from tensorfill.numerics import threads


@pytest.fixture(params=[1, 2, 4])
def thread_count(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(threads, "thread_count", lambda: request.param)
    threads._pool.cache_clear()
    yield request.param
    threads._pool.cache_clear()


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

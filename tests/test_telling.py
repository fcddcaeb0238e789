"""Phases are told to whoever listens in the same thread."""

import threading

from tensorfill.telling import Phase, listening, tell_phase


def test_only_within_the_block_and_only_to_the_innermost() -> None:
    outer: list[Phase] = []
    inner: list[Phase] = []
    with listening(outer.append):
        tell_phase(Phase("one"))
        with listening(inner.append):
            tell_phase(Phase("two"))
        tell_phase(Phase("three"))
    tell_phase(Phase("four"))
    assert [phase.doing for phase in outer] == ["one", "three"]
    assert [phase.doing for phase in inner] == ["two"]


def test_another_thread_is_not_heard() -> None:
    heard: list[Phase] = []
    with listening(heard.append):
        thread = threading.Thread(target=tell_phase, args=(Phase("elsewhere"),))
        thread.start()
        thread.join()
    assert heard == []


def test_in_words() -> None:
    assert Phase("comparing", "t-ctv", 2, 4).words == "comparing: t-ctv, 2 of 4"
    assert Phase("completing", "spectral").words == "completing: spectral"
    assert Phase("reading frames", number=1001, of=200_000).words == "reading frames, 1,001 of 200,000"

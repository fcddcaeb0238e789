"""Phases are told to whoever listens in the same thread."""

import threading

import pytest

from tensorfill.telling import Phase, Round, harmless, listening, tell_phase, tell_round


def test_only_within_the_block_and_only_to_the_innermost() -> None:
    outer: list[Phase | Round] = []
    inner: list[Phase | Round] = []
    with listening(outer.append):
        tell_phase(Phase("one"))
        with listening(inner.append):
            tell_phase(Phase("two"))
        tell_phase(Phase("three"))
    tell_phase(Phase("four"))
    assert outer == [Phase("one"), Phase("three")]
    assert inner == [Phase("two")]


def test_rounds_are_told_too() -> None:
    heard: list[Phase | Round] = []
    with listening(heard.append):
        tell_round(3)
    tell_round(2)
    assert heard == [Round(3)]


def test_another_thread_is_not_heard() -> None:
    heard: list[Phase | Round] = []
    with listening(heard.append):
        thread = threading.Thread(target=tell_phase, args=(Phase("elsewhere"),))
        thread.start()
        thread.join()
    assert heard == []


def test_in_words() -> None:
    assert Phase("comparing", "t-ctv", 2, 4).words == "comparing: t-ctv, 2 of 4"
    assert Phase("completing", "spectral").words == "completing: spectral"
    assert Phase("reading frames", number=1001, of=200_000).words == "reading frames, 1,001 of 200,000"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain name, ümlaut, 写真.png", "plain name, ümlaut, 写真.png"),
        ("\x1b[31mred.png", "\\x1b[31mred.png"),
        ("two\nlines\r.png", "two\\nlines\\r.png"),
        ("c1\x9b31m", "c1\\x9b31m"),
        ("rtl\u202egnp", "rtl\\u202egnp"),
        ("bad\udcff.npy", "bad\\xff.npy"),
        ("paragraph\u2029", "paragraph\\u2029"),
    ],
)
def test_what_a_terminal_would_obey_is_spelt_out(name: str, shown: str) -> None:
    assert harmless(name) == shown

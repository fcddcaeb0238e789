"""Memory that was freed goes back to the system."""

import os
from pathlib import Path

import numpy as np
import pytest

from tensorfill import memory


@pytest.mark.skipif(memory._trim() is None, reason="the system's memory cannot be asked to be given back")
def test_what_was_freed_between_what_is_still_needed_is_given_back() -> None:
    arrays = [np.ones(12_500) for _ in range(1000)]
    del arrays[:-1]  # the last one keeps the rest from being given back by itself
    before = resident()
    memory.give_back()
    assert before - resident() > 50e6


def test_only_linux_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.sys, "platform", "win32")
    assert memory._trim.__wrapped__() is None


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

"""A folder for what is too large for memory: private, gone in the end, and one sentence where it cannot be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tensorfill.errors import UnwritableFile
from tensorfill.formats.scratch import allocate, scratch_in
from tensorfill.formats.staging import put_in_place

PROGRAM = """
import sys, time
from pathlib import Path
from tensorfill.formats.scratch import scratch_in
with scratch_in(Path(sys.argv[1])) as scratch:
    scratch.allocate((10,), float)
    print("ready", flush=True)
    time.sleep(60)
"""


def test_what_is_put_there_comes_back_and_goes_with_it(tmp_path: Path) -> None:
    with scratch_in(tmp_path) as scratch:
        array = scratch.allocate((2, 3, 4), np.int16, (2, 0, 1))
        assert not np.asarray(array).any()
        array[:, 1] = 7
        assert np.asarray(array).sum() == 7 * 8
        assert scratch.folder.stat().st_mode & 0o777 == 0o700
        assert scratch.folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_only_what_is_large_goes_there(tmp_path: Path) -> None:
    with scratch_in(tmp_path, large=100) as scratch:
        assert isinstance(allocate(scratch, (10, 10), np.uint8), np.ndarray)
        assert not isinstance(allocate(scratch, (10, 11), np.uint8), np.ndarray)
    assert isinstance(allocate(None, (10, 11), np.uint8), np.ndarray)


def test_an_array_can_grow_along_its_slowest_mode(tmp_path: Path) -> None:
    with scratch_in(tmp_path) as scratch:
        small = scratch.allocate((2, 3, 4), np.int16, (2, 0, 1))
        small[...] = 5
        larger = scratch.extend(small, 2, 9)
        assert larger.shape == (2, 3, 9)
        assert np.asarray(larger).sum() == 5 * small.size
        scratch.discard(larger)
        assert list(scratch.folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_is_deleted_when_the_process_is_told_to_end(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, tmp_path], stdout=subprocess.PIPE, stderr=-3) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait(20) in (128 + 15, -signal.SIGINT)
    assert list(tmp_path.iterdir()) == []


def test_that_of_a_process_that_was_killed_is_deleted_by_the_next_one(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, tmp_path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with put_in_place(tmp_path / "meanwhile") as part:
            part.write_text("done")
        assert len(list(tmp_path.iterdir())) == 2  # it is in use
        process.kill()
    with put_in_place(tmp_path / "after") as part:
        part.write_text("done")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after", "meanwhile"]


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(UnwritableFile, match=r"What is too large for memory cannot be kept in .*nowhere meanwhile: No"),
        scratch_in(tmp_path / "nowhere"),
    ):
        pass


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with scratch_in(tmp_path) as scratch, pytest.raises(UnwritableFile, match="No space left on device"):
        scratch.allocate((10,), float)
    assert list(tmp_path.iterdir()) == []


def test_sigterm_does_afterwards_what_it_did_before(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with scratch_in(tmp_path):
        time.sleep(0)
    assert signal.getsignal(signal.SIGTERM) is before

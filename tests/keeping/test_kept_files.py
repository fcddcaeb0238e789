"""Kept files: what is read is what was written, or else nothing."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorfill.keeping import files
from tensorfill.keeping.files import Damaged, read_kept, write_kept

NUMBERS = np.random.default_rng(0).random((50, 3))
FACTS = {"name": "größer", "error": 0.1 + 0.2, "worst": float("inf"), "count": np.int64(3), "part": np.float32(0.1)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some.kept"
    write_kept(path, FACTS, [NUMBERS.data, b"", b"abc"])
    return path


def test_facts_and_blocks_come_back_to_the_bit(path: Path) -> None:
    found = read_kept(path)
    assert found.facts == {**FACTS, "count": 3, "part": float(np.float32(0.1))}
    assert [len(block) for block in found.blocks] == [NUMBERS.nbytes, 0, 3]
    assert np.frombuffer(found.blocks[0]).tobytes() == NUMBERS.tobytes()
    assert np.frombuffer(found.blocks[0]).flags.writeable


def test_every_changed_byte_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1 :])
        with pytest.raises(Damaged):
            read_kept(path)


def test_what_is_cut_off_or_longer_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for changed in (b"", whole[:10], whole[:45], whole[:-1], whole + b"x", b"{}"):
        path.write_bytes(changed)
        with pytest.raises(Damaged):
            read_kept(path)


def test_without_the_key_a_file_is_not_believed(path: Path) -> None:
    with pytest.raises(Damaged):
        read_kept(path, key=b"mine")
    write_kept(path, FACTS, key=b"yours")
    with pytest.raises(Damaged):
        read_kept(path, key=b"mine")
    assert read_kept(path, key=b"yours").facts["count"] == 3


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_kept(path, {"name": "new"})
    assert read_kept(path).facts["name"] == FACTS["name"]
    assert os.listdir(path.parent) == [path.name]


def test_what_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    thing: Any = object()
    with pytest.raises(TypeError, match="nothing that JSON can hold"):
        write_kept(tmp_path / "some.kept", {"thing": thing})
    assert os.listdir(tmp_path) == []

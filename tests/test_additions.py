"""A method, a format or a pattern of holes is added by one new file and one line of a list, and is a full citizen."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SOURCE = Path(__file__).parents[1] / "src" / "tensorfill"

METHOD = """
from dataclasses import dataclass
from typing import ClassVar

from ..estimates.estimate import ConstantEstimate
from .baseline import Baseline, OneStep


@dataclass(frozen=True, kw_only=True)
class Largest(Baseline):
    \"\"\"The largest known value, everywhere.\"\"\"

    name: ClassVar[str] = "largest"
    summary: ClassVar[str] = "The largest known value, everywhere"
    reference: ClassVar[str] = "folklore"
    nonnegative: ClassVar[bool] = True

    def candidate(self, question):
        return 1

    def resolve(self, observed):
        return {"max_iter": 1}

    def solver(self, data, settings, rng):
        at = ConstantEstimate(data.shape, float(data.values.max()))
        return OneStep(at, lambda: at)
"""

FORMAT = """
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..contents import Contents
from ..format import Format


class Bytes(Format):
    \"\"\"Rows of bytes, after a line with the number of columns.\"\"\"

    name: ClassVar[str] = "bytes"
    extensions: ClassVar[tuple[str, ...]] = (".bytes",)

    def decode(self, path, how):
        columns, _, rows = path.read_bytes().partition(b"\\n")
        return Contents(np.frombuffer(rows, np.uint8).reshape(-1, int(columns)))

    def write(self, path, contents):
        path.write_bytes(b"%d\\n" % contents.shape[1] + contents.data.astype(np.uint8).tobytes())
"""

PATTERN = """
import numpy as np


def corner(shape, keep, seed):
    \"\"\"All but the first entry.\"\"\"
    mask = np.ones(shape, dtype=bool)
    mask[(0,) * len(shape)] = False
    return mask
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more of each."""
    folder = tmp_path_factory.mktemp("source")
    shutil.copytree(SOURCE, folder / "tensorfill", ignore=shutil.ignore_patterns("__pycache__"))
    added = {
        ("methods", "largest.py", METHOD): ("methods/listed.py", "largest:Largest"),
        ("formats/arrays", "bytes.py", FORMAT): ("formats/listed.py", "arrays.bytes:Bytes"),
        ("sampling", "corner.py", PATTERN): ("sampling/patterns.py", "corner:corner"),
    }
    for (room, name, source), (listed, entry) in added.items():
        (folder / "tensorfill" / room / name).write_text(source)
        path = folder / "tensorfill" / listed
        text, count = re.subn(r"(_LISTED = \(\n(?:    .*\n)*?)\)", rf'\g<1>    "{entry}",\n)', path.read_text())
        assert count == 1
        path.write_text(text)
    return folder


def run(package: Path, folder: Path, *arguments: str) -> str:
    """What the command of the copy says."""
    return python(package, folder, "-m", "tensorfill", *arguments)


def python(package: Path, folder: Path, *arguments: str) -> str:
    """What Python says, with the copy."""
    environment = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "200"}
    command = [sys.executable, *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def test_the_method_is_listed_chosen_by_name_and_a_candidate_of_auto(package: Path, tmp_path: Path) -> None:
    data = np.full((12, 10), 3.0)
    data[::2, ::3] = np.nan
    data[1, 1] = 5.0
    np.save(tmp_path / "a.npy", data)
    assert "The largest known value" in run(package, tmp_path, "methods")
    run(package, tmp_path, "complete", "a.npy", "-o", "b.npy", "--method", "largest")
    assert np.load(tmp_path / "b.npy")[0, 0] == 5.0
    program = "from tensorfill.methods.auto import methods_tried; from tensorfill.method import Question\n"
    program += "print(methods_tried(Question('normal', (12, 10))))"
    assert "largest" in python(package, tmp_path, "-c", program)


def test_the_format_is_read_completed_and_written(package: Path, tmp_path: Path) -> None:
    rows = np.add.outer(np.arange(8), np.arange(6)).astype(np.uint8)
    (tmp_path / "a.bytes").write_bytes(b"6\n" + rows.tobytes())
    assert "bytes" in run(package, tmp_path, "info", "a.bytes")
    run(package, tmp_path, "complete", "a.bytes", "-o", "b.bytes", "--missing", "0", "--method", "linear")
    head, _, written = (tmp_path / "b.bytes").read_bytes().partition(b"\n")
    assert head == b"6"
    np.testing.assert_array_equal(np.frombuffer(written, np.uint8)[1:], rows.reshape(-1)[1:])


def test_the_pattern_hides_entries(package: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((4, 5)))
    assert "Kept 19 of 20" in run(package, tmp_path, "hide", "a.npy", "-o", "b.npy", "--pattern", "corner")

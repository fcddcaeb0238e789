"""Ctrl-C: the best so far is kept, and no file is ever half written."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from stand_in import MeanFill, Run

from tensorfill.cli.solving import ignore_interrupts


def test_the_best_so_far_is_written_and_the_code_is_130(
    tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path
) -> None:
    solver.kind = "interrupted"
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy", "--report", tmp_path / "run.json")
    assert outcome.code == 130
    assert "holds the best so far" in outcome.out
    assert np.load(tmp_path / "done.npy").shape == (6, 5, 3)
    assert json.loads((tmp_path / "run.json").read_text())["stop"]["kind"] == "interrupted"


@pytest.mark.parametrize(
    ("iterations", "words"),
    [
        (0, "Stopped before the first iteration; nothing was written."),
        (2, "Stopped again before the result was ready"),
    ],
)
def test_before_anything_is_usable_nothing_is_written(
    tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path, iterations: int, words: str
) -> None:
    solver.raises, solver.iterations = KeyboardInterrupt(), iterations
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy")
    assert outcome.code == 130
    assert words in outcome.err
    assert list(tmp_path.iterdir()) == [holes]


def test_while_the_command_is_still_starting_there_is_no_traceback() -> None:
    program = """
import os, signal, sys
class Strike:
    def find_spec(self, name, *_):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Strike())
from tensorfill.__main__ import main
main()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "Stopped; nothing was written.\n")


def test_the_demo_keeps_the_best_so_far_too(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    solver.kind = "interrupted"
    assert tensorfill("demo", "-o", tmp_path).code == 130
    assert (tmp_path / "before-after.png").exists()


def test_ctrl_c_does_nothing_while_files_are_written() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ignore_interrupts():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_real_ctrl_c_in_a_real_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "holes.npz", data=rng.random((120, 120, 3)), observed=rng.random((120, 120, 3)) < 0.3)
    endless = ["--max-iter", "100000", "--gradient-tolerance", "1e-14", "--gap-tolerance", "1e-14"]
    command = [
        sys.executable,
        "-m",
        "tensorfill",
        "complete",
        "holes.npz",
        "-o",
        "done.npz",
        "--report",
        "run.json",
    ]
    mine, terminal = pty.openpty()
    with subprocess.Popen(
        [*command, *endless], cwd=tmp_path, stdout=subprocess.PIPE, stderr=terminal, text=True
    ) as running:
        os.close(terminal)
        try:
            seen = read_until(mine, b"iteration 2")
            running.send_signal(signal.SIGINT)
            out, _ = running.communicate(timeout=60)
        finally:
            running.kill()
    os.close(mine)
    assert b"cost" in seen
    assert b"gradient" in seen
    assert running.returncode == 130, out
    assert "holds the best so far" in out
    assert json.loads((tmp_path / "run.json").read_text())["stop"]["kind"] == "interrupted"
    with np.load(tmp_path / "done.npz") as done:
        assert np.isfinite(done["data"]).all()
    assert {path.name for path in tmp_path.iterdir()} == {"holes.npz", "done.npz", "run.json"}


def read_until(descriptor: int, words: bytes, seconds: float = 60.0) -> bytes:
    seen, end = b"", time.monotonic() + seconds
    while words not in seen:
        assert time.monotonic() < end, seen
        seen += os.read(descriptor, 4096)
    return seen

"""Ctrl-C at every moment in the life of a command: its sentence and its code, or no effect."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
STRIKE = "os.kill(os.getpid(), signal.SIGINT)"


def struck(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_while_it_is_loaded_by_the_installed_script() -> None:
    ended = struck(
        f"import os, signal, sys; sys.argv[0] = '/usr/bin/tensorfill'; from tensorfill.__main__ import main; {STRIKE}"
    )
    assert (ended.returncode, ended.stderr) == (130, "Stopped; nothing was written.\n")


def test_while_arguments_are_read() -> None:
    program = f"""
import os, signal, sys
from tensorfill.cli import app
from tensorfill.__main__ import main
command = sys.modules["tensorfill.cli.app"].PlainFailures
before = command.parse_args
def parse_args(self, ctx, args):
    {STRIKE}
    return before(self, ctx, args)
command.parse_args = parse_args
sys.argv[1:] = ["methods"]
main()
"""
    ended = struck(program)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "Stopped; nothing was written.\n")


def test_when_all_is_done_it_has_no_effect() -> None:
    ended = struck(
        f"import atexit, os, signal, sys; sys.argv[1:] = ['methods']; atexit.register(lambda: {STRIKE}); "
        "from tensorfill.__main__ import main; main()"
    )
    assert ended.returncode == 0
    assert ended.stderr == ""


def test_where_it_was_ignored_it_stays_so() -> None:
    ended = struck(
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.argv[1:] = ['methods']; "
        f"from tensorfill.__main__ import main; {STRIKE}; main()"
    )
    assert ended.returncode == 0


def test_importing_the_command_changes_nothing() -> None:
    import tensorfill.__main__  # noqa: F401

    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def test_one_that_a_library_swallows_while_the_file_is_read_stops_the_work_all_the_same(tmp_path: Path) -> None:
    program = f"""
import os, signal, sys
from tensorfill.formats import DataFile
from tensorfill.__main__ import main
read = DataFile.read
def swallow(*arguments, **named):
    try:
        {STRIKE}
    except KeyboardInterrupt:
        pass
    return read(*arguments, **named)
DataFile.read = swallow
sys.argv[1:] = ["complete", "a.npy", "-o", "b.npy", "--method", "spectral"]
main()
"""
    data = np.random.default_rng(0).random((12, 10, 4))
    data[3:5, 2] = np.nan
    np.save(tmp_path / "a.npy", data)
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 130, ended.stderr
    assert "Stopped by Ctrl-C; b.npy holds the best so far." in ended.stdout + ended.stderr

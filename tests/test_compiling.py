"""Kernels work wherever they run: kept where that is possible, said once, timed."""

import importlib.util
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import codegen

from tensorfill import compiling
from tensorfill.telling import seconds_compiling

SOURCE = """
from tensorfill.compiling import compiled

@compiled()
def doubled(x):
    return 2 * x
"""
WITHOUT_PLACES = """
import sys
from numba.core import caching
getattr(caching, "CacheImpl", getattr(caching, "_CacheImpl", None))._locator_classes = []
from tensorfill.__main__ import main
main()
"""


def loaded(path: Path) -> Any:
    """The kernel of a file, as in a new process."""
    spec = importlib.util.spec_from_file_location("tensorfill.some_kernels", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.doubled


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "some_kernels.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def no_place_of_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the folder of the source nor a home can be written."""

    def refuses(self: object, *arguments: object) -> None:
        if not compiling._config.CACHE_DIR:
            raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(compiling._config, "CACHE_DIR", "")
    monkeypatch.setattr(compiling._KeptCode, "__init__", refuses)


def test_what_was_compiled_is_there_the_next_time(source: Path) -> None:
    assert loaded(source)(2) == 4
    before = seconds_compiling()
    assert loaded(source)(3) == 6
    assert seconds_compiling() == before


def test_the_seconds_are_counted(source: Path) -> None:
    before = seconds_compiling()
    assert loaded(source)(2) == 4
    assert all(now > then for now, then in zip(seconds_compiling(), before, strict=True))


@pytest.mark.usefixtures("no_place_of_numba")
def test_without_any_folder_a_kernel_still_works(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "private_folder", lambda: None)
    kernel = loaded(source)
    assert kernel(2) == 4
    assert kernel.stats.cache_path is None


def test_a_temporary_folder_keeps_what_no_other_folder_can(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = compiling._KeptCode.__init__

    def refuses(self: object, function: object) -> None:
        if not compiling._config.CACHE_DIR:
            raise RuntimeError("cannot cache function: no locator available")
        original(self, function)

    monkeypatch.setattr(compiling._config, "CACHE_DIR", "")
    monkeypatch.setattr(compiling._KeptCode, "__init__", refuses)
    monkeypatch.setattr(compiling, "private_folder", lambda: tmp_path / "mine")
    kernel = loaded(source)
    assert kernel(2) == 4
    assert (tmp_path / "mine") in Path(kernel.stats.cache_path).parents
    assert list((tmp_path / "mine").rglob("*.nbc"))
    assert compiling._config.CACHE_DIR == "", "others are not told to keep theirs there"


def test_a_disk_that_is_full_is_no_reason_to_fail(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compiling._caching.FunctionCache, "save_overload", full)
    assert loaded(source)(2) == 4


@pytest.mark.parametrize("is_kept", [False, True])
def test_an_interrupt_in_a_callback_of_llvm_waits_until_the_kernel_is_ready(
    source: Path, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_kept:
        loaded(source)(2)  # the kernel below comes from the disk

    class Struck:
        """A flag that Numba reads in the callbacks."""

        def __get__(self, library: Any, owner: object) -> bool:
            os.kill(os.getpid(), signal.SIGINT)
            return bool(vars(library)["enabled"])

        def __set__(self, library: Any, enabled: bool) -> None:
            vars(library)["enabled"] = enabled

    monkeypatch.setattr(codegen.JITCodeLibrary, "_object_caching_enabled", Struck(), raising=False)
    kernel = loaded(source)
    with pytest.raises(KeyboardInterrupt):
        kernel(2)
    assert len(kernel.signatures) == 1
    assert kernel(3) == 6


def test_an_interrupt_that_is_ignored_stays_so_while_a_kernel_compiles(source: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        kernel = loaded(source)
        assert kernel(2) == 4
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_it_is_said_once(source: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling._compilations, "_told", False)
    kernel = loaded(source)
    with caplog.at_level(logging.INFO, "tensorfill"):
        kernel(2)
        kernel(2.0)
    assert [record.getMessage() for record in caplog.records] == [
        "Compiling, once after an installation: up to 20 s in all."
    ]


@pytest.mark.slow
def test_verbs_work_where_compiled_code_cannot_be_kept(tmp_path: Path) -> None:
    np.save(tmp_path / "whole.npy", np.random.default_rng(0).integers(1, 200, (8, 8, 3)).astype(np.uint8))
    said = []
    for line in (
        "info whole.npy",
        "hide whole.npy -o holes.npz --keep 0.5",
        "complete holes.npz -o done.npy --method spectral",
    ):
        program = f"import tempfile, os; os.environ['TMPDIR'] = {str(tmp_path)!r}\n{WITHOUT_PLACES}"
        ended = subprocess.run(
            [sys.executable, "-c", program, *line.split()], cwd=tmp_path, capture_output=True, text=True
        )
        assert ended.returncode == 0, (line, ended.stderr)
        said += [part for part in ended.stderr.splitlines() if part.startswith("Compiling")]
        assert ended.stderr.count("Compiling,") <= 1
    assert said
    assert all("again in every run" in each for each in said if "took" not in each)

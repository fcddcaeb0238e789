"""Memory that was freed goes back to the system."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tensorfill import memory


@pytest.mark.skipif(memory._trim() is None, reason="the system's memory cannot be asked to be given back")
def test_what_was_freed_between_what_is_still_needed_is_given_back() -> None:
    arrays = [np.ones(12_500) for _ in range(1000)]
    del arrays[:-1]  # the last one keeps the rest from being given back by itself
    before = resident()
    memory.return_freed_memory()
    assert before - resident() > 50e6


def test_only_linux_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.sys, "platform", "win32")
    assert memory._trim.__wrapped__() is None


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class TestLimits:
    """The smallest counts: the machine's, the process's own, and those of the groups that it is in."""

    @pytest.fixture(autouse=True)
    def machine(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A machine with 8 GB free, whose groups are in a folder of ours."""
        (tmp_path / "cgroup").write_text("4:memory:/jobs/ours\n3:cpu:/\n0::/system/service\n")
        machine = SimpleNamespace(total=9_000_000_000, available=8_000_000_000)
        monkeypatch.setattr(memory.psutil, "virtual_memory", lambda: machine)
        monkeypatch.setattr(memory, "_MEMBERSHIPS", tmp_path / "cgroup")
        monkeypatch.setattr(memory, "_GROUPS", tmp_path / "groups")
        monkeypatch.setattr(memory, "_own_limits", lambda: iter(()))
        monkeypatch.setattr(memory, "physical_memory", memory.physical_memory.__wrapped__)  # which asks anew
        return tmp_path

    @staticmethod
    def limit(folder: Path, names: tuple[str, str, str], most: object) -> None:
        folder.mkdir(parents=True)
        word = "total_inactive_file" if "limit" in names[0] else "inactive_file"
        for name, value in zip(names, (most, 3_000_000, f"anon 1\n{word} 1000000"), strict=True):
            (folder / name).write_text(f"{value}\n")

    def test_without_limits_it_is_what_is_free(self) -> None:
        assert memory.available_memory() == 8_000_000_000

    @pytest.mark.parametrize("group", ["groups", "groups/system", "groups/system/service"])
    def test_a_group_or_one_around_it(self, machine: Path, group: str) -> None:
        self.limit(machine / group, ("memory.max", "memory.current", "memory.stat"), 10_000_000)
        assert memory.available_memory() == 10_000_000 - 2_000_000
        assert memory.physical_memory() == 10_000_000

    @pytest.mark.parametrize("group", ["groups/memory", "groups/memory/jobs", "groups/memory/jobs/ours"])
    def test_a_group_of_the_older_kind(self, machine: Path, group: str) -> None:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat")
        self.limit(machine / group, names, 10_000_000)
        assert memory.available_memory() == 10_000_000 - 2_000_000

    def test_a_group_without_a_limit(self, machine: Path) -> None:
        self.limit(machine / "groups", ("memory.max", "memory.current", "memory.stat"), "max")
        assert memory.available_memory() == 8_000_000_000


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nothing tells how much a process has")
@pytest.mark.parametrize("kind", ["-v", "-d"])
def test_the_limit_of_the_process_itself(kind: str) -> None:
    program = "from tensorfill.memory import available_memory; print(available_memory())"
    command = f"ulimit {kind} 1000000; exec {sys.executable} -c '{program}'"
    found = int(subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout)
    assert 5e8 < found < 1_024_000_000

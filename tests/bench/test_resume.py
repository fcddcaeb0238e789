"""Resuming: killed at any moment and started again, a bench ends with the same rows as an undisturbed one."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_up import SPOILT, TINY, Desk, answers

PLAN = """
[[experiment]]
name = "table"
datasets = ["tiny", "turned"]
rates = [0.3]
seeds = 2
curve = true
pictures = true
methods = ["zero-fill", "mean-fill", "ncpc"]
"""
RUNS = 12
KILLS = 2


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.file("tiny.py", TINY)
    desk.file("turned.py", TINY.replace('"tiny"', '"turned"').replace("default_rng(4)", "default_rng(5)"))
    desk.plan(PLAN)
    return desk


def started(desk: Desk, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tensorfill", "bench", "plan.toml", "-o", "killed", "--jobs", "2", *options]
    for path in desk.files:
        command += ["--with", path.name]
    return subprocess.Popen(command, cwd=desk.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def written(desk: Desk) -> int:
    file = desk.folder / "killed" / "rows.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait_for_rows(desk: Desk, count: int, running: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while written(desk) < count:
        assert time.monotonic() < end, "no rows"
        assert running.poll() is None, running.communicate()
        time.sleep(0.005)


def workers_of(folder: Path) -> list[int]:
    """Every process that still works in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve() == folder.resolve():
                found.append(int(process.name))
        except OSError:
            continue
    return found


@pytest.mark.slow
def test_kills_at_random_moments_and_ctrl_c_lose_and_double_nothing(desk: Desk) -> None:
    chance = random.Random()
    for kill in range(1, KILLS + 1):
        with started(desk) as running:
            wait_for_rows(desk, 2 * kill, running)
            time.sleep(chance.uniform(0.0, 0.4))
            running.send_signal(signal.SIGKILL)
            running.communicate()
    before = written(desk)
    with started(desk) as running:
        wait_for_rows(desk, before + 1, running)  # until then it may not be there yet to take a Ctrl-C
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 130, (out, err)
    assert err == "Stopped. What is finished is in killed; the same command goes on from there.\n"
    assert not (desk.folder / "killed" / "logs").exists()
    with started(desk) as running:
        out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert f"{RUNS} ok" in out
    desk.bench(jobs=2)
    undisturbed = desk.rows
    desk.out.rename(desk.folder / "undisturbed")
    (desk.folder / "killed").rename(desk.out)
    assert answers(desk.rows) == answers(undisturbed)
    for row in desk.rows:
        for picture in row.pictures.values():
            assert (desk.out / picture).read_bytes() == (desk.folder / "undisturbed" / picture).read_bytes()
    assert not list(desk.out.glob("pictures/.*"))


@pytest.mark.slow
def test_one_bench_at_a_time_and_none_of_it_is_left_when_it_is_killed(desk: Desk) -> None:
    desk.file("spoilt.py", SPOILT)
    desk.plan(PLAN.replace('"ncpc"', '{method = "spoilt", settings = {how = "endless"}}'))
    with started(desk) as running:
        wait_for_rows(desk, 1, running)
        with started(desk) as second:
            _, err = second.communicate(timeout=60)
        assert running.poll() is None, "the first one goes on"
        assert len(workers_of(desk.folder)) > 1 or not sys.platform.startswith("linux")
        running.kill()
        running.communicate()
    assert second.returncode == 2
    assert err.startswith("Error: Another bench is writing to killed right now; wait for it to end, or give another")
    end = time.monotonic() + 10
    while workers_of(desk.folder):
        assert time.monotonic() < end, "workers are left"
        time.sleep(0.05)

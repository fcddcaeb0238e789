"""Workers: whoever completes tiles, the bits are the same; none is lost, and none is left."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from test_run import TILING, TRUTH, Delivered, make_run, repeat, say_number
from tiles_of_workers import DieOnce, die_often, fail, fail_oddly, sleep_until_stopped, tell_threads

from tensorfill.errors import InvalidInput, InvalidSetting, WorkersLost
from tensorfill.interrupting import time_limited
from tensorfill.numerics.threads import thread_count, use_threads
from tensorfill.tiles.answer import TileQuestion
from tensorfill.tiles.checkpoint import Checkpoint
from tensorfill.tiles.processes import ASKED_AGAIN, Processes
from tensorfill.tiles.run import ThisThread
from tensorfill.tiles.workers import Threads, workers_at

BOTH = ["threads:2", "processes:2"]
QUESTION = TileQuestion(3, TRUTH, TRUTH > 0.5)


@pytest.fixture
def cores() -> Iterator[Callable[[int], None]]:
    before = thread_count()
    yield use_threads
    use_threads(before)


# Who it is


def test_without_a_word_it_is_this_thread_or_as_many_as_there_is_memory_for(cores: Callable[[int], None]) -> None:
    cores(4)
    with workers_at(None) as alone:
        assert isinstance(alone, ThisThread)
    with workers_at(None, 3) as three:
        assert isinstance(three, Threads)
        assert three.in_flight == 6


@pytest.mark.parametrize(("count", "each"), [(1, 4), (2, 2), (3, 1), (9, 1)])
@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_workers_share_the_cores(kind: str, count: int, each: int, cores: Callable[[int], None]) -> None:
    cores(4)
    with workers_at(f"{kind}:{count}") as workers:
        found = workers.submit(tell_threads, QUESTION).result()
    assert found.facts["threads"] == each


def test_there_are_as_many_as_cores_if_there_is_memory_for_them(cores: Callable[[int], None]) -> None:
    cores(4)
    for at_a_time, count in ((9, 4), (3, 3), (1, 1)):
        with workers_at("threads", at_a_time) as workers:
            assert workers.in_flight == 2 * count


@pytest.mark.parametrize("wish", ["thread", "threads:0", "processes:-1", "processes:two", "threads:1000", "", 3, True])
def test_what_is_no_scheduler_is_refused_with_what_would_be(wish: object) -> None:
    with pytest.raises(InvalidSetting, match=r"'scheduler' must be 'threads' or 'processes'.*'tcp://host:8786'"):
        workers_at(wish)


# What they do


@pytest.mark.parametrize("wish", [*BOTH, "threads:1", "processes:1", "threads:5"])
def test_the_bits_are_those_of_one_thread(wish: str) -> None:
    alone, got = Delivered(TRUTH.shape), Delivered(TRUTH.shape)
    make_run(repeat, alone, deviations=True).run(ThisThread())
    with workers_at(wish) as workers:
        make_run(repeat, got, deviations=True).run(workers)
    assert got.model.tobytes() == alone.model.tobytes()
    assert got.deviations.tobytes() == alone.deviations.tobytes()


@pytest.mark.parametrize("wish", BOTH)
def test_errors_of_tiles_are_errors_of_the_run(wish: str) -> None:
    with workers_at(wish) as workers, pytest.raises(InvalidInput, match="tile 4 is bad"):
        make_run(fail, Delivered(TRUTH.shape)).run(workers)
    with workers_at(wish) as workers, pytest.raises(Exception, match="odd"):
        make_run(fail_oddly, Delivered(TRUTH.shape)).run(workers)


def test_what_cannot_be_sent_is_refused() -> None:
    with workers_at("processes:1") as workers, pytest.raises(InvalidSetting, match="scheduler='threads' stays"):
        workers.submit(lambda question: repeat(question), QUESTION)


# Stopping


@pytest.mark.parametrize("wish", BOTH)
def test_what_is_under_way_ends_soon_when_the_run_is_stopped(wish: str) -> None:
    got = Delivered(TRUTH.shape)
    run = make_run(sleep_until_stopped, got, watch=lambda facts: True)
    began = time.perf_counter()
    with workers_at(wish) as workers:
        run.run(workers)
    assert time.perf_counter() - began < 30
    assert run.stopped == "watch"
    assert sum(done.whole for done in run.done) == 1
    assert not np.isnan(got.model).any()


@pytest.mark.parametrize("wish", BOTH)
def test_the_time_limit_of_the_run_holds_for_them(wish: str) -> None:
    got = Delivered(TRUTH.shape)
    run = make_run(sleep_until_stopped, got)
    with workers_at(wish) as workers:
        workers.submit(repeat, QUESTION).result()  # processes have begun
        with time_limited(0.5):
            run.run(workers)
    assert run.stopped == "time"
    assert {done.number for done in run.done if done.whole} <= {0}
    assert not np.isnan(got.model).any()


@pytest.mark.parametrize("wish", BOTH)
def test_ctrl_c_goes_to_the_run(wish: str) -> None:
    got = Delivered(TRUTH.shape)
    run = make_run(sleep_until_stopped, got)
    with workers_at(wish) as workers:
        workers.submit(repeat, QUESTION).result()
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        if isinstance(workers, Processes):
            for number in workers.process_ids:
                os.kill(number, signal.SIGINT)  # as a terminal does, to all of them
        run.run(workers)
    assert run.stopped == "interrupted"
    assert {done.number for done in run.done if done.whole} <= {0}
    assert not np.isnan(got.model).any()


def test_no_process_is_left() -> None:
    with workers_at("processes:2") as workers:
        make_run(repeat, Delivered(TRUTH.shape)).run(workers)
        assert isinstance(workers, Processes)
        there = workers.process_ids
    assert len(there) == 2
    assert not any(map(psutil.pid_exists, there))


# Dying


def test_a_process_that_dies_is_replaced_and_its_tile_asked_again(tmp_path: Path) -> None:
    alone, got = Delivered(TRUTH.shape), Delivered(TRUTH.shape)
    make_run(say_number, alone).run(ThisThread())
    with workers_at("processes:2") as workers:
        make_run(DieOnce(str(tmp_path)), got).run(workers)
    assert len(os.listdir(tmp_path)) == TILING.count, "every tile was begun"
    assert got.model.tobytes() == alone.model.tobytes()


def test_a_tile_that_kills_every_process_is_an_error() -> None:
    with workers_at("processes:2") as workers, pytest.raises(WorkersLost) as error:
        make_run(die_often, Delivered(TRUTH.shape)).run(workers)
    assert str(error.value) == (
        f"A worker process ended {1 + ASKED_AGAIN} times at the same tile, the last time by SIGKILL, perhaps because "
        "the machine ran out of memory; smaller tiles or fewer workers need less."
    )


RUN = """
import os, sys
sys.path[:0] = {paths!r}
from test_run import TRUTH, Delivered, make_run
from tiles_of_workers import sleep_until_stopped
from tensorfill.tiles.workers import workers_at

{guard}
with workers_at("processes:2") as workers:
    run = make_run(sleep_until_stopped, Delivered(TRUTH.shape))
    import threading
    def tell():
        while len(workers.process_ids) < 2: pass
        print(*workers.process_ids, flush=True)
    threading.Thread(target=tell, daemon=True).start()
    run.run(workers)
"""


def run_script(tmp_path: Path, guard: str) -> subprocess.Popen[str]:
    head, _, body = RUN.partition("{guard}\n")
    script = tmp_path / "script.py"
    begin = head.format(paths=[str(Path(__file__).parent)])
    script.write_text(begin + (guard + textwrap.indent(body, "    ") if guard else body))
    return subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )


def test_no_process_outlives_a_parent_that_was_killed(tmp_path: Path) -> None:
    with run_script(tmp_path, "if __name__ == '__main__':\n") as parent:
        assert parent.stdout is not None
        children = [psutil.Process(int(number)) for number in parent.stdout.readline().split()]
        time.sleep(0.5)
        parent.kill()
        assert len(children) == 2
        assert psutil.wait_procs(children, timeout=20)[1] == []


def test_a_script_that_is_loaded_by_its_workers_is_told_what_is_wrong(tmp_path: Path) -> None:
    with run_script(tmp_path, "") as parent:
        errors = parent.communicate(timeout=60)[1]
    assert "In a script, what completes belongs under if __name__ == '__main__'" in errors


def test_with_a_checkpoint_processes_compute_no_tile_twice(tmp_path: Path) -> None:
    identity = {"input": "all"}
    with (
        Checkpoint(tmp_path / "kept", identity) as checkpoint,
        workers_at("processes:2") as workers,
        pytest.raises(InvalidInput),
    ):
        make_run(fail, Delivered(TRUTH.shape), keeper=checkpoint).run(workers)
    alone, got = Delivered(TRUTH.shape), Delivered(TRUTH.shape)
    make_run(repeat, alone).run(ThisThread())
    with Checkpoint(tmp_path / "kept", identity) as checkpoint, workers_at("processes:2") as workers:
        kept = [number for number in range(TILING.count) if checkpoint.has(number)]
        make_run(repeat, got, keeper=checkpoint).run(workers)
        assert len(kept) >= 2
        assert checkpoint.reused == set(kept)
        assert checkpoint.computed == set(range(TILING.count)) - set(kept)
    assert got.model.tobytes() == alone.model.tobytes()


# A cluster


def test_without_distributed_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InvalidSetting, match=r"pip install 'tensorfill\[cluster\]'"):
        workers_at("tcp://127.0.0.1:8786")


def test_nothing_of_dask_is_loaded_for_other_workers() -> None:
    code = (
        "import sys; from tensorfill.tiles.workers import workers_at\n"
        "with workers_at('threads:2'): pass\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


needs_distributed = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        yield cluster


@needs_distributed
class TestCluster:
    def test_the_bits_are_those_of_one_thread(self, cluster: Any) -> None:
        alone, got = Delivered(TRUTH.shape), Delivered(TRUTH.shape)
        make_run(repeat, alone, deviations=True).run(ThisThread())
        with workers_at(cluster.scheduler_address) as workers:
            assert workers.in_flight == 4
            make_run(repeat, got, deviations=True).run(workers)
        assert got.model.tobytes() == alone.model.tobytes()
        assert got.deviations.tobytes() == alone.deviations.tobytes()

    def test_a_client_that_is_there_is_used(self, cluster: Any) -> None:
        from distributed import Client

        with Client(cluster, set_as_default=True), workers_at(None) as workers:
            assert type(workers).__name__ == "Cluster"
        with Client(cluster, set_as_default=False) as client:
            with workers_at(None) as workers:
                assert isinstance(workers, ThisThread)
            with workers_at(client) as workers:
                assert workers.submit(repeat, QUESTION).result(30).model.tobytes() == TRUTH.tobytes()
            assert client.status == "running", "who made it closes it"

    def test_errors_and_stopping(self, cluster: Any) -> None:
        with workers_at(cluster.scheduler_address) as workers, pytest.raises(InvalidInput, match="tile 4 is bad"):
            make_run(fail, Delivered(TRUTH.shape)).run(workers)
        got = Delivered(TRUTH.shape)
        run = make_run(sleep_until_stopped, got, watch=lambda facts: True)
        with workers_at(cluster.scheduler_address) as workers:
            run.run(workers)
        assert run.stopped == "watch"
        assert not np.isnan(got.model).any()

    def test_a_worker_that_dies_is_replaced(self, cluster: Any, tmp_path: Path) -> None:
        alone, got = Delivered(TRUTH.shape), Delivered(TRUTH.shape)
        make_run(say_number, alone).run(ThisThread())
        with workers_at(cluster.scheduler_address) as workers:
            make_run(DieOnce(str(tmp_path)), got).run(workers)
        assert got.model.tobytes() == alone.model.tobytes()


@needs_distributed
def test_a_scheduler_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorfill.tiles.cluster._PATIENCE", 0.5)
    with pytest.raises(WorkersLost, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        workers_at("tcp://127.0.0.1:9")

"""What is left after a kill: SIGKILL of a worker and of the whole run at random moments, and whether anything is lost.

    python benchmarks/kills.py [--kills 20] [--seed 0] [--cases worker,run,whole]

A clip is completed in tiles by two worker processes with a checkpoint, and another one whole, with the state of its
iteration kept every half second; each run is a process of its own. A worker is killed and the run goes on; or the run
is killed, as soon as not begun and as late as nearly done, and started again. The table counts, over all kills, outputs
with other bits than those of a run in peace, tiles that were computed again though they were finished, processes that
were left, and files that were left half written.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
from harness import GrowingTable, make_parser, names_from

from tensorfill import complete
from tensorfill.bounds import Bounds
from tensorfill.large.on_disk import Output, complete_on_disk, run_identity, settled_tiling
from tensorfill.methods.task import Asked
from tensorfill.tiles.answer import TileAnswer
from tensorfill.tiles.checkpoint import Checkpoint
from tensorfill.tiles.run import Workers
from tensorfill.tiles.tensors import InMemory, survey
from tensorfill.tiles.tiling import given_tiles
from tensorfill.tiles.workers import workers_at

SHAPE, TILE = (160, 160, 40), (54, 54, 40)
SEED = 5
_EVERY = 0.5  # seconds between two states that are kept
_NO_LONGER = 600  # seconds that a run may take
OUTPUT, KEPT, ASKED = "out.npy", "out.npy.kept", "asked.txt"


def make_clip(shape: Sequence[int]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Waves that move, with noise, and a fifth of the entries known."""
    rows, columns, frames = np.ogrid[tuple(slice(size) for size in shape)]
    clip = 0.5 + 0.3 * np.sin(rows / 7 + frames / 5) * np.cos(columns / 6) + 0.1 * np.sin(rows * columns / 300)
    rng = np.random.default_rng(0)
    return clip + 0.02 * rng.standard_normal(clip.shape), rng.random(clip.shape) < 0.2


# A run, in a process of its own


@dataclass(eq=False)
class Counting(Workers):
    """Writes down which tiles workers are asked for."""

    workers: Workers
    place: Path

    @property
    def in_flight(self) -> int:
        return self.workers.in_flight

    def submit(self, work: Callable[..., TileAnswer], *given: Any) -> Future[TileAnswer]:
        with self.place.open("a") as file:
            file.write(f"{given[0].number}\n")
        return self.workers.submit(work, *given)

    def stop(self) -> None:
        self.workers.stop()

    def close(self) -> None:
        self.workers.close()


def run_tiles(folder: Path, shape: Sequence[int], tile: Sequence[int]) -> None:
    """Complete the clip in tiles, with what is in the folder."""
    tensor = InMemory(*make_clip(shape))
    asked = Asked.of("spectral", {}, Bounds.of(None, None), "raise")
    seen = survey(tensor, asked.bounds, "raise", 0)
    output = np.lib.format.open_memmap(folder / f"{OUTPUT}.part", "w+", np.float64, tuple(shape))
    identity = run_identity("the clip", asked, SEED, tuple(tile), shape, deviations=False)
    with Checkpoint(folder / KEPT, identity) as checkpoint, workers_at("processes:2") as workers:
        tiling = settled_tiling(checkpoint, given_tiles(shape, tile))
        counting = Counting(workers, folder / ASKED)
        complete_on_disk(
            tensor, asked, tiling, seen, SEED, Output(output), workers=counting, checkpoint=checkpoint
        )  # fmt: skip
        output.flush()
        (folder / f"{OUTPUT}.part").replace(folder / OUTPUT)
        checkpoint.remove()


def run_whole(folder: Path, shape: Sequence[int]) -> None:
    """Complete the clip at once, with the state that is in the folder."""
    values, known = make_clip(shape)
    with Checkpoint(folder / KEPT, {"input": "the clip"}) as checkpoint:
        with checkpoint.keep_states(_EVERY):
            done = complete(values, known, "patches", lower=None, random_state=SEED, tile=None)
        np.save(folder / f"part-{OUTPUT}", done.tensor)
        (folder / f"part-{OUTPUT}").replace(folder / OUTPUT)
        checkpoint.remove()


# Kills


@dataclass(frozen=True)
class Case:
    """What is run, and what is killed."""

    what: str
    victim: str
    shape: Sequence[int] = SHAPE
    tile: Sequence[int] | None = TILE

    def start(self, folder: Path) -> subprocess.Popen[bytes]:
        """The run, in a process of its own."""
        sizes = ["--shape", *map(str, self.shape), *(["--tile", *map(str, self.tile)] if self.tile else [])]
        return subprocess.Popen(
            [sys.executable, __file__, "--run", str(folder), *sizes],
            env={**os.environ, "TENSORFILL_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )


@dataclass
class Count:
    """What was found over all kills."""

    kills: int = 0
    """Those that met somebody alive."""
    finished: int = 0
    """Tiles that were finished, or states that were kept, when the run was killed."""
    other_bits: int = 0
    computed_again: int = 0
    left: int = 0
    """Processes that were still there."""
    half_written: int = 0
    moments: list[float] = field(default_factory=list)


def measure(case: Case, kills: int, seed: int) -> Count:
    """Kill so many times."""
    count, rng = Count(), random.Random(seed)
    with folder_of_run() as folder:
        began = time.perf_counter()
        expect_success(case.start(folder))
        seconds = time.perf_counter() - began
        truth = (folder / OUTPUT).read_bytes()
    while count.kills < kills:
        with folder_of_run() as folder:
            moment = rng.uniform(0, seconds)
            if kill_once(case, folder, moment, rng, count):
                count.moments.append(moment)
            count.other_bits += (folder / OUTPUT).read_bytes() != truth
            count.half_written += len(set(os.listdir(folder)) - {OUTPUT, ASKED})
    return count


def kill_once(case: Case, folder: Path, moment: float, rng: random.Random, count: Count) -> bool:
    """Start it, kill at that moment, and see to it that it comes to its end; whether somebody was killed."""
    process = case.start(folder)
    time.sleep(moment)
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    workers = [each for each in family[1:] if "spawn_main" in " ".join(each.cmdline())]
    if case.victim == "a worker":
        alive = bool(workers) and process.poll() is None
        if alive:
            rng.choice(workers).send_signal(signal.SIGKILL)
        expect_success(process)
    else:
        alive = process.poll() is None
        process.kill()
        process.wait()
        finished = {int(path.stem.removeprefix("tile-")) for path in (folder / KEPT).glob("tile-*.kept")}
        count.finished += len(finished) + len(list((folder / KEPT).glob("state-*.kept")))
        before = read_asked(folder)
        expect_success(case.start(folder))
        count.computed_again += len(finished & set(read_asked(folder)[len(before) :]))
    count.kills += alive
    count.left += len(psutil.wait_procs(family, timeout=10)[1])
    return alive


def read_asked(folder: Path) -> list[int]:
    """Which tiles workers were asked for, so far."""
    place = folder / ASKED
    return [int(line) for line in place.read_text().split()] if place.exists() else []


def expect_success(process: subprocess.Popen[bytes]) -> None:
    """Wait until the run is done."""
    if process.wait(_NO_LONGER) != 0:
        raise SystemExit(f"A run ended with exit code {process.returncode}.")


@contextmanager
def folder_of_run() -> Iterator[Path]:
    """A folder that is nobody else's."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


CASES = {
    "worker": Case("tiles, two processes", "a worker"),
    "run": Case("tiles, two processes", "the run"),
    "whole": Case("whole, by patches", "the run", (128, 128, 12), None),
}


def main() -> None:
    """Print the table, or be one of the runs."""
    parser = make_parser(__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", help="which of " + ", ".join(CASES))
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--shape", type=int, nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--tile", type=int, nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run is not None:
        run_tiles(given.run, given.shape, given.tile) if given.tile else run_whole(given.run, given.shape)
        return
    table = GrowingTable(
        "run", "killed", "kills", "after seconds", "finished by then", "computed again", "other bits", "processes left",
        "half written",
    )  # fmt: skip
    for name in names_from(given.cases, CASES, "case"):
        case = CASES[name]
        found = measure(case, given.kills, given.seed)
        counts = (found.finished, found.computed_again, found.other_bits, found.left, found.half_written)
        moments = f"{min(found.moments):.1f} to {max(found.moments):.1f}"
        table.add([case.what, case.victim, str(found.kills), moments, *map(str, counts)])


if __name__ == "__main__":
    main()

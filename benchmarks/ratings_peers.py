"""tensorfill and public programs that predict ratings, on the same splits: error, seconds and memory, side by side.

    python benchmarks/ratings_peers.py --data ratings.csv --coordinates userId,movieId --value rating
    python benchmarks/ratings_peers.py --made 20000x20000x200 --entries 20000000 --method auto
    python benchmarks/ratings_peers.py --made 943x1682 --peers-python elsewhere/bin/python

Of the data a tenth is held out at random; nobody sees it but this script, which clips all predictions to the range of
what is known, as anybody would with ratings. Every program runs in a process of its own, with the same threads and
the same limit. Those that are not installed, or cannot do it, are named with the reason; `--peers-python` is a Python
that has them, if they are not to be installed beside tensorfill. Settings are those of `peer_programs.py`; nothing is
tuned.

Without `--data`, ratings are made: main effects, interactions of rank 8 and noise, users and items picked with long
tails. Then the error that the truth itself has at the same entries, the noise, is printed, too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peer_programs import PROGRAMS

import tensorfill
from tensorfill.observed import ObservedTensor

_HELD_OUT = 0.1
_PEERS = Path(__file__).with_name("peer_programs.py")
_OURS = "--ours"


@dataclass(frozen=True)
class Ratings:
    """All that is known, split; `truth` is what the held-out values are without noise, if anybody knows."""

    shape: tuple[int, ...]
    known: NDArray[np.int64]
    values: NDArray[np.float64]
    wanted: NDArray[np.int64]
    held_out: NDArray[np.float64]
    truth: NDArray[np.float64] | None = None

    @classmethod
    def split(
        cls,
        shape: tuple[int, ...],
        rows: NDArray[np.int64],
        values: NDArray[np.float64],
        rng: np.random.Generator,
        truth: NDArray[np.float64] | None = None,
    ) -> Ratings:
        """A tenth is held out at random."""
        out = rng.random(len(rows)) < _HELD_OUT
        return cls(shape, rows[~out], values[~out], rows[out], values[out], None if truth is None else truth[out])

    def error(self, predictions: NDArray[np.float64]) -> float:
        """The root mean square error at held-out entries, of predictions within the range of what is known."""
        inside = np.clip(predictions, self.values.min(), self.values.max())
        return float(np.sqrt(np.mean((inside - self.held_out) ** 2)))


def make_ratings(shape: tuple[int, ...], count: int, rng: np.random.Generator) -> Ratings:
    """Ratings from 1 to 5 in halves, of users and items that come up with long tails."""
    picked = [_pick(size, int(1.3 * count), rng) for size in shape]
    positions = np.unique(np.ravel_multi_index(tuple(picked), shape))
    positions = rng.permutation(positions)[:count]
    rows = np.column_stack(np.unravel_index(positions, shape))
    truth = np.full(len(rows), 3.5)
    for mode, size in enumerate(shape):
        truth += rng.normal(0, 0.4 if mode < 2 else 0.1, size)[rows[:, mode]]
    for _ in range(8):
        part = np.full(len(rows), 0.2)
        for mode, size in enumerate(shape):
            part *= (rng.normal(size=size) if mode < 2 else rng.gamma(4, 0.25, size))[rows[:, mode]]
        truth += part
    values = (2 * (truth + rng.normal(0, 0.8, len(rows)))).round() / 2
    return Ratings.split(shape, rows, values.clip(1, 5), rng, truth)


def _pick(size: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Indices, a few of them very often: their shares are log-normal."""
    shares = rng.lognormal(0, 1.2, size)
    return rng.choice(size, count, p=shares / shares.sum())


def read_ratings(arguments: argparse.Namespace, rng: np.random.Generator) -> Ratings:
    """From a table with a line per rating."""
    named = None if arguments.coordinates is None else arguments.coordinates.split(",")
    data = tensorfill.read(
        arguments.data, format=arguments.format, table=arguments.table, coordinates=named, value=arguments.value
    )
    if not isinstance(data, tensorfill.Entries):
        raise SystemExit(f"{arguments.data} is no table with a line per rating; add --coordinates and --value.")
    return Ratings.split(data.shape, data.coordinates, data.values.astype(np.float64), rng)


def measure(name: str, ratings: Ratings, arguments: argparse.Namespace) -> dict[str, Any]:
    """What a program takes and how far off it is, from a process of its own."""
    ours = name.startswith("tensorfill ")
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "known.npz"), shape=ratings.shape, coordinates=ratings.known, values=ratings.values)
        np.save(Path(folder, "wanted.npy"), ratings.wanted)
        command = [arguments.peers_python, str(_PEERS), name, folder]
        if ours:
            command = [sys.executable, __file__, _OURS, name.split()[1], folder]
        threads = str(arguments.threads)
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TENSORFILL_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=arguments.limit, check=False
            )
        except subprocess.TimeoutExpired:
            return {"skipped": f"not done within {arguments.limit:g} s"}
        if done.returncode:
            return {"skipped": f"failed: {(done.stderr.strip().splitlines() or ['without a word'])[-1]}"}
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        if "skipped" not in told:
            told["error"] = ratings.error(np.load(Path(folder, "predictions.npy")))
        return told


def predict_with_ours(method: str, folder: Path) -> None:
    """The same measurement as in `peer_programs.py`, of a method of tensorfill."""
    from resource import RUSAGE_SELF, getrusage

    with np.load(folder / "known.npz") as file:
        shape, coordinates, values = tuple(file["shape"].tolist()), file["coordinates"], file["values"]
    wanted = np.load(folder / "wanted.npy")
    began, worked = time.perf_counter(), time.process_time()
    data = ObservedTensor.from_coordinates(coordinates, values, shape, lower=None)
    lower, upper = float(values.min()), float(values.max())
    found = tensorfill.complete(data, method=method, lower=lower, upper=upper).predict(wanted)
    told = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - worked}
    np.save(folder / "predictions.npy", found)
    print(json.dumps({**told, "memory": getrusage(RUSAGE_SELF).ru_maxrss * 1024}))


def tell(ratings: Ratings, names: list[str], arguments: argparse.Namespace) -> Iterator[str]:
    """The table, row by row, and then what is not in it."""
    sizes = " × ".join(f"{size:,}" for size in ratings.shape)
    yield f"{sizes}, {len(ratings.values):,} known, {len(ratings.held_out):,} held out, {arguments.threads} threads\n"
    yield "| program | RMSE held out | seconds | of CPU | GB |"
    yield "| --- | --- | --- | --- | --- |"
    if ratings.truth is not None:
        yield f"| the truth, without noise | {ratings.error(ratings.truth):.4f} | | | |"
    skipped = []
    for name in names:
        told = measure(name, ratings, arguments)
        if "skipped" in told:
            skipped.append(f"{name}: {told['skipped']}.")
            continue
        numbers = f"{told['error']:.4f} | {told['seconds']:.1f} | {told['cpu']:.1f} | {told['memory'] / 1e9:.1f}"
        yield f"| {name} | {numbers} |"
    yield from ("", *skipped)


def main() -> None:
    """Read or make ratings, and print the table."""
    if sys.argv[1:2] == [_OURS]:
        predict_with_ours(sys.argv[2], Path(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", help="a table with a line per rating")
    parser.add_argument("--coordinates", help="its columns of coordinates, as in userId,movieId")
    parser.add_argument("--value", help="its column of ratings")
    parser.add_argument("--format", help="its format, if its name does not tell")
    parser.add_argument("--table", help="what else there is to say about it, as for tensorfill complete")
    parser.add_argument("--made", default="943x1682", help="sizes of the tensor that is made without --data")
    parser.add_argument("--entries", type=int, default=100_000, help="how many ratings are made")
    parser.add_argument("--method", action="append", help="a method of tensorfill; may be repeated (auto)")
    parser.add_argument("--peer", action="append", choices=PROGRAMS, help="only these programs; may be repeated")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python that has the other programs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    shape = tuple(map(int, arguments.made.split("x")))
    ratings = read_ratings(arguments, rng) if arguments.data else make_ratings(shape, arguments.entries, rng)
    names = [*(arguments.peer or PROGRAMS), *(f"tensorfill {method}" for method in arguments.method or ["auto"])]
    for line in tell(ratings, names, arguments):
        print(line, flush=True)


if __name__ == "__main__":
    main()

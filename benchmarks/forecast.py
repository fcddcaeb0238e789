"""What methods need per entry of a tensor, which forecasts are made from: the `costs` in src/tensorfill/methods/.

    python benchmarks/forecast.py [--methods spectral,t-ctv] [--size 1e6]

A picture in colour and a clip of about this many entries, made of smooth random fields with edges, once with half of
the entries hidden one by one and once with 30 % hidden in blocks. Bytes are the peak on top of the input, completed
tensor included; each run is a process of its own, which has compiled everything before it is timed. The last columns
are what the forecasts say, with what every process needs in any case.
"""

from __future__ import annotations

import json
import time
from argparse import SUPPRESS

import numpy as np
from harness import make_parser, run_apart, show
from numpy.typing import NDArray

from tensorfill import complete, sampling
from tensorfill.bench.peak_memory import PeakMemory
from tensorfill.method import UNMEASURED
from tensorfill.methods.forecast import forecast
from tensorfill.methods.registry import available_methods

HOLES = {"scattered": ("uniform", 0.5), "shaped": ("blocks", 0.7)}


def field(shape: tuple[int, ...], seed: int = 0) -> NDArray[np.uint8]:
    """Something like a photo or a clip: power that falls with frequency, and edges."""
    rng = np.random.default_rng(seed)
    frequencies = np.meshgrid(*(np.fft.fftfreq(size) * size for size in shape), indexing="ij")
    strength = 1.0 / (1.0 + np.sqrt(sum(f**2 for f in frequencies))) ** 1.6
    smooth = np.real(np.fft.ifftn(np.fft.fftn(rng.standard_normal(shape)) * strength))
    smooth = smooth / smooth.std() + (smooth > 0)
    scaled = (smooth - smooth.min()) / (smooth.max() - smooth.min())
    return np.asarray(np.rint(255 * scaled), dtype=np.uint8)


def shapes(size: float) -> dict[str, tuple[int, ...]]:
    """A picture and a clip of about this many entries."""
    side = round((size / 3) ** 0.5)
    length = round((size * 4) ** (1 / 3))
    return {"picture": (side, side, 3), "clip": (length, length, round(length / 4))}


def measured(method: str, shape: tuple[int, ...], holes: str) -> dict[str, float]:
    """Seconds and bytes per entry of one completion, in this process."""
    pattern, keep = HOLES[holes]
    data = field(shape)
    corner = tuple(slice(0, min(24, size)) for size in shape)
    complete(data[corner], sampling.mask("pixels", data[corner].shape, 0.5, 0), method=method)
    known = sampling.mask(pattern, shape, keep, 0)
    peak = PeakMemory()
    start = time.perf_counter()
    done = complete(data, known, method=method)
    seconds = time.perf_counter() - start
    assert done.tensor.shape == shape
    return {"bytes": (peak.bytes() or 0) / data.size, "microseconds": 1e6 * seconds / data.size}


def with_figures() -> list[str]:
    """The methods that say what they cost."""
    return [name for name, kind in available_methods().items() if kind.costs[False] not in UNMEASURED]


def main() -> None:
    """Measure and print."""
    parser = make_parser(__doc__)
    parser.add_argument("--methods", default=",".join(("auto", *with_figures())))
    parser.add_argument("--size", type=float, default=1e6)
    parser.add_argument("--one", nargs=3, help=SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        method, kind, holes = arguments.one
        print(json.dumps(measured(method, shapes(arguments.size)[kind], holes)))
        return
    rows = (
        measure_apart(method, kind, shape, holes, arguments.size)
        for method in arguments.methods.split(",")
        for kind, shape in shapes(arguments.size).items()
        for holes in HOLES
    )
    head = ("method", "data", "holes", "bytes", "µs", "bytes forecast", "µs forecast")
    show(head, rows, list, words=(0, 1, 2))


def measure_apart(method: str, kind: str, shape: tuple[int, ...], holes: str, size: float) -> list[str]:
    """A row of the table."""
    found = run_apart("--size", str(size), "--one", method, kind, holes)
    said = forecast(shape, method, structured=holes == "shaped", missing=1 - HOLES[holes][1])
    entries = float(np.prod(shape))
    numbers = (found["bytes"], found["microseconds"], said.bytes / entries, 1e6 * said.seconds / entries)
    return [method, kind, holes, *(f"{number:.0f}" if number >= 10 else f"{number:.1f}" for number in numbers)]


if __name__ == "__main__":
    main()

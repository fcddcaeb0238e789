"""Large files through the command, no option about size given: time, memory and error.

    python benchmarks/large_files.py --data DIR --folder DIR [--rows scratched,tenth,zarr] [--frames 300] [--side 1024]

scratched   a colour clip of 480p, ten seconds: 5 % of the frames lost, the others scratched
tenth       the same with 10 % of its entries known
zarr        a gray clip of SIDE × SIDE × 954, 10⁹ entries by default, 10 % known, in a .zarr

Clips are made of real ones in DIR: enlarged by splines, side by side, with a camera that pans, back and forth in time;
colours are those of a photograph, blurred. They and the results, some GB, go to the other folder. Seconds are those of
the whole command; memory is the most that its process had (Linux). RMSE is over what was missing, on a scale of 0 to 1.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from harness import GrowingTable, make_parser, names_from
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, zoom

from tensorfill.formats import Contents, write
from tensorfill.formats.contents import Metadata, Reading
from tensorfill.formats.data_file import DataFile
from tensorfill.formats.scratch import scratch_in

Bytes = NDArray[np.uint8]
ROWS, COLUMNS = 480, 854
CLIPS = ("hall_qcif.npz", "akiyo_qcif_h264.npz")
TINT = "splash_512.png"
_BLUR = 25.0  # pixels
COMMAND = """
import sys
from tensorfill.cli import app
try:
    app(sys.argv[1:], standalone_mode=False)
finally:
    print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""
"""The command, and then how many kB its process had at most: what counts children begins with what their parent had."""


def pan(folder: Path, rows: int, columns: int, frames: int) -> Iterator[NDArray[np.float32]]:
    """Frame after frame of what a camera sees that goes over enlarged clips, in [0, 255]."""
    clips = [np.load(folder / name)["data"] for name in CLIPS]
    length = clips[0].shape[2]
    for number in range(frames):
        at = number % (2 * length)
        at = at if at < length else 2 * length - 1 - at  # back again
        small = np.concatenate([clip[:, :, at] for clip in clips], axis=1).astype(np.float32)
        times = max(rows / small.shape[0], 1.2 * columns / small.shape[1])
        large = zoom(small, times, order=3)
        room = [large.shape[0] - rows, large.shape[1] - columns]
        sway = 0.5 + 0.5 * np.sin(2 * np.pi * number / 200)
        top, left = (int(sway * each) for each in room)
        yield np.clip(large[top : top + rows, left : left + columns], 0, 255)


def make_colour_clip(folder: Path, frames: int) -> Bytes:
    """A clip of 480p, rows × columns × frames × channels."""
    tint = np.asarray(Image.open(folder / TINT).resize((COLUMNS, ROWS)), np.float32)
    tint = gaussian_filter(tint, (_BLUR, _BLUR, 0))
    tint /= tint.max(axis=2, keepdims=True)
    clip = np.empty((ROWS, COLUMNS, frames, 3), np.uint8)
    for number, frame in enumerate(pan(folder, ROWS, COLUMNS, frames)):
        clip[:, :, number] = np.rint(frame[..., None] * tint)
    return clip


def scratch(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.bool_]:
    """What is missing of rows × columns × frames: lost frames, and thin lines that wander from frame to frame."""
    rows, columns, frames = shape
    missing = np.zeros(shape, bool)
    missing[:, :, rng.choice(frames, frames // 20, replace=False)] = True
    for number in range(frames):
        for _ in range(3):
            at = rng.integers(5, columns - 5)
            drift = np.cumsum(rng.normal(0, 0.3, rows)).astype(int)
            for width in range(rng.integers(1, 4)):
                missing[np.arange(rows), np.clip(at + drift + width, 0, columns - 1), number] = True
    return missing


@dataclass(frozen=True)
class Took:
    """What one run of the command took."""

    seconds: float
    cpu_seconds: float
    """Of all its threads and processes: where other work shares the machine, it tells more."""
    gigabytes: float
    """That its process had at most."""


def complete(source: Path, output: Path, *options: str) -> Took:
    """Run the command, and measure it."""
    before, cpu_before = time.monotonic(), _cpu_seconds()
    arguments = ["complete", str(source), "-o", str(output), "--force", *options]
    ran = subprocess.run([sys.executable, "-c", COMMAND, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    print(ran.stdout, file=sys.stderr)
    gigabytes = int(ran.stdout.split()[-1]) / 1e6
    return Took(time.monotonic() - before, _cpu_seconds() - cpu_before, gigabytes)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compare(output: Path, truth: NDArray[np.uint8], known: NDArray[np.bool_], folder: Path) -> float:
    """RMSE over what was missing, frame by frame."""
    squares = count = 0.0
    with scratch_in(folder) as place:
        found = DataFile.of(output).read(Reading(), place)
        assert isinstance(found, Contents)
        for number in range(truth.shape[2]):
            frame = (slice(None), slice(None), slice(number, number + 1))
            region = (*frame, *[slice(None)] * (truth.ndim - 3))
            unknown = ~known[frame][..., None] if known.ndim < truth.ndim else ~known[region]
            missing = np.broadcast_to(unknown, truth[region].shape)
            difference = found.part(_full(region, truth.shape))[0].astype(np.float32) - truth[region]
            squares += float(np.sum(difference[missing] ** 2, dtype=np.float64))
            count += int(missing.sum())
    return float(np.sqrt(squares / count) / 255)


def _full(region: tuple[slice, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(*part.indices(size)) for part, size in zip(region, shape, strict=True))


def run_clip(data: Path, folder: Path, frames: int, *, scratched: bool) -> tuple[str, Took, float]:
    """A colour clip with holes, from .mkv to .mkv."""
    truth = make_colour_clip(data, frames)
    rng = np.random.default_rng(0)
    if scratched:
        known = ~scratch(truth.shape[:3], rng)
        write(folder / "mask.mkv", Contents((~known).astype(np.uint8) * 255, metadata=Metadata(kind="video")))
        options = ["--mask", str(folder / "mask.mkv"), "--mask-means", "missing"]
    else:
        known = rng.random(truth.shape, dtype=np.float32) < 0.1
        np.save(folder / "known.npy", known)
        options = ["--observed", str(folder / "known.npy")]
    given = np.where(known[..., None] if known.ndim == 3 else known, truth, np.uint8(0))
    write(folder / "clip.mkv", Contents(given, metadata=Metadata(kind="video")))
    del given
    took = complete(folder / "clip.mkv", folder / "out.mkv", *options)
    size = " × ".join(map(str, truth.shape))
    return size, took, compare(folder / "out.mkv", truth, known, folder)


def run_zarr(data: Path, folder: Path, side: int, frames: int) -> tuple[str, Took, float]:
    """A gray clip with a tenth of its entries known, from .zarr to .zarr."""
    import zarr

    shape = (side, side, frames)
    rng = np.random.default_rng(0)
    truth = np.lib.format.open_memmap(folder / "truth.npy", "w+", np.uint8, shape)
    known = np.lib.format.open_memmap(folder / "known.npy", "w+", np.bool_, shape)
    store = zarr.create_array(
        store=folder / "holes.zarr", shape=shape, chunks=(256, 256, 32), dtype="u1", overwrite=True
    )
    step = 32
    camera = pan(data, side, side, frames)
    for start in range(0, frames, step):
        part = np.stack([frame for _, frame in zip(range(min(step, frames - start)), camera, strict=False)], axis=2)
        here = (slice(None), slice(None), slice(start, start + part.shape[2]))
        truth[here] = np.rint(part)
        known[here] = rng.random(part.shape, dtype=np.float32) < 0.1
        store[here] = np.where(known[here], truth[here], 0)
    options = ["--observed", str(folder / "known.npy")]
    took = complete(folder / "holes.zarr", folder / "out.zarr", *options)
    return " × ".join(map(str, shape)), took, compare(folder / "out.zarr", truth, known, folder)


def main() -> None:
    """Run what is asked for and print it."""
    parser = make_parser(__doc__, data="required")
    parser.add_argument("--folder", type=Path, required=True, help="for clips and results")
    parser.add_argument("--rows", help="comma-separated: scratched,tenth,zarr")
    parser.add_argument("--frames", type=int, default=300, help="of the colour clip")
    parser.add_argument("--side", type=int, default=1024, help="of the .zarr")
    parser.add_argument("--length", type=int, default=954, help="frames of the .zarr")
    chosen = parser.parse_args()
    rows = ("scratched", "tenth", "zarr")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    table = GrowingTable("data", "shape", "minutes", "CPU minutes", "CPU µs an entry", "GB", "RMSE of the missing")
    for row in names_from(chosen.rows, rows, "rows", rows):
        if row == "zarr":
            found = run_zarr(chosen.data, chosen.folder, chosen.side, chosen.length)
        else:
            found = run_clip(chosen.data, chosen.folder, chosen.frames, scratched=row == "scratched")
        size, took, error = found
        each = 1e6 * took.cpu_seconds / np.prod([int(part) for part in size.split(" × ")])
        minutes = (f"{seconds / 60:.1f}" for seconds in (took.seconds, took.cpu_seconds))
        table.add([row, size, *minutes, f"{each:.2f}", f"{took.gigabytes:.2f}", f"{error:.4f}"])


if __name__ == "__main__":
    main()

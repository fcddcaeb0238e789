"""Tiles against the whole: time, error, what shows at borders, memory; and how cost grows with size.

    python benchmarks/tiles.py --data DIR --folder DIR [--rows whole,growth,photo] [--method auto] [--pictures]

whole    a gray clip of 640 × 480 × 120, 10 % known, completed whole and in tiles
growth   the same clip, ever larger parts of it: seconds and bytes for each entry, as it is completed without an option
photo    a photo of 12 megapixels in colour, scratched and with 10 % known: memory and time, told before and measured

The clip is made of real ones in DIR, as in large_files.py; the photo of real ones, enlarged, with grain. Each
completion is a process of its own, which has compiled everything before; CPU seconds tell more where other work
shares the machine. Memory is the most that it had, input and libraries included. Errors are RMSE over what was
missing, on a scale of 0 to 1; "borders" is what is within four entries of where cores of tiles meet. With --pictures
the differences of a frame go to the other folder, five times as bright.
"""

from __future__ import annotations

import json
import time
from argparse import SUPPRESS
from pathlib import Path
from typing import Any

import numpy as np
from harness import GrowingTable, make_parser, names_from, run_apart, save_results
from large_files import pan
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

from tensorfill import complete
from tensorfill.bounds import Bounds
from tensorfill.large.planning import forecast_tiles, plan, plan_wished
from tensorfill.methods.forecast import forecast
from tensorfill.methods.task import Asked
from tensorfill.tiles.tiling import Tiling

CLIP = (480, 640, 120)
TILE = (240, 320, 120)
PARTS = ((120, 160, 50), (160, 240, 100), (240, 320, 120), (480, 320, 120), (480, 640, 120))
PHOTO = (3000, 4000, 3)
NEAR = 4  # entries from where cores meet
BRIGHTER = 5.0


def make_clip(data: Path, folder: Path) -> None:
    """The gray clip and what is known of it."""
    rows, columns, frames = CLIP
    clip = np.stack([np.rint(frame).astype(np.uint8) for frame in pan(data, rows, columns, frames)], axis=2)
    np.save(folder / "clip.npy", clip)
    np.save(folder / "clip-known.npy", np.random.default_rng(0).random(CLIP, dtype=np.float32) < 0.1)


def make_photo(data: Path, folder: Path) -> None:
    """A large photo: one that is enlarged has nothing small, so four are put together, with some grain."""
    rng = np.random.default_rng(0)
    rows, columns, _ = PHOTO
    half = (columns // 2, rows // 2)
    names = ("splash_512.png", "airplane_f16_512.png", "baboon_256.png", "splash_512.png")
    small = [
        np.asarray(Image.open(data / name).convert("RGB").resize(half, Image.Resampling.BICUBIC)) for name in names
    ]
    photo = np.concatenate([np.concatenate(small[:2], axis=1), np.concatenate(small[2:][::-1], axis=1)], axis=0)
    grain = gaussian_filter(rng.normal(0, 6, PHOTO), (0.7, 0.7, 0))
    np.save(folder / "photo.npy", np.clip(photo + grain, 0, 255).astype(np.uint8))
    scratched = np.ones(PHOTO[:2], bool)
    for _ in range(60):
        row, column = rng.uniform(0, rows), rng.uniform(0, columns)
        turn, length = rng.uniform(0, np.pi), rng.uniform(200, 2000)
        steps = np.arange(length)
        across, down = column + steps * np.cos(turn), row + steps * np.sin(turn)
        for width in range(rng.integers(2, 8)):
            at_row, at_column = (down + width).astype(int), across.astype(int)
            inside = (at_row >= 0) & (at_row < rows) & (at_column >= 0) & (at_column < columns)
            scratched[at_row[inside], at_column[inside]] = False
    np.save(folder / "photo-scratched.npy", np.broadcast_to(scratched[:, :, None], PHOTO))
    np.save(folder / "photo-tenth.npy", rng.random(PHOTO, dtype=np.float32) < 0.1)


def run(given: dict[str, Any]) -> dict[str, Any]:
    """One completion in this process; what it took, and its model in a file."""
    data, known = np.load(given["data"], mmap_mode="r"), np.load(given["known"], mmap_mode="r")
    corner = tuple(slice(0, min(40, size)) for size in data.shape)
    tile, method = given["tile"], given["method"]
    complete(np.array(data[corner]), np.array(known[corner]), method=method)
    part = tuple(slice(0, size) for size in given["part"])
    values, mask = np.array(data[part]), np.array(known[part])
    start, cpu_start = time.perf_counter(), time.process_time()
    done = complete(values, mask, method=method, tile=tile, lower=0, upper=255)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    if given["output"]:
        np.save(given["output"], done.tensor)
    errors = (done.tensor[~mask].astype(np.float32) - values[~mask]) / 255
    return {
        "seconds": seconds,
        "cpu": cpu_seconds,
        "peak": _peak_bytes(),
        "error": float(np.sqrt(np.mean(errors**2, dtype=np.float64))),
        "tiles": done.reasons.get("tiles", "none"),
        "reasons": dict(done.reasons),
        "notes": list(done.notes),
    }


def _peak_bytes() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return 1024.0 * next(float(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def run_part(
    folder: Path, data: str, known: str, part: tuple[int, ...], method: str, tile: object, output: str | None = None
) -> dict[str, Any]:
    """`run` in a process of its own."""
    given = {
        "data": str(folder / f"{data}.npy"),
        "known": str(folder / f"{known}.npy"),
        "part": list(part),
        "method": method,
        "tile": tile,
        "output": output and str(folder / f"{output}.npy"),
    }
    found: dict[str, Any] = run_apart("--run", json.dumps(given))
    return found


def is_near(tiling: Tiling, near: int = NEAR) -> NDArray[np.bool_]:
    """Which entries are this near to where cores meet."""
    found = np.zeros(tiling.shape, bool)
    for mode, edges in enumerate(tiling.edges):
        for edge in edges[1:-1]:
            region = [slice(None)] * len(tiling.shape)
            region[mode] = slice(max(0, edge - near), edge + near)
            found[tuple(region)] = True
    return found


def compare_with_whole(folder: Path, method: str, *, pictures: bool) -> list[dict[str, Any]]:
    """The clip whole and in tiles."""
    table = GrowingTable(
        "completed",
        "seconds",
        "times the whole",
        "CPU s",
        "times the whole",
        "GB",
        "RMSE",
        "borders",
        "rest",
        "borders / rest",
    )
    truth, known = np.load(folder / "clip.npy"), np.load(folder / "clip-known.npy")
    tiling = plan_wished(CLIP, TILE)
    near = is_near(tiling)
    found = []
    for name, tile in (("whole", None), ("in tiles", list(TILE))):
        row = run_part(folder, "clip", "clip-known", CLIP, method, tile, f"clip-{name.replace(' ', '-')}")
        answer = np.load(folder / f"clip-{name.replace(' ', '-')}.npy")
        squares = ((answer.astype(np.float32) - truth) / 255) ** 2
        row["borders"] = float(np.sqrt(squares[near & ~known].mean(dtype=np.float64)))
        row["rest"] = float(np.sqrt(squares[~near & ~known].mean(dtype=np.float64)))
        found.append(row)
        table.add(
            [
                name,
                f"{row['seconds']:.0f}",
                f"{row['seconds'] / found[0]['seconds']:.2f}",
                f"{row['cpu']:.0f}",
                f"{row['cpu'] / found[0]['cpu']:.2f}",
                f"{row['peak'] / 1e9:.2f}",
                f"{row['error']:.5f}",
                f"{row['borders']:.5f}",
                f"{row['rest']:.5f}",
                f"{row['borders'] / row['rest']:.3f}",
            ]
        )
        if pictures:
            difference = np.sqrt(squares[:, :, CLIP[2] // 2]) * 255 * BRIGHTER
            Image.fromarray(np.clip(difference, 0, 255).astype(np.uint8)).save(folder / f"difference-{name}.png")
        print(json.dumps({name: row["reasons"], "notes": row["notes"]}), flush=True)
    return found


def measure_growth(folder: Path, method: str) -> list[dict[str, Any]]:
    """Ever larger parts, with no option."""
    table = GrowingTable("shape", "entries", "seconds", "CPU s", "CPU µs an entry", "GB", "bytes an entry", "RMSE")
    found = []
    for part in PARTS:
        row = run_part(folder, "clip", "clip-known", part, method, "auto")
        size = int(np.prod(part))
        found.append({**row, "shape": part})
        table.add(
            [
                " × ".join(map(str, part)),
                f"{size:.1e}",
                f"{row['seconds']:.1f}",
                f"{row['cpu']:.1f}",
                f"{1e6 * row['cpu'] / size:.2f}",
                f"{row['peak'] / 1e9:.2f}",
                f"{row['peak'] / size:.0f}",
                f"{row['error']:.4f}",
            ]
        )
    return found


def check_forecast(folder: Path, method: str) -> list[dict[str, Any]]:
    """What is told of a photo before, and what is true."""
    table = GrowingTable("holes", "told", "GB", "told / true", "told", "minutes", "tiles", "RMSE")
    found = []
    for holes, structured in (("scratched", True), ("tenth", False)):
        share = float(np.load(folder / f"photo-{holes}.npy").mean())
        asked = Asked.of(method, {}, Bounds.of(0, 255), "raise")
        tiling = plan(PHOTO, asked, share, "auto")
        if tiling is None:
            whole = forecast(PHOTO, method, structured=structured, missing=1 - share)
            told = {"bytes": whole.bytes, "seconds": whole.seconds}
        else:
            parts = forecast_tiles(tiling, asked, share, structured=structured)
            told = {"bytes": parts.bytes, "seconds": parts.seconds}
        row = run_part(folder, "photo", f"photo-{holes}", PHOTO, method, "auto")
        found.append({**row, "holes": holes, "told": told})
        table.add(
            [
                holes,
                f"{told['bytes'] / 1e9:.2f}",
                f"{row['peak'] / 1e9:.2f}",
                f"{told['bytes'] / row['peak']:.2f}",
                f"{told['seconds'] / 60:.1f}",
                f"{row['seconds'] / 60:.1f}",
                row["tiles"][:40],
                f"{row['error']:.4f}",
            ]
        )
    return found


def main() -> None:
    """Run what is asked for and print it."""
    parser = make_parser(__doc__, data="optional")
    parser.add_argument("--folder", type=Path, help="for data made, and results")
    parser.add_argument("--rows", help="comma-separated: whole,growth,photo")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--pictures", action="store_true", help="of differences")
    parser.add_argument("--run", help=SUPPRESS)
    chosen = parser.parse_args()
    if chosen.run:
        print(json.dumps(run(json.loads(chosen.run))))
        return
    if chosen.data is None or chosen.folder is None:
        parser.error("--data and --folder are needed")
    folder: Path = chosen.folder
    folder.mkdir(parents=True, exist_ok=True)
    rows = names_from(chosen.rows, ("whole", "growth", "photo"), "rows")
    results: dict[str, Any] = {}
    if {"whole", "growth"} & set(rows):
        make_clip(chosen.data, folder)
    if "photo" in rows:
        make_photo(chosen.data, folder)
    if "whole" in rows:
        results["whole"] = compare_with_whole(folder, chosen.method, pictures=chosen.pictures)
    if "growth" in rows:
        results["growth"] = measure_growth(folder, chosen.method)
    if "photo" in rows:
        results["photo"] = check_forecast(folder, chosen.method)
    save_results("tiles", results)


if __name__ == "__main__":
    main()

"""Damage a real file of every kind, complete it from the command line, and check what comes out.

python benchmarks/real_files.py [--data DIR] [--only NAME,NAME] [--keep-files DIR] [--write]

The pictures, scans and counts come with libraries that the tests need anyway; docs/how-to/files.md names them. Clips
are a slow pan and zoom over a photo, the cube is mixed from a photo's colours. With --data, clips, cube and counts are
real ones from there instead. --write makes the pictures of docs/how-to/files.md, never from --data.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import DOCS, GrowingTable, make_parser
from real_file_cases import clips, cubes, pictures, tables
from real_file_cases.case import HOLE, Case, gray_rgb
from real_file_cases.command import tensorfill
from real_file_cases.material import Data, Material, from_folder, shipped

from tensorfill import formats, metrics
from tensorfill.cli.preview import side_by_side

PICTURES = DOCS / "pictures"
DAMAGES: tuple[Callable[[Material, Path], Case], ...] = (
    pictures.tiff_with_dead_pixels,
    pictures.png_with_erased_text,
    pictures.png_with_coloured_text,
    clips.gray_mp4,
    clips.colour_mp4,
    cubes.envi_with_dead_bands,
    cubes.matlab_73,
    cubes.nifti_volume,
    tables.csv_of_counts,
    clips.gif_clip,
    clips.folder_of_frames,
    clips.y4m_clip,
    clips.raw_yuv,
    cubes.zarr_cube,
    tables.parquet_table,
    tables.tns_table,
)


def cases(material: Material, folder: Path) -> list[Callable[[], Case]]:
    """Every kind of file, each made when it is called."""
    return [lambda make=make: make(material, folder) for make in DAMAGES]  # type: ignore[misc]


def arranged(found: Any, material: Material, shape: tuple[int, ...]) -> Data:
    """A completed table as an array, in the order of the truth's labels, whatever order the table has."""
    if isinstance(found, formats.Contents):
        return found.data
    data: Data = found.contents().data
    for mode, told in enumerate(found.labels):
        if told is not None and data.shape == material.counts.shape == shape:
            own = material.labels[mode]
            data = np.take(data, [list(told).index(label) for label in own], axis=mode)
    return data


def examined(case: Case, material: Material, folder: Path) -> tuple[list[str], Data | None]:
    """Complete, check, and return the line of the table and what was found."""
    ran = tensorfill(folder, "complete", *case.command, "-o", case.output.name, "--json")
    took = [f"{ran.seconds:.1f} s", f"{ran.megabytes:.0f} MB"]
    missing = f"{1 - case.known.mean():.1%}"
    if ran.code:
        return [case.damage, "×".join(map(str, case.truth.shape)), missing, "–", "–", *took, ran.errors.strip()], None
    found = formats.read(case.output, **case.reading)
    data = arranged(found, material, case.truth.shape)
    given = case.truth if case.given is None else case.given
    checks = {
        "shape": data.shape == case.truth.shape,
        "dtype": data.dtype == given.dtype,
    }
    if checks["shape"]:
        checks["known kept"] = bool(np.array_equal(data[case.known], given[case.known]))
        checks |= case.check(found)
    error = metrics.score(case.truth, data, case.known) if checks["shape"] else None
    failed = [name for name, good in checks.items() if not good]
    told = "all of " + ", ".join(checks) if not failed else "NOT " + ", ".join(failed)
    errors = ["–", "–"] if error is None else [f"{error.rmse_unobserved:.4f}", f"{error.psnr:.1f} dB"]
    how = json.loads(ran.output[ran.output.index("{") :])["stop"]["sentence"]
    return [case.damage, "×".join(map(str, case.truth.shape)), missing, *errors, *took, told, how], data


def draw(case: Case, data: Data) -> None:
    """Before, after and truth next to each other, for the documentation."""
    assert case.view is not None
    given = case.truth if case.given is None else case.given
    holes = case.view(np.where(case.known, 255, 0).astype(np.uint8) if given.dtype == np.uint8 else _white(case))
    before = gray_rgb(case.view(given)).copy()
    before[gray_rgb(holes).min(axis=2) == 0] = HOLE
    after, truth = gray_rgb(case.view(data)), gray_rgb(case.view(case.truth))
    sheet = side_by_side({"before: missing is magenta": before, "after": after, "truth": truth})
    target = PICTURES / f"files-{case.name}.png"
    formats.write(target, formats.Contents(sheet))
    print(f"   {target.name}: {sheet.shape[1]} × {sheet.shape[0]}, {target.stat().st_size / 1000:.0f} kB")


def _white(case: Case) -> Data:
    """An array that is shown white where the data is known, and black where it is not."""
    white: Data = np.where(case.known, case.truth.max(), case.truth.min())
    return white


def main() -> None:
    """Every case, one line each."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, help="a folder with real clips, cubes and counts")
    parser.add_argument("--only", default="", help="some of the cases, by name")
    parser.add_argument("--keep-files", type=Path, help="leave the files in this folder")
    parser.add_argument("--write", action="store_true", help="make the pictures of docs/how-to/files.md")
    asked = parser.parse_args()
    if asked.write and asked.data:
        parser.error("--write makes pictures of what ships with libraries only; leave out --data")
    material = shipped() if asked.data is None else from_folder(asked.data.resolve(), shipped())
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep_files.resolve() if asked.keep_files else Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        table = GrowingTable("file", "shape", "missing", "RMSE at missing", "PSNR", "time", "memory", "kept")
        failures = 0
        for make in cases(material, folder):
            case = make()
            if asked.only and case.name not in asked.only.split(","):
                continue
            line, data = examined(case, material, folder)
            table.add(line)
            failures += data is None or "NOT " in line[7]
            if asked.write and case.view is not None and data is not None:
                draw(case, data)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

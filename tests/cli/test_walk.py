"""The walk of `tensorfill complete photo.png -o out.png`: each thing is decided, read and worked out once."""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from PIL import Image
from stand_in import Run

from tensorfill import memory

ONCE = (
    "DataFile.of out.png",
    "DataFile.of photo.png",
    "locate out.png",
    "locate photo.png",
    "check_source",
    "Png.decode",
    "open_picture",
    "_Chunks.size",
    "check_room",
    "Contents.missingness",
    "Contents.observed_tensor",
    "is_structured",
    "forecast",
    "available_memory",
    "ObservedTensor.from_array",
    "_check_shape",
    "Shift.of",
    "Shift.apply",
    "Unit.of",
    "Completion.tensor",
    "Contents.fill",
    "fit_alpha",
    "Job.read",
    "report_on",
)
"""What a named method's walk does once; a name with a file is that of the file it is asked of."""
UNASKED = ("check_tolerance", "check_growth", "grow_holes", "read_exif", "nothing_missing", "always_the_same")
"""What is not entered where nothing is to be done."""


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A picture with transparent pixels."""
    pixels = np.random.default_rng(0).integers(1, 255, (24, 20, 4), dtype=np.uint8)
    pixels[..., 3] = np.where(pixels[..., 0] < 80, 0, 255)
    Image.fromarray(pixels).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


def test_nothing_is_worked_out_twice(tensorfill: Run, photo: Path) -> None:
    root = Path(import_module("tensorfill").__file__ or "").parent
    calls: Counter[str] = Counter()
    begun: set[FrameType] = set()

    def look(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(root) and frame not in begun:
            if frame.f_code.co_flags & CO_GENERATOR:  # that it goes on is an event, too
                begun.add(frame)
            name = frame.f_code.co_qualname
            given = frame.f_locals.get("path") if name in ("DataFile.of", "locate") else None
            calls[f"{name} {given.name}" if isinstance(given, Path) else name] += 1

    out, report = photo.with_name("out.png"), photo.with_name("run.json")
    sys.setprofile(look)
    try:
        outcome = tensorfill("complete", photo, "-o", out, "--report", report, "--method", "linear", "--json")
    finally:
        sys.setprofile(None)
    assert outcome.code == 0, outcome
    assert {name: calls[name] for name in ONCE} == dict.fromkeys(ONCE, 1)
    assert {name: calls[name] for name in UNASKED} == dict.fromkeys(UNASKED, 0)


def test_memory_is_measured_once(tensorfill: Run, photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    machine = memory.psutil.virtual_memory()
    monkeypatch.setattr(memory.psutil, "virtual_memory", lambda: (asked.append("machine"), machine)[1])
    memory.physical_memory.cache_clear()
    assert tensorfill("complete", photo, "-o", photo.with_name("out.png"), "--method", "linear").code == 0
    assert len(asked) == 2, "what is free, and what there is in all"


def test_it_is_at_most_25_files_outside_of_the_solvers(
    photo: Path, monkeypatch: pytest.MonkeyPatch, tensorfill: Run
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    walk = import_module("walk")
    arguments = ("complete", photo, "-o", photo.with_name("out.png"), "--method", "linear", "--force")
    tensorfill(*arguments)
    walked = walk.walk(lambda: tensorfill(*arguments))
    assert [file for file in walked if walk.kind_of(file) not in walk.SOLVERS][25:] == []

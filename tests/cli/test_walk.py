"""The walk of `tensorfill complete photo.png -o out.png`: each thing is decided, read and worked out once."""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from PIL import Image
from stand_in import Run

ONCE = (
    "format_of out.png",
    "format_of photo.png",
    "Contents.missingness",
    "Contents.observed_tensor",
    "is_structured",
    "forecast",
    "ObservedTensor.from_array",
    "Completion.tensor",
    "Job.read",
    "report_on",
)


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

    def look(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(root):
            name = frame.f_code.co_qualname
            given = frame.f_locals.get("path") if name == "format_of" else None
            calls[f"{name} {given.name}" if isinstance(given, Path) else name] += 1

    out, report = photo.with_name("out.png"), photo.with_name("run.json")
    sys.setprofile(look)
    try:
        outcome = tensorfill("complete", photo, "-o", out, "--report", report, "--method", "linear", "--json")
    finally:
        sys.setprofile(None)
    assert outcome.code == 0, outcome
    assert {name: calls[name] for name in ONCE} == dict.fromkeys(ONCE, 1)


def test_the_command_itself_is_a_few_files(photo: Path, monkeypatch: pytest.MonkeyPatch, tensorfill: Run) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    walk = import_module("walk")
    arguments = ("complete", photo, "-o", photo.with_name("out.png"), "--method", "linear", "--force")
    tensorfill(*arguments)
    kinds = Counter(walk.kind_of(file) for file in walk.walk(lambda: tensorfill(*arguments)))
    assert kinds["the command"] + kinds["formats"] <= 25

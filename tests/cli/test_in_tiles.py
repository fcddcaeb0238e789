"""`tensorfill complete` in tiles: the file that the library would make, by pieces; kept and resumed; by workers."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from stand_in import Run

import tensorfill as library
from tensorfill.cli import in_tiles, job
from tensorfill.cli.solving import TileWishes, parse_tile
from tensorfill.errors import InvalidSetting
from tensorfill.formats import read_contents
from tensorfill.formats.scratch import scratch_in

ROWS, COLUMNS, FRAMES = np.ogrid[:40, :36, :12]
CLIP = (0.5 + 0.3 * np.sin(ROWS / 6 + FRAMES / 5) * np.cos(COLUMNS / 5)).astype(np.float32)
KNOWN = np.random.default_rng(1).random(CLIP.shape) < 0.4
TILED = ("--method", "spectral", "--tile", "24,20,12")


@pytest.fixture
def holes(tmp_path: Path) -> Path:
    """A clip of which less than half is known."""
    np.save(tmp_path / "holes.npy", np.where(KNOWN, CLIP, np.nan))
    return tmp_path / "holes.npy"


def test_the_output_is_that_of_the_library(tensorfill: Run, holes: Path, tmp_path: Path) -> None:
    found = tensorfill("complete", holes, "-o", tmp_path / "done.npy", *TILED)
    assert found.code == 0
    assert "Done: 4 tiles" in found.out
    expected = library.complete(np.load(holes), method="spectral", tile=(24, 20, 12))
    assert np.array_equal(np.load(tmp_path / "done.npy"), expected.tensor)


def test_large_arrays_go_by_way_of_the_disk(
    tensorfill: Run, holes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tensorfill("complete", holes, "-o", tmp_path / "before.npy", *TILED)
    monkeypatch.setattr(job, "scratch_in", partial(scratch_in, large=1000))
    found = tensorfill("complete", holes, "-o", tmp_path / "done.npy", *TILED)
    assert found.code == 0
    assert (tmp_path / "done.npy").read_bytes() == (tmp_path / "before.npy").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"holes.npy", "before.npy", "done.npy"}


@pytest.mark.parametrize("name", ["done.npz", "done.h5", "done.tif"])
def test_any_format_is_written_from_tiles(tensorfill: Run, holes: Path, tmp_path: Path, name: str) -> None:
    tensorfill("complete", holes, "-o", tmp_path / "done.npy", *TILED)
    assert tensorfill("complete", holes, "-o", tmp_path / name, *TILED).code == 0
    assert np.array_equal(read_contents(tmp_path / name).data, np.load(tmp_path / "done.npy"))


def test_beside_it_are_preview_report_and_uncertainty(tensorfill: Run, holes: Path, tmp_path: Path) -> None:
    beside = ("--preview", "p.png", "--report", "r.json", "--uncertainty", "u.npy")
    options = [tmp_path / word if "." in word else word for word in beside]
    assert tensorfill("complete", holes, "-o", tmp_path / "done.npy", *TILED, *options).code == 0
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["reasons"]["tiles"].startswith("4 (2 × 2 × 1)")
    unsure = np.load(tmp_path / "u.npy")
    assert (unsure[KNOWN] == 0).all()
    assert (unsure[~KNOWN] > 0).all()
    assert read_contents(tmp_path / "p.png").shape[2] == 3


def test_a_time_limit_leaves_something_usable(tensorfill: Run, holes: Path, tmp_path: Path) -> None:
    limit = ("--time-limit", "1e-3", "--checkpoint", tmp_path / "kept")
    found = tensorfill("complete", holes, "-o", tmp_path / "done.npy", *TILED, *limit)
    assert found.code == 0
    assert "Out of time" in found.out
    done = np.load(tmp_path / "done.npy")
    assert np.array_equal(done[KNOWN], CLIP[KNOWN])
    assert np.isfinite(done).all()
    assert (tmp_path / "kept").is_dir()


# What is kept


def test_finished_tiles_are_kept_until_the_output_is_whole(
    tensorfill: Run, holes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    again = ("complete", holes, "-o", tmp_path / "done.npy", *TILED, "--checkpoint", kept)
    advance = in_tiles.Writer.advance

    def fail(self: in_tiles.Writer, end: int) -> None:
        if end == 40:
            raise MemoryError
        advance(self, end)

    with monkeypatch.context() as broken:
        broken.setattr(in_tiles.Writer, "advance", fail)
        assert tensorfill(*again).code == 2
    assert not (tmp_path / "done.npy").exists()
    assert len(list(kept.glob("tile-*.kept"))) >= 3
    found = tensorfill(*again)
    assert "were not computed again" in found.out
    assert not kept.exists()
    expected = library.complete(np.load(holes), method="spectral", tile=(24, 20, 12))
    assert np.array_equal(np.load(tmp_path / "done.npy"), expected.tensor)


def test_another_input_is_noticed(tensorfill: Run, holes: Path, tmp_path: Path) -> None:
    options = (*TILED, "--checkpoint", tmp_path / "kept", "--time-limit", "1e-3", "--force")
    tensorfill("complete", holes, "-o", tmp_path / "done.npy", *options)
    np.save(holes, np.where(KNOWN, CLIP * 0.5, np.nan))
    found = tensorfill("complete", holes, "-o", tmp_path / "done.npy", *options)
    assert found.code == 2
    assert "belongs to another run: its input" in found.err
    assert "--fresh" in found.err
    assert tensorfill("complete", holes, "-o", tmp_path / "done.npy", *options, "--fresh").code == 0


def test_long_runs_are_kept_beside_the_output_and_short_ones_are_not() -> None:
    assert TileWishes().folder_for(Path("out.npy"), 10) is None
    assert TileWishes().folder_for(Path("out.npy"), 1000) == Path("out.npy.checkpoint")
    assert TileWishes(checkpoint=Path("here")).folder_for(Path("out.npy"), 10) == Path("here")


def test_a_run_that_is_not_cut_keeps_its_state(tensorfill: Run, holes: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    found = tensorfill("complete", holes, "-o", tmp_path / "a.npy", "--method", "spectral", "--checkpoint", kept)
    assert found.code == 0
    assert not kept.exists()
    tensorfill("complete", holes, "-o", tmp_path / "b.npy", "--method", "spectral")
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


# Who works


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["threads:2", "processes:2"])
def test_workers_find_the_same_bits(tensorfill: Run, holes: Path, tmp_path: Path, scheduler: str) -> None:
    tensorfill("complete", holes, "-o", tmp_path / "alone.npy", *TILED)
    tensorfill("complete", holes, "-o", tmp_path / "done.npy", *TILED, "--scheduler", scheduler)
    assert (tmp_path / "alone.npy").read_bytes() == (tmp_path / "done.npy").read_bytes()


@pytest.mark.slow
def test_files_are_shared_between_workers(tensorfill: Run, holes: Path, tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    for name in ("one.npy", "two.npy"):
        (given / name).write_bytes(holes.read_bytes())
    (given / "bad.npy").write_bytes(b"no array")
    options = ("--method", "linear", "--scheduler", "processes:2")
    found = tensorfill("complete", given, "-o", tmp_path / "out", *options)
    assert found.code == 2
    assert "bad.npy" in found.err
    assert "2 of 3 files completed, 1 could not be completed." in found.out
    tensorfill("complete", holes, "-o", tmp_path / "done.npy", "--method", "linear")
    for name in ("one.npy", "two.npy"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "done.npy").read_bytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--tile", "large"), "--tile takes auto, none, or the size of tiles"),
        (("--tile", "24,20"), "one for each of the 3 modes"),
        (("--tile", "24,20,12", "--scheduler", "many"), "--scheduler must be 'threads' or 'processes'"),
    ],
)
def test_what_is_no_size_or_no_scheduler_is_refused(
    tensorfill: Run, holes: Path, tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    found = tensorfill("complete", holes, "-o", tmp_path / "done.npy", *options)
    assert found.code == 2
    assert sentence in found.err
    assert not (tmp_path / "done.npy").exists()


def test_sizes_are_numbers() -> None:
    assert parse_tile("AUTO") == "auto"
    with pytest.raises(InvalidSetting, match="Got '3,x' instead"):
        parse_tile("3,x")

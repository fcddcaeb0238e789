"""Where files are: nothing that is read or written is replaced by accident, and odd places get one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from stand_in import MeanFill, Run

from tensorfill import formats
from tensorfill.errors import UnreadableFile, UnwritableFile
from tensorfill.formats import damage


@pytest.fixture(autouse=True)
def _no_work(solver: MeanFill) -> None:
    """The stand-in, for runs that are not refused."""


class TestTheSameFileTwice:
    """An output that is an input or another output is refused, even with --force."""

    @pytest.mark.parametrize("option", ["-o", "--report", "--preview", "--uncertainty"])
    def test_an_output_that_is_the_input(self, refused: Run, tmp_path: Path, option: str) -> None:
        np.save(tmp_path / "in.npy", np.array([[1.0, np.nan], [2.0, 3.0]]))
        (tmp_path / "in.npy").rename(tmp_path / "in.png")
        files = {"-o": tmp_path / "out.npy", option: tmp_path / "in.png"}
        given = [part for pair in files.items() for part in pair]
        outcome = refused("complete", tmp_path / "in.png", "--format", "npy", *given, "--force")
        assert "The input and the " in outcome.err
        assert "cannot both be" in outcome.err

    @pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
    def test_by_another_name(self, refused: Run, holes: Path, tmp_path: Path, link: str) -> None:
        getattr(tmp_path / "other.npz", link)(holes)
        outcome = refused("complete", holes, "-o", tmp_path / "other.npz", "--force")
        assert "The input and the output cannot both be" in outcome.err

    def test_an_output_that_is_the_mask(self, refused: Run, holes: Path, tmp_path: Path) -> None:
        np.save(tmp_path / "mask.npy", np.ones((6, 5, 3), bool))
        outcome = refused(
            "complete", holes, "--observed", tmp_path / "mask.npy", "-o", tmp_path / "mask.npy", "--force"
        )
        assert "The mask and the output cannot both be" in outcome.err

    def test_an_output_of_one_file_that_is_the_input_of_another(self, refused: Run, tmp_path: Path) -> None:
        for name in ("a.npy", "b.npy"):
            np.save(tmp_path / name, np.array([[1.0, np.nan], [2.0, 3.0]]))
        outcome = refused("complete", tmp_path / "a.npy", tmp_path / "b.npy", "-o", tmp_path, "--force")
        assert "The input and the output cannot both be" in outcome.err

    def test_a_file_that_belongs_to_the_input(self, refused: Run, tmp_path: Path) -> None:
        formats.write(tmp_path / "cube.hdr", formats.Contents(np.ones((2, 3, 4), np.uint8)))
        outcome = refused(
            "hide", tmp_path / "cube.hdr", "-o", tmp_path / "o.npz", "--write-mask", tmp_path / "cube.hdr"
        )
        assert "The input and the mask cannot both be" in outcome.err

    def test_a_folder_that_has_the_mask_in_it(self, refused: Run, holes: Path, tmp_path: Path) -> None:
        (tmp_path / "store.zarr").mkdir()
        np.save(tmp_path / "store.zarr" / "mask.npy", np.ones((6, 5, 3), bool))
        arguments = ["--observed", tmp_path / "store.zarr" / "mask.npy", "-o", tmp_path / "store.zarr", "--force"]
        assert "cannot replace the folder of the mask" in refused("complete", holes, *arguments).err

    def test_hide_and_components(self, refused: Run, holes: Path, tmp_path: Path) -> None:
        assert "cannot both be" in refused("hide", holes, "-o", holes, "--force").err
        (tmp_path / "component-1.png").symlink_to(holes)
        arguments = ["-o", tmp_path, "--force", "--output-format", "png"]
        assert "The input and the component cannot both be" in refused("components", holes, *arguments).err


class TestTwoWriters:
    """Without --force the second one fails, even if it looked before the first one was done."""

    @pytest.mark.parametrize("name", ["out.npy", "out.zarr", "out.hdr"])
    def test_the_second_fails_and_the_first_stays(self, tmp_path: Path, name: str) -> None:
        first, second = (formats.Contents(np.full((4, 4, 3), value, np.uint8)) for value in (1, 2))
        formats.DataFile.of(tmp_path / name).check_place(force=False)
        formats.write(tmp_path / name, first, force=False)
        with pytest.raises(UnwritableFile, match="has come to be there meanwhile; add force=True"):
            formats.write(tmp_path / name, second, force=False)
        assert formats.read_contents(tmp_path / name).data.max() == 1
        formats.write(tmp_path / name, second)
        assert formats.read_contents(tmp_path / name).data.max() == 2
        assert not list(tmp_path.glob(".tensorfill*"))

    def test_of_two_files_that_belong_together_none_is_left(self, tmp_path: Path) -> None:
        (tmp_path / "out.img").write_bytes(b"mine")
        with pytest.raises(UnwritableFile, match="meanwhile"):
            formats.write(tmp_path / "out.hdr", formats.Contents(np.ones((4, 4, 3), np.uint8)), force=False)
        assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == {"out.img": 4}

    def test_where_the_system_cannot_do_it_in_one_step(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(formats.staging, "_rename", lambda *_: 38)
        self.test_the_second_fails_and_the_first_stays(tmp_path, "out.npy")

    def test_one_of_many_at_once_succeeds(self, tmp_path: Path) -> None:
        outcomes: list[str] = []

        def write(value: int) -> None:
            try:
                formats.write(tmp_path / "out.npy", formats.Contents(np.full((50, 50), value)), force=False)
                outcomes.append("written")
            except UnwritableFile:
                outcomes.append("refused")

        threads = [threading.Thread(target=write, args=(value,)) for value in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["refused"] * 7 + ["written"]


class TestArgumentsThatAreNothing:
    """What the shell makes of a name that was not set, and what other commands call standard output."""

    @pytest.mark.parametrize("arguments", [["", "-o", "x.npy"], ["x.npy", "-o", ""], ["x.npy", "--output="]])
    def test_an_empty_one(self, refused: Run, arguments: list[str]) -> None:
        assert "An argument is empty" in refused("complete", *arguments).err

    @pytest.mark.parametrize("arguments", [["x.npy", "-o", "-"], ["x.npy", "-o-"], ["-", "-o", "x.npy"]])
    def test_a_dash(self, refused: Run, arguments: list[str]) -> None:
        assert "- would be standard input or output" in refused("complete", *arguments).err

    def test_an_empty_name_in_the_library(self) -> None:
        with pytest.raises(ValueError, match="The name of the file is empty"):
            formats.read("")


class TestOddPlaces:
    """One sentence, never a traceback."""

    @pytest.mark.parametrize("verb", ["complete", "hide"])
    def test_a_link_that_leads_to_itself(self, refused: Run, holes: Path, tmp_path: Path, verb: str) -> None:
        (tmp_path / "loop.npz").symlink_to("loop.npz")
        outcome = refused(verb, holes, "-o", tmp_path / "loop.npz", "--force")
        assert "is a link that leads back to itself" in outcome.err
        assert (tmp_path / "loop.npz").is_symlink()

    def test_a_report_in_such_a_link(self, refused: Run, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        assert "leads back to itself" in refused("report", tmp_path, "-o", tmp_path / "loop", "--force").err

    @pytest.mark.parametrize(
        "arguments",
        [
            ["info", "{}.npy"],
            ["complete", "{}.npy", "-o", "x.npy"],
            ["hide", "{}.npy", "-o", "x.npz"],
            ["score", "{}.npy", "{}.npy"],
            ["report", "{}", "-o", "x"],
            ["bench", "{}", "--list"],
        ],
    )
    def test_a_name_that_is_too_long(self, refused: Run, arguments: list[str]) -> None:
        assert "File name too long" in refused(*(part.format("n" * 260) for part in arguments)).err

    def test_an_output_whose_name_is_too_long(self, refused: Run, holes: Path, tmp_path: Path) -> None:
        assert "File name too long" in refused("complete", holes, "-o", tmp_path / f"{'n' * 260}.npy").err


def as_command(*arguments: str, folder: Path, **more: object) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    command = [sys.executable, "-m", "tensorfill", *arguments]
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run(command, cwd=folder, text=True, check=False, **settings)  # type: ignore[call-overload, no-any-return]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("arguments", [["methods"], ["--help"]])
def test_standard_output_on_a_full_device(tmp_path: Path, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        ended = as_command(*arguments, folder=tmp_path, stdout=full)
    assert ended.returncode == 2
    assert ended.stderr.startswith("Error: Not all could be")
    assert ended.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a folder that is in use cannot be deleted")
def test_a_working_folder_that_was_deleted(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    program = "import os; os.rmdir(os.getcwd()); from tensorfill.__main__ import main; main()"
    command = [sys.executable, "-c", program, "methods"]
    ended = subprocess.run(command, cwd=tmp_path / "gone", capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "Error: The folder you are in was deleted, or cannot be read; change to another one.\n"


def test_names_are_printed_harmlessly(tensorfill: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "\x1b[31mred\n.npy", np.array([[1.0, np.nan], [2.0, 3.0]]))
    outcome = tensorfill("info", tmp_path / "\x1b[31mred\n.npy")
    assert "\\x1b[31mred\\n.npy" in outcome.out
    assert "\x1b" not in outcome.out
    refusal = tensorfill("info", tmp_path / "\x1b[31mnone\n.npy")
    assert "\x1b" not in refusal.err
    assert refusal.err.count("\n") == 1


class TestMissingExtras:
    """A library that the output needs and that is not there is said before the work, of the file that was asked for."""

    @pytest.fixture(autouse=True)
    def _nothing_is_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def absent(name: str) -> None:
            raise ImportError(name)

        monkeypatch.setattr(damage, "import_module", absent)

    @pytest.mark.parametrize(
        ("name", "library"),
        [
            ("d.mkv", "av"),
            ("d.mp4", "av"),
            ("d.h5", "h5py"),
            ("d.zarr", "zarr"),
            ("d.nii", "nibabel"),
            ("d.parquet", "polars"),
        ],
    )
    def test_complete(
        self, refused: Run, solver: MeanFill, holes: Path, tmp_path: Path, name: str, library: str
    ) -> None:
        solver.raises = AssertionError("the solver was started")
        outcome = refused("complete", holes, "-o", tmp_path / name)
        assert f"{tmp_path / name} needs {library}, which is not installed: pip install" in outcome.err

    @pytest.mark.parametrize("option", ["--preview", "--uncertainty"])
    def test_what_is_written_beside_it(
        self, refused: Run, solver: MeanFill, holes: Path, tmp_path: Path, option: str
    ) -> None:
        solver.raises = AssertionError("the solver was started")
        outcome = refused("complete", holes, "-o", tmp_path / "d.npy", option, tmp_path / "p.mkv")
        assert f"{tmp_path / 'p.mkv'} needs av" in outcome.err

    def test_the_library_names_the_file_too(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableFile) as refusal:
            formats.write(tmp_path / "d.h5", formats.Contents(np.ones((2, 2))))
        assert str(refusal.value).startswith(f"{tmp_path / 'd.h5'} needs h5py")


class TestReadingOptions:
    """Every verb that reads takes the same options for it."""

    @pytest.fixture
    def clip(self, tmp_path: Path) -> Path:
        (tmp_path / "clip.raw").write_bytes(bytes(range(1, 37)) * 4)
        return tmp_path / "clip.raw"

    def test_info(self, tensorfill: Run, clip: Path) -> None:
        outcome = tensorfill("info", clip, "--format", "yuv", "--size", "6x4")
        assert outcome.code == 0
        assert "4 × 6 × 4 × 3" in outcome.out
        assert "yuv" in outcome.out

    def test_score(self, tensorfill: Run, clip: Path, tmp_path: Path) -> None:
        (tmp_path / "estimate.bin").write_bytes(clip.read_bytes())
        how = ["--format", "yuv", "--estimate-format", "yuv", "--size", "6x4"]
        outcome = tensorfill("score", clip, tmp_path / "estimate.bin", *how)
        assert outcome.code == 0
        assert "0.000000" in outcome.out

    def test_score_with_some_frames_of_the_truth(self, tensorfill: Run, clip: Path, tmp_path: Path) -> None:
        how = ["--format", "yuv", "--size", "6x4", "--frames", "0-1"]
        assert tensorfill("hide", clip, "-o", tmp_path / "part.npz", "--keep", 1, *how).code == 0
        assert "0.000000" in tensorfill("score", clip, tmp_path / "part.npz", *how).out


def test_an_empty_array_makes_no_warning(tensorfill: Run, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    np.save(tmp_path / "empty.npy", np.zeros((0, 3)))
    assert tensorfill("info", tmp_path / "empty.npy").code == 0
    assert not recwarn.list

"""Killed, interrupted or out of room at any moment: the output is the old one, bit for bit, or a whole new one."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from stand_in import MeanFill, Run

from tensorfill import formats, library
from tensorfill.errors import UnwritableFile
from tensorfill.formats import Contents, Metadata

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs fork, limits and signals of Linux")

KINDS: dict[str, Any] = {
    "npy": "array",
    "npz": "array",
    "png": "picture",
    "jpg": "picture",
    "tif": "picture",
    "gif": "video",
    "mkv": "video",
    "mp4": "video",
    "avi": "video",
    "y4m": "video",
    "frames": "video",
    "mat": "array",
    "h5": "array",
    "hdr": "array",
    "nii.gz": "array",
    "zarr": "array",
    "zarr.zip": "array",
    "csv": "array",
    "tns.gz": "array",
    "parquet": "array",
}
STEPPED = ("npz", "png", "tif", "mkv", "mp4", "h5", "mat", "zarr", "frames", "hdr", "csv", "gif", "nii.gz")
INTERRUPTED = ("npz", "hdr", "zarr")
FOLDERS = ("zarr", "frames")
SIZES = [0, 1, 10, 60]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "TENSORFILL_THREADS": "1"}

DRIVER = """
import json, os, resource, shutil, signal, sys
from pathlib import Path

from typer.main import get_command

from tensorfill.cli import app

STEPS = ("os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.link", "os.symlink", "ctypes.dlsym", "shutil.rmtree")
command = get_command(app)
os.fsync = lambda file: None  # the process is struck here and not the machine, so that nobody need wait for its disk


def run(arguments):
    try:
        command(arguments)
    except SystemExit as end:
        return end.code or 0


def changes(event, given):
    # The moment before something changes is one to be killed at.
    return event in STEPS or (event == "open" and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def ended(how, step, arguments):
    # How the command ended that was struck at this step; 90 if it has fewer.
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    seen = 0

    def hook(event, given):
        nonlocal seen
        if changes(event, given) and (seen or ".tensorfill-" in str(given[0])):
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL if how == "kill" else signal.SIGINT)

    if how == "size":
        # The system kills the process in the middle of the write that reaches this many bytes.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (step, step))
    else:
        sys.addaudithook(hook)
    code = 1
    try:
        code = run(arguments)
    finally:
        os._exit(90 if how != "size" and seen < step and code == 0 else code)


def state(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes().hex()
        for path in folder.rglob("*")
        if path.is_file() and ".part/" not in str(path)
    }


for folder, clean, how, moments, arguments in json.load(sys.stdin):
    folder, clean = Path(folder), Path(clean)
    run(arguments)  # once undisturbed: what is imported now is there in every child
    runs = [[0, 0, state(folder), 0]]
    for step in moments or range(1, 1000):
        shutil.rmtree(folder)
        shutil.copytree(clean, folder)
        status = ended(how, step, arguments)
        stages = sum(path.name.startswith(".tensorfill-") for path in folder.iterdir())
        runs.append([step, status, state(folder), stages])
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 90:
            break
    print(json.dumps([state(clean), runs]), flush=True)
"""


@dataclass(frozen=True)
class Struck:
    """How a command ended that was killed or interrupted, and what it left."""

    step: int
    status: int
    left: dict[str, str]
    stages: int

    @property
    def code(self) -> int:
        """The exit code; that of a signal is negative."""
        return os.waitstatus_to_exitcode(self.status)


def data(kind: Any, *, shift: int = 0) -> Contents:
    """A small array, picture or clip."""
    shape = {"array": (6, 5, 4), "picture": (18, 16, 3), "video": (16, 16, 4, 3)}[kind]
    values = np.random.default_rng(shift).integers(1, 256, shape).astype(np.uint8)
    return Contents(values, metadata=Metadata(kind=kind, frame_rate=Fraction(25) if kind == "video" else None))


def files(tmp_path: Path, form: str) -> tuple[Path, list[str]]:
    """A folder with an old output, and the command that replaces it."""
    source = data(KINDS[form])
    np.savez(tmp_path / "holes.npz", data=source.data, observed=source.data > 100)
    given = tmp_path / "holes.npz"
    if KINDS[form] != "array":
        # Clips and pictures are told apart by the file they come from; raw video is read without a process of its own.
        given = tmp_path / ("holes.yuv" if KINDS[form] == "video" else "holes.png")
        formats.write(given, source)
    (tmp_path / "out").mkdir()
    output = tmp_path / "out" / ("clip" if form == "frames" else f"done.{form}")
    formats.write(output, data(KINDS[form], shift=1), format="frames" if form == "frames" else None)
    arguments = ["complete", str(given), "-o", str(output), "--method", "mean-fill", "--force", "--quiet"]
    if given.suffix != ".npz":
        arguments += ["--missing", "100", "--tolerance", "5", "--size", "16x16"]
    if form == "frames":
        arguments += ["--output-format", "frames"]
    return output, arguments


@dataclass(frozen=True)
class Experiment:
    """The old files, the new ones, and what a command left that was struck at one step after the other."""

    old: dict[str, str]
    new: dict[str, str]
    runs: list[Struck]
    """The last one had no such step any more."""
    output: Path

    @cached_property
    def new_values(self) -> NDArray[np.uint8]:
        """What the new output holds."""
        return values(self.new, self.output)


def experiments(folder: Path, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Experiment]:
    """Strike commands, in one process that forks, because starting takes longer than all the rest."""
    plan, outputs = [], []
    for how, form in wanted:
        own = folder / f"{how}-{form}"
        own.mkdir()
        output, arguments = files(own, form)
        shutil.copytree(output.parent, own / "clean")
        plan.append([str(output.parent), str(own / "clean"), how, SIZES if how == "size" else [], arguments])
        outputs.append(output)
    ran = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(plan),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    found = {}
    for asked, line, output in zip(wanted, ran.stdout.splitlines(), outputs, strict=True):
        old, runs = json.loads(line)
        found[asked] = Experiment(old, runs[0][2], [Struck(*run) for run in runs[1:]], output)
    return found


@pytest.fixture(scope="module")
def struck(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Experiment]:
    wanted = [("kill", form) for form in STEPPED]
    wanted += [("interrupt", form) for form in INTERRUPTED]
    wanted += [("size", form) for form in STEPPED if form not in FOLDERS]
    return experiments(tmp_path_factory.mktemp("struck"), wanted)


def is_new(run: Struck, of: Experiment) -> bool:
    """Whether the new output is there; fails if it is neither the old one nor a whole new one."""
    if run.left in (of.old, of.new):
        return run.left == of.new
    # Some formats hold the time of day, so that the new one must be read.
    assert run.left.keys() == of.new.keys(), "nothing of the old is left in the new, and nothing of the new is missing"
    np.testing.assert_array_equal(values(run.left, of.output), of.new_values)
    return True


def values(left: dict[str, str], output: Path) -> NDArray[np.uint8]:
    shutil.rmtree(output.parent)
    for name, content in left.items():
        place = output.parent / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(bytes.fromhex(content))
    return formats.read_contents(output, format="frames" if output.name == "clip" else None).data


@pytest.mark.slow
@pytest.mark.parametrize("form", STEPPED)
def test_killed_at_any_step_of_writing_it_leaves_the_old_output_or_the_new(
    struck: dict[tuple[str, str], Experiment], form: str
) -> None:
    found = struck["kill", form]
    assert found.new != found.old
    *killed, undisturbed = found.runs
    assert len(killed) > 5, "there are steps to be killed at"
    assert all(run.code == -signal.SIGKILL for run in killed)
    assert undisturbed.stages == 0
    became_new = [is_new(run, found) for run in killed]
    assert not became_new[0]
    assert became_new[-1], "killed while cleaning up"
    assert became_new == sorted(became_new), "once it is there, it stays"


@pytest.mark.slow
@pytest.mark.parametrize("form", INTERRUPTED)
def test_ctrl_c_at_any_step_of_writing_lets_it_be_written(struck: dict[tuple[str, str], Experiment], form: str) -> None:
    found = struck["interrupt", form]
    assert len(found.runs) > 5
    for run in found.runs[:-1]:
        assert (run.code, run.stages) == (0, 0)
        assert is_new(run, found)


@pytest.mark.slow
@pytest.mark.parametrize("form", [form for form in STEPPED if form not in FOLDERS])
def test_killed_in_the_middle_of_a_file_it_leaves_the_old_output(
    struck: dict[tuple[str, str], Experiment], form: str
) -> None:
    found = struck["size", form]
    assert [run.code for run in found.runs] == [-signal.SIGXFSZ] * len(SIZES)
    assert [run.stages for run in found.runs] == [1] * len(SIZES)
    assert all(run.left == found.old for run in found.runs)


def run(arguments: list[str], *, largest: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run the real command; with a largest size of files, writing more fails."""
    prefix = [] if largest is None else ["prlimit", f"--fsize={largest}"]
    command = [*prefix, sys.executable, "-B", "-m", "tensorfill", *arguments]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)


def contents_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("prlimit") is None, reason="there is no prlimit here")
@pytest.mark.parametrize("form", ["npy", "zarr"])
def test_a_file_that_may_not_grow_is_refused_in_one_sentence_and_the_old_one_is_kept(tmp_path: Path, form: str) -> None:
    output, arguments = files(tmp_path, form)
    before = contents_of(output.parent)
    ended = run(arguments, largest=40)
    assert ended.stderr == f"Error: {output} cannot be written: File too large.\n"
    assert ended.returncode == 2
    assert contents_of(output.parent) == before


@pytest.mark.parametrize("form", KINDS)
def test_wherever_the_room_ends_a_file_is_refused_or_whole(tmp_path: Path, form: str) -> None:
    import resource

    output = files(tmp_path, form)[0]
    named = "frames" if form == "frames" else None
    fresh = data(KINDS[form])
    sizes = [path.stat().st_size for path in output.parent.rglob("*") if path.is_file()]
    before, limits = contents_of(output.parent), resource.getrlimit(resource.RLIMIT_FSIZE)
    for room in {0, 1, max(sizes) // 2, *range(max(0, max(sizes) - 3), max(sizes))}:
        refusal = None
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
        try:
            formats.write(output, fresh, format=named)
        except UnwritableFile as error:
            refusal = str(error)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        if refusal is not None:
            assert refusal == f"{output} cannot be written: File too large."
            assert contents_of(output.parent) == before
        else:  # it may be smaller than the old one
            found = formats.read_contents(output, format=named)
            assert form in ("jpg", "mp4") or np.array_equal(found.data, fresh.data)
            before = contents_of(output.parent)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for almost nothing."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    size = "size=96k"
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", size, "tmpfs", disk], capture_output=True).returncode
    ):
        pytest.skip("no disk may be mounted here")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.slow
def test_a_full_disk_is_told_in_one_sentence_and_nothing_changes(tmp_path: Path, small_disk: Path) -> None:
    rng = np.random.default_rng(0)
    large = {
        "array": Contents(rng.random((40, 40, 20))),
        "picture": Contents(rng.integers(0, 256, (300, 300, 3)).astype(np.uint8)),
        "video": Contents(rng.integers(0, 256, (64, 64, 60)).astype(np.uint8), metadata=Metadata(kind="video")),
    }
    for form, kind in KINDS.items():
        output = small_disk / ("clip" if form == "frames" else f"done.{form}")
        named = "frames" if form == "frames" else None
        formats.write(output, data(kind), format=named)
        before = contents_of(small_disk)
        with pytest.raises(UnwritableFile) as refusal:
            formats.write(output, large[kind], format=named)
        assert str(refusal.value) == f"{output} cannot be written: No space left on device."
        assert contents_of(small_disk) == before
        for path in small_disk.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("signalled", [signal.SIGINT, signal.SIGKILL])
def test_struck_while_starting_reading_and_solving_the_old_output_stays(
    tmp_path: Path, signalled: signal.Signals
) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "holes.npz", data=rng.random((150, 150, 3)), observed=rng.random((150, 150, 3)) < 0.3)
    (tmp_path / "done.npz").write_bytes(b"old")
    command = [sys.executable, "-m", "tensorfill", "complete", "holes.npz", "-o", "done.npz", "--force"]
    codes = []
    for seconds in (0.5, 1.1, 1.9):
        with subprocess.Popen(
            command, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as running:
            time.sleep(seconds)
            running.send_signal(signalled)
            codes.append(running.wait(60))
        if (tmp_path / "done.npz").read_bytes() != b"old":
            assert signalled == signal.SIGINT, "the best so far is written"
            with np.load(tmp_path / "done.npz") as done:
                assert np.isfinite(done["data"]).all()
            (tmp_path / "done.npz").write_bytes(b"old")
        assert {path.name for path in tmp_path.iterdir()} == {"holes.npz", "done.npz"}
    # 1: while Python itself starts, the import that was interrupted fails
    assert set(codes) <= ({130, -signal.SIGINT, 1} if signalled == signal.SIGINT else {-signal.SIGKILL})


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """Three arrays with a hole each."""
    paths = [tmp_path / f"{name}.npy" for name in ("one", "two", "three")]
    for path in paths:
        np.save(path, np.array([[1.0, np.nan], [3.0, 4.0]]))
    return paths


def on_the_second(solver: MeanFill, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Change what the stand-in does from the second file on."""

    def solve(*arguments: Any, **named: Any) -> Any:
        if len(solver.calls) == 1:
            for name, value in changes.items():
                setattr(solver, name, value)
        return solver(*arguments, **named)

    monkeypatch.setattr(library, "complete", solve)


@pytest.mark.parametrize("option", [(), ("--json",), ("--quiet",)], ids=str)
def test_ctrl_c_in_the_second_of_three_files_writes_it_and_does_not_start_the_third(
    tensorfill: Run,
    solver: MeanFill,
    three: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: tuple[str, ...],
) -> None:
    on_the_second(solver, monkeypatch, kind="interrupted")
    outcome = tensorfill("complete", *three, "-o", tmp_path / "out", *option)
    assert (outcome.code, len(solver.calls)) == (130, 2)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["one.npy", "two.npy"]
    assert outcome.err.endswith("Stopped by Ctrl-C: 2 of 3 files completed, 1 not started.\n")
    if option == ("--quiet",):
        assert (outcome.out, outcome.err.count("\n")) == ("", 1)
    elif option == ("--json",):
        assert [file["stop"]["kind"] for file in json.loads(outcome.out)["files"]] == ["gap", "interrupted"]
    else:
        assert f"{tmp_path / 'out' / 'two.npy'} holds the best so far." in outcome.out


@pytest.mark.parametrize("reading", [True, False])
def test_ctrl_c_before_there_is_a_result_says_which_file_was_not_written(
    tensorfill: Run,
    solver: MeanFill,
    three: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reading: bool,
) -> None:
    if reading:
        usual = formats.DataFile.read

        def read(file: formats.DataFile, *how: Any) -> Any:
            if file.path == three[1]:
                raise KeyboardInterrupt
            return usual(file, *how)

        monkeypatch.setattr(formats.DataFile, "read", read)
    else:
        on_the_second(solver, monkeypatch, raises=KeyboardInterrupt(), iterations=0)
    outcome = tensorfill("complete", *three, "-o", tmp_path / "out")
    assert outcome.code == 130
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["one.npy"]
    told = f"1 of 3 files completed, {tmp_path / 'out' / 'two.npy'} not written, 1 not started"
    assert outcome.err.endswith(f"Stopped by Ctrl-C: {told}.\n")


def test_a_file_for_which_there_is_no_memory_does_not_stop_the_others(
    tensorfill: Run, solver: MeanFill, three: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(*arguments: Any, **named: Any) -> Any:
        done = solver(*arguments, **named)
        if len(solver.calls) == 2:
            raise MemoryError
        return done

    monkeypatch.setattr(library, "complete", solve)
    outcome = tensorfill("complete", *three, "-o", tmp_path / "out")
    assert outcome.code == 2
    assert f"Error: {three[1]}: There is not enough memory" in outcome.err
    assert "2 of 3 files completed, 1 could not be completed." in outcome.out


def test_a_ctrl_c_that_a_library_swallows_is_raised_again(
    tensorfill: Run, holes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = library.complete

    def solve(*arguments: Any, **named: Any) -> Any:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        return usual(*arguments, **named)

    monkeypatch.setattr(library, "complete", solve)
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy", "--method", "ncpc", "--rank", "2")
    assert outcome.code == 130
    assert "holds the best so far" in outcome.out

"""A thousand damaged files through `tensorfill complete`: one sentence, code 2, soon, within memory, nothing written.

A failure names the file by its number and what was done to it; the same seed makes the same files.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from bounded_runs import Run, run_all
from command_worker import SECONDS
from damaged import in_words
from damaged_files import FAMILIES, SAYS, damaged_files
from pickles import Marker

from tensorfill import formats

COUNT, SEED, WORKERS = 1000, 8, 2
MOST_MEMORY = 3 * 2**29


@dataclass(frozen=True)
class Question:
    """A damaged file on disk and the arguments of the command."""

    what: str
    family: str
    arguments: list[str]
    output: Path
    says: str
    """Words that the sentence must have."""


@dataclass(frozen=True)
class Asked:
    """All files on disk, and the mark that a pickle would leave."""

    questions: list[Question]
    marker: Marker
    folder: Path

    def left_behind(self) -> list[str]:
        """What is in the folders for outputs, hidden files too."""
        return sorted(path.name for path in (self.folder / "outputs").rglob("*") if path.parent.name != "outputs")


def make(folder: Path, seed: int, count: int) -> Asked:
    """The damaged files, each in a folder of its own, and an empty folder for each output."""
    marker = Marker(folder / "a-pickle-was-loaded")
    (folder / "secret.txt").write_text("Nobody is meant to read this.\n")
    (folder / "inputs").mkdir()
    questions = []
    for number, (family, damaged) in enumerate(damaged_files(seed, count, marker)):
        what = f"{number:04d}-{in_words(damaged.what)}"
        path = damaged.put(folder / "inputs" / what)
        output = folder / "outputs" / what
        output.mkdir(parents=True)
        arguments = [str(path), "-o", str(output / "done.npy"), *damaged.options]
        questions.append(Question(what, family, arguments, output, SAYS.get(damaged.what, "")))
    return Asked(questions, marker, folder)


def complaint(run: Run, says: str = "") -> str | None:
    """What is wrong with how a run ended, if anything is; its sentence must say this."""
    lines = run.err.splitlines()
    if run.code is None:
        return run.err
    if run.code != 2:
        return f"exit code {run.code}: {run.out[-200:]}{run.err[-2000:]}"
    if len(lines) != 1 or not lines[0].startswith("Error: ") or "Traceback" in run.err:
        return f"not one sentence: {run.err[:2000]}"
    if says not in run.err:
        return f"does not say {says!r}: {run.err}"
    if run.out:
        return f"printed {run.out[:200]}"
    if run.seconds > SECONDS:
        return f"took {run.seconds:.1f} s"
    if run.grown > MOST_MEMORY:
        return f"memory has grown by {run.grown / 1e9:.1f} GB"
    return None


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """The files."""
    return make(tmp_path_factory.mktemp("damaged"), SEED, COUNT)


def test_there_are_a_thousand_of_all_formats(asked: Asked) -> None:
    assert len(asked.questions) == COUNT
    assert {question.family for question in asked.questions} == {
        *(family.name for family in FAMILIES),
        "any",
        "misnamed",
    }
    names = [Path(question.arguments[0]).name for question in asked.questions]
    ends = Counter(extension for name in names for extension in formats.known_extensions() if name.endswith(extension))
    assert set(ends) == set(formats.known_extensions())


def test_the_same_seed_makes_the_same_files(asked: Asked) -> None:
    same, other = (list(damaged_files(seed, COUNT, asked.marker)) for seed in (SEED, SEED + 1))
    words = [question.what.partition("-")[2] for question in asked.questions]
    assert {damaged.what for _, damaged in same} >= SAYS.keys()
    assert [in_words(damaged.what) for _, damaged in same] == words
    assert [in_words(damaged.what) for _, damaged in other] != words


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_before_the_damage_the_files_can_be_read(tmp_path: Path, family: object) -> None:
    for number, sound in enumerate(family.sounds()):
        folder = tmp_path / str(number)
        for name, content in sound.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        found = formats.read(folder / sound.name, size=(32, 24) if sound.options else None)
        assert found.shape


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (Run("a", 2, "", "Error: It is damaged.\n", 0.1, 0), None),
        (Run("a", 0, "written", "", 0.1, 0), "exit code 0"),
        (Run("a", 1, "", "Traceback (most recent call last)", 0.1, 0), "exit code 1"),
        (Run("a", 2, "", "a warning\nError: It is damaged.\n", 0.1, 0), "not one sentence"),
        (Run("a", 2, "", "", 0.1, 0), "not one sentence"),
        (Run("a", 2, "", "Error: What?\n", 0.1, 0), "does not say 'damaged'"),
        (Run("a", 2, "hello", "Error: It is damaged.\n", 0.1, 0), "printed"),
        (Run("a", 2, "", "Error: It is damaged.\n", 11.0, 0), "took"),
        (Run("a", 2, "", "Error: It is damaged.\n", 0.1, 2**31), "memory"),
        (Run("a", None, "", "ended by signal 11", 0.1, 0), "signal 11"),
    ],
)
def test_what_counts_as_wrong(run: Run, said: str | None) -> None:
    found = complaint(run, "damaged")
    assert found is None if said is None else said in (found or "")


def test_a_worker_tells_what_goes_wrong_in_it(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((3, 3)))
    sound = [str(tmp_path / "a.npy"), "-o", str(tmp_path / "done.npy")]
    questions = [("sound", sound), ("taken", sound), ("nonsense", None), ("killed", ["--die"]), ("alive again", sound)]
    runs = {run.what: run for run in run_all(questions, 1)}
    assert [runs[what].code for what in ("sound", "taken", "nonsense", "killed", "alive again")] == [0, 2, 1, None, 2]
    assert "Traceback" in runs["nonsense"].err
    assert "signal 11" in runs["killed"].err


@pytest.mark.slow
def test_each_gives_one_sentence_and_leaves_nothing(asked: Asked) -> None:
    runs = run_all([(question.what, question.arguments) for question in asked.questions], WORKERS)
    assert len(runs) == COUNT
    says = {question.what: question.says for question in asked.questions}
    wrong = [f"{run.what}: {said}" for run in runs if (said := complaint(run, says[run.what]))]
    assert not wrong, "\n".join([f"{len(wrong)} of {COUNT} (seed {SEED}, in {asked.folder})", *sorted(wrong)])
    assert asked.left_behind() == []
    assert not asked.marker.left, "a pickle was loaded"


@pytest.mark.slow
def test_the_real_command_does_the_same(asked: Asked) -> None:
    first = {question.family: question for question in reversed(asked.questions)}
    chosen = list(first.values())[:12]
    with ThreadPoolExecutor(WORKERS) as pool:
        runs = list(pool.map(_real_run, chosen))
    wrong = [f"{run.what}: {said}" for run in runs if (said := complaint(run))]
    assert not wrong, "\n".join(wrong)
    assert asked.left_behind() == []


def _real_run(question: Question) -> Run:
    started = time.monotonic()
    command = [sys.executable, "-m", "tensorfill", "complete", *question.arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return Run(question.what, done.returncode, done.stdout, done.stderr, time.monotonic() - started, 0)

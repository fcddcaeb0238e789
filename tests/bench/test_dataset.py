"""Datasets: how they are found, loaded and scaled, and what is said when the data is not there."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorfill.bench.data_file import DataFile
from tensorfill.bench.dataset import DATA_VARIABLE, Dataset, data_folder, datasets
from tensorfill.errors import DataNotFound, InvalidInput, UnreadableFile
from tensorfill.rows import DataCard

PAPER = ["ribeira", "braga", "ruivaes", "tomato", "container", "hall", "highway", "baboon", "splash"]
OTHERS = {"airplane", "akiyo", "blobs", "cat", "cave_a", "hall_h264_control", "hangzhou_metro", "syn", "weather"}
MADE = [name for name, dataset in datasets().items() if dataset.make]
REAL_DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


def example(**changed: Any) -> Dataset:
    """A dataset in a .npy file."""
    about: dict[str, Any] = {
        "name": "example",
        "title": "Example",
        "kind": "cube",
        "shape": (2, 3),
        "source": "a test",
        "licence": "free",
        "how_to_get": "Make it with NumPy.",
        "files": (DataFile("good.npy"), DataFile("bad.npy", approximate="It is rounded.")),
    }
    return Dataset(**{**about, **changed})


@pytest.fixture(autouse=True)
def _no_folder_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DATA_VARIABLE, raising=False)


# Which there are


def test_the_paper_comes_first_and_in_its_order() -> None:
    others = list(datasets())[len(PAPER) :]
    assert list(datasets())[: len(PAPER)] == PAPER
    assert others == sorted(others)
    assert set(others) >= OTHERS
    assert [name for name, dataset in datasets().items() if dataset.in_paper] == PAPER


@pytest.mark.parametrize("dataset", datasets().values(), ids=lambda dataset: dataset.name)
def test_every_dataset_says_where_it_is_from_and_can_be_sent_to_another_process(dataset: Dataset) -> None:
    for text in (dataset.title, dataset.source, dataset.licence):
        assert text.strip() == text != ""
    assert dataset.how_to_get.endswith(".")
    assert all(len(file.sha256) == 64 for file in dataset.files if file.sha256)
    assert [file.name for file in dataset.files if "h264" in file.name and not file.approximate] == []
    assert pickle.loads(pickle.dumps(dataset)) == dataset
    card = dataset.card_without_data()
    assert (card.name, card.shape, card.in_paper) == (dataset.name, dataset.shape, dataset.in_paper)
    assert (card.file, card.sha256, card.approximate) == (None, None, None)


# Loading


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (np.array([[0, 51, 102], [153, 204, 250]], dtype=np.uint8), 250 / 255),
        (np.array([[0, 51, 102], [153, 204, 250]], dtype=np.uint16), 1),
        (np.array([[0, 0.1, 0.2], [0.3, 0.4, 0.5]]), 0.5),
        (np.array([[0, 0.1, 0.2], [0.3, 0.4, 2.5]], dtype=np.float32), 1),
    ],
)
def test_the_truth_is_between_zero_and_one(tmp_path: Path, data: np.ndarray[Any, Any], expected: float) -> None:
    np.save(tmp_path / "good.npy", data)
    truth = example().load(tmp_path).truth
    assert truth.dtype == np.float64
    assert truth.max() == pytest.approx(expected)
    assert truth.min() == 0
    assert not truth.flags.writeable


def test_the_best_file_that_is_there_is_taken(tmp_path: Path) -> None:
    np.save(tmp_path / "bad.npy", np.zeros((2, 3)))
    assert example().load(tmp_path).card.file == "bad.npy"
    assert example().load(tmp_path).card.approximate == "It is rounded."
    np.save(tmp_path / "good.npy", np.ones((2, 3)))
    loaded = example().load(tmp_path)
    assert loaded.truth.min() == 1
    assert loaded.card == DataCard(
        name="example",
        title="Example",
        kind="cube",
        shape=(2, 3),
        source="a test",
        licence="free",
        how_to_get="Make it with NumPy.",
        in_paper=False,
        approximate=None,
        file="good.npy",
        sha256=sha256((tmp_path / "good.npy").read_bytes()).hexdigest(),
    )


def test_a_file_with_another_checksum_is_used_and_noted(tmp_path: Path) -> None:
    np.save(tmp_path / "good.npy", np.ones((2, 3)))
    known = sha256((tmp_path / "good.npy").read_bytes()).hexdigest()
    assert example(files=(DataFile("good.npy", sha256=known),)).load(tmp_path).notes == ()
    loaded = example(files=(DataFile("good.npy", sha256="0" * 64),)).load(tmp_path)
    assert loaded.truth.shape == (2, 3)
    assert loaded.notes == (
        f"{tmp_path / 'good.npy'} is not byte for byte the file that the known figures of 'example' come from: "
        f"its sha256 starts with {known[:12]}, not 000000000000.",
    )


def test_the_folder_may_be_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "good.npy", np.ones((2, 3)))
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert data_folder() == tmp_path
    assert example().load().card.file == "good.npy"
    assert data_folder(tmp_path / "given") == tmp_path / "given"
    with pytest.raises(DataNotFound):
        example().load(tmp_path / "given")


def test_what_is_made_needs_no_folder_and_has_the_checksum_of_its_values() -> None:
    made = example(files=(), make=lambda: np.arange(6).reshape(2, 3))
    first, second = made.load(), made.load(Path("nowhere"))
    assert first.truth.tolist() == [[0, 0.2, 0.4], [0.6, 0.8, 1]]
    assert first.card == second.card
    assert (first.card.file, first.card.approximate) == (None, None)
    other = replace(made, make=lambda: np.arange(6).reshape(2, 3) + 1)
    assert other.load().card.sha256 != first.card.sha256


# What is not there, or does not fit


def test_data_that_is_not_there_is_told_with_where_to_get_it(tmp_path: Path) -> None:
    nowhere = "no folder was given (--data DIR, or the environment variable TENSORFILL_DATA)"
    for folder, where in ((tmp_path, f"there is no good.npy or bad.npy in {tmp_path}"), (None, nowhere)):
        with pytest.raises(DataNotFound) as caught:
            example().load(folder)
        assert str(caught.value) == f"The data of 'example' was not found: {where}. Make it with NumPy."


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"files": ()}, "'example' must have either 'files' or 'make', and not both"),
        ({"make": lambda: np.ones((2, 3))}, "'example' must have either 'files' or 'make', and not both"),
        ({"kind": "sound"}, r"must be one of image, video, cube, counts, synthetic. Got 'sound' instead."),
    ],
)
def test_a_dataset_that_contradicts_itself_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        example(**wrong)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (np.ones((3, 2)), "must have the shape (2, 3) of 'example'. Got (3, 2) instead."),
        (np.full((2, 3), -0.5), "must be finite and nonnegative everywhere to serve as the truth."),
        (np.full((2, 3), np.inf), "must be finite and nonnegative everywhere to serve as the truth."),
        (np.full((2, 3), np.nan), "must be complete to serve as the truth, but some of its entries are missing."),
    ],
)
def test_data_that_does_not_fit_is_refused(tmp_path: Path, data: np.ndarray[Any, Any], problem: str) -> None:
    np.save(tmp_path / "good.npy", data)
    with pytest.raises(InvalidInput, match=f"^{re.escape(str(tmp_path / 'good.npy'))} {re.escape(problem)}$"):
        example().load(tmp_path)


def test_a_damaged_file_is_not_passed_over_for_a_worse_one(tmp_path: Path) -> None:
    (tmp_path / "good.npy").write_text("no array")
    np.save(tmp_path / "bad.npy", np.ones((2, 3)))
    with pytest.raises(UnreadableFile, match=r"good.npy is not a .npy file that can be read"):
        example().load(tmp_path)


# Those that ship, and those that may be there


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_comes_out_the_same_every_time(name: str) -> None:
    dataset = datasets()[name]
    loaded = dataset.load()
    assert loaded.truth.shape == dataset.shape
    assert loaded.truth.std() > 0.05
    np.testing.assert_array_equal(loaded.truth, dataset.load().truth)


def test_syn_has_the_ranks_it_promises() -> None:
    truth = datasets()["syn"].load().truth
    unfoldings = [np.moveaxis(truth, mode, 0).reshape(truth.shape[mode], -1) for mode in range(3)]
    assert [np.linalg.matrix_rank(unfolding, tol=1e-8) for unfolding in unfoldings] == [5, 5, 3]


def test_much_of_blobs_is_zero_and_weather_has_four_modes() -> None:
    assert 0.2 < np.mean(datasets()["blobs"].load().truth == 0) < 0.8
    assert datasets()["weather"].load().truth.ndim == 4


@pytest.mark.skipif(not REAL_DATA.is_dir(), reason="the real data is not there")
@pytest.mark.parametrize("name", [name for name in datasets() if name not in MADE])
def test_the_real_file_loads_and_has_the_known_checksum(name: str) -> None:
    try:
        loaded = datasets()[name].load(REAL_DATA)
    except DataNotFound:
        pytest.skip("this one is not there")
    assert loaded.notes == ()
    assert loaded.truth.shape == datasets()[name].shape
    assert 0 <= loaded.truth.min() < loaded.truth.max() <= 1

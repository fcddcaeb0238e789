"""A Completion in a notebook: pictures, facts and a curve, in HTML that needs nothing else."""

from __future__ import annotations

import base64
import io
import re
import time
import xml.dom.minidom
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tensorfill.completion import Certificate, Completion, History, Iteration, StopReason
from tensorfill.errors import TooLarge
from tensorfill.estimates.estimate import ConstantEstimate, DenseEstimate
from tensorfill.notebook import html
from tensorfill.notebook.card import LARGEST
from tensorfill.notebook.drawings import draw_curve, draw_thumbnail
from tensorfill.observed import ObservedTensor
from tensorfill.views import shades_of, view_of

HOSTILE = '<script>alert("1")</script>&\'<img src=x onerror=alert(1)>'


def completed(truth: NDArray[Any], known: NDArray[np.bool_], **facts: Any) -> Completion:
    """A completion that guessed everything right."""
    told: dict[str, Any] = {
        "method": "nonneg-dual",
        "stop": StopReason("gradient", "The gradient is small."),
        "seconds": 1.25,
        **facts,
    }
    estimate = DenseEstimate(truth.astype(np.float64))
    return Completion(observed=ObservedTensor.from_array(truth, known), estimate=estimate, nonnegative=True, **told)


def steps(cost: list[float]) -> History:
    return History([Iteration(i, 0.5 * i, value) for i, value in enumerate(cost)])


def pictures(page: str) -> list[NDArray[np.uint8]]:
    """The pictures of a page, as colour."""
    found = re.findall(r'src="data:image/png;base64,([^"]*)"', page)
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(text))).convert("RGB")) for text in found]


def text_of(page: str) -> str:
    """What a person reads; fails if the page is not well-formed."""
    document = xml.dom.minidom.parseString(re.sub(r"(<img [^>]*)>", r"\1/>", page))

    def inside(node: Any) -> str:
        return str(node.data) if node.nodeType == node.TEXT_NODE else " ".join(map(inside, node.childNodes))

    return re.sub(r"\s+", " ", inside(document)).strip()


@pytest.fixture
def photo() -> NDArray[np.uint8]:
    down, across = np.mgrid[0:40, 0:60]
    return np.stack([4 * down, 4 * across, 255 - 3 * down], axis=2).astype(np.uint8)


@pytest.fixture
def known() -> NDArray[np.bool_]:
    known = np.ones((40, 60, 3), dtype=bool)
    known[10:20, 10:20] = False
    return known


# What it says


def test_it_tells_what_was_done(photo: NDArray[Any], known: NDArray[Any]) -> None:
    proof = Certificate(upper=2.0, lower=1.9, negativity=0.0, complementarity=0.0, stationarity=0.0)
    done = completed(photo, known, certificate=proof, smallest=-0.00025, negative_share=0.125, history=steps([3, 2, 1]))
    said = text_of(html(done))
    for part in (
        "before",
        "after",
        "holes are checkered",
        "method nonneg-dual",
        "shape 40 × 60 × 3, uint8",
        "observed 6,900 of 7,200 entries (95.8%)",
        "seconds 1.25",
        "stopped The gradient is small.",
        "certificate relative gap 5.00e-02",
        "smallest before clipping -0.00025; 12.50% of the entries below zero",
        "cost: 3",
        "1 s",
    ):
        assert part in said


def test_it_says_what_is_not_known(photo: NDArray[Any], known: NDArray[Any]) -> None:
    page = html(completed(photo, known))
    assert "certificate none" in text_of(page)
    assert "smallest before clipping not looked at" in text_of(page)
    assert "<svg" not in page


def test_notes_are_there(photo: NDArray[Any], known: NDArray[Any]) -> None:
    assert "⚠ Nothing is observed there." in text_of(
        html(completed(photo, known, notes=("Nothing is observed there.",)))
    )


def test_every_text_is_escaped(photo: NDArray[Any], known: NDArray[Any]) -> None:
    done = completed(photo, known, method=HOSTILE, stop=StopReason("done", HOSTILE), notes=(HOSTILE,))
    page = html(done)
    assert text_of(page).count(HOSTILE) == 3
    assert "<script" not in page
    assert page.count("<img") == 2


def test_it_needs_no_scripts_and_no_files(photo: NDArray[Any], known: NDArray[Any]) -> None:
    page = html(completed(photo, known, history=steps([3, 2, 1])))
    assert not re.search(r"<(script|link|style|iframe|object)|\bon\w+=|url\(|@import", page)
    addresses = re.findall(r'(?:src|href)="([^"]{0,22})', page)
    assert set(addresses) == {"data:image/png;base64,"}
    assert re.findall(r"https?://[^\"]*", page) == ["http://www.w3.org/2000/svg"]


def test_it_takes_its_colours_from_the_notebook(photo: NDArray[Any], known: NDArray[Any]) -> None:
    page = html(completed(photo, known, history=steps([3, 2, 1])))
    assert not re.search(r"(?<!-)color:(?!inherit)|background:(?!none)", page)
    assert set(re.findall(r'stroke="([^"]*)"', page)) == {"currentColor", "#3b82f6"}


# Pictures


def test_before_has_the_holes_and_after_has_not(photo: NDArray[Any], known: NDArray[Any]) -> None:
    before, after = pictures(html(completed(photo, known)))
    assert before.shape == after.shape == (171, 256, 3)
    differ = np.abs(before.astype(int) - after).max(axis=2) > 25
    scale = 256 / 60
    inside = differ[round(11 * scale) : round(19 * scale), round(11 * scale) : round(19 * scale)]
    assert inside.mean() > 0.9
    differ[round(9 * scale) : round(21 * scale), round(9 * scale) : round(21 * scale)] = False
    assert not differ.any()


def test_small_pictures_are_shown_exactly() -> None:
    truth = np.arange(0, 240, 20, dtype=np.uint8).reshape(3, 4)
    known = np.ones((3, 4), dtype=bool)
    known[1, 2] = False
    before, after = pictures(html(completed(truth, known)))
    np.testing.assert_array_equal(after[8::16, 8::16, 0][:3, :4], truth)
    hole = before[16:32, 32:48].reshape(-1, 3)
    assert len(np.unique(hole, axis=0)) == 2, "a checkerboard even in one entry"
    assert (hole[:, 0] != hole[:, 1]).all(), "no gray, which would pass for a value"
    np.testing.assert_array_equal(before[:16], after[:16])


def test_known_values_are_those_observed_even_if_the_model_has_others() -> None:
    truth = np.full((4, 4), 200, dtype=np.uint8)
    known = np.eye(4, dtype=bool)
    observed = ObservedTensor.from_array(truth, known)
    stop = StopReason("done", "Done.")
    guess = ConstantEstimate((4, 4), 10.0)
    done = Completion(observed, "x", guess, nonnegative=True, stop=stop, seconds=0.0, keep_observed=False)
    before, after = pictures(html(done))
    assert before[8, 8].tolist() == [200, 200, 200]
    assert after[8, 8].tolist() == [10, 10, 10]


def test_shrinking_mixes_holes_and_values_in_proportion() -> None:
    part = np.full((1024, 1024), 255, dtype=np.uint8)
    known = np.zeros(part.shape, dtype=bool)
    known[::2] = True
    address = draw_thumbnail(part, 255.0, known).address
    (shown,) = pictures(f'src="{address}"')
    dark, light = np.array([0.64, 0.46, 0.86]), np.array([0.80, 0.68, 0.94])
    np.testing.assert_allclose(shown[0, 0], (1 + dark) / 2 * 255, atol=1)
    np.testing.assert_allclose(shown[0, 8], (1 + light) / 2 * 255, atol=1)


@pytest.mark.parametrize(
    ("shape", "index", "caption"),
    [
        ((5, 6), (), ""),
        ((5, 6, 1), (0,), ""),
        ((5, 6, 3), (slice(3),), ""),
        ((5, 6, 4), (slice(3),), "tensor[:, :, :3]: its first three channels as red, green and blue"),
        ((5, 6, 2), (1,), "tensor[:, :, 1]: the middle"),
        ((5, 6, 9), (4,), "tensor[:, :, 4]: the middle"),
        ((5, 6, 8, 3), (4, slice(3)), "tensor[:, :, 4, :]: the middle"),
        (
            (5, 6, 8, 4),
            (4, slice(3)),
            "tensor[:, :, 4, :3]: the middle, its first three channels as red, green and blue",
        ),
        ((5, 6, 8, 7), (4, 3), "tensor[:, :, 4, 3]: the middle"),
        ((5, 6, 2, 7, 3), (1, 3, slice(3)), "tensor[:, :, 1, 3, :]: the middle"),
    ],
)
def test_the_view_is_the_middle_of_what_is_neither_rows_columns_nor_colours(
    shape: tuple[int, ...], index: tuple[Any, ...], caption: str
) -> None:
    view = view_of(np.zeros(shape, dtype=bool))
    assert view.index[2:] == index
    assert view.caption == caption
    assert view.of(np.zeros(shape)).shape in ((5, 6), (5, 6, 3))


@pytest.mark.parametrize("channels", [(), (3,)])
def test_a_frame_with_holes_is_shown_rather_than_a_whole_one(channels: tuple[int, ...]) -> None:
    known = np.ones((5, 6, 20, *channels), dtype=bool)
    known[:, :, [2, 13, 19]] = False
    view = view_of(known)
    assert view.index[2] == 13
    assert view.caption.startswith("tensor[:, :, 13")
    assert "the lost slice nearest to the middle" in view.caption
    assert view_of(np.ones_like(known)).index[2] == 10


def test_the_caption_says_which_frame_and_what_is_white() -> None:
    clip = np.linspace(0, 4, 8 * 9 * 11).reshape(8, 9, 11)
    said = text_of(html(completed(clip, np.random.default_rng(0).random(clip.shape) < 0.5)))
    assert re.search(r"tensor\[:, :, 5\]: the middle; white is 3\.9\d+ ", said)


def test_signed_data_is_shown_from_its_smallest_value_with_its_bounds() -> None:
    field = np.linspace(-3, 1, 400).reshape(20, 20)
    known = np.random.default_rng(0).random(field.shape) < 0.5
    done = replace(completed(np.abs(field), known), observed=ObservedTensor.from_array(field, known, lower=None))
    done = replace(done, estimate=DenseEstimate(field), lower=-5)
    bounded = replace(done, lower=-3, upper=2.5, smallest=-3.1, negative_share=0.25)
    said = text_of(html(bounded))
    assert "smallest before clipping -3.1; 25.00% of the entries below -3" in said
    assert "bounds nowhere below -3, nowhere above 2.5" in said
    assert re.search(r"white is 0\.9\d+; black is -2\.9\d+", said)
    after = pictures(html(bounded))[1]
    assert (after.min(), after.max()) == (0, 255)
    free = text_of(html(replace(done, lower=None, nonnegative=False, smallest=-3.1)))
    assert "smallest -3.1 bounds no bound below, no bound above" in free
    assert "bounds" not in text_of(html(completed(np.abs(field), known)))


@pytest.mark.parametrize(
    "part",
    [
        np.zeros((4, 5)),
        np.full((4, 5), 1e308),
        np.full((4, 5), 5e-324),
        np.full((4, 5), 2**64 - 1, np.uint64),
        np.eye(6, dtype=bool),
        np.full((300, 2), 7, np.uint16),
        np.full((2, 3000), 0.5, np.float16),
        np.full((1, 1), 65504, np.float16),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("error")
def test_any_range_and_dtype_is_shown(part: NDArray[Any]) -> None:
    known = np.ones(part.shape, dtype=bool)
    known[-1, -1] = part.size == 1
    before, after = pictures(html(completed(part, known)))
    assert max(before.shape) <= 256
    assert min(before.shape[:2]) >= 16
    assert shades_of(part)[1] > 0
    assert after.max() == (255 if part.any() else 0)


def test_a_tensor_that_is_too_large_has_a_sentence_instead() -> None:
    side = 300
    assert side**3 > LARGEST
    observed = ObservedTensor.from_coordinates([[0, 1, 2]], [1.0], (side, side, side))
    stop = StopReason("done", "Done.")
    done = Completion(observed, "x", ConstantEstimate((side,) * 3, 1.0), nonnegative=True, stop=stop, seconds=0.0)
    page = html(done)
    assert "No picture: the tensor has 27,000,000 entries, too many to build only to be looked at" in text_of(page)
    assert "<img" not in page
    assert "tensor" not in done.__dict__, "it was not built"


def test_a_tensor_that_does_not_fit_in_memory_has_a_sentence_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    done = completed(np.ones((3, 4)), np.eye(3, 4, dtype=bool))
    monkeypatch.setattr("tensorfill.completion.physical_memory", lambda: 8)
    with pytest.raises(TooLarge):
        done.tensor  # noqa: B018
    assert "No picture: The full tensor of shape (3, 4) would need" in text_of(html(done))


def test_a_large_photo_is_small_and_quick() -> None:
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (1080, 1920, 3), dtype=np.uint8)
    done = completed(noise, rng.random(noise.shape) < 0.5, history=steps([1 / (i + 1) for i in range(3000)]))
    assert done.tensor.shape == noise.shape
    started = time.process_time()
    page = html(done)
    assert time.process_time() - started < 1.0
    assert len(page) < 200_000
    assert pictures(page)[0].shape == (144, 256, 3)


def test_even_noise_of_the_largest_thumbnail_is_small() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (256, 256, 3), dtype=np.uint8)
    assert len(html(completed(noise, np.random.default_rng(1).random(noise.shape) < 0.5))) < 200_000


# The curve


def curve_of(history: History) -> str:
    return draw_curve(history.seconds, history.cost)


def points_of(drawing: str) -> NDArray[np.float64]:
    (points,) = re.findall(r'points="([^"]*)"', drawing)
    return np.array([[float(part) for part in point.split(",")] for point in points.split()])


def test_the_curve_falls_as_the_cost_does() -> None:
    points = points_of(curve_of(steps([5, 4, 2, 1])))
    assert np.all(np.diff(points[:, 0]) > 0)
    assert np.all(np.diff(points[:, 1]) > 0), "downwards on the page"
    np.testing.assert_allclose(points[[0, -1], 0], [2, 254])
    np.testing.assert_allclose(points[[0, -1], 1], [18, 78])


def test_a_wide_range_is_drawn_on_a_logarithmic_scale() -> None:
    drawing = curve_of(steps([1000, 100, 10, 1]))
    assert "cost, logarithmic: 1000" in drawing
    np.testing.assert_allclose(np.diff(points_of(drawing)[:, 1]), 20, atol=0.11)
    assert "logarithmic" not in curve_of(steps([1000, 100, 10, -1]))


def test_a_long_history_is_thinned_and_keeps_its_ends() -> None:
    drawing = curve_of(steps([10_000.0 - i for i in range(10_000)]))
    assert len(points_of(drawing)) == 200
    assert "from 1e+04 to 1" in drawing


@pytest.mark.parametrize("cost", [[], [1.0], [np.nan, 2.0], [np.inf, np.nan]])
def test_there_is_no_curve_without_two_numbers(cost: list[float]) -> None:
    assert curve_of(steps(cost)) == ""


@pytest.mark.parametrize("cost", [[1.0, 1.0], [0.0, 0.0, 0.0], [np.nan, 2.0, 1.0], [1e308, -1e308], [-1.0, -2.0]])
@pytest.mark.filterwarnings("error")
def test_odd_costs_are_drawn_inside_the_frame(cost: list[float]) -> None:
    points = points_of(curve_of(steps(cost)))
    assert np.isfinite(points).all()
    assert points.min() >= 2
    assert points[:, 1].max() <= 78

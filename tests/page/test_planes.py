"""Any tensor is looked at as planes, and its holes are sites of them."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.formats import Contents
from tensorfill.formats.contents import Metadata
from tensorfill.page.planes import Layout, Shades, draw_all, draw_plane, pack, unpack

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("shape", "kind", "sites", "depth"),
    [
        ((4, 5), "picture", (1, 4, 5), 1),
        ((4, 5, 3), "picture", (1, 4, 5), 3),
        ((4, 5, 7), "video", (7, 4, 5), 1),
        ((4, 5, 7, 3), "video", (7, 4, 5), 3),
        ((4, 5, 9), "cube", (9, 4, 5), 1),
        ((4, 5, 6, 7), "array", (42, 4, 5), 1),
        ((4, 5, 2), "array", (1, 4, 5), 1),
    ],
)
def test_planes_and_sites_of_every_kind(shape: tuple[int, ...], kind: str, sites: tuple[int, ...], depth: int) -> None:
    data = RNG.integers(0, 256, shape, dtype=np.uint8)
    layout = Layout.of(Contents(data, metadata=Metadata(kind=kind)))  # type: ignore[arg-type]
    assert (layout.sites, layout.depth) == (sites, depth)
    drawn = list(draw_all(data, layout, Shades(0.0, 255.0)))
    assert [len(plane) for plane in drawn] == [sites[1] * sites[2] * depth] * sites[0]
    mask = RNG.random(sites) < 0.5
    whole = layout.as_tensor(mask)
    assert whole.shape == shape
    assert (layout.all_known(whole) == mask).all(), "there and back"


def test_a_plane_is_the_slice_that_its_number_counts_to() -> None:
    data = np.arange(2 * 3 * 4 * 5, dtype=np.uint8).reshape(2, 3, 4, 5)
    layout = Layout(data.shape, 0)
    assert (draw_plane(data, layout, Shades(0.0, 255.0), 7) == data[:, :, 1, 2]).all()


def test_shades_are_those_of_what_is_known() -> None:
    data = np.array([[0.0, np.nan], [8.0, 1000.0]])
    known = np.array([[True, False], [True, False]])
    shades = Shades.of(data, known)
    assert shades.white <= 8.0
    assert draw_plane(data, Layout(data.shape, 0), shades, 0).tolist() == [[0, 0], [255, 255]]


def test_sites_are_packed_eight_in_a_byte() -> None:
    sites = RNG.random((3, 5, 7)) < 0.3
    packed = pack(sites)
    assert len(packed) == 14
    assert (unpack(packed, sites.shape) == sites).all()
    with pytest.raises(ValueError, match="not as many sites"):
        unpack(packed + b"0", sites.shape)

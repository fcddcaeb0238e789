"""Damaged folders of frames."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from damaged import Damaged, Link, Sound
from pickles import Marker
from picture_damage import CLIP, COLOUR_CLIP, drawn, saved

from tensorfill.formats import Metadata


def _clip(name: str = "a/frame_{:04d}.png") -> dict[str, bytes]:
    ending = name[name.index(".") :]
    return {name.format(index + 1): saved(f"a{ending}", CLIP[:, :, index]) for index in range(6)}


def frames_sounds() -> tuple[Sound, ...]:
    """No frame can be damaged unnoticed."""
    pngs, tiffs = _clip(), _clip("a/{}.tif")
    checked = tuple((name, 0, len(content), 1) for name, content in pngs.items())
    return (
        Sound("frames", "a", pngs, checked, {name: len(content) for name, content in pngs.items()}),
        Sound("frames of tif", "a", tiffs, (), {name: len(content) for name, content in tiffs.items()}),
    )


def frames_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """One frame that is something else, or a link, or numbered absurdly."""
    clip = _clip()
    victim = f"a/frame_{rng.integers(1, 7):04d}.png"
    others = {
        "of no bytes": b"",
        "that is a jpeg": drawn("a.jpg", CLIP[:, :, 0]),
        "that is text": b"hello\n",
        "that is a pickle": marker.pickle(rng),
        "that is a link to text": Link("@secret.txt"),
        "in colour": saved("a.png", COLOUR_CLIP[:, :, 0]),
        "of 16 bits": saved("a.png", CLIP[:, :, 0].astype(np.uint16)),
    }
    for what, content in others.items():
        yield Damaged(f"frames with one {what}", "a", {**clip, victim: content})
    size = {**clip, victim: saved("a.png", CLIP[:9, :, 0])}
    yield Damaged("frames with one of another size", "a", size, ("--format", "frames"))
    far = {"a/frame_1.png": clip["a/frame_0001.png"], "a/frame_999999999999.png": clip["a/frame_0002.png"]}
    yield Damaged("frames numbered far apart", "a", far, ("--format", "frames"))
    yield Damaged(
        "frames of which two have a number", "a", {**clip, "a/frame_1.png": clip[victim]}, ("--format", "frames")
    )
    yield Damaged("frames of no bytes", "a", dict.fromkeys(clip, b""))
    yield Damaged("frames of noise", "a", {name: rng.bytes(200) for name in clip})
    yield Damaged("frames without any", "a", {"a/": b""})
    yield Damaged("frames without numbers", "a", {"a/one.png": clip[victim]}, ("--format", "frames"))
    loops = {name: Link(name.removeprefix("a/")) for name in clip}
    yield Damaged("frames that are links to themselves", "a", loops, ("--format", "frames"))
    stack = saved("a.tif", CLIP, Metadata(kind="video"))
    yield Damaged("frames that are stacks", "a", {f"a/{number}.tif": stack for number in range(3)})
    clear = saved("a.png", CLIP[:, :, 0], Metadata(kind="picture", alpha=np.zeros(CLIP.shape[:2], np.uint8)))
    yield Damaged("frames all transparent", "a", dict.fromkeys(clip, clear))

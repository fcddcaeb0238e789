"""Clips: dead frames and scratches."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tensorfill import formats

from .case import Case, colours, gray_rgb, widened
from .command import tensorfill
from .material import Data, Material

RATE = Fraction(30000, 1001)


def gray_mp4(material: Material, folder: Path) -> Case:
    """Scratches that stay where they are, and two frames that are gone."""
    truth = material.gray_clip
    save_video(folder / "clean.mp4", truth)
    tensorfill(
        folder, "hide", "clean.mp4", "-o", "holes.mkv", "--pattern", "scratches", "--keep", "0.95",
        "--write-mask", "scratches.png",
    )  # fmt: skip
    scratches = formats.read_contents(folder / "scratches.png").data == 0
    damaged = np.where(scratches[..., None], 255, truth).astype(np.uint8)
    dead = [10, 11]
    damaged[:, :, dead] = 0
    save_video(folder / "scratched.mp4", damaged)
    grown = widened(scratches)  # the codec blurs scratches into what is beside them
    formats.write(folder / "mask.png", formats.Contents(grown.astype(np.uint8) * np.uint8(255)))
    known = np.broadcast_to(~grown[..., None], truth.shape).copy()
    known[:, :, dead] = False
    return Case(
        "mp4-gray",
        "gray MP4: scratches, two dead frames",
        truth,
        known,
        ("scratched.mp4", "--mask", "mask.png", "--mask-means", "missing", "--missing-frames", "10-11"),
        folder / "scratched-filled.mkv",
        given=formats.read_contents(folder / "scratched.mp4").data,
        check=lambda found: {"frame rate": found.metadata.frame_rate == RATE},
        view=lambda data: np.hstack([gray_rgb(data[:, :, 3]), gray_rgb(data[:, :, 10])]),
    )


def colour_mp4(material: Material, folder: Path) -> Case:
    """Scratches that move from frame to frame, and two frames that are gone."""
    truth = material.colour_clip
    rows, columns, frames = truth.shape[:3]
    scratches = np.zeros((rows, columns, frames), dtype=bool)
    rng = np.random.default_rng(1)
    for frame in range(frames):
        for middle in rng.integers(columns // 8, columns - columns // 8, 3):
            lean = rng.uniform(-0.05, 0.05)
            at = np.clip(np.rint(middle + lean * np.arange(rows)).astype(int), 0, columns - 1)
            scratches[np.arange(rows), at, frame] = True
    damaged = np.where(scratches[..., None], 240, truth).astype(np.uint8)
    dead = [6, 13]
    damaged[:, :, dead] = 0
    save_video(folder / "film.mp4", damaged)
    grown = widened(scratches)
    formats.write(
        folder / "film-mask.mkv",
        formats.Contents(grown.astype(np.uint8) * np.uint8(255), metadata=formats.Metadata(kind="video")),
    )
    known = ~grown
    known[:, :, dead] = False
    return Case(
        "mp4-colour",
        "colour MP4: moving scratches, two dead frames",
        truth,
        colours(known),
        ("film.mp4", "--mask", "film-mask.mkv", "--mask-means", "missing", "--missing-frames", "6,13"),
        folder / "film-filled.mkv",
        given=formats.read_contents(folder / "film.mp4").data,
        check=lambda found: {"frame rate": found.metadata.frame_rate == RATE},
        view=lambda data: np.hstack([data[:, :, 3], data[:, :, 6]]),
    )


def gif_clip(material: Material, folder: Path) -> Case:
    """Three dead frames."""
    from PIL import Image

    truth = material.gray_clip[:, :, :20]
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, [4, 9, 13]] = False  # not side by side: Pillow makes one frame of two that are alike
    frames = [Image.fromarray(frame) for frame in np.moveaxis(np.where(known, truth, 0).astype(np.uint8), 2, 0)]
    frames[0].save(folder / "clip.gif", save_all=True, append_images=frames[1:], duration=40, loop=0)
    return Case(
        "gif",
        "GIF: three dead frames",
        truth,
        known,
        ("clip.gif", "--missing-frames", "4,9,13"),
        folder / "clip-filled.gif",
        check=lambda found: {"frame rate": found.metadata.frame_rate == 25},
    )


def folder_of_frames(material: Material, folder: Path) -> Case:
    """Two numbers are not there."""
    from PIL import Image

    truth = material.colour_clip[:, :, :12]
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, [3, 7]] = False
    (folder / "frames").mkdir()
    for frame in range(truth.shape[2]):
        if known[0, 0, frame, 0]:
            Image.fromarray(truth[:, :, frame]).save(folder / "frames" / f"shot_{frame + 1:04}.png")
    return Case(
        "frames",
        "folder of frames: two are not there",
        truth,
        known,
        ("frames", "--output-format", "frames"),
        folder / "frames-filled",
        reading={"format": "frames"},
        check=lambda found: {
            "names": sorted(file.name for file in (folder / "frames-filled").iterdir())
            == [f"shot_{frame + 1:04}.png" for frame in range(truth.shape[2])]
        },
    )


def y4m_clip(material: Material, folder: Path) -> Case:
    """Every entry of a gray clip is missing with probability 0.7; the mask is an array."""
    truth = material.gray_clip[:, :, :20]
    rows, columns, frames = truth.shape
    known = np.random.default_rng(3).random(truth.shape) < 0.3
    head = f"YUV4MPEG2 W{columns} H{rows} F30000:1001 Ip A1:1 Cmono\n".encode()
    body = b"".join(b"FRAME\n" + np.where(known, truth, 0)[:, :, frame].tobytes() for frame in range(frames))
    (folder / "clip.y4m").write_bytes(head + body)
    np.save(folder / "known.npy", known)
    return Case(
        "y4m",
        "gray Y4M: 70 % missing, mask in .npy",
        truth,
        known,
        ("clip.y4m", "--observed", "known.npy"),
        folder / "clip-filled.y4m",
        check=lambda found: {"frame rate": found.metadata.frame_rate == RATE},
    )


def raw_yuv(material: Material, folder: Path) -> Case:
    """Raw frames of gray with neutral colour, one of them dead."""
    truth = material.gray_clip[:, :, :20]
    rows, columns, frames = truth.shape
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, 8] = False
    neutral = bytes([128]) * (rows * columns // 2)
    left = np.where(known, truth, 0).astype(np.uint8)
    (folder / "clip.yuv").write_bytes(b"".join(left[:, :, frame].tobytes() + neutral for frame in range(frames)))
    return Case(
        "yuv",
        "raw YUV: a dead frame",
        truth,
        known,
        ("clip.yuv", "--size", f"{columns}x{rows}", "--missing-frames", "8"),
        folder / "clip-filled.yuv",
        reading={"size": (columns, rows)},
        check=lambda found: {"length": (folder / "clip-filled.yuv").stat().st_size == rows * columns * frames * 3 // 2},
    )


def save_video(path: Path, clip: Data) -> None:
    """H.264 as a camera would write it: good quality, half the resolution for colour."""
    import av

    colour = clip.ndim == 4
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=RATE, options={"crf": "16"})
        stream.height, stream.width, stream.pix_fmt = *clip.shape[:2], "yuv420p" if colour else "gray"
        for frame in np.moveaxis(clip, 2, 0):
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24" if colour else "gray")
            container.mux(stream.encode(picture))
        container.mux(stream.encode())

"""Clips to write and to read, for the tests of videos."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from tensorfill.formats import Contents, Metadata


def video(data: NDArray[Any], rate: Fraction | None = Fraction(25)) -> Contents:
    return Contents(data, metadata=Metadata(kind="video", frame_rate=rate))


def noise(shape: tuple[int, ...], dtype: Any = np.uint8, seed: int = 0) -> NDArray[Any]:
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def scene(rows: int = 64, columns: int = 80, frames: int = 12, *, colour: bool = True) -> NDArray[np.uint8]:
    """Something like a clip: soft shapes in all shades that move, with a little noise."""
    y, x, t = np.ogrid[:rows, :columns, :frames]
    waves = [np.sin((x + 2 * t) / (9 + 4 * c)) + np.cos((y - t) / (7 + 3 * c)) for c in range(3)]
    values = np.stack([127.5 + 63.7 * wave for wave in waves], axis=-1)
    values += np.random.default_rng(0).normal(0, 2, values.shape)
    clip = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return clip if colour else clip[..., 0]


def encode(path: Path, data: NDArray[Any], codec: str, pixels: str, *, rate: int = 25, **more: Any) -> Path:
    """Write a file as another program would; `times` in milliseconds, `turned` in degrees, and with `sound`."""
    times = more.get("times")
    tick = Fraction(1, 1000) if times else Fraction(1, rate)
    with av.open(str(path), "w") as output:
        stream = output.add_stream(codec, rate=rate)
        stream.height, stream.width, stream.pix_fmt = data.shape[0], data.shape[1], pixels
        stream.codec_context.time_base = tick
        if "turned" in more:
            stream.set_display_rotation(more["turned"])
        sound = output.add_stream("aac", rate=44100) if more.get("sound") else None
        for number in range(data.shape[2]):
            picture = np.ascontiguousarray(data[:, :, number])
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24" if data.ndim == 4 else "gray")
            frame = frame.reformat(format=pixels)
            frame.pts, frame.time_base = times[number] if times else number, tick
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
        if sound is not None:
            beep(output, sound)
    return path


def beep(output: Any, stream: Any) -> None:
    """Add a little silence."""
    silence = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
    silence.sample_rate, silence.pts = 44100, 0
    output.mux(stream.encode(silence))
    output.mux(stream.encode(None))

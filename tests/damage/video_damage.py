"""Damaged videos: .mkv, .avi, .mp4, .mov, .y4m and raw .yuv."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import av
import numpy as np
from damaged import Damaged, Sound, one, whole
from numpy.typing import NDArray
from pickles import Marker
from picture_damage import CLIP, COLOUR_CLIP, saved

from tensorfill.formats import Metadata

_VIDEO = Metadata(kind="video", frame_rate=Fraction(25))
_SIZE = ("--size", "32x24")


def lossless_sounds() -> tuple[Sound, ...]:
    """FFV1 has a checksum in every frame, a .mkv in every part, and both containers declare how long they are."""
    found = []
    for ending in ("mkv", "avi"):
        for what, clip in {"gray": CLIP, "in colour": COLOUR_CLIP, "of 16 bits": CLIP.astype(np.uint16) * 257}.items():
            content = saved(f"a.{ending}", clip, _VIDEO)
            checked = _parts(content) if ending == "mkv" else _packets(content)
            found.append(whole(f"{ending} {what}", f"a.{ending}", content, *checked))
    return tuple(found)


def _packets(content: bytes) -> Iterator[tuple[int, int]]:
    """Where the bytes of every frame are."""
    with av.open(io.BytesIO(content)) as container:
        for packet in container.demux(video=0):
            if packet.size:
                place = content.index(bytes(packet))
                yield place, place + packet.size


def _parts(content: bytes) -> Iterator[tuple[int, int]]:
    """The insides of the parts of a .mkv file: each begins with its checksum, after two bytes that announce it."""
    place = content.index(b"\x18\x53\x80\x67") + 12
    while place < len(content):
        start, size = _sized(content, place + 9 - content[place].bit_length())
        if content.startswith(b"\xbf\x84", start):
            yield start + 2, start + size
        place = start + size


def _sized(content: bytes, place: int) -> tuple[int, int]:
    """Where a part begins whose length is told there, and that length."""
    length = 9 - content[place].bit_length()
    return place + length, int.from_bytes(content[place : place + length], "big") - (1 << 7 * length)


def lossless_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Sizes in headers that are absurd, parts that are missing, playlists that name other files."""
    mkv, avi = saved("a.mkv", CLIP, _VIDEO), saved("a.avi", CLIP, _VIDEO)
    for what, mark in {"tracks": b"\x16\x54\xae\x6b", "cluster": b"\x1f\x43\xb6\x75"}.items():
        yield one(f"mkv without {what}", "a.mkv", mkv.replace(mark, b"\xec" + mark[1:]))
    width = mkv.index(b"\xb0\x81\x20\xba\x81\x18")
    for size in (0, 1, 33, 200):
        yield one(f"mkv of {size} columns", "a.mkv", mkv[: width + 2] + bytes((size,)) + mkv[width + 3 :])
    yield one(
        "mkv of an unknown codec",
        "a.mkv",
        mkv.replace(b"V_MS/VFW/FOURCC", b"V_WHAT/IS/THIS0").replace(b"V_FFV1", b"V_WHAT"),
    )
    for what, mark in {"stream": b"strf", "frames": b"movi"}.items():
        yield one(f"avi without {what}", "a.avi", avi.replace(mark, b"what"))
    form = avi.index(b"strf") + 8
    for columns, rows in ((2**31 - 1, 2**31 - 1), (100_000, 100_000), (0, 0), (-5, 24)):
        content = bytearray(avi)
        struct.pack_into("<ii", content, form + 4, columns, rows)
        yield one(f"avi of {columns} columns and {rows} rows", "a.avi", bytes(content))
    header = avi.index(b"strh") + 8
    more = bytearray(avi)
    struct.pack_into("<I", more, header + 32, int(rng.integers(20, 10**9)))
    yield one("avi that declares more frames than it has", "a.avi", bytes(more))
    lists = {
        "concat": b"ffconcat version 1.0\nfile /etc/passwd\n",
        "m3u8": b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
        "sdp": b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=a\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n",
        "image list": b"\x89PNG\r\n\x1a\n%03d.png",
    }
    for what, text in lists.items():
        for ending in ("mkv", "mp4", "avi"):
            yield one(f"{ending} that is a playlist of kind {what}", f"a.{ending}", text)


def mp4_sounds() -> tuple[Sound, ...]:
    """H.264 has no checksums; cut within the box behind the frames, all of them may still be read."""
    contents = {"a.mp4": saved("a.mp4", COLOUR_CLIP, _VIDEO), "b.mp4": saved("a.mp4", CLIP, _VIDEO)}
    contents["a.mov"] = saved("a.mov", CLIP, _VIDEO)
    return tuple(whole(f"video {name}", name, each, cut=each.index(b"moov")) for name, each in contents.items())


def mp4_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Boxes that are not there, or that declare the wrong size."""
    mp4 = saved("a.mp4", CLIP, _VIDEO)
    for box in (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"stsz", b"stco", b"stsc", b"avc1", b"avcC"):
        yield one(f"mp4 without {box.decode()}", "a.mp4", mp4.replace(box, b"what"))
    place = mp4.index(b"mdat") - 4
    for size in (2**31, len(mp4) * 2):
        content = mp4[:place] + struct.pack(">I", size) + mp4[place + 4 :]
        yield one(f"mp4 with an mdat of {size} bytes", "a.mp4", content)
    sizes = mp4.index(b"stsz") + 12
    content = bytearray(mp4)
    struct.pack_into(">I", content, sizes + 4, int(rng.integers(2**20, 2**31)))
    yield one("mp4 with a first frame of many bytes", "a.mp4", bytes(content))
    place = mp4.index(b"stco") + 12
    content = bytearray(mp4)
    struct.pack_into(">I", content, place, len(mp4) + 999)
    yield one("mp4 whose frames are beyond the end", "a.mp4", bytes(content))
    data = mp4.index(b"mdat") + 4
    content = bytearray(mp4)
    stop = len(mp4) if mp4.index(b"moov") < data else mp4.index(b"moov") - 4
    content[data:stop] = bytes(stop - data)
    yield one("mp4 whose frames are wiped", "a.mp4", bytes(content))


def raw_sounds() -> tuple[Sound, ...]:
    """Y4M: the word before each frame, and the size. Raw video: its length alone."""
    y4m, deep = saved("a.y4m", COLOUR_CLIP, _VIDEO), saved("a.y4m", CLIP.astype(np.uint16) * 257, _VIDEO)
    yuv = saved("a.yuv", CLIP)
    frame = len(yuv) // 6
    return (
        whole("y4m in colour", "a.y4m", y4m, (0, 9), *_words(y4m, COLOUR_CLIP[:, :, 0])),
        whole("y4m of 16 bits", "a.y4m", deep, (0, 9), *_words(deep, np.empty(2 * CLIP[:, :, 0].size, np.uint8))),
        *(Sound(f"yuv of {count} frames", "a.yuv", {"a.yuv": yuv[: count * frame]}, (), {}, _SIZE) for count in (1, 6)),
    )


def _words(content: bytes, frame: NDArray[Any]) -> Iterator[tuple[int, int]]:
    place = content.index(b"\n") + 1
    while place < len(content):
        yield place, place + 5
        place += 6 + frame.size


def raw_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Lines and lengths that are wrong."""
    y4m, yuv = saved("a.y4m", CLIP, _VIDEO), saved("a.yuv", CLIP)
    line, _, frames = y4m.partition(b"\n")
    for size in (b"0", b"-32", b"many", b"", str(rng.integers(10**6, 10**12)).encode(), b"9" * 999, b"33", b"31"):
        yield one(f"y4m of {size[:14].decode()} columns", "a.y4m", line.replace(b"W32", b"W" + size) + b"\n" + frames)
    for colours in (b"C420what", b"Crgb", b"C444p99", b"C444", b"Cmono16"):
        yield one(f"y4m of colours {colours.decode()}", "a.y4m", line.replace(b"Cmono", colours) + b"\n" + frames)
    yield one("y4m without frames", "a.y4m", line + b"\n")
    yield one("y4m without an end of its line", "a.y4m", line + bytes(9999))
    yield one("y4m with a line too long", "a.y4m", line + b" X" + b"a" * 9999 + b"\n" + frames)
    yield one("y4m with something after the end", "a.y4m", y4m + rng.bytes(20))
    frame = len(yuv) // 6
    for _ in range(12):
        length = frame * int(rng.integers(0, 6)) + int(rng.integers(1, frame))
        yield one(f"yuv cut to {length} bytes", "a.yuv", yuv[:length], *_SIZE)
    yield one("yuv of which nobody says the size", "a.yuv", yuv)
    for size in ("0x24", "-32x24", "99999999x99999999", "32", "axb", "31x24"):
        yield one(f"yuv said to be {size}", "a.yuv", yuv, "--size", size)
    yield one("yuv that is a y4m", "a.yuv", y4m, *_SIZE)

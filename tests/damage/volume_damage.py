"""Damaged ENVI cubes and NIfTI volumes."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator

import nibabel
import numpy as np
from damaged import Damaged, Link, Sound, content_of, one, packed, whole, written
from numpy_damage import NUMBERS
from pickles import Marker
from vast import GIGABYTES, gzip_zeros

from tensorfill import formats
from tensorfill.formats import Contents, Metadata

_CUBE = (1000 * NUMBERS).astype(np.uint16)
_HEADER = (
    "ENVI\nsamples = 5\nlines = 6\nbands = 4\nheader offset = 0\ndata type = 12\ninterleave = bsq\nbyte order = 0\n"
)


def envi_sounds() -> tuple[Sound, ...]:
    """A file of numbers must be as long as the header says, so it cannot be cut."""
    metadata = Metadata(kind="cube", wavelengths=(400.0, 500.0, 600.0, 700.0), band_names=("a", "b", "c", "d"))
    files = written("a.hdr", lambda path: formats.write(path, Contents(_CUBE, metadata=metadata)))
    plain = {"a.hdr": _HEADER.encode(), "a.dat": _CUBE.tobytes()}
    last = files["a.hdr"].index(b"interleave =") + 13
    checked = (("a.hdr", 0, 4, 1), *_digits(files["a.hdr"]))
    return (
        Sound("envi", "a.hdr", files, checked, {"a.img": len(files["a.img"]), "a.hdr": last}),
        Sound("envi by hand", "a.hdr", plain, (("a.hdr", 0, 4, 1), *_digits(plain["a.hdr"])), {"a.dat": 240}),
    )


def _digits(header: bytes) -> tuple[tuple[str, int, int, int], ...]:
    """Where the sizes are."""
    places = [header.index(f"{name} = ".encode()) + len(name) + 3 for name in ("samples", "lines", "bands")]
    return tuple(("a.hdr", place, place + 1, 1) for place in places)


def envi_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Fields that are wrong, data that is elsewhere, nothing known."""
    numbers = _CUBE.tobytes()
    wrong = {
        "samples": ["-5", "0", "five", "5.5", str(rng.integers(2**40, 2**60)), "9" * 500, "", "0x5"],
        "lines": ["99999999", "-1", "1e3"],
        "bands": [str(rng.integers(5, 10**9)), "{4}"],
        "header offset": [str(2**62), "-8", "1"],
        "data type": ["6", "7", "99", "-1", "text"],
        "interleave": ["bsx", ""],
        "byte order": ["2", "big"],
    }
    for name, values in wrong.items():
        for value in values:
            lines = [f"{name} = {value}" if line.startswith(f"{name} =") else line for line in _HEADER.splitlines()]
            yield _envi(f"envi with {name} {value[:20]}", "\n".join(lines), numbers)
    for name in ("samples", "lines", "data type"):
        lines = [line for line in _HEADER.splitlines() if not line.startswith(name)]
        yield _envi(f"envi without {name}", "\n".join(lines), numbers)
    yield _envi("envi that is packed", _HEADER + "file compression = 1\n", numbers)
    yield _envi("envi with too many bytes", _HEADER, numbers + bytes(int(rng.integers(1, 99))))
    yield _envi("envi with a brace that is not closed", _HEADER.replace("lines", "description = {a\nlines"), numbers)
    yield _envi("envi of which all is ignored", _HEADER + "data ignore value = 7\n", np.full(120, 7, "<u2").tobytes())
    yield _envi("envi with bad bands alone", _HEADER + "bbl = {0, 0, 0, 0}\n", numbers)
    floats = _HEADER.replace("data type = 12", "data type = 4")
    yield _envi("envi all nan", floats, np.full(120, np.nan, "<f4").tobytes())
    for field in ("data file", "file", "dataset", "data file name"):
        yield one(f"envi whose {field} is elsewhere", "a.hdr", f"{_HEADER}{field} = /etc/passwd\n".encode())
    for target in ("/dev/zero", "@secret.txt", "a.img"):
        files = {"a.hdr": _HEADER.encode(), "a.img": Link(target)}
        yield Damaged(f"envi whose numbers are a link to {target}", "a.hdr", files)


def _envi(what: str, header: str, numbers: bytes) -> Damaged:
    return Damaged(what, "a.hdr", {"a.hdr": header.encode(), "a.img": numbers})


def nifti_sounds() -> tuple[Sound, ...]:
    """Sizes, type, magic and offset count; of what is packed, all does, but for time and system in front."""
    ours = content_of("a.nii", lambda path: formats.write(path, Contents(NUMBERS.astype(np.float32))))
    tight = content_of("a.nii.gz", lambda path: formats.write(path, Contents(_CUBE)))
    image = nibabel.Nifti2Image(_CUBE[:, :, :3].astype(np.int16), np.eye(4))
    theirs = content_of("a.nii", lambda path: nibabel.save(image, path))
    first = ((0, 4), (42, 48), (344, 347))
    return (
        whole("nifti", "a.nii", ours, *first),
        whole("nifti packed", "a.nii.gz", tight, (0, 3), packed(10, len(tight))),
        whole("nifti 2", "a.nii", theirs, (0, 7), (24, 48)),
    )


def nifti_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Headers that are wrong, in both kinds of file, and bombs."""
    sound = content_of("a.nii", lambda path: formats.write(path, Contents(_CUBE)))
    big = int(rng.integers(20_000, 32_767))
    changes = {
        "too large": (40, struct.pack("<8h", 3, big, big, big, 1, 1, 1, 1)),
        "of seven large modes": (40, struct.pack("<8h", 7, *[big] * 7)),
        "negative": (40, struct.pack("<8h", 3, -6, 5, 4, 1, 1, 1, 1)),
        "zero": (40, struct.pack("<8h", 3, 6, 0, 4, 1, 1, 1, 1)),
        "of no modes": (40, struct.pack("<8h", 0, 6, 5, 4, 1, 1, 1, 1)),
        "of many modes": (40, struct.pack("<8h", 99, 6, 5, 4, 1, 1, 1, 1)),
        "complex": (70, struct.pack("<2h", 32, 64)),
        "of colours": (70, struct.pack("<2h", 128, 24)),
        "of no type": (70, struct.pack("<2h", 0, 0)),
        "of an unknown type": (70, struct.pack("<2h", 4097, 16)),
        "in two files": (344, b"ni1\0"),
        "at a negative place": (108, struct.pack("<f", -400.0)),
        "at a place far off": (108, struct.pack("<f", 1e30)),
        "at no place": (108, struct.pack("<f", np.nan)),
        "larger than it is": (42, struct.pack("<h", 7)),
        "smaller than it is": (42, struct.pack("<h", 5)),
    }
    for what, (place, change) in changes.items():
        content = sound[:place] + change + sound[place + len(change) :]
        yield one(f"nifti {what}", "a.nii", content)
        yield one(f"nifti packed {what}", "a.nii.gz", gzip.compress(content, mtime=0))
    nothing = content_of("a.nii", lambda path: formats.write(path, Contents(np.full((6, 5, 4), np.nan))))
    yield one("nifti all nan", "a.nii", nothing)
    yield one("nifti packed, all nan", "a.nii.gz", gzip.compress(nothing, mtime=0))
    yield one("nifti bomb after a small volume", "a.nii.gz", gzip_zeros(2 * GIGABYTES, sound))
    declared = sound[:40] + struct.pack("<8h", 3, big, big, big, 1, 1, 1, 1) + sound[56:352]
    yield one("nifti bomb that declares its size", "a.nii.gz", gzip_zeros(GIGABYTES, declared))

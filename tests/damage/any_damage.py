"""Damage that any extension can suffer: nothing in it, noise, something else, a pickle, a link, a pipe, a folder."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from damaged import Damaged, Link, Piece, Pipe, Sound, one
from pickles import Marker

from tensorfill.formats import known_extensions

_ALIKE = (
    {".mkv", ".mp4", ".m4v", ".mov", ".avi"},
    {".h5", ".hdf5", ".he5", ".mat"},
    {".csv", ".csv.gz", ".tsv", ".tsv.gz"},
    {".tns", ".tns.gz"},
    {".nii", ".nii.gz"},
    {".jpg", ".jpeg"},
    {".tif", ".tiff"},
)
"""Extensions that tell the same or are looked into: which of them a file has is no damage."""
_FOLDERS = (".zarr",)
_NEEDS = {".yuv": ("--size", "32x24")}


def everywhere(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """For every extension, a few of the things that are never right; no bytes at all among them."""
    for extension in known_extensions():
        name, options = f"a{extension}", _NEEDS.get(extension, ())
        noise = rng.bytes(1 + 2 * int(rng.integers(50, 5000)))
        pieces: dict[str, Piece] = {
            "of one byte": rng.bytes(1),
            "of noise": noise,
            "of zeros": bytes(len(noise)),
            "of text": b"The quick brown fox jumps over the lazy dog.\n" * 7,
            "that is a pickle": marker.pickle(rng),
            "that is a link to itself": Link(name),
            "that is a link to nowhere": Link("@nowhere"),
            "that is a link to a device": Link("/dev/zero"),
            "that is a pipe": Pipe(),
        }
        yield one(f"{extension} of no bytes", name, b"", *options)
        for what in rng.choice(sorted(pieces), 3, replace=False):
            yield one(f"{extension} {what}", name, pieces[what], *options)
        if extension not in _FOLDERS and rng.random() < 0.3:
            yield Damaged(f"{extension} that is a folder", name, {f"{name}/": b""}, options)


def misnamed(sounds: tuple[Sound, ...], rng: np.random.Generator) -> Iterator[Damaged]:
    """Without end: a sound file under the extension of another format."""
    singles = [sound for sound in sounds if len(sound.files) == 1 and "/" not in next(iter(sound.files))]
    while True:
        sound = singles[int(rng.integers(len(singles)))]
        own = next(each for each in known_extensions() if sound.name.endswith(each))
        other = str(rng.choice(known_extensions()))
        alike = own == other or any(own in group and other in group for group in _ALIKE)
        if not alike and other != ".yuv":  # any bytes of the right number are raw video
            content = next(iter(sound.files.values()))
            yield one(f"{sound.what} called {other}", f"a{other}", content)

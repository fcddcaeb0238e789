"""Damage to bytes, whatever they mean: cut short, bits flipped, stretches wiped or lost or doubled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from damaged import Damaged, Sound


def damages(sounds: tuple[Sound, ...], rng: np.random.Generator) -> Iterator[Damaged]:
    """Without end: one file after the other, cut or with bits flipped."""
    while True:
        for sound in sounds:
            yield _cut(sound, rng) if sound.cuts and (rng.random() < 0.5 or not sound.checked) else _hit(sound, rng)


def _cut(sound: Sound, rng: np.random.Generator) -> Damaged:
    """Anywhere, or close to where the file ends."""
    name = str(rng.choice(sorted(sound.cuts)))
    most = sound.cuts[name]
    near = rng.random() < 0.3
    length = int(rng.integers(max(0, most - 24), most) if near else rng.integers(most))
    words = f"{sound.what} cut to {length} of {len(sound.files[name])} bytes"
    return _changed(sound, name, sound.files[name][:length], words)


def _hit(sound: Sound, rng: np.random.Generator) -> Damaged:
    """As many bits of a stretch as must be noticed, or, where every bit counts, some of its bytes wiped out."""
    stretches = [stretch for stretch in sound.checked if stretch[2] > stretch[1]]
    name, start, stop, count = stretches[rng.integers(len(stretches))]
    content = bytearray(sound.files[name])
    if count == 1 and rng.random() < 0.2:
        place = int(rng.integers(start, stop))
        end = min(stop, place + int(rng.integers(1, 9)))
        content[place:end] = bytes(end - place)
        words = f"bytes {place} to {end} wiped"
    if content == sound.files[name]:
        bits = sorted(int(bit) for bit in rng.choice(8 * (stop - start), count, replace=False))
        for bit in bits:
            content[start + bit // 8] ^= 1 << bit % 8
        words = "bit " + " and ".join(f"{bit % 8} of byte {start + bit // 8}" for bit in bits) + " flipped"
    return _changed(sound, name, bytes(content), f"{sound.what} {words}")


def _changed(sound: Sound, name: str, content: bytes, words: str) -> Damaged:
    inside = "" if len(sound.files) == 1 else f" in {name}"
    return Damaged(words + inside, sound.name, {**sound.files, name: content}, sound.options)

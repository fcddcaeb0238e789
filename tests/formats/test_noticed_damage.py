"""Damage that a library would have let through, and what nobody means by a name or a size."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats import Contents, Metadata

CLIP = (np.add.outer(np.arange(16 * 20).reshape(16, 20), 9 * np.arange(5)) % 251).astype(np.uint8)


def test_a_wrong_bit_in_any_part_of_a_mkv_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    formats.write(path, Contents(CLIP, metadata=Metadata(kind="video", frame_rate=Fraction(25))))
    whole = path.read_bytes()
    width = whole.index(b"\xb0\x81\x14\xba\x81\x10") + 2
    frames = whole.index(b"\x1f\x43\xb6\x75") + 20
    for place in (width, width + 3, whole.index(b"FRAME_RATE") + 3, *range(frames, frames + 900, 97)):
        path.write_bytes(whole[:place] + bytes((whole[place] ^ 1,)) + whole[place + 1 :])
        with pytest.raises(UnreadableFile, match="damaged"):
            formats.read(path)


def test_a_table_of_more_modes_than_an_array_can_have_is_refused(tmp_path: Path) -> None:
    for ending, sign in ((".csv", ","), (".tns", " ")):
        path = tmp_path / f"a{ending}"
        path.write_text(sign.join(map(str, range(1, 35))) + "\n")
        with pytest.raises(InvalidInput, match=r"at most 32 columns of coordinates. Got 33 instead"):
            formats.read(path)

"""What is printed shows, and does nothing."""

import pytest

from tensorfill.harmless import harmless


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain name, ümlaut, 写真.png", "plain name, ümlaut, 写真.png"),
        ("\x1b[31mred.png", "\\x1b[31mred.png"),
        ("two\nlines\r.png", "two\\nlines\\r.png"),
        ("c1\x9b31m", "c1\\x9b31m"),
        ("rtl\u202egnp", "rtl\\u202egnp"),
        ("bad\udcff.npy", "bad\\xff.npy"),
        ("paragraph\u2029", "paragraph\\u2029"),
    ],
)
def test_what_a_terminal_would_obey_is_spelt_out(name: str, shown: str) -> None:
    assert harmless(name) == shown

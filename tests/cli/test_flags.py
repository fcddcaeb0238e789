"""Sentences of the library name arguments, and the command shows flags."""

from __future__ import annotations

import pytest

from tensorfill.cli.flags import as_flags


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("a.csv: Say table='wide,header' or table='long'.", "a.csv: Say --table wide,header or --table long."),
        (
            "out.npy is already there; add force=True to replace it.",
            "out.npy is already there; add --force to replace it.",
        ),
        ("read it with size=(176, 144).", "read it with --size 176x144."),
        ("can be read with frames=(0, 12).", "can be read with --frames 0-12."),
        (
            "so missing=(255, 0, 9) finds no hole; tolerance=2.5 would",
            "so --missing 255,0,9 finds no hole; --tolerance 2.5 would",
        ),
        ("add mask_means='known', or missing=VALUE.", "add --mask-means known, or --missing VALUE."),
        ("'table' takes these words: wide", "--table takes these words: wide"),
    ],
)
def test_an_argument_with_its_value_becomes_a_flag(sentence: str, shown: str) -> None:
    assert as_flags(sentence) == shown


@pytest.mark.parametrize(
    "sentence",
    ["size=3.png cannot be read.", "/a/missing=0 is a folder.", "coordinates=['a'] names 'table' and 'size'", "C=3"],
)
def test_names_of_files_and_arguments_without_a_flag_stay(sentence: str) -> None:
    assert as_flags(sentence) == sentence

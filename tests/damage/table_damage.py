"""Damaged tables: .csv, .tsv, .tns, packed by gzip or not, and .parquet."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator

import numpy as np
import pandas
import polars
from damaged import Damaged, Sound, content_of, one, packed, whole
from numpy_damage import NUMBERS
from pickles import Marker
from vast import gzip_lines

from tensorfill import formats
from tensorfill.formats import Contents

_KNOWN = NUMBERS < 0.7
_LINES = [f"{i},{j},{k},{NUMBERS[i, j, k]:.6f}" for i, j, k in np.argwhere(_KNOWN)]
_NAMES = "row,column,band,value"


def _written(name: str) -> bytes:
    return content_of(name, lambda path: formats.write(path, Contents(NUMBERS, _KNOWN)))


def csv_sounds() -> tuple[Sound, ...]:
    """A table can end after any line, so only those that are packed cannot be cut."""
    frame = pandas.DataFrame([line.split(",") for line in _LINES], columns=_NAMES.split(","))
    theirs = content_of("a.csv.gz", lambda path: frame.to_csv(path, index=False, compression="gzip"))
    contents = {"a.csv.gz": _written("a.csv.gz"), "b.csv.gz": theirs, "a.tsv.gz": _written("a.tsv.gz")}
    return tuple(
        whole(f"table {name}", name, content, packed(10 if name[0] == "a" else len(content) - 8, len(content)))
        for name, content in contents.items()
    )


def csv_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """One line that is wrong, at any place; and tables that are none."""
    for _ in range(3):
        line = _LINES[int(rng.integers(len(_LINES)))]
        fields = line.split(",")
        wrong = {
            "cut": ",".join(fields[:3])[: int(rng.integers(1, 5))],
            "with a field too many": line + ",1",
            "with letters for a number": ",".join((*fields[:3], "1.2.3")),
            "with a program for a number": ",".join((*fields[:3], "__import__('os')")),
            "with a digit of Python": ",".join((*fields[:3], "1_000")),
            "without a coordinate": ",".join((*fields[:2], "", fields[3])),
            "with a zero byte": ",".join((*fields[:2], "\0", fields[3])),
            "twice": f"{line}\n{line}",
            "with a quote that is not closed": ",".join((*fields[:2], f'"{fields[2]}', fields[3])),
        }
        for what, text in wrong.items():
            place = int(rng.integers(len(_LINES) + 1))
            lines = (
                [*_LINES[:place], text, *_LINES[place:]]
                if what != "twice"
                else [*(each for each in _LINES if each != line), text]
            )
            content = "\n".join([_NAMES, *lines]).encode() + b"\n"
            ending = str(rng.choice(["csv", "tsv"]))
            content = content.replace(b",", b"\t") if ending == "tsv" else content
            yield one(f"{ending} with line {place} {what}", f"a.{ending}", content)
    text = "\n".join([_NAMES, *_LINES])
    tight = gzip.compress(text.encode(), mtime=0)
    tables = {
        "of names alone": _NAMES.encode(),
        "of blank lines": b"\n" * 500,
        "of two columns": b"a,b\n1,2\n",
        "with a name twice": text.replace("column", "row").encode(),
        "in UTF-16": text.encode("utf-16"),
        "in another encoding": text.replace("row", "Straße").encode("latin-1"),
        "without values": "\n".join([_NAMES, *(line.rpartition(",")[0] + "," for line in _LINES)]).encode(),
        "of nan alone": "\n".join([_NAMES, *(line.rpartition(",")[0] + ",nan" for line in _LINES)]).encode(),
        "of numbers too large": "\n".join([_NAMES, *(line.rpartition(",")[0] + ",1e999" for line in _LINES)]).encode(),
        "of one long line": b"a,b," + b"c" * 2**21,
        "of very many columns": ",".join(map(str, range(100_000))).encode() + b"\n",
        "of true and numbers": f"{text}\n9,9,9,true\n".encode(),
        "with zero bytes": text.encode().replace(b"row", b"r\0w"),
    }
    for what, content in tables.items():
        yield one(f"csv {what}", "a.csv", content)
        yield one(f"csv packed {what}", "a.csv.gz", gzip.compress(content, mtime=0))
    matrices = {
        "with letters for a number": b",a,b\nr,1,\ns,x1,2\n",
        "with a field too many": b",a,b\nr,1,\ns,1,2,3\n",
        "with a quote that is not closed": b',a,b\nr,1,\ns,"1,2\n',
        "with a zero byte": b",a,b\nr,1,\ns,\0,2\n",
        "of holes": b",a,b\nr,,\ns,NA,\n",
        "with numbers of two kinds": b"x;a;b\nr;1,5;\ns;2.5;3\n",
        "that could be coordinates": b"x,a,b\nr,1,2\ns,3,4\n",
        "whose first line could be names": b"x,1,2\nr,3,\ns,5,6\n",
    }
    for what, content in matrices.items():
        yield one(f"csv of a matrix {what}", "a.csv", content)
    yield one("csv packed, and something after it", "a.csv.gz", tight + rng.bytes(20))
    yield one("csv bomb", "a.csv.gz", gzip_lines(_NAMES.encode() + b"\n", b"1,1,1,1\n", 20_000_000))
    yield one("csv bomb of one line", "a.csv.gz", gzip_lines(b"", b"11111111", 2_000_000))


def frostt_sounds() -> tuple[Sound, ...]:
    """A file of ours says how many entries it has."""
    plain, tight = _written("a.tns"), _written("a.tns.gz")
    return whole("tns", "a.tns", plain), whole("tns packed", "a.tns.gz", tight, packed(10, len(tight)))


def frostt_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """One line that is wrong, heads that are, too many indices, nothing known."""
    lines = [f"{i + 1} {j + 1} {k + 1} {NUMBERS[i, j, k]:.6f}" for i, j, k in np.argwhere(_KNOWN)]
    wrong = (
        "1 2", "1 2 3 4 5.0", "0 1 1 2.0", "-1 1 1 2.0", "1.5 1 1 2.0", "a b c d", "1 1 1 x", "1 1 1 1_0", "1,1,1,2.0",
        "99999999999999999999 1 1 2.0", "9223372036854775807 9223372036854775807 1 2.0", "\0", lines[0],
    )  # fmt: skip
    for text in wrong:
        place = int(rng.integers(1, len(lines)))
        content = "\n".join([*lines[:place], text, *lines[place:]]).encode() + b"\n"
        yield one(f"tns with line {place} {text[:30]}", "a.tns", content)
        yield one(f"tns packed with line {place} {text[:30]}", "a.tns.gz", gzip.compress(content, mtime=0))
    plain = _written("a.tns").decode()
    heads = {
        "of another number of entries": plain.replace("# entries: ", "# entries: 1"),
        "of a smaller shape": plain.replace("# shape: 6 5 4", f"# shape: 6 {rng.integers(1, 5)} 4"),
        "of fewer modes": plain.replace("# shape: 6 5 4", "# shape: 6 5"),
        "of vast modes": plain.replace("# shape: 6 5 4", "# shape: 999999999999999 5 4"),
        "of another dtype": plain.replace("# entries", "# dtype: uint8\n# entries"),
        "with a head that is no shape": "3\n6 5 x\n" + "\n".join(lines),
        "of comments alone": "# hello\n" * 50,
        "of nan alone": "\n".join(line.rpartition(" ")[0] + " nan" for line in lines),
        "of numbers too large": "\n".join(line.rpartition(" ")[0] + " 1e999" for line in lines),
        "of one mode": "1 2.0\n2 3.0\n",
        "of one long line": "1 " * 2**20,
    }
    for what, text in heads.items():
        yield one(f"tns {what}", "a.tns", text.encode())
    yield one("tns bomb", "a.tns.gz", gzip_lines(b"", b"1 1 1 1.0\n", 20_000_000))


def parquet_sounds() -> tuple[Sound, ...]:
    """The words at both ends and the length of the footer count."""
    ours = _written("a.parquet")
    frame = polars.DataFrame({"station": ["a", "b", "a"], "hour": [1, 1, 2], "count": [3.0, 4.0, 5.0]})
    theirs = content_of("a.parquet", lambda path: frame.write_parquet(path, compression="snappy"))
    return tuple(
        whole(what, "a.parquet", each, (len(each) - 8, len(each)))
        for what, each in {"parquet": ours, "parquet of labels": theirs}.items()
    )


def parquet_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Tables that are none, footers that are wrong, bombs, nothing known."""
    plain: dict[str, list[object]] = {"a": [0, 0, 1], "b": [0, 1, 0], "value": [1.0, 2.0, 3.0]}
    tables: dict[str, dict[str, list[object]]] = {
        "without values": {**plain, "value": [None] * 3},
        "of nan": {**plain, "value": [float("nan")] * 3},
        "of infinite values": {**plain, "value": [float("inf")] * 3},
        "of text for values": {**plain, "value": ["x", "y", "z"]},
        "of a pickle for values": {**plain, "value": [marker.pickle(rng)] * 3},
        "of pickles for labels": {**plain, "a": [marker.pickle(rng)] * 3},
        "of lists for labels": {**plain, "a": [[1], [2], [3]]},
        "without a coordinate": {**plain, "a": [0, None, 1]},
        "of two columns": {"a": [1], "value": [2.0]},
        "of one column": {"value": [2.0]},
        "of no rows": {name: [] for name in plain},
        "of one entry twice": {**plain, "a": [0, 0, 0], "b": [0, 0, 1]},
    }
    for what, columns in tables.items():
        frame = polars.DataFrame(columns)
        yield one(f"parquet {what}", "a.parquet", content_of("a.parquet", frame.write_parquet))
    content = content_of("a.parquet", polars.DataFrame(plain).write_parquet)
    length = struct.unpack("<I", content[-8:-4])[0]
    for said in (0, 1, length - 1, length + 1, 2**31, 2**32 - 1):
        yield one(
            f"parquet with a footer of {said} bytes", "a.parquet", content[:-8] + struct.pack("<I", said) + b"PAR1"
        )
    start = len(content) - 8 - length
    for what, footer in {"wiped": bytes(length), "of noise": rng.bytes(length), "that nests": b"\x1c" * length}.items():
        yield one(f"parquet with a footer {what}", "a.parquet", content[:start] + footer + content[-8:])
    yield one("parquet whose pages are wiped", "a.parquet", b"PAR1" + bytes(start - 4) + content[start:])
    rows = polars.repeat(True, 46_000_000, dtype=polars.Boolean, eager=True)
    frame = polars.DataFrame({"a": rows, "b": rows, "value": rows})
    yield one("parquet bomb of rows", "a.parquet", content_of("a.parquet", frame.write_parquet))

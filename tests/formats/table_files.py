"""What tests of tables share: arrays with holes, and writing and reading again."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tensorfill.formats import Contents, Entries
from tensorfill.formats.contents import Reading, TableWords
from tensorfill.formats.format import TableFormat

DTYPES = ("bool", "uint8", "int16", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64")


@st.composite
def sparse_arrays(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Contents:
    """Arrays of two to four modes of which at least one entry is known, and often whole slices are not."""
    shape = draw(arrays.array_shapes(min_dims=2, max_dims=4, max_side=4))
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    elements = {"allow_nan": False, "allow_infinity": False} if dtype.kind == "f" else {}
    data = draw(arrays.arrays(dtype, shape, elements=arrays.from_dtype(dtype, **elements)))
    observed = draw(arrays.arrays(bool, shape).filter(np.any))
    return Contents(data, observed)


def written_and_read(form: TableFormat, what: Contents | Entries, name: str, table: str | None = None) -> Entries:
    """What a file holds that `what` was written to."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        if isinstance(what, Entries):
            form.write_entries(path, what)
        else:
            assert form.refuses(what) is None
            form.write(path, what)
        back = form.read(path, Reading(table=TableWords.of(table)))
    assert isinstance(back, Entries)
    return back


def same_array(form: TableFormat, contents: Contents, name: str) -> None:
    """Check that an array comes back from a file as it was."""
    entries = written_and_read(form, contents, name)
    assert entries.labels == (None,) * contents.ndim
    back = entries.contents()
    assert (back.dtype, back.shape) == (contents.dtype, contents.shape)
    np.testing.assert_array_equal(back.known(), contents.known())
    np.testing.assert_array_equal(back.data[back.known()], contents.data[contents.known()])


def rows_of(entries: Entries) -> list[tuple[object, ...]]:
    """The labels and the value of every known entry, in order."""
    named = [range(size) if own is None else own for own, size in zip(entries.labels, entries.shape, strict=True)]
    found = [
        (*(axis[index] for axis, index in zip(named, row, strict=True)), value)
        for row, value in zip(entries.coordinates.tolist(), entries.values.tolist(), strict=True)
    ]
    return sorted(found, key=str)

"""Entries: a tensor as a table of what is known, from and to arrays, and completed."""

import numpy as np
import pytest

from tensorfill import complete
from tensorfill.errors import InvalidInput, TooLarge
from tensorfill.formats import Contents, Entries
from tensorfill.formats import entries as room

NONE = np.empty((0, 2), dtype=np.int64)


def ranks(**changes: object) -> Entries:
    """A 2 × 3 table of products with one row asked for and one entry not mentioned."""
    table = {
        "shape": (2, 3),
        "coordinates": np.array([[0, 0], [0, 1], [1, 0], [0, 2]]),
        "values": np.array([1.0, 2.0, 2.0, 3.0]),
        "asked": np.array([[1, 2]]),
        "labels": (("Oslo", "Rome"), None),
        "columns": ("city", "year", "trips"),
    }
    return Entries(**{**table, **changes})  # type: ignore[arg-type]


def test_columns_get_names_and_arrays_cannot_be_changed_by_accident() -> None:
    coordinates = np.array([[0, 0], [1, 1]])
    entries = Entries((2, 2), coordinates, np.ones(2), NONE)
    assert entries.columns == ("mode_1", "mode_2", "value")
    assert entries.labels == (None, None)
    with pytest.raises(ValueError, match="read-only"):
        entries.values[0] = 3
    coordinates[0] = 1  # the caller's own array stays as it was


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"values": np.ones(3)}, r"one value per coordinate: 4 coordinates came with values of shape \(3,\)"),
        ({"labels": (("Oslo",), None)}, r"one label per index: \(1, 3\) labels came with the shape \(2, 3\)"),
        ({"columns": ("city", "trips")}, r"one column per mode and one of values. Got 2 for 2 modes"),
        ({"asked": np.array([[2, 0]])}, r"Coordinates of mode 1 must lie in 0 … 1"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        ranks(**changes)


def test_an_entry_given_twice_is_named_by_its_labels() -> None:
    twice = ranks(coordinates=np.array([[0, 0], [1, 2], [1, 0], [1, 2]]))
    for use in (lambda: twice.observed_tensor, twice.contents):
        with pytest.raises(InvalidInput, match=r"^1 rows give .* the first of them city Rome, year 2; give each"):
            use()


def test_an_array_and_back() -> None:
    data = np.array([[1.0, np.nan, 0.0], [4.0, 5.0, np.nan]])
    entries = Entries.from_contents(Contents(data))
    assert entries.coordinates.tolist() == [[0, 0], [0, 2], [1, 0], [1, 1]]
    np.testing.assert_array_equal(entries.contents().data, data)
    assert entries.contents().observed is not None
    np.testing.assert_array_equal(entries.contents().observed, ~np.isnan(data))


def test_a_tensor_too_large_for_memory_stays_a_table() -> None:
    vast = Entries((10**6, 10**6), NONE, np.empty(0), NONE)
    with pytest.raises(TooLarge, match=r"would need 9,000.0 GB .* keep it as a table"):
        vast.contents()


def test_a_completed_table_has_every_entry_in_order() -> None:
    entries = ranks()
    done = complete(entries.observed_tensor, rank=1, C=1000)
    full = entries.complete(done)
    assert full.coordinates.tolist() == [[row, column] for row in range(2) for column in range(3)]
    np.testing.assert_array_equal(full.values, done.tensor.ravel())
    np.testing.assert_array_equal(full.values[[0, 1, 3, 2]], entries.values)
    assert (full.labels, full.columns, len(full.asked)) == (entries.labels, entries.columns, 0)


def test_a_completed_large_table_has_what_was_known_and_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LARGEST_WHOLE", 5)
    entries = ranks(asked=np.array([[1, 2], [0, 0], [1, 2]]))  # once known, once asked for twice
    done = complete(entries.observed_tensor, rank=1, C=1000, keep_observed=False)
    part = entries.complete(done)
    assert part.coordinates.tolist() == [*entries.coordinates.tolist(), [1, 2]]
    np.testing.assert_array_equal(part.values, done.predict(part.coordinates))
    assert not np.array_equal(part.values[:4], entries.values)


def test_a_table_that_would_have_too_many_rows_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    done = complete(ranks().observed_tensor, rank=1, C=1000)
    for limit, value in (("LARGEST_WHOLE", 5), ("available_memory", lambda: 287)):
        with monkeypatch.context() as changed:
            changed.setattr(room, limit, value)
            with pytest.raises(
                TooLarge, match=r"a row for each of the 6 entries .* with predict in Python, with --only"
            ):
                ranks(asked=NONE).complete(done)
            assert len(ranks(asked=np.array([[1, 2]])).complete(done).values) == 5
        assert len(ranks(asked=NONE).complete(done).values) == 6

"""`tensorfill complete --only FILE`: the entries that a table asks for, and no others."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from stand_in import MeanFill, Run

import tensorfill as library

RATINGS = "user,film,stars,when\nann,7,5,1\nann,10,4,2\nbob,7,3,3\nbob,31,1,4\ncid,31,2,5\n"
COLUMNS = ("--coordinates", "user,film", "--value", "stars")
METHOD = ("--method", "ncpc", "--rank", "1", "--set", "max_iter=20")


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    place = tmp_path / "ratings.csv"
    place.write_text(RATINGS)
    return place


@pytest.fixture
def ask(tmp_path: Path) -> object:
    """Write a table of wanted entries."""

    def write(text: str, name: str = "wanted.csv") -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def predict(ratings: Path, rows: list[tuple[str, int]], **more: object) -> list[float]:
    data = library.read(ratings, coordinates=["user", "film"], value="stars")
    return list(library.complete(data, method="ncpc", rank=1, max_iter=20).predict(rows, **more).tolist())


def test_the_table_comes_back_as_it_is_with_a_column_of_values(
    tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path
) -> None:
    wanted = ask('id,film,user,note\n3,10,cid,"a, b"\n4, 7 ,ann,\n4,10,cid,007\n')
    output = tmp_path / "filled.csv"
    outcome = tensorfill("complete", ratings, *COLUMNS, "-o", output, "--only", wanted, *METHOD, "--raw")
    assert outcome.code == 0, outcome.err
    first, second = predict(ratings, [("cid", 10), ("ann", 7)], raw=True)
    expected = f'id,film,user,note,stars\n3,10,cid,"a, b",{first}\n4," 7 ",ann,,{second}\n4,10,cid,007,{first}\n'
    assert output.read_text() == expected


def test_whole_numbers_stay_whole_and_a_note_says_how_not_to(
    tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path
) -> None:
    wanted = ask("user,film\ncid,10\nann,7\n")
    outcome = tensorfill("complete", ratings, *COLUMNS, "-o", tmp_path / "f.csv", "--only", wanted, *METHOD)
    assert "Values are rounded, because all that are known are whole numbers; --raw writes decimals." in outcome.out
    values = predict(ratings, [("cid", 10), ("ann", 7)])
    assert (tmp_path / "f.csv").read_text() == f"user,film,stars\ncid,10,{values[0]}\nann,7,5\n"


def test_bounds_are_kept(tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path) -> None:
    wanted = ask("user,film\ncid,10\nbob,10\ncid,7\n")
    outcome = tensorfill(
        *("complete", ratings, *COLUMNS, "-o", tmp_path / "f.csv", "--only", wanted, *METHOD, "--raw"),
        *("--lower", 2, "--upper", 3, "--clip-negative"),
    )
    assert outcome.code == 0, outcome.err
    assert pandas.read_csv(tmp_path / "f.csv").stars.between(2, 3).all()
    assert max(predict(ratings, [("cid", 10), ("bob", 10), ("cid", 7)], raw=True)) > 3


def test_what_is_not_in_the_data_has_no_value_where_the_method_tells_nothing_about_it(
    tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path
) -> None:
    wanted = ask("user,film\nzoe,10\nann,7\nann,8\n")
    outcome = tensorfill("complete", ratings, *COLUMNS, "-o", tmp_path / "f.csv", "--only", wanted, *METHOD)
    assert outcome.code == 0
    assert "2 of the 3 wanted entries have a label that is not in the data, the first of them user 'zoe'; ncpc " in (
        outcome.out.replace("\n", " ")
    )
    assert (tmp_path / "f.csv").read_text() == "user,film,stars\nzoe,10,\nann,7,5\nann,8,\n"


def test_it_has_one_where_the_method_can_tell(tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path) -> None:
    wanted = ask("user,film\nzoe,10\nann,7\n")
    outcome = tensorfill(
        "complete", ratings, *COLUMNS, "-o", tmp_path / "f.csv", "--only", wanted, "--method", "mean-fill"
    )
    assert "these values come from the other coordinates alone" in outcome.out.replace("\n", " ")
    assert (tmp_path / "f.csv").read_text() == "user,film,stars\nzoe,10,3\nann,7,5\n"


def test_a_column_of_values_that_is_there_is_filled_in(
    tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path
) -> None:
    wanted = ask("user,stars,film\nann,1,7\n")
    outcome = tensorfill("complete", ratings, *COLUMNS, "-o", tmp_path / "f.csv", "--only", wanted, *METHOD)
    assert "What is in the column 'stars' of" in outcome.out
    assert (tmp_path / "f.csv").read_text() == "user,stars,film\nann,5,7\n"


def test_the_report_names_the_table_and_says_what_was_noted(
    tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path
) -> None:
    wanted = ask("user,film\nzoe,10\n")
    outcome = tensorfill("complete", ratings, *COLUMNS, "-o", tmp_path / "f.csv", "--only", wanted, *METHOD, "--json")
    told = json.loads(outcome.out)
    assert told["only"] == str(wanted)
    assert any("1 of the 1 wanted entries have a label" in note for note in told["losses"])


def test_several_tables_are_asked_the_same(tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text(RATINGS.replace("ann,7,5", "ann,7,1"))
    wanted = ask("film,user\n7,ann\n")
    outcome = tensorfill(
        *("complete", ratings, tmp_path / "more.csv", *COLUMNS, "-o", tmp_path / "out", "--only", wanted, *METHOD)
    )
    assert outcome.code == 0, outcome.err
    found = [(tmp_path / "out" / name).read_text() for name in ("ratings.csv", "more.csv")]
    assert found == ["film,user,stars\n7,ann,5\n", "film,user,stars\n7,ann,1\n"]


@pytest.mark.parametrize("data", ["csv", "parquet"])
@pytest.mark.parametrize("listed", ["csv", "parquet"])
@pytest.mark.parametrize("written", ["csv", "parquet", "tsv.gz"])
def test_formats_of_tables_can_be_mixed(
    tensorfill: Run, ratings: Path, tmp_path: Path, data: str, listed: str, written: str
) -> None:
    wanted = polars.DataFrame({"film": [10, 7], "user": ["cid", "ann"], "day": [1.5, None]})
    table = polars.read_csv(ratings)
    table.write_parquet(tmp_path / "ratings.parquet")
    wanted.write_csv(tmp_path / "wanted.csv")
    wanted.write_parquet(tmp_path / "wanted.parquet")
    output = tmp_path / f"f.{written}"
    outcome = tensorfill(
        "complete", tmp_path / f"ratings.{data}", *COLUMNS, "-o", output, "--only", tmp_path / f"wanted.{listed}",
        *METHOD, "--raw",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    expected = wanted.with_columns(stars=polars.Series(predict(ratings, [("cid", 10), ("ann", 7)], raw=True)))
    if written == "parquet":
        found = polars.read_parquet(output)
    elif written == "csv":
        found = polars.read_csv(output)
    else:
        found = polars.read_csv(gzip.decompress(output.read_bytes()), separator="\t")
    assert found.equals(expected), found


def test_numbers_alone_are_listed_in_the_form_of_frostt(tensorfill: Run, tmp_path: Path) -> None:
    (tmp_path / "counts.tns").write_text("1 1 2\n1 2 4\n2 1 3\n3 2 5\n")
    with gzip.open(tmp_path / "wanted.tns.gz", "wt") as file:
        file.write("# what is wanted\n3 1\n1 1 9.5\n\n3 1\n7 1\n")
    outcome = tensorfill(
        "complete", tmp_path / "counts.tns", "-o", tmp_path / "f.tns", "--only", tmp_path / "wanted.tns.gz", *METHOD
    )
    assert outcome.code == 0, outcome.err
    data = library.read(tmp_path / "counts.tns")
    value = library.complete(data, method="ncpc", rank=1, max_iter=20).predict([[2, 0]])[0]
    assert (tmp_path / "f.tns").read_text() == f"# shape: 3 2\n3 1 {value}\n1 1 2\n3 1 {value}\n7 1 nan\n"
    tensorfill("complete", tmp_path / "counts.tns", "-o", tmp_path / "f.csv", "--only", tmp_path / "f.tns", *METHOD)
    assert (tmp_path / "f.csv").read_text() == f"mode_1,mode_2,value\n2,0,{value}\n0,0,2\n2,0,{value}\n6,0,\n"


def test_lines_without_names_are_those_of_data_without_names(tensorfill: Run, tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text("7\t30\t5\t881\n7\t40\t4\t882\n9\t30\t3\t883\n")
    (tmp_path / "wanted.tsv").write_text("9\t40\n7\t30\n")
    outcome = tensorfill(
        *("complete", tmp_path / "u.data", "--format", "csv", "--coordinates", "1,2", "--value", 3),
        *("-o", tmp_path / "f.csv", "--only", tmp_path / "wanted.tsv", "--table", "no-header", "--method", "mean-fill"),
    )
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "f.csv").read_text() == "column_1,column_2,column_3\n9,40,4\n7,30,5\n"


def test_deviations_are_a_table_of_their_own(tensorfill: Run, ratings: Path, ask: Run, tmp_path: Path) -> None:
    wanted = ask("film,user\nz,a\nx,a\nw,a\n")
    (tmp_path / "same.csv").write_text("user,film,stars\na,x,2\na,y,2\nb,x,2\nb,z,2\n")
    outcome = tensorfill(
        *("complete", tmp_path / "same.csv", "-o", tmp_path / "f.csv", "--only", wanted),
        *("--uncertainty", tmp_path / "d.csv"),
    )
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "f.csv").read_text() == "film,user,stars\nz,a,2\nx,a,2\nw,a,2\n"
    deviation = 2 / np.sqrt(5)
    expected = f"film,user,stars_deviation\nz,a,{deviation}\nx,a,0.0\nw,a,{deviation}\n"
    assert (tmp_path / "d.csv").read_text() == expected


def test_a_few_entries_of_a_vast_tensor_need_no_more_than_those(tensorfill: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    users, films, days = 20_000, 20_000, 200
    rows = np.column_stack([rng.integers(0, size, 30_000) for size in (users, films, days)])
    frame = polars.DataFrame(rows, schema=["user", "film", "day"]).unique()
    frame.with_columns(stars=polars.Series(rng.random(len(frame)))).write_parquet(tmp_path / "r.parquet")
    wanted = frame.sample(10_000, seed=1)
    wanted.write_csv(tmp_path / "wanted.csv")
    outcome = tensorfill(
        "complete", tmp_path / "r.parquet", "-o", tmp_path / "f.csv", "--only", tmp_path / "wanted.csv",
        "--method", "mean-fill", "--value", "stars",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    expected = wanted.join(polars.read_parquet(tmp_path / "r.parquet"), on=["user", "film", "day"], how="left")
    assert (
        polars.read_csv(tmp_path / "f.csv")
        .sort("user", "film", "day")
        .equals(expected.select("user", "film", "day", "stars").sort("user", "film", "day"))
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "user,movie\nann,7\n",
            "must have the columns 'user', 'film', as the data has. It has no 'film'; the columns in it",
        ),
        (
            "ann,7\nbob,10\n",
            "must have the columns 'user', 'film', as the data has. It has no 'user'; the columns in it",
        ),
        ("user,film\n", "has no rows, so nothing is asked for."),
        ("", "is empty; a table has a line of names and a line per entry."),
        ("user,film\nann,7\nann,\n", "has no 'film': every row needs all its coordinates."),
        ("user,film\nann,7\nann\n", "must have 2 fields, as the first line. Got 1 instead."),
        ("user,film,film\nann,7,8\n", "names 'film' twice; the names of its columns must differ."),
    ],
    ids=["other names", "no names", "no rows", "empty", "no label", "cut short", "twice"],
)
def test_a_table_that_asks_for_nothing_is_refused_before_the_work(
    refused: Run, solver: MeanFill, ratings: Path, ask: Run, tmp_path: Path, text: str, sentence: str
) -> None:
    wanted = ask(text)
    outcome = refused("complete", ratings, *COLUMNS, "-o", tmp_path / "f.csv", "--only", wanted)
    assert sentence in outcome.err
    assert not solver.calls


def test_other_files_are_refused_before_the_work(
    refused: Run, solver: MeanFill, ratings: Path, ask: Run, tmp_path: Path
) -> None:
    wanted, output = ask("user,film\nann,7\n"), tmp_path / "f.csv"
    only = ("--only", wanted)
    tables = "a table: .csv, .tsv, .parquet or .tns. Got"
    named = ("complete", ratings, *COLUMNS)
    assert f"With --only, -o writes {tables}" in refused(*named, "-o", tmp_path / "f.npy", *only).err
    assert f"--only reads {tables}" in refused(*named, "-o", output, "--only", tmp_path / "w.npy").err
    uncertain = refused(*named, "-o", output, *only, "--uncertainty", tmp_path / "u.png")
    assert f"With --only, --uncertainty writes {tables}" in uncertain.err
    assert "There is no file" in refused(*named, "-o", output, "--only", tmp_path / "none.csv").err
    assert "cannot both be" in refused(*named, "-o", wanted, *only, "--force").err
    assert "numbers counted from 1 instead of labels" in refused(*named, "-o", tmp_path / "f.tns", *only).err
    (tmp_path / "w.tns").write_text("1 1\n")
    assert "counted from 1 instead of labels" in refused(*named, "-o", output, "--only", tmp_path / "w.tns").err
    np.save(tmp_path / "array.npy", np.array([[1.0, np.nan], [2.0, 3.0]]))
    outcome = refused("complete", tmp_path / "array.npy", "-o", output, *only)
    assert "is no table with a line per entry; if it can be read as one, add --table long." in outcome.err
    assert not solver.calls


def test_too_many_entries_to_list_them_all_are_refused_before_the_work(
    refused: Run, solver: MeanFill, tmp_path: Path
) -> None:
    (tmp_path / "vast.tns").write_text("100000 1 2.5\n1 100000 3\n")
    outcome = refused("complete", tmp_path / "vast.tns", "-o", tmp_path / "f.csv")
    assert "a row for each of the 10,000,000,000 entries" in outcome.err
    assert "with --only FILE in the shell" in outcome.err
    assert not solver.calls


def test_columns_that_do_not_count_are_left_out(tensorfill: Run, ratings: Path, tmp_path: Path) -> None:
    outcome = tensorfill("complete", ratings, *COLUMNS, "-o", tmp_path / "f.csv", "--method", "mean-fill")
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "f.csv").read_text().startswith("user,film,stars\nann,7,5\nann,10,4\nann,31,3\n")


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        (("--coordinates", "user,movie"), "has no column 'movie'. The columns in it are: user, film, stars, when."),
        (("--coordinates", "user"), "needs at least two columns of coordinates, each named once, and another one"),
        (("--coordinates", "user,film", "--value", "film"), "Got --coordinates user,film, and values in 'film'."),
        (("--coordinates", "user,9"), "has no column '9'."),
    ],
)
def test_columns_that_are_not_there_are_named(
    refused: Run, ratings: Path, tmp_path: Path, named: tuple[str, ...], sentence: str
) -> None:
    outcome = refused("complete", ratings, *named, "-o", tmp_path / "f.csv")
    assert sentence in outcome.err


def test_a_table_of_whole_numbers_tells_how_to_name_its_columns(refused: Run, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("userId,movieId,rating,timestamp\n7,1,3,851866703\n9,1,4,938629179\n")
    outcome = refused("complete", tmp_path / "r.csv", "-o", tmp_path / "f.csv")
    assert "name those that do, as in --coordinates user,film and --value stars." in outcome.err

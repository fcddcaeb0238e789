"""The pages on datasets: the table is that of the registry, and the guide's example works as it stands."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from tensorfill.bench.dataset import datasets
from tensorfill.bench.extras import load_extras

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "datasets.md"
GUIDE = ROOT / "docs" / "how-to" / "add-a-dataset.md"


def test_the_table_of_datasets_is_up_to_date_and_has_every_dataset_and_every_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    harness, program = import_module("harness"), import_module("datasets_page")
    table, page = program.render(datasets().values()), PAGE.read_text(encoding="utf-8")
    assert harness.insert(page, "datasets", table) == page, "python benchmarks/datasets_page.py"
    lines = table.splitlines()
    assert len(lines) == len(datasets()) + 2
    assert len({line.count("|") for line in lines}) == 1
    for line, dataset in zip(lines[2:], datasets().values(), strict=True):
        assert line.startswith(f"| `{dataset.name}` | {dataset.kind}")
        assert all(f"`{file.name}`" in line for file in dataset.files)
        assert line.count("(approximate)") == sum(file.approximate is not None for file in dataset.files)


def test_an_old_table_is_replaced_and_the_rest_of_the_page_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    insert = import_module("harness").insert
    begin, end = "<!-- mine:begin -->", "<!-- mine:end -->"
    page = f"# Title\n\n{begin}\n| old |\n{end}\n\nThe end.\n"
    assert insert(page, "mine", "| new |") == page.replace("old", "new")
    for broken in (page.replace(begin, ""), page.replace(end, ""), f"{end}{begin}"):
        with pytest.raises(SystemExit, match="so the table was not put there"):
            insert(broken, "mine", "| new |")


def test_the_example_of_the_guide_is_a_dataset(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    from_a_file, made = (_load(tmp_path / f"example{number}.py", code) for number, code in enumerate(blocks))

    assert from_a_file.name not in datasets()
    text = "\n".join(",".join("7" if station == 3 else "1" for _ in range(24)) for station in range(30))
    (tmp_path / from_a_file.files[0].name).write_text("\n".join([text] * 14))
    loaded = from_a_file.load(tmp_path)
    assert loaded.truth.shape == from_a_file.shape == (14, 30, 24)
    np.testing.assert_allclose(loaded.truth[:, 3], 1)
    np.testing.assert_allclose(loaded.truth[:, 4], 1 / 7)

    assert made.name not in datasets()
    assert made.load().truth.shape == made.shape


def _load(path: Path, code: str):  # type: ignore[no-untyped-def]
    path.write_text(code, encoding="utf-8")
    with load_extras([path]) as found:
        return found.known[found.datasets[0]]

"""docs/how-to/ratings.md is true: its command runs on the files its Python writes, and gives what `predict` does."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest
from test_docs import commands, run_python
from typer.testing import CliRunner

from tensorfill.cli import app


def test_the_commands_of_the_page_give_what_its_python_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_python("docs/how-to/ratings.md")["done"]
    (command,) = commands("docs/how-to/ratings.md")
    result = CliRunner().invoke(app, command[1:])
    assert result.exit_code == 0, result.output
    found = pandas.read_csv("filled.csv")
    assert list(found.columns) == ["id", "film", "user", "stars"]
    assert found.stars.tolist() == done.predict(found).tolist()

"""The same from the shell and from Python: what is copied is safe to run, whatever a file is called."""

from __future__ import annotations

import ast
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from served import httpx  # which skips where the page cannot be served
from typer.testing import CliRunner

from tensorfill.cli import app
from tensorfill.page.recipes import name_filled, name_holes, python_recipe, shell_recipe
from tensorfill.page.work import Wish

assert httpx


@pytest.mark.parametrize(
    "name", ["photo.png", "my photo.png", "$(rm -rf ~).png", "a'b\"c.png", "--force.png", "`x`;y.png"]
)
def test_a_name_is_one_word_of_the_shell_and_one_string_of_python(name: str) -> None:
    wish = Wish("linear", {}, holes="0" * 24)
    words = shlex.split(shell_recipe(name, wish, table=False, words={}))
    assert words[:3] == ["tensorfill", "complete", f"./{name}" if name.startswith("-") else name]
    calls = [
        node
        for node in ast.walk(ast.parse(python_recipe(name, wish, table=False, words={})))
        if isinstance(node, ast.Constant)
    ]
    assert name in [constant.value for constant in calls]


def test_settings_are_typed_as_the_command_takes_them() -> None:
    wish = Wish("auto", {"effort": "low"}, seed=3, lower=None, upper=1.5, time_limit=20)
    assert shell_recipe("a.npy", wish, table=False, words={}) == (
        "tensorfill complete a.npy -o a-filled.npy --method auto --effort low "
        "--seed 3 --lower none --upper 1.5 --time-limit 20"
    )
    wish = Wish("nonneg-dual", {"rank": (3, 3, 2), "keep": True})
    assert "--set rank=3,3,2 --set keep=true" in shell_recipe("a.npy", wish, table=False, words={})


def test_both_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Image.fromarray(np.random.default_rng(0).integers(9, 200, (12, 10, 3), dtype=np.uint8)).save("photo.png")
    known = np.ones((12, 10), dtype=bool)
    known[3:6, 2:7] = False
    np.save("known.npy", known)
    wish = Wish("linear", {}, holes="0" * 24)
    outcome = CliRunner().invoke(app, shlex.split(shell_recipe("photo.png", wish, table=False, words={}))[1:])
    assert outcome.exit_code == 0, outcome.output
    by_command = Path("photo-filled.png").read_bytes()
    exec(compile(python_recipe("photo.png", wish, table=False, words={}), "recipe", "exec"), {})
    assert Path("photo-filled.png").read_bytes() == by_command


def test_names_of_results() -> None:
    assert name_filled("scan.nii.gz") == "scan-filled.nii.gz"
    assert name_holes("counts.csv") == "counts-holes.csv"
    assert name_filled("clip") == "clip-filled"

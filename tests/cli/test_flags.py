"""Sentences of the library name arguments; the command has flags for them."""

from __future__ import annotations

import pytest
import typer

from tensorfill.cli import app
from tensorfill.cli.app import in_flags
from tensorfill.errors import must_be

COMMANDS = dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
OPTIONS = [
    (verb, option.name, option)
    for verb, command in COMMANDS.items()
    for option in command.params
    if option.param_type_name == "option" and option.name != "help"
]


@pytest.mark.parametrize(("verb", "name", "option"), OPTIONS, ids=[f"{verb}-{name}" for verb, name, _ in OPTIONS])
def test_every_option_of_every_verb_is_named_by_its_flag(verb: str, name: str, option: typer.core.TyperOption) -> None:
    flag = in_flags(f"{name}=").rstrip()
    assert flag in option.opts
    assert in_flags(must_be(name, "be better", 3)) == f"{flag} must be better. Got 3 instead."
    assert in_flags(f"The '{name}' of tmac must be a number.") == f"The {flag} of tmac must be a number."
    assert in_flags(f"leave out {name}=None, or take {name}=4.") == f"leave out {flag} none, or take {flag} 4."
    if option.is_flag:
        assert in_flags(f"add {name}=True to do it.") == f"add {flag} to do it."


@pytest.mark.parametrize(
    ("argument", "flag"),
    [
        ("lower=None", "--lower none"),
        ("lower=-3.0", "--lower -3.0"),
        ("tolerance=1e-05", "--tolerance 1e-05"),
        ("rank=(10, 10, 3)", "--rank 10,10,3"),
        ("missing=(255, 0, 255)", "--missing 255,0,255"),
        ("frames=(0, 99)", "--frames 0-99"),
        ("frames=(FIRST, LAST)", "--frames FIRST-LAST"),
        ("missing=VALUE", "--missing VALUE"),
        ("size=(176, 144)", "--size 176x144"),
        ("table='wide,no-header'", "--table wide,no-header"),
        ("method='t-ctv'", "--method t-ctv"),
        ("negatives='clip'", "--clip-negative"),
        ("keep_observed=False", "--no-keep-observed"),
        ("random_state=3", "--seed 3"),
        ("means='known'", "--mask-means known"),
    ],
)
def test_values_are_written_as_they_are_typed(argument: str, flag: str) -> None:
    assert in_flags(f"Use {argument} for that, or {argument}.") == f"Use {flag} for that, or {flag}."
    assert in_flags(f"Use it ({argument}); {argument}") == f"Use it ({flag}); {flag}"


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no file /data/size=3/frames=4.png.",
        "There is no file size=3.npy.",
        "The arrays in it are: 'mask', 'size'.",
        "There is no method 'rank'.",
        "plan.toml is wrong: 'seeds' must be 1 or more.",
        "Use tau=100 or observed=array != 0 there.",
        "The lower bound is 0 == x, a<=lower=>b.",
    ],
)
def test_what_only_looks_like_an_argument_stays(sentence: str) -> None:
    assert in_flags(sentence) == sentence

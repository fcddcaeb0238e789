"""The reference is complete: every public name, every parameter, every field, every option of the command."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from numpydoc.docscrape import NumpyDocString

import tensorfill
from tensorfill import errors
from tensorfill.cli import app

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
API = (REFERENCE / "api.md").read_text(encoding="utf-8")
COMMAND_LINE = (REFERENCE / "cli.md").read_text(encoding="utf-8")
COMMAND = typer.main.get_command(app)
GIVEN_BY_OTHERS = re.compile(r"set_\w+_request$")
"""What scikit-learn adds to estimators."""


def listed(page: str) -> list[tuple[str, str]]:
    """(module, name) of everything that a page has in an autosummary, which makes a page for each."""
    found, module = [], ""
    for line in page.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            found.append((module, line.strip()))
    return found


def missing_names(page: str) -> set[str]:
    """The public names that a page does not list."""
    return set(tensorfill.__all__) - {name for module, name in listed(page) if module == "tensorfill"}


def public_members(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """The methods and properties that a class itself has, without those of scikit-learn and of dataclasses."""
    for name, member in vars(kind).items():
        if name[0] != "_" and not GIVEN_BY_OTHERS.match(name):
            plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            is_field = is_dataclass(kind) and name in {field.name for field in fields(kind)}
            if (inspect.isfunction(plain) and not is_field) or isinstance(plain, property | cached_property):
                yield name, plain


def undocumented_parameters(function: Any, docstring: str | None = None) -> list[str]:
    """The parameters of a function that its docstring has no line for."""
    documented = NumpyDocString(docstring or inspect.getdoc(function) or "")["Parameters"]
    told = {name.lstrip("*") for entry in documented for name in re.split(r",\s*", entry.name)}
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls", *told)]


def is_without_returns(function: Any) -> bool:
    """Whether a function returns something, of which its docstring says nothing."""
    returns = inspect.signature(function).return_annotation
    told = NumpyDocString(inspect.getdoc(function) or "")["Returns"]
    return returns not in ("None", None, inspect.Signature.empty) and not told


def undocumented_fields(kind: type[Any]) -> list[str]:
    """The fields of a dataclass without a docstring below them."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    told = {
        field.target.id
        for field, after in zip(definition.body, definition.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
    }
    return [field.name for field in fields(kind) if field.name not in told]


def undocumented_options(page: str) -> list[tuple[str, str]]:
    """(verb, option) for every option that the section of its verb does not have, or the page, if it is of no verb."""
    lacking = [("", option) for option in _options(COMMAND) if f"`{option}`" not in page]
    for verb, command in COMMAND.commands.items():  # type: ignore[attr-defined]
        _, _, after = page.partition(f"\n## `tensorfill {verb}`\n")
        section = after.partition("\n## ")[0]
        lacking += [(verb, option) for option in _options(command) if f"`{option}`" not in section]
    return lacking


def _options(command: Any) -> list[str]:
    return [
        option
        for parameter in command.params
        if parameter.param_type_name == "option" and parameter.name != "help"
        for option in (*parameter.opts, *parameter.secondary_opts)
    ]


OBJECTS = [
    pytest.param(getattr(import_module(module), name), id=name) for module, name in listed(API) if name != "__version__"
]
CLASSES = [case for case in OBJECTS if isinstance(case.values[0], type)]
FUNCTIONS = [case for case in OBJECTS if inspect.isfunction(case.values[0])]
METHODS = [
    pytest.param(member, id=f"{case.id}.{name}")
    for case in CLASSES
    for name, member in public_members(case.values[0])  # type: ignore[arg-type]
]
OWN = [case for case in OBJECTS if str(case.id) in tensorfill.__all__ and case.id != "Watch"]


# Python


def test_every_public_name_has_a_page() -> None:
    assert missing_names(API) == set()


def test_every_error_has_a_page() -> None:
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    kinds |= {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Warning)}
    assert kinds - {name for _, name in listed(API)} == set()


def test_nothing_is_listed_twice() -> None:
    assert len(set(listed(API))) == len(listed(API))


@pytest.mark.parametrize("public", OBJECTS)
def test_every_name_says_what_it_is(public: Any) -> None:
    if not isinstance(public, type) and not inspect.isfunction(public):
        return  # a type alias: its docstring is below it, in the source
    assert NumpyDocString(inspect.getdoc(public) or "")["Summary"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_say_what_they_take_and_return(function: Any) -> None:
    assert undocumented_parameters(function) == []
    assert not is_without_returns(function)


@pytest.mark.parametrize("kind", CLASSES)
def test_classes_say_what_they_hold_or_take(kind: type[Any]) -> None:
    if is_dataclass(kind):
        assert undocumented_fields(kind) == []
    elif "__init__" in vars(kind):
        assert undocumented_parameters(kind.__init__, inspect.getdoc(kind)) == []  # type: ignore[misc]


@pytest.mark.parametrize("member", METHODS)
def test_members_say_what_they_do_take_and_return(member: Any) -> None:
    if isinstance(member, property | cached_property):
        assert inspect.getdoc(member)
        return
    assert undocumented_parameters(member) == []
    assert not is_without_returns(member)


@pytest.mark.parametrize("public", OWN)
def test_every_public_name_has_an_example_that_is_run(public: Any) -> None:
    assert ">>> " in "\n".join(NumpyDocString(inspect.getdoc(public) or "")["Examples"])


# The command line


def test_every_option_of_the_command_is_in_the_reference() -> None:
    assert undocumented_options(COMMAND_LINE) == []


# The checks can fail


def test_a_name_that_is_not_listed_is_caught() -> None:
    assert missing_names(API.replace("\n   inpaint\n", "\n")) == {"inpaint"}
    assert missing_names(API.replace("   __version__\n", "")) == {"__version__"}


def test_a_parameter_that_is_not_described_is_caught() -> None:
    without = (inspect.getdoc(tensorfill.score) or "").replace("observed : ", "known : ")
    assert undocumented_parameters(tensorfill.score, without) == ["observed"]


def test_an_option_that_is_not_described_is_caught() -> None:
    assert undocumented_options(COMMAND_LINE.replace("`--keep`", "`--kept`")) == [("hide", "--keep")]

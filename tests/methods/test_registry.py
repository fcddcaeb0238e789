"""The registry: every method by its name, and how one is made from settings."""

from __future__ import annotations

import inspect
import re
from dataclasses import FrozenInstanceError, is_dataclass
from typing import Any, get_type_hints

import pytest

from tensorfill.errors import InvalidSetting
from tensorfill.library import complete
from tensorfill.method import Method
from tensorfill.methods.dual import NonnegDual
from tensorfill.methods.registry import available_methods, make, setting_names


@pytest.fixture(params=available_methods())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_default_method_comes_first() -> None:
    assert next(iter(available_methods())) == inspect.signature(complete).parameters["method"].default == "auto"


def test_every_method_is_found_under_its_own_name(name: str) -> None:
    assert available_methods()[name].name == name


def test_names_are_lower_case_words_with_hyphens(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)


def test_no_two_methods_share_a_summary() -> None:
    summaries = [method.summary for method in available_methods().values()]
    assert len(set(summaries)) == len(summaries)


def test_changing_what_methods_returns_changes_nothing() -> None:
    available_methods().clear()
    assert "nonneg-dual" in available_methods()


def test_every_method_offers_what_the_protocol_asks(name: str) -> None:
    method = available_methods()[name]
    for attribute in ("name", "summary", "reference", "nonnegative", "refuses", "complete"):
        assert hasattr(method, attribute), attribute
    assert list(inspect.signature(method.complete).parameters) == list(inspect.signature(Method.complete).parameters)


def test_every_method_is_a_frozen_record_of_keyword_settings(name: str) -> None:
    method: Any = available_methods()[name]
    assert is_dataclass(method)
    made: Any = method()
    with pytest.raises(FrozenInstanceError):
        setattr(made, next(iter(setting_names(method)), "name"), 1)
    with pytest.raises(TypeError):
        method(3)


def test_every_setting_has_a_default_and_a_type(name: str) -> None:
    method = available_methods()[name]
    parameters = inspect.signature(method).parameters
    assert tuple(parameters) == setting_names(method)
    assert all(parameter.default is not parameter.empty for parameter in parameters.values())
    assert set(setting_names(method)) <= set(get_type_hints(method))


def test_every_setting_is_explained_in_the_docstring(name: str) -> None:
    method = available_methods()[name]
    pages = "\n".join(inspect.getdoc(part) or "" for part in method.__mro__)
    for setting in setting_names(method):
        assert re.search(rf"^{setting}$", pages, flags=re.MULTILINE), f"{name} does not explain {setting!r}"


def test_settings_are_not_class_attributes_of_the_method() -> None:
    names = setting_names(NonnegDual)
    assert "rank" in names
    assert "summary" not in names
    assert "nonnegative" not in names


def test_a_method_is_made_from_its_settings() -> None:
    made = make("nonneg-dual", {"rank": (2, 3), "C": 5.0})
    assert isinstance(made, NonnegDual)
    assert (made.rank, made.C, made.max_iter) == ((2, 3), 5.0, 200)


def test_every_method_is_made_without_settings(name: str) -> None:
    assert type(make(name, {})) is available_methods()[name]


def test_methods_with_the_same_settings_are_equal() -> None:
    assert make("dual", {"C": 2.0}) == make("dual", {"C": 2.0})
    assert make("dual", {"C": 2.0}) != make("dual", {"C": 3.0})
    assert make("dual", {}) != make("nonneg-dual", {})


def test_an_unknown_method_is_refused_with_the_names_of_all() -> None:
    sentence = f"There is no method 'Dual'. The methods are: {', '.join(available_methods())}."
    with pytest.raises(InvalidSetting, match=f"^{re.escape(sentence)}$"):
        make("Dual", {})


def test_an_unknown_setting_is_refused_with_the_names_of_all(name: str) -> None:
    names = ", ".join(setting_names(available_methods()[name])) or "none"
    sentence = f"{name} has no setting 'sharpness'. Its settings are: {names}."
    with pytest.raises(InvalidSetting, match=f"^{re.escape(sentence)}$"):
        make(name, {"sharpness": 3})


def test_a_wrong_setting_is_refused_when_the_method_is_made() -> None:
    with pytest.raises(InvalidSetting, match=r"^The .C. of dual must be a number above 0, or .auto.\. Got -1"):
        make("dual", {"C": -1})


def test_making_a_method_leaves_the_settings_as_they_were() -> None:
    settings = {"C": 2.0}
    make("dual", settings)
    assert settings == {"C": 2.0}

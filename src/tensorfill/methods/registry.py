"""The registry: every method by its name, and how to make one from settings. Those that ship are in listed.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, cast

from ..errors import InvalidSetting
from ..method import Method, add_defaults

_PROTOCOL = ("name", "summary", "reference", "nonnegative", "complete")
_registered: dict[str, type[Method]] = {}


def available_methods() -> dict[str, type[Method]]:
    """All methods by name, the default first.

    Returns
    -------
    dict of str to type
        The names that `method=` takes, and the class of each method: a dataclass whose fields are its settings.

    Examples
    --------
    >>> list(available_methods())[:3]
    ['auto', 'patches', 'spectral']
    >>> available_methods()["nonneg-dual"].nonnegative
    True
    """
    return dict(_registered)


def names_of(having: Callable[[type[Method]], bool]) -> tuple[str, ...]:
    """The names of the methods that say this of themselves, such as `kind.tells_uncertainty`."""
    return tuple(name for name, kind in available_methods().items() if having(kind))


def register(method: type[Method]) -> None:
    """Add a method, so that `method=` and the command find it by its name.

    Parameters
    ----------
    method : type
        A dataclass with `name`, `summary`, `reference`, `nonnegative` and `complete`. If it does not derive from
        `Method`, it is given the defaults of all other members.

    Raises
    ------
    TensorfillError
        If a member is missing, or the name is taken.
    """
    lacks = [part for part in _PROTOCOL if not hasattr(method, part)]
    if not isinstance(method, type) or not is_dataclass(method) or lacks:
        told = f" {', '.join(map(repr, lacks))} are missing." if lacks else ""
        raise InvalidSetting(
            f"A method must be a dataclass with {', '.join(_PROTOCOL)}, and derive from tensorfill.method.Method to "
            f"have all else. Got {method!r} instead.{told}"
        )
    if method.name in _registered:
        raise InvalidSetting(f"There is a method called {method.name!r} already; give yours another name.")
    if not issubclass(method, Method):
        add_defaults(method)
    _registered[method.name] = method


def forget(name: str) -> None:
    """Take back what `register` added."""
    _registered.pop(name, None)


def setting_names(method: type[Method]) -> tuple[str, ...]:
    """The settings a method takes."""
    assert is_dataclass(method)
    return tuple(field.name for field in fields(method))


def is_complete(method: type[Method]) -> bool:
    """Whether a method can be made without settings, as `auto` makes it."""
    assert is_dataclass(method)
    return all(field.default is not MISSING or field.default_factory is not MISSING for field in fields(method))


def make(name: str, settings: Mapping[str, Any]) -> Method:
    """The method called `name` with these settings, checked."""
    known = available_methods()
    if not isinstance(name, str) or name not in known:
        raise InvalidSetting(f"There is no method {name!r}. The methods are: {', '.join(known)}.")
    method = known[name]
    names = setting_names(method)
    for setting in settings:
        if setting not in names:
            having = [other for other, kind in known.items() if setting in setting_names(kind)]
            elsewhere = f" Methods that have it: {', '.join(having)}; name the one that is meant." if having else ""
            raise InvalidSetting(
                f"{name} has no setting {setting!r}. Its settings are: {', '.join(names) or 'none'}.{elsewhere}"
            )
    return cast(Method, cast(Any, method)(**settings))

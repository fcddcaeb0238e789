"""The menu tells of every method that needs no settings, with each of its settings explained."""

from __future__ import annotations

from served import httpx  # which skips where the page cannot be served

from tensorfill.methods.registry import available_methods, is_complete
from tensorfill.page.menu import describe_menu

assert httpx


def test_every_method_is_there_and_every_setting_is_explained() -> None:
    menu = describe_menu()
    assert [method["name"] for method in menu["methods"]] == [
        name for name, kind in available_methods().items() if is_complete(kind)
    ]
    unexplained = [
        (method["name"], setting["name"])
        for method in menu["methods"]
        for setting in method["settings"]
        if len(setting["about"]) < 10
    ]
    assert unexplained == []

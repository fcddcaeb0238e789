"""Steps of journeys through the page, as a user takes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def open_sample(tab: Any, about: str) -> None:
    """Open a sample from the first view, or beside what is open."""
    tab.get_by_role("button", name=about).click()
    tab.locator("#missing-share").wait_for()


def send_file(tab: Any, path: Path) -> None:
    """Pick a file."""
    tab.locator("body > input[type=file]").set_input_files(str(path))


def middle(tab: Any) -> tuple[float, float]:
    box = tab.locator("#stage").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(tab: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """With the button pressed, relative to the middle of the stage."""
    x, y = middle(tab)
    tab.mouse.move(x + start[0], y + start[1])
    tab.mouse.down()
    tab.mouse.move(x + end[0], y + end[1], steps=4)
    tab.mouse.up()


def choose(tab: Any, group: str, value: str) -> None:
    """One of several words."""
    tab.locator(f'label:has(input[name="choice-{group}"][value="{value}"])').click()


def pick_method(tab: Any, method: str) -> None:
    tab.get_by_role("tab", name="Method").click()
    choose(tab, "Choice", "one")
    tab.locator("#method").select_option(method)


def fill_in(tab: Any) -> None:
    tab.locator("#fill").click()
    tab.locator("#download").wait_for()
    tab.locator("#stage[data-shown=slider]").wait_for()


def save(tab: Any, selector: str, target: Path) -> Path:
    """Save what a button gives."""
    with tab.expect_download() as download:
        tab.locator(selector).click()
    download.value.save_as(target / download.value.suggested_filename)
    return target / download.value.suggested_filename


def missing(tab: Any) -> float:
    """The share that the page says is missing."""
    place = tab.locator("#missing-share")
    tab.wait_for_function("() => document.getElementById('missing-share')?.textContent.endsWith('%')")
    return float(re.sub(r"[^\d.]", "", place.text_content()))

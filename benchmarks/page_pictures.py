"""The screenshots of docs/how-to/page.md, made by a browser that walks through the page.

    python benchmarks/page_pictures.py [--to docs/pictures]

Needs playwright and Chromium, see CONTRIBUTING.md. Look at each of them before they are committed.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

WIDE, PHONE = (1180, 740), (390, 844)
COLOURS = 256
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main() -> None:
    """Make all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("docs/pictures"))
    folder = parser.parse_args().to
    with sync_playwright() as playwright, open_browser(playwright) as browser:
        for make in (picture_of_a_photo, picture_of_a_run, pictures_of_a_clip, picture_of_a_cube, pictures_of_a_table):
            with serve() as address:
                make(browser, address, folder)
                print(make.__name__.replace("_", " "))


@contextmanager
def open_browser(playwright: Any) -> Iterator[Browser]:
    """The Chromium of the system."""
    place = os.environ.get("TENSORFILL_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if place is None:
        sys.exit("There is no Chromium, see CONTRIBUTING.md.")
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path=place, args=flags)
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def serve() -> Iterator[str]:
    """The page, and its address."""
    command = [sys.executable, "-m", "tensorfill", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def visit(browser: Browser, address: str, sample: str, *, dark: bool = False, size: tuple[int, int] = WIDE) -> Page:
    """The page with a sample."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    context.set_default_timeout(600_000)
    tab = context.new_page()
    tab.goto(address)
    opened = tab.get_by_role("button", name=re.compile(sample))
    opened.click()
    tab.locator("#missing-share").wait_for()
    tab.locator("#stage[data-shown=holes]").wait_for()
    return tab


def shoot(tab: Page, path: Path) -> None:
    """Save what is seen, in few colours."""
    tab.wait_for_timeout(700)
    with Image.open(io.BytesIO(tab.screenshot())) as shot:
        path.parent.mkdir(parents=True, exist_ok=True)
        shot.convert("RGB").quantize(COLOURS, kmeans=2).save(path, optimize=True)


def stroke(tab: Page, *places: tuple[float, float]) -> None:
    """Draw through places, given as shares of the stage."""
    box = tab.locator("#stage").bounding_box()
    assert box is not None
    for index, (x, y) in enumerate(places):
        tab.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=6 if index else 1)
        if not index:
            tab.mouse.down()
    tab.mouse.up()


def fill_in(tab: Page, method: str | None = None, before: Callable[[], None] = lambda: None) -> None:
    """Run a method, or what is chosen by itself."""
    tab.get_by_role("tab", name="Method").click()
    if method is not None:
        choose(tab, "Choice", "one")
        tab.locator("#method").select_option(method)
    before()
    tab.locator("#fill").click()


def wait_for_result(tab: Page) -> None:
    """Until the result is there, with all that is worked out after it."""
    tab.locator("#download").wait_for()
    tab.locator("#stage[data-shown=slider]").wait_for()


def choose(tab: Page, group: str, value: str) -> None:
    """One of several words."""
    tab.locator(f'label:has(input[name="choice-{group}"][value="{value}"])').click()


def scribble(tab: Page) -> None:
    """Scratches, and words."""
    stroke(tab, (0.25, 0.2), (0.45, 0.42), (0.62, 0.3), (0.8, 0.6))
    stroke(tab, (0.2, 0.75), (0.4, 0.62), (0.55, 0.9))
    tab.keyboard.press("t")
    tab.get_by_label("Words").fill("lost words")
    stroke(tab, (0.52, 0.7))


def picture_of_a_photo(browser: Browser, address: str, folder: Path) -> None:
    """Before and after; how unsure it is; and on a phone."""
    tab = visit(browser, address, "photo of a cat")
    scribble(tab)
    shoot(tab, folder / "page-holes.png")
    fill_in(tab)
    wait_for_result(tab)
    shoot(tab, folder / "page.png")
    fill_in(tab, "nonneg-dual")
    wait_for_result(tab)
    choose(tab, "View", "parts")
    shoot(tab, folder / "page-parts.png")
    phone = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]}, device_scale_factor=1)
    phone.goto(address)
    phone.locator("#stage[data-shown=holes]").wait_for()
    shoot(phone, folder / "page-phone.png")


def picture_of_a_run(browser: Browser, address: str, folder: Path) -> None:
    """Under way."""
    tab = visit(browser, address, "photo of a cat")
    tab.locator("summary", has_text="Random holes").click()
    tab.locator("#random").fill("70")
    tab.get_by_role("button", name="Scatter").click()
    tab.wait_for_function("() => document.getElementById('missing-share').textContent.startsWith('70')")
    fill_in(tab)
    tab.wait_for_function("() => document.querySelectorAll('.curve polyline').length > 0")
    tab.wait_for_timeout(1500)
    shoot(tab, folder / "page-run.png")


def pictures_of_a_clip(browser: Browser, address: str, folder: Path) -> None:
    """Frames that are missing."""
    tab = visit(browser, address, "clip of waves", dark=True)
    tab.get_by_label("Missing frames").fill("10-12,20")
    tab.get_by_label("Missing frames").press("Enter")
    stroke(tab, (0.3, 0.4), (0.55, 0.5), (0.62, 0.35))
    tab.get_by_label("Frame", exact=True).fill("9")
    shoot(tab, folder / "page-clip.png")


def picture_of_a_cube(browser: Browser, address: str, folder: Path) -> None:
    """In false colours, side by side."""
    tab = visit(browser, address, "cube of 32 bands", dark=True)
    tab.get_by_label("Colours").select_option("false")
    stroke(tab, (0.25, 0.2), (0.45, 0.42), (0.62, 0.3), (0.8, 0.6))
    stroke(tab, (0.2, 0.75), (0.4, 0.62), (0.55, 0.9))
    fill_in(tab, "spectral")
    wait_for_result(tab)
    choose(tab, "View", "beside")
    shoot(tab, folder / "page-cube.png")


def pictures_of_a_table(browser: Browser, address: str, folder: Path) -> None:
    """Methods that are compared."""
    tab = visit(browser, address, "table with gaps")
    stroke(tab, (0.45, 0.62), (0.75, 0.62))
    stroke(tab, (0.3, 0.3), (0.5, 0.45))

    def others() -> None:
        tab.locator("summary", has_text="Compare with others").click()
        for name in ("linear", "nearest-slices", "mean-fill"):
            tab.get_by_label(name, exact=True).check()

    fill_in(tab, "spectral", others)
    tab.wait_for_function("() => document.querySelectorAll('.runs td.number').length === 12")
    wait_for_result(tab)
    choose(tab, "View", "filled")
    shoot(tab, folder / "page-table.png")


if __name__ == "__main__":
    main()

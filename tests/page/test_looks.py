"""How the page looks: on narrow screens, in light and dark, to those who cannot see it, and where holes are in data."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from served import Server, Visitor
from steps import fill_in, open_sample, pick_method

STICKS_OUT = """() => {
    const panel = document.querySelector('.panel').getBoundingClientRect().right - 18;
    const bar = document.querySelector('.playbar').getBoundingClientRect().right;
    const most = (one) => (one.closest('.playbar') ? bar : panel);
    const all = [...document.querySelectorAll('.runs *, .playbar *')];
    return all.filter((one) => one.getBoundingClientRect().right > most(one) + 1).length; }"""


def test_four_methods_are_compared_on_a_narrow_screen_and_nothing_sticks_out(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport={"width": 348, "height": 740})
    context.set_default_timeout(60_000)
    tab = context.new_page()
    tab.goto(server.address)
    tab.locator(".samples button, .file-open").first.wait_for()
    for item in server.state()["items"]:
        server.client.delete(f"/api/items/{item['id']}")
    open_sample(tab, "A table with gaps")
    pick_method(tab, "mean-fill")
    tab.locator("summary", has_text="Compare with others").click()
    for name in ("nearest-slices", "linear", "zero-fill"):
        tab.get_by_label(name, exact=True).check()
    tab.get_by_role("button", name="Fill in with 4 methods").click()
    tab.wait_for_function("() => document.querySelectorAll('.runs td.number').length === 8")
    for wide in (348, 390, 1280):
        tab.set_viewport_size({"width": wide, "height": 740})
        tab.wait_for_timeout(100)
        beyond = tab.evaluate(STICKS_OUT)
        assert beyond == 0, wide
    context.close()


def test_holes_stand_out_from_colours_of_the_data(visitor: Visitor) -> None:
    """A heat map is violet where values are small; what is missing in it must be something else."""
    tab = visitor.open()
    open_sample(tab, "A table with gaps")
    tab.locator("#stage[data-shown=holes]").wait_for()
    gray, violet = see_colours(tab)
    assert gray > 5000
    assert violet == 0
    tab.get_by_label("Colours").select_option("gray")
    assert see_colours(tab)[1] > 5000


def see_colours(tab: Any) -> tuple[int, int]:
    """How many pixels of the stage are light gray, as nothing in viridis is, and violet."""
    tab.wait_for_timeout(500)
    seen = np.asarray(Image.open(io.BytesIO(tab.locator("#stage").screenshot())).convert("RGB")).astype(int)
    inside = seen[seen.shape[0] // 4 : -40, seen.shape[1] // 5 : -60]
    red, green, blue = np.moveaxis(inside, -1, 0)
    light = (inside.max(axis=-1) - inside.min(axis=-1) < 40) & (red > 150)
    return int(light.sum()), int(((blue > 150) & (blue - green > 90)).sum())


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 390)])
def test_no_serious_fault_of_accessibility(browser: Any, server: Server, scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme, bypass_csp=True)
    tab = context.new_page()
    tab.goto(server.address)
    found = []
    for item in server.state()["items"]:
        server.client.delete(f"/api/items/{item['id']}")
    for name in ("Welcome", "Holes", "Method", "Results"):
        if name == "Welcome":
            tab.locator(".samples button").first.wait_for()
        elif name == "Holes":
            open_sample(tab, "A table with gaps")
            for closed in tab.locator("summary").all():
                closed.click()
        elif name == "Method":
            pick_method(tab, "spectral")
            for closed in tab.locator("summary").all():
                closed.click()
        else:
            fill_in(tab)
        tab.wait_for_timeout(100)
        for violation in axe.Axe().run(tab).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                found.append((name, violation["id"], violation["nodes"][0]["html"][:160]))
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out at the side"
    context.close()
    assert found == []

"""Journeys through the page, in a real browser: what a user does, from opening a file to saving the result."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from served import Visitor, start_server
from steps import choose, drag, fill_in, middle, missing, open_sample, pick_method, save, send_file

from tensorfill import complete, read, write


def test_a_picture_is_painted_on_filled_in_and_saved_as_the_command_would_write_it(
    visitor: Visitor, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    smooth = np.cumsum(rng.integers(0, 3, (40, 52, 3)), axis=1) + 40
    Image.fromarray(smooth.astype(np.uint8)).save(tmp_path / "photo <b>.png")
    tab = visitor.open()
    send_file(tab, tmp_path / "photo <b>.png")
    tab.get_by_role("button", name="photo <b>.png", exact=True).wait_for()
    tab.locator("#missing-share").wait_for()
    assert missing(tab) == 0.0
    drag(tab, (-120, -60), (100, 40))
    tab.wait_for_function("() => parseFloat(document.getElementById('missing-share').textContent) > 0.5")
    painted = missing(tab)
    tab.keyboard.press("Control+z")
    tab.wait_for_function("() => parseFloat(document.getElementById('missing-share').textContent) === 0")
    tab.keyboard.press("Control+Shift+z")
    tab.wait_for_function("() => parseFloat(document.getElementById('missing-share').textContent) > 0.5")
    assert missing(tab) == painted
    pick_method(tab, "linear")
    tab.wait_for_function("() => document.querySelector('.estimate').textContent.startsWith('About')")
    fill_in(tab)
    assert tab.locator("#split").input_value() == "50"
    drag(tab, (0, 0), (80, 0))
    assert int(tab.locator("#split").input_value()) > 55
    for view in ("beside", "filled", "difference", "slider"):
        choose(tab, "View", view)
        tab.locator(f"#stage[data-shown={view}]").wait_for()
    filled = save(tab, "#download", tmp_path / "saved")
    assert filled.name == "photo _b_-filled.png", "as the browser writes what is no name of a file everywhere"
    holes = save(tab, ".downloads button:text-is('Holes')", tmp_path / "saved")
    given = read(tmp_path / "photo <b>.png")
    done = complete(given, np.load(holes), method="linear")
    write(tmp_path / "expected.png", done, like=given)
    assert filled.read_bytes() == (tmp_path / "expected.png").read_bytes()
    assert save(tab, "button:text-is('Report')", tmp_path / "saved").read_text().startswith("{")
    tab.locator("#recipes summary").click()
    tab.get_by_text("--observed known.npy").wait_for()


def test_a_clip_plays_loses_frames_and_is_filled_in(visitor: Visitor) -> None:
    tab = visitor.open()
    open_sample(tab, "A short clip of waves")
    lost = tab.get_by_label("Missing frames")
    lost.fill("10-12,20")
    lost.press("Enter")
    tab.wait_for_function("() => document.getElementById('missing-share').textContent === '8.3 %'")
    lost.fill("47-52")
    lost.press("Enter")
    assert lost.evaluate("field => field.validity.customError"), "there are 48 frames"
    tab.get_by_role("button", name="Play").click()
    tab.wait_for_function("() => Number(document.querySelector('.scrubber').value) > 3")
    tab.get_by_role("button", name="Pause").click()
    tab.get_by_label("Frame", exact=True).fill("11")
    pick_method(tab, "mean-fill")
    fill_in(tab)
    choose(tab, "View", "beside")
    tab.get_by_label("Frame", exact=True).fill("20")


def test_a_cube_is_seen_in_false_colours_and_taken_along_as_two_files(visitor: Visitor, tmp_path: Path) -> None:
    tab = visitor.open()
    open_sample(tab, "A cube of 32 bands")
    tab.get_by_label("Colours").select_option("false")
    tab.get_by_label("Band", exact=True).fill("12")
    tab.get_by_text("12 (660 nm)").wait_for()
    tab.get_by_role("button", name="Lose this band").click()
    tab.wait_for_function("() => document.getElementById('missing-share').textContent === '3.1 %'")
    pick_method(tab, "mean-fill")
    fill_in(tab)
    assert save(tab, "#download", tmp_path).name == "minerals-filled.hdr.zip"


def test_a_table_has_its_labels_and_comes_back_as_the_command_writes_it(visitor: Visitor, tmp_path: Path) -> None:
    lines = ["city,a,b,c,d", "Oslo,1,2,,4", "Lima,2,,6,8", "Turin,3,6,9,12", "Nuuk,1,2,3,4"]
    (tmp_path / "counts.csv").write_text("\n".join(lines) + "\n")
    tab = visitor.open()
    send_file(tab, tmp_path / "counts.csv")
    tab.wait_for_function("() => document.getElementById('missing-share')?.textContent === '12.5 %'")
    x, y = middle(tab)
    tab.mouse.move(x + 10, y - 30)
    tab.wait_for_function("() => /(Lima|Oslo|Turin), [abcd]/.test(document.querySelector('.under').textContent)")
    pick_method(tab, "mean-fill")
    fill_in(tab)
    filled = save(tab, "#download", tmp_path / "saved")
    given = read(tmp_path / "counts.csv")
    write(tmp_path / "expected.csv", complete(given, method="mean-fill"), like=given)
    assert filled.read_bytes() == (tmp_path / "expected.csv").read_bytes()


def test_every_way_to_make_holes_makes_some(visitor: Visitor, tmp_path: Path) -> None:
    squares = np.full((60, 80, 3), 200, np.uint8)
    squares[20:40, 30:50] = (220, 30, 30)
    Image.fromarray(squares).save(tmp_path / "red.png")
    mask = np.zeros((60, 80), np.uint8)
    mask[:6] = 255
    Image.fromarray(mask).save(tmp_path / "mask.png")
    tab = visitor.open()
    send_file(tab, tmp_path / "red.png")
    tab.locator("#missing-share").wait_for()

    def expect(share: float) -> None:
        """In percent; and take it back."""
        tab.wait_for_function(
            "share => Math.abs(parseFloat(document.getElementById('missing-share').textContent) - share) < 0.06",
            arg=share,
        )
        tab.get_by_role("button", name="Undo (Ctrl+Z)").click()
        tab.wait_for_function("() => document.getElementById('missing-share').textContent === '0.0 %'")

    tab.keyboard.press("c")
    drag(tab, (0, 0), (0, 0))
    expect(100 * 400 / 4800)
    tab.locator("summary", has_text="Random holes").click()
    tab.keyboard.press("c")
    drag(tab, (0, 0), (0, 0))
    tab.wait_for_function("() => document.getElementById('missing-share').textContent === '8.3 %'")
    tab.get_by_role("button", name="Grow").click()
    tab.wait_for_function("() => parseFloat(document.getElementById('missing-share').textContent) > 11")
    tab.get_by_role("button", name="Clear all").click()
    tab.wait_for_function("() => document.getElementById('missing-share').textContent === '0.0 %'")
    tab.get_by_label("What is missing at random").select_option("lines")
    tab.locator("#random").fill("50")
    tab.get_by_role("button", name="Scatter").click()
    expect(50)
    tab.locator("summary", has_text="From a mask file").click()
    tab.locator("#panel input[type=file]").set_input_files(str(tmp_path / "mask.png"))
    expect(10)
    for key, least in (("l", 1), ("r", 3), ("b", 1)):
        tab.locator("#stage").focus()
        tab.keyboard.press(key)
        drag(tab, (-120, -80), (60, 90))
        tab.wait_for_function(
            "least => parseFloat(document.getElementById('missing-share').textContent) > least", arg=least
        )
        tab.keyboard.press("e")
        drag(tab, (-200, -80), (200, -80)) if key == "b" else None
        tab.keyboard.press("e")
        tab.get_by_role("button", name="Clear all").click()
        tab.wait_for_function("() => document.getElementById('missing-share').textContent === '0.0 %'")
    tab.keyboard.press("t")
    tab.get_by_label("Words").fill("gone")
    tab.locator("#size").fill("9")
    drag(tab, (0, 0), (0, 0))
    tab.wait_for_function("() => parseFloat(document.getElementById('missing-share').textContent) > 1")


def test_what_a_file_leaves_open_is_asked_for(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("a,b,c\n1,2,3\n4,5,6\n7,8,9\n")
    np.savez(tmp_path / "two.npz", first=np.ones((4, 5)), second=np.ones((6, 7)))
    tab = visitor.open()
    send_file(tab, tmp_path / "counts.csv")
    tab.get_by_role("button", name="a matrix", exact=True).click()
    tab.get_by_role("button", name="a matrix, numbers in the first column").click()
    tab.locator("#missing-share").wait_for()
    send_file(tab, tmp_path / "two.npz")
    tab.get_by_label("Name of the array").fill("second")
    tab.get_by_label("Name of the array").press("Enter")
    tab.locator("#stage[aria-label^='two.npz, 7 by 6']").wait_for()


def test_several_methods_are_compared_on_the_same_holes(visitor: Visitor) -> None:
    tab = visitor.open()
    open_sample(tab, "A table with gaps")
    drag(tab, (-40, 0), (40, 0))
    pick_method(tab, "linear")
    tab.locator("summary", has_text="Compare with others").click()
    tab.get_by_label("mean-fill").check()
    tab.get_by_label("zero-fill").check()
    tab.get_by_role("button", name="Fill in with 3 methods").click()
    tab.wait_for_function("() => document.querySelectorAll('.runs td.number').length === 9")
    assert tab.locator(".runs .best").count() == 1
    tab.keyboard.press("2")
    tab.locator(".runs tr.chosen", has_text="mean-fill").wait_for()


def test_a_run_is_cancelled_survives_a_reload_and_is_seen_in_two_tabs(visitor: Visitor) -> None:
    tab = visitor.open()
    open_sample(tab, "A photo of a cat")
    drag(tab, (-100, -30), (100, 30))
    tab.get_by_role("tab", name="Method").click()
    tab.locator("#fill").click()
    tab.locator("#cancel").wait_for()
    tab.reload()
    tab.locator("#cancel").wait_for()
    other = visitor.open()
    other.get_by_role("tab", name="Results").click()
    other.locator("#cancel").wait_for()
    before = other.locator("#progress .quiet").text_content()
    other.wait_for_function("before => document.querySelector('#progress .quiet')?.textContent !== before", arg=before)
    other.locator("#cancel").click()
    for one in (tab, other):
        one.locator("#download, p.quiet:has-text('Stopped')").first.wait_for()
    tab.get_by_role("tab", name="Holes").click()
    assert missing(tab) > 1, "what was painted is still there"


def test_what_is_no_picture_is_refused_in_a_sentence(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n and then nothing")
    (tmp_path / "notes.docx").write_bytes(b"words")
    tab = visitor.open()
    send_file(tab, tmp_path / "broken.png")
    tab.get_by_role("alert").filter(has_text="broken.png is not").wait_for()
    shown = tab.locator("main").text_content()
    assert "/" not in shown.replace("broken.png", ""), "no place on the disk is told"
    tab.get_by_role("button", name="Close broken.png").click()
    send_file(tab, tmp_path / "notes.docx")
    tab.locator("#banner").filter(has_text="notes.docx").wait_for()
    visitor.complaints[:] = [said for said in visitor.complaints if "415" not in said]


def test_everything_is_done_with_keys_alone(visitor: Visitor) -> None:
    tab = visitor.open()
    tab.get_by_role("button", name="A photo of a cat").focus()
    tab.keyboard.press("Enter")
    tab.locator("#missing-share").wait_for()
    tab.locator("#stage").focus()
    tab.keyboard.press("r")
    tab.keyboard.press("Space")
    for _ in range(3):
        tab.keyboard.press("Shift+ArrowRight")
        tab.keyboard.press("Shift+ArrowDown")
    tab.keyboard.press("Space")
    tab.wait_for_function("() => parseFloat(document.getElementById('missing-share').textContent) > 1")
    tab.locator("#tab-holes").focus()
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("() => document.activeElement.id") == "tab-method"


def test_a_server_that_has_stopped_is_noticed(browser: Any, tmp_path: Path) -> None:
    server = start_server(tmp_path)
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(server.address)
    tab.locator(".samples button").first.wait_for()
    assert server.stop() == 0
    tab.locator("#banner", has_text="The server has stopped").wait_for()
    context.close()
    assert server.folders == []


def test_a_run_that_does_not_stop_can_be_ended(visitor: Visitor) -> None:
    tab = visitor.open()
    open_sample(tab, "A photo of a cat")
    drag(tab, (-100, -30), (100, 30))
    pick_method(tab, "nonneg-dual")
    tab.locator("summary", has_text="Settings of").click()
    tab.locator("#setting-max_iter").fill("100000")
    tab.locator("#setting-gradient_tolerance").fill("1e-15")
    tab.locator("#setting-gradient_tolerance").press("Tab")
    tab.locator("#fill").click()
    run = server_run(visitor)
    assert visitor.server.client.post(f"/api/runs/{run}/cancel", json={"now": True}).status_code == 200
    tab.get_by_text("Ended at once, with nothing kept.").wait_for()


def server_run(visitor: Visitor) -> str:
    """The run that has been begun."""
    for _ in range(600):
        runs = visitor.server.state()["runs"]
        if runs and runs[-1]["state"] == "running":
            return str(runs[-1]["id"])
        time.sleep(0.05)
    raise AssertionError("nothing was begun")

"""`tensorfill serve`: what is refused before anything is served. The page itself is visited in tests/page."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from stand_in import Run


def test_a_port_that_is_none_and_one_that_is_taken_are_refused(tensorfill: Run) -> None:
    pytest.importorskip("starlette")
    outcome = tensorfill("serve", "--no-browser", "--port", "70000")
    assert outcome.code == 2
    assert outcome.err == "Error: --port takes a number from 0 to 65535. Got 70000 instead.\n"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        outcome = tensorfill("serve", "--no-browser", "--port", str(taken.getsockname()[1]))
    assert outcome.code == 2
    assert "give another --port or --host." in outcome.err


def test_a_file_that_is_not_there_is_refused_before_anything_is_served(tensorfill: Run, tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    outcome = tensorfill("serve", "--no-browser", str(tmp_path / "none.png"))
    assert outcome.code == 2
    assert outcome.err == f"Error: There is no file {tmp_path / 'none.png'}.\n"


def test_without_its_libraries_it_says_how_to_get_them(tensorfill: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorfill.cli import serve

    monkeypatch.setattr(serve, "_missing", ImportError(name="starlette"))
    outcome = tensorfill("serve", "--no-browser")
    assert outcome.code == 2
    assert "starlette, which is not installed: pip install 'tensorfill[page]'" in outcome.err

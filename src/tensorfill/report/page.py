"""The page: everything in one HTML file that opens without a network."""

from __future__ import annotations

import base64
import html
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from .drawing import GRID, INK, Drawn, LeftOut
from .evidence import Evidence, Setup
from .numbers import error
from .pictures import Album, first_albums
from .table import Section, Table
from .tables import Measure

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Contents:
    """What the page shows."""

    evidence: Evidence
    datasets: Table
    results: tuple[Table, ...]
    failures: Table | None
    measures: Mapping[Setup, tuple[tuple[Measure, Table], ...]]
    figures: tuple[tuple[Drawn, str], ...]
    """Those that the page shows, with their SVG."""
    left_out: tuple[LeftOut, ...]
    albums: tuple[Album, ...]
    reproduction: tuple[Section, ...]
    made_with: str


def render_page(contents: Contents) -> str:
    """The whole page."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_asset), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"prose": _mark_prose, "paragraph": _mark_paragraph}
    sources, lossy = encode_pictures(_shown_pictures(contents.albums))
    return environment.get_template("page.html.jinja").render(
        contents=contents,
        evidence=contents.evidence,
        figures=[(drawn, Markup(_inline(svg))) for drawn, svg in contents.figures],
        albums=[_lay_out_album(album) for album in contents.albums],
        components=[_lay_out_components(album) for album in first_albums(contents.albums) if album.decomposed],
        lossy=lossy,
        css=Markup(_asset("page.css")),
        script=Markup(_asset("page.js")),
        # A closing tag inside a string would end the script.
        pictures=Markup(json.dumps(sources).replace("<", "\\u003c")),
    )


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _shown_pictures(albums: Sequence[Album]) -> dict[str, Path]:
    """Every picture the page shows, by the key that stands for it."""
    paths = [path for album in albums for path in (album.truth, album.observed, *(shot.path for shot in album.shots))]
    for album in first_albums(albums):
        paths += album.decomposed.components if album.decomposed else ()
    return {path.name: path for path in paths if path}


def _lay_out_album(album: Album) -> dict[str, Any]:
    """A dataset's pictures for the viewer, which opens on that of the best method."""
    views = [{"name": "original", "key": album.truth.name, "below": ""}] if album.truth else []
    if album.observed:
        views.append({"name": "observed", "key": album.observed.name, "below": album.share})
    errors = [float("inf") if shot.rmse is None else shot.rmse for shot in album.shots]
    start = len(views) + errors.index(min(errors))
    for shot in album.shots:
        below = "" if shot.rmse is None else f"RMSE {error(shot.rmse)}{' ᵗ' if shot.time_limited else ''}"
        views.append({"name": shot.label, "key": shot.path.name, "below": below})
    return {"name": album.name, "title": album.title, "views": views, "start": start}


def _lay_out_components(album: Album) -> dict[str, Any]:
    """A dataset's row of Figure 2."""
    shot = album.decomposed
    assert shot is not None
    tiles = [("original", album.truth.name)] if album.truth else []
    tiles += [(f"W, {shot.label}", shot.path.name)]
    tiles += [(f"W⁽{'⁰¹²³⁴⁵⁶⁷⁸⁹'[place % 10]}⁾", path.name) for place, path in enumerate(shot.components, start=1)]
    return {"title": album.title, "tiles": tiles}


def _inline(svg: str) -> str:
    """A figure that takes the page's own ink, so that it is readable on dark ground too."""
    body = svg[svg.index("<svg") :]
    # All figures at one scale, so that their type has one size; narrower on a narrow screen.
    body = re.sub(
        r'width="([\d.]+)pt" height="[\d.]+pt"',
        lambda size: f'style="width: {1.4 * float(size[1]):.0f}px"',
        body,
        count=1,
    )
    return body.replace(INK, "currentColor").replace(GRID, "var(--grid)")


def _mark_prose(text: str) -> Markup:
    """Text with `code` and addresses made visible as such."""
    from markupsafe import Markup

    escaped = html.escape(text, quote=False)
    linked = re.sub(r"(https?://[^\s)<;,]+[^\s)<;,.])", r'<a href="\1">\1</a>', escaped)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", linked))


def _mark_paragraph(text: str) -> Markup:
    """A paragraph, a list (lines that begin with *) or a block of commands (lines that begin with blanks)."""
    from markupsafe import Markup

    if text.startswith("    "):
        return Markup("<pre><code>{}</code></pre>").format("\n".join(line.strip() for line in text.splitlines()))
    if text.startswith("* "):
        points = Markup("").join(Markup("<li>{}</li>").format(_mark_prose(line[2:])) for line in text.splitlines())
        return Markup("<ul>{}</ul>").format(points)
    return Markup("<p>{}</p>").format(_mark_prose(text))


# Pictures in it

BUDGET = 12 * 2**20
"""Bytes that all pictures of a page may take together; their text is a third longer."""


@dataclass(frozen=True)
class Economy:
    """From how many bytes on a picture becomes a JPEG, of which quality, and how large its sides may be."""

    lossless: int
    quality: int
    side: int


_STEPS = (Economy(120_000, 90, 1024), Economy(60_000, 84, 768), Economy(30_000, 76, 512), Economy(0, 60, 384))


def encode_pictures(paths: Mapping[str, Path], budget: int = BUDGET) -> tuple[dict[str, str], bool]:
    """A data address for every picture, and whether any of them lost something; the first step within the budget."""
    found: dict[str, tuple[str, bytes]] = {}
    for step in _STEPS:
        found = {key: _encode(path, step) for key, path in paths.items()}
        if sum(len(content) for _, content in found.values()) <= budget:
            break
    addresses = {
        key: f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
        for key, (kind, content) in found.items()
    }
    return addresses, any(kind == "jpeg" for kind, _ in found.values())


def _encode(path: Path, economy: Economy) -> tuple[str, bytes]:
    content = path.read_bytes()
    with Image.open(path) as picture:
        kind = (picture.format or "PNG").lower()
        if kind in ("png", "jpeg") and len(content) <= economy.lossless and max(picture.size) <= economy.side:
            return kind, content
        smaller = picture.convert("L" if picture.mode in ("1", "L", "I", "I;16") else "RGB")
        smaller.thumbnail((economy.side, economy.side))
        file = io.BytesIO()
        smaller.save(file, "JPEG", quality=economy.quality, subsampling=0)
    return ("jpeg", file.getvalue()) if file.tell() < len(content) else (kind, content)

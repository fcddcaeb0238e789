"""Check a built site: every internal link leads somewhere, and no page loads anything from another host.

`make docs` runs `python docs/check_site.py build/site` last.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
}
"""The attribute by which a tag loads something as soon as its page is shown."""
_NOT_LOADED = {"next", "prev", "index", "search", "author", "canonical", "copyright", "help"}
"""What a <link> may be that no browser loads."""
_IN_STYLES = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""")


@dataclass
class Page(HTMLParser):
    """What a page loads, where its links lead, and what can be linked to in it."""

    loads: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    @classmethod
    def of(cls, source: str) -> Page:
        """The page with this source."""
        page = cls()
        page.feed(source)
        page.close()
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag loads, links to or can be linked by."""
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        if "srcset" in given:
            self.loads += [part.split()[0] for part in given["srcset"].split(",")]
        if given.get(_LOADED.get(tag, "")):
            self.loads.append(given[_LOADED[tag]])
        if tag == "link" and "href" in given:
            kept = self.links if set(given.get("rel", "").split()) <= _NOT_LOADED else self.loads
            kept.append(given["href"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loads += _IN_STYLES.findall(given.get("style", ""))


def find_faults(site: Path) -> Iterator[str]:
    """A sentence for everything that is wrong in a built site."""
    # Themes keep templates among their files.
    pages = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts]
    if not pages:
        yield f"There is no page in {site}."
    for path in pages:
        page = _read(path)
        name = path.relative_to(site)
        for target in page.loads:
            if _is_elsewhere(target):
                yield f"{name} loads {target}, which is not a file of the site."
        for target in [*page.loads, *page.links]:
            if not _is_elsewhere(target) and not _leads_somewhere(path, target):
                yield f"{name} has a link to {target}, which leads nowhere."
    for path in sorted(site.rglob("*.css")):
        for target in _IN_STYLES.findall(path.read_text(encoding="utf-8")):
            if _is_elsewhere(target) or not _leads_somewhere(path, target):
                yield f"{path.relative_to(site)} loads {target}, which is not a file of the site."


def _is_elsewhere(target: str) -> bool:
    return bool(urlsplit(target).netloc) or urlsplit(target).scheme in ("http", "https", "mailto")


def _leads_somewhere(page: Path, target: str) -> bool:
    """Whether a target, as a page names it, is a file, and has the place that is named in it."""
    parts = urlsplit(target)
    if parts.scheme in ("data", "javascript"):
        return True
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if path.is_dir():
        path /= "index.html"
    if not path.is_file():
        return False
    anchor = unquote(parts.fragment)
    return not anchor or path.suffix != ".html" or anchor in _read(path).anchors


@cache
def _read(path: Path) -> Page:
    return Page.of(path.read_text(encoding="utf-8"))


def main() -> None:
    """Print what is wrong, and fail if anything is."""
    site = Path(sys.argv[1])
    faults = list(dict.fromkeys(find_faults(site)))
    for fault in faults:
        print(fault)
    if faults:
        sys.exit(f"{len(faults)} faults in {site}.")
    print(f"{len(list(site.rglob('*.html')))} pages: every link leads somewhere, nothing is loaded from elsewhere.")


if __name__ == "__main__":
    main()

"""Sections: a page as data, headings with paragraphs and tables below."""

from __future__ import annotations

from dataclasses import dataclass

from .table import Table


@dataclass(frozen=True)
class Section:
    """A heading and what is below it. Paragraphs are plain text with `code` in backquotes."""

    title: str
    blocks: tuple[str | Table, ...]

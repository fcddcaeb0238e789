"""How a Completion shows itself in a notebook: one piece of HTML without scripts and without files."""

from .card import html

__all__ = ["html"]

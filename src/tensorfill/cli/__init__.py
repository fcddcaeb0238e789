"""The `tensorfill` command: thin verbs over the library.

Nothing heavy is imported here, so that `tensorfill --help` answers at once.
"""

from . import verbs
from .app import app

__all__ = ["app", "verbs"]

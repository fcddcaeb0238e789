"""The `tensorfill` command: thin verbs over the library, one file each.

Nothing heavy is imported here or at the top of a verb's file, so that `tensorfill --help` answers at once.
"""

# Importing a verb's file adds it, and the help lists them in this order.
# isort: off
from . import info, hide, complete, components, score, methods, demo, bench, report  # noqa: F401
from .app import app
# isort: on

__all__ = ["app"]

"""Reading and writing data files: the only room that knows what is inside them."""

from .contents import Contents
from .dispatch import check_place, check_writable, format_of, known_extensions, located, read, read_contents, write
from .entries import Entries
from .format import TableFormat
from .mask import read_mask
from .metadata import Metadata
from .staging import atomically
from .target import check_target

__all__ = [
    "Contents",
    "Entries",
    "Metadata",
    "TableFormat",
    "atomically",
    "check_place",
    "check_target",
    "check_writable",
    "format_of",
    "known_extensions",
    "located",
    "read",
    "read_contents",
    "read_mask",
    "write",
]

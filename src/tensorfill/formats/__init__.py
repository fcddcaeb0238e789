"""Reading and writing data files: the only room that knows what is inside them."""

from .contents import Contents
from .data_file import DataFile, format_of, known_extensions, located, read, read_contents, write
from .entries import Entries
from .format import TableFormat
from .mask import read_mask
from .metadata import Metadata
from .staging import atomically
from .target import check_target

__all__ = [
    "Contents",
    "DataFile",
    "Entries",
    "Metadata",
    "TableFormat",
    "atomically",
    "check_target",
    "format_of",
    "known_extensions",
    "located",
    "read",
    "read_contents",
    "read_mask",
    "write",
]

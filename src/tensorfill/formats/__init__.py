"""Reading and writing data files: the only room that knows what is inside them."""

from .arriving import ArrivingArray
from .contents import Contents, Metadata
from .data_file import DataFile, format_of, locate, read, read_contents, write
from .entries import Entries
from .file_array import FileArray, take
from .format import TableFormat
from .listed import known_extensions
from .masks import read_mask
from .scratch import Scratch, scratch_in
from .staging import atomically, check_target

__all__ = [
    "ArrivingArray",
    "Contents",
    "DataFile",
    "Entries",
    "FileArray",
    "Metadata",
    "Scratch",
    "TableFormat",
    "atomically",
    "check_target",
    "format_of",
    "known_extensions",
    "locate",
    "read",
    "read_contents",
    "read_mask",
    "scratch_in",
    "take",
    "write",
]

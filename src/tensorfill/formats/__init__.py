"""Reading and writing data files: the only room that knows what is inside a .npy, .npz, .png or .jpg."""

from .contents import Contents
from .dispatch import check_writable, format_of, known_extensions, read, write
from .mask import read_mask
from .target import atomically, check_target

__all__ = [
    "Contents",
    "atomically",
    "check_target",
    "check_writable",
    "format_of",
    "known_extensions",
    "read",
    "read_mask",
    "write",
]

"""Methods: whoever imports one finds all that ship in the registry."""

from .listed import METHODS
from .registry import register

for _method in METHODS:
    register(_method)

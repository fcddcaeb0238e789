"""Members of a zip file, refused if their names lead out of it: such a name could get into what is written."""

from __future__ import annotations

import zipfile
from pathlib import Path, PureWindowsPath

from ...errors import UnreadableFile


def list_members(archive: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    """All members, none of which is called by a place elsewhere."""
    found = archive.infolist()
    for member in found:
        if _leads_out(member.filename):
            raise UnreadableFile(f"{path} has a member '{member.filename}', a name that leads out of it; pack it anew.")
    return found


def _leads_out(name: str) -> bool:
    r"""Whether unpacking a file of this name would put it elsewhere, on any system.

    >>> [_leads_out(name) for name in ("c/0/1", "w:0", "../x", "/etc/x", "a/../../x", r"..\x", r"C:\x")]
    [False, False, True, True, True, True, True]
    """
    place = PureWindowsPath(name)  # which knows both kinds of slashes
    return bool(place.root) or ".." in place.parts

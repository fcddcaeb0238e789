"""PackBits, a simple compression of TIFF files: runs of equal bytes, and bytes as they are.

Format: Adobe, TIFF Revision 6.0, section 9.
"""

from ...compiling import compiled


@compiled()
def unpack(packed, out):  # type: ignore[no-untyped-def]
    """Fill `out` from `packed`; returns how many bytes came."""
    position, at = 0, 0
    while at < len(packed) and position < len(out):
        lead = packed[at]
        at += 1
        if lead < 128:
            for _ in range(lead + 1):
                if at < len(packed) and position < len(out):
                    out[position] = packed[at]
                    position += 1
                at += 1
        elif lead > 128:
            if at >= len(packed):
                break
            for _ in range(257 - lead):
                if position < len(out):
                    out[position] = packed[at]
                    position += 1
            at += 1
    return position

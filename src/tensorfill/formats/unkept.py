"""What a format has no place for, in one sentence."""

from __future__ import annotations

import numpy as np

from .contents import Contents

_NAMES = {
    "alpha": "how opaque pixels are",
    "frame_rate": "the frame rate",
    "band_names": "the names of bands",
    "wavelengths": "wavelengths",
    "affine": "the affine map",
    "exif": "EXIF data",
    "icc": "the colour profile",
    "xmp": "XMP",
    "density": "the pixel density",
}


def unkept(contents: Contents, kind: str, *kept: str, mask: bool = True) -> tuple[str, ...]:
    """At most one sentence about `kind`, such as "a .npy file": what is there and not among what it keeps."""
    metadata = contents.metadata
    told = {name: getattr(metadata, name) for name in _NAMES}
    lost = [_NAMES[name] for name, value in told.items() if name not in kept and _there(value)]
    if not mask and not _only_nan(contents):
        lost.append("which entries are known")
    return (f"{kind[0].upper()}{kind[1:]} does not keep {', '.join(lost)}.",) if lost else ()


def _there(value: object) -> bool:
    return value is not None and not (isinstance(value, tuple | bytes) and not value)


def _only_nan(contents: Contents) -> bool:
    """Whether NaN alone says what is missing."""
    if contents.observed is None:
        return True
    there = ~np.isnan(contents.data) if contents.data.dtype.kind == "f" else np.ones(contents.shape, dtype=bool)
    return not bool((there & ~contents.observed).any())

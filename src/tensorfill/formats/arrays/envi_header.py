"""The text beside an ENVI cube: lines of `field = value`, where a value in braces may go over several lines."""

from __future__ import annotations

from pathlib import Path

from ...errors import UnreadableFile

_LARGEST = 2**24  # bytes
_FIRST = "ENVI"
_NIFTI_OR_ANALYZE = ((348).to_bytes(4, "little"), (348).to_bytes(4, "big"))

Fields = dict[str, str]


def read_fields(path: Path) -> Fields:
    """Every field by its name in lower case, in the order of the file; values in braces keep their braces."""
    raw = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
    if raw[:4] in _NIFTI_OR_ANALYZE:
        raise UnreadableFile(f"{path} is one half of a NIfTI or Analyze pair, .hdr and .img: save it as one .nii file.")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    lines = iter(text.splitlines())
    if next(lines, "").strip() != _FIRST:
        raise UnreadableFile(f"{path} is not an ENVI header: its first line must be 'ENVI'.")
    fields: Fields = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or line.lstrip().startswith(";"):
            continue
        value = value.strip()
        if value.startswith("{"):
            while "}" not in value:
                more = next(lines, None)
                if more is None:
                    raise UnreadableFile(f"{path} is cut short: the value of '{name.strip()}' has no end.")
                value += "\n" + more.strip()
        fields[" ".join(name.lower().split())] = value
    return fields


def as_text(fields: Fields) -> str:
    """The text again."""
    return "".join([f"{_FIRST}\n", *(f"{name} = {value}\n" for name, value in fields.items())])


def parts(value: str) -> tuple[str, ...]:
    """What is between the braces, separated by commas."""
    inner = value.strip().removeprefix("{").partition("}")[0]
    return tuple(" ".join(part.split()) for part in inner.split(",")) if inner.strip() else ()


def braces(values: tuple[str, ...]) -> str:
    """A list as a value."""
    return "{" + ", ".join(values) + "}"


def whole_number(fields: Fields, name: str, path: Path, default: int | None = None) -> int:
    """The value of a field that must be a number of 0 or more."""
    text = fields.get(name, "" if default is None else str(default)).strip()
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise UnreadableFile(f"'{name}' in {path} must be a whole number of 0 or more. Got '{text[:40]}' instead.")
    return int(text)


def header_beside(numbers: Path) -> str | None:
    """A sentence that leads from a file of raw numbers to the header that describes it; None if there seems to be none.

    ENVI has CUBE.hdr beside CUBE.img, or CUBE.img.hdr.
    """
    for header in (numbers.with_suffix(".hdr"), numbers.with_name(f"{numbers.name}.hdr")):
        if header.is_file():
            return f"{numbers} holds the numbers of a cube that {header} describes; give that file instead."
    if numbers.suffix.lower() != ".img":
        return None
    header = numbers.with_suffix(".hdr")
    if numbers.exists():
        return f"{numbers} holds numbers alone; the header that describes them, {header}, is missing."
    return f"An ENVI cube is named by its header, {header}; {numbers.name} lies beside it."

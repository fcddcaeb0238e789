"""Tables as LaTeX, with the rules of the booktabs package."""

from __future__ import annotations

import unicodedata

from .table import Column, Entry, Table, Text

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "−": r"$-$",
    "–": "--",
    "†": r"\textdagger{}",
    "“": "``",
    "”": "''",
    "’": "'",
    "…": r"\ldots{}",
    "·": r"$\cdot$",
}


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it stands.

    >>> escaped("a_b & 5 % of λ")
    'a\\_b \\& 5 \\% of $\\lambda$'
    """
    return "".join(_ESCAPES.get(letter) or _greek(letter) or letter for letter in " ".join(text.split()))


def _greek(letter: str) -> str | None:
    name = unicodedata.name(letter, "").split()
    if name[:3] == ["GREEK", "SMALL", "LETTER"] and len(name) == 4:
        return f"$\\{ {'LAMDA': 'lambda'}.get(name[3], name[3].lower()) }$"
    return None


def table_text(table: Table) -> str:
    """A `table` environment, ready for \\input; needs \\usepackage{booktabs}."""
    layout = "".join(_layout(column) for column in table.columns)
    head = " & ".join(escaped(column.title) for column in table.columns)
    rows = "\n".join(line for row in table.rows for line in _row(row))
    notes = "".join(f"\n\n  \\smallskip\\footnotesize {escaped(note)}" for note in table.notes)
    return (
        "% Made by `tensorfill report`; needs \\usepackage{booktabs}.\n"
        "\\begin{table*}\n  \\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
        f"  \\caption{{{escaped(table.title)}}}\n  \\label{{tab:{table.name}}}\n"
        f"  \\begin{{tabular}}{{@{{}}{layout}@{{}}}}\n    \\toprule\n    {head} \\\\\n    \\midrule\n"
        f"{rows}\n    \\bottomrule\n  \\end{{tabular}}{notes}\n\\end{{table*}}\n"
    )


def _layout(column: Column) -> str:
    if column.long:
        return r"p{0.18\linewidth}"
    return "r" if column.numeric else "l"


def _row(row: tuple[Entry, ...]) -> list[str]:
    """One line of LaTeX for every line of the entries, for a cell of `tabular` has only one."""
    height = max(len(entry.lines) for entry in row)
    lines = []
    for place in range(height):
        pieces = [_text(entry.lines[place]) if place < len(entry.lines) else "" for entry in row]
        gap = r"\\[2pt]" if place == height - 1 and height > 1 else r"\\"
        lines.append(f"    {' & '.join(pieces)} {gap}")
    return lines


def _text(piece: Text) -> str:
    text = escaped(piece.text)
    if piece.bold:
        text = f"\\textbf{{{text}}}"
    if piece.underline:
        text = f"\\underline{{{text}}}"
    if piece.quiet:
        text = f"{{\\scriptsize {text}}}"
    return f"{text}$^{{\\mathrm{{{escaped(piece.raised)}}}}}$" if piece.raised else text

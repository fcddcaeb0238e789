"""Tables and sections as data, and the one way to write them: Markdown, LaTeX, CSV. HTML is in `page.html.jinja`."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Template


@dataclass(frozen=True)
class Text:
    """A piece of text and how it stands out."""

    text: str
    bold: bool = False
    underline: bool = False
    quiet: bool = False
    raised: str = ""
    """A mark set higher, behind the text."""


@dataclass(frozen=True)
class Entry:
    """One place of a table: a few short lines, and the number behind them in full precision."""

    lines: tuple[Text, ...]
    value: float | None = None


@dataclass(frozen=True)
class Column:
    """A heading; words stand left, numbers right, and long text breaks."""

    title: str
    numeric: bool = True
    long: bool = False


@dataclass(frozen=True)
class Table:
    """A table with its title and the notes below it; `name` is what its files are called."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A heading and what is below it. Paragraphs are plain text with `code` in backquotes."""

    title: str
    blocks: tuple[str | Table, ...]


def name_column(title: str) -> Column:
    """A column of short words."""
    return Column(title, numeric=False)


def prose_column(title: str) -> Column:
    """A column of sentences."""
    return Column(title, numeric=False, long=True)


def words(text: str, *, quiet: bool = False) -> Entry:
    """An entry without a number."""
    return Entry((Text(text, quiet=quiet),))


def number(value: float | None, show: Callable[[float], str]) -> Entry:
    """An entry with a number; "–" where there is none."""
    return words("–", quiet=True) if value is None else Entry((Text(show(value)),), value)


def rank(values: Sequence[float | None], *, smallest_first: bool = True) -> tuple[int | None, ...]:
    """The place of every value, 0 for the best and 1 for the second best, equal ones alike; None without a value.

    >>> rank([0.3, None, 0.1, 0.2, 0.1])
    (2, None, 0, 1, 0)
    """
    order = sorted({value for value in values if value is not None}, reverse=not smallest_first)
    return tuple(None if value is None else order.index(value) for value in values)


@dataclass(frozen=True)
class Marks:
    """How a language of markup shows what makes a piece of text stand out; § is the text."""

    escape: Callable[[str], str]
    looks: Mapping[str, str]
    """By the name of a look in `Text`, the innermost first."""
    raised: str

    def mark(self, piece: Text) -> str:
        """The text with its marks."""
        text = self.escape(piece.text)
        for look, marked in self.looks.items():
            if getattr(piece, look):
                text = marked.replace("§", text)
        return text + (self.raised.replace("§", self.escape(piece.raised)) if piece.raised else "")


# Markdown


def to_markdown(table: Table, *, titled: bool = True) -> str:
    """A table with its notes, under its title unless a section has it already."""
    head = [column.title for column in table.columns]
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    lines = [[_escape_markdown(title) for title in head], rules]
    lines += [["<br>".join(map(_MARKDOWN.mark, entry.lines)) for entry in row] for row in table.rows]
    grid = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    notes = "".join(f"\n* {_escape_markdown(note)}" for note in table.notes)
    title = f"## {_escape_markdown(table.title)}\n\n" if titled else ""
    return f"{title}{grid}\n{notes}" + ("\n" if titled or notes else "")


def page_to_markdown(title: str, sections: Iterable[Section]) -> str:
    """A page: paragraphs are taken as they are, for they may hold code and lists."""
    parts = [f"# {title}\n"]
    for section in sections:
        parts.append(f"## {section.title}\n")
        parts += [f"{part}\n" if isinstance(part, str) else to_markdown(part, titled=False) for part in section.blocks]
    return "\n".join(parts)


def _escape_markdown(text: str) -> str:
    """Text that stays one line of one cell and starts no markup; code in backquotes stays code."""
    parts = " ".join(text.split()).replace("|", "\\|").split("`")
    for place in range(0, len(parts), 2):
        for mark in ("*", "_", "<"):
            parts[place] = parts[place].replace(mark, f"\\{mark}")
    return "`".join(parts)


_MARKDOWN = Marks(_escape_markdown, {"underline": "<u>§</u>", "bold": "**§**"}, "<sup>§</sup>")


# Comma-separated values


def to_csv(table: Table) -> str:
    """The table with numbers in full precision; words where there is no number."""
    return lines_to_csv([[column.title for column in table.columns], *(map(_value, row) for row in table.rows)])


def lines_to_csv(lines: Iterable[Iterable[object]]) -> str:
    """Any lines."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(lines)
    return file.getvalue()


def _value(entry: Entry) -> object:
    words = " ".join(line.text for line in entry.lines if line.text and not line.quiet)
    return repr(entry.value) if entry.value is not None else words or entry.lines[0].text


# LaTeX

_TABLE = Template(r"""% Made by `tensorfill report`; needs \usepackage{booktabs}.
\begin{table*}
  \centering\footnotesize\setlength{\tabcolsep}{3pt}
  \caption{$title}
  \label{tab:$name}
  \begin{tabular}{@{}$layout@{}}
    \toprule
    $head \\
    \midrule
$rows
    \bottomrule
  \end{tabular}$notes
\end{table*}
""")
_ESCAPES = {
    "\\": r"\textbackslash{}",
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
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def to_latex(table: Table) -> str:
    """A `table` environment with the rules of booktabs, ready for \\input."""
    return _TABLE.substitute(
        title=escape_latex(table.title),
        name=table.name,
        layout="".join(map(_layout, table.columns)),
        head=" & ".join(escape_latex(column.title) for column in table.columns),
        rows="\n".join(line for row in table.rows for line in _latex_lines(row)),
        notes="".join(f"\n\n  \\smallskip\\footnotesize {escape_latex(note)}" for note in table.notes),
    )


def _layout(column: Column) -> str:
    if column.long:
        return r"p{0.18\linewidth}"
    return "r" if column.numeric else "l"


def _latex_lines(row: Sequence[Entry]) -> list[str]:
    """One line of LaTeX for every line of the entries, for a cell of `tabular` has only one."""
    height = max(len(entry.lines) for entry in row)
    lines = []
    for place in range(height):
        pieces = [_LATEX.mark(entry.lines[place]) if place < len(entry.lines) else "" for entry in row]
        gap = r"\\[2pt]" if place == height - 1 and height > 1 else r"\\"
        lines.append(f"    {' & '.join(pieces)} {gap}")
    return lines


def escape_latex(text: str) -> str:
    r"""Text that LaTeX prints as it stands.

    >>> escape_latex("a_b & 5 % of λ")
    'a\\_b \\& 5 \\% of $\\lambda$'
    """
    return "".join(_ESCAPES.get(letter) or _name_greek(letter) or letter for letter in " ".join(text.split()))


def _name_greek(letter: str) -> str | None:
    name = unicodedata.name(letter, "").split()
    if name[:3] == ["GREEK", "SMALL", "LETTER"] and len(name) == 4:
        return f"$\\{ {'LAMDA': 'lambda'}.get(name[3], name[3].lower()) }$"
    return None


_LATEX = Marks(
    escape_latex,
    {"bold": r"\textbf{§}", "underline": r"\underline{§}", "quiet": r"{\scriptsize §}"},
    r"$^{\mathrm{§}}$",
)

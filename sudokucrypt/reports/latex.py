"""Write the tables of a report in LaTeX, for papers, with no package except booktabs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sudokucrypt._version import __version__
from sudokucrypt.reports.document import Cell, Report, Table
from sudokucrypt.reports.table_layout import find_number_columns, split_by_columns
from sudokucrypt.reports.words import UNKNOWN_MARK

TableWidth: TypeAlias = Literal["page", "column"]
"""The width of tables: a page of an article, or a column of an article with two columns."""


@dataclass(frozen=True)
class _TableLayout:
    """The width of a table, the gap between columns and the size of letters, in points."""

    width: float
    gap: float
    size: float
    command: str


_LAYOUTS_BY_WIDTH: dict[TableWidth, _TableLayout] = {
    "page": _TableLayout(width=345, gap=12, size=9, command=r"\small"),
    "column": _TableLayout(width=252, gap=6, size=8, command=r"\footnotesize"),
}
# Widths of letters of Computer Modern as shares of the font size, rounded up. In small font sizes,
# letters are wider in proportion, by the factor `_SMALL_FONT_FACTOR`.
_LETTER_WIDTHS = {
    **dict.fromkeys("ijl.,:;|!'()[] ", 0.34),
    **dict.fromkeys("mwOQ%&@", 0.86),
    "M": 0.93,
    "W": 1.04,
}
_SMALL_FONT_FACTOR = 1.07
# Places for line breaks: after punctuation marks, and in very long words.
_BREAK_POINTS = re.compile(r"(?<=[-_/.:])(?=\w)|(?<=\w{20})(?=\w)")
_ESCAPES = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\le$",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\ge$",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "\N{GREEK SMALL LETTER CHI}": r"$\chi$",
    "\N{SUPERSCRIPT TWO}": "$^2$",
    "\N{RIGHTWARDS ARROW}": r"$\rightarrow$",
    "\N{DOWNWARDS ARROW}": r"$\downarrow$",
    "\N{SOUTH EAST ARROW}": r"$\searrow$",
    "\N{SOUTH WEST ARROW}": r"$\swarrow$",
    "\N{NORTH EAST ARROW}": r"$\nearrow$",
    "\N{INFINITY}": r"$\infty$",
}
_LATIN_STOP = 0x180  # every LaTeX that reads UTF-8 knows the letters below this code point


def to_latex(report: Report, *, width: TableWidth = "page") -> str:
    r"""Return the tables of a report, each in a `table` environment with its title as caption.

    They are meant for ``\input``, and fit a page of 345 points or a column of 252. A figure that is
    not as for a random image has an asterisk. Texts are folded, and a table with many columns
    becomes several below each other. Notes of a section are below its last table.

    Parameters
    ----------
    report : Report
        The report.
    width : {"page", "column"}, default "page"
        How wide the tables may be.
    """
    lines = [f"% {_escape(report.title)}; made by sudokucrypt {__version__}; see CITATION.cff"]
    lines += [r"% Needs \usepackage{booktabs}.", ""]
    table_count = 0
    for section in report.sections:
        for index, table in enumerate(section.tables, 1):
            table_count += 1
            caption = table.title
            if table.title != section.title:
                caption = f"{section.title}: {table.title}"
            # Notes are about all tables of a section, and are printed below the last one.
            notes = section.notes if index == len(section.tables) else ()
            lines += _format_environment(
                table, caption, table_count, _LAYOUTS_BY_WIDTH[width], notes
            )
    return "\n".join(lines)


def _format_environment(
    table: Table, caption: str, label: int, form: _TableLayout, notes: Sequence[str]
) -> Iterator[str]:
    yield r"\begin{table}"
    yield rf"  \centering{form.command}\setlength{{\tabcolsep}}{{{form.gap / 2:g}pt}}"
    # The caption explains the asterisk if a cell has one.
    has_failures = any(cell.verdict is False and cell.number for row in table.rows for cell in row)
    note = r" ($\ast$: not as for a random image)" if has_failures else ""
    yield rf"  \caption{{{_allow_breaks(caption)}{note}}}"
    yield rf"  \label{{tab:sudokucrypt-{label}}}"
    # Texts can be folded, so a column needs at most a third of the width.
    min_widths = [min(size, form.width / 3) for size in _measure_columns(table, form)]
    for index, part in enumerate(
        split_by_columns(table, min_widths, width=form.width, gap=form.gap)
    ):
        if index:
            yield r"  \par\medskip"
        yield from _format_tabular(part, form)
    for note in notes:
        box = rf"\parbox{{{form.width:g}pt}}{{\footnotesize\raggedright {_allow_breaks(note)}}}"
        yield rf"  \par\smallskip{box}"
    yield r"\end{table}"
    yield ""


def _measure_text(text: str, form: _TableLayout) -> float:
    """Estimate the width of a text in points; the estimate is too large rather than too small."""
    width_in_ems = sum(
        _LETTER_WIDTHS.get(letter, 0.79 if letter.isupper() else 0.56) for letter in text
    )
    return width_in_ems * form.size * _SMALL_FONT_FACTOR


def _measure_columns(table: Table, form: _TableLayout) -> list[float]:
    """Return the widths of columns without folding texts, except heads of number columns."""
    widths = []
    for column, is_number in enumerate(find_number_columns(table)):
        texts = [f"{row[column].text}*" if is_number else row[column].text for row in table.rows]
        texts += table.columns[column].split() if is_number else [table.columns[column]]
        widths.append(max(_measure_text(text, form) for text in texts))
    return widths


def _format_tabular(table: Table, form: _TableLayout) -> Iterator[str]:
    number_flags, widths = find_number_columns(table), _measure_columns(table, form)
    available_width = form.width - form.gap * (len(widths) - 1)
    # The widest columns are folded first, but not narrower than their longest word.
    folded_columns = set()
    while sum(widths) > available_width:
        text_columns = [
            column
            for column, is_number in enumerate(number_flags)
            if not is_number and column not in folded_columns
        ]
        if not text_columns:
            break
        widest_column = max(text_columns, key=widths.__getitem__)
        words = {
            word
            for row in table.rows
            for word in _BREAK_POINTS.sub(" ", row[widest_column].text).split()
        }
        words |= set(table.columns[widest_column].split())
        min_width = max(_measure_text(word, form) for word in words)
        folded_columns.add(widest_column)
        widths[widest_column] = max(
            min_width,
            min(widths[widest_column], available_width - sum(widths) + widths[widest_column]),
        )
    column_types = [
        "r" if is_number else f"p{{{width:.0f}pt}}" if column in folded_columns else "l"
        for column, (is_number, width) in enumerate(zip(number_flags, widths, strict=True))
    ]

    def format_head(column: int) -> str:
        text = table.columns[column]
        if not number_flags[column]:
            return _escape(text)
        stacked_words = r"\\".join(map(_escape, text.split()))
        if _measure_text(text, form) <= widths[column]:
            return _escape(text)
        return rf"\shortstack[r]{{{stacked_words}}}"

    def format_field(column: int, cell: Cell) -> str:
        return (
            rf"\raggedright {_allow_breaks(cell.text)}"
            if column in folded_columns
            else _format_field(cell)
        )

    yield rf"  \begin{{tabular}}{{@{{}}{''.join(column_types)}@{{}}}}"
    yield r"    \toprule"
    yield f"    {' & '.join(map(format_head, range(len(column_types))))} \\tabularnewline"
    yield r"    \midrule"
    for row in table.rows:
        fields = " & ".join(format_field(column, cell) for column, cell in enumerate(row))
        yield f"    {fields} \\tabularnewline"
    yield r"    \bottomrule"
    yield r"  \end{tabular}"


def _format_field(cell: Cell) -> str:
    if cell.text == UNKNOWN_MARK:
        return "--"
    mark = r"$^{\ast}$" if cell.verdict is False and cell.number else ""
    text = cell.text.replace("-", "\N{MINUS SIGN}") if cell.number else cell.text
    return _escape(text) + mark


def _allow_breaks(text: str) -> str:
    """Allow line breaks after punctuation marks, and in very long words."""
    return r"\allowbreak{}".join(map(_escape, _BREAK_POINTS.split(text)))


def _escape(text: str) -> str:
    """Escape text for LaTeX; characters that LaTeX may not know become question marks."""
    return "".join(
        _ESCAPES.get(character, character if ord(character) < _LATIN_STOP else "?")
        for character in text
    )

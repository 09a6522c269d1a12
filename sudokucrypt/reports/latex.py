"""A report's tables in LaTeX, as papers print them: with booktabs and no other package."""

from collections.abc import Iterator

from sudokucrypt._version import __version__
from sudokucrypt.reports.document import Cell, Report, Table
from sudokucrypt.reports.layout import numeric, parts
from sudokucrypt.reports.words import UNKNOWN

_WIDTH = 76  # characters that a line of a page has room for
_LONG = 40  # characters from which a text has lines of its own
_SPECIAL = {
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
_LATIN = 0x180  # letters below it are known to every LaTeX that reads UTF-8


def to_latex(report: Report) -> str:
    r"""Return the tables of a report, each in a `table` environment with its title as caption.

    They are meant for ``\input``. A figure that is not as for a random image has an asterisk.
    A table with many columns becomes several below each other.
    """
    lines = [f"% {_escaped(report.title)}; made by sudokucrypt {__version__}"]
    lines += [r"% Needs \usepackage{booktabs}.", ""]
    tables = 0
    for section in report.sections:
        for table in section.tables:
            tables += 1
            caption = table.title
            if table.title != section.title:
                caption = f"{section.title}: {table.title}"
            lines += _environment(table, caption, tables)
    return "\n".join(lines)


def _environment(table: Table, caption: str, label: int) -> Iterator[str]:
    yield r"\begin{table}"
    yield r"  \centering\small"
    # The asterisk is explained where there is one.
    failed = any(cell.verdict is False and cell.number for row in table.rows for cell in row)
    note = r" ($\ast$: not as for a random image)" if failed else ""
    yield rf"  \caption{{{_escaped(caption)}{note}}}"
    yield rf"  \label{{tab:sudokucrypt-{label}}}"
    for index, part in enumerate(parts(table, width=_WIDTH, longest=_LONG)):
        if index:
            yield r"  \par\medskip"
        yield from _tabular(part)
    yield r"\end{table}"
    yield ""


def _tabular(table: Table) -> Iterator[str]:
    kinds = [
        "r" if index else r"p{0.5\linewidth}" if max(map(len, texts)) > _LONG else "l"
        for index, texts in zip(
            numeric(table),
            zip(table.columns, *([cell.text for cell in row] for row in table.rows), strict=True),
            strict=True,
        )
    ]
    yield rf"  \begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}"
    yield r"    \toprule"
    yield f"    {' & '.join(map(_escaped, table.columns))} \\\\"
    yield r"    \midrule"
    for row in table.rows:
        yield f"    {' & '.join(map(_field, row))} \\\\"
    yield r"    \bottomrule"
    yield r"  \end{tabular}"


def _field(cell: Cell) -> str:
    if cell.text == UNKNOWN:
        return "--"
    mark = r"$^{\ast}$" if cell.verdict is False and cell.number else ""
    text = cell.text.replace("-", "\N{MINUS SIGN}") if cell.number else cell.text
    return _escaped(text) + mark


def _escaped(text: str) -> str:
    """Return text that LaTeX prints as it is; rare characters become a question mark."""
    return "".join(
        _SPECIAL.get(character, character if ord(character) < _LATIN else "?") for character in text
    )

"""Tables that fit a page: turned, cut into several side by side, or with folded texts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

from sudokucrypt.reports.document import Cell, Table

# Columns of a terminal.
WIDTH = 80

_MARKS = {True: " ✓", False: " ✗", None: ""}
# Columns between columns, so that numbers do not run together.
_GAP = 2
_NARROWEST = 12  # to which a column of texts is folded


def mark_verdict(cell: Cell) -> str:
    """Return a cell whose verdict is not lost without color."""
    return cell.text + (_MARKS[cell.verdict] if cell.number else "")


def lined_up(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> list[list[str]]:
    """Return lines of fields padded to equal widths, on the right where that is said."""
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    return [
        [
            f"{field:{'>' if to_right else '<'}{width}}"
            for field, width, to_right in zip(line, widths, right, strict=True)
        ]
        for line in lines
    ]


def numeric(table: Table) -> list[bool]:
    """Return which columns hold numbers, which are aligned right."""
    return [any(row[column].number for row in table.rows) for column in range(len(table.columns))]


def text_lines(table: Table, *, width: int = WIDTH) -> Iterator[str]:
    """Yield a table for a terminal, in as many parts as a width asks for."""
    whole = _lines(table)
    # Folding comes first: it keeps the order of rows and columns. Turning comes next, cutting last.
    if _width(whole) > width and (folded := _fold_longest(table, width)) is not None:
        whole = folded
    if _width(whole) > width and _width(_lines(transpose_table(table))) <= width:
        whole = _lines(transpose_table(table))
    if _width(whole) <= width:
        yield from whole
        return
    sizes = [max(map(len, column)) for column in zip(*_fields(table), strict=True)]
    for index, part in enumerate(parts(table, sizes, width=width, gap=_GAP)):
        if index:
            yield ""
        yield from _lines(part)


def transpose_table(table: Table) -> Table:
    """Return a table with rows and columns exchanged."""
    heads = tuple(row[0].text for row in table.rows)
    columns = zip(*(row[1:] for row in table.rows), strict=True)
    rows = [
        (Cell(text=name), *cells) for name, cells in zip(table.columns[1:], columns, strict=True)
    ]
    return replace(table, columns=(table.columns[0], *heads), rows=tuple(rows))


def parts(table: Table, sizes: Sequence[float], *, width: float, gap: float) -> Iterator[Table]:
    """Yield tables of neighboring columns, each behind the first column again.

    `sizes` are those of the columns. A part is at most `width` wide, or has one column besides.
    """
    start = 1
    while start < len(sizes):
        stop = start + 1
        line = sizes[0] + gap + sizes[start]
        while stop < len(sizes) and line + gap + sizes[stop] <= width:
            line += gap + sizes[stop]
            stop += 1
        rows = tuple((row[0], *row[start:stop]) for row in table.rows)
        heads = (table.columns[0], *table.columns[start:stop])
        yield replace(table, columns=heads, rows=rows)
        start = stop


def _fields(table: Table) -> list[list[str]]:
    return [list(table.columns), *([mark_verdict(cell) for cell in row] for row in table.rows)]


def _lines(table: Table) -> list[str]:
    lines = lined_up(_fields(table), numeric(table))
    return [(" " * _GAP).join(line).rstrip() for line in lines]


def _width(lines: Sequence[str]) -> int:
    return max(map(len, lines))


def _fold_longest(table: Table, width: int) -> list[str] | None:
    """Return the lines with the longest texts folded, if that makes them narrow enough."""
    fields, right = _fields(table), numeric(table)
    sizes = [max(map(len, column)) for column in zip(*fields, strict=True)]
    texts = [column for column, is_number in enumerate(right) if not is_number]
    longest = max(texts, key=lambda column: sizes[column])
    room = width - sum(sizes) - _GAP * (len(sizes) - 1) + sizes[longest]
    # Narrower columns would fold nearly every word.
    if room < _NARROWEST:
        return None
    folded: list[list[str]] = []
    for line in fields:
        first, *more = wrap(line[longest], room) or [""]
        folded.append([*line[:longest], first, *line[longest + 1 :]])
        empty = [""] * len(line)
        folded += [[*empty[:longest], text, *empty[longest + 1 :]] for text in more]
    lines = lined_up(folded, right)
    return [(" " * _GAP).join(line).rstrip() for line in lines]

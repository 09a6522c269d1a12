"""Fit tables into a width: transpose them, split them by columns, or fold their texts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

from sudokucrypt.reports.document import Cell, Table

# The width of a terminal in characters.
WIDTH = 80

_MARKS = {True: " ✓", False: " ✗", None: ""}
# Spaces between columns, so that numbers stay apart.
_GAP = 2
_MIN_COLUMN = 12  # the narrowest width to which a column is folded


def mark_verdict(cell: Cell) -> str:
    """Return the text of a cell with a mark for its verdict, which is visible without color."""
    return cell.text + (_MARKS[cell.verdict] if cell.number else "")


def align_fields(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> list[list[str]]:
    """Pad the fields of lines to the width of their columns; `right` tells which align right."""
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    return [
        [
            f"{field:{'>' if to_right else '<'}{width}}"
            for field, width, to_right in zip(line, widths, right, strict=True)
        ]
        for line in lines
    ]


def find_number_columns(table: Table) -> list[bool]:
    """Return for each column whether it contains numbers, which are aligned right."""
    return [any(row[column].number for row in table.rows) for column in range(len(table.columns))]


def text_lines(table: Table, *, width: int = WIDTH) -> Iterator[str]:
    """Yield the lines of a table for a terminal, in several parts if it is too wide."""
    lines = _format_lines(table)
    # Folding is tried first, since it keeps rows and columns, then transposing, then splitting.
    if _measure_width(lines) > width and (folded := _fold_longest(table, width)) is not None:
        lines = folded
    if (
        _measure_width(lines) > width
        and _measure_width(_format_lines(transpose_table(table))) <= width
    ):
        lines = _format_lines(transpose_table(table))
    if _measure_width(lines) <= width:
        yield from lines
        return
    sizes = [max(map(len, column)) for column in zip(*_format_fields(table), strict=True)]
    for index, part in enumerate(split_by_columns(table, sizes, width=width, gap=_GAP)):
        if index:
            yield ""
        yield from _format_lines(part)


def transpose_table(table: Table) -> Table:
    """Exchange the rows and columns of a table."""
    heads = tuple(row[0].text for row in table.rows)
    columns = zip(*(row[1:] for row in table.rows), strict=True)
    rows = [
        (Cell(text=name), *cells) for name, cells in zip(table.columns[1:], columns, strict=True)
    ]
    return replace(table, columns=(table.columns[0], *heads), rows=tuple(rows))


def split_by_columns(
    table: Table, sizes: Sequence[float], *, width: float, gap: float
) -> Iterator[Table]:
    """Split a table into tables of neighboring columns, each after a copy of the first column.

    `sizes` are the widths of the columns. Each part is at most `width` wide, unless a single column
    is wider.
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


def _format_fields(table: Table) -> list[list[str]]:
    return [list(table.columns), *([mark_verdict(cell) for cell in row] for row in table.rows)]


def _format_lines(table: Table) -> list[str]:
    lines = align_fields(_format_fields(table), find_number_columns(table))
    return [(" " * _GAP).join(line).rstrip() for line in lines]


def _measure_width(lines: Sequence[str]) -> int:
    return max(map(len, lines))


def _fold_longest(table: Table, width: int) -> list[str] | None:
    """Return the lines of a table with folded texts, or None if they are still too wide."""
    fields, right = _format_fields(table), find_number_columns(table)
    sizes = [max(map(len, column)) for column in zip(*fields, strict=True)]
    texts = [column for column, is_number in enumerate(right) if not is_number]
    longest = max(texts, key=lambda column: sizes[column])
    available = width - sum(sizes) - _GAP * (len(sizes) - 1) + sizes[longest]
    # In narrower columns, nearly every word would have its own line.
    if available < _MIN_COLUMN:
        return None
    folded: list[list[str]] = []
    for line in fields:
        first, *line_parts = wrap(line[longest], available) or [""]
        folded.append([*line[:longest], first, *line[longest + 1 :]])
        empty = [""] * len(line)
        folded += [[*empty[:longest], text, *empty[longest + 1 :]] for text in line_parts]
    lines = align_fields(folded, right)
    return [(" " * _GAP).join(line).rstrip() for line in lines]

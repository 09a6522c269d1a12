"""Fit tables into a width: transpose them, split them by columns, or fold their texts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

from sudokucrypt.reports.document import Cell, Table

# The width of a terminal in characters.
TERMINAL_WIDTH = 80

_VERDICT_MARKS = {True: " ✓", False: " ✗", None: ""}
# Spaces between columns, so that numbers stay apart.
_COLUMN_GAP = 2
_MIN_COLUMN_WIDTH = 12  # the narrowest width to which a column is folded


def mark_verdict(cell: Cell) -> str:
    """Return the text of a cell with a mark for its verdict, which is visible without color."""
    return cell.text + (_VERDICT_MARKS[cell.verdict] if cell.number else "")


def align_fields(lines: Sequence[Sequence[str]], right_flags: Sequence[bool]) -> list[list[str]]:
    """Pad the fields of lines to the width of their columns, on the left if `right_flags`."""
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    return [
        [
            f"{field:{'>' if is_right else '<'}{width}}"
            for field, width, is_right in zip(line, widths, right_flags, strict=True)
        ]
        for line in lines
    ]


def find_number_columns(table: Table) -> list[bool]:
    """Return for each column whether it contains numbers, which are aligned right."""
    return [any(row[column].number for row in table.rows) for column in range(len(table.columns))]


def format_table_lines(table: Table, *, width: int = TERMINAL_WIDTH) -> Iterator[str]:
    """Yield the lines of a table for a terminal, in several parts if it is too wide."""
    lines = _format_lines(table)
    # Folding is tried first, since it keeps rows and columns, then transposing, then splitting.
    if (
        _measure_width(lines) > width
        and (folded_lines := _fold_widest_column(table, width)) is not None
    ):
        lines = folded_lines
    if (
        _measure_width(lines) > width
        and _measure_width(_format_lines(transpose_table(table))) <= width
    ):
        lines = _format_lines(transpose_table(table))
    if _measure_width(lines) <= width:
        yield from lines
        return
    sizes = [max(map(len, column)) for column in zip(*_format_fields(table), strict=True)]
    for index, part in enumerate(split_by_columns(table, sizes, width=width, gap=_COLUMN_GAP)):
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
    first_column = 1
    while first_column < len(sizes):
        stop_column = first_column + 1
        line_width = sizes[0] + gap + sizes[first_column]
        while stop_column < len(sizes) and line_width + gap + sizes[stop_column] <= width:
            line_width += gap + sizes[stop_column]
            stop_column += 1
        rows = tuple((row[0], *row[first_column:stop_column]) for row in table.rows)
        heads = (table.columns[0], *table.columns[first_column:stop_column])
        yield replace(table, columns=heads, rows=rows)
        first_column = stop_column


def _format_fields(table: Table) -> list[list[str]]:
    return [list(table.columns), *([mark_verdict(cell) for cell in row] for row in table.rows)]


def _format_lines(table: Table) -> list[str]:
    lines = align_fields(_format_fields(table), find_number_columns(table))
    return [(" " * _COLUMN_GAP).join(line).rstrip() for line in lines]


def _measure_width(lines: Sequence[str]) -> int:
    return max(map(len, lines))


def _fold_widest_column(table: Table, width: int) -> list[str] | None:
    """Return the lines of a table with folded texts, or None if they are still too wide."""
    fields, number_flags = _format_fields(table), find_number_columns(table)
    sizes = [max(map(len, column)) for column in zip(*fields, strict=True)]
    text_columns = [column for column, is_number in enumerate(number_flags) if not is_number]
    widest_column = max(text_columns, key=lambda column: sizes[column])
    available_width = width - sum(sizes) - _COLUMN_GAP * (len(sizes) - 1) + sizes[widest_column]
    # In narrower columns, nearly every word would have its own line.
    if available_width < _MIN_COLUMN_WIDTH:
        return None
    folded_lines: list[list[str]] = []
    for line in fields:
        first_line, *continuation_lines = wrap(line[widest_column], available_width) or [""]
        folded_lines.append([*line[:widest_column], first_line, *line[widest_column + 1 :]])
        blank_fields = [""] * len(line)
        folded_lines += [
            [*blank_fields[:widest_column], text, *blank_fields[widest_column + 1 :]]
            for text in continuation_lines
        ]
    lines = align_fields(folded_lines, number_flags)
    return [(" " * _COLUMN_GAP).join(line).rstrip() for line in lines]

"""Text of grids and puzzles: the line form, and several lines with lines between boxes."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from math import isqrt
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.boxes import find_square_order, get_cell_name
from sudokucrypt.typing import Box

# Up to order 35, digit d (from 0) is written as symbol d; beyond, as the number d + 1.
SYMBOLS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# The symbols of open cells; all are read, and the first is written.
OPEN_SYMBOLS = ".0*_"

_OPEN_SYMBOL_SET = {*OPEN_SYMBOLS}

# A line of borders, as written by this package or by other programs (*---*---*).
BORDER_LINE = re.compile(r"^[ \t]*[-+][-+ \t\r]*$|^(?=.*--)[-+*|.:'= \t\r]+$", re.MULTILINE)


def format_line(digits: Iterable[int], order: int) -> str:
    """Return one symbol per digit, or spaced numbers above order 35; -1 is written as a period."""
    return ("" if order <= len(SYMBOLS) else " ").join(get_symbol(digit, order) for digit in digits)


def get_symbol(digit: int | None, order: int) -> str:
    """Return the symbol of a digit from 0, of an open cell (-1) or of a gap in the grid (None)."""
    if digit is None:
        return " "
    if digit < 0:
        return OPEN_SYMBOLS[0]
    return SYMBOLS[digit] if order <= len(SYMBOLS) else str(digit + 1)


def get_digit_name(digit: int, order: int) -> str:
    """Return the name of a digit in messages: its symbol, and its number if that differs."""
    name = get_symbol(digit, order)
    return name if name == str(digit + 1) else f"{name} ({digit + 1})"


def make_excerpt(digits: NDArray[np.int32], order: int) -> str:
    """Return the line form of digits, truncated after 81 symbols."""
    text = format_line(digits.reshape(-1)[:81].tolist(), order)
    return text if digits.size <= 81 else f"{text}..."


def split_words(text: str) -> list[str]:
    """Return the words of a text without white space and border lines."""
    return BORDER_LINE.sub("", text).replace("|", " ").split()


def split_symbols(text: str, order: int | None = None) -> Sequence[str]:
    """Return the symbols of all cells, or a list of numbers, without border lines.

    A text consists of numbers above order 35, and above order 9 if one of them has two digits. The
    default of `order` is the square root of the number of words.
    """
    words = split_words(text)
    if order is None:
        order = isqrt(len(words))
        if order * order < len(words) and order <= len(SYMBOLS):
            return "".join(words)
    return words if _are_numbers(words, order) else "".join(words)


def _are_numbers(words: Sequence[str], order: int) -> bool:
    """Return whether each word is the number of one cell, rather than several symbols."""
    if not 9 < order <= len(SYMBOLS):
        return order > len(SYMBOLS)
    valid_flags = (
        int(word) <= order if is_number(word) else word in _OPEN_SYMBOL_SET for word in words
    )
    return any(len(word) > 1 for word in words) and all(valid_flags)


def find_alphabet(symbols: str, order: int) -> str:
    """Return the symbols with which a text writes the digits of an order up to 35.

    These are letters from A if the text consists of letters and one of them is not in `SYMBOLS`.
    They count from 0 if the order is above 9, the text contains 0 but not the last symbol of the
    order, 0 is not too frequent for a digit, and open cells have another symbol or do not occur.
    Otherwise they are `SYMBOLS`.
    """
    usual_symbols, used_symbols = SYMBOLS[:order], {*symbols.upper()}
    letters = ascii_uppercase[: order if order <= len(ascii_uppercase) else 0]
    cells, scaled_zero_count = len(symbols), symbols.count("0") * order
    if used_symbols - _OPEN_SYMBOL_SET <= {*letters} and not used_symbols - _OPEN_SYMBOL_SET <= {
        *usual_symbols
    }:
        alphabet = letters
    elif (
        order > 9
        and usual_symbols[-1] not in used_symbols
        and 0 < scaled_zero_count <= cells
        and (scaled_zero_count == cells or used_symbols & _OPEN_SYMBOL_SET != {"0"})
    ):
        alphabet = "0" + usual_symbols[:-1]
    else:
        alphabet = usual_symbols
    return alphabet.lower() if symbols.islower() else alphabet


@lru_cache(maxsize=64)
def _make_digit_table(names: str) -> bytes:
    """Return the digit of each character code: -1 for open cells, -2 for unknown characters."""
    table = bytearray([0xFE]) * 256
    for open_symbol in OPEN_SYMBOLS:
        table[ord(open_symbol)] = 0xFF
    for digit, name in enumerate(names):
        table[ord(name.upper())] = table[ord(name.lower())] = digit
    return bytes(table)


@lru_cache(maxsize=64)
def _list_digit_names(names: tuple[str, ...]) -> Sequence[str]:
    """Return the names, for messages, of the digits that these symbols represent."""
    if names[0] != SYMBOLS[0]:
        return names
    return [name if name == str(n) else f"{name} ({n})" for n, name in enumerate(names, 1)]


class ParsedLine(NamedTuple):
    """Digits from 0, with -1 in open cells, and the names of all digits in messages."""

    digits: list[int]
    names: Sequence[str]


def read_line(
    text: str, *, order: int | None = None, requires_full_grid: bool = False
) -> ParsedLine:
    """Read digits; white space and border lines are ignored.

    The default of `order`, the number of digits, is the square root of the number of cells. With
    `requires_full_grid` no cell may be open. Raises `InvalidGridError` if the number of cells is
    not a square, or a symbol stands for none of the digits.
    """
    symbols = split_symbols(text, order)
    order = find_square_order(len(symbols)) if order is None else order
    if isinstance(symbols, str):
        names: Sequence[str] = find_alphabet(symbols, order)
        # An unknown symbol becomes -2: neither an open cell nor a digit.
        digit_codes = symbols.encode("latin-1", "replace").translate(_make_digit_table(names))
        digits = memoryview(digit_codes).cast("b").tolist()
    else:
        names = [str(number) for number in range(1, order + 1)]
        digits = [
            int(word) - 1 if is_number(word) else -1 if word in _OPEN_SYMBOL_SET else -2
            for word in symbols
        ]
    lowest_digit = 0 if requires_full_grid else -1
    if not digits or (lowest_digit <= min(digits) and max(digits) < order):
        return ParsedLine(digits, _list_digit_names(tuple(names)))
    wrong_index = next(
        index for index, digit in enumerate(digits) if not lowest_digit <= digit < order
    )
    label = f"cell {wrong_index + 1}"
    if len(symbols) == order * order:
        label = get_cell_name(*divmod(wrong_index, order))
    if requires_full_grid and digits[wrong_index] == -1:
        raise InvalidGridError(
            f"{label} is open, but each cell of a full grid holds a digit",
            hint="solve the puzzle first",
        )
    symbol_groups = groupby(names, str.isdigit)
    ranges = [f"{group[0]} to {group[-1]}" for group in ([*group] for _, group in symbol_groups)]
    open_symbols = [symbol for symbol in OPEN_SYMBOLS if symbol not in names]
    raise InvalidGridError(
        f"{label} holds {symbols[wrong_index][:20]!r}, not a digit {' or '.join(ranges)}",
        hint=None if requires_full_grid else f"an open cell is one of {' '.join(open_symbols)}",
    )


def find_ruled_box(text: str, order: int) -> Box | None:
    """Return the box (p, q), p * q = `order`, that the lines in a text separate, or None."""
    if "|" not in text and "\n" not in text:
        return None
    rows = [line for line in text.splitlines() if line.strip()]
    bands = [
        len([*part])
        for is_border, part in groupby(rows, lambda row: bool(BORDER_LINE.match(row)))
        if not is_border
    ]
    parts = [part for row in rows if not BORDER_LINE.match(row) for part in row.split("|")]
    stacks = [len(split_symbols(part, order)) for part in parts if part.strip()]
    box = bands[0], stacks[0]
    return box if len({*bands}) == len({*stacks}) == 1 and box[0] * box[1] == order else None


def is_number(word: str) -> bool:
    """Return whether a word is a decimal number of at most nine digits, so it fits in 32 bits."""
    return word.isascii() and word.isdigit() and len(word) < 10


def draw_boxes(rows: Sequence[Sequence[int | None]], box: Box, order: int) -> str:
    """Return lines of text with the digits of all cells and lines between boxes.

    `rows` contains -1 for open cells and None for gaps of the grid.
    """
    shape = len(rows), len(rows[0])
    box_height, box_width = shape if box in ((1, shape[1]), (shape[0], 1)) else box
    width = 1 if order <= len(SYMBOLS) else len(str(order))
    lines: list[str] = []
    row_above: Sequence[int | None] = ()
    for index, row in enumerate(rows):
        if index and index % box_height == 0:
            cell_flags = [
                a is not None or b is not None for a, b in zip(row_above, row, strict=True)
            ]
            box_segments = [
                ("-" if cell_flags[start] else " ") * (box_width * (width + 1) + 1)
                for start in range(0, len(row), box_width)
            ]
            lines.append(_join_parts(box_segments, cell_flags[::box_width], "+")[1:-1].rstrip())
        cell_flags = [value is not None for value in row]
        box_segments = [
            " ".join(
                get_symbol(value, order).rjust(width) for value in row[start : start + box_width]
            )
            for start in range(0, len(row), box_width)
        ]
        lines.append(_join_parts(box_segments, cell_flags[::box_width], " | ").rstrip())
        row_above = row
    return "\n".join(lines)


def _join_parts(parts: Sequence[str], is_present: Sequence[bool], separator: str) -> str:
    """Join parts with a separator, which is replaced by blanks between two missing parts."""
    text = parts[0]
    for index, part in enumerate(parts[1:]):
        text += (
            separator if is_present[index] or is_present[index + 1] else " " * len(separator)
        ) + part
    return text

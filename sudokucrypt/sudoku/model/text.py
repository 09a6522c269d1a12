"""Text of grids and puzzles: the line form, and cells over several lines with ruled boxes."""

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
from sudokucrypt.sudoku.model.boxes import cell_name, square_order
from sudokucrypt.typing import Box

# Digit d is written as symbol d up to order 35, as the number d + 1 beyond.
SYMBOLS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# What is read as an open cell; the first is written.
OPEN_SYMBOLS = ".0*_"

_OPEN = {*OPEN_SYMBOLS}

# A line of borders: one that is written here, or the frame of another program, as in *---*---*.
RULE = re.compile(r"^[ \t]*[-+][-+ \t\r]*$|^(?=.*--)[-+*|.:'= \t\r]+$", re.MULTILINE)


def write_line(digits: Iterable[int], order: int) -> str:
    """Return one symbol for each digit, or spaced numbers above order 35; -1 becomes a point."""
    return ("" if order <= len(SYMBOLS) else " ").join(symbol(digit, order) for digit in digits)


def symbol(digit: int | None, order: int) -> str:
    """Return the value of a symbol: a digit, -1 for an open cell, or None for no cell at all."""
    if digit is None:
        return " "
    if digit < 0:
        return OPEN_SYMBOLS[0]
    return SYMBOLS[digit] if order <= len(SYMBOLS) else str(digit + 1)


def digit_name(digit: int, order: int) -> str:
    """Return what messages call a digit: its symbol, and its number too where that differs."""
    name = symbol(digit, order)
    return name if name == str(digit + 1) else f"{name} ({digit + 1})"


def excerpt(digits: NDArray[np.int32], order: int) -> str:
    """Return the line form of digits, cut short after as many as 9x9 has."""
    text = write_line(digits.reshape(-1)[:81].tolist(), order)
    return text if digits.size <= 81 else f"{text}..."


def split_words(text: str) -> list[str]:
    """Return the words between white space and rules."""
    return RULE.sub("", text).replace("|", " ").split()


def split_symbols(text: str, order: int | None = None) -> Sequence[str]:
    """Return the symbols of all cells, or a list of their numbers, without rules.

    They are numbers above order 35, and above order 9 where one has two digits. `order` is by
    default as many as a square of the numbers has rows.
    """
    words = split_words(text)
    if order is None:
        order = isqrt(len(words))
        if order * order < len(words) and order <= len(SYMBOLS):
            return "".join(words)
    return words if _are_numbers(words, order) else "".join(words)


def _are_numbers(words: Sequence[str], order: int) -> bool:
    """Return whether each word is what one cell holds, and not some symbols together."""
    if not 9 < order <= len(SYMBOLS):
        return order > len(SYMBOLS)
    fitting = (int(word) <= order if is_number(word) else word in _OPEN for word in words)
    return any(len(word) > 1 for word in words) and all(fitting)


def alphabet(symbols: str, order: int) -> str:
    """Return the symbols by which a text writes the digits of an order up to 35.

    That is `SYMBOLS`, unless it has letters alone and one that is none of these, so that they
    count from A, or digits count from 0: they are more than 9, another symbol stands for open
    cells or there are none, 0 is not there too often, and the last symbol not at all.
    """
    usual, used = SYMBOLS[:order], {*symbols.upper()}
    letters = ascii_uppercase[: order if order <= len(ascii_uppercase) else 0]
    cells, zeros = len(symbols), symbols.count("0") * order
    if used - _OPEN <= {*letters} and not used - _OPEN <= {*usual}:
        written = letters
    elif (
        order > 9
        and usual[-1] not in used
        and 0 < zeros <= cells
        and (zeros == cells or used & _OPEN != {"0"})
    ):
        written = "0" + usual[:-1]
    else:
        written = usual
    return written.lower() if symbols.islower() else written


@lru_cache(maxsize=64)
def _make_digit_table(names: str) -> bytes:
    """Return for each byte the digit that it stands for in either case: -1 open, -2 nothing."""
    table = bytearray([0xFE]) * 256
    for symbol in OPEN_SYMBOLS:
        table[ord(symbol)] = 0xFF
    for digit, name in enumerate(names):
        table[ord(name.upper())] = table[ord(name.lower())] = digit
    return bytes(table)


@lru_cache(maxsize=64)
def _name_symbols(names: tuple[str, ...]) -> Sequence[str]:
    """Return what messages call digits that are written by these symbols."""
    if names[0] != SYMBOLS[0]:
        return names
    return [name if name == str(n) else f"{name} ({n})" for n, name in enumerate(names, 1)]


class ParsedLine(NamedTuple):
    """Digits from 0, with -1 in open cells, and what messages call each of the digits."""

    digits: list[int]
    names: Sequence[str]


def read_line(text: str, *, order: int | None = None, full: bool = False) -> ParsedLine:
    """Read digits; white space and rules between are ignored.

    `order`, the number of digits, is by default as many as a square of the text's cells has rows.
    With `full` no cell may be open. `InvalidGridError` if there is no such square, or a symbol
    stands for none of the digits.
    """
    symbols = split_symbols(text, order)
    order = square_order(len(symbols)) if order is None else order
    if isinstance(symbols, str):
        names: Sequence[str] = alphabet(symbols, order)
        # A symbol that is none of these becomes -2: neither open nor a digit.
        data = symbols.encode("latin-1", "replace").translate(_make_digit_table(names))
        digits = memoryview(data).cast("b").tolist()
    else:
        names = [str(number) for number in range(1, order + 1)]
        digits = [
            int(word) - 1 if is_number(word) else -1 if word in _OPEN else -2 for word in symbols
        ]
    lowest = 0 if full else -1
    if not digits or (lowest <= min(digits) and max(digits) < order):
        return ParsedLine(digits, _name_symbols(tuple(names)))
    wrong = next(at for at, digit in enumerate(digits) if not lowest <= digit < order)
    label = f"cell {wrong + 1}"
    if len(symbols) == order * order:
        label = cell_name(*divmod(wrong, order))
    if full and digits[wrong] == -1:
        raise InvalidGridError(
            f"{label} is open, but each cell of a full grid holds a digit",
            hint="solve the puzzle first",
        )
    kinds = groupby(names, str.isdigit)
    ranges = [f"{part[0]} to {part[-1]}" for part in ([*part] for _, part in kinds)]
    marks = [mark for mark in OPEN_SYMBOLS if mark not in names]
    raise InvalidGridError(
        f"{label} holds {symbols[wrong][:20]!r}, not a digit {' or '.join(ranges)}",
        hint=None if full else f"an open cell is one of {' '.join(marks)}",
    )


def ruled_box(text: str, order: int) -> Box | None:
    """Return the box (p, q), p * q = `order`, that the rules in a text mark off, or None."""
    if "|" not in text and "\n" not in text:
        return None
    rows = [line for line in text.splitlines() if line.strip()]
    bands = [
        len([*part]) for rule, part in groupby(rows, lambda row: bool(RULE.match(row))) if not rule
    ]
    parts = [part for row in rows if not RULE.match(row) for part in row.split("|")]
    stacks = [len(split_symbols(part, order)) for part in parts if part.strip()]
    box = bands[0], stacks[0]
    return box if len({*bands}) == len({*stacks}) == 1 and box[0] * box[1] == order else None


def is_number(word: str) -> bool:
    """Return whether a word is a decimal number that no integer type is too small for."""
    return word.isascii() and word.isdigit() and len(word) < 10


def draw_boxes(rows: Sequence[Sequence[int | None]], box: Box, order: int) -> str:
    """Return digits, -1 in open cells and None for no cell, over lines with the boxes ruled off."""
    shape = len(rows), len(rows[0])
    p, q = shape if box in ((1, shape[1]), (shape[0], 1)) else box
    width = 1 if order <= len(SYMBOLS) else len(str(order))
    lines: list[str] = []
    above: Sequence[int | None] = ()
    for index, row in enumerate(rows):
        if index and index % p == 0:
            exists = [a is not None or b is not None for a, b in zip(above, row, strict=True)]
            parts = [
                ("-" if exists[start] else " ") * (q * (width + 1) + 1)
                for start in range(0, len(row), q)
            ]
            lines.append(_join_parts(parts, exists[::q], "+")[1:-1].rstrip())
        exists = [value is not None for value in row]
        parts = [
            " ".join(symbol(value, order).rjust(width) for value in row[start : start + q])
            for start in range(0, len(row), q)
        ]
        lines.append(_join_parts(parts, exists[::q], " | ").rstrip())
        above = row
    return "\n".join(lines)


def _join_parts(parts: Sequence[str], exists: Sequence[bool], mark: str) -> str:
    """Join parts with a mark, which is blank between two missing parts."""
    text = parts[0]
    for index, part in enumerate(parts[1:]):
        text += (mark if exists[index] or exists[index + 1] else " " * len(mark)) + part
    return text

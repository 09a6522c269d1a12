"""Text of grids and puzzles: the line form, and cells over several lines with ruled boxes."""

from collections.abc import Iterable, Sequence
from math import isqrt

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.typing import Box

SYMBOLS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Digit d is written as symbol d up to order 35, as the number d + 1 beyond."""

_OPEN = ".0"


def write_line(digits: Iterable[int], order: int) -> str:
    """Return one symbol for each digit, or spaced numbers above order 35; -1 becomes a point."""
    return ("" if order <= len(SYMBOLS) else " ").join(symbol(digit, order) for digit in digits)


def symbol(digit: int | None, order: int) -> str:
    """Return what stands for a digit, -1 for an open cell, or None for no cell at all."""
    if digit is None:
        return " "
    if digit < 0:
        return _OPEN[0]
    return SYMBOLS[digit] if order <= len(SYMBOLS) else str(digit + 1)


def read_line(text: str, *, order: int | None = None, full: bool = False) -> list[int]:
    """Read a line form: digits from 0, and -1 for open cells; white space between is ignored.

    `order`, the number of digits, is by default as many as a square of the text's cells has rows.
    With `full` no cell may be open. `InvalidGridError` if there is an unknown symbol.
    """
    numbers = text.split()
    kind = "grid" if full else "puzzle"
    if (isqrt(len(numbers)) if order is None else order) > len(SYMBOLS):
        if not full:
            numbers = ["0" if number == _OPEN[0] else number for number in numbers]
        if not all(map(is_number, numbers)):
            raise InvalidGridError(f"a {kind} of order above 35 is written in decimal numbers")
        return [int(number) - 1 for number in numbers]
    symbols = "".join(numbers)
    values = {symbol: digit for digit, symbol in enumerate(SYMBOLS)}
    values |= {symbol.lower(): digit for symbol, digit in values.items()}
    if not full:
        values |= dict.fromkeys(_OPEN, -1)
    unknown = next((symbol for symbol in symbols if symbol not in values), None)
    if unknown is not None:
        raise InvalidGridError(f"{unknown!r} is not a digit of a {'full grid' if full else kind}")
    return [values[symbol] for symbol in symbols]


def is_number(word: str) -> bool:
    """Return whether a word is a decimal number that no integer type is too small for."""
    return word.isascii() and word.isdigit() and len(word) < 10


def ruled(rows: Sequence[Sequence[int | None]], box: Box, order: int) -> str:
    """Return digits, -1 in open cells and None for no cell, over lines with the boxes ruled off."""
    shape = len(rows), len(rows[0])
    p, q = shape if box in ((1, shape[1]), (shape[0], 1)) else box
    width = 1 if order <= len(SYMBOLS) else len(str(order))
    lines: list[str] = []
    above: Sequence[int | None] = ()
    for number, row in enumerate(rows):
        if number and number % p == 0:
            there = [a is not None or b is not None for a, b in zip(above, row, strict=True)]
            parts = [
                ("-" if there[start] else " ") * (q * (width + 1) + 1)
                for start in range(0, len(row), q)
            ]
            lines.append(_joined(parts, there[::q], "+")[1:-1].rstrip())
        there = [value is not None for value in row]
        parts = [
            " ".join(symbol(value, order).rjust(width) for value in row[start : start + q])
            for start in range(0, len(row), q)
        ]
        lines.append(_joined(parts, there[::q], " | ").rstrip())
        above = row
    return "\n".join(lines)


def _joined(parts: Sequence[str], there: Sequence[bool], mark: str) -> str:
    """Join parts with a mark, which is blank between two that are not there."""
    text = parts[0]
    for number, part in enumerate(parts[1:]):
        text += (mark if there[number] or there[number + 1] else " " * len(mark)) + part
    return text

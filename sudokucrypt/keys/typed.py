"""Keys that people typed: letters that look alike are read, and a mistake is located."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sudokucrypt.keys import bech32
from sudokucrypt.keys.texts import (
    LABEL_PREFIX,
    SHARE_PREFIX,
    USE_COPY,
    content_lines,
    is_locked,
    key_texts,
    refuse_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_START = re.compile(r"(?:sudokucrypt-(?:[a-z]+-)*|age-secret-key-(?:pq-)?)[1il]", re.I)
# No key has these letters after its prefix.
_LOOK_ALIKE = str.maketrans("oib1", "0l8l")
_USUAL = 58  # characters after the prefix of every key but a locked one
_MOST_TRIED = 8  # keys of a file that are searched for a mistake, each for a third of a second
_LENGTHS = {SHARE_PREFIX: 88, LABEL_PREFIX: 37}  # of shares


def normalize(text: str) -> str:
    """Return a key text with letters of one case, and with those that were meant.

    Behind the prefix, `O` is read as the digit 0, `I` and the digit 1 as `L`, and `B` as 8.
    A text that does not begin as a key does is returned as it is.
    """
    lower = text.lower()
    start = _START.match(lower)
    if start is None or not lower.isascii():
        return text
    return f"{start[0][:-1]}1{lower[start.end() :].translate(_LOOK_ALIKE)}"


def require_no_mistake(text: str) -> None:
    """Raise `InvalidKeyError` where one mistake makes a key file unreadable, and say where it is.

    The error names line and character, and never repeats the text. A file with another fault, or
    with none, passes.
    """
    if is_locked(text):
        return
    typed, tried = _places(text), 0
    for key in key_texts(text):
        places = [next(typed, (0, 0)) for _ in key]
        key_text = normalize(key)
        start = _START.match(key_text)
        if start is None or _is_valid(key_text):
            continue
        if (tried := tried + 1) > _MOST_TRIED:
            return
        index, what = _find_mistake(key_text, start.end())
        if what:
            share = key_text.startswith((SHARE_PREFIX, LABEL_PREFIX))
            line, column = places[min(index, len(places) - 1)]
            where = f"character {column} of line {line}"
            refuse_key(
                what.format(where),
                what="a damaged",
                noun="key share" if share else "key",
                hint="compare it with the share" if share else USE_COPY,
            )


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield line and column, from 1, of each character of the keys in a file."""
    kept = set(content_lines(text))
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip(" \t\r") in kept:
            yield from (
                (number, column) for column, letter in enumerate(line, 1) if not letter.isspace()
            )


def _find_mistake(text: str, first: int) -> tuple[int, str]:
    """Return where the one mistake in a key is, and what is said of it; nothing if unknown.

    The characters of `text` from `first` on are tried. The checksum tells all single mistakes
    apart, so the one that makes it right is the one that was made.
    """
    for index in range(first, len(text)):
        if text[index] not in bech32.ALPHABET:
            return index, "{} is not allowed"
    for index, what, corrected in _corrections(text, first):
        if _is_valid(corrected):
            return index, what
    return 0, ""


def _corrections(text: str, first: int) -> Iterator[tuple[int, str, str]]:
    """Yield places, names and corrections of the mistakes that give a text its length."""
    length, usual = len(text) - first, _LENGTHS.get(text[: first - 1], _USUAL)
    if abs(length - usual) > 1:
        return
    for index in range(first, len(text)):
        before, letter, after = text[:index], text[index], text[index + 1 :]
        if length == usual and index > first:
            exchanged = before[:-1] + letter + before[-1] + after
            yield index, "{} and the one before it are exchanged", exchanged
        if length == usual + 1:
            yield index, "{} is one too many", before + after
        for other in bech32.ALPHABET:
            if length == usual:
                yield index, "{} is wrong", before + other + after
            elif length == usual - 1:
                yield index, "a character is missing before {}", before + other + letter + after


def _is_valid(text: str) -> bool:
    try:
        bech32.decode(text)
    except ValueError:
        return False
    return True

"""Keys as four Sudoku grids, and back: docs/spec/key-cards-v1.md."""

from collections.abc import Sequence
from typing import Final

from sudokucrypt.keys import Key
from sudokucrypt.sudoku import SudokuGrid, unrank

GRIDS: Final = 4
"""Grids of a card."""

# Felgenhauer and Jarvis, 2005.
_TOTAL = 6_670_903_752_021_072_936_960  # 9x9 grids
_KEY_BYTES, _CHECK_BYTES = 32, 8
# Four grids hold 290 bits; the key takes 256 of them, and the rest can check it.
_CHECKS = _TOTAL**GRIDS >> 8 * _KEY_BYTES  # values of the check that have room: 34 bits of it


def card_grids(key: Key) -> tuple[SudokuGrid, ...]:
    """Return the four grids that encode a key.

    They are as secret as the key itself.

    >>> card_grids(Key(bytes(32)))[0].to_text()[:9]
    '147258369'
    """
    number = int.from_bytes(key.to_bytes(), "big") * _CHECKS + _check(key)
    numbers = []
    for _ in range(GRIDS):
        number, low = divmod(number, _TOTAL)
        numbers.append(low)
    return tuple(unrank(low) for low in reversed(numbers))


def key_of(numbers: Sequence[int]) -> Key | None:
    """Return the key that four grids with these numbers encode in this order, if any."""
    joined = 0
    for number in numbers:
        joined = joined * _TOTAL + number
    secret, check = divmod(joined, _CHECKS)
    if secret >> 8 * _KEY_BYTES:
        return None
    key = Key(secret.to_bytes(_KEY_BYTES, "big"))
    return key if _check(key) == check else None


def _check(key: Key) -> int:
    """Return what tells the grids of the key from others; it reveals nothing of the key."""
    return int.from_bytes(key.subkey("card", length=_CHECK_BYTES), "big") % _CHECKS

"""Keys as four Sudoku grids, and back: docs/spec/key-cards-v1.md; and values of key shares."""

from collections.abc import Sequence
from typing import Final

from sudokucrypt.keys import Key, KeyShare
from sudokucrypt.keys.key import derive
from sudokucrypt.sudoku import SudokuGrid, unrank

GRIDS: Final = 4
"""Grids of a card."""

# Felgenhauer and Jarvis, 2005.
_TOTAL = 6_670_903_752_021_072_936_960  # 9x9 grids
_KEY_BYTES, _CHECK_BYTES = 32, 8
# Four grids hold 290 bits; the key takes 256 of them, and the rest can check it.
_CHECKS = _TOTAL**GRIDS >> 8 * _KEY_BYTES  # values of the check that have room: 34 bits of it


# The subkeys that the checks are, so that the grids of a share are not read as those of a key.
KEY_USE, SHARE_USE = "master/card", "share/card"


def card_grids(key: Key | KeyShare) -> tuple[SudokuGrid, ...]:
    """Return the four grids that encode a key, or the value of a share.

    They are as secret as the key itself.

    Parameters
    ----------
    key : Key or KeyShare
        The key, or a share of one.

    Examples
    --------
    >>> card_grids(Key(bytes(32)))[0].to_text()[:9]
    '147258369'
    """
    secret, use = secret_and_use(key)
    number = int.from_bytes(secret, "big") * _CHECKS + _check(secret, use)
    numbers = []
    for _ in range(GRIDS):
        number, low = divmod(number, _TOTAL)
        numbers.append(low)
    return tuple(unrank(low) for low in reversed(numbers))


def secret_and_use(key: Key | KeyShare) -> tuple[bytes, str]:
    """Return the 32 bytes that a card encodes, and the use of the subkey that is their check."""
    return (key.value, SHARE_USE) if isinstance(key, KeyShare) else (key.to_bytes(), KEY_USE)


def decode_key(numbers: Sequence[int]) -> Key | None:
    """Return the key that four grids with these numbers encode in this order, or None."""
    secret = decode_secret(numbers, KEY_USE)
    return None if secret is None else Key(secret)


def decode_secret(numbers: Sequence[int], use: str) -> bytes | None:
    """Return the 32 bytes that four grids encode in this order under a use, or None."""
    joined = 0
    for number in numbers:
        joined = joined * _TOTAL + number
    number, check = divmod(joined, _CHECKS)
    if number >> 8 * _KEY_BYTES:
        return None
    secret = number.to_bytes(_KEY_BYTES, "big")
    return secret if _check(secret, use) == check else None


def _check(secret: bytes, use: str) -> int:
    """Return the number that tells these grids from others; it reveals nothing of the secret."""
    return int.from_bytes(derive(secret, use, length=_CHECK_BYTES), "big") % _CHECKS

"""Convert between 32 bytes of a key or share and four Sudoku grids: docs/spec/key-cards-v1.md."""

from collections.abc import Sequence
from typing import Final

from sudokucrypt.keys import Key, KeyShare
from sudokucrypt.keys.key import derive_bytes
from sudokucrypt.sudoku import SudokuGrid, unrank

GRIDS_PER_CARD: Final = 4
"""The number of grids on a card."""

# The number of 9x9 grids (Felgenhauer and Jarvis, 2005).
_GRID_COUNT = 6_670_903_752_021_072_936_960
_KEY_BYTES, _CHECK_BYTES = 32, 8
# Four grids encode 290 bits: 256 bits of the key, and 34 bits of a check.
_CHECK_COUNT = _GRID_COUNT**GRIDS_PER_CARD >> 8 * _KEY_BYTES  # the number of possible checks


# The names of the subkeys that are the checks. They differ, so that a share is not read as a key.
KEY_USE, SHARE_USE = "master/card", "share/card"


def card_grids(key: Key | KeyShare) -> tuple[SudokuGrid, ...]:
    """Return the four grids that encode a key, or the value of a share.

    The grids are as secret as the key.

    Parameters
    ----------
    key : Key or KeyShare
        The key, or a share of one.

    Examples
    --------
    >>> card_grids(Key(bytes(32)))[0].to_text()[:9]
    '147258369'
    """
    secret, key_use = get_secret_and_use(key)
    number = int.from_bytes(secret, "big") * _CHECK_COUNT + _compute_check(secret, key_use)
    numbers = []
    for _ in range(GRIDS_PER_CARD):
        number, grid_number = divmod(number, _GRID_COUNT)
        numbers.append(grid_number)
    return tuple(unrank(grid_number) for grid_number in reversed(numbers))


def get_secret_and_use(key: Key | KeyShare) -> tuple[bytes, str]:
    """Return the 32 bytes that a card encodes, and the name of the subkey that is their check."""
    return (key.value, SHARE_USE) if isinstance(key, KeyShare) else (key.to_bytes(), KEY_USE)


def decode_key(numbers: Sequence[int]) -> Key | None:
    """Return the key encoded by four grids with these numbers in this order, or None.

    None is returned if the check is wrong.
    """
    secret = decode_secret(numbers, KEY_USE)
    return None if secret is None else Key(secret)


def decode_secret(numbers: Sequence[int], key_use: str) -> bytes | None:
    """Return the 32 bytes encoded by four grids with these numbers in this order, or None.

    `key_use` is `KEY_USE` or `SHARE_USE`. None is returned if the check is wrong.
    """
    combined_number = 0
    for number in numbers:
        combined_number = combined_number * _GRID_COUNT + number
    value, check_value = divmod(combined_number, _CHECK_COUNT)
    if value >> 8 * _KEY_BYTES:
        return None
    secret = value.to_bytes(_KEY_BYTES, "big")
    return secret if _compute_check(secret, key_use) == check_value else None


def _compute_check(secret: bytes, key_use: str) -> int:
    """Return the check of 32 bytes, which reveals nothing about them."""
    return int.from_bytes(derive_bytes(secret, key_use, length=_CHECK_BYTES), "big") % _CHECK_COUNT

"""Key cards, section 1: the key that four grids encode."""

from collections.abc import Sequence

from tests.kit.reference import require
from tests.kit.reference.hkdf import KEY_BYTES, derive_subkey

TOTAL = 6_670_903_752_021_072_936_960
"""How many 9x9 grids there are."""

CHECKS: int = TOTAL**4 >> 8 * KEY_BYTES


def check(key: bytes) -> int:
    """Return the check value of a key."""
    return int.from_bytes(derive_subkey(key, "master/card", length=8), "big") % CHECKS


def parse_grid_number(text: str) -> int:
    """Return the number of a grid of 81 printed digits; refuse invalid grids."""
    require(len(text) == 81 and text.isdecimal(), "not 81 digits")
    rows = [[int(digit) - 1 for digit in text[start : start + 9]] for start in range(0, 81, 9)]
    columns = [[row[column] for row in rows] for column in range(9)]
    corners = [(row, column) for row in (0, 3, 6) for column in (0, 3, 6)]
    boxes = [
        [rows[i][j] for i in range(top, top + 3) for j in range(left, left + 3)]
        for top, left in corners
    ]
    is_complete = all(sorted(line) == list(range(9)) for line in (*rows, *columns, *boxes))
    require(is_complete, "no grid")
    # Imported late, since making its tables takes a second.
    from tests.kit.reference.numbering import compute_grid_number

    return compute_grid_number(rows)


def read_card(grids: Sequence[str]) -> bytes:
    """Return the key of four grids in their order."""
    number = 0
    for text in grids:
        number = number * TOTAL + parse_grid_number(text)
    key_number, check_value = divmod(number, CHECKS)
    require(key_number < 2 ** (8 * KEY_BYTES), "the number of the key is too large")
    key = key_number.to_bytes(KEY_BYTES, "big")
    require(check_value == check(key), "the check is not that of the key")
    return key

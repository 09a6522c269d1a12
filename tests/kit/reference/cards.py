"""Key cards, section 1: the key that four grids stand for."""

from collections.abc import Sequence

from tests.kit.reference import RefusedError
from tests.kit.reference.hkdf import KEY_BYTES, subkey
from tests.kit.reference.numbering import TOTAL, grid_number

CHECKS: int = TOTAL**4 >> 8 * KEY_BYTES


def check(key: bytes) -> int:
    """The check of a key."""
    return int.from_bytes(subkey(key, "master/card", length=8), "big") % CHECKS


def read_card(grids: Sequence[str]) -> bytes:
    """Key of four grids, 81 printed digits each, in their order."""
    n = 0
    for text in grids:
        digits = [int(symbol) - 1 for symbol in text]
        n = n * TOTAL + grid_number([digits[start : start + 9] for start in range(0, 81, 9)])
    k, c = divmod(n, CHECKS)
    if k >= 2 ** (8 * KEY_BYTES):
        raise RefusedError("the number of the key is too large")
    key = k.to_bytes(KEY_BYTES, "big")
    if c != check(key):
        raise RefusedError("the check is not that of the key")
    return key

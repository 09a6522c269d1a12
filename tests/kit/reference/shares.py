"""Key shares: split and join, one byte at a time, and the card of a share."""

from collections.abc import Sequence
from typing import NamedTuple

from tests.kit.reference import bech32, require
from tests.kit.reference.cards import CHECKS, TOTAL, parse_grid_number
from tests.kit.reference.hkdf import KEY_BYTES, derive_subkey

PREFIX, LABEL_PREFIX = "sudokucrypt-key-share-", "sudokucrypt-share-label-"
VERSION = 1
SPLIT_BYTES = 16
_MODULUS = 0b1_0001_1011


class Share(NamedTuple):
    """The fields of a share, in their order."""

    needed: int
    number: int
    split: bytes
    value: bytes


def multiply(factor: int, other_factor: int) -> int:
    """Return the product in GF(256), by long multiplication and division."""
    product = 0
    for bit in range(8):
        if other_factor >> bit & 1:
            product ^= factor << bit
    for bit in range(14, 7, -1):
        if product >> bit & 1:
            product ^= _MODULUS << bit - 8
    return product


def divide(dividend: int, divisor: int) -> int:
    """Return the element of GF(256) whose product with `divisor` is `dividend`, by trying all."""
    return next(c for c in range(256) if multiply(divisor, c) == dividend)


def evaluate(coefficients: Sequence[bytes], x: int) -> bytes:
    """Return the value of a polynomial at `x` for each byte."""
    result = bytearray(KEY_BYTES)
    power = 1
    for coefficient in coefficients:
        for index, byte in enumerate(coefficient):
            result[index] ^= multiply(byte, power)
        power = multiply(power, x)
    return bytes(result)


def write_text(share: Share) -> str:
    """Return the upper-case text of a share."""
    payload = bytes([VERSION, share.needed, share.number]) + share.split + share.value
    return bech32.encode(PREFIX, bech32.split_bytes(payload)).upper()


def write_label(share: Share) -> str:
    """Return the upper-case text of the label of a share, which lacks its value."""
    payload = bytes([VERSION, share.needed, share.number]) + share.split
    return bech32.encode(LABEL_PREFIX, bech32.split_bytes(payload)).upper()


def read(text: str) -> Share:
    """Parse the text of a share."""
    prefix, groups = bech32.decode(text, limit=None)
    require(prefix == PREFIX, "another prefix")
    payload = bech32.join_groups(groups)
    require(len(payload) == 3 + SPLIT_BYTES + KEY_BYTES, "another length")
    version, needed, number = payload[:3]
    require(version == VERSION, "another version")
    require(needed >= 2, "one share would be enough")
    require(number >= 1, "the number is that of the key")
    return Share(needed, number, payload[3 : 3 + SPLIT_BYTES], payload[3 + SPLIT_BYTES :])


def join(texts: Sequence[str]) -> bytes:
    """Return the key of these shares."""
    shares = list(dict.fromkeys(map(read, texts)))
    require(len({(share.split, share.needed) for share in shares}) == 1, "several splits")
    require(len({share.number for share in shares}) == len(shares), "one number twice")
    needed = shares[0].needed
    require(len(shares) >= needed, "too few")
    key = _interpolate(shares[:needed], 0)
    for share in shares[needed:]:
        require(_interpolate(shares[:needed], share.number) == share.value, "not on the polynomial")
    return key


def _interpolate(shares: Sequence[Share], x: int) -> bytes:
    """Return the value at `x` of the Lagrange polynomial through the values of the shares."""
    result = bytearray(KEY_BYTES)
    for share in shares:
        factor = 1
        for other_share in shares:
            if other_share.number != share.number:
                numerator, denominator = x ^ other_share.number, share.number ^ other_share.number
                factor = multiply(factor, divide(numerator, denominator))
        for index, byte in enumerate(share.value):
            result[index] ^= multiply(byte, factor)
    return bytes(result)


def read_grids(grids: Sequence[str]) -> bytes:
    """Return the value of a share on a card of four grids."""
    number = 0
    for grid in grids:
        number = number * TOTAL + parse_grid_number(grid)
    key_number, check_value = divmod(number, CHECKS)
    require(key_number < 2 ** (8 * KEY_BYTES), "the number of the value is too large")
    value = key_number.to_bytes(KEY_BYTES, "big")
    check = int.from_bytes(derive_subkey(value, "share/card", length=8), "big") % CHECKS
    require(check_value == check, "the check is not that of the value")
    return value

"""Key shares: split and join, one byte at a time, and the card of a share."""

from collections.abc import Sequence
from typing import NamedTuple

from tests.kit.reference import bech32, require
from tests.kit.reference.cards import CHECKS, TOTAL, parse_grid_number
from tests.kit.reference.hkdf import KEY_BYTES, subkey

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


def multiply(a: int, b: int) -> int:
    """Return the product in GF(256), by long multiplication and division."""
    product = 0
    for bit in range(8):
        if b >> bit & 1:
            product ^= a << bit
    for bit in range(14, 7, -1):
        if product >> bit & 1:
            product ^= _MODULUS << bit - 8
    return product


def divide(a: int, b: int) -> int:
    """Return the element of GF(256) whose product with `b` is `a`, by trying all."""
    return next(c for c in range(256) if multiply(b, c) == a)


def evaluate(coefficients: Sequence[bytes], x: int) -> bytes:
    """Return the value of a polynomial at `x` for each byte."""
    result = bytearray(KEY_BYTES)
    power = 1
    for coefficient in coefficients:
        for i, byte in enumerate(coefficient):
            result[i] ^= multiply(byte, power)
        power = multiply(power, x)
    return bytes(result)


def text(share: Share) -> str:
    """Return the upper-case text of a share."""
    payload = bytes([VERSION, share.needed, share.number]) + share.split + share.value
    return bech32.encode(PREFIX, bech32.groups_from_bytes(payload)).upper()


def label(share: Share) -> str:
    """Return the upper-case text of the label of a share, which lacks its value."""
    payload = bytes([VERSION, share.needed, share.number]) + share.split
    return bech32.encode(LABEL_PREFIX, bech32.groups_from_bytes(payload)).upper()


def read(text: str) -> Share:
    """Parse the text of a share."""
    prefix, groups = bech32.decode(text, limit=None)
    require(prefix == PREFIX, "another prefix")
    payload = bech32.bytes_from_groups(groups)
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
    for one in shares:
        factor = 1
        for other in shares:
            if other.number != one.number:
                numerator, denominator = x ^ other.number, one.number ^ other.number
                factor = multiply(factor, divide(numerator, denominator))
        for i, byte in enumerate(one.value):
            result[i] ^= multiply(byte, factor)
    return bytes(result)


def read_grids(grids: Sequence[str]) -> bytes:
    """Return the value of a share on a card of four grids."""
    n = 0
    for grid in grids:
        n = n * TOTAL + parse_grid_number(grid)
    k, c = divmod(n, CHECKS)
    require(k < 2 ** (8 * KEY_BYTES), "the number of the value is too large")
    value = k.to_bytes(KEY_BYTES, "big")
    check = int.from_bytes(subkey(value, "share/card", length=8), "big") % CHECKS
    require(c == check, "the check is not that of the value")
    return value

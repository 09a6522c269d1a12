"""Bech32: text with a prefix and a checksum that finds typing errors (BIP 173)."""

from collections.abc import Iterable

# Digits and letters without 1, b, i and o, in an order in which characters that look alike differ
# in one bit (BIP 173).
ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
# The generator of a BCH code, times x^0 to x^4: it finds any four wrong characters (BIP 173).
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
# 30 bits: a text with random errors passes once in a thousand million times.
_CHECKSUM_LENGTH = 6


def encode(prefix: str, payload: bytes) -> str:
    """Return `payload` as lower-case Bech32 text under a lower-case `prefix`."""
    values = _regroup(payload, 8, 5, pad=True)
    remainder = _polymod([*_expand(prefix), *values, *[0] * _CHECKSUM_LENGTH]) ^ 1
    shifts = range(5 * (_CHECKSUM_LENGTH - 1), -1, -5)
    checksum = [(remainder >> shift) & 31 for shift in shifts]
    return f"{prefix}1" + "".join(ALPHABET[value] for value in [*values, *checksum])


def decode(text: str) -> tuple[str, bytes]:
    """Return the prefix in lower case and the payload.

    Raises `ValueError` if the text mixes cases, holds a foreign character, or fails its checksum or
    padding. The message never repeats the text.
    """
    # Other alphabets have letters whose lower case is in ours, such as the Kelvin sign.
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise ValueError("a character is not allowed")
    if text not in (text.lower(), text.upper()):
        raise ValueError("upper and lower case are mixed")
    prefix, separator, data = text.lower().rpartition("1")
    if not separator or not prefix or len(data) < _CHECKSUM_LENGTH:
        raise ValueError("the text is cut short")
    if not set(data) <= set(ALPHABET):
        raise ValueError("a character is not allowed")
    values = [ALPHABET.index(symbol) for symbol in data]
    if _polymod([*_expand(prefix), *values]) != 1:
        raise ValueError("the checksum does not match")
    return prefix, bytes(_regroup(values[:-_CHECKSUM_LENGTH], 5, 8, pad=False))


def _expand(prefix: str) -> list[int]:
    # BIP 173: high bits, a zero and low bits, so that all numbers have five bits.
    codes = prefix.encode("ascii")
    return [*[code >> 5 for code in codes], 0, *[code & 31 for code in codes]]


def _polymod(values: Iterable[int]) -> int:
    # Polynomial division over GF(32): `check` holds the six coefficients of the remainder.
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_GENERATORS):
            if top >> bit & 1:
                check ^= generator
    return check


def _regroup(values: Iterable[int], source: int, target: int, *, pad: bool) -> list[int]:
    """Regroup a sequence of `source`-bit numbers into `target`-bit ones."""
    accumulator = bits = 0
    groups = []
    for value in values:
        accumulator = accumulator << source | value
        bits += source
        while bits >= target:
            bits -= target
            groups.append(accumulator >> bits)
            accumulator &= (1 << bits) - 1
    if pad and bits:
        groups.append(accumulator << (target - bits))
    elif not pad and (bits >= source or accumulator):
        raise ValueError("the padding is not zero")
    return groups

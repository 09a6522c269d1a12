"""Section 1: the text of a key.

References
----------
BIP 173, https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki
"""

from collections.abc import Sequence

from tests.kit.reference import RefusedError

CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
CHECKSUM_CONSTANT = 1
CHECKSUM_LENGTH = 6
MAX_LENGTH = 90
KEY_PREFIX = "sudokucrypt-key-"
PICTURE_KEY_PREFIX = "sudokucrypt-picture-key-"
KEY_BYTES = 32
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def _compute_polymod(values: Sequence[int]) -> int:
    remainder = 1
    for value in values:
        high_bits = remainder >> 25
        remainder = (remainder & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_GENERATORS):
            if high_bits >> bit & 1:
                remainder ^= generator
    return remainder


def _expand(prefix: str) -> list[int]:
    return (
        [ord(character) >> 5 for character in prefix]
        + [0]
        + [ord(character) & 31 for character in prefix]
    )


def encode(prefix: str, groups: Sequence[int]) -> str:
    """Return the lower-case Bech32 text of numbers 0..31 with the human-readable part `prefix`."""
    padded = [*_expand(prefix), *groups, *[0] * CHECKSUM_LENGTH]
    remainder = _compute_polymod(padded) ^ CHECKSUM_CONSTANT
    checksum = [remainder >> 5 * (5 - i) & 31 for i in range(CHECKSUM_LENGTH)]
    return prefix + "1" + "".join(CHARSET[g] for g in [*groups, *checksum])


def decode(text: str, *, limit: int | None = MAX_LENGTH) -> tuple[str, list[int]]:
    """Return the lower-case human-readable part, and the numbers 0..31 before the checksum."""
    if limit is not None and len(text) > limit:
        raise RefusedError("longer than 90 characters")
    if not all(33 <= ord(c) <= 126 for c in text):
        raise RefusedError("a character outside of the range of Bech32")
    if text not in (text.lower(), text.upper()):
        raise RefusedError("mixed case")
    prefix, separator, data = text.lower().rpartition("1")
    if not separator or not prefix:
        raise RefusedError("no human-readable part")
    if len(data) < CHECKSUM_LENGTH or not all(c in CHARSET for c in data):
        raise RefusedError("not the data part of a Bech32 string")
    values = [CHARSET.index(c) for c in data]
    if _compute_polymod([*_expand(prefix), *values]) != CHECKSUM_CONSTANT:
        raise RefusedError("wrong checksum")
    return prefix, values[:-CHECKSUM_LENGTH]


def split_bytes(data: bytes) -> list[int]:
    """Split the bits of `data`, highest first, in groups of five; pad the last with zeros."""
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    return [int(bits[i : i + 5], 2) for i in range(0, len(bits), 5)]


def join_groups(groups: Sequence[int]) -> bytes:
    """Invert `split_bytes`; refuse padding that is not zero, or five bits or longer."""
    bits = "".join(f"{group:05b}" for group in groups)
    length = len(bits) // 8 * 8
    padding = bits[length:]
    if len(padding) > 4 or "1" in padding:
        raise RefusedError("padding bits that are not zero")
    return bytes(int(bits[i : i + 8], 2) for i in range(0, length, 8))


def write_key(key: bytes, *, prefix: str = KEY_PREFIX) -> str:
    """Return the upper-case text of a master key (75 characters) or a picture key (83)."""
    if len(key) != KEY_BYTES:
        raise RefusedError("a key is 32 bytes")
    return encode(prefix, split_bytes(key)).upper()

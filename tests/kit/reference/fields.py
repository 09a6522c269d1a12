"""Section 6: which values the fields of a header may have."""

import base64
import binascii
import re
import string
from collections.abc import Collection

from tests.kit.reference import RefusedError, require

MAX_BLOCK_SIZE = 65535
MAX_ROUNDS = 255
MAX_LENGTH = 2147483647
KEY_ID_DIGITS = 8
SALT_DIGITS = 32
TAG_DIGITS = 64
HEXADECIMAL = frozenset(string.digits + "abcdef")
DERIVATION = re.compile("[a-z0-9]{1,32}:[a-z0-9=,]{1,64}:[0-9a-f]{32}")


def is_number(value: object, largest: int) -> bool:
    """Whether `value` is a number 1..largest."""
    return type(value) is int and 1 <= value <= largest


def is_name(value: object, names: Collection[str]) -> bool:
    """Whether `value` is one of the names."""
    return type(value) is str and value in names


def is_hexadecimal(value: object, digits: int) -> bool:
    """Whether `value` is so many lower-case hexadecimal digits."""
    return type(value) is str and len(value) == digits and HEXADECIMAL.issuperset(value)


def is_shape(value: object) -> bool:
    """Whether `value` is one to three lengths."""
    return (
        type(value) is tuple
        and 1 <= len(value) <= 3
        and all(is_number(length, MAX_LENGTH) for length in value)
    )


def is_derivation(value: object) -> bool:
    """Whether `value` is in the form that a reader of headers accepts (Encryption, section 4)."""
    return type(value) is str and DERIVATION.fullmatch(value) is not None


def as_base64(data: bytes) -> str:
    """Base64 of RFC 4648, section 4, with padding."""
    return base64.b64encode(data).decode("ascii")


def from_base64(text: object) -> bytes | None:
    """Bytes that stand in base64, or None for None."""
    if text is None:
        return None
    require(isinstance(text, str), "no base64")
    try:
        return base64.b64decode(str(text), validate=True)
    except binascii.Error as error:
        raise RefusedError("header: no base64") from error

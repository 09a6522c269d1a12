"""Section 6: the values that the fields of a header may have."""

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
    """Return whether `value` is a number 1..largest."""
    return type(value) is int and 1 <= value <= largest


def is_name(value: object, names: Collection[str]) -> bool:
    """Return whether `value` is one of the names."""
    return type(value) is str and value in names


def is_hexadecimal(value: object, digits: int) -> bool:
    """Return whether `value` consists of this number of lower-case hexadecimal digits."""
    return type(value) is str and len(value) == digits and HEXADECIMAL.issuperset(value)


def is_shape(value: object) -> bool:
    """Return whether `value` is a list of one to three lengths."""
    return (
        type(value) is tuple
        and 1 <= len(value) <= 3
        and all(is_number(length, MAX_LENGTH) for length in value)
    )


def is_derivation(value: object) -> bool:
    """Return whether `value` has the form that readers of headers accept (Encryption, 4)."""
    return type(value) is str and DERIVATION.fullmatch(value) is not None


def encode_base64(data: bytes) -> str:
    """Return data in base64 with padding (RFC 4648, section 4)."""
    return base64.b64encode(data).decode("ascii")


def decode_base64(text: object) -> bytes | None:
    """Return the bytes that a base64 text encodes, or None for None."""
    if text is None:
        return None
    require(isinstance(text, str), "no base64")
    try:
        return base64.b64decode(str(text), validate=True)
    except binascii.Error as error:
        raise RefusedError("header: no base64") from error

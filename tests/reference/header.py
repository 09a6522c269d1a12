"""Section 6: the header, one line of ASCII JSON that has one form only.

The scheme `encrypt-v1` and the field `kdf` come from sections 2 and 4 of the page on encryption,
the fields `regions`, `mask` and `extras` from sections 3 and 4 of the page on pictures.
"""

import base64
import binascii
import json
import string
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from tests.reference import RefusedError, kdf
from tests.reference.selection import Region, read_mask
from tests.reference.units import UNITS

VERSION = 1
KEYED = "scramble-v1"
CONTEXT = "scramble-context-v1"
ENCRYPT = "encrypt-v1"
SCHEMES = (KEYED, CONTEXT, ENCRYPT)
MAX_HEADER_BYTES = 33554432
MAX_OTHER_BYTES = 65536
MAX_BLOCK_SIZE = 65535
MAX_ROUNDS = 255
MAX_LENGTH = 2**31 - 1
KEY_ID_DIGITS = 8
SALT_DIGITS = 32
TAG_DIGITS = 64
HEXADECIMAL = frozenset(string.digits + "abcdef")
SAMPLE_BYTES = {
    "bool": 1,
    "uint8": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "float32": 4,
    "float64": 8,
}
FIELDS = (
    "sudokucrypt",
    "scheme",
    "unit",
    "block_size",
    "rounds",
    "shape",
    "dtype",
    "regions",
    "mask",
    "key_id",
    "kdf",
    "salt",
    "extras",
    "tag",
)
BASE64_FIELDS = ("mask", "extras")


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise RefusedError(f"header: {what}")


def _is_number(value: object, largest: int) -> bool:
    return type(value) is int and 1 <= value <= largest


def _is_hexadecimal(value: object, digits: int) -> bool:
    return type(value) is str and len(value) == digits and HEXADECIMAL.issuperset(value)


def _is_region(value: object) -> bool:
    return (
        type(value) is tuple
        and len(value) == 4
        and all(type(number) is int for number in value)
        and min(value[:2]) >= 0
        and min(value[2:]) >= 1
    )


def _is_name(value: object, names: Collection[str]) -> bool:
    return type(value) is str and value in names


@dataclass(frozen=True, kw_only=True)
class Header:
    """The fields of a header, refused where the table of section 6 does not allow them.

    Parameters
    ----------
    scheme, unit, dtype
        Names of the table.
    block_size
        Rows and columns of a block, in pixels; None unless the unit is `"block"`.
    rounds
        1..255.
    shape
        One to three lengths.
    regions
        Rectangles (row, column, rows, columns), or None.
    mask
        Bytes of the runs, or None.
    key_id, salt, tag
        Lower-case hexadecimal digits; `salt` and `tag` may be None.
    kdf
        Key derivation in the form that a reader of headers accepts, or None.
    extras
        Bytes of the extras, masked in `encrypt-v1`, or None.
    """

    scheme: str
    unit: str
    block_size: int | None = None
    rounds: int
    shape: tuple[int, ...]
    dtype: str
    regions: tuple[Region, ...] | None = None
    mask: bytes | None = None
    key_id: str
    kdf: str | None = None
    salt: str | None = None
    extras: bytes | None = None
    tag: str | None = None

    def __post_init__(self) -> None:
        """Refuse what section 6 does not allow."""
        _require(_is_name(self.scheme, SCHEMES), "unknown scheme")
        _require(_is_name(self.unit, UNITS), "unknown unit")
        if self.unit == "block":
            _require(_is_number(self.block_size, MAX_BLOCK_SIZE), "wrong block_size")
        else:
            _require(self.block_size is None, "block_size without blocks")
        _require(_is_number(self.rounds, MAX_ROUNDS), "wrong rounds")
        _require(type(self.shape) is tuple and 1 <= len(self.shape) <= 3, "wrong shape")
        _require(all(_is_number(length, MAX_LENGTH) for length in self.shape), "wrong shape")
        _require(_is_name(self.dtype, SAMPLE_BYTES), "unknown dtype")
        _require(_is_hexadecimal(self.key_id, KEY_ID_DIGITS), "wrong key_id")
        if self.scheme == CONTEXT:
            _require(self.salt is None and self.tag is None, "salt or tag without use")
        # Assumed: a reader of headers, not only the derivation, refuses a kdf without a salt, and
        # one in a header of scramble-context-v1.
        if self.kdf is not None:
            _require(kdf.is_readable(self.kdf), "wrong kdf")
            _require(self.salt is not None, "kdf without salt")
            _require(self.scheme != CONTEXT, "kdf with a context")
        self._check_selection()
        _require(self.extras is None or len(self.extras) > 0, "empty extras")
        if self.scheme == ENCRYPT:
            _require(self.unit == "pixel", "encryption of another unit than pixels")
        _require(self.salt is None or _is_hexadecimal(self.salt, SALT_DIGITS), "wrong salt")
        _require(self.tag is None or _is_hexadecimal(self.tag, TAG_DIGITS), "wrong tag")

    def _check_selection(self) -> None:
        _require(self.regions is None or self.mask is None, "regions and mask")
        if self.regions is not None or self.mask is not None:
            _require(self.unit != "block", "a selection of blocks")
            _require(len(self.shape) > 1, "a selection in one dimension")
        if self.regions is not None:
            _require(type(self.regions) is tuple and len(self.regions) > 0, "no regions")
            _require(all(map(_is_region, self.regions)), "wrong region")
        if self.mask is not None:
            read_mask(self.mask)

    def without_tag(self) -> "Header":
        """The header of which the tag is made."""
        return replace(self, tag=None)

    def with_tag(self, tag: bytes) -> "Header":
        """The header with this tag."""
        return replace(self, tag=tag.hex())


def write(header: Header) -> bytes:
    """The header as bytes; fields that are None are left out."""
    fields: dict[str, Any] = {"sudokucrypt": VERSION}
    for name in FIELDS[1:]:
        value = getattr(header, name)
        if name in BASE64_FIELDS and value is not None:
            value = base64.b64encode(value).decode("ascii")
        if value is not None:
            fields[name] = value
    return json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _tuples(value: object) -> object:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _bytes_of(text: object) -> bytes | None:
    """Bytes that stand in base64."""
    if text is None:
        return None
    _require(isinstance(text, str), "no base64")
    try:
        return base64.b64decode(str(text), validate=True)
    except binascii.Error as error:
        raise RefusedError("header: no base64") from error


def read(data: bytes) -> Header:
    """Read a header.

    Parameters
    ----------
    data
        The header, without a line end.

    Returns
    -------
    Header
        Its fields.

    Raises
    ------
    RefusedError
        When `data` is not, byte for byte, what `write` gives for a complete header.
    """
    _require(len(data) <= MAX_HEADER_BYTES, "too long")
    try:
        fields = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise RefusedError("header: not ASCII JSON") from error
    if not isinstance(fields, dict):
        raise RefusedError("header: not an object")
    _require(fields.pop("sudokucrypt", None) == VERSION, "another version")
    _require(set(fields) <= set(FIELDS), "unknown field")
    values: dict[str, Any] = {name: _tuples(fields.get(name)) for name in FIELDS[1:]}
    texts = [values[name] for name in BASE64_FIELDS if isinstance(values[name], str)]
    _require(len(data) - sum(map(len, texts)) <= MAX_OTHER_BYTES, "too long without its texts")
    for name in BASE64_FIELDS:
        values[name] = _bytes_of(values[name])
    header = Header(**values)
    # Assumed: a reader of headers, not only the one who restores, refuses a missing tag.
    _require((header.scheme != CONTEXT) == (header.tag is not None), "a tag is missing")
    _require(write(header) == data, "not in the one form that is written")
    return header

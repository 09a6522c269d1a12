"""Section 6: the header, one line of ASCII JSON that has one form only.

The scheme `encrypt-v1` and the field `kdf` come from sections 2 and 4 of the page on encryption,
what an earlier version wrote and the field `extras` from sections 2 and 4 of that on pictures.
"""

import json
from dataclasses import dataclass, replace
from typing import Any

from tests.kit.reference import RefusedError, require
from tests.kit.reference import fields as rules
from tests.kit.reference.units import UNITS

VERSION = 1
SCRAMBLE = "scramble-v1"
CONTEXT = "scramble-context-v1"
ENCRYPT = "encrypt-v1"
JPEG = "scramble-jpeg-v1"
SCHEMES = (SCRAMBLE, CONTEXT, ENCRYPT, JPEG)
LOGISTIC = "insecure-logistic-substitution-v1"
MAX_HEADER_BYTES = 33554432
MAX_OTHER_BYTES = 65536
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
    *("sudokucrypt", "scheme", "unit", "block_size", "rounds", "segment", "shape", "dtype"),
    *("key_id", "kdf", "recipients", "salt", "extras", "tag", "seal"),
)
BASE64_FIELDS = ("recipients", "extras")
MAX_AGE_BYTES = 65536
SEGMENT = 1048576


@dataclass(frozen=True, kw_only=True)
class Header:
    """The fields of a header or of its draft; values that section 6 does not allow are refused.

    Key id, salt, tag and seal are lower-case hexadecimal digits; a draft has no tag and no seal,
    perhaps no salt, and its extras are plain. The key derivation is in the form that a reader of
    headers accepts.
    """

    scheme: str
    unit: str
    block_size: int | None = None
    rounds: int
    segment: int | None = None
    shape: tuple[int, ...]
    dtype: str
    key_id: str
    kdf: str | None = None
    recipients: bytes | None = None
    salt: str | None = None
    extras: bytes | None = None
    tag: str | None = None
    seal: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that section 6 does not allow."""
        require(rules.is_name(self.scheme, SCHEMES), "unknown scheme")
        require(rules.is_name(self.unit, UNITS), "unknown unit")
        if self.unit == "block":
            require(rules.is_number(self.block_size, rules.MAX_BLOCK_SIZE), "wrong block_size")
        else:
            require(self.block_size is None, "block_size without blocks")
        if self.scheme == ENCRYPT:
            require(self.unit == "pixel", "encryption of another unit than pixels")
        require(rules.is_number(self.rounds, rules.MAX_ROUNDS), "wrong rounds")
        require(rules.is_shape(self.shape), "wrong shape")
        require(rules.is_name(self.dtype, SAMPLE_BYTES), "unknown dtype")
        if self.segment is not None:
            require(type(self.segment) is int and self.segment == SEGMENT, "wrong segment")
            require(self.scheme == ENCRYPT and self.extras is not None, "a segment of no file")
            require(self.dtype == "uint8" and len(self.shape) == 2, "a segment of no file")
            require(self.shape[0] * self.shape[1] > SEGMENT, "wrong shape")
        require(rules.is_hexadecimal(self.key_id, rules.KEY_ID_DIGITS), "wrong key_id")
        require(self.kdf is None or rules.is_derivation(self.kdf), "wrong kdf")
        require(
            self.salt is None or rules.is_hexadecimal(self.salt, rules.SALT_DIGITS), "wrong salt"
        )
        require(self.tag is None or rules.is_hexadecimal(self.tag, rules.TAG_DIGITS), "wrong tag")
        require(
            self.seal is None or rules.is_hexadecimal(self.seal, rules.TAG_DIGITS), "wrong seal"
        )
        require(self.extras is None or len(self.extras) > 0, "empty extras")
        if self.recipients is not None:
            require(0 < len(self.recipients) <= MAX_AGE_BYTES, "wrong recipients")
        if self.scheme == CONTEXT:
            secret = (self.kdf, self.salt, self.tag, self.seal)
            require(secret == (None,) * 4, "a kdf, salt, tag or seal without use")
            require(self.recipients is None, "recipients without use")

    def without(self, *names: str) -> "Header":
        """Return a copy of the header without these fields."""
        nones: dict[str, Any] = dict.fromkeys(names)
        return replace(self, **nones)


def write(header: Header) -> bytes:
    """Return the header as bytes, without fields that are None."""
    fields: dict[str, Any] = {"sudokucrypt": VERSION}
    for name in FIELDS[1:]:
        value = getattr(header, name)
        if name in BASE64_FIELDS and value is not None:
            value = rules.encode_base64(value)
        if value is not None:
            fields[name] = value
    data = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    _check_length(data, fields)
    return data


def _check_length(data: bytes, fields: dict[str, Any]) -> None:
    """Refuse a header that is too long, with or without its long texts."""
    texts = [fields[name] for name in BASE64_FIELDS if isinstance(fields.get(name), str)]
    require(len(data) <= MAX_HEADER_BYTES, "too long")
    require(len(data) - sum(map(len, texts)) <= MAX_OTHER_BYTES, "too long without its texts")


def _refuse_earlier(fields: dict[str, Any]) -> None:
    """Refuse headers of earlier versions that release 1.2 does not read (Pictures, section 2)."""
    for name in ("regions", "mask"):
        require(name not in fields, f"an earlier version: {name}")
    scheme = fields.get("scheme")
    require(scheme != CONTEXT or "extras" not in fields, "an earlier version: a described context")
    require(scheme != LOGISTIC, "an earlier version: a scheme for study")


def _tuples(value: object) -> object:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def read(data: bytes) -> Header:
    """Read a header, without a line end.

    It is refused unless it is, byte for byte, what `write` gives for a complete header.
    """
    require(len(data) <= MAX_HEADER_BYTES, "too long")
    try:
        fields = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise RefusedError("header: not ASCII JSON") from error
    if not isinstance(fields, dict):
        raise RefusedError("header: not an object")
    require(fields.get("sudokucrypt") == VERSION, "another version")
    _refuse_earlier(fields)
    require(set(fields) <= set(FIELDS), "unknown field")
    _check_length(data, fields)
    values: dict[str, Any] = {name: _tuples(fields.get(name)) for name in FIELDS[1:]}
    for name in BASE64_FIELDS:
        values[name] = rules.decode_base64(values[name])
    header = Header(**values)
    if header.scheme != CONTEXT:
        complete = None not in (header.salt, header.tag, header.seal)
        require(complete, "a salt, tag or seal is missing")
    require(write(header) == data, "not in the one form that is written")
    return header

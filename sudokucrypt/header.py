"""The header of a protected image: a dataclass, and its canonical JSON."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypedDict, Unpack

from sudokucrypt.errors import (
    FormatError,
    UnsupportedError,
    UnsupportedVersionError,
    make_version_error,
)
from sudokucrypt.lazy import SuggestingType

if TYPE_CHECKING:
    from collections.abc import Collection

    from sudokucrypt.typing import Unit

# A release with other fields will increase the version, so that this release refuses its headers.
VERSION: Final = 1
HEADER_LIMIT: Final = 32 * 2**20
"""Most bytes of a header: room for 24 MB of metadata, since Base64 adds a third."""

SEGMENT_BYTES: Final = 2**20
"""Bytes of a segment: large files are divided into segments, each scrambled and digested alone."""

SEGMENT_UNIT_BYTES: Final = 64
"""Bytes of a segment that move as one unit: a cache line, which is faster than single bytes."""

_SIDECAR_SUFFIX = ".sudokucrypt.json"

# The maximum size, in bytes, of the age file in the field `recipients`.
MAX_RECIPIENTS_BYTES: Final = 65536

# The maximum size, in bytes, of a header without its long texts: it limits the objects that the
# JSON parser makes.
_MAX_FIELDS_BYTES = 64 * 1024

_MAX_SIDE = 2**31 - 1  # the largest number that all formats and platforms support
# Types that NumPy has on all platforms; the size of long double differs between them.
_DTYPES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
)
# The fields in their written order: equal headers have equal bytes, which the seal covers.
_FIELD_NAMES = (
    *("sudokucrypt", "scheme", "unit", "block_size", "rounds", "segment", "shape", "dtype"),
    *("key_id", "kdf", "recipients", "salt", "extras", "tag", "seal"),
)
_OPTIONAL_FIELDS = {"block_size", "segment", "kdf", "recipients", "salt", "extras", "tag", "seal"}
# Fields that headers had up to version 1.1, and the words for them in error messages.
_REMOVED_FIELDS = {"regions": "regions", "mask": "a mask"}
# Only arrays have this scheme. Up to version 1.1 files had it too, with metadata in their headers.
_ARRAY_SCHEME = "scramble-context-v1"
# The only scheme that protects files as files.
_FILE_SCHEME = "encrypt-v1"

# The attributes that are known only at the end of protecting, and their fields. The names of
# fields are frozen by the format; attributes have better names.
_LATE_FIELDS = {"salt": "salt", "encrypted_metadata": "extras", "tag": "tag", "header_mac": "seal"}

# Bytes of the fields that are written in hexadecimal digits.
_HEX_FIELD_BYTES = {"salt": 16, "tag": 32, "seal": 32}

# Fields that may have megabytes of Base64.
_LONG_FIELDS = {"recipients", "extras"}
# Long fields are cut out before the header is parsed, so that the parser makes no large objects. So
# is a mask, which shows that the header is of an earlier version.
_LONG_FIELD_PATTERN = re.compile(rb'"(mask|recipients|extras)":"([A-Za-z0-9+/=]*)"')
_SCHEME_PATTERN = re.compile(r"[a-z][a-z0-9-]{0,63}")

# A key id is short enough to compare by eye. It distinguishes keys, but does not prove that a key
# is the right one.
_KEY_ID_PATTERN = re.compile(r"[0-9a-f]{8}")
_KDF_PATTERN = re.compile(r"[a-z0-9]{1,32}:[a-z0-9=,]{1,64}:[0-9a-f]{32}")


class LateFields(TypedDict, total=False):
    """The fields that are known only at the end of protecting a picture."""

    salt: bytes | None
    encrypted_metadata: bytes | None
    tag: bytes | None
    header_mac: bytes | None


@dataclass(frozen=True, kw_only=True)
class Header(metaclass=SuggestingType):
    """All parameters that restoring an image needs, except the key.

    `from_bytes` accepts only the bytes that `to_bytes` returns, so a header has only one form. A
    draft may lack the seal, or tag and seal, or salt, tag and seal.
    """

    if not TYPE_CHECKING:  # type checkers know all attributes by themselves
        HOW = "read_header gives that of a file, from_bytes reads one, and results have one"

        def __getattr__(self, name):
            """Raise the error for a missing attribute."""
            type(self).suggest(name)

        def __getitem__(self, name):
            """Raise TypeError: fields are attributes, not items."""
            del name
            raise TypeError("fields of a header are attributes, such as header.rounds")

    scheme: str  #: Name and version of the scheme, such as ``scramble-v1``.
    unit: Unit  #: ``pixel``, ``sample`` or ``block``.
    block_size: int | None = None  #: Side of a block in pixels, for unit ``block``.
    rounds: int  #: Rounds of the permutation, 1..255.
    #: Bytes of a segment: 1,048,576 for files with more bytes, otherwise None.
    segment: int | None = None
    shape: tuple[int, ...]  #: (M,), (M, N) or (M, N, C).
    dtype: str  #: NumPy name of the sample type, without byte order.
    key_id: str  #: Eight hexadecimal digits that name the key.
    #: Derivation of the key from a passphrase: function, parameters and salt; None for a key.
    kdf: str | None = None
    #: An age file with the picture key, encrypted for recipients; at most 65,536 bytes.
    recipients: bytes | None = None
    #: 16 bytes from which the picture key is derived; None in a scheme without a tag.
    salt: bytes | None = None
    #: Description of the picture and its metadata; encrypted in a scheme with a tag.
    encrypted_metadata: bytes | None = None
    #: 32 bytes that authenticate header and plain image; None in a scheme without a tag.
    tag: bytes | None = None
    #: The seal: 32 bytes that authenticate the header itself; None in a scheme without a tag.
    header_mac: bytes | None = None

    def __post_init__(self) -> None:
        block, recipients = self.block_size, self.recipients
        invalid_field = (
            (not _is_match(_SCHEME_PATTERN, self.scheme) and "scheme")
            or (self.unit not in ("pixel", "sample", "block") and "unit")
            or ((block is not None) != (self.unit == "block") and "block_size")
            or (block is not None and not _is_within(block, 65535) and "block_size")
            or (not _is_within(self.rounds, 255) and "rounds")
            or (not (isinstance(self.shape, tuple) and 1 <= len(self.shape) <= 3) and "shape")
            or (not all(_is_within(side, _MAX_SIDE) for side in self.shape) and "shape")
            or (self.dtype not in _DTYPES and "dtype")
            or (self.segment is not None and not self._has_valid_segment() and "segment")
            or (not _is_match(_KEY_ID_PATTERN, self.key_id) and "key_id")
            or (self.kdf is not None and not _is_match(_KDF_PATTERN, self.kdf) and "kdf")
            or (
                recipients is not None
                and not 1 <= len(recipients) <= MAX_RECIPIENTS_BYTES
                and "recipients"
            )
        )
        if invalid_field:
            _refuse_field(invalid_field)
        self._check_late_fields()

    def _has_valid_segment(self) -> bool:
        """Return whether the segment is valid, and the other fields are those of a large file."""
        actual_fields = (self.scheme, self.unit, self.dtype, len(self.shape))
        is_file = (
            actual_fields == (_FILE_SCHEME, "pixel", "uint8", 2)
            and prod(self.shape) > SEGMENT_BYTES
        )
        return is_file and type(self.segment) is int and self.segment == SEGMENT_BYTES

    def _check_late_fields(self) -> None:
        """Check salt, metadata, tag and seal; a tag needs a salt, and a seal needs a tag."""
        salt, metadata = self.salt, self.encrypted_metadata
        tag, seal = self.tag, self.header_mac
        invalid_field = (
            (salt is None and (self.kdf, self.recipients) != (None, None) and "salt")
            or (metadata is not None and len(metadata) == 0 and "extras")
            or (self.segment is not None and metadata is None and "segment")
            or (salt is not None and len(salt) != _HEX_FIELD_BYTES["salt"] and "salt")
            or (tag is not None and len(tag) != _HEX_FIELD_BYTES["tag"] and "tag")
            or (seal is not None and len(seal) != _HEX_FIELD_BYTES["seal"] and "seal")
            or (tag is not None and salt is None and "salt")
            or (seal is not None and tag is None and "tag")
        )
        if invalid_field:
            _refuse_field(invalid_field)

    def complete(self, **fields: Unpack[LateFields]) -> Header:
        """Return this header with the given late fields; None leaves a field unchanged."""
        header = object.__new__(Header)
        # Copies the cached start of the canonical form, and does not check the other fields again.
        header.__dict__.update(self.__dict__)
        header.__dict__.update({name: value for name, value in fields.items() if value is not None})
        header._check_late_fields()
        return header

    def sealed_bytes(self) -> bytes:
        """Return the bytes that the seal authenticates: the canonical form without the seal."""
        return self.to_bytes(without=("seal",))

    def to_bytes(self, *, without: Collection[str] = ()) -> bytes:
        """Return the canonical form: one line of ASCII JSON, fields in order, no spaces.

        The late fields in `without` are left out. Raises `UnsupportedError` if the header would be
        longer than `from_bytes` reads.
        """
        text = self._early_text
        for attribute, name in _LATE_FIELDS.items():
            value = getattr(self, attribute)
            if value is not None and name not in without:
                encoded_value = _format_base64(value) if name in _LONG_FIELDS else value.hex()
                text += f',"{name}":"{encoded_value}"'
        data = (text + "}").encode("ascii")
        # Only long texts can make a header too long: the other fields take a few hundred bytes.
        if len(data) > HEADER_LIMIT:
            raise UnsupportedError(
                "the header would be too long to be read again",
                hint="strip the metadata",
            )
        return data

    @cached_property
    def _early_text(self) -> str:
        """The canonical form up to the late fields; `complete` does not change this part."""
        text = f'{{"sudokucrypt":{VERSION}'
        for name in _FIELD_NAMES[1 : -len(_LATE_FIELDS)]:
            value = getattr(self, name)
            if isinstance(value, str):  # no valid text has characters that JSON would escape
                text += f',"{name}":"{value}"'
            elif value is not None:
                text += f',"{name}":{_format_json(value)}'
        return text

    @classmethod
    def from_bytes(cls, data: bytes) -> Header:
        """Read a header from its canonical form.

        Raises `UnsupportedVersionError` if the version or a field is unknown, which the message
        names, and `FormatError` unless `to_bytes` would return these bytes.
        """
        if len(data) > HEADER_LIMIT:
            _refuse_header(f"it is longer than {HEADER_LIMIT} bytes")
        # Long texts are cut out first, since parsing them could fill the memory. The number of
        # cuts is limited, since millions of empty long fields could fill the memory too.
        long_texts: dict[str, bytes] = {}
        shortened_data = _LONG_FIELD_PATTERN.sub(
            lambda match: _cut_out_text(match, long_texts), data, count=len(_LONG_FIELDS) + 1
        )
        if len(shortened_data) > _MAX_FIELDS_BYTES:
            _refuse_header(f"without its long texts it is longer than {_MAX_FIELDS_BYTES} bytes")
        try:
            fields = json.loads(
                shortened_data.decode("ascii"), object_pairs_hook=_require_unique_names
            )
        except (ValueError, RecursionError):
            _refuse_header("it is not JSON")
        if not isinstance(fields, dict) or "sudokucrypt" not in fields:
            _refuse_header("the field 'sudokucrypt' is missing")
        version = fields.pop("sudokucrypt")
        if type(version) is not int or version != VERSION:
            raise UnsupportedVersionError(
                "this header's version is not known",
                hint=f"this release reads version {VERSION}; a newer one may read it",
            )
        header = cls(**_parse_fields(fields, long_texts))
        _require_field("seal", (header.salt is None) == (header.header_mac is None))
        # Only the canonical form is accepted, so that no other form can carry hidden data.
        if header.to_bytes() != data:
            _refuse_header("it is not in canonical form")
        return header


def get_sidecar_name(name: str) -> str:
    """Return the name of the sidecar of a picture file: the full name of the file and a suffix."""
    return name + _SIDECAR_SUFFIX


def make_sidecar(header: Header) -> bytes:
    """Return the content of a sidecar: the header and a line end."""
    return header.to_bytes() + b"\n"


def parse_sidecar(data: bytes) -> Header:
    """Return the header in the content of a sidecar; `FormatError` if it is damaged."""
    if not data.startswith(b"{"):
        raise FormatError("this is not a sidecar", hint="a sidecar ends in '.sudokucrypt.json'")
    if not data.endswith(b"\n"):
        raise FormatError("the sidecar is cut short: its line end is missing")
    return Header.from_bytes(data[:-1])


def _cut_out_text(field_match: re.Match[bytes], long_texts: dict[str, bytes]) -> bytes:
    """Move the text of a long field to `long_texts`, and return the field with an empty text."""
    long_texts[field_match[1].decode()] = field_match[2]
    return b'"%b":""' % field_match[1]


def _parse_fields(fields: dict[str, Any], long_texts: dict[str, bytes]) -> dict[str, Any]:
    """Check the names of the fields, and turn JSON values into the arguments of `Header`."""
    for name, value in fields.items():
        if name in _REMOVED_FIELDS:
            raise make_version_error(_REMOVED_FIELDS[name])
        # Version 1.1 reserved the name `recipients`, so the field is unknown unless its value is a
        # text.
        if name not in _FIELD_NAMES or (name == "recipients" and not isinstance(value, str)):
            raise UnsupportedVersionError(
                f"the header field {name[:64]!r} is not known", hint="a newer release may know it"
            )
    if fields.get("scheme") == _ARRAY_SCHEME and "extras" in fields:
        raise make_version_error("a context")
    for name in _FIELD_NAMES[1:]:
        _require_field(name, name in _OPTIONAL_FIELDS or name in fields)
    arguments = dict(fields)
    _require_field("shape", isinstance(fields["shape"], list))
    arguments["shape"] = tuple(fields["shape"])
    _require_field("kdf", "kdf" not in fields or fields["kdf"] is not None)
    arguments |= {
        name: _parse_hex(name, fields[name]) for name in _HEX_FIELD_BYTES if name in fields
    }
    arguments |= {
        name: _parse_base64(name, fields, long_texts) for name in _LONG_FIELDS if name in fields
    }
    for attribute, name in _LATE_FIELDS.items():
        if name in arguments:
            arguments[attribute] = arguments.pop(name)
    return arguments


def _parse_hex(name: str, value: object) -> bytes:
    _require_field(name, _is_match(re.compile(f"[0-9a-f]{{{2 * _HEX_FIELD_BYTES[name]}}}"), value))
    return bytes.fromhex(str(value))


def _parse_base64(name: str, fields: dict[str, Any], long_texts: dict[str, bytes]) -> bytes:
    _require_field(name, fields[name] == "" and name in long_texts)
    try:
        return a2b_base64(long_texts[name], strict_mode=True)
    except ValueError:
        _refuse_field(name)


def _format_json(value: object) -> str:
    """Encode an integer, bytes, or a tuple of these as JSON without spaces."""
    if isinstance(value, tuple):
        return f"[{','.join(map(_format_json, value))}]"
    return f'"{_format_base64(value)}"' if isinstance(value, bytes) else str(value)


def _format_base64(data: bytes) -> str:
    return b64encode(data).decode()


def _require_unique_names(name_value_pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(name_value_pairs)
    if len(fields) != len(name_value_pairs):
        raise ValueError("a field occurs twice")
    return fields


def _is_within(value: object, limit: int) -> bool:
    return type(value) is int and 1 <= value <= limit


def _is_match(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _require_field(field: str, condition: bool) -> None:  # noqa: FBT001 - it reads as a sentence
    """Raise `FormatError` for a field unless its condition is true."""
    if not condition:
        _refuse_field(field)


def _refuse_field(field: str) -> NoReturn:
    _refuse_header(f"the field {field!r} is missing or out of range")


def _refuse_header(reason: str) -> NoReturn:
    raise FormatError(f"the header is damaged: {reason}")

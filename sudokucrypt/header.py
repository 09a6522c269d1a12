"""The header, what a protected image says about itself: a dataclass, and canonical JSON bytes."""

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
    made_earlier,
)
from sudokucrypt.lazy import Suggesting

if TYPE_CHECKING:
    from collections.abc import Collection

    from sudokucrypt.typing import Unit

# Later releases with other fields count on: a header of theirs is refused, not misread.
VERSION: Final = 1
HEADER_LIMIT: Final = 32 * 2**20
"""Most bytes of a header that are read: room for extras of 24 MB, since Base64 adds a third."""

SEGMENT: Final = 2**20
"""Bytes that are moved by themselves in the picture of a larger file, and digested for its tag."""

SEGMENT_UNIT: Final = 64
"""Bytes of it that move together: a line of the cache, and so much cheaper than single bytes."""

_SIDECAR_SUFFIX = ".sudokucrypt.json"

# Most bytes of the age file in the field `recipients`.
RECIPIENTS_LIMIT: Final = 65536

# Most bytes of a header without its long texts: what a JSON parser may make objects of.
_FIELDS_LIMIT = 64 * 1024

_MAX_SIDE = 2**31 - 1  # the largest that every format and every platform's integers hold
# What NumPy has on every platform: long double, for one, differs in size between them.
_DTYPES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
)
# In the order in which they are written: equal headers have equal bytes, which the seal covers.
_FIELDS = (
    *("sudokucrypt", "scheme", "unit", "block_size", "rounds", "segment", "shape", "dtype"),
    *("key_id", "kdf", "recipients", "salt", "extras", "tag", "seal"),
)
_OPTIONAL = {"block_size", "segment", "kdf", "recipients", "salt", "extras", "tag", "seal"}
# Fields that headers had up to version 1.1, and what they were there for.
_EARLIER = {"regions": "regions", "mask": "a mask"}
# Up to version 1.1 files had this scheme too, and their headers extras; arrays have none.
_OF_ARRAYS = "scramble-context-v1"
# The scheme that protects files.
_OF_FILES = "encrypt-v1"

# The last fields by attribute. The names in the format are frozen;
# the attributes say what the fields hold.
_LATER = {"salt": "salt", "encrypted_metadata": "extras", "tag": "tag", "header_mac": "seal"}

# Bytes of the fields that are written in hexadecimal digits.
_LENGTHS = {"salt": 16, "tag": 32, "seal": 32}

# Up to megabytes of Base64, where the others are a line of text.
_BULKY = {"recipients", "extras"}
# They are taken out before the rest is parsed, so that a parser makes no objects of megabytes; also
# a mask, of which a header of an earlier version is recognized.
_BULKY_FIELD = re.compile(rb'"(mask|recipients|extras)":"([A-Za-z0-9+/=]*)"')
_SCHEME = re.compile(r"[a-z][a-z0-9-]{0,63}")

# Short enough to compare by eye; it tells keys apart, and proves nothing.
_KEY_ID = re.compile(r"[0-9a-f]{8}")
_KDF = re.compile(r"[a-z0-9]{1,32}:[a-z0-9=,]{1,64}:[0-9a-f]{32}")


class LaterFields(TypedDict, total=False):
    """What is known of a header only while a picture is protected."""

    salt: bytes | None
    encrypted_metadata: bytes | None
    tag: bytes | None
    header_mac: bytes | None


@dataclass(frozen=True, kw_only=True)
class Header(metaclass=Suggesting):
    """All parameters that restoring an image needs, except the key.

    `from_bytes` accepts exactly what `to_bytes` returns, so a header has one form only. A draft,
    before all is known, may lack salt, tag and seal, or the last of them.
    """

    if not TYPE_CHECKING:  # type checkers know all attributes by themselves
        HOW = "read_header gives that of a file, from_bytes reads one, and results have one"

        def __getattr__(self, name):
            """Raise the error for a missing attribute."""
            type(self).suggest(name)

        def __getitem__(self, name):
            """Refuse: fields are attributes."""
            del name
            raise TypeError("fields of a header are attributes, such as header.rounds")

    scheme: str  #: Name and version of the scheme, such as ``scramble-v1``.
    unit: Unit  #: ``pixel``, ``sample`` or ``block``.
    block_size: int | None = None  #: Side of a block in pixels, for unit ``block``.
    rounds: int  #: Rounds of the permutation, 1..255.
    #: Bytes that are moved by themselves: 1,048,576 for a file of more, none for anything else.
    segment: int | None = None
    shape: tuple[int, ...]  #: (M,), (M, N) or (M, N, C).
    dtype: str  #: NumPy name of the sample type, without byte order.
    key_id: str  #: Eight hexadecimal digits that name the key.
    #: How the key comes from a passphrase: function, parameters and salt; none for a key.
    kdf: str | None = None
    #: An age file that gives others the key of the picture, at most 65,536 bytes.
    recipients: bytes | None = None
    #: 16 bytes that the key of the picture comes from; none in a scheme without a tag.
    salt: bytes | None = None
    #: What the picture needs besides its samples to be what it was; masked in a scheme with a tag.
    encrypted_metadata: bytes | None = None
    #: 32 bytes that authenticate header and plain image; none in a scheme without.
    tag: bytes | None = None
    #: The seal: 32 bytes that authenticate the header itself; none in a scheme without a tag.
    header_mac: bytes | None = None

    def __post_init__(self) -> None:
        block, given = self.block_size, self.recipients
        wrong = (
            (not _require_match(_SCHEME, self.scheme) and "scheme")
            or (self.unit not in ("pixel", "sample", "block") and "unit")
            or ((block is not None) != (self.unit == "block") and "block_size")
            or (block is not None and not _require_within(block, 65535) and "block_size")
            or (not _require_within(self.rounds, 255) and "rounds")
            or (not (isinstance(self.shape, tuple) and 1 <= len(self.shape) <= 3) and "shape")
            or (not all(_require_within(side, _MAX_SIDE) for side in self.shape) and "shape")
            or (self.dtype not in _DTYPES and "dtype")
            or (self.segment is not None and not self._has_segments() and "segment")
            or (not _require_match(_KEY_ID, self.key_id) and "key_id")
            or (self.kdf is not None and not _require_match(_KDF, self.kdf) and "kdf")
            or (given is not None and not 1 <= len(given) <= RECIPIENTS_LIMIT and "recipients")
        )
        if wrong:
            _refuse_field(wrong)
        self._check_later()

    def _has_segments(self) -> bool:
        """Return whether the other fields are those of a file that is moved in segments."""
        described = (self.scheme, self.unit, self.dtype, len(self.shape))
        fits = described == (_OF_FILES, "pixel", "uint8", 2) and prod(self.shape) > SEGMENT
        return fits and type(self.segment) is int and self.segment == SEGMENT

    def _check_later(self) -> None:
        """Check the last fields, each of which needs the one that it is derived from."""
        salt, metadata = self.salt, self.encrypted_metadata
        tag, seal = self.tag, self.header_mac
        wrong = (
            (salt is None and (self.kdf, self.recipients) != (None, None) and "salt")
            or (metadata is not None and len(metadata) == 0 and "extras")
            or (self.segment is not None and metadata is None and "segment")
            or (salt is not None and len(salt) != _LENGTHS["salt"] and "salt")
            or (tag is not None and len(tag) != _LENGTHS["tag"] and "tag")
            or (seal is not None and len(seal) != _LENGTHS["seal"] and "seal")
            or (tag is not None and salt is None and "salt")
            or (seal is not None and tag is None and "tag")
        )
        if wrong:
            _refuse_field(wrong)

    def complete(self, **later: Unpack[LaterFields]) -> Header:
        """Return this header with those of its last fields that are given."""
        header = object.__new__(Header)
        fields = header.__dict__
        # With the canonical form so far, and unchecked: all but the last fields are as they were.
        fields.update(self.__dict__)
        fields.update({name: value for name, value in later.items() if value is not None})
        header._check_later()
        return header

    def sealed_bytes(self) -> bytes:
        """Return the canonical form without the seal: what the seal authenticates."""
        return self.to_bytes(without=("seal",))

    def to_bytes(self, *, without: Collection[str] = ()) -> bytes:
        """Return the canonical form: one line of ASCII JSON, fields in order, no spaces.

        Raises `UnsupportedError` if it would be longer than what `from_bytes` reads. Optional
        fields can be left out: `without`.
        """
        text = self._start
        for attribute, name in _LATER.items():
            value = getattr(self, attribute)
            if value is not None and name not in without:
                text += f',"{name}":"{_format_base64(value) if name in _BULKY else value.hex()}"'
        data = (text + "}").encode("ascii")
        if len(data) <= _FIELDS_LIMIT:
            return data
        texts = (self.recipients, self.encrypted_metadata)
        bulky = sum(4 * -(-len(text or b"") // 3) for text in texts)
        if len(data) > HEADER_LIMIT or len(data) - bulky > _FIELDS_LIMIT:
            raise UnsupportedError(
                "the header would be longer than any that is read",
                hint="strip the metadata",
            )
        return data

    @cached_property
    def _start(self) -> str:
        """The canonical form up to the last fields, which are filled in while this stays."""
        start = f'{{"sudokucrypt":{VERSION}'
        for name in _FIELDS[1 : -len(_LATER)]:
            value = getattr(self, name)
            if isinstance(value, str):  # none holds what JSON would escape
                start += f',"{name}":"{value}"'
            elif value is not None:
                start += f',"{name}":{_format_json(value)}'
        return start

    @classmethod
    def from_bytes(cls, data: bytes) -> Header:
        """Read the canonical form.

        Raises `UnsupportedVersionError` if the version or a field is not known, which the message
        names, and `FormatError` if the bytes are anything else than what `to_bytes` returns.
        """
        if len(data) > HEADER_LIMIT:
            _refuse(f"it is longer than {HEADER_LIMIT} bytes")
        # The long texts are taken out first: parsing them as anything else could fill the memory.
        bulky: dict[str, bytes] = {}
        # No more than there can be: millions of empty ones would fill it as well.
        rest = _BULKY_FIELD.sub(lambda match: _take(match, bulky), data, count=len(_BULKY) + 1)
        if len(rest) > _FIELDS_LIMIT:
            _refuse(f"without its long texts it is longer than {_FIELDS_LIMIT} bytes")
        try:
            fields = json.loads(rest.decode("ascii"), object_pairs_hook=_require_unique)
        except (ValueError, RecursionError):
            _refuse("it is not JSON")
        if not isinstance(fields, dict) or "sudokucrypt" not in fields:
            _refuse("the field 'sudokucrypt' is missing")
        version = fields.pop("sudokucrypt")
        if type(version) is not int or version != VERSION:
            raise UnsupportedVersionError(
                "this header's version is not known",
                hint=f"this release reads version {VERSION}; a newer one may read it",
            )
        header = cls(**_parse_fields(fields, bulky))
        _require("seal", (header.salt is None) == (header.header_mac is None))
        # One form for each header, so that nobody can hide anything in the way it is written.
        if header.to_bytes() != data:
            _refuse("it is not in canonical form")
        return header


def get_sidecar_name(name: str) -> str:
    """Return the name of the sidecar of a picture file: its whole name and a suffix."""
    return name + _SIDECAR_SUFFIX


def make_sidecar(header: Header) -> bytes:
    """Return the content of a sidecar: the header and a line end."""
    return header.to_bytes() + b"\n"


def parse_sidecar(data: bytes) -> Header:
    """Return the header in a sidecar; `FormatError` if it is anything else."""
    if not data.startswith(b"{"):
        raise FormatError("this is not a sidecar", hint="a sidecar ends in '.sudokucrypt.json'")
    if not data.endswith(b"\n"):
        raise FormatError("the sidecar is cut short: its line end is missing")
    return Header.from_bytes(data[:-1])


def _take(match: re.Match[bytes], bulky: dict[str, bytes]) -> bytes:
    """Keep the text of a bulky field aside and leave an empty one."""
    bulky[match[1].decode()] = match[2]
    return b'"%b":""' % match[1]


def _parse_fields(fields: dict[str, Any], bulky: dict[str, bytes]) -> dict[str, Any]:
    """Check the names of the fields and turn JSON values into Python ones."""
    for name, value in fields.items():
        if name in _EARLIER:
            raise made_earlier(_EARLIER[name])
        # A reserved name stays as unknown as it was, unless it holds what it was reserved for.
        if name not in _FIELDS or (name == "recipients" and not isinstance(value, str)):
            raise UnsupportedVersionError(
                f"the header field {name[:64]!r} is not known", hint="a newer release may know it"
            )
    if fields.get("scheme") == _OF_ARRAYS and "extras" in fields:
        raise made_earlier("a context")
    for name in _FIELDS[1:]:
        _require(name, name in _OPTIONAL or name in fields)
    typed = dict(fields)
    _require("shape", isinstance(fields["shape"], list))
    typed["shape"] = tuple(fields["shape"])
    _require("kdf", "kdf" not in fields or fields["kdf"] is not None)
    typed |= {name: _parse_hex(name, fields[name]) for name in _LENGTHS if name in fields}
    typed |= {name: _parse_base64(name, fields, bulky) for name in _BULKY if name in fields}
    for attribute, name in _LATER.items():
        if name in typed:
            typed[attribute] = typed.pop(name)
    return typed


def _parse_hex(name: str, value: object) -> bytes:
    _require(name, _require_match(re.compile(f"[0-9a-f]{{{2 * _LENGTHS[name]}}}"), value))
    return bytes.fromhex(str(value))


def _parse_base64(name: str, fields: dict[str, Any], bulky: dict[str, bytes]) -> bytes:
    _require(name, fields[name] == "" and name in bulky)
    try:
        return a2b_base64(bulky[name], strict_mode=True)
    except ValueError:
        _refuse_field(name)


def _format_json(value: object) -> str:
    """Return an integer, bytes or a tuple of such in JSON without spaces."""
    if isinstance(value, tuple):
        return f"[{','.join(map(_format_json, value))}]"
    return f'"{_format_base64(value)}"' if isinstance(value, bytes) else str(value)


def _format_base64(data: bytes) -> str:
    return b64encode(data).decode()


def _require_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field occurs twice")
    return fields


def _require_within(value: object, top: int) -> bool:
    return type(value) is int and 1 <= value <= top


def _require_match(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _require(field: str, condition: bool) -> None:  # noqa: FBT001 - it reads as a sentence
    if not condition:
        _refuse_field(field)


def _refuse_field(field: str) -> NoReturn:
    _refuse(f"the field {field!r} is missing or out of range")


def _refuse(reason: str) -> NoReturn:
    raise FormatError(f"the header is damaged: {reason}")

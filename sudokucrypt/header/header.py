"""The header: a dataclass on one side, canonical JSON bytes on the other, and its sidecar."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn

from sudokucrypt.errors import FormatError, UnsupportedError, UnsupportedVersionError

if TYPE_CHECKING:
    from collections.abc import Collection

    from sudokucrypt.typing import Region, Unit

VERSION: Final = 1
HEADER_LIMIT: Final = 32 * 2**20
"""Most bytes of a header that are read."""

_SIDECAR_SUFFIX = ".sudokucrypt.json"

_FIELDS_LIMIT = 64 * 1024
"""Most bytes of a header without its extras and mask."""

_MAX_SIDE = 2**31 - 1
_DTYPES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
)
_FIELDS = (
    *("sudokucrypt", "scheme", "unit", "block_size", "rounds", "shape", "dtype", "regions"),
    *("mask", "key_id", "kdf", "salt", "extras", "tag", "seal"),
)
_OPTIONAL = {"block_size", "regions", "mask", "kdf", "salt", "extras", "tag", "seal"}
_LATER = {"salt": "salt", "encrypted_metadata": "extras", "tag": "tag", "header_mac": "seal"}
"""The last fields by attribute, which `completed` fills in; all that are bytes but the mask.

The names in the format are frozen; the attributes say what the fields hold.
"""

_LENGTHS = {"salt": 16, "tag": 32, "seal": 32}
"""Bytes of the fields that are written in hexadecimal digits."""

_BULKY = {"mask", "extras"}
_BULKY_FIELD = re.compile(rb'"(mask|extras)":"([A-Za-z0-9+/=]*)"')
_SCHEME = re.compile(r"[a-z][a-z0-9-]{0,63}")
_REGIONS_OF_BLOCKS = ("scramble-jpeg-v1",)
"""Schemes that round regions out to whole blocks."""

_KEY_ID = re.compile(r"[0-9a-f]{8}")
_KDF = re.compile(r"[a-z0-9]{1,32}:[a-z0-9=,]{1,64}:[0-9a-f]{32}")


@dataclass(frozen=True, kw_only=True)
class Header:
    """Everything but the key that restoring an image takes.

    Parameters
    ----------
    scheme : str
        Name and version of the scheme, such as ``scramble-v1``.
    unit : str
        ``pixel``, ``sample`` or ``block``.
    block_size : int or None
        Side of a block in pixels, for unit ``block``.
    rounds : int
        Rounds of the permutation, 1..255.
    shape : tuple of int
        (M,), (M, N) or (M, N, C); of the first frame, if there are several.
    dtype : str
        NumPy name of the sample type, without byte order.
    regions : tuple of (int, int, int, int) or None
        The rectangles (row, column, rows, columns) that were changed; none for the whole image.
    mask : bytes or None
        The pixels that were changed, as `pack_mask` returns them; never beside `regions`.
    key_id : str
        Eight hexadecimal digits that name the key.
    kdf : str or None
        How the key comes from a passphrase: function, parameters and salt; none for a key.
    salt : bytes or None
        16 bytes that the key of the picture comes from; none in a scheme without a tag.
    encrypted_metadata : bytes or None
        What the picture needs besides its samples to be what it was; masked in a scheme with a
        tag.
    tag : bytes or None
        32 bytes that authenticate header and plain image; none in a scheme without.
    header_mac : bytes or None
        The seal: 32 bytes that authenticate the header itself; none in a scheme without a tag.

    Notes
    -----
    `from_bytes` accepts exactly what `to_bytes` returns, so a header has one form only. A draft,
    before all is known, may lack salt, tag and seal, or the last of them.
    """

    scheme: str
    unit: Unit
    block_size: int | None = None
    rounds: int
    shape: tuple[int, ...]
    dtype: str
    regions: tuple[Region, ...] | None = None
    mask: bytes | None = None
    key_id: str
    kdf: str | None = None
    salt: bytes | None = None
    encrypted_metadata: bytes | None = None
    tag: bytes | None = None
    header_mac: bytes | None = None

    def __post_init__(self) -> None:
        _require(_matches(_SCHEME, self.scheme), "scheme")
        _require(self.unit in ("pixel", "sample", "block"), "unit")
        _require((self.block_size is not None) == (self.unit == "block"), "block_size")
        _require(self.block_size is None or _within(self.block_size, 65535), "block_size")
        _require(_within(self.rounds, 255), "rounds")
        _require(isinstance(self.shape, tuple) and 1 <= len(self.shape) <= 3, "shape")
        _require(all(_within(side, _MAX_SIDE) for side in self.shape), "shape")
        _require(self.dtype in _DTYPES, "dtype")
        _require(self.regions is None or _are_regions(self.regions), "regions")
        _require(self.mask is None or (len(self.mask) > 0 and self.regions is None), "mask")
        whole = self.regions is None and self.mask is None
        rounded = self.scheme in _REGIONS_OF_BLOCKS
        _require(whole or rounded or self.unit != "block", "unit")
        _require(whole or len(self.shape) > 1, "shape")
        _require(_matches(_KEY_ID, self.key_id), "key_id")
        _require(self.kdf is None or _matches(_KDF, self.kdf), "kdf")
        self._check_later()

    def _check_later(self) -> None:
        """Check the last fields."""
        _require(self.kdf is None or self.salt is not None, "salt")
        _require(self.encrypted_metadata is None or len(self.encrypted_metadata) > 0, "extras")
        _require(self.salt is None or len(self.salt) == _LENGTHS["salt"], "salt")
        _require(self.tag is None or len(self.tag) == _LENGTHS["tag"], "tag")
        _require(self.header_mac is None or len(self.header_mac) == _LENGTHS["seal"], "seal")
        _require(self.tag is None or self.salt is not None, "salt")
        _require(self.header_mac is None or self.tag is not None, "tag")

    def completed(
        self,
        *,
        salt: bytes | None = None,
        encrypted_metadata: bytes | None = None,
        tag: bytes | None = None,
        header_mac: bytes | None = None,
    ) -> Header:
        """Return this header with those of its last fields that are given.

        What is known of the others, checks and their canonical form, is not worked out again.
        """
        header = object.__new__(Header)
        fields = header.__dict__
        fields.update(self.__dict__)
        given = {
            "salt": salt,
            "encrypted_metadata": encrypted_metadata,
            "tag": tag,
            "header_mac": header_mac,
        }
        fields.update((name, value) for name, value in given.items() if value is not None)
        header._check_later()
        return header

    def sealed_bytes(self) -> bytes:
        """Return the canonical form without the seal: what the seal authenticates."""
        return self.to_bytes(without=("seal",))

    def to_bytes(self, *, without: Collection[str] = ()) -> bytes:
        """Return the canonical form: one line of ASCII JSON, fields in order, no spaces.

        Parameters
        ----------
        without : collection of str
            Optional fields to leave out.

        Raises
        ------
        UnsupportedError
            If it would be longer than what `from_bytes` reads.
        """
        text = self._start
        for attribute, name in _LATER.items():
            value = getattr(self, attribute)
            if value is not None and name not in without:
                text += f',"{name}":"{_base64(value) if name in _BULKY else value.hex()}"'
        data = (text + "}").encode("ascii")
        bulky = 4 * (-(-len(self.mask or b"") // 3) - (-len(self.encrypted_metadata or b"") // 3))
        if len(data) > HEADER_LIMIT or len(data) - bulky > _FIELDS_LIMIT:
            raise UnsupportedError(
                "the header would be longer than any that is read",
                hint="choose fewer regions or a mask in their place, and strip the metadata",
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
                start += f',"{name}":{_json(value)}'
        return start

    @classmethod
    def from_bytes(cls, data: bytes) -> Header:
        """Read the canonical form.

        Raises
        ------
        UnsupportedVersionError
            If the version or a field is not known; the message names it.
        FormatError
            If the bytes are anything else than what `to_bytes` returns.
        """
        if len(data) > HEADER_LIMIT:
            _refuse(f"it is longer than {HEADER_LIMIT} bytes")
        # The long texts are taken out first: parsing them as anything else could fill the memory.
        bulky: dict[str, bytes] = {}
        # No more than there can be: millions of empty ones would fill it as well.
        rest = _BULKY_FIELD.sub(lambda match: _take(match, bulky), data, count=len(_BULKY))
        if len(rest) > _FIELDS_LIMIT:
            _refuse(f"without extras and mask it is longer than {_FIELDS_LIMIT} bytes")
        try:
            fields = json.loads(rest.decode("ascii"), object_pairs_hook=_unique)
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
        header = cls(**_typed(fields, bulky))
        _require((header.salt is None) == (header.header_mac is None), "seal")
        if header.to_bytes() != data:
            _refuse("it is not in canonical form")
        return header


def sidecar_name(name: str) -> str:
    """Return the name of the sidecar of a picture file: its whole name and a suffix."""
    return name + _SIDECAR_SUFFIX


def sidecar_bytes(header: Header) -> bytes:
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


def _typed(fields: dict[str, Any], bulky: dict[str, bytes]) -> dict[str, Any]:
    """Check the names of the fields and turn JSON values into Python ones."""
    for name in fields:
        if name not in _FIELDS:
            raise UnsupportedVersionError(
                f"the header field {name[:64]!r} is not known", hint="a newer release may know it"
            )
    for name in _FIELDS[1:]:
        _require(name in _OPTIONAL or name in fields, name)
    typed = dict(fields)
    _require(isinstance(fields["shape"], list), "shape")
    typed["shape"] = tuple(fields["shape"])
    _require("kdf" not in fields or fields["kdf"] is not None, "kdf")
    for name, length in _LENGTHS.items():
        if name in fields:
            _require(_matches(re.compile(f"[0-9a-f]{{{2 * length}}}"), fields[name]), name)
            typed[name] = bytes.fromhex(fields[name])
    for name in _BULKY & fields.keys():
        _require(fields[name] == "" and name in bulky, name)
        try:
            typed[name] = a2b_base64(bulky[name], strict_mode=True)
        except ValueError:
            _require(False, name)
    for attribute, name in _LATER.items():
        if name in typed:
            typed[attribute] = typed.pop(name)
    if "regions" in fields:
        _require(isinstance(fields["regions"], list), "regions")
        _require(all(isinstance(region, list) for region in fields["regions"]), "regions")
        typed["regions"] = tuple(tuple(region) for region in fields["regions"])
    return typed


def _json(value: object) -> str:
    """Return an integer, a mask or a tuple of such in JSON without spaces."""
    if isinstance(value, tuple):
        return f"[{','.join(map(_json, value))}]"
    return f'"{_base64(value)}"' if isinstance(value, bytes) else str(value)


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _are_regions(regions: object) -> bool:
    return isinstance(regions, tuple) and len(regions) > 0 and all(map(_is_region, regions))


def _is_region(region: object) -> bool:
    if not isinstance(region, tuple) or len(region) != 4:
        return False
    row, column, rows, columns = region
    corner = all(number == 0 or _within(number, _MAX_SIDE) for number in (row, column))
    return (
        corner
        and type(row) is type(column) is int
        and _within(rows, _MAX_SIDE)
        and _within(columns, _MAX_SIDE)
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field occurs twice")
    return fields


def _within(value: object, top: int) -> bool:
    return type(value) is int and 1 <= value <= top


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _require(condition: bool, field: str) -> None:
    if not condition:
        _refuse(f"the field {field!r} is missing or out of range")


def _refuse(reason: str) -> NoReturn:
    raise FormatError(f"the header is damaged: {reason}")

"""The header of a robust picture: 40 bytes that restoring needs in addition to the key.

::

    0        1        2..5     6..9     10       11       12..27   28..31   32..39
    version  flags    rows     columns  profile  0        salt     key id   MAC

Numbers are unsigned and little-endian.
"""

import hmac
import struct
from dataclasses import dataclass, replace
from typing import Final, Self

from sudokucrypt.errors import DecryptionError, FormatError, UnsupportedVersionError
from sudokucrypt.keys import Key, PictureKey

# The version of the format of the cells, not of JSON headers.
VERSION: Final = 1
# The MAC takes all remaining bytes of the message, which has 40 bytes.
MAC_BYTES: Final = 8

_LAYOUT = struct.Struct("<BBIIBx16s4s8s")
_COLOR_FLAG = 1


@dataclass(frozen=True, kw_only=True)
class RobustHeader:
    """The header in the cells at the top of a robust picture."""

    rows: int  #: Rows of the restored picture, 1..4294967295.
    columns: int  #: Columns of the restored picture, 1..4294967295.
    color: bool  #: Whether it has color; a gray picture has only luma.
    profile: int  #: The number of the profile that the carrier was made for, 0..255; 0 for none.
    salt: bytes  #: 16 bytes, from which the key of the picture is derived.
    key_id: str  #: Eight hexadecimal digits that name the key.
    #: 8 bytes that authenticate the other fields under the key of the picture, but not the pixels.
    mac: bytes = bytes(MAC_BYTES)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the header in 40 bytes.

        Raises `UnsupportedVersionError` if it is of a later version, and `FormatError` if it is not
        valid in version 1.
        """
        if len(data) != _LAYOUT.size:
            raise FormatError(f"the header of a robust picture has {_LAYOUT.size} bytes")
        version, flags, rows, columns, profile, salt, key_id, mac = _LAYOUT.unpack(data)
        if version > VERSION:
            raise UnsupportedVersionError(
                f"the robust picture is of version {version}",
                hint=f"this release reads version {VERSION}; a newer one may read it",
            )
        header = cls(
            rows=rows,
            columns=columns,
            color=flags == _COLOR_FLAG,
            profile=profile,
            salt=salt,
            key_id=key_id.hex(),
            mac=mac,
        )
        if not rows or not columns or header.to_bytes() != data:
            raise FormatError("the header of the robust picture is malformed")
        return header

    def to_bytes(self) -> bytes:
        """Return the header as 40 bytes."""
        return _LAYOUT.pack(
            VERSION,
            _COLOR_FLAG if self.color else 0,
            self.rows,
            self.columns,
            self.profile,
            self.salt,
            bytes.fromhex(self.key_id),
            self.mac,
        )

    @property
    def authenticated_bytes(self) -> bytes:
        """The 32 bytes that the MAC authenticates; key streams are derived from them too."""
        return self.to_bytes()[:-MAC_BYTES]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the restored picture: (M, N, 3), or (M, N) if it is gray."""
        return (self.rows, self.columns, 3) if self.color else (self.rows, self.columns)

    def seal(self, key: PictureKey) -> Self:
        """Return the header with a new MAC under the key of the picture."""
        return replace(self, mac=_compute_mac(key, self.authenticated_bytes))

    def open_key(self, key: Key | PictureKey) -> PictureKey:
        """Return the key of the picture.

        Raises `DecryptionError` if the key is not that of the picture, or the header was changed.
        """
        if isinstance(key, Key) and key.id != self.key_id:
            raise DecryptionError(
                f"wrong key: the picture needs key {self.key_id}, and "
                f"{key.origin or 'this'} is key {key.id}",
                hint="Key.id is the id of a key",
                hint_key="other_key",
            )
        picture_key = key.picture_key(self.salt) if isinstance(key, Key) else key
        if not hmac.compare_digest(_compute_mac(picture_key, self.authenticated_bytes), self.mac):
            raise DecryptionError(
                "wrong key: the header of the robust picture was made with another key", hint=None
            )
        return picture_key


def _compute_mac(key: PictureKey, message: bytes) -> bytes:
    return hmac.digest(key.subkey("robust/header"), message, "sha256")[:MAC_BYTES]

"""What is sealed: the content of each layer, and the rest that all layers open together.

::

    layer: 32 SHA-256 of the index | 32 of what is visible | 32 share | 8 length | name LF pixels
    rest:  32 SHA-256 of the index | 32 of the original file | 1 kind | 8 length | zlib data

The shares of all layers, combined by exclusive or, are the key of the rest, which holds what else
the original file needs: previews, metadata and tables, which depend on all areas.
"""

import hashlib
import io
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Final

from sudokucrypt.errors import DecryptionError, InvalidParameterError
from sudokucrypt.images import FILE_LIMIT
from sudokucrypt.keys import Key, ProtectingKey, RestoringKey
from sudokucrypt.recipes.arrays import encryption_scheme
from sudokucrypt.recipes.carriers.contract import ProtectRequest
from sudokucrypt.recipes.carriers.file import FileCarrier
from sudokucrypt.recipes.carriers.receiving import RestoreRequest, open_received, receive
from sudokucrypt.recipes.carriers.redaction.medium import Medium
from sudokucrypt.recipes.options import EncryptSettings, OpenSettings
from sudokucrypt.recipes.transfer import FileTransfer

# As long as a key: all shares together make the key of the rest.
SHARE: Final = 32
# Names are for lists on a screen.
LONGEST_NAME: Final = 100
_LAYER: Final = struct.Struct(">32s32s32sQ")
_REST: Final = struct.Struct(">32s32s1sQ")
_UNIT: Final = 256  # contents have whole units, so that their length says little of what they hold
# Small areas, such as a face or a number plate, all have layers of one length.
_LEAST: Final = 4096
_STRUCTURE, _FILE = b"S", b"F"


@dataclass(frozen=True, kw_only=True)
class LayerContent:
    """What a layer seals, besides the digests that bind it to its picture."""

    share: bytes
    name: str
    pixels: bytes

    def to_bytes(self, index: bytes, visible: bytes) -> bytes:
        """Return the padded content, bound to the digests of an index and of what is visible."""
        body = self.name.encode() + b"\n" + self.pixels
        return _padded(_LAYER.pack(index, visible, self.share, len(body)) + body, least=_LEAST)

    @classmethod
    def of_bytes(
        cls, layer: int, content: bytes, *, index: bytes, visible: bytes
    ) -> "LayerContent":
        """Return the content of a layer; `DecryptionError` if it is not of this picture."""
        if len(content) < _LAYER.size:
            raise changed_layer(layer, "it is not the layer of a redaction")
        of_index, of_visible, share, length = _LAYER.unpack_from(content)
        if of_index != index:
            raise changed_layer(layer, "it is that of another picture, or the areas were changed")
        if of_visible != visible:
            raise changed_layer(layer, "the picture was edited outside the covered areas")
        body = content[_LAYER.size :][:length]
        name, feed, pixels = body.partition(b"\n")
        if not feed or len(body) < length:
            raise changed_layer(layer, "it is not the layer of a redaction")
        return cls(share=share, name=name.decode(errors="replace"), pixels=pixels)


def checked_name(name: str) -> str:
    """Return the name of a layer, if it is one."""
    if len(name) > LONGEST_NAME or "\n" in name:
        raise InvalidParameterError(
            f"the name of a layer is one line of at most {LONGEST_NAME} characters, not {name!r}"
        )
    return name


def rest_of(data: bytes, medium: Medium, index: bytes) -> bytes:
    """Return what else a medium needs to give back this very file."""
    structure = medium.structure(data)
    kind, body = (_FILE, data) if structure is None else (_STRUCTURE, structure)
    body = zlib.compress(body, 6)
    return _padded(_REST.pack(index, hashlib.sha256(data).digest(), kind, len(body)) + body)


def whole_file(rest: bytes, medium: Medium, index: bytes) -> bytes:
    """Return the original file; `DecryptionError` if this is not the rest of it."""
    if len(rest) < _REST.size:
        raise DecryptionError
    of_index, expected, kind, length = _REST.unpack_from(rest)
    reader = zlib.decompressobj()
    try:
        body = reader.decompress(rest[_REST.size :][:length], FILE_LIMIT)
    except zlib.error:
        raise DecryptionError from None
    data = medium.whole(body) if kind == _STRUCTURE else body
    if of_index != index or not reader.eof or hashlib.sha256(data).digest() != expected:
        raise DecryptionError
    return data


def seal(content: bytes, key: ProtectingKey, threads: int | None) -> bytes:
    """Return the protected file with this content, without preview and header rows."""
    settings = EncryptSettings(as_file=True, preview=False, header_rows=False, threads=threads)
    transfer = FileTransfer(io.BytesIO(content), io.BytesIO(), file_name="layer")
    request = ProtectRequest(
        transfer=transfer, key=key, protection=settings.protection(), settings=settings
    )
    draft = FileCarrier().plan(transfer.read(), request)
    if draft is None:
        raise InvalidParameterError("a layer is always a file")
    parts, _ = draft.make()
    return b"".join(parts)


def unseal(part: bytes, key: RestoringKey, threads: int | None) -> bytes:
    """Return the content of a protected file; `DecryptionError` if this key does not open it."""
    request = RestoreRequest(
        transfer=FileTransfer(io.BytesIO(part)),
        key=key,
        settings=OpenSettings(threads=threads),
        scheme_of=encryption_scheme,
    )
    file = open_received(receive(request))
    if not FileCarrier().recognises(file):
        raise DecryptionError
    return bytes(FileCarrier().restore(file).content)


def combined(shares: Iterable[bytes]) -> Key:
    """Return the key of the rest."""
    whole = reduce(lambda one, other: one ^ int.from_bytes(other), shares, 0)
    return Key(whole.to_bytes(SHARE))


def changed_layer(layer: int, reason: str) -> DecryptionError:
    """Return the error for a layer, counted from 0, that does not fit the picture."""
    return DecryptionError(
        f"layer {layer + 1} is not of this picture: {reason}",
        hint="use the file that was written; an edited picture keeps its covers",
    )


def _padded(content: bytes, *, least: int = 0) -> bytes:
    return content.ljust(max(least, -(-len(content) // _UNIT) * _UNIT), b"\0")

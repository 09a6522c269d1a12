"""What is sealed: the content of each layer, and the rest that all layers open together.

::

    layer: 32 SHA-256 of the index | 32 of what is visible | 32 of how it is shown | 32 share
           | 1 number | 2 length | 400 name | pixels
    rest:  32 SHA-256 of the index | 32 of the original file | 1 kind | 8 length | structure or file

Both end in zeros. Nothing is compressed: lengths follow from the areas and what is visible, and
nothing inflates. In version 1 a layer had name and pixels in one, and no word of how it is shown::

    layer: 32 SHA-256 of the index | 32 of what is visible | 32 share | 8 length | name LF zlib data
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
from math import prod
from typing import Final, Self

import numpy as np

from sudokucrypt.errors import DecryptionError, InvalidParameterError
from sudokucrypt.images import coded_lossily, costs_of_png
from sudokucrypt.keys import Key, ProtectingKey, RestoringKey
from sudokucrypt.recipes.carriers.contract import (
    ProtectRequest,
    RestoreRequest,
    open_received,
    receive,
)
from sudokucrypt.recipes.carriers.file import FileCarrier
from sudokucrypt.recipes.carriers.redaction.medium import Mask, Medium
from sudokucrypt.recipes.carriers.redaction.package import FIRST_VERSION
from sudokucrypt.recipes.opening import encryption_scheme
from sudokucrypt.recipes.options import EncryptOptions, OpenOptions
from sudokucrypt.recipes.protection import make_protection
from sudokucrypt.recipes.sinks import Sink
from sudokucrypt.recipes.sources import SourceFile

# As long as a key: all shares together make the key of the rest.
SHARE: Final = 32
# Names are for lists on a screen.
LONGEST_NAME: Final = 100
_NAME: Final = 4 * LONGEST_NAME  # most bytes of one
_LAYER: Final = struct.Struct(f">32s32s32s32sBH{_NAME}s")
_FIRST_LAYER: Final = struct.Struct(">32s32s32sQ")
_REST: Final = struct.Struct(">32s32s1sQ")
_UNIT: Final = 256  # contents have whole units, so that their length says little of what they hold
# Small areas, such as a face or a number plate, all have layers of one length.
_LEAST: Final = 4096
_LEAST_FILE: Final = 2**14
# Most bytes that the rest of version 1 inflates to, and besides for each pixel of the canvas.
_INFLATED, _INFLATED_EACH = 2**26, 16
_PNG: Final = b"\x89PNG"
# The share of lines without covered pixels that tells something, and how much more the others cost.
_ENOUGH_LINES: Final = 1 / 16
_MARGIN: Final = 1.5
_WINDOW: Final = 2**15  # bytes that deflate looks back
_LARGE_OTHERS: Final = 16  # bits of the length of chunks that may hold a thumbnail
_STRUCTURE, _FILE = b"S", b"F"


@dataclass(frozen=True, kw_only=True)
class Binding:
    """The digests that bind a layer to its picture."""

    index: bytes  # of the line of the index
    visible: bytes  # of what is visible
    shown: bytes | None  # of how it is shown; None in version 1, and where it does not matter

    @classmethod
    def of(cls, line: bytes, medium: Medium, hidden: Mask, *, shown: bool = True) -> Self:
        """Return that of a redacted picture."""
        manner = hashlib.sha256(medium.manner.encode()).digest() if shown else None
        return cls(index=hashlib.sha256(line).digest(), visible=medium.digest(hidden), shown=manner)

    def require(self, layer: int, index: bytes, visible: bytes, shown: bytes | None) -> None:
        """Raise `DecryptionError` unless the digests in a layer are these."""
        if index != self.index:
            raise changed_layer(layer, "it is that of another picture, or the areas were changed")
        if visible != self.visible:
            raise changed_layer(layer, "the picture was edited outside the covered areas")
        if self.shown not in (None, shown):
            raise DecryptionError(
                "how the picture is shown was changed: its orientation, its colors or its scans",
                hint="use the file that was written, or give the keys of all layers, which restore "
                "the original file",
            )


@dataclass(frozen=True, kw_only=True)
class LayerContent:
    """What a layer seals, besides the digests that bind it to its picture."""

    share: bytes
    name: str
    pixels: bytes

    def to_bytes(self, layer: int, binding: Binding) -> bytes:
        """Return the padded content of a layer, counted from 0, in version 2."""
        name = self.name.encode()
        digests = binding.index, binding.visible, binding.shown
        return _pad(_LAYER.pack(*digests, self.share, layer + 1, len(name), name) + self.pixels)

    @classmethod
    def of_bytes(cls, layer: int, content: bytes, binding: Binding, size: int) -> Self:
        """Return the content of a layer of version 2 with so many bytes of pixels.

        Raises `DecryptionError` if it is not of this picture.
        """
        if len(content) < _LAYER.size:
            raise changed_layer(layer, _NO_LAYER)
        *digests, share, number, length, name = _LAYER.unpack_from(content)
        binding.require(layer, *digests)
        if number != layer + 1:
            raise changed_layer(layer, "it is another layer")
        pixels = content[_LAYER.size :][:size]
        if length > _NAME or len(content) != len(_pad(content[: _LAYER.size + size])):
            raise changed_layer(layer, _NO_LAYER)
        return cls(share=share, name=name[:length].decode(errors="replace"), pixels=pixels)

    @classmethod
    def of_first_bytes(cls, layer: int, content: bytes, binding: Binding, size: int) -> Self:
        """Return the content of a layer of version 1; the rest is as for `of_bytes`."""
        if len(content) < _FIRST_LAYER.size:
            raise changed_layer(layer, _NO_LAYER)
        index, visible, share, length = _FIRST_LAYER.unpack_from(content)
        binding.require(layer, index, visible, None)
        name, feed, packed = content[_FIRST_LAYER.size :][:length].partition(b"\n")
        if len(name) + len(feed) + len(packed) < max(length, 1) or not feed:
            raise changed_layer(layer, _NO_LAYER)
        pixels = _inflate(packed, size)
        if len(pixels) != size:
            raise DecryptionError
        return cls(share=share, name=name.decode(errors="replace"), pixels=pixels)


_NO_LAYER: Final = "it is not the layer of a redaction"


def checked_name(name: str) -> str:
    """Return the name of a layer, if it is one."""
    if len(name) > LONGEST_NAME or "\n" in name:
        raise InvalidParameterError(
            f"the name of a layer is one line of at most {LONGEST_NAME} characters, not {name!r}"
        )
    return name


def rest_of(data: bytes, medium: Medium) -> tuple[bytes, bytes, int | None]:
    """Return what else a medium needs to give back this very file.

    It is a kind, a body, and how long it is padded at least, if nothing else is to say that.
    """
    structure = medium.structure(data)
    return (_FILE, data, None) if structure is None else (_STRUCTURE, *structure)


def padded_rest(
    data: bytes,
    rest: tuple[bytes, bytes, int | None],
    index: bytes,
    shown: bytes,
    hidden: Mask,
    size: int,
) -> bytes:
    """Return the content of the rest of a file, given its redacted form without layers.

    Its length must not tell how well covered pixels, of `size` bytes, were compressed. It is
    doubled where it does not do.
    """
    kind, body, least = rest
    content = _REST.pack(index, hashlib.sha256(data).digest(), kind, len(body)) + body
    if least is None:
        least = _LEAST_FILE
        if data.startswith(_PNG):
            least = max(least, _png_bound(data, shown, hidden, size))
        else:
            # LZW is worse than deflate, and makes noise longer by two fifths. Lossy coders need a
            # fraction of deflate's bytes.
            lossy = coded_lossily(data) is not None
            likely = len(shown) // 4 + size // 2 if lossy else 4 * len(shown) + 3 * size // 2
            least = max(least, 1 << likely.bit_length())
    while least < len(content):
        least *= 2
    return content.ljust(least, b"\0")


def _png_bound(data: bytes, shown: bytes, hidden: Mask, size: int) -> int:
    """Return how long a PNG is at most, whatever is covered, by what is visible of it.

    Lines far from covered pixels show how much worse its compressor is than the one here, in powers
    of four, which few compressors are near: four times as bad at least. Covered pixels take what
    they take uncompressed.
    """
    costs, ours = costs_of_png(data), costs_of_png(shown)
    factor, rows, free = 4, len(hidden), ~hidden.any(axis=1)
    # What a line costs depends on the lines that the window of deflate holds.
    numbers, reach = np.arange(rows), _WINDOW * rows // costs.inflated
    far = numbers - np.maximum.accumulate(np.where(free, -reach - 1, numbers)) > reach
    if far.mean() >= _ENOUGH_LINES:
        free = far
    if costs.lines is not None and ours.lines is not None and free.mean() >= _ENOUGH_LINES:
        while factor * ours.lines[free].sum() < _MARGIN * costs.lines[free].sum():
            factor *= 4
    # No compressor makes samples longer than by some thousandths, and chunks take a bit, too.
    samples: int = min(factor * len(shown) + size, costs.inflated)
    samples += samples // 128
    others = 1 << max(_LARGE_OTHERS if costs.metadata else 10, (costs.others - 1).bit_length())
    return -(-(samples + others) // _UNIT) * _UNIT


def whole_file(rest: bytes, medium: Medium, index: bytes, version: int) -> bytes:
    """Return the original file; `DecryptionError` if this is not the rest of it."""
    if len(rest) < _REST.size:
        raise DecryptionError
    of_index, expected, kind, length = _REST.unpack_from(rest)
    body = rest[_REST.size :][:length]
    if len(body) < length:
        raise DecryptionError
    if version == FIRST_VERSION:
        body = _inflate(body, _INFLATED + _INFLATED_EACH * prod(medium.canvas))
    data = medium.whole(body) if kind == _STRUCTURE else body
    if of_index != index or hashlib.sha256(data).digest() != expected:
        raise DecryptionError
    return data


def _inflate(packed: bytes, most: int) -> bytes:
    """Return at most so many bytes that zlib data hold; `DecryptionError` if they hold others."""
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(packed, most + 1)
    except zlib.error:
        raise DecryptionError from None
    if len(data) > most or not reader.eof or reader.unused_data:
        raise DecryptionError
    return data


def seal(content: bytes, key: ProtectingKey, threads: int | None) -> bytes:
    """Return the protected file with this content, without preview and header rows."""
    options = EncryptOptions(as_file=True, preview=False, header_rows=False, threads=threads)
    stream = io.BytesIO(content)
    request = ProtectRequest(
        sink=Sink.of(stream, io.BytesIO(), options),
        key=key,
        protection=make_protection(options),
        options=options,
    )
    source = SourceFile.read(stream, "layer")
    source.typed = False  # it is ours, and to ask packages for their formats takes a tenth of a run
    draft = FileCarrier().plan(source, request)
    if draft is None:
        raise InvalidParameterError("a layer is always a file")
    parts, _ = draft.make()
    return b"".join(parts)


def unseal(part: bytes, key: RestoringKey, threads: int | None) -> bytes:
    """Return the content of a protected file; `DecryptionError` if this key does not open it."""
    request = RestoreRequest(
        source=io.BytesIO(part),
        key=key,
        # It is noise: no sample takes less than a byte, and nothing of it inflates.
        options=OpenOptions(threads=threads, max_pixels=len(part)),
        scheme_of=encryption_scheme,
    )
    file = open_received(receive(request))
    if not FileCarrier().recognizes(file):
        raise DecryptionError
    return bytes(FileCarrier().restore(file).extract())


def combine_shares(shares: Iterable[bytes]) -> Key:
    """Return the key of the rest."""
    whole = reduce(lambda one, other: one ^ int.from_bytes(other), shares, 0)
    return Key(whole.to_bytes(SHARE))


def changed_layer(layer: int, reason: str) -> DecryptionError:
    """Return the error for a layer, counted from 0, that does not fit the picture."""
    return DecryptionError(
        f"layer {layer + 1} is not of this picture: {reason}",
        hint="use the file that was written; an edited picture keeps its covers",
    )


def _pad(content: bytes) -> bytes:
    return content.ljust(max(_LEAST, -(-len(content) // _UNIT) * _UNIT), b"\0")

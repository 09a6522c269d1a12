"""The sealed contents of layers, and the sealed rest of the file, which all layers together open.

::

    layer: 32 SHA-256 of the index | 32 of visible pixels | 32 of display settings | 32 share
           | 1 number | 2 length | 400 name | pixels
    rest:  32 SHA-256 of the index | 32 of the original file | 1 kind | 8 length | structure or file

Both are padded with zeros. Nothing is compressed, so that lengths depend only on the areas and the
visible pixels, and small data cannot expand to fill the memory. In version 1 a layer had name and
pixels in one field, and no digest of the display settings::

    layer: 32 SHA-256 of the index | 32 of visible pixels | 32 share | 8 length | name LF zlib data
    rest:  32 SHA-256 of the index | 32 of the original file | 1 kind | 8 length | zlib data

The shares of all layers, combined by exclusive or, are the key of the rest. The rest contains what
the original file has besides pixels: previews, metadata and tables, which depend on all areas.
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
from sudokucrypt.images import find_lossy_format, measure_png_costs
from sudokucrypt.keys import Key, ProtectingKey, RestoringKey
from sudokucrypt.recipes.carriers.contract import (
    ProtectRequest,
    RestoreRequest,
    open_received_file,
    receive_file,
)
from sudokucrypt.recipes.carriers.file import FileCarrier
from sudokucrypt.recipes.carriers.redaction.medium import Mask, Medium
from sudokucrypt.recipes.carriers.redaction.package import FIRST_VERSION
from sudokucrypt.recipes.opening import find_encryption_scheme
from sudokucrypt.recipes.options import EncryptOptions, OpenOptions
from sudokucrypt.recipes.protection import make_protection
from sudokucrypt.recipes.sinks import Sink
from sudokucrypt.recipes.sources import SourceFile

# Length of a share in bytes, as long as a key: the shares are combined into the key of the rest.
SHARE_LENGTH: Final = 32
# Longest name of a layer in characters: names are shown in lists.
MAX_NAME_LENGTH: Final = 100
_MAX_NAME_BYTES: Final = 4 * MAX_NAME_LENGTH
_LAYER_STRUCT: Final = struct.Struct(f">32s32s32s32sBH{_MAX_NAME_BYTES}s")
_LAYER_V1_STRUCT: Final = struct.Struct(">32s32s32sQ")
_RESTORATION_STRUCT: Final = struct.Struct(">32s32s1sQ")
# Contents are padded to multiples of this, so that their length reveals little.
_PADDING_UNIT_BYTES: Final = 256
# The minimum length of a layer, so that all small areas, such as a face or a number plate, have
# layers of equal length.
_MIN_LAYER_BYTES: Final = 4096
_MIN_RESTORATION_BYTES: Final = 2**14
# Maximum size of the inflated rest of version 1: a number of bytes, and bytes for each pixel.
_MAX_INFLATED_BYTES, _MAX_INFLATED_PER_PIXEL = 2**26, 16
_PNG_SIGNATURE_START: Final = b"\x89PNG"
# The share of rows without covered pixels that is enough for an estimate, and its safety factor.
_MIN_FREE_ROW_SHARE: Final = 1 / 16
_SAFETY_FACTOR: Final = 1.5
_DEFLATE_WINDOW_BYTES: Final = 2**15  # size of the window of deflate in bytes
# Chunks that may contain a thumbnail are padded to at least 2**16 bytes.
_LARGE_METADATA_BITS: Final = 16
_STRUCTURE_KIND, _FILE_KIND = b"S", b"F"


@dataclass(frozen=True, kw_only=True)
class Binding:
    """The digests that bind a layer to its picture."""

    index_digest: bytes  # the digest of the line of the index
    visible_digest: bytes  # the digest of the visible pixels
    display_digest: bytes | None  # the digest of the display settings; None if they are not checked

    @classmethod
    def from_picture(
        cls, line: bytes, medium: Medium, hidden_mask: Mask, *, includes_display: bool = True
    ) -> Self:
        """Return the digests of a redacted picture and the line of its index."""
        settings = medium.display_settings.encode()
        return cls(
            index_digest=hashlib.sha256(line).digest(),
            visible_digest=medium.digest(hidden_mask),
            display_digest=hashlib.sha256(settings).digest() if includes_display else None,
        )

    def require_equal(
        self, layer: int, index_digest: bytes, visible_digest: bytes, display_digest: bytes | None
    ) -> None:
        """Raise `DecryptionError` unless the digests in a layer equal the arguments."""
        if index_digest != self.index_digest:
            raise _make_layer_error(
                layer, "it belongs to another picture, or the areas were changed"
            )
        if visible_digest != self.visible_digest:
            raise _make_layer_error(layer, "the picture was edited outside the covered areas")
        if self.display_digest not in (None, display_digest):
            raise DecryptionError(
                "the display settings were changed: the orientation, the colors or the scans",
                hint="use the file that was written, or give the keys of all layers, which restore "
                "the original file",
            )


@dataclass(frozen=True, kw_only=True)
class LayerContent:
    """The sealed content of a layer, without the digests that bind it to its picture."""

    key_share: bytes  # one share of the key for the sealed rest of the file
    name: str
    pixels: bytes  # the covered pixels, as `Medium.extract` returns them

    def to_bytes(self, layer: int, binding: Binding) -> bytes:
        """Return the padded content of layer number `layer`, from 0, in version 2."""
        name = self.name.encode()
        digests = binding.index_digest, binding.visible_digest, binding.display_digest
        return _pad(
            _LAYER_STRUCT.pack(*digests, self.key_share, layer + 1, len(name), name) + self.pixels
        )

    @classmethod
    def from_bytes(cls, layer: int, content: bytes, binding: Binding, size: int) -> Self:
        """Parse the content of a layer of version 2, whose pixels have `size` bytes.

        Raises `DecryptionError` if the layer is damaged, or of another picture.
        """
        if len(content) < _LAYER_STRUCT.size:
            raise _make_layer_error(layer, _NO_LAYER_MESSAGE)
        *digests, key_share, number, length, name = _LAYER_STRUCT.unpack_from(content)
        binding.require_equal(layer, *digests)
        if number != layer + 1:
            raise _make_layer_error(layer, "it has the number of another layer")
        pixels = content[_LAYER_STRUCT.size :][:size]
        if length > _MAX_NAME_BYTES or len(content) != len(
            _pad(content[: _LAYER_STRUCT.size + size])
        ):
            raise _make_layer_error(layer, _NO_LAYER_MESSAGE)
        return cls(key_share=key_share, name=name[:length].decode(errors="replace"), pixels=pixels)

    @classmethod
    def from_bytes_v1(cls, layer: int, content: bytes, binding: Binding, size: int) -> Self:
        """Parse the content of a layer of version 1; see `from_bytes`."""
        if len(content) < _LAYER_V1_STRUCT.size:
            raise _make_layer_error(layer, _NO_LAYER_MESSAGE)
        index, visible_digest, key_share, length = _LAYER_V1_STRUCT.unpack_from(content)
        binding.require_equal(layer, index, visible_digest, None)
        body = content[_LAYER_V1_STRUCT.size :][:length]
        name, line_feed, packed_pixels = body.partition(b"\n")
        if len(body) < length or not line_feed:
            raise _make_layer_error(layer, _NO_LAYER_MESSAGE)
        pixels = _inflate(packed_pixels, size)
        if len(pixels) != size:
            raise DecryptionError
        return cls(key_share=key_share, name=name.decode(errors="replace"), pixels=pixels)


_NO_LAYER_MESSAGE: Final = "it is not the layer of a redaction"


def require_layer_name(name: str) -> None:
    """Raise `InvalidParameterError` unless the name of a layer is a line and not too long."""
    if len(name) > MAX_NAME_LENGTH or "\n" in name:
        raise InvalidParameterError(
            f"the name of a layer is one line of at most {MAX_NAME_LENGTH} characters, not {name!r}"
        )


def make_restoration_data(data: bytes, medium: Medium) -> tuple[bytes, bytes, int | None]:
    """Return the data that, with the pixels of the medium, restore the original file exactly.

    The values are a kind, a body, and the length to which it is padded at least, or None to choose
    that length by the size of the file.
    """
    structure = medium.find_structure(data)
    return (_FILE_KIND, data, None) if structure is None else (_STRUCTURE_KIND, *structure)


def pack_restoration_data(
    data: bytes,
    restoration_data: tuple[bytes, bytes, int | None],
    index: bytes,
    redacted_data: bytes,
    hidden_mask: Mask,
    size: int,
) -> bytes:
    """Return the padded content of the rest, given the redacted file without layers.

    Its length must not reveal how well the covered pixels, of `size` bytes, compress. A length that
    is too short is doubled until the content fits.
    """
    kind, body, length = restoration_data
    content = _RESTORATION_STRUCT.pack(index, hashlib.sha256(data).digest(), kind, len(body)) + body
    if length is None:
        length = _MIN_RESTORATION_BYTES
        if data.startswith(_PNG_SIGNATURE_START):
            length = max(length, _bound_png_length(data, redacted_data, hidden_mask, size))
        else:
            # LZW is worse than deflate, and makes noise longer by two fifths. Lossy coders need a
            # fraction of the bytes of deflate.
            lossy = find_lossy_format(data) is not None
            visible_length, covered_length = len(redacted_data), size
            likely_length = (
                visible_length // 4 + covered_length // 2
                if lossy
                else 4 * visible_length + 3 * covered_length // 2
            )
            length = max(length, 1 << likely_length.bit_length())
    while length < len(content):
        length *= 2
    return content.ljust(length, b"\0")


def _bound_png_length(data: bytes, redacted_data: bytes, hidden_mask: Mask, size: int) -> int:
    """Return a bound, independent of the covered pixels, for the length of a PNG.

    Rows far from covered pixels show how much worse the compressor of the PNG is than ours. That
    factor is rounded up to a power of four, at least 4, so that it reveals little. Covered pixels
    count as uncompressed.
    """
    original_costs, redacted_costs = measure_png_costs(data), measure_png_costs(redacted_data)
    factor, rows, are_free_rows = 4, len(hidden_mask), ~hidden_mask.any(axis=1)
    # The size of a compressed row depends on the rows in the window of deflate.
    numbers, rows_per_window = (
        np.arange(rows),
        _DEFLATE_WINDOW_BYTES * rows // original_costs.inflated_bytes,
    )
    are_far_rows = (
        numbers - np.maximum.accumulate(np.where(are_free_rows, -rows_per_window - 1, numbers))
        > rows_per_window
    )
    if are_far_rows.mean() >= _MIN_FREE_ROW_SHARE:
        are_free_rows = are_far_rows
    if (
        original_costs.lines is not None
        and redacted_costs.lines is not None
        and are_free_rows.mean() >= _MIN_FREE_ROW_SHARE
    ):
        while (
            factor * redacted_costs.lines[are_free_rows].sum()
            < _SAFETY_FACTOR * original_costs.lines[are_free_rows].sum()
        ):
            factor *= 4
    # No compressor makes samples longer by more than some thousandths; chunk headers add a little.
    samples: int = min(factor * len(redacted_data) + size, redacted_costs.inflated_bytes)
    samples += samples // 128
    bits = _LARGE_METADATA_BITS if original_costs.metadata else 10
    metadata = 1 << max(bits, (original_costs.other_bytes - 1).bit_length())
    return -(-(samples + metadata) // _PADDING_UNIT_BYTES) * _PADDING_UNIT_BYTES


def rebuild_original(restoration_data: bytes, medium: Medium, index: bytes, version: int) -> bytes:
    """Return the original file; `DecryptionError` if the rest is damaged or of another picture."""
    if len(restoration_data) < _RESTORATION_STRUCT.size:
        raise DecryptionError
    index_digest, file_digest, kind, length = _RESTORATION_STRUCT.unpack_from(restoration_data)
    body = restoration_data[_RESTORATION_STRUCT.size :][:length]
    if len(body) < length:
        raise DecryptionError
    if version == FIRST_VERSION:
        body = _inflate(body, _MAX_INFLATED_BYTES + _MAX_INFLATED_PER_PIXEL * prod(medium.canvas))
    data = medium.rebuild_file(body) if kind == _STRUCTURE_KIND else body
    if index_digest != index or hashlib.sha256(data).digest() != file_digest:
        raise DecryptionError
    return data


def _inflate(deflated_data: bytes, limit: int) -> bytes:
    """Inflate zlib data; `DecryptionError` if they are damaged or give more than `limit` bytes."""
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(deflated_data, limit + 1)
    except zlib.error:
        raise DecryptionError from None
    if len(data) > limit or not reader.eof or reader.unused_data:
        raise DecryptionError
    return data


def seal(content: bytes, key: ProtectingKey, threads: int | None) -> bytes:
    """Encrypt content as a protected file without preview and header rows."""
    options = EncryptOptions(as_file=True, preview=False, header_rows=False, threads=threads)
    stream = io.BytesIO(content)
    request = ProtectRequest(
        sink=Sink.for_target(stream, io.BytesIO(), options),
        key=key,
        protection=make_protection(options),
        options=options,
    )
    source = SourceFile.read(stream, "layer")
    source.detects_type = False  # asking image packages for the type would take a tenth of the run
    draft = FileCarrier().plan_draft(source, request)
    if draft is None:
        raise InvalidParameterError("a layer is always a file")
    parts, _ = draft.make_parts()
    return b"".join(parts)


def unseal(sealed_part: bytes, key: RestoringKey, threads: int | None) -> bytes:
    """Decrypt a protected file that `seal` made.

    Raises `DecryptionError` if the key does not open it or it holds no file, and `FormatError` or
    `InvalidImageError` if it is no protected file.
    """
    request = RestoreRequest(
        source=io.BytesIO(sealed_part),
        key=key,
        # Encrypted samples cannot be compressed, so their number is at most the number of bytes.
        options=OpenOptions(threads=threads, max_pixels=len(sealed_part)),
        find_scheme=find_encryption_scheme,
    )
    return bytes(FileCarrier().restore(open_received_file(receive_file(request))).extract())


def combine_shares(key_shares: Iterable[bytes]) -> Key:
    """Return the key of the rest, the exclusive or of all shares."""
    combined_share = reduce(lambda total, share: total ^ int.from_bytes(share), key_shares, 0)
    return Key(combined_share.to_bytes(SHARE_LENGTH))


def _make_layer_error(layer: int, reason: str) -> DecryptionError:
    """Return the error for layer number `layer`, from 0, that does not fit the picture."""
    return DecryptionError(
        f"layer {layer + 1} is not of this picture: {reason}",
        hint="use the file that was written; an edited picture keeps its covers",
    )


def _pad(content: bytes) -> bytes:
    length = -(-len(content) // _PADDING_UNIT_BYTES) * _PADDING_UNIT_BYTES
    return content.ljust(max(_MIN_LAYER_BYTES, length), b"\0")

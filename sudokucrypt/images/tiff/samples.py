"""From the strips and tiles of a TIFF page to its samples, and from samples to a strip."""

from collections.abc import Iterator

import numpy as np

from sudokucrypt.images.bits import pack_bits, spread, unpack_bits
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.codecs import REVERSED, expand
from sudokucrypt.images.tiff.colors import Mixing, from_lab, from_ycbcr
from sudokucrypt.images.tiff.directory import Order, Reader
from sudokucrypt.images.tiff.layout import Layout
from sudokucrypt.typing import AnyArray, Buffer

# Rows are unpacked by so many bytes, to need little memory beside the samples.
_CHUNK = 2**22


def read_samples(reader: Reader, layout: Layout, mixing: Mixing | None) -> AnyArray:
    """Return the samples of a page, with white at the highest value.

    Samples of 9 to 15 bits are spread over 16. YCbCr that is no JPEG becomes RGB as `mixing` says,
    and CIELab RGB of 16 bits.
    """
    rows, columns, channels = layout.rows, layout.columns, layout.channels
    pixels = np.empty((rows, columns, channels), dtype=layout.dtype)
    across = -(-columns // layout.piece_columns)
    down = -(-rows // layout.piece_rows)
    for index, place in enumerate(layout.places):
        plane, rest = divmod(index, across * down)
        top, left = rest // across * layout.piece_rows, rest % across * layout.piece_columns
        part = pixels[top : top + layout.piece_rows, left : left + layout.piece_columns]
        if layout.separate:
            part = part[..., plane : plane + 1]
        stored_rows = layout.piece_rows if layout.tiled else len(part)
        if layout.subsampling and mixing:
            groups = -(-stored_rows // layout.subsampling[1])
            raw = expand(reader.source, layout, reader.view(*place), groups)
            colored = from_ycbcr(raw, layout.subsampling, (groups, layout.piece_columns), mixing)
            part[:] = colored[: len(part), : part.shape[1]]
            continue
        raw = expand(reader.source, layout, reader.view(*place), stored_rows)
        for start, block in _blocks(layout, raw, len(part)):
            part[start : start + len(block)] = block[:, : part.shape[1]]
    if layout.photometric == t.WHITE_IS_ZERO:
        pixels[..., 0] ^= pixels.dtype.type(2**layout.bits - 1)
    if layout.used < channels:
        pixels = np.ascontiguousarray(pixels[..., : layout.used])
    if layout.packed:
        pixels = spread(reader.source, pixels, layout.bits)
    if layout.lab:
        pixels = from_lab(pixels, signed=layout.photometric == t.CIELAB)
    return pixels.reshape(rows, columns) if layout.used == 1 else pixels


def _blocks(layout: Layout, raw: Buffer, rows: int) -> Iterator[tuple[int, AnyArray]]:
    """Yield the samples of some rows at a time, and the number of the first."""
    size = layout.row_bytes
    step = max(1, _CHUNK // size)
    for start in range(0, rows, step):
        count = min(step, rows - start)
        lines = np.frombuffer(raw, np.uint8, count * size, start * size).reshape(count, size)
        if layout.reversed_bits and layout.compression == t.NOT_COMPRESSED:
            flipped = lines.tobytes().translate(REVERSED)
            lines = np.frombuffer(flipped, np.uint8).reshape(count, size)
        yield start, _samples(layout, lines)


def _samples(layout: Layout, lines: AnyArray) -> AnyArray:
    """Turn rows of bytes into samples of shape (rows, columns, channels)."""
    shape = (len(lines), layout.piece_columns, layout.width)
    count, size = shape[1] * shape[2], layout.bits // 8
    if layout.bits < 8:
        return unpack_bits(lines, layout.bits, count).reshape(shape)
    if layout.packed:
        from imagecodecs import packints_decode

        unpacked: AnyArray = packints_decode(lines.tobytes(), "u2", layout.bits, runlen=count)
        return unpacked.reshape(shape)
    if layout.predictor == t.FLOAT_DIFFERENCES:
        # The highest bytes of a row stand first, then the next ones.
        mixed = np.cumsum(lines.reshape(len(lines), -1, layout.width), axis=1, dtype=np.uint8)
        planes = mixed.reshape(len(lines), size, -1).swapaxes(1, 2)
        return np.ascontiguousarray(planes).view(f">f{size}").reshape(shape)
    if layout.predictor == t.DIFFERENCES:
        # Floats are predicted by their bits as well; sums wrap around.
        whole = np.dtype(f"u{size}")
        stored = lines.view(whole.newbyteorder(layout.order)).reshape(shape).astype(whole)
        return np.cumsum(stored, axis=1, dtype=whole, out=stored).view(layout.dtype)
    return lines.view(layout.dtype.newbyteorder(layout.order)).reshape(shape)


def stored(pixels: AnyArray, depth: int, order: Order) -> Buffer:
    """Return rows of samples as a strip without compression; a view of them where it can be."""
    if depth >= 8:
        swapped = pixels.astype(pixels.dtype.newbyteorder(order), copy=False)
        packed = np.ascontiguousarray(swapped).reshape(-1).view(np.uint8)
    else:
        packed = pack_bits(pixels.reshape(len(pixels), -1), depth)
    flat: memoryview = packed.reshape(-1).data
    return flat

"""Cases of header rows: pictures as they are written, as programs change them, and damaged ones."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from sudokucrypt.images import Picture
from sudokucrypt.images.header_rows import make_header_rows, without_header_rows
from sudokucrypt.typing import AnyArray

HEADER = b'{"sudokucrypt":1,"scheme":"encrypt-v1"}'
"""Reading rows does not read the header, so that any text will do."""


def header_rows() -> list[dict[str, Any]]:
    """Return a case for each stored picture: the header in its rows, and what is above them."""
    return [_case(name, pixels) for name, pixels in _find_store()]


def _find_store() -> Iterator[tuple[str, AnyArray]]:
    for bits in (8, 16):
        for channels, mode in enumerate(("gray", "gray-alpha", "rgb", "rgba"), start=1):
            yield f"written: {mode}, {bits} bits", _write_file((3, 5, channels), bits)
    yield "written: one column", _write_file((2, 1, 1), 8)
    yield "written: one row of RGB", _write_file((1, 40, 3), 8)
    yield "written: rows without zeros", _write_file((2, len(HEADER) + 24, 1), 8)
    rgb, gray, wide = (
        _write_file((3, 5, *more), bits) for more, bits in (((3,), 8), ((1,), 8), ((3,), 16))
    )
    full = np.full((*rgb.shape[:2], 1), 255, dtype=np.uint8)
    yield "changed: RGB with opacity", np.dstack([rgb, full])
    yield "changed: gray as RGB", np.dstack([gray, gray, gray])
    yield "changed: 8 bits as 16", rgb.astype(np.uint16) * 257
    yield "changed: 16 bits as 8", (wide >> 8).astype(np.uint8)
    yield "changed: a sample above the rows", _with_other(rgb, 0)
    for row in (3, -1):
        yield f"damaged: row {row}", _with_other(rgb, row)
    yield "damaged: the last row cut off", rgb[:-1]
    yield "damaged: nothing above the rows", rgb[3:]
    yield "damaged: red alone", np.ascontiguousarray(rgb[..., 0])


def _write_file(shape: tuple[int, ...], bits: int) -> AnyArray:
    """Return a picture whose samples count up, with rows."""
    shape = shape[:2] if shape[2] == 1 else shape
    pixels = (np.arange(np.prod(shape)) * 7 % 256).reshape(shape)
    pixels = pixels.astype(np.uint8) if bits == 8 else (pixels * 257).astype(np.uint16)
    picture = replace(Picture.plain(pixels), header=HEADER, header_rows=True)
    return np.concatenate([pixels, make_header_rows(picture)])


def _with_other(pixels: AnyArray, row: int) -> AnyArray:
    changed = pixels.copy()
    changed[row, 0, 2] ^= 1
    return changed


def _case(name: str, pixels: AnyArray) -> dict[str, Any]:
    read = without_header_rows(Picture.plain(pixels))
    header = None if read.header is None else read.header.decode()
    return {
        "name": name,
        "stored": _show_picture(pixels),
        "header": header,
        "plain": None if header is None else _show_picture(read.pixels),
    }


def _show_picture(pixels: AnyArray) -> dict[str, Any]:
    rows, columns, *channels = pixels.shape
    return {
        "rows": rows,
        "columns": columns,
        "channels": channels[0] if channels else 1,
        "bits": 8 * pixels.dtype.itemsize,
        "samples": pixels.astype(pixels.dtype.newbyteorder(">")).tobytes().hex(),
    }

"""Photoshop: the flattened copy in a PSD, gray, RGB or CMYK with 8 or 16 bits.

::

    "8BPS" 1 ... channels rows columns bits mode | colors | resources | layers | samples

imagecodecs expands the rows. Pillow is not used: it takes the table of row lengths for shorter
than it is where there are more channels than colors, and reads noise (Pillow 13.0).

References
----------
.. [1] Adobe, "Photoshop File Formats Specification", 2019.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

from sudokucrypt.images.driver import Driver
from sudokucrypt.images.foreign.boxes import Numbers
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import Frame, Mode, Palette, Picture
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_HEADER: Final = struct.Struct(">4sH6xHIIHH")
_MODES: Final[dict[int, tuple[Mode, int]]] = {
    1: ("gray", 1),
    2: ("palette", 1),
    3: ("rgb", 3),
    4: ("cmyk", 4),
    8: ("gray", 1),
}
_PALETTE: Final = 768
_RAW, _PACKBITS = 0, 1
_PROFILE, _VERSION, _EXIF, _XMP = 1039, 1057, 1058, 1060
_THUMBNAILS: Final = (1033, 1036)
_NO_COPY: Final = b"\0\0\0\1\0"


def _decode(source: Source) -> Picture:
    """Read the flattened copy; see `read_picture` for what is raised.

    Notes
    -----
    The fourth channel beside RGB, and the second beside gray, is taken for alpha; further ones,
    the layers and all resources but profile, EXIF and XMP are left out.
    """
    if len(source.data) < _HEADER.size:
        raise source.cut_short()
    _, version, channels, rows, columns, bits, kind = _HEADER.unpack_from(source.data)
    if version != 1 or kind not in _MODES or bits not in (8, 16) or (kind == 2 and bits != 8):
        raise source.unsupported(
            "a Photoshop picture that is not gray, RGB or CMYK of 8 or 16 bits"
        )
    mode, used = _MODES[kind]
    if channels < used:
        raise source.damaged("it has fewer channels than its mode")
    if channels > used and mode in ("gray", "rgb"):
        mode, used = ("rgba" if mode == "rgb" else "gray-alpha"), used + 1
    source.shape(rows, columns, used, width=bits // 8)
    numbers = Numbers(source, memoryview(source.data), _HEADER.size)
    colors, resources, layers = (numbers.rest(numbers.take(4)) for _ in range(3))
    said = _read_resources(source, resources)
    if said.get(_VERSION, b"").startswith(_NO_COPY):
        raise source.unsupported("a Photoshop picture without a flattened copy of its layers")
    pixels = _read_samples(source, numbers, (channels, rows, columns), used, bits)
    if mode == "cmyk":
        np.invert(pixels, out=pixels)
    palette = None
    if mode == "palette":
        if len(colors) != _PALETTE:
            raise source.damaged("its palette has another size than its samples need")
        planes = np.frombuffer(colors, np.uint8).reshape(3, -1)
        palette = Palette(colors=planes.T.tobytes())
    metadata = Metadata(
        exif=said.get(_EXIF) or None, icc=said.get(_PROFILE) or None, xmp=said.get(_XMP) or None
    )
    left_out = {
        "layers": len(layers) > 4,
        "extra channels": channels > used,
        "previews": any(number in said for number in _THUMBNAILS),
    }
    frame = Frame(pixels=pixels, mode=mode, palette=palette, metadata=metadata)
    names = tuple(name for name, there in left_out.items() if there)
    return Picture(frames=(frame,), format="PSD", left_out=names)


def _read_resources(source: Source, view: memoryview) -> dict[int, bytes]:
    """Return the resources by their numbers, the first of each."""
    said: dict[int, bytes] = {}
    numbers = Numbers(source, view)
    while numbers.more:
        numbers.take(4)
        number, length = numbers.take(2), numbers.take(1)
        numbers.rest(length + 1 - length % 2)
        size = numbers.take(4)
        said.setdefault(number, bytes(numbers.rest(size)))
        # The last may lack its filling.
        numbers.position += size % 2
    return said


def _read_samples(
    source: Source, numbers: Numbers, shape: tuple[int, int, int], used: int, bits: int
) -> AnyArray:
    """Return the samples of the channels that are used."""
    from imagecodecs import packbits_decode

    channels, rows, columns = shape
    line = columns * bits // 8
    compression = numbers.take(2)
    if compression == _RAW:
        raw = numbers.rest(used * rows * line)
    elif compression == _PACKBITS:
        table = np.frombuffer(numbers.rest(2 * channels * rows), ">u2")
        parts = [
            source.call(packbits_decode, bytes(numbers.rest(int(size))), out=line)
            for size in table[: used * rows]
        ]
        if any(len(part) != line for part in parts):
            raise source.damaged("it holds fewer samples than it promises")
        raw = memoryview(b"".join(parts))
    else:
        raise source.unsupported(f"a Photoshop picture with compression {compression}")
    planes = np.frombuffer(raw, f">u{bits // 8}").reshape(used, rows, columns)
    pixels = np.ascontiguousarray(planes.transpose(1, 2, 0), dtype=f"u{bits // 8}")
    return pixels.reshape(rows, columns) if used == 1 else pixels


DRIVER: Final = Driver(
    name="PSD",
    suffixes=(".psd",),
    matches=lambda data: data.startswith(b"8BPS"),
    decode=_decode,
    title="Photoshop",
)

"""Formats of one flat picture: TGA, QOI, and the flattened copy in a Photoshop file.

::

    "8BPS" 1 ... channels rows columns bits mode | colors | resources | layers | samples

Pillow decodes TGA, imagecodecs QOI and the rows of Photoshop. Pillow is not used for these: it
takes the table of row lengths for shorter than it is where there are more channels than colors,
and reads noise (Pillow 13.0).

References
----------
.. [1] Adobe, "Photoshop File Formats Specification", 2019.
"""

import io
import struct
from typing import Final

import numpy as np

from sudokucrypt.images.foreign.boxes import Numbers
from sudokucrypt.images.foreign.results import codec, require_samples, still
from sudokucrypt.images.picture import Metadata, Mode, Palette, Picture
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff.layout import MODE_CHANNELS
from sudokucrypt.typing import AnyArray

_QOI: Final = struct.Struct(">4sIIBB")
_QOI_END: Final = b"\0" * 7 + b"\1"
# Less red, and less green: whatever a cut code takes of them, one of the two is seen.
_QOI_CODES: Final = (b"\x4a", b"\x62")
_TGA_KINDS: Final = {1: (8,), 2: (16, 24, 32), 3: (8, 16), 9: (8,), 10: (16, 24, 32), 11: (8, 16)}
_TGA_NUMBERED: Final = (1, 9)
_HEADER: Final = struct.Struct(">4sH6xHIIHH")
_MODES: Final[dict[int, Mode]] = {1: "gray", 2: "palette", 3: "rgb", 4: "cmyk", 8: "gray"}
_WITH_ALPHA: Final[dict[Mode, Mode]] = {"gray": "gray-alpha", "rgb": "rgba"}
_PALETTE: Final = 768
_RAW, _PACKBITS = 0, 1
_IPTC, _PROFILE, _VERSION, _EXIF, _XMP = 1028, 1039, 1057, 1058, 1060
_THUMBNAILS: Final = {1033, 1036}
_NO_COPY: Final = b"\0\0\0\1\0"


def matches_tga(data: bytes) -> bool:
    """Tell whether these bytes can be the start of a TGA, which has no signature."""
    if len(data) < 18:
        return False
    numbered, kind, first, count, bits, *sides, depth, flags = struct.unpack_from(
        "<xBBHHBxxxxHHBB", data
    )
    if numbered != (kind in _TGA_NUMBERED):
        return False
    palette = bits in (16, 24, 32) and 0 < first + count <= 256
    none = not (first or count or bits)
    return (
        depth in _TGA_KINDS.get(kind, ())
        and (palette if numbered else none)
        and all(sides)
        and not flags & 0xC0
    )


def decode_tga(source: Source) -> Picture:
    """Read a TGA, which Pillow decodes."""
    from PIL.TgaImagePlugin import TgaImageFile

    # Pillow opens lazily: the size is known before a sample is decoded.
    image = source.call(lambda data: TgaImageFile(io.BytesIO(data)), source.data)
    columns, rows = image.size
    source.shape(rows, columns, len(image.getbands()))
    pixels = source.call(lambda _: np.array(image), b"")
    text = bytes(image.info.get("id_section", b"")).rstrip(b"\0").decode("latin-1")
    metadata = Metadata(texts=(("Comment", text),) if text else ())
    if image.mode != "P":
        return still("TGA", pixels, metadata)
    # Black where the file has fewer colors than its samples number.
    colors = bytes(image.getpalette("RGB") or b"").ljust(3 * (int(pixels.max()) + 1), b"\0")
    alphas = bytes(image.getpalette("RGBA") or b"")[3::4]
    palette = Palette(colors=colors, alphas=alphas if alphas.strip(b"\xff") else b"")
    return still("TGA", pixels, metadata, mode="palette", palette=palette)


def decode_qoi(source: Source) -> Picture:
    """Read a QOI.

    The decoder repeats the last pixel where the file ends too early. So it decodes again with
    other codes in front of the end: if they are seen, those of the file did not suffice.
    """
    qoi_decode = codec(source, "QOI", "a QOI")
    if len(source.data) < _QOI.size + len(_QOI_END) or not source.data.endswith(_QOI_END):
        raise source.cut_short()
    _, columns, rows, channels, space = _QOI.unpack_from(source.data)
    if channels not in (3, 4) or space > 1:
        raise source.damaged("its header names an unknown mode")
    source.shape(rows, columns, channels)
    pixels = source.call(qoi_decode, source.data)
    require_samples(source, pixels, (rows, columns), channels=(channels,), dtype="uint8")
    for code in _QOI_CODES:
        again = source.call(qoi_decode, source.data[: -len(_QOI_END)] + 8 * code + _QOI_END)
        if not np.array_equal(again[-1, -1], pixels[-1, -1]):
            raise source.cut_short()
    return still("QOI", pixels, Metadata(), ("color space",) if space else ())


def decode_psd(source: Source) -> Picture:
    """Read the flattened copy in a Photoshop file.

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
    mode = _MODES[kind]
    if channels < MODE_CHANNELS[mode]:
        raise source.damaged("it has fewer channels than its mode")
    if channels > MODE_CHANNELS[mode]:
        mode = _WITH_ALPHA.get(mode, mode)
    used = MODE_CHANNELS[mode]
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
        palette = Palette(colors=np.frombuffer(colors, np.uint8).reshape(3, -1).T.tobytes())
    exif, icc, xmp = (said.get(number) or None for number in (_EXIF, _PROFILE, _XMP))
    dropped = ["layers"] * (len(layers) > 4) + ["extra channels"] * (channels > used)
    dropped += ["previews"] * bool(said.keys() & _THUMBNAILS) + ["IPTC"] * (_IPTC in said)
    metadata = Metadata(exif=exif, icc=icc, xmp=xmp)
    return still("PSD", pixels, metadata, dropped, mode=mode, palette=palette)


def _read_resources(source: Source, view: memoryview) -> dict[int, bytes]:
    """Return the resources by their numbers, the first of each."""
    said: dict[int, bytes] = {}
    numbers = Numbers(source, view)
    while numbers.left:
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

"""TIFF: gray and RGB with 8 or 16 bits; the header is the image description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.header import HEADER_START
from sudokucrypt.images.picture import Frame, Picture
from sudokucrypt.images.tiff_directory import SIGNATURES, Directory

if TYPE_CHECKING:
    from sudokucrypt.images.metadata import Metadata
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer

FORMAT: Final = "TIFF"

# Tag numbers of the TIFF 6.0 specification.
_SUBFILE_TYPE, _COLUMNS, _ROWS, _BITS, _COMPRESSION, _PHOTOMETRIC = 254, 256, 257, 258, 259, 262
_FILL_ORDER, _DESCRIPTION, _STRIP_OFFSETS, _ORIENTATION = 266, 270, 273, 274
_CHANNELS, _ROWS_PER_STRIP, _STRIP_SIZES, _PLANES = 277, 278, 279, 284
_RESOLUTION_UNIT, _TILE_COLUMNS, _TILE_ROWS, _TILE_OFFSETS, _TILE_SIZES = 296, 322, 323, 324, 325
_SUB_DIRECTORIES, _EXTRA_SAMPLES, _SAMPLE_FORMAT = 330, 338, 339

_BLACK_IS_ZERO, _RGB = 1, 2
_NO_RESOLUTION_UNIT = 1
_SEPARATE_PLANES = 2
_UNASSOCIATED_ALPHA = 2
_NO_COMPRESSION = 1
# None, LZW, Deflate (new and old number), PackBits: all of them exact.
_COMPRESSIONS = (_NO_COMPRESSION, 5, 8, 32946, 32773)
_PHOTOMETRICS = {0: "white-is-zero", 3: "palette", 4: "mask", 5: "CMYK", 6: "YCbCr", 8: "CIELab"}
# Tags that say how the samples are stored; reading uses them up.
_PLUMBING = {
    *(_SUBFILE_TYPE, _COLUMNS, _ROWS, _BITS, _COMPRESSION, _PHOTOMETRIC, _FILL_ORDER),
    *(_STRIP_OFFSETS, _CHANNELS, _ROWS_PER_STRIP, _STRIP_SIZES, _PLANES, _RESOLUTION_UNIT),
    *(_TILE_COLUMNS, _TILE_ROWS, _TILE_OFFSETS, _TILE_SIZES, _EXTRA_SAMPLES, _SAMPLE_FORMAT),
    *(255, 280, 281, 317),
}
_LEFT_OUT = {
    _ORIENTATION: "orientation",
    282: "resolution",
    283: "resolution",
    700: "XMP",
    34665: "EXIF",
    34675: "ICC profile",
    34853: "EXIF",
    **dict.fromkeys((269, 271, 272, 285, 305, 306, 315, 316, 33432), "text"),
}


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a TIFF."""
    return data.startswith(SIGNATURES)


def decode(source: Source) -> Picture:
    """Read a TIFF of one picture; orientation is not applied."""
    from imagecodecs import tiff_decode

    directory = Directory(source)
    _require_readable(source, directory)
    rows, columns = directory.integer(_ROWS), directory.integer(_COLUMNS)
    channels = directory.integer(_CHANNELS, 1)
    bits = _read_bits(source, directory, channels)
    separate = channels > 1 and directory.integer(_PLANES, 1) == _SEPARATE_PLANES
    shape = source.shape(rows, columns, channels)
    sizes = _piece_sizes(source, directory, rows, columns, channels if separate else 1)
    # Too small a strip makes libtiff read on into whatever follows.
    stored = directory.integer(_COMPRESSION, 1) == _NO_COMPRESSION
    if stored and sum(sizes) < rows * columns * channels * bits // 8:
        raise source.damaged("it holds fewer samples than it promises")
    texts = directory.texts(_DESCRIPTION)
    header = source.header([text for text in texts if text.startswith(HEADER_START)])

    stored_shape = (channels, rows, columns) if separate else shape
    pixels = source.run(tiff_decode, shape=stored_shape, dtype=f"uint{bits}")
    if separate:
        pixels = np.ascontiguousarray(np.moveaxis(pixels, 0, -1))
    left_out = _read_left_out(directory, len(texts) > (header is not None))
    return Picture.plain(pixels, format=FORMAT, header=header, left_out=left_out)


def obstacle(picture: Picture) -> str | None:
    """Tell what of a picture TIFF cannot hold, or return none."""
    if len(picture.frames) > 1 or picture.animation is not None:
        return "several frames"
    frame = picture.frames[0]
    if frame.mode in ("palette", "cmyk") or frame.transparent is not None:
        return f"{frame.mode} pictures"
    if frame.depth not in (8, 16) or frame.pixels.dtype.kind != "u":
        return f"{frame.depth}-bit samples of type {frame.pixels.dtype}"
    return None


def leftover(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata TIFF cannot hold."""
    del header
    return frame.metadata


def encode(picture: Picture, compress: int) -> list[Buffer]:
    """Return the parts of a TIFF file of one strip without compression."""
    from imagecodecs import tiff_encode

    del compress
    pixels, header = picture.pixels, picture.header
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    data = tiff_encode(
        pixels,
        compression="none",
        photometric="rgb" if channels > 2 else "minisblack",
        planarconfig="contig",
        extrasample="unassalpha" if channels in (2, 4) else None,
        description=None if header is None else header.decode("ascii"),
    )
    return [bytes(data)]


def _require_readable(source: Source, directory: Directory) -> None:
    """Refuse everything but one gray or RGB picture in an exact compression."""
    if directory.next_directory:
        raise source.unsupported("a TIFF with several pages")
    if directory.integer(_SUBFILE_TYPE, 0) or _SUB_DIRECTORIES in directory:
        raise source.unsupported("a TIFF with previews, masks or raw data")
    photometric = directory.integer(_PHOTOMETRIC)
    if photometric not in (_BLACK_IS_ZERO, _RGB):
        kind = _PHOTOMETRICS.get(photometric, f"photometric {photometric}")
        raise source.unsupported(f"a TIFF with {kind} samples")
    compression = directory.integer(_COMPRESSION, 1)
    if compression not in _COMPRESSIONS:
        raise source.unsupported(f"a TIFF with compression {compression}")
    if directory.integer(_FILL_ORDER, 1) != 1:
        raise source.unsupported("a TIFF with reversed bits")
    extra = directory.integers(_EXTRA_SAMPLES, ())
    expected = (1 if photometric == _BLACK_IS_ZERO else 3) + len(extra)
    if directory.integer(_CHANNELS, 1) != expected or extra not in ((), (_UNASSOCIATED_ALPHA,)):
        raise source.unsupported("a TIFF with channels that are not gray, RGB and plain alpha")


def _read_bits(source: Source, directory: Directory, channels: int) -> int:
    """Return the bits per sample, which all channels must share."""
    bits = directory.integers(_BITS, (1,))
    formats = directory.integers(_SAMPLE_FORMAT, (1,))
    if set(formats) != {1}:
        raise source.unsupported("a TIFF with signed or floating-point samples")
    if len(bits) not in (1, channels) or len(set(bits)) != 1 or bits[0] not in (8, 16):
        raise source.unsupported(f"a TIFF with {bits[0]}-bit samples")
    return bits[0]


def _piece_sizes(
    source: Source, directory: Directory, rows: int, columns: int, planes: int
) -> tuple[int, ...]:
    """Return the bytes of each strip or tile; all must lie in the file, or libtiff guesses."""
    if _TILE_OFFSETS in directory:
        tile_rows, tile_columns = directory.integer(_TILE_ROWS), directory.integer(_TILE_COLUMNS)
        if not tile_rows or not tile_columns:
            raise source.damaged("its tiles have no pixels")
        count = -(-rows // tile_rows) * -(-columns // tile_columns) * planes
        offsets, sizes = directory.integers(_TILE_OFFSETS), directory.integers(_TILE_SIZES)
    else:
        strip_rows = directory.integer(_ROWS_PER_STRIP, rows)
        if not strip_rows:
            raise source.damaged("its strips have no rows")
        count = -(-rows // strip_rows) * planes
        offsets, sizes = directory.integers(_STRIP_OFFSETS), directory.integers(_STRIP_SIZES)
    if len(offsets) != count or len(sizes) != count or not all(offsets) or not all(sizes):
        raise source.damaged("parts of the picture are missing")
    if any(offset + size > len(source.data) for offset, size in zip(offsets, sizes, strict=True)):
        raise source.cut_short()
    return sizes


def _read_left_out(directory: Directory, has_text: bool) -> tuple[str, ...]:
    """Name what is in the directory besides samples and header."""
    names = dict.fromkeys(["text"] if has_text else [])
    for tag in directory:
        if tag == _DESCRIPTION or tag in _PLUMBING:
            continue
        name = _LEFT_OUT.get(tag, "other data")
        upright = name == "orientation" and directory.integers(tag) == (1,)
        unknown = directory.integers(_RESOLUTION_UNIT, (2,)) == (_NO_RESOLUTION_UNIT,)
        if not upright and not (name == "resolution" and unknown):
            names[name] = None
    return tuple(names)

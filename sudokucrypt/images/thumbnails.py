"""Pixels to be looked at: what a picture shows, upright, flat, smaller, and as JPEG or WebP."""

import io
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import SudokucryptError, UnsupportedError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg import file as jpeg
from sudokucrypt.images.orientation import turn_of, write_orientation
from sudokucrypt.images.picture import Glance, Metadata, Picture, on_white, seen_colors
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff.directory import Directory, TiffReader
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import Samples

_LONGEST_JPEG_SIDE: Final = 65500  # of a JPEG that libjpeg writes
_BAND: Final = 1 << 20  # pixels of which the colors are in memory at a time
# Of red, green and blue in the luma of JPEG, in 65536ths: sums stay below 2**24, and so exact.
_SHARES: Final = np.array([19595, 38470, 7471], dtype=np.float32)


def flatten_picture(picture: Picture) -> tuple[Samples, tuple[str, ...]]:
    """Return a picture in 8 bits as viewers show it, and the names of what it loses.

    The samples are gray, or red, green and blue. What is transparent lies on white, orientation is
    applied, and metadata are left out, the color profile with them.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    lost = [*picture.metadata.names(), *picture.dropped]
    if picture.depth > 8:
        lost.append(f"{picture.depth}-bit samples")
    if picture.mode in ("gray", "rgb") and picture.pixels.dtype == np.uint8:
        samples: Samples = picture.pixels
    else:
        plain, samples = seen_colors(picture), on_white(picture)
        if not np.array_equal(plain, samples):
            lost.append("transparency")
        samples = samples[..., 0] if picture.mode in ("gray", "gray-alpha") else samples
    return np.ascontiguousarray(turn_of(picture).upright(samples)), tuple(dict.fromkeys(lost))


def luma(picture: Picture, *, rows: int | None = None) -> Samples:
    """Return a picture as viewers show it as a gray array of shape (M, N), upright, on white.

    It takes little memory besides the result, since a stranger may have sent the picture. `rows` is
    how many are wanted, from the top; by default all are.

    Parameters
    ----------
    picture : Picture
        The picture.
    rows : int, optional
        The number of rows that are wanted, from the top; by default all.
    """
    turn = turn_of(picture)
    pixels = turn.undone(turn.upright(picture.pixels)[:rows])
    shape = pixels.shape
    gray, flat = picture.mode in ("gray", "gray-alpha"), pixels.reshape(-1, 1, *shape[2:])
    light = np.empty(len(flat), dtype=np.uint8)
    for first in range(0, len(flat), _BAND):
        part = slice(first, first + _BAND)
        colors = on_white(replace(picture, pixels=flat[part]))[:, 0]
        light[part] = colors[:, 0] if gray else (colors @ _SHARES + 32768) / 65536
    return np.ascontiguousarray(turn.upright(light.reshape(shape[:2])))


def resize(samples: Samples, rows: int, columns: int) -> Samples:
    """Return samples of shape (M, N) or (M, N, 3) in another size, smoothed as they shrink.

    Parameters
    ----------
    samples : ndarray of shape (M, N) or (M, N, 3), uint8
        The samples.
    rows : int
        The new number of rows, 1 or more.
    columns : int
        The new number of columns, 1 or more.
    """
    from PIL import Image

    image = Image.fromarray(samples)
    return np.asarray(image.resize((columns, rows), Image.Resampling.LANCZOS))


def jpeg_bytes(samples: Samples, *, quality: int) -> bytes:
    """Return samples of shape (M, N) or (M, N, 3) as a JPEG, which loses some of them.

    Raises `InvalidParameterError` if the quality is out of range, and `UnsupportedError` if a side
    is longer than 65500 pixels. The quality is 1..100, as the Independent JPEG Group counts; colors
    have half the resolution.

    Parameters
    ----------
    samples : ndarray of shape (M, N) or (M, N, 3), uint8
        Gray, or red, green and blue.
    quality : int
        The quality as the Independent JPEG Group counts, 1..100.
    """
    from PIL import Image

    quality = checked_integer("quality", quality, most=100)
    if max(samples.shape[:2]) > _LONGEST_JPEG_SIDE:
        raise UnsupportedError(
            f"a JPEG has sides of at most {_LONGEST_JPEG_SIDE} pixels", hint="write PNG"
        )
    buffer = io.BytesIO()
    Image.fromarray(samples).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


_LONGEST_SIDE: Final = 16383  # of a WebP
_LOOKED_AT: Final = 4  # pixels at least, in each direction, for each of a thumbnail
_EFFORT: Final = 1  # of WebP, 0..6: half the time of 4 for 4 % more bytes
_GAP: Final = 1.5  # first reduced by boxes to this multiple: half the time, few levels off


def thumbnail(picture: Picture, *, side: int, quality: int) -> bytes:
    """Return a small WebP of a picture, of the size that `shrink_picture` gives it.

    `quality` is that of the coding, which is lossy, 0..100. It has no metadata.

    Raises `InvalidParameterError` if side or quality is out of range.

    Parameters
    ----------
    picture : Picture
        The picture.
    side : int
        The largest number of pixels of the longer side, 1..16383.
    quality : int
        The quality of the lossy coding, 0..100.
    """
    quality = checked_integer("quality", quality, least=0, most=100)
    return _encode_webp(shrink_picture(picture, side=side), quality)


def _encode_webp(shown: NDArray[np.uint8], quality: int) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(shown).save(buffer, "WEBP", quality=quality, method=_EFFORT)
    return buffer.getvalue()


def shrink_picture(picture: Picture, *, side: int) -> NDArray[np.uint8]:
    """Return a picture as viewers show it as a small array of shape (M, N, 3), upright.

    Orientation is applied, color profiles are not, and what is transparent lies on white. The
    longer side has at most `side` pixels, 1..16383; a smaller picture is not enlarged.

    Parameters
    ----------
    picture : Picture
        The picture.
    side : int
        The largest number of pixels of the longer side, 1..16383.
    """
    side = checked_integer("side", side, most=_LONGEST_SIDE)
    turn, sides = turn_of(picture), picture.pixels.shape[:2]
    # A few pixels of each that is made are enough, and take no memory.
    step = max(1, max(sides) // (_LOOKED_AT * side))
    colors = on_white(replace(picture, pixels=picture.pixels[::step, ::step]))
    return _shrink(np.ascontiguousarray(turn.upright(colors)), turn.upright_shape(sides), side)


def _shrink(shown: NDArray[np.uint8], sides: tuple[int, ...], side: int) -> NDArray[np.uint8]:
    """Return a picture of these sides, of which perhaps not all pixels are `shown`, smaller."""
    from PIL import Image

    share = min(1, side / max(sides))
    rows, columns = [max(1, round(n * share)) for n in sides]
    image = Image.fromarray(shown)
    smaller = image.resize((columns, rows), Image.Resampling.LANCZOS, reducing_gap=_GAP)
    return np.asarray(smaller)


_DNG_VERSION: Final = 50706
_SENSOR: Final = {32803, 34892}  # meanings of samples that are no colors yet
_JPEG_START: Final = b"\xff\xd8\xff"
_MOST: Final = 8  # directories in a row, and below each, that are looked at


def glance_raw(source: Source, side: int) -> Glance | None:
    """Return one of the JPEG pictures in a camera raw: the smallest that is large enough."""
    reader = TiffReader(source)
    directories = list(_directories(reader))
    shapes = {
        data: shape
        for page in directories
        for data in _jpegs(reader, page)
        if (shape := jpeg.stream_shape(data))
    }
    if not shapes:
        return None
    # Of those that are too small the largest, of the others the smallest.
    sizes = {data: max(rows, columns) for data, (rows, columns, _) in shapes.items()}
    chosen = min(sizes, key=lambda data: (sizes[data] < side, abs(sizes[data] - side)))
    picture = jpeg.glance(replace(source, data=chosen), side).picture
    pixels = max(page.integer(d.ROWS, 0) * page.integer(d.COLUMNS, 0) for page in directories)
    if picture.metadata.exif is None:  # the raw file says for both how they are turned
        exif = write_orientation(directories[0].integer(d.ORIENTATION, 1))
        picture = replace(picture, metadata=Metadata(exif=exif))
    return Glance(picture, pixels)


def _jpegs(reader: TiffReader, page: Directory) -> Iterator[bytes]:
    """Yield the JPEG streams of a directory; what a sensor saw may be coded losslessly as one."""
    for offsets, sizes in ((d.THUMBNAIL, d.THUMBNAIL_SIZE), (d.STRIP_OFFSETS, d.STRIP_SIZES)):
        starts, lengths = page.integers(offsets, ()), page.integers(sizes, ())
        if len(starts) == len(lengths) == 1:
            data = bytes(reader.view(starts[0], lengths[0]))
            if data.startswith(_JPEG_START):
                yield data


def _directories(reader: TiffReader) -> Iterator[Directory]:
    for page in islice(reader.chain(), _MOST):
        yield page
        yield from map(page.at, page.integers(d.SUB_DIRECTORIES, ())[:_MOST])


def matches_raw(data: bytes) -> bool:
    """Return whether this is a TIFF of what a sensor saw, as far as enough of it is there."""
    if not data.startswith(d.SIGNATURES):
        return False
    with suppress(SudokucryptError):  # what is damaged is for the reader of TIFF to say
        pages = _directories(TiffReader(Source(data, "", 0)))
        return any(
            _DNG_VERSION in page or page.integer(d.PHOTOMETRIC, -1) in _SENSOR for page in pages
        )
    return False


_LEAST_SIDE: Final = 160  # pixels of the longer side, which Exif recommends
_ALIKE: Final = 0.02  # by how much proportions may differ; some cameras add black bars


def glance_jpeg(source: Source, side: int) -> Glance:
    """Return the thumbnail, if it is large enough and has the proportions of the picture.

    Else the picture is decoded at a smaller scale.
    """

    def find_thumbnail(exif: bytes, shape: tuple[int, ...]) -> Picture | None:
        with suppress(SudokucryptError):
            small = glance_raw(replace(source, data=exif), side)
            if small is not None:
                high, wide = small.picture.pixels.shape[:2]
                alike = abs(high * shape[1] / (wide * shape[0]) - 1) < _ALIKE
                if alike and max(high, wide) >= _LEAST_SIDE:
                    return small.picture
        return None

    return jpeg.glance(source, side, find_thumbnail)


# Longest side in pixels and quality, from the best preview to the smallest.
_PREVIEWS: Final = ((320, 75), (256, 65), (192, 55), (128, 45), (96, 40))
PREVIEW_SIDE: Final = _PREVIEWS[0][0]
"""Longest side of the best preview, in pixels."""


def make_preview(picture: Picture, *, most: int | None = None) -> bytes:
    """Return a small WebP of a picture, as `thumbnail` makes it, which headers seal.

    Parameters
    ----------
    picture : Picture
        The picture.
    most : int, optional
        How many bytes it may have, if one of five sizes from 96 to 320 pixels allows that. By
        default it has the largest size.
    """
    shown = shrink_picture(picture, side=PREVIEW_SIDE)

    @cache
    def encode(index: int) -> bytes:
        side, quality = _PREVIEWS[index]
        return _encode_webp(_shrink(shown, shown.shape[:2], side), quality)

    if most is None:
        return encode(0)
    # Halving tries two or three sizes, mostly small ones; the smallest need not fit.
    others = range(len(_PREVIEWS) - 1)
    return encode(bisect_left(others, x=True, key=lambda index: len(encode(index)) <= most))

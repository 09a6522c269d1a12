"""Pictures for display: upright, without transparency, in smaller sizes, as JPEG or WebP."""

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
from sudokucrypt.images.orientation import get_turn, write_orientation
from sudokucrypt.images.picture import (
    Metadata,
    Picture,
    PicturePreview,
    get_visible_colors,
    lay_on_white,
)
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff.directory import Directory, TiffReader
from sudokucrypt.options import check_integer
from sudokucrypt.typing import Samples

_MAX_JPEG_SIDE: Final = 65500  # the longest side in pixels that libjpeg writes
_BAND_PIXELS: Final = 1 << 20  # the number of pixels whose colors are in memory at a time
# The shares of red, green and blue in luma, in 65536ths. Sums below 2**24 are exact as floats.
_LUMA_SHARES: Final = np.array([19595, 38470, 7471], dtype=np.float32)


def flatten_picture(picture: Picture) -> tuple[Samples, tuple[str, ...]]:
    """Return the visible picture in 8 bits, and the names of the contents that are lost.

    The samples are gray, or red, green and blue. The background is white, and the orientation is
    applied. All metadata are left out, including the color profile.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    lost_names = [*picture.metadata.names(), *picture.dropped]
    if picture.depth > 8:
        lost_names.append(f"{picture.depth}-bit samples")
    if picture.mode in ("gray", "rgb") and picture.pixels.dtype == np.uint8:
        samples: Samples = picture.pixels
    else:
        plain, samples = get_visible_colors(picture), lay_on_white(picture)
        if not np.array_equal(plain, samples):
            lost_names.append("transparency")
        samples = samples[..., 0] if picture.mode in ("gray", "gray-alpha") else samples
    return np.ascontiguousarray(get_turn(picture).make_upright(samples)), tuple(
        dict.fromkeys(lost_names)
    )


def compute_luma(picture: Picture, *, rows: int | None = None) -> Samples:
    """Return the visible picture as a gray array of shape (M, N), upright, on white.

    It takes little memory except for the result, since the picture may be hostile.

    Parameters
    ----------
    picture : Picture
        The picture.
    rows : int, optional
        The number of rows from the top that are returned; by default all.
    """
    turn = get_turn(picture)
    pixels = turn.turn_back(turn.make_upright(picture.pixels)[:rows])
    shape = pixels.shape
    is_gray, flat_pixels = picture.mode in ("gray", "gray-alpha"), pixels.reshape(-1, 1, *shape[2:])
    values = np.empty(len(flat_pixels), dtype=np.uint8)
    for first_pixel in range(0, len(flat_pixels), _BAND_PIXELS):
        band = slice(first_pixel, first_pixel + _BAND_PIXELS)
        colors = lay_on_white(replace(picture, pixels=flat_pixels[band]))[:, 0]
        values[band] = colors[:, 0] if is_gray else (colors @ _LUMA_SHARES + 32768) / 65536
    return np.ascontiguousarray(turn.make_upright(values.reshape(shape[:2])))


def resize(samples: Samples, rows: int, columns: int) -> Samples:
    """Return samples of shape (M, N) or (M, N, 3), resized with a Lanczos filter.

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
    """Return samples of shape (M, N) or (M, N, 3) as a JPEG, with loss.

    Raises `InvalidParameterError` if the quality is out of range, and `UnsupportedError` if a side
    is longer than 65500 pixels. Colors are stored at half the resolution.

    Parameters
    ----------
    samples : ndarray of shape (M, N) or (M, N, 3), uint8
        Gray, or red, green and blue.
    quality : int
        The quality on the scale of the Independent JPEG Group, 1..100.
    """
    from PIL import Image

    quality = check_integer("quality", quality, most=100)
    if max(samples.shape[:2]) > _MAX_JPEG_SIDE:
        raise UnsupportedError(
            f"a JPEG has sides of at most {_MAX_JPEG_SIDE} pixels", hint="write PNG"
        )
    buffer = io.BytesIO()
    Image.fromarray(samples).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


_MAX_WEBP_SIDE: Final = 16383  # pixels of a WebP
_MIN_SAMPLING_STEP: Final = (
    4  # at least this number of pixels in each direction is averaged to one pixel of a thumbnail
)
_WEBP_EFFORT: Final = 1  # of the WebP encoder, 0..6; 1 takes half the time of 4 for 4 % more bytes
_REDUCING_GAP: Final = (
    1.5  # a box filter first reduces to this multiple of the final size, which halves the time
)


def make_thumbnail(picture: Picture, *, side: int, quality: int) -> bytes:
    """Return a small WebP of a picture without metadata, of the size that `shrink_picture` chooses.

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
    quality = check_integer("quality", quality, least=0, most=100)
    return _encode_webp(shrink_picture(picture, side=side), quality)


def _encode_webp(samples: NDArray[np.uint8], quality: int) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(samples).save(buffer, "WEBP", quality=quality, method=_WEBP_EFFORT)
    return buffer.getvalue()


def shrink_picture(picture: Picture, *, side: int) -> NDArray[np.uint8]:
    """Return the visible picture as a small array of shape (M, N, 3), upright, on white.

    Color profiles are not applied. The longer side has at most `side` pixels; a smaller picture is
    not enlarged.

    Parameters
    ----------
    picture : Picture
        The picture.
    side : int
        The largest number of pixels of the longer side, 1..16383.
    """
    side = check_integer("side", side, most=_MAX_WEBP_SIDE)
    turn, sides = get_turn(picture), picture.pixels.shape[:2]
    # A few pixels suffice for each pixel of the result, and take little memory.
    step = max(1, max(sides) // (_MIN_SAMPLING_STEP * side))
    colors = lay_on_white(replace(picture, pixels=picture.pixels[::step, ::step]))
    return _shrink_samples(
        np.ascontiguousarray(turn.make_upright(colors)), turn.get_upright_shape(sides), side
    )


def _shrink_samples(
    samples: NDArray[np.uint8], sides: tuple[int, ...], side: int
) -> NDArray[np.uint8]:
    """Return samples reduced so that the longer side has at most `side` pixels.

    `sides` are the sides of the full picture, of which `samples` may have only every n-th pixel.
    """
    from PIL import Image

    scale = min(1, side / max(sides))
    rows, columns = [max(1, round(n * scale)) for n in sides]
    image = Image.fromarray(samples)
    smaller_image = image.resize(
        (columns, rows), Image.Resampling.LANCZOS, reducing_gap=_REDUCING_GAP
    )
    return np.asarray(smaller_image)


_DNG_VERSION_TAG: Final = 50706
_SENSOR_PHOTOMETRICS: Final = {
    32803,
    34892,
}  # values of the photometric tag for raw data of a sensor
_JPEG_START: Final = b"\xff\xd8\xff"
_MAX_DIRECTORIES: Final = 8  # the limit of directories in sequence, and of directories below each


def read_raw_preview(source: Source, side: int) -> PicturePreview | None:
    """Return the smallest JPEG in a camera raw that is large enough, otherwise the largest one."""
    reader = TiffReader(source)
    directories = list(_iterate_directories(reader))
    shapes_by_jpeg = {
        data: shape
        for page in directories
        for data in _iterate_jpegs(reader, page)
        if (shape := jpeg.read_stream_shape(data))
    }
    if not shapes_by_jpeg:
        return None
    # Choose the smallest JPEG with a side of at least `side` pixels, otherwise the largest JPEG.
    sizes = {data: max(rows, columns) for data, (rows, columns, _) in shapes_by_jpeg.items()}
    best_jpeg = min(sizes, key=lambda data: (sizes[data] < side, abs(sizes[data] - side)))
    picture = jpeg.decode_scaled_preview(replace(source, data=best_jpeg), side).picture
    pixels = max(
        page.get_integer(d.ROWS, 0) * page.get_integer(d.COLUMNS, 0) for page in directories
    )
    if picture.metadata.exif is None:  # then the raw file states the orientation of the JPEG
        exif = write_orientation(directories[0].get_integer(d.ORIENTATION, 1))
        picture = replace(picture, metadata=Metadata(exif=exif))
    return PicturePreview(picture, pixels)


def _iterate_jpegs(reader: TiffReader, page: Directory) -> Iterator[bytes]:
    """Yield the JPEG streams of a directory, which may include raw data in lossless JPEG."""
    for offsets, sizes in ((d.THUMBNAIL, d.THUMBNAIL_SIZE), (d.STRIP_OFFSETS, d.STRIP_SIZES)):
        starts, lengths = page.get_integers(offsets, ()), page.get_integers(sizes, ())
        if len(starts) == len(lengths) == 1:
            data = bytes(reader.view_bytes(starts[0], lengths[0]))
            if data.startswith(_JPEG_START):
                yield data


def _iterate_directories(reader: TiffReader) -> Iterator[Directory]:
    for page in islice(reader.chain(), _MAX_DIRECTORIES):
        yield page
        yield from map(
            page.read_sibling, page.get_integers(d.SUB_DIRECTORIES, ())[:_MAX_DIRECTORIES]
        )


def is_camera_raw(data: bytes) -> bool:
    """Return whether this is the start of a TIFF with raw data of a sensor."""
    if not data.startswith(d.SIGNATURES):
        return False
    with suppress(SudokucryptError):  # the reader of TIFF will report the damage
        pages = _iterate_directories(TiffReader(Source(data, "", 0)))
        return any(
            _DNG_VERSION_TAG in page or page.get_integer(d.PHOTOMETRIC, -1) in _SENSOR_PHOTOMETRICS
            for page in pages
        )
    return False


_MIN_THUMBNAIL_SIDE: Final = 160  # pixels of the longer side that the Exif standard recommends
_ASPECT_TOLERANCE: Final = 0.02  # relative; black bars change the ratio of a thumbnail by more


def read_jpeg_preview(source: Source, side: int) -> PicturePreview:
    """Return the thumbnail in a JPEG, if it is large enough and has the proportions of the picture.

    Otherwise, the picture is decoded at a smaller scale.
    """

    def find_thumbnail(exif: bytes, shape: tuple[int, ...]) -> Picture | None:
        with suppress(SudokucryptError):
            thumbnail = read_raw_preview(replace(source, data=exif), side)
            if thumbnail is not None:
                height, width = thumbnail.picture.pixels.shape[:2]
                difference = abs(height * shape[1] / (width * shape[0]) - 1)
                if difference < _ASPECT_TOLERANCE and max(height, width) >= _MIN_THUMBNAIL_SIDE:
                    return thumbnail.picture
        return None

    return jpeg.decode_scaled_preview(source, side, find_thumbnail)


# The longest side in pixels and the quality of each kind of preview, from the best to the smallest.
_PREVIEW_SETTINGS: Final = ((320, 75), (256, 65), (192, 55), (128, 45), (96, 40))
PREVIEW_SIDE: Final = _PREVIEW_SETTINGS[0][0]
"""The length in pixels of the longer side of the largest preview."""


def make_preview(picture: Picture, *, max_bytes: int | None = None) -> bytes:
    """Return a small WebP of a picture, like `make_thumbnail`, to be encrypted in a header.

    Parameters
    ----------
    picture : Picture
        The picture.
    max_bytes : int, optional
        The largest size of the result in bytes, which is met if one of five sizes from 96 to 320
        pixels allows it. By default the result has 320 pixels.
    """
    largest_preview = shrink_picture(picture, side=PREVIEW_SIDE)

    @cache
    def encode_preview(index: int) -> bytes:
        side, quality = _PREVIEW_SETTINGS[index]
        return _encode_webp(
            _shrink_samples(largest_preview, largest_preview.shape[:2], side), quality
        )

    if max_bytes is None:
        return encode_preview(0)
    # Bisection tries two or three sizes. The smallest is returned even if it is too large.
    larger_indexes = range(len(_PREVIEW_SETTINGS) - 1)
    return encode_preview(
        bisect_left(
            larger_indexes, x=True, key=lambda index: len(encode_preview(index)) <= max_bytes
        )
    )

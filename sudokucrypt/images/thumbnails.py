"""Pixels to be looked at: what a picture shows, upright, flat, smaller, and as JPEG or WebP."""

import io
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.orientation import turn_of
from sudokucrypt.images.picture import Picture, on_white, seen_colors
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
    from PIL import Image

    quality = checked_integer("quality", quality, least=0, most=100)
    buffer = io.BytesIO()
    image = Image.fromarray(shrink_picture(picture, side=side))
    image.save(buffer, "WEBP", quality=quality, method=_EFFORT)
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
    from PIL import Image

    side = checked_integer("side", side, most=_LONGEST_SIDE)
    turn, sides = turn_of(picture), picture.pixels.shape[:2]
    longest = max(sides)
    size = [max(1, round(n * min(1, side / longest))) for n in sides]
    # A few pixels of each that is made are enough, and take no memory.
    step = max(1, longest // (_LOOKED_AT * side))
    colors = on_white(replace(picture, pixels=picture.pixels[::step, ::step]))
    image = Image.fromarray(np.ascontiguousarray(turn.upright(colors)))
    box = size[not turn.swapped], size[turn.swapped]
    return np.asarray(image.resize(box, Image.Resampling.LANCZOS, reducing_gap=_GAP))

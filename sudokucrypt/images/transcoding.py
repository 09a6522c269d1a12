"""What a picture shows, as services take it: upright, opaque, of 8 bits, smaller, coded as JPEG."""

import io
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.bits import on_white, seen_colors
from sudokucrypt.images.orientation import turn_of
from sudokucrypt.images.picture import Picture
from sudokucrypt.typing import Samples

_LONGEST_SIDE: Final = 65500  # of a JPEG that libjpeg writes
_BAND: Final = 1 << 20  # pixels of which the colors are in memory at a time
# Of red, green and blue in the luma of JPEG, in 65536ths: sums stay below 2**24, and so exact.
_SHARES: Final = np.array([19595, 38470, 7471], dtype=np.float32)


def shown(picture: Picture) -> tuple[Samples, tuple[str, ...]]:
    """Return what a picture shows, and what of it is lost.

    The samples are gray, or red, green and blue. What is transparent lies on white, orientation is
    applied, and metadata are left out, the color profile with them. What is lost has the names that
    people call it.

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
    """Return what a picture shows as an array of shape (M, N), upright, gray, on white.

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


def resized(samples: Samples, rows: int, columns: int) -> Samples:
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
    if max(samples.shape[:2]) > _LONGEST_SIDE:
        raise UnsupportedError(
            f"a JPEG has sides of at most {_LONGEST_SIDE} pixels", hint="write PNG"
        )
    buffer = io.BytesIO()
    Image.fromarray(samples).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()

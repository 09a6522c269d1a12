"""Which files are encrypted as they are, and not by their pixels, and what is sealed about them."""

from contextlib import suppress
from dataclasses import dataclass
from math import isqrt

from sudokucrypt import images
from sudokucrypt.errors import (
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.images import EmbeddedFile, Picture, PictureRecord
from sudokucrypt.recipes.routes import Input

MOST_BYTES = images.FILE_LIMIT - (1 << 26)
"""Most bytes of a file that is encrypted as it is, so that the result can be read again."""

_PREVIEW_FROM = 1_000_000
_PREVIEWS = ((320, 75), (256, 65), (192, 55), (128, 45), (96, 40))
"""Longest side in pixels and quality, from the best preview to the smallest."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """How something was encrypted, where nobody said how.

    Parameters
    ----------
    as_file : bool
        Whether its bytes were encrypted, and not its pixels.
    reason : str
        What it is, such as ``"lossy JPEG"``.
    """

    as_file: bool
    reason: str


def chosen_way(source: Input, max_pixels: int | None) -> tuple[Way, Picture | None]:
    """Return how to encrypt a file best, and its picture if its pixels are to be encrypted.

    Pixels are for pictures that decoding and encoding leave as they are. Of any other file the
    bytes are encrypted: decoded, a lossy picture takes many times its size, and does not come
    back as the file that it was.
    """
    known = images.known_format(source.data)
    if known is None:
        return Way(as_file=True, reason="no picture"), None
    if known.decode is None:
        return Way(as_file=True, reason=f"{known.called} file"), None
    if lossy := images.coded_lossily(source.data):
        return Way(as_file=True, reason=f"lossy {lossy}"), None
    try:
        picture = source.decoded(max_pixels)
    except UnsupportedError as error:
        return Way(as_file=True, reason=str(error)), None
    except InvalidImageError as error:
        if error.hint_key is not None:
            raise
        hint = "encrypt it as a file to get the very same file back"
        raise InvalidImageError(str(error), hint=hint, hint_key="as_file") from error
    return Way(as_file=False, reason=f"lossless {known.called}"), picture


def embedded(
    source: Input, *, preview: bool | None = None, max_pixels: int | None = None
) -> PictureRecord:
    """Return a file as the picture of its bytes, with what is sealed about it.

    Raises
    ------
    InvalidImageError
        If it has more than `MOST_BYTES`.
    """
    data = source.data
    if len(data) > MOST_BYTES:
        raise InvalidImageError(
            f"'{source.name}' has {len(data)} bytes, more than the {MOST_BYTES} that one picture "
            "holds",
            hint="split it into several files first",
        )
    time = source.status.time
    file = EmbeddedFile(
        name=images.kept_name(source.file_name),
        size=len(data),
        type=images.media_type(data, source.file_name),
        time=time if time is not None and -(2**63) <= time < 2**63 else None,
    )
    small = None if preview is False else _preview(source, asked=bool(preview), most=max_pixels)
    picture = Picture.plain(images.embed(data, file))
    return PictureRecord(picture=picture, file=file, preview=small)


def preview_of(picture: Picture, *, most: int | None = None) -> bytes:
    """Return a small picture of a picture, of `most` bytes if one of our sizes allows that."""
    shown = Picture.plain(images.reduced(picture, side=_PREVIEWS[0][0]))
    small = b""
    for side, quality in _PREVIEWS:
        small = images.thumbnail(shown, side=side, quality=quality)
        if most is None or len(small) <= most:
            break
    return small


def _preview(source: Input, *, asked: bool, most: int | None) -> bytes | None:
    """Return the preview of what a file shows, if it is a picture.

    Unless it was asked for, it is for large pictures, and for a result that is at most a
    hundredth larger than the file, or as near to that as our smallest preview comes.
    """
    size = len(source.data)
    with suppress(SudokucryptError):
        picture = source.decoded(most)
        rows, columns = picture.pixels.shape[:2]
        if asked:
            return preview_of(picture)
        if rows * columns >= _PREVIEW_FROM:
            # Beside the preview stand the header, and zeros up to a rectangle; base64 adds a third.
            room = (size // 100 - 1400 - isqrt(2 * size)) * 3 // 4
            return preview_of(picture, most=room)
    return None


def require_file_suits(*, whole: bool, sealed: bool, usual_scheme: bool) -> None:
    """Raise `InvalidParameterError` for options that only pixels know."""
    for fits, what in (
        (whole, "regions and masks choose pixels"),
        (sealed, "nothing of a file is left readable or stripped"),
        (usual_scheme, "other schemes take pixels"),
    ):
        if not fits:
            raise InvalidParameterError(
                f"a file is encrypted as a whole: {what}",
                hint="encrypt the pixels, or leave this option out",
            )

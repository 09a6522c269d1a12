"""Choose the medium in which a file is redacted."""

from sudokucrypt.errors import ImageTooLargeError, InvalidImageError, UnsupportedError
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.kernels import MissingKernelsError
from sudokucrypt.recipes.carriers.redaction.medium import Medium
from sudokucrypt.recipes.carriers.redaction.samples import SampleMedium


def open_medium(
    data: bytes, name: str, max_pixels: int | None, *, is_legacy: bool = False
) -> Medium:
    """Return the coefficients of a JPEG if they can be changed, or else samples of a still picture.

    With `is_legacy`, a PNG is decoded to the samples that layers of version 1 refer to.

    Errors are those of `SampleMedium.from_file`, which also reads JPEGs with coefficients that
    cannot be changed. Two errors are raised although the samples could be read: a JPEG with too
    many pixels is an `ImageTooLargeError`, which tells the limit, and a JPEG without installed
    kernels is a `MissingKernelsError`, since it would become a PNG.
    """
    limit = MAX_PIXELS if max_pixels is None else max_pixels
    if data.startswith(b"\xff\xd8\xff"):
        # Imported here, since other pictures need not load the kernels of JPEG.
        from sudokucrypt.recipes import jpegs
        from sudokucrypt.recipes.carriers.redaction.jpeg import JpegMedium

        try:
            return JpegMedium(jpegs.read_changeable_jpeg(data, name=name, max_pixels=limit))
        except (ImageTooLargeError, MissingKernelsError):
            raise
        except (UnsupportedError, InvalidImageError):
            pass  # its samples may still be covered
    if is_legacy and data.startswith(b"\x89PNG"):
        return SampleMedium.from_legacy_png(data, name, limit)
    return SampleMedium.from_file(data, name, limit)

"""In which medium a file is redacted."""

from sudokucrypt.errors import ImageTooLargeError, InvalidImageError, UnsupportedError
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.kernels import MissingKernelsError
from sudokucrypt.recipes.carriers.redaction.medium import Medium
from sudokucrypt.recipes.carriers.redaction.samples import SampleMedium


def open_medium(data: bytes, name: str, max_pixels: int | None, *, counted: bool = False) -> Medium:
    """Return the coefficients of a JPEG that they give back, or else the samples of a still.

    With `counted`, layers of version 1 count the samples of a PNG in their own way.

    Errors are those of `SampleMedium.of_file`, which also reads JPEGs that cannot stay what they
    are, and says what is wrong with damaged ones. A JPEG that is too large for its coefficients is
    not read as samples: `ImageTooLargeError` says which limit to raise. Neither is any without
    kernels, which would make it a PNG: `MissingKernelsError` says what to install.
    """
    most = MAX_PIXELS if max_pixels is None else max_pixels
    if data.startswith(b"\xff\xd8\xff"):
        # Kernels that other pictures need not load.
        from sudokucrypt.recipes import jpegs
        from sudokucrypt.recipes.carriers.redaction.jpeg import JpegMedium

        try:
            return JpegMedium(jpegs.changeable(data, name=name, max_pixels=most))
        except (ImageTooLargeError, MissingKernelsError):
            raise
        except (UnsupportedError, InvalidImageError):
            pass  # its samples can be covered all the same
    if counted and data.startswith(b"\x89PNG"):
        return SampleMedium.of_redacted(data, name, most)
    return SampleMedium.of_file(data, name, most)

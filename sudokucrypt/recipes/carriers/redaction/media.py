"""In which medium a file is redacted."""

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.recipes.carriers.redaction.medium import Medium
from sudokucrypt.recipes.carriers.redaction.samples import SampleMedium


def open_medium(
    data: bytes, name: str, max_pixels: int | None, *, redacted: bool = False
) -> Medium:
    """Return the coefficients of a JPEG that they give back, or else the samples of a still.

    With `redacted`, layers say what is covered in a picture, and how its samples were counted.

    Errors are those of `SampleMedium.of_file`, which also reads JPEGs that cannot stay what they
    are, and says what is wrong with damaged ones.
    """
    most = MAX_PIXELS if max_pixels is None else max_pixels
    if data.startswith(b"\xff\xd8\xff"):
        # Kernels that other pictures need not load.
        from sudokucrypt.recipes import jpegs
        from sudokucrypt.recipes.carriers.redaction.jpeg import JpegMedium

        try:
            return JpegMedium(jpegs.changeable(data, name=name, max_pixels=most))
        except (UnsupportedError, InvalidImageError):
            pass  # its samples can be covered all the same
    if redacted and data.startswith(b"\x89PNG"):
        return SampleMedium.of_redacted(data, name, most)
    return SampleMedium.of_file(data, name, most)

"""Find the faces in a picture, to protect only them."""

import math

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images import Picture, Turn, get_turn, get_visible_colors
from sudokucrypt.options import add_call_hints
from sudokucrypt.recipes.faces.detector import Face, open_detector
from sudokucrypt.typing import Region

# The network frames a face from brow to chin, but hair and ears identify people too.
DEFAULT_MARGIN = 0.25


@add_call_hints
def find_faces(image: ArrayLike | Picture, *, margin: float = DEFAULT_MARGIN) -> tuple[Region, ...]:
    """Return the rectangles of the faces in an image.

    The network YuNet searches the image at several sizes, of at most 8 megapixels. It misses some
    faces, mostly small, covered or strongly tilted ones, and mistakes some other things for faces:
    look at the result before you rely on it. Equal images have equal rectangles.

    Parameters
    ----------
    image : array_like or Picture
        A gray or RGB image of shape (M, N) or (M, N, 3) and dtype uint8, or a picture of any kind,
        as the `regions` of a `Layer` get it. A picture is turned upright first, as EXIF says.
    margin : float
        Widening of each rectangle to all sides, as a fraction of its height or width, in 0..2. By
        default, 0.25.

    Returns
    -------
    tuple of Region
        (row, column, rows, columns) of each face in the upright picture, in increasing order;
        empty if no face is found.

    Raises
    ------
    InvalidParameterError
        If the margin is out of range, or the image has another shape or dtype.
    UnsupportedError
        If OpenCV is not installed.

    References
    ----------
    W. Wu, H. Peng, S. Yu, YuNet: A tiny millisecond-level face detector, Machine Intelligence
    Research 20 (2023) 656-665, doi:10.1007/s11633-023-1423-y.
    """
    if not 0 <= margin <= 2:
        raise InvalidParameterError(f"the margin must be in 0..2, not {margin}")
    stored_pixels, turn = np.asarray(image), Turn()
    if isinstance(image, Picture):
        stored_pixels, turn = get_visible_colors(image), get_turn(image)
    if (
        stored_pixels.dtype != np.uint8
        or stored_pixels.shape[2:] not in ((), (3,))
        or stored_pixels.ndim < 2
    ):
        raise InvalidParameterError(
            f"faces are found in gray or RGB images of 8 bits, not {stored_pixels.dtype} of shape "
            f"{stored_pixels.shape}"
        )
    if not stored_pixels.size:
        return ()
    shape = turn.make_upright(stored_pixels).shape
    with open_detector() as detector:
        # The picture is reduced before it is turned, to save memory.
        upright_pixels = turn.make_upright(detector.reduce(stored_pixels))
        scale = max(shape[:2]) / max(upright_pixels.shape[:2])
        boxes = [face.scale(scale) for face in detector.search(upright_pixels)]
    return tuple(sorted({_widen(box, margin, shape) for box in boxes}))


def _widen(face: Face, margin: float, shape: tuple[int, ...]) -> Region:
    """Return the rectangle of a face widened by the margin, in whole pixels inside the image."""
    top = max(0, math.floor(face.row - margin * face.rows))
    left = max(0, math.floor(face.column - margin * face.columns))
    bottom = min(shape[0], math.ceil(face.row + (1 + margin) * face.rows))
    right = min(shape[1], math.ceil(face.column + (1 + margin) * face.columns))
    return Region.box(left, top, right, bottom)

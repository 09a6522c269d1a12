"""Find the faces in a picture, to protect only them."""

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.errors import InvalidParameterError, UnsupportedError, extra_hint
from sudokucrypt.images import Picture, Turn, seen_colors, turn_of
from sudokucrypt.typing import Region

# Detectors frame a face from brow to chin: hair and ears identify people too.
DEFAULT_MARGIN = 0.25
# Larger pictures are reduced: the search takes time in proportion to their pixels.
_LARGEST_SIDE = 1600
# The window on which the cascade was trained.
_SMALLEST_FACE = 24
_STEPS = {"scale_factor": 1.15, "step_ratio": 1}


def find_faces(image: ArrayLike | Picture, *, margin: float = DEFAULT_MARGIN) -> tuple[Region, ...]:
    """Return the rectangles of the faces that are seen in an image.

    Raises `InvalidParameterError` if the margin is out of range, or the image has another shape or
    dtype; and `UnsupportedError` if scikit-image is not installed.

    A cascade of local binary patterns, trained on frontal faces. It misses faces that are in
    profile, tilted, covered or smaller than about 24 pixels, and takes some other things for faces:
    look at the result before you rely on it. Images over 1600 pixels wide or high are looked at in
    reduced size. Rectangles are (row, column, rows, columns), from top to bottom; none if no face
    is seen. Source: S. Liao et al., Learning multi-scale block local binary patterns for face
    recognition, 2007, doi:10.1007/978-3-540-74549-5_87.

    The image is gray or RGB: shape (M, N) or (M, N, 3), dtype uint8. A `Picture`, as the `regions`
    of a `Layer` get it, may be of any kind; faces are looked for upright as EXIF says, and returned
    where they are stored. The `margin`, 0..2, is added on each side, as a fraction of the side that
    was found.
    """
    if not 0 <= margin <= 2:
        raise InvalidParameterError(f"the margin must be in 0..2, not {margin}")
    try:
        from skimage.data import lbp_frontal_face_cascade_filename
        from skimage.feature import Cascade
    except ImportError:
        raise UnsupportedError(
            "finding faces needs scikit-image", hint=extra_hint("faces")
        ) from None
    detector = Cascade(lbp_frontal_face_cascade_filename())  # type: ignore[no-untyped-call]
    stored, turn = np.asarray(image), Turn()
    if isinstance(image, Picture):
        stored, turn = seen_colors(image), turn_of(image)
    if stored.dtype != np.uint8 or stored.shape[2:] not in ((), (3,)) or stored.ndim < 2:
        raise InvalidParameterError(
            f"faces are found in gray or RGB images of 8 bits, not {stored.dtype} of shape "
            f"{stored.shape}"
        )
    seen = turn.upright(stored)
    reduction = -(-max(seen.shape[:2]) // _LARGEST_SIDE)
    small = np.ascontiguousarray(seen[::reduction, ::reduction])
    rows, columns = small.shape[:2]
    if min(rows, columns) < _SMALLEST_FACE:
        return ()
    faces = detector.detect_multi_scale(
        img=small, min_size=(_SMALLEST_FACE, _SMALLEST_FACE), max_size=(rows, columns), **_STEPS
    )
    boxes = [[face[name] * reduction for name in ("r", "c", "height", "width")] for face in faces]
    regions = {turn.stored(_widened(box, margin, seen.shape), seen.shape) for box in boxes}
    return tuple(sorted(regions))


def _widened(box: list[int], margin: float, shape: tuple[int, ...]) -> Region:
    """Add the margin on each side, as far as the image goes."""
    row, column, rows, columns = box
    more_rows, more_columns = round(margin * rows), round(margin * columns)
    top, left = max(0, row - more_rows), max(0, column - more_columns)
    bottom = min(shape[0], row + rows + more_rows)
    right = min(shape[1], column + columns + more_columns)
    return top, left, bottom - top, right - left

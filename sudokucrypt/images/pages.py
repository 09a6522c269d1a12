"""Pages that show the first page in another size, as thumbnails and pyramids do."""

from dataclasses import replace
from typing import Final

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.picture import Picture
from sudokucrypt.typing import AnyArray

_PROPORTION_TOLERANCE: Final = 0.02  # by how much the scales of the sides of a copy may differ
_LARGEST_COPY: Final = 0.5  # pyramids and thumbnails begin with half the size
_CAMERA_THUMBNAILS: Final = ((120, 160), (160, 120))  # with black bars, as DCF wants them


def without_reduced_copies(picture: Picture) -> Picture:
    """Return a picture without pages that show the first one smaller, named as dropped.

    Many programs do not mark such pages, so their proportions count.

    Raises `UnsupportedError` if such a page has over half of the size, or more: it may be one of
    its own.
    """
    first, *others = picture.frames
    scales = [_scale(page.pixels, first.pixels) for page in others]
    if picture.animation is not None or not any(scales):
        return picture
    for page, scale in zip(others, scales, strict=True):
        if scale is not None and scale > _LARGEST_COPY:
            rows, columns = page.pixels.shape[:2]
            raise UnsupportedError(
                f"a page of {columns} x {rows} pixels may show the first page in another size, "
                "with what regions and masks hide there",
                hint="take that page out, or protect the whole picture",
            )
    own = [page for page, scale in zip(others, scales, strict=True) if scale is None]
    dropped = tuple(dict.fromkeys([*picture.dropped, "previews"]))
    return replace(picture, frames=(first, *own), dropped=dropped)


def _scale(page: AnyArray, first: AnyArray) -> float | None:
    """Return the scale of a page that can show the first in another size, and none of another.

    Programs turn a thumbnail upright where the first page only says its orientation. A page of the
    same size, turned or not, is one of its own.
    """
    full, size = first.shape[:2], page.shape[:2]
    if size in (full, full[::-1]):
        return None
    sides = [sorted((size[0] / rows, size[1] / columns)) for rows, columns in (full, full[::-1])]
    # The sides of a copy are rounded to pixels.
    tolerance = max(_PROPORTION_TOLERANCE, 1 / min(size))
    alike = [high for low, high in sides if high - low <= tolerance * high]
    if size in _CAMERA_THUMBNAILS:
        alike += [high for _, high in sides if high <= 1]
    return alike[0] if alike else None

"""Faces are found where they are, and only they change."""

import io
import sys

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps
from skimage import data

from sudokucrypt import (
    InvalidParameterError,
    Key,
    Layer,
    UnsupportedError,
    find_faces,
    redact_file,
    redactions,
    unredact_file,
)
from sudokucrypt.errors import extra_hint
from sudokucrypt.images import decode_picture
from sudokucrypt.typing import AnyArray

# Where Eileen Collins's eyes and mouth are in the part of the picture, as one sees it.
_EYES_AND_MOUTH = ((68, 85), (68, 120), (115, 102))
_SIDE = 200


@pytest.fixture(scope="module")
def astronaut() -> NDArray[np.uint8]:
    """The face in NASA's portrait of Eileen Collins, from scikit-image."""
    portrait: AnyArray = data.astronaut()  # type: ignore[no-untyped-call]
    return np.ascontiguousarray(portrait[30 : 30 + _SIDE, 120 : 120 + _SIDE])


def holding(regions: tuple[tuple[int, int, int, int], ...], row: int, column: int) -> int:
    return sum(r <= row < r + rows and c <= column < c + columns for r, c, rows, columns in regions)


def file(pixels: AnyArray) -> bytes:
    """The PNG that Pillow writes."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def turn_picture(pixels: AnyArray, orientation: int) -> AnyArray:
    """What Pillow shows of pixels that EXIF tells to turn."""
    image = Image.fromarray(pixels)
    image.getexif()[274] = orientation
    return np.asarray(ImageOps.exif_transpose(image))


@pytest.mark.parametrize("margin", [0.25, 1.0])
def test_the_face_is_found(astronaut: NDArray[np.uint8], margin: float) -> None:
    """Eyes and mouth lie in one rectangle, which the margin widens, inside the image."""
    result = find_faces(astronaut, margin=margin)
    assert len(result) == 1
    for position in _EYES_AND_MOUTH:
        assert holding(result, *position) >= 1
    assert all(r >= 0 and c >= 0 and r + m <= _SIDE and c + n <= _SIDE for r, c, m, n in result)
    row, column, rows, columns = find_faces(astronaut, margin=0)[0]
    top, left = max(0, row - margin * rows), max(0, column - margin * columns)
    bottom = min(_SIDE, row + rows + margin * rows)
    right = min(_SIDE, column + columns + margin * columns)
    assert result[0] == pytest.approx((top, left, bottom - top, right - left), abs=2 + 2 * margin)


def test_gray_images(astronaut: NDArray[np.uint8]) -> None:
    """A gray image shows its face too."""
    assert holding(find_faces(astronaut[..., 1]), *_EYES_AND_MOUTH[0]) == 1


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (1, 9000), (23, 500), (64, 64), (200, 300, 3)])
def test_no_face(shape: tuple[int, ...]) -> None:
    """No face is found in an even image, even if it is empty or thin."""
    assert find_faces(np.full(shape, 127, dtype=np.uint8)) == ()


def test_pictures_of_any_kind(astronaut: NDArray[np.uint8]) -> None:
    """Neither 16 bits nor alpha hide a face."""
    deep = np.asarray(astronaut[..., 1], dtype=np.uint16) * 257
    assert holding(find_faces(decode_picture(file(deep))), *_EYES_AND_MOUTH[0]) >= 1
    alpha = np.dstack([astronaut, np.full((_SIDE, _SIDE), 255, dtype=np.uint8)])
    assert find_faces(decode_picture(file(alpha))) == find_faces(astronaut)


def test_regions_of_a_file(astronaut: NDArray[np.uint8]) -> None:
    """`find_faces` itself may be the regions of a layer."""
    stored, back = io.BytesIO(), io.BytesIO()
    key, data = Key(bytes(32)), file(astronaut)
    redact_file(io.BytesIO(data), stored, [Layer(key, find_faces)])
    shown = redactions(io.BytesIO(stored.getvalue()))
    assert shown.layers[0].regions == find_faces(astronaut)
    unredact_file(io.BytesIO(stored.getvalue()), back, key)
    assert back.getvalue() == data


@pytest.mark.parametrize(
    "orientation", [0, 3, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 4, 5, 7, 8))]
)
def test_turned_pictures(astronaut: NDArray[np.uint8], orientation: int) -> None:
    """Faces are found as the picture is seen, whichever way it is stored; Pillow turns it."""
    exif = Image.Exif()
    exif[274] = orientation
    file_format = ("PNG", "JPEG", "TIFF")[orientation % 3]
    buffer = io.BytesIO()
    back = {6: 8, 8: 6}.get(orientation, orientation)
    Image.fromarray(turn_picture(astronaut[:180], back)).save(
        buffer, file_format, exif=exif, quality=95
    )
    picture = decode_picture(buffer.getvalue())
    where = np.zeros(picture.pixels.shape[:2], dtype=np.uint8)
    for row, column, rows, columns in find_faces(picture):
        where[row : row + rows, column : column + columns] = 1
    assert where.any()
    seen = turn_picture(where, orientation)
    assert all(seen[position] for position in _EYES_AND_MOUTH)


@pytest.mark.parametrize("margin", [-0.1, 2.1, float("nan"), float("inf")])
def test_margins_out_of_range(margin: float) -> None:
    """A margin lies in 0..2."""
    with pytest.raises(InvalidParameterError, match="margin"):
        find_faces(np.zeros((50, 50), dtype=np.uint8), margin=margin)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((50, 50), "float64"), ((50, 50), "uint16"), ((50, 50, 4), "uint8"), ((50,), "uint8"),
     ((2, 50, 50, 3), "uint8")],
)  # fmt: skip
def test_other_arrays(shape: tuple[int, ...], dtype: str) -> None:
    """Anything but gray or RGB of 8 bits is refused."""
    with pytest.raises(InvalidParameterError, match="gray or RGB"):
        find_faces(np.zeros(shape, dtype=dtype))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without OpenCV the error says what to install."""
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(UnsupportedError, match="needs OpenCV") as raised:
        find_faces(np.zeros((50, 50), dtype=np.uint8))
    assert raised.value.hint == extra_hint("faces")

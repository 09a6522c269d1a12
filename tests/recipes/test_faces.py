"""Faces are found in pictures of any kind and size, and little else is."""

import io
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import cv2
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
from sudokucrypt.errors import format_extra_hint
from sudokucrypt.images import decode_picture
from sudokucrypt.recipes.faces.detector import (
    _LARGEST_PART_FACE,
    _PART_SIDE,
    Face,
    _cut_parts,
    open_detector,
)
from sudokucrypt.typing import AnyArray
from tests.images.builders import save_image
from tests.programs import run_python
from tests.spies import watch_calls

# Row and column of both eyes and the mouth in the face below.
_EYES_AND_MOUTH = ((68, 85), (68, 120), (115, 102))
_SMALL_SIDE = 200


@pytest.fixture(scope="module")
def astronaut() -> NDArray[np.uint8]:
    """The face in NASA's portrait of Eileen Collins, from scikit-image."""
    portrait: AnyArray = data.astronaut()  # type: ignore[no-untyped-call]
    return np.ascontiguousarray(portrait[30 : 30 + _SMALL_SIDE, 120 : 120 + _SMALL_SIDE])


def count_regions_at(regions: tuple[tuple[int, int, int, int], ...], row: int, column: int) -> int:
    return sum(r <= row < r + rows and c <= column < c + columns for r, c, rows, columns in regions)


def turn_picture(pixels: AnyArray, orientation: int) -> AnyArray:
    """Return the upright pixels as Pillow turns stored pixels with this orientation."""
    image = Image.fromarray(pixels)
    image.getexif()[274] = orientation
    return np.asarray(ImageOps.exif_transpose(image))


@pytest.mark.parametrize("margin", [0.25, 1.0])
def test_the_face_is_found(astronaut: NDArray[np.uint8], margin: float) -> None:
    """Eyes and mouth are in one rectangle, which is widened by the margin inside the image."""
    result = find_faces(astronaut, margin=margin)
    assert len(result) == 1
    for position in _EYES_AND_MOUTH:
        assert count_regions_at(result, *position) >= 1
    assert all(
        r >= 0 and c >= 0 and r + m <= _SMALL_SIDE and c + n <= _SMALL_SIDE for r, c, m, n in result
    )
    for rows, columns in ((_SMALL_SIDE, _SMALL_SIDE - 20), (_SMALL_SIDE - 20, _SMALL_SIDE)):
        assert find_faces(astronaut[:rows, :columns], margin=2) == ((0, 0, rows, columns),)
    row, column, rows, columns = find_faces(astronaut, margin=0)[0]
    top, left = max(0, row - margin * rows), max(0, column - margin * columns)
    bottom = min(_SMALL_SIDE, row + rows + margin * rows)
    right = min(_SMALL_SIDE, column + columns + margin * columns)
    assert result[0] == pytest.approx((top, left, bottom - top, right - left), abs=2 + 2 * margin)


def test_gray_images(astronaut: NDArray[np.uint8]) -> None:
    """The face is found in a gray image."""
    assert count_regions_at(find_faces(astronaut[..., 1]), *_EYES_AND_MOUTH[0]) == 1


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (1, 9000), (23, 500), (64, 64), (200, 300, 3)])
def test_no_face(shape: tuple[int, ...]) -> None:
    """No face is found in an image of one gray, even if it is empty or thin."""
    assert find_faces(np.full(shape, 127, dtype=np.uint8)) == ()


def test_pictures_of_any_kind(astronaut: NDArray[np.uint8]) -> None:
    """The face is found in a picture of 16 bits, and in one with an alpha channel."""
    deep = np.asarray(astronaut[..., 1], dtype=np.uint16) * 257
    assert (
        count_regions_at(find_faces(decode_picture(save_image(deep, "PNG"))), *_EYES_AND_MOUTH[0])
        >= 1
    )
    alpha = np.dstack([astronaut, np.full((_SMALL_SIDE, _SMALL_SIDE), 255, dtype=np.uint8)])
    assert find_faces(decode_picture(save_image(alpha, "PNG"))) == find_faces(astronaut)


def test_regions_of_a_file(astronaut: NDArray[np.uint8]) -> None:
    """`find_faces` can be passed as the regions of a layer."""
    redacted, lifted = io.BytesIO(), io.BytesIO()
    key, data = Key(bytes(32)), save_image(astronaut, "PNG")
    redact_file(io.BytesIO(data), redacted, [Layer(key, find_faces)])
    redaction = redactions(io.BytesIO(redacted.getvalue()))
    assert redaction.layers[0].regions == find_faces(astronaut)
    unredact_file(io.BytesIO(redacted.getvalue()), lifted, key)
    assert lifted.getvalue() == data


@pytest.mark.parametrize(
    "orientation", [0, 3, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 4, 5, 7, 8))]
)
def test_turned_pictures(astronaut: NDArray[np.uint8], orientation: int) -> None:
    """Faces of pictures with each orientation are found in the upright picture."""
    exif = Image.Exif()
    exif[274] = orientation
    file_format = ("PNG", "JPEG", "TIFF")[orientation % 3]
    stored_pixels = turn_picture(astronaut[:180], {6: 8, 8: 6}.get(orientation, orientation))
    picture = decode_picture(save_image(stored_pixels, file_format, exif=exif, quality=95))
    mask = np.zeros(picture.pixels.shape[:2], dtype=np.uint8)
    for row, column, rows, columns in find_faces(picture):
        mask[row : row + rows, column : column + columns] = 1
    assert mask.any()
    upright_mask = turn_picture(mask, orientation)
    assert all(upright_mask[position] for position in _EYES_AND_MOUTH)


@pytest.mark.parametrize("margin", [-0.1, 2.1, float("nan"), float("inf")])
def test_margins_out_of_range(margin: float) -> None:
    """A margin outside 0..2 is refused."""
    with pytest.raises(InvalidParameterError, match="margin"):
        find_faces(np.zeros((50, 50), dtype=np.uint8), margin=margin)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((50, 50), "float64"), ((50, 50), "uint16"), ((50, 50, 4), "uint8"), ((50,), "uint8"),
     ((2, 50, 50, 3), "uint8")],
)  # fmt: skip
def test_other_arrays(shape: tuple[int, ...], dtype: str) -> None:
    """Arrays that are not gray or RGB images of 8 bits are refused."""
    with pytest.raises(InvalidParameterError, match="gray or RGB"):
        find_faces(np.zeros(shape, dtype=dtype))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """If OpenCV is not installed, the hint of the error names the extra to install."""
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(UnsupportedError, match="needs OpenCV") as error_info:
        find_faces(np.zeros((50, 50), dtype=np.uint8))
    assert error_info.value.hint == format_extra_hint("faces")


# Composed pictures, with known faces or without any.


# The face of the astronaut from brow to chin: first column and row, last column and row.
_FACE_BOX = (178, 63, 268, 176)
# Her head, which is pasted into other pictures.
_HEAD_BOX = (90, 0, 350, 260)


class Sample(NamedTuple):
    """A picture and the corners (column, row) of each face in it."""

    pixels: AnyArray
    faces: tuple[AnyArray, ...]


def load_picture(name: str) -> NDArray[np.uint8]:
    """Return a picture of scikit-image as RGB of 8 bits."""
    pixels = np.asarray(getattr(data, name)())
    if pixels.dtype != np.uint8:
        pixels = np.asarray(pixels * (255 / pixels.max()), dtype=np.uint8)
    return np.ascontiguousarray(np.dstack([pixels] * 3) if pixels.ndim == 2 else pixels[..., :3])


def list_corners(box: tuple[int, int, int, int]) -> AnyArray:
    left, top, right, bottom = box
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], dtype=float)


def turn_portrait(size: float, degrees: float, mirrored: bool = False) -> Sample:
    """Return the portrait resized by `size`, then turned on a canvas that contains it."""
    portrait = load_picture("astronaut")
    face = list_corners(_FACE_BOX)
    if mirrored:
        portrait = portrait[:, ::-1]
        face[:, 0] = portrait.shape[1] - face[:, 0]
    method = cv2.INTER_AREA if size < 1 else cv2.INTER_CUBIC
    portrait = np.ascontiguousarray(portrait)
    resized = cv2.resize(portrait, None, fx=size, fy=size, interpolation=method)
    half_size = resized.shape[0] / 2
    canvas = round(resized.shape[0] * (1 + abs(degrees) / 100))
    rotation: AnyArray = cv2.getRotationMatrix2D((half_size, half_size), degrees, 1)
    rotation[:, 2] += canvas / 2 - half_size
    pixels = cv2.warpAffine(resized, rotation, (canvas, canvas))
    return Sample(pixels, (face * size @ rotation[:, :2].T + rotation[:, 2],))


def paste_face(
    name: str, heads: int, size: float, degrees: float, light: float = 1, scale: float = 1
) -> Sample:
    """Paste turned heads with soft edges side by side into a picture.

    `size` scales the heads, `light` scales all samples, and `scale` scales the result.
    """
    pixels: AnyArray = load_picture(name).astype(float)
    rows, columns = pixels.shape[:2]
    left, top, right, bottom = _HEAD_BOX
    head_pixels = load_picture("astronaut")[top:bottom, left:right]
    side = bottom - top
    oval: AnyArray = np.zeros((side, side, 3))
    cv2.ellipse(oval, ((side / 2, side / 2), (0.7 * side, 0.9 * side), 0), (1, 1, 1), -1)
    oval = cv2.GaussianBlur(oval, (0, 0), 6)
    faces = []
    for index in range(heads):
        rotation: AnyArray = cv2.getRotationMatrix2D(
            (side / 2, side / 2), degrees * (-1) ** index, size
        )
        face_center = (index + 0.5) * columns / heads, rows * (0.4 + 0.2 * (index % 2))
        rotation[:, 2] += np.array(face_center) - side / 2
        opacity = cv2.warpAffine(oval, rotation, (columns, rows))
        pixels += opacity * (cv2.warpAffine(head_pixels, rotation, (columns, rows)) - pixels)
        faces.append((list_corners(_FACE_BOX) - (left, top)) @ rotation[:, :2].T + rotation[:, 2])
    result: AnyArray = np.asarray((light * pixels).clip(0, 255), dtype=np.uint8)
    result = cv2.resize(result, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    return Sample(result, tuple(face * scale for face in faces))


def yield_with_faces() -> Iterator[Sample]:
    """Yield twenty pictures with 36 faces."""
    yield turn_portrait(1, 0)
    yield turn_portrait(0.3, 0)
    yield turn_portrait(0.3, 25, mirrored=True)
    yield turn_portrait(6, 0)
    yield turn_portrait(4, -40)
    yield turn_portrait(1, 40)
    yield turn_portrait(1, -40, mirrored=True)
    yield turn_portrait(2.2, 15)
    dark = turn_portrait(1, 25)
    yield dark._replace(pixels=dark.pixels // 5)
    gray = turn_portrait(0.6, -25)
    yield gray._replace(pixels=np.ascontiguousarray(gray.pixels[..., 1]))
    yield paste_face("coffee", 2, 0.7, 15)
    yield paste_face("rocket", 3, 0.5, 25)
    yield paste_face("chelsea", 2, 0.6, 0, light=0.3)
    yield paste_face("brick", 3, 0.3, 15)
    yield paste_face("gravel", 3, 0.4, 25)
    yield paste_face("hubble_deep_field", 4, 0.8, 40)
    yield paste_face("retina", 2, 1.5, 25)
    yield paste_face("clock", 2, 0.5, 0)
    yield paste_face("moon", 2, 0.6, 15)
    yield paste_face("coins", 3, 0.4, 0, scale=10)


def yield_without_faces() -> Iterator[AnyArray]:
    """Yield sixty pictures: photographs, their parts, enlarged ones, textures, text and noise."""
    names = "brick cell chelsea clock coffee coins colorwheel grass gravel horse hubble_deep_field"
    names += " immunohistochemistry logo microaneurysms moon page retina rocket shepp_logan_phantom"
    names += " text"
    for name in names.split():
        yield load_picture(name)
        rows, columns = load_picture(name).shape[:2]
        yield np.ascontiguousarray(load_picture(name)[rows // 2 :, : columns // 2])
    motorcycle = data.stereo_motorcycle()  # type: ignore[no-untyped-call]
    yield from (np.ascontiguousarray(sample_name) for sample_name in motorcycle[:2])
    yield load_picture("astronaut")[220:]
    yield load_picture("camera")[230:]
    for name in ("coffee", "rocket", "chelsea", "grass"):
        yield cv2.resize(load_picture(name), None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    random = np.random.default_rng(8)
    for side in (64, 500, 1800):
        noise = random.integers(0, 256, (side, side, 3), dtype=np.uint8)
        yield from (noise, noise[..., 0], cv2.GaussianBlur(noise, (0, 0), side / 100))
        yield np.full((side, side), 127, dtype=np.uint8)


def measure_covered_share(face: AnyArray, regions: tuple[tuple[int, int, int, int], ...]) -> float:
    """Return the share of the turned box of a face that lies in regions, 0..1."""
    grid_steps = np.linspace(0.01, 0.99, 50)
    across, down = np.meshgrid(grid_steps, grid_steps)
    grid_points = (
        face[0] + across[..., None] * (face[1] - face[0]) + down[..., None] * (face[3] - face[0])
    )
    is_covered = np.zeros(across.shape, dtype=bool)
    for row, column, rows, columns in regions:
        is_covered |= (
            (grid_points[..., 1] >= row)
            & (grid_points[..., 1] < row + rows)
            & (grid_points[..., 0] >= column)
            & (grid_points[..., 0] < column + columns)
        )
    return float(is_covered.mean())


@pytest.mark.slow
def test_faces_of_composed_pictures_are_found() -> None:
    """At least 70 % of each known face is covered, and at most one other region is found."""
    surplus_regions = 0
    for index, (pixels, faces) in enumerate(yield_with_faces()):
        regions = find_faces(pixels)
        assert all(measure_covered_share(face, regions) >= 0.7 for face in faces), index
        surplus_regions += len(regions) - len(faces)
    assert index == 19
    assert 0 <= surplus_regions <= 1


@pytest.mark.slow
def test_hardly_any_face_is_found_in_other_pictures() -> None:
    """In sixty pictures without faces, at most three are found."""
    pictures = list(yield_without_faces())
    assert len(pictures) == 60
    assert sum(len(find_faces(pixels)) for pixels in pictures) <= 3


def test_small_faces_in_a_large_picture_are_found_in_parts() -> None:
    """Faces of 25 pixels are found anywhere in 7 megapixels, even where two parts meet."""
    head_pixels = cv2.resize(
        load_picture("astronaut")[:260, 90:350], (58, 58), interpolation=cv2.INTER_AREA
    )
    pixels = np.full((2400, 3000, 3), 128, dtype=np.uint8)
    head_places = [
        (0, 0),
        (300, 1450),
        (800, 2942),
        (1160, 30),
        (1150, 1430),
        (1700, 1490),
        (2342, 2800),
    ]
    for row, column in head_places:
        pixels[row : row + 58, column : column + 58] = head_pixels
    regions = find_faces(pixels, margin=0)
    assert len(regions) == len(head_places)
    for (row, column), region in zip(sorted(head_places), regions, strict=True):
        assert row <= region[0] < row + 25
        assert column <= region[1] < column + 30


@pytest.mark.parametrize("side", [1, 96, 1632, 1633, 5000])
def test_parts_cover_a_side(side: int) -> None:
    """Parts of a side begin at its start, end at its end, and overlap by the largest face."""
    parts = _cut_parts(side)
    assert (parts[0][0], parts[-1][1]) == (0, side)
    overlaps = {stop - start for (_, stop), (start, _) in pairwise(parts)}
    assert overlaps <= {_LARGEST_PART_FACE}
    assert len(parts) == 1 or all(stop - start <= _PART_SIDE for start, stop in parts)


def test_a_second_search_confirms_tilted_faces() -> None:
    """A tilted face with a low score is confirmed, and a box next to it is not."""
    pixels = turn_portrait(1, 40).pixels
    with open_detector() as detector:
        (face,) = detector.search(pixels)
        first_pixels = np.ascontiguousarray(pixels[..., ::-1])
        assert detector._is_confirmed(first_pixels, face)
        assert not detector._is_confirmed(first_pixels, face._replace(row=face.row + 3 * face.rows))


def test_one_face_has_one_box() -> None:
    """Boxes that overlap by much, or of which one contains the other, show the same face."""
    face = Face(0, 0, 100, 100, 0.9)
    assert face.is_same_as(Face(40, 0, 100, 100, 0.9))
    assert face.is_same_as(Face(60, 60, 20, 20, 0.9))
    assert not face.is_same_as(Face(70, 0, 100, 100, 0.9))
    assert not face.is_same_as(Face(0, 100, 100, 100, 0.9))
    assert not face.is_same_as(Face(-3, 0, 10, 10, 0.9))  # shares 7 rows of 10, and no more


@pytest.mark.parametrize(
    ("rows", "columns", "side", "score", "confirmed"),
    [
        (44, 0, 128, 0.85, True),
        (-44, 44, 128, 0.9, True),
        (45, 0, 128, 0.9, False),
        (-45, 0, 128, 0.9, False),
        (0, 45, 128, 0.9, False),
        (0, -45, 128, 0.9, False),
        (0, 0, 128, 0.84, False),
        (0, 0, 52, 0.9, True),
        (0, 0, 51, 0.9, False),
        (0, 0, 230, 0.9, True),
        (0, 0, 231, 0.9, False),
    ],
)
def test_a_second_search_wants_a_face_of_the_same_place_and_size(
    monkeypatch: pytest.MonkeyPatch,
    rows: int,
    columns: int,
    side: int,
    score: float,
    confirmed: bool,
) -> None:
    """A face is confirmed if the second search finds it near the middle, as large, and surely."""
    start = 307 / 2 - side / 2
    found = Face(start + rows, start + columns, side, side, score)
    with open_detector() as detector:
        monkeypatch.setattr(detector, "_detect", lambda _: [found])
        face = Face(100, 100, 64, 64, 0.5)
        assert detector._is_confirmed(np.zeros((300, 300, 3), np.uint8), face) == confirmed


def test_a_second_search_is_for_the_surroundings_of_a_face(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is searched again is the box with its surroundings, as far as the picture reaches."""
    pixels = np.random.default_rng(1).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    searched: list[AnyArray] = []
    with open_detector() as detector:
        watch_calls(monkeypatch, detector, "_resize", lambda part, _: searched.append(part))
        monkeypatch.setattr(detector, "_detect", lambda _: [])
        for row, column in ((5, 5), (100, 150), (240, 340)):
            assert not detector._is_confirmed(pixels, Face(row, column, 50, 40, 0.5))
        parts = [(slice(90), slice(80)), (slice(65, 185), slice(115, 225))]
        for actual, part in zip(
            searched, [*parts, (slice(205, 300), slice(305, 400))], strict=True
        ):
            assert np.array_equal(actual, pixels[part])


def test_few_boxes_are_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred boxes that are perhaps faces, the 24 best are searched again."""
    faces = [Face(9 * index, 0, 5, 5, 0.5 + index / 1000) for index in range(100)]
    searched: list[Face] = []
    with open_detector() as detector:
        monkeypatch.setattr(detector, "_search_level", lambda *_, **__: faces)
        monkeypatch.setattr(detector, "_is_confirmed", lambda _, face: searched.append(face))
        assert detector.search(np.zeros((640, 640), np.uint8)) == []
    assert searched == faces[:-25:-1]


@pytest.mark.parametrize(
    ("factor", "shape"), [(1, (1, 10)), (2, (2, 20)), (0.4, (1, 4)), (0.01, (1, 1))]
)
def test_no_side_becomes_empty(factor: float, shape: tuple[int, int]) -> None:
    """A picture is resized by any factor, and each side keeps at least one pixel."""
    with open_detector() as detector:
        assert detector._resize(np.zeros((1, 10), np.uint8), factor).shape == shape


def test_time_and_determinism() -> None:
    """12 megapixels take at most 2 seconds of CPU, and give the same boxes each time."""
    pixels = cv2.resize(load_picture("astronaut"), (4000, 3000))
    started = time.process_time()
    regions = find_faces(pixels)
    assert time.process_time() - started <= 2
    assert find_faces(pixels) == regions
    assert find_faces(np.asfortranarray(pixels)) == regions


def test_opencv_is_silent_and_its_settings_are_restored() -> None:
    """OpenCV prints nothing, and its number of threads and level of logging are restored."""
    script = (
        "import cv2, numpy as np, sudokucrypt; cv2.setNumThreads(2); "
        "sudokucrypt.find_faces(np.zeros((700, 700, 3), np.uint8)); "
        "assert cv2.getNumThreads() == 2; "
        "logging = getattr(cv2.utils, 'logging', None); "
        "assert logging is None or logging.getLogLevel() == logging.LOG_LEVEL_WARNING"
    )
    process = run_python("-c", script, SUDOKUCRYPT_THREADS="1")
    assert (process.stdout, process.stderr) == ("", "")

"""Pixels to be looked at: drawings, and pictures turned upright."""

import io

import numpy as np
import pytest
from PIL import Image, ImageOps

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import Metadata, decode_picture, encode_picture, paint, turn_of
from sudokucrypt.images.foreign.results import orientation_of, with_orientation
from sudokucrypt.images.orientation import TURNS
from sudokucrypt.images.picture import Frame
from sudokucrypt.sudoku.drawing import Drawing, Rectangle, Text
from sudokucrypt.typing import AnyArray
from tests.images.builders import noise, saved


def pixels(*shapes: Rectangle | Text, height: int = 40, width: int = 60) -> AnyArray:
    rectangles = tuple(shape for shape in shapes if isinstance(shape, Rectangle))
    texts = tuple(shape for shape in shapes if isinstance(shape, Text))
    return paint(Drawing(height, width, rectangles, texts)).pixels


def test_rectangles_are_exact() -> None:
    """A rectangle covers its pixels and no others, and a later one lies above."""
    page = pixels(Rectangle(3, 4, 5, 6, "#102030"), Rectangle(4, 5, 1, 2, "#ffee00"))
    expected = np.full((40, 60, 3), 255, dtype=np.uint8)
    expected[3:8, 4:10] = (16, 32, 48)
    expected[4, 5:7] = (255, 238, 0)
    assert np.array_equal(page, expected)


@pytest.mark.parametrize("text", ["1", "8", "35"])
@pytest.mark.parametrize(("size", "bold"), [(7, True), (15, False), (24, True)])
def test_digits_stand_on_the_line_in_the_middle(text: str, size: int, bold: bool) -> None:
    """The ink of a digit ends at its baseline, is 0.7 sizes high and centred within a pixel."""
    ink = pixels(Text(30, 30, size, text, bold, "#000000")).mean(axis=2) < 128
    rows, columns = np.nonzero(ink)
    assert abs(rows.max() + 1 - 30) <= 1
    assert abs(30 - rows.min() - 0.71 * size) <= 1.5
    slack = 2.5 if "1" in text else 1.5
    assert abs((columns.max() + 1 + columns.min()) / 2 - 30) <= slack


def test_bold_is_stronger() -> None:
    """Bold texts have more ink; the color is that of the text."""
    plain, bold = (
        pixels(Text(30, 30, 24, "8", strong, "#3d74b8")).astype(int) for strong in (False, True)
    )
    assert (255 - bold).sum() > 1.2 * (255 - plain).sum()
    assert (bold == (0x3D, 0x74, 0xB8)).all(axis=2).any()


def test_pages_can_be_stored() -> None:
    """What is painted comes back from a PNG."""
    picture = paint(Drawing(5, 7, (Rectangle(0, 0, 5, 1, "#123456"),), ()))
    stored = decode_picture(encode_picture(picture, "PNG", compress=6))
    assert np.array_equal(stored.pixels, picture.pixels)


def test_pages_that_are_too_large() -> None:
    """More pixels than can be read again are refused before there is memory for them."""
    with pytest.raises(UnsupportedError, match="too large"):
        pixels(height=1 << 20, width=1 << 20)


def _exif(orientation: int | None) -> bytes:
    exif = Image.Exif()
    exif[0x010E] = "hello"
    if orientation is not None:
        exif[0x0112] = orientation
    exif.get_ifd(0x8769)[0x9286] = b"a note"
    return exif.tobytes().removeprefix(b"Exif\0\0")


def _said(block: bytes | None) -> dict[int, object]:
    exif = Image.Exif()
    exif.load(block or b"")
    return {**dict(exif), 0x8769: dict(exif.get_ifd(0x8769))}


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("before", [None, 1, 3, 6])
def test_exif_says_it_afterwards(before: int | None, orientation: int) -> None:
    """The tag is changed or added; the others, and what they point to, stay."""
    block = _exif(before)
    after = with_orientation(block, orientation)
    expected = _said(block) | {0x0112: orientation}
    if before is None and orientation == 1:
        assert after == block
        return
    assert _said(after) == expected
    assert (after == block) == (before == orientation)
    frame = Frame(pixels=noise(2, 3, 1), mode="gray", metadata=Metadata(exif=after))
    assert turn_of(frame) == TURNS[orientation]


@pytest.mark.parametrize("block", [b"", b"hello", b"II*\0\xff\0\0\0", b"MM\0*\0\0\0\x08\0\x09"])
def test_blocks_that_cannot_be_read_stay(block: bytes) -> None:
    """What is no EXIF is not made one."""
    assert with_orientation(block, 6) == block


def test_pillow_turns_alike() -> None:
    """What is new and says nothing else is understood by another reader."""
    for orientation in range(1, 9):
        pixels = noise(5, 7, 3)
        block = with_orientation(None, orientation)
        assert (block is None) == (orientation == 1)
        data = saved(pixels, "PNG", exif=block or b"")
        with Image.open(io.BytesIO(data)) as image:
            turned = np.asarray(ImageOps.exif_transpose(image))
        assert np.array_equal(turned, TURNS[orientation].upright(pixels))


def test_steps_are_put_together() -> None:
    """Quarters of a turn to the left, then a mirror, mean one of eight numbers."""
    for axis in (None, 0, 1):
        for quarters in range(4):
            pixels = noise(5, 7, 3)
            seen = np.rot90(pixels, quarters)
            steps = [(b"irot", quarters)]
            if axis is not None:
                seen = seen[::-1] if axis == 0 else seen[:, ::-1]
                steps.append((b"imir", axis))
            assert np.array_equal(TURNS[orientation_of(steps)].upright(pixels), seen)

"""Turning pictures upright by EXIF and boxes, compared with another library."""

import io
import struct

import numpy as np
import pytest
from PIL import Image, ImageOps

from sudokucrypt.images import Metadata, Picture, get_turn
from sudokucrypt.images.orientation import TURNS, combine_turns, set_orientation
from tests.images.builders import noise, save_image


def _make_exif(orientation: int | None) -> bytes:
    exif = Image.Exif()
    exif[0x010E] = "hello"
    if orientation is not None:
        exif[0x0112] = orientation
    exif.get_ifd(0x8769)[0x9286] = b"a note"
    return exif.tobytes().removeprefix(b"Exif\0\0")


def _read_exif(block: bytes | None) -> dict[int, object]:
    exif = Image.Exif()
    exif.load(block or b"")
    return {**dict(exif), 0x8769: dict(exif.get_ifd(0x8769))}


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("previous_orientation", [None, 1, 3, 6])
def test_orientation_is_set_in_exif(previous_orientation: int | None, orientation: int) -> None:
    """Setting the orientation changes or adds its tag, and keeps all other tags."""
    block = _make_exif(previous_orientation)
    changed_block = set_orientation(block, orientation)
    expected = _read_exif(block) | {0x0112: orientation}
    if previous_orientation is None and orientation == 1:
        assert changed_block == block
        return
    assert _read_exif(changed_block) == expected
    assert (changed_block == block) == (previous_orientation == orientation)
    metadata = Metadata(exif=changed_block)
    picture = Picture(pixels=noise(2, 3, 1), mode="gray", format="PNG", metadata=metadata)
    assert get_turn(picture) == TURNS[orientation]


# The maximum number of tags of a directory, without the orientation.
_FULL_DIRECTORY = b"".join(struct.pack("<HHII", tag, 3, 1, 0) for tag in range(65536) if tag != 274)


@pytest.mark.parametrize(
    "block",
    [
        *(b"", b"hello", b"II*\0\xff\0\0\0", b"MM\0*\0\0\0\x08\0\x09"),
        b"II*\0\x08\0\0\0\xff\xff" + _FULL_DIRECTORY + bytes(4),
    ],
    ids=["nothing", "words", "no place", "cut", "full"],
)
def test_invalid_blocks_are_unchanged(block: bytes) -> None:
    """Data that are no EXIF, and blocks with the maximum number of tags, are not changed."""
    assert set_orientation(block, 6) == block


def test_pillow_agrees_on_orientation() -> None:
    """Pillow turns a picture with a new EXIF block in the same way."""
    for orientation in range(1, 9):
        pixels = noise(5, 7, 3)
        block = set_orientation(None, orientation)
        assert (block is None) == (orientation == 1)
        data = save_image(pixels, "PNG", exif=block or b"")
        with Image.open(io.BytesIO(data)) as image:
            turned_pixels = np.asarray(ImageOps.exif_transpose(image))
        assert np.array_equal(turned_pixels, TURNS[orientation].make_upright(pixels))
        assert np.array_equal(TURNS[orientation].turn_back(turned_pixels), pixels)


def test_turns_are_combined() -> None:
    """Quarter turns to the left, then mirroring, equal one of the eight EXIF orientations."""
    for axis in (None, 0, 1):
        for quarters in range(4):
            pixels = noise(5, 7, 3)
            turned_pixels = np.rot90(pixels, quarters)
            turn_steps = [(b"irot", quarters)]
            if axis is not None:
                turned_pixels = turned_pixels[::-1] if axis == 0 else turned_pixels[:, ::-1]
                turn_steps.append((b"imir", axis))
            assert np.array_equal(
                TURNS[combine_turns(turn_steps)].make_upright(pixels), turned_pixels
            )

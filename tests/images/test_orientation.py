"""Pictures turned upright: what EXIF and boxes say, and what another reader makes of it."""

import io
import struct

import numpy as np
import pytest
from PIL import Image, ImageOps

from sudokucrypt.images import Metadata, Picture, turn_of
from sudokucrypt.images.orientation import TURNS, combine_turns, set_orientation
from tests.images.builders import noise, save_image


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
    after = set_orientation(block, orientation)
    expected = _said(block) | {0x0112: orientation}
    if before is None and orientation == 1:
        assert after == block
        return
    assert _said(after) == expected
    assert (after == block) == (before == orientation)
    metadata = Metadata(exif=after)
    picture = Picture(pixels=noise(2, 3, 1), mode="gray", format="PNG", metadata=metadata)
    assert turn_of(picture) == TURNS[orientation]


# As many tags as a directory can have, none of which is the orientation.
_FULL = b"".join(struct.pack("<HHII", tag, 3, 1, 0) for tag in range(65536) if tag != 274)


@pytest.mark.parametrize(
    "block",
    [
        *(b"", b"hello", b"II*\0\xff\0\0\0", b"MM\0*\0\0\0\x08\0\x09"),
        b"II*\0\x08\0\0\0\xff\xff" + _FULL + bytes(4),
    ],
    ids=["nothing", "words", "no place", "cut", "full"],
)
def test_blocks_that_cannot_be_read_stay(block: bytes) -> None:
    """Data that are not EXIF are not made EXIF, and where there is room for no tag more, none is
    added."""
    assert set_orientation(block, 6) == block


def test_pillow_turns_alike() -> None:
    """What is new and says nothing else is understood by another reader."""
    for orientation in range(1, 9):
        pixels = noise(5, 7, 3)
        block = set_orientation(None, orientation)
        assert (block is None) == (orientation == 1)
        data = save_image(pixels, "PNG", exif=block or b"")
        with Image.open(io.BytesIO(data)) as image:
            turned = np.asarray(ImageOps.exif_transpose(image))
        assert np.array_equal(turned, TURNS[orientation].upright(pixels))
        assert np.array_equal(TURNS[orientation].undone(turned), pixels)


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
            assert np.array_equal(TURNS[combine_turns(steps)].upright(pixels), seen)

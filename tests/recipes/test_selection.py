"""Parts of arrays: only what is selected changes, and a selection that means nothing is refused."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokucrypt import (
    DecryptionError,
    Header,
    InvalidParameterError,
    Key,
    decrypt,
    encrypt,
    scramble,
    unscramble,
)
from sudokucrypt.header import unpack_mask
from tests.images.builders import noise

_KEY = Key(bytes(range(32)))
_WAYS: Any = [(scramble, unscramble), (encrypt, decrypt)]
_DISK: NDArray[np.bool_] = np.hypot(*(np.indices((19, 23)) - [[[9]], [[11]]])) < 7


@pytest.mark.parametrize(("protect", "restore"), _WAYS)
@pytest.mark.parametrize(
    ("regions", "mask", "channels", "dtype"),
    [
        (None, None, 1, "uint8"),
        ([(0, 0, 3, 4), (2, 2, 9, 9)], None, 3, "uint16"),
        (np.array([[18, 22, 1, 1]]), None, 4, "uint8"),
        (None, _DISK, 1, "uint8"),
        (None, _DISK.tolist(), 3, "uint16"),
        ([(0, 0, 3, 4), (2, 2, 9, 9)], _DISK, 4, "uint8"),
    ],
)
def test_parts_of_arrays(
    protect: Any, restore: Any, regions: Any, mask: Any, channels: int, dtype: str
) -> None:
    """Outside of regions and mask every sample stays; the header alone tells what to restore."""
    image = noise(19, 23, channels, dtype)
    selected = np.zeros((19, 23), dtype=bool) if mask is None else np.array(mask)
    for row, column, rows, columns in () if regions is None else regions:
        selected[row : row + rows, column : column + columns] = True
    done = protect(image, _KEY, regions=regions, mask=mask)
    if regions is None and mask is None:
        assert (done.header.regions, done.header.mask) == (None, None)
        return
    assert np.array_equal(done.pixels[~selected], image[~selected])
    header = Header.from_bytes(done.header.to_bytes())
    assert np.array_equal(restore(done.pixels, _KEY, header), image)
    for position in (selected, ~selected):
        changed = done.pixels.copy()
        changed[tuple(np.argwhere(position)[0])] ^= 1
        with pytest.raises(DecryptionError):
            restore(changed, _KEY, header)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"regions": []}, "no pixel is selected"),
        ({"mask": np.zeros((19, 23), bool)}, "no pixel is selected"),
        ({"regions": 5}, "several"),
        ({"regions": (0, 0, 3, 4)}, "four integers"),
        ({"regions": [(0, 0, 3)]}, "four integers"),
        ({"regions": [(0, 0, 3.0, 4)]}, "four integers"),
        ({"regions": [(0, 0, 0, 4)]}, "does not lie"),
        ({"regions": [(-1, 0, 3, 4)]}, "does not lie"),
        ({"regions": [(17, 0, 3, 4)]}, "does not lie"),
        ({"regions": [(0, 0, 10**30, 4)]}, "does not lie"),
        ({"mask": _DISK.T}, "a mask holds booleans in 19 rows of 23"),
        ({"mask": _DISK.astype(int)}, "a mask holds booleans in 19 rows of 23"),
        ({"mask": _DISK[..., np.newaxis]}, "a mask holds booleans in 19 rows of 23"),
    ],
)
def test_selections_that_mean_nothing(options: Any, message: str) -> None:
    """Each is an error that says what a selection is."""
    for protect, _ in _WAYS:
        with pytest.raises(InvalidParameterError, match=message):
            protect(noise(19, 23, 3), _KEY, **options)


@pytest.mark.parametrize(("protect", "restore"), _WAYS)
def test_the_mask_of_the_caller_stays(protect: Any, restore: Any) -> None:
    """Rectangles beside a mask are not drawn into it."""
    del restore
    mask = np.zeros((19, 23), dtype=bool)
    mask[9, 9] = True
    header = protect(noise(19, 23, 1), _KEY, regions=[(0, 0, 3, 3)], mask=mask).header
    assert mask.sum() == 1
    assert header.mask is not None
    assert unpack_mask(header.mask, (19, 23))[:3, :3].all()


@pytest.mark.parametrize(("protect", "restore"), _WAYS)
@pytest.mark.parametrize(
    ("regions", "listed"),
    [
        ([(0, 0, 1, 1)] * 1024, True),
        ([(0, 0, 1, 1)] * 1025, False),
        ([(0, 0, 40, 60)] * 4, True),
        ([(0, 0, 40, 60)] * 4 + [(0, 0, 1, 1)], False),
        ([(row, column, 1, 1) for row in range(40) for column in range(60)], False),
    ],
    ids=["1024", "1025", "four areas", "over four areas", "every pixel"],
)
def test_too_many_rectangles_become_a_mask(
    protect: Any, restore: Any, regions: Any, listed: bool
) -> None:
    """Over 1024 of them, or over four times the canvas, would be dear to read: a mask says it."""
    image = noise(40, 60, 1)
    done = protect(image, _KEY, regions=regions)
    assert (done.header.regions is not None, done.header.mask is None) == (listed, listed)
    if not listed:
        where = np.zeros((40, 60), dtype=bool)
        for row, column, rows, columns in regions:
            where[row : row + rows, column : column + columns] = True
        assert np.array_equal(unpack_mask(done.header.mask, (40, 60)), where)
    assert len(done.header.to_bytes()) < 65536
    header = Header.from_bytes(done.header.to_bytes())
    assert np.array_equal(restore(done.pixels, _KEY, header), image)


def test_blocks_are_moved_in_whole_images_only() -> None:
    """A selection has no blocks."""
    with pytest.raises(InvalidParameterError, match="not in blocks"):
        scramble(noise(19, 23, 3), _KEY, unit="block", regions=[(0, 0, 3, 4)])

"""Areas of redactions: a selection that means nothing is refused, and long ones become masks."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokucrypt import InvalidParameterError, Key, redact
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from tests.images.builders import noise

_CANVAS = (19, 23)
_DISK: NDArray[np.bool_] = np.hypot(*(np.indices(_CANVAS) - [[[9]], [[11]]])) < 7


@pytest.mark.parametrize(
    ("regions", "mask", "message"),
    [
        ([], None, "no pixel is selected"),
        (None, np.zeros(_CANVAS, bool), "no pixel is selected"),
        (5, None, "several"),
        ((0, 0, 3, 4), None, "four integers"),
        ([(0, 0, 3)], None, "four integers"),
        ([(0, 0, 3.0, 4)], None, "four integers"),
        ([(0, 0, 0, 4)], None, "does not lie"),
        ([(-1, 0, 3, 4)], None, "does not lie"),
        ([(17, 0, 3, 4)], None, "does not lie"),
        ([(0, 0, 10**30, 4)], None, "does not lie"),
        (None, _DISK.T, "a mask holds booleans in 19 rows of 23"),
        (None, _DISK.astype(int), "a mask holds booleans in 19 rows of 23"),
        (None, _DISK[..., np.newaxis], "a mask holds booleans in 19 rows of 23"),
    ],
)
def test_selections_that_mean_nothing(regions: Any, mask: Any, message: str) -> None:
    """Each is an error that says what a selection is."""
    with pytest.raises(InvalidParameterError, match=message):
        redact(noise(*_CANVAS, 3), regions, Key(bytes(32)), mask=mask)


def test_the_mask_of_the_caller_stays() -> None:
    """Rectangles in addition to a mask are not drawn into it, and the mask says everything."""
    mask = np.zeros(_CANVAS, dtype=bool)
    mask[9, 9] = True
    selection = Selection.chosen(_CANVAS, [(0, 0, 3, 3)], mask)
    assert selection is not None
    assert mask.sum() == 1
    assert (selection.regions, selection.where.sum()) == (None, 10)


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
    regions: list[tuple[int, int, int, int]], listed: bool
) -> None:
    """Over 1024 of them, or over four times the canvas, would be slow to read: a mask says it."""
    selection = Selection.chosen((40, 60), regions, None)
    assert selection is not None
    assert (selection.regions is not None) == listed
    where = np.zeros((40, 60), dtype=bool)
    for row, column, rows, columns in regions:
        where[row : row + rows, column : column + columns] = True
    assert np.array_equal(selection.where, where)


def test_regions_lie_in_rows_and_columns() -> None:
    """A line of samples has no rectangles."""
    with pytest.raises(InvalidParameterError, match="rows and columns"):
        Selection.chosen((9,), [(0, 0, 1, 1)], None)

"""Drawn grids are uniform by statistics of known distribution, which tell other generators."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku import seeded_draws
from sudokucrypt.sudoku.counting.band_classes import get_grid_tables
from sudokucrypt.sudoku.counting.ranking import grid_total, random_grid, random_grids, unrank
from sudokucrypt.typing import Box, IntArray
from tests.sudoku.enumeration import places_in, reduced_grids, relabel_digits

COUNT = 200_000
ACCEPTED = 1e-4
"""Some p-values are looked at; the seeds are fixed, so the result is too."""


def p_value(observed: NDArray[np.int64], shares: NDArray[np.float64]) -> float:
    """Compare counts with the exact shares of all grids."""
    expected = shares / shares.sum() * observed.sum()
    assert expected.min() >= 5, "too few expected for chi-square"
    from scipy import stats

    return float(stats.chisquare(observed, expected).pvalue)


def find_classes(bands: IntArray) -> IntArray:
    """Return the class of each band by column sets."""
    sets, _, classes, *_ = get_grid_tables()
    masks = np.bitwise_or.reduce(np.left_shift(1, bands.astype(np.int64)), axis=1)
    one, two, three = sets.find(masks.reshape(-1, 3, 3)).astype(np.int64).T
    pairs = sets.relabel[one, two].astype(np.int64) * 280 + sets.relabel[one, three]
    result: IntArray = classes.of[pairs].astype(np.int64)
    return result


def class_shares() -> NDArray[np.float64]:
    """Return in how many grids band one is in each class, divided by a common factor.

    Any other band, or stack, has the same distribution, by a symmetry of the rules.
    """
    return np.diff(get_grid_tables().start).astype(np.float64)


@pytest.mark.slow
def test_drawn_grids_are_uniform() -> None:
    """Classes of all bands and stacks, and digits of some cells, have their exact shares."""
    grids = random_grids(COUNT, seeded_draws(21), first=0).astype(np.int64)
    values = {}
    for name, view in (("band", grids), ("stack", grids.transpose(0, 2, 1))):
        for top in (0, 3, 6):
            counts = np.bincount(find_classes(view[:, top : top + 3]), minlength=44)
            values[f"{name} {top}"] = p_value(counts, class_shares())
    for row, column in [(0, 0), (0, 8), (4, 4), (5, 2), (8, 8)]:
        counts = np.bincount(grids[:, row, column], minlength=9)
        values[f"digit at {row}, {column}"] = p_value(counts, np.ones(9))
    assert min(values.values()) > ACCEPTED, values


@pytest.mark.slow
def test_every_small_grid_is_equally_likely() -> None:
    """Of 200,000 grids of order 6 each of the 39168 with a fixed first row has its share."""
    grids = random_grids(COUNT, seeded_draws(23), box=(2, 3), first=0).astype(np.int64)
    known = reduced_grids((2, 3))
    positions = places_in(relabel_digits(grids), known)
    assert p_value(np.bincount(positions, minlength=len(known)), np.ones(len(known))) > ACCEPTED
    first = grids[:, 0] @ 6 ** np.arange(6)
    _, observed = np.unique(first, return_counts=True)
    assert p_value(observed, np.ones(720)) > ACCEPTED


@pytest.mark.parametrize("box", [(2, 2), (4, 2), (3, 3)])
def test_a_batch_is_many_single_draws(box: Box) -> None:
    """A batch holds the grids that single draws from the same seed give, however it is cut."""
    single = seeded_draws(24)
    expected = [random_grid(single, box=box).cells for _ in range(20)]
    batch = seeded_draws(24)
    drawn = [random_grids(count, batch, box=box, first=0) for count in (0, 1, 19)]
    assert (np.concatenate(drawn) == expected).all()
    assert drawn[2].dtype == np.uint8


def test_the_draw_is_the_number_of_the_grid() -> None:
    """A single draw is one number below the number of grids."""
    assert random_grid(seeded_draws(25)) == unrank(seeded_draws(25).below(grid_total()))


def test_other_boxes_are_refused() -> None:
    """Their grids are not numbered."""
    with pytest.raises(UnsupportedError):
        random_grid(seeded_draws(1), box=(4, 4))

"""Random grids are uniform, by statistics with known distributions."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku import seeded_draws
from sudokucrypt.sudoku.counting.band_classes import get_grid_tables
from sudokucrypt.sudoku.counting.ranking import grid_total, random_grid, random_grids, unrank
from sudokucrypt.typing import Box, IntArray
from tests.sudoku.enumeration import find_indexes, list_reduced_grids, relabel_digits

COUNT = 200_000
ACCEPTED = 1e-4
"""Some p-values are looked at; the seeds are fixed, so the result is too."""


def compute_p_value(observed: NDArray[np.int64], shares: NDArray[np.float64]) -> float:
    """Return the p-value of counts, compared with the exact shares of all grids."""
    expected = shares / shares.sum() * observed.sum()
    assert expected.min() >= 5, "too few expected for chi-square"
    from scipy import stats

    return float(stats.chisquare(observed, expected).pvalue)


def find_classes(bands: IntArray) -> IntArray:
    """Return the class of each band by its column sets."""
    sets, _, classes, *_ = get_grid_tables()
    masks = np.bitwise_or.reduce(np.left_shift(1, bands.astype(np.int64)), axis=1)
    first, second, third = sets.find_partitions(masks.reshape(-1, 3, 3)).astype(np.int64).T
    pairs = (
        sets.relabeled_partitions[first, second].astype(np.int64) * 280
        + sets.relabeled_partitions[first, third]
    )
    result: IntArray = classes.pair_classes[pairs].astype(np.int64)
    return result


def compute_class_shares() -> NDArray[np.float64]:
    """Return the shares of grids by the class of band one.

    Any other band or stack has the same distribution, by a symmetry of the rules.
    """
    return np.diff(get_grid_tables().class_starts).astype(np.float64)


@pytest.mark.slow
def test_drawn_grids_are_uniform() -> None:
    """The classes of all bands and stacks, and the digits of some cells, have their exact
    shares."""
    grids = random_grids(COUNT, seeded_draws(21), first=0).astype(np.int64)
    values = {}
    for name, view in (("band", grids), ("stack", grids.transpose(0, 2, 1))):
        for top in (0, 3, 6):
            counts = np.bincount(find_classes(view[:, top : top + 3]), minlength=44)
            values[f"{name} {top}"] = compute_p_value(counts, compute_class_shares())
    for row, column in [(0, 0), (0, 8), (4, 4), (5, 2), (8, 8)]:
        counts = np.bincount(grids[:, row, column], minlength=9)
        values[f"digit at {row}, {column}"] = compute_p_value(counts, np.ones(9))
    assert min(values.values()) > ACCEPTED, values


@pytest.mark.slow
def test_every_small_grid_is_equally_likely() -> None:
    """In 200,000 random grids of order 6, all 39168 grids with a fixed first row are equally
    frequent."""
    grids = random_grids(COUNT, seeded_draws(23), box=(2, 3), first=0).astype(np.int64)
    known = list_reduced_grids((2, 3))
    positions = find_indexes(relabel_digits(grids), known)
    assert (
        compute_p_value(np.bincount(positions, minlength=len(known)), np.ones(len(known)))
        > ACCEPTED
    )
    first = grids[:, 0] @ 6 ** np.arange(6)
    _, observed = np.unique(first, return_counts=True)
    assert compute_p_value(observed, np.ones(720)) > ACCEPTED


@pytest.mark.parametrize("box", [(2, 2), (4, 2), (3, 3)])
def test_a_batch_is_many_single_draws(box: Box) -> None:
    """A batch contains the same grids as single draws from the same seed, for any batch size."""
    single = seeded_draws(24)
    expected = [random_grid(single, box=box).cells for _ in range(20)]
    batch = seeded_draws(24)
    batches = [random_grids(count, batch, box=box, first=0) for count in (0, 1, 19)]
    assert (np.concatenate(batches) == expected).all()
    assert batches[2].dtype == np.uint8


def test_the_draw_is_the_number_of_the_grid() -> None:
    """A single draw takes one number below the number of grids from the stream."""
    assert random_grid(seeded_draws(25)) == unrank(seeded_draws(25).below(grid_total()))


def test_other_boxes_are_refused() -> None:
    """Boxes whose grids are not numbered are refused."""
    with pytest.raises(UnsupportedError):
        random_grid(seeded_draws(1), box=(4, 4))

"""Drawn grids are uniform by statistics of known distribution, which tell other generators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku.counting.band_classes import grid_tables
from sudokucrypt.sudoku.counting.ranking import (
    grid_total,
    random_grid,
    random_grids,
    rank_cells,
    unrank,
)
from sudokucrypt.sudoku.model.symmetry import Symmetry
from sudokucrypt.sudoku.seeded import seeded_draws
from tests.sudoku.enumeration import places_in, reduced_grids, relabelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudokucrypt.typing import Box, IntArray

COUNT = 200_000
ACCEPTED = 1e-4
"""Some forty p-values are looked at; the seeds are fixed, so the result is too."""
REFUSED = 1e-8


def p_value(observed: NDArray[np.int64], shares: NDArray[np.float64]) -> float:
    """Compare counts with the exact shares of all grids."""
    expected = shares / shares.sum() * observed.sum()
    assert expected.min() >= 5, "too few expected for chi-square"
    return float(stats.chisquare(observed, expected).pvalue)


def bands_and_stacks(grids: IntArray) -> dict[str, IntArray]:
    """Return three bands and three stacks as bands, each shape (count, 3, 9)."""
    views = {f"band {k}": grids[:, 3 * k : 3 * k + 3] for k in range(3)}
    turned = grids.transpose(0, 2, 1)
    return views | {f"stack {k}": turned[:, 3 * k : 3 * k + 3] for k in range(3)}


def class_of(bands: IntArray) -> IntArray:
    """Return the class of each band by column sets."""
    sets, _, classes, *_ = grid_tables()
    masks = np.bitwise_or.reduce(np.left_shift(1, bands.astype(np.int64)), axis=1)
    one, two, three = sets.find(masks.reshape(-1, 3, 3)).astype(np.int64).T
    pairs = sets.relabel[one, two].astype(np.int64) * 280 + sets.relabel[one, three]
    found: IntArray = classes.of[pairs].astype(np.int64)
    return found


def class_shares() -> NDArray[np.float64]:
    """Return in how many grids band one is in each class, divided by a common factor.

    Any other band, or stack, has the same distribution, by a symmetry of the rules.
    """
    return np.diff(grid_tables().start).astype(np.float64)


def pure_shares() -> NDArray[np.float64]:
    """Return how likely the rows of a band have the same three sets of digits in all boxes.

    Given the column sets, all fillings of band one are equally likely; of the 56 mates by rows
    those two count whose parts are the parts of the first box.
    """
    sets, fillings, classes, *_ = grid_tables()
    rows = np.repeat(fillings.rows, 56)
    pure = sets.mates[fillings.rows, :, 0].ravel() == rows
    mates = sets.mates[fillings.rows].reshape(-1, 2)
    likely = 0.0
    for (two, three), share in zip(classes.pairs, class_shares(), strict=True):
        fit = sets.meets[two, mates[:, 0]] & sets.meets[three, mates[:, 1]]
        likely += share * (fit & pure).sum() / fit.sum()
    return np.array([likely, class_shares().sum() - likely])


def examine(grids: IntArray) -> dict[str, float]:
    """Return the p-value of every statistic of grids of order 9."""
    values = {}
    total = grid_total()
    for name, view in bands_and_stacks(grids).items():
        values[f"classes of {name}"] = p_value(
            np.bincount(class_of(view), minlength=44), class_shares()
        )
        rows = np.sort(view.reshape(-1, 3, 3, 3), axis=3)  # grid, row, box, digit
        first = rows[:, 0, 0][:, None, :]
        pure = (rows[:, 1:, 1] == first).all(axis=2).any(axis=1)
        values[f"box pairs of {name}"] = p_value(
            np.bincount(1 - pure.astype(np.int64), minlength=2), pure_shares()
        )
    for row, column in [(0, 0), (0, 8), (4, 4), (5, 2), (8, 8)]:
        digits = np.bincount(grids[:, row, column], minlength=9)
        values[f"digit at {row}, {column}"] = p_value(digits, np.ones(9))
    # A symmetry maps the grids one to one, so that the numbers of images are uniform as well.
    for name, images in (("transposed", grids.transpose(0, 2, 1)), ("turned", grids[:, ::-1])):
        numbers = [number * 1000 // total for number in rank_cells(images)]
        values[f"numbers of {name} grids"] = p_value(
            np.bincount(numbers, minlength=1000), np.ones(1000)
        )
    return values


@pytest.mark.slow
def test_drawn_grids_are_uniform() -> None:
    """No statistic of 200,000 drawn grids is unlikely."""
    values = examine(random_grids(seeded_draws(21), COUNT).astype(np.int64))
    assert len(values) == 19
    assert min(values.values()) > ACCEPTED, values


@pytest.mark.slow
def test_symmetries_of_one_grid_are_not_uniform() -> None:
    """The statistics can tell: random symmetries of one grid are refused by the classes alone."""
    source = seeded_draws(22)
    grid = random_grid(source)
    images = [Symmetry.random((3, 3), source).apply(grid).cells for _ in range(5000)]
    observed = np.bincount(class_of(np.array(images, dtype=np.int64)[:, :3]), minlength=44)
    shares = class_shares()
    common = shares / shares.sum() * len(images) >= 5
    counts = [*observed[common], observed[~common].sum()]
    expected = np.array([*shares[common], shares[~common].sum()])
    assert p_value(np.array(counts), expected) < REFUSED


@pytest.mark.slow
def test_every_small_grid_is_equally_likely() -> None:
    """Of 200,000 grids of order 6 each of the 39168 with a fixed first row has its share."""
    grids = random_grids(seeded_draws(23), COUNT, box=(2, 3)).astype(np.int64)
    known = reduced_grids((2, 3))
    places = places_in(relabelled(grids), known)
    assert p_value(np.bincount(places, minlength=len(known)), np.ones(len(known))) > ACCEPTED
    first = grids[:, 0] @ 6 ** np.arange(6)
    _, observed = np.unique(first, return_counts=True)
    assert p_value(observed, np.ones(720)) > ACCEPTED


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (4, 2), (3, 3)])
def test_a_batch_is_many_single_draws(box: Box) -> None:
    """A batch holds the grids that single draws from the same seed give, however it is cut."""
    single = seeded_draws(24)
    expected = [random_grid(single, box).cells for _ in range(60)]
    batch = seeded_draws(24)
    drawn = [random_grids(batch, count, box=box) for count in (0, 1, 59)]
    assert (np.concatenate(drawn) == expected).all()
    assert drawn[2].dtype == np.uint8


def test_the_draw_is_the_number_of_the_grid() -> None:
    """A single draw is one number below the number of grids."""
    assert random_grid(seeded_draws(25)) == unrank(seeded_draws(25).below(grid_total()))


class WordsOf:
    """A source whose words are given."""

    def __init__(self, words: list[int]) -> None:
        self.words = words

    def below(self, bound: int, /) -> int:
        raise AssertionError(bound)

    def below_each(self, bounds: IntArray, /) -> IntArray:
        taken, self.words = self.words[: len(bounds)], self.words[len(bounds) :]
        return np.array(taken)

    def permutations(self, sizes: object, /) -> IntArray:
        raise AssertionError(sizes)


def test_incomplete_multiples_are_dropped() -> None:
    """Words that make a number in the last, incomplete multiple are passed over."""
    last = 2**32 - 1
    grids = random_grids(WordsOf([last, last, last, 5, 0, 0, last, last, last, 7, 1, 0]), 2)
    assert rank_cells(grids) == [5, 7 + 2**32]


def test_bad_requests_are_refused() -> None:
    """Counts are integers of 0 or more, boxes of a numbered shape."""
    for count in (-1, 1.0, True):
        with pytest.raises(InvalidParameterError):
            random_grids(seeded_draws(1), count)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError):
        random_grid(seeded_draws(1), (4, 4))

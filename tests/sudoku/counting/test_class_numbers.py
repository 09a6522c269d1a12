"""Numbers of classes of 9x9 grids, against canonical forms, symmetries and the published total."""

import random

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku import Symmetry, canonical_form, random_grid, rank, seeded_draws, unrank
from sudokucrypt.sudoku.counting.canonical_listing import CanonicalListing
from sudokucrypt.sudoku.counting.minlex_bands import band_tables, normal_bands

PUBLISHED = 5_472_730_538
"""E. Russell and F. Jarvis, "Mathematics of Sudoku II", 2006."""

# The first grid of all, as listed in many places.
FIRST = "123456789456789123789123456214365897365897214897214365531642978642978531978531642"


def test_the_table_is_whole() -> None:
    """It has 416 bands in order, a count for each start, and all classes."""
    tables = band_tables()
    texts = [band.tobytes() for band in tables.bands]
    assert texts == sorted({*texts})
    assert sum(int(counts.sum()) for counts in tables.counts) == PUBLISHED
    # All normal bands are of a class, and each class is that of its own first band.
    assert np.bincount(tables.class_of).min() > 0
    assert (tables.class_of[normal_bands(tables.bands)[0]] == np.arange(416)).all()
    for band_class in (0, 7, 200, 415):
        assert len(CanonicalListing(band_class).starts()) == len(tables.counts[band_class])


def test_canonical_forms_begin_with_the_first_class() -> None:
    """Of the bands and stacks of a grid the least class is that of its canonical form."""
    tables = band_tables()
    for seed in range(30):
        cells = random_grid(seed).cells.astype(np.uint8)
        bands = np.concatenate([cells.reshape(3, 3, 9), cells.T.copy().reshape(3, 3, 9)])
        least = tables.class_of[normal_bands(bands)[0]].min()
        assert (canonical_form(random_grid(seed)).grid.cells[:3] == tables.bands[least]).all()


@pytest.mark.parametrize(
    "number", [PUBLISHED - 1, pytest.param(5_472_000_000, marks=pytest.mark.slow)]
)
def test_there_and_back(number: int) -> None:
    """A number gives a canonical form, and every equivalent grid gives the number."""
    grid = unrank(number, classes=True)
    assert canonical_form(grid).grid == grid
    moved = Symmetry.random((3, 3), seeded_draws(number)).apply(grid)
    assert moved != grid
    assert rank(moved, classes=True) == number
    assert number == PUBLISHED - 1 or unrank(number + 1, classes=True).to_text() > grid.to_text()


@pytest.mark.slow
def test_the_first_class_is_that_of_the_first_grid() -> None:
    """The first canonical form is the first grid, and band one has 108 symmetries there."""
    assert unrank(0, classes=True).to_text() == FIRST
    assert rank(FIRST, classes=True) == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_grids_are_listed_in_order(seed: int) -> None:
    """The grids before and after one are canonical and in order, also across two starts."""
    number = rank(random_grid(seed), classes=True)
    near = [unrank(index, classes=True) for index in (number - 1, number, number + 1)]
    assert near[1] == canonical_form(random_grid(seed)).grid
    assert all(canonical_form(grid).grid == grid for grid in near)
    texts = [grid.to_text() for grid in near]
    assert texts == sorted({*texts})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_table_is_what_the_listing_counts(seed: int) -> None:
    """Three counts of the table, drawn among all, are found again; all keys differ."""
    source, counts = random.Random(seed), band_tables().counts  # noqa: S311
    for band_class in source.choices(range(416), [len(own) for own in counts], k=3):
        listing = CanonicalListing(band_class)
        index = source.randrange(len(counts[band_class]))
        keys = listing.keys(listing.starts()[index])
        assert len(np.unique(keys)) == len(keys) == counts[band_class][index]


def test_what_has_no_number_is_refused() -> None:
    """Other sizes and numbers beyond the last one are errors."""
    with pytest.raises(UnsupportedError):
        rank("1234341221434321", classes=True)
    with pytest.raises(UnsupportedError):
        unrank(0, (2, 3), classes=True)
    for wrong in (-1, PUBLISHED):
        with pytest.raises(InvalidParameterError):
            unrank(wrong, classes=True)

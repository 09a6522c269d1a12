"""The tables over column sets: known sizes, transformations that do what they say, invariance."""

import numpy as np
import pytest

from sudokucrypt.sudoku.counting.band_classes import GridTables, grid_tables, lower_bands, masks_of


@pytest.fixture(scope="module")
def tables() -> GridTables:
    return grid_tables()


def test_sizes(tables: GridTables) -> None:
    """280 partitions, 36 that meet each, 44 classes, and the number of all bands."""
    sets, fillings, classes, *_ = tables
    assert len({tuple(parts) for parts in sets.parts.tolist()}) == 280
    assert (sets.parts.sum(axis=1) == 511).all()
    assert (sets.meets.sum(axis=1) == 36).all()
    assert len(classes.pairs) == 44
    # Felgenhauer and Jarvis 2006: 9! * 2612736 bands.
    assert 280 * 6**3 * fillings.number.sum(dtype=int) == 948109639680


def test_mates_leave_each_column_whole(tables: GridTables) -> None:
    """Each part and its two mates hold every digit, and both mates are partitions."""
    sets = tables.sets
    own = sets.parts[:, None, None, :]
    both = sets.mate_masks[:, :, :1] | sets.mate_masks[:, :, 1:]
    assert ((own | both) == 511).all()
    assert (np.bitwise_or.reduce(sets.mate_masks, axis=3) == 511).all()
    assert (sets.find(sets.mate_masks) == sets.mates).all()


def test_every_pair_is_taken_to_its_representative(tables: GridTables) -> None:
    """The relabelling and the order of boxes of a pair give the representative of its class."""
    sets, _, classes, *_ = tables
    pairs = np.arange(280 * 280)
    boxes = np.stack([0 * pairs, pairs // 280, pairs % 280], axis=1)
    boxes = np.take_along_axis(boxes, classes.boxes.astype(np.intp), axis=1)
    members = sets.unlabel[boxes].reshape(len(pairs), 27).astype(np.intp)
    moved = np.take_along_axis(classes.digits, members, axis=1).reshape(-1, 3, 3, 3)
    result = sets.find(masks_of(moved))
    assert (result[:, 0] == 0).all()
    assert (result[:, 1:] == classes.pairs[classes.of]).all()


def test_members_are_numbered_inside_their_class(tables: GridTables) -> None:
    """Class and place of a pair lead back to it."""
    classes = tables.classes
    positions = classes.first[classes.of] + classes.place
    assert (classes.members[positions] == np.arange(280 * 280)).all()


def test_fillings_and_ways_depend_on_the_class_alone(tables: GridTables) -> None:
    """What is computed for representatives holds for other members too."""
    sets, fillings, classes, below, _ = tables
    rng = np.random.default_rng(5)
    for kind, pair in list(enumerate(classes.pairs))[::4]:
        members = classes.members[classes.first[kind] : classes.first[kind + 1]]
        two, three = np.divmod(members, 280)
        assert (fillings.number[two, three] == fillings.number[tuple(pair)]).all()
        one = divmod(int(rng.choice(members)), 280)
        assert lower_bands(sets, fillings, one).sum() == below[kind, -1]

"""Numbers of essentially different grids: published numbers, and each step by enumeration."""

import numpy as np
import pytest

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.counting import classes
from sudokucrypt.sudoku.counting.band_classes import (
    GridTables,
    count_lower_bands,
    get_grid_tables,
    make_masks,
)
from sudokucrypt.sudoku.counting.classes import count_classes
from sudokucrypt.typing import Box
from tests.sudoku.enumeration import list_reduced_grids, relabel_digits
from tests.sudoku.kernels import COMPILED, load_kernel_and_fallback

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(
    ("box", "number"),
    [
        # 2x2 and 2x3: E. Russell and F. Jarvis, "Mathematics of Sudoku II", 2006
        ((2, 2), 2),
        ((2, 3), 49),
        ((3, 2), 49),
        # The types of Latin squares, which may be transposed, but not exchange rows with digits:
        # B. D. McKay, A. Meynert and W. Myrvold, "Small Latin squares, quasigroups and loops", 2007
        ((1, 1), 1),
        ((1, 2), 1),
        ((3, 1), 1),
        ((1, 4), 2),
        ((1, 5), 2),
        ((1, 6), 17),
        pytest.param((1, 7), 324, marks=pytest.mark.slow),
    ],
)
@pytest.mark.skipif(
    not COMPILED, reason="some take minutes with the fallback, which is compared below"
)
def test_published_numbers(box: Box, number: int) -> None:
    """count_classes returns the published numbers; 2x4 and 3x3 take minutes."""
    assert count_classes(box) == number


def test_small_numbers_without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fallback counts the same classes of small grids as the kernel."""
    _, fallback = load_kernel_and_fallback("orbits")
    monkeypatch.setattr(classes, "_kernels", fallback)
    assert [count_classes(box) for box in ((2, 2), (1, 4))] == [2, 2]


@pytest.mark.parametrize(
    ("box", "number", "order"),
    [
        ((2, 2), 20, 128),
        ((2, 4), 400, 442368),
        ((3, 3), 275, 3359232),  # both numbers: E. Russell and F. Jarvis, 2006
        ((1, 4), 20, 1152),
    ],
)
def test_kinds_are_all_symmetries(box: Box, number: int, order: int) -> None:
    """The sizes of all kinds of movements add up to the number of symmetries without relabeling."""
    kinds = classes._list_movement_kinds(*box)
    assert len(kinds) == number
    assert sum(kind.size for kind in kinds) == order


@pytest.mark.parametrize(
    "box", [(2, 2), (1, 4), (1, 5), pytest.param((2, 3), marks=pytest.mark.slow)]
)
def test_searches_count_like_enumeration(box: Box) -> None:
    """For each kind of movement, the search counts as many unchanged grids as enumeration."""
    grids = list_reduced_grids(box)
    flat = grids.reshape(len(grids), -1)
    for kind in classes._list_movement_kinds(*box):
        images = np.empty_like(flat)
        images[:, kind.movement] = flat
        unchanged_count = (
            (relabel_digits(images.reshape(grids.shape)) == grids).all(axis=(1, 2)).sum()
        )
        searches = list(classes._iterate_searches(kind.movement, box))
        if classes._is_identity(kind.movement):
            assert (searches, unchanged_count) == ([], len(grids))
        assert sum(map(classes._count_grids_of_part, searches)) == (
            unchanged_count if searches else 0
        )


@pytest.mark.parametrize("part_count", [1, 3])
def test_kernel_and_fallback_agree(part_count: int) -> None:
    """Kernel and fallback agree in each part, with equal nodes, and restore their memory."""
    kinds = classes._list_movement_kinds(2, 2)
    for search in [
        search for kind in kinds for search in classes._iterate_searches(kind.movement, (2, 2))
    ]:
        orbits = len(search[0]) - 1
        whole_counts = []
        for part in range(part_count):
            for nodes in (3, 5, 1000):
                result = []
                for module in load_kernel_and_fallback("orbits"):
                    used_digits, order = np.zeros(12, np.uint32), np.arange(orbits, dtype=np.int32)
                    cut_depth = min(2, orbits)
                    result.append(
                        module.count(
                            *search, used_digits, order, cut_depth, part, part_count, nodes
                        )
                    )
                    assert not used_digits.any()
                    assert (order == np.arange(orbits)).all()
                assert result[0] == result[1]
            whole_counts.append(result[0])
        assert sum(whole_counts) == classes._count_grids_of_part(search)


def test_long_searches_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search with too many nodes is divided into parts, whose sum is the same."""
    steps: list[tuple[int, int]] = []
    count_classes((2, 2), progress=lambda *step: steps.append(step))
    assert steps == [(0, 1), (1, 1)]  # all of them are short
    monkeypatch.setattr(classes, "_MAX_SHORT_NODES", 2)
    assert count_classes((2, 2), progress=lambda *step: steps.append(step)) == 2
    assert len(steps) > classes._SEARCH_PART_COUNT


def test_shapes_out_of_reach_are_named() -> None:
    """Larger boxes are refused at once, and the hint lists the supported boxes."""
    for box in [(1, 8), (2, 5), (3, 4)]:
        with pytest.raises(UnsupportedError, match="cannot be counted") as caught:
            count_classes(box)
        assert "3x3" in (caught.value.hint or "")


# The tables over column sets: known sizes, correct transformations, and invariance.


@pytest.fixture(scope="module")
def tables() -> GridTables:
    return get_grid_tables()


def test_sizes(tables: GridTables) -> None:
    """There are 280 partitions, 36 that fit each, 44 classes, and the published number of bands."""
    sets, fillings, classes, *_ = tables
    assert len({tuple(parts) for parts in sets.parts.tolist()}) == 280
    assert (sets.parts.sum(axis=1) == 511).all()
    assert (sets.can_form_box.sum(axis=1) == 36).all()
    assert len(classes.representatives) == 44
    # Felgenhauer and Jarvis 2006: 9! * 2612736 bands.
    assert 280 * 6**3 * fillings.counts.sum(dtype=int) == 948109639680


def test_mates_leave_each_column_whole(tables: GridTables) -> None:
    """Each part of a partition and its two mates contain all digits, and both mates are
    partitions."""
    sets = tables.sets
    column_masks = sets.parts[:, None, None, :]
    both = sets.mate_masks[:, :, :1] | sets.mate_masks[:, :, 1:]
    assert ((column_masks | both) == 511).all()
    assert (np.bitwise_or.reduce(sets.mate_masks, axis=3) == 511).all()
    assert (sets.find_partitions(sets.mate_masks) == sets.mates).all()


def test_every_pair_is_taken_to_its_representative(tables: GridTables) -> None:
    """Relabeling a pair and reordering its boxes as stored gives the representative of its
    class."""
    sets, _, classes, *_ = tables
    pairs = np.arange(280 * 280)
    boxes = np.stack([0 * pairs, pairs // 280, pairs % 280], axis=1)
    boxes = np.take_along_axis(boxes, classes.box_orders.astype(np.intp), axis=1)
    members = sets.digits_by_label[boxes].reshape(len(pairs), 27).astype(np.intp)
    relabeled = np.take_along_axis(classes.relabelings, members, axis=1).reshape(-1, 3, 3, 3)
    result = sets.find_partitions(make_masks(relabeled))
    assert (result[:, 0] == 0).all()
    assert (result[:, 1:] == classes.representatives[classes.pair_classes]).all()


def test_members_are_numbered_inside_their_class(tables: GridTables) -> None:
    """The class of a pair and its place in the class lead back to the pair."""
    classes = tables.classes
    positions = classes.member_starts[classes.pair_classes] + classes.places
    assert (classes.members[positions] == np.arange(280 * 280)).all()


def test_fillings_and_ways_depend_on_the_class_alone(tables: GridTables) -> None:
    """Numbers computed for representatives are also correct for other members of a class."""
    sets, fillings, classes, below, _ = tables
    rng = np.random.default_rng(5)
    for kind, pair in list(enumerate(classes.representatives))[::4]:
        members = classes.members[classes.member_starts[kind] : classes.member_starts[kind + 1]]
        second_partitions, third_partitions = np.divmod(members, 280)
        assert (
            fillings.counts[second_partitions, third_partitions] == fillings.counts[tuple(pair)]
        ).all()
        first = divmod(int(rng.choice(members)), 280)
        assert count_lower_bands(sets, fillings, first).sum() == below[kind, -1]

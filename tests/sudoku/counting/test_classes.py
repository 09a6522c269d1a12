"""Essentially different grids: published numbers, and each step against enumeration."""

import numpy as np
import pytest

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.counting import classes
from sudokucrypt.sudoku.counting.classes import count_classes
from sudokucrypt.typing import Box
from tests.sudoku.enumeration import reduced_grids, relabelled
from tests.sudoku.kernels import COMPILED, kernel_and_twin

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
@pytest.mark.skipif(not COMPILED, reason="some take minutes with the twin, which is compared below")
def test_published_numbers(box: Box, number: int) -> None:
    """The numbers are the published ones; those of 2x4 and 3x3 take minutes."""
    assert count_classes(box) == number


def test_small_numbers_without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin counts the same."""
    _, twin = kernel_and_twin("orbits")
    monkeypatch.setattr(classes, "_kernels", twin)
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
    """Together they have as many movements as the symmetries that relabel nothing."""
    kinds = classes._kinds(*box)
    assert len(kinds) == number
    assert sum(kind.size for kind in kinds) == order


@pytest.mark.parametrize(
    "box", [(2, 2), (1, 4), (1, 5), pytest.param((2, 3), marks=pytest.mark.slow)]
)
def test_each_kind_leaves_what_enumeration_finds(box: Box) -> None:
    """As many reduced grids are their own images, relabelled, as the searches of a kind count."""
    grids = reduced_grids(box)
    flat = grids.reshape(len(grids), -1)
    for kind in classes._kinds(*box):
        images = np.empty_like(flat)
        images[:, kind.movement] = flat
        same = (relabelled(images.reshape(grids.shape)) == grids).all(axis=(1, 2)).sum()
        searches = list(classes._searches(kind.movement, box))
        if classes._moves_nothing(kind.movement):
            assert (searches, same) == ([], len(grids))
        assert sum(map(classes._count_part, searches)) == (same if searches else 0)


@pytest.mark.parametrize("parts", [1, 3])
def test_kernel_and_twin_agree(parts: int) -> None:
    """Both find the same in each part, within the same nodes, and leave their room as it was."""
    kinds = classes._kinds(2, 2)
    for search in [search for kind in kinds for search in classes._searches(kind.movement, (2, 2))]:
        orbits = len(search[0]) - 1
        whole = []
        for part in range(parts):
            for nodes in (3, 5, 1000):
                result = []
                for module in kernel_and_twin("orbits"):
                    used, order = np.zeros(12, np.uint32), np.arange(orbits, dtype=np.int32)
                    cut = min(2, orbits)
                    result.append(module.count(*search, used, order, cut, part, parts, nodes))
                    assert not used.any()
                    assert (order == np.arange(orbits)).all()
                assert result[0] == result[1]
            whole.append(result[0])
        assert sum(whole) == classes._count_part(search)


def test_long_searches_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes more nodes is counted in parts that together are the same."""
    steps: list[tuple[int, int]] = []
    count_classes((2, 2), progress=lambda *step: steps.append(step))
    assert steps == [(0, 1), (1, 1)]  # all of them are short
    monkeypatch.setattr(classes, "_SHORT", 2)
    assert count_classes((2, 2), progress=lambda *step: steps.append(step)) == 2
    assert len(steps) > classes._PARTS


def test_shapes_out_of_reach_are_named() -> None:
    """Others are refused at once, with those that can be counted."""
    for box in [(1, 8), (2, 5), (3, 4)]:
        with pytest.raises(UnsupportedError, match="cannot be counted") as caught:
            count_classes(box)
        assert "3x3" in (caught.value.hint or "")

"""ExactCover: all solutions of general problems and of Sudoku models."""

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku import (
    ExactCover,
    SudokuPuzzle,
    Variant,
    count_solutions,
    puzzle_cover,
    seeded_draws,
    solutions,
)

ITEMS, OPTIONAL = "abcd", "xy"


def list_covers_by_brute_force(options: dict[int, frozenset[str]]) -> set[frozenset[int]]:
    """Return all solutions by trying every set of options."""
    result = set()
    useful = [name for name, items in options.items() if items & set(ITEMS)]
    for size in range(len(ITEMS) + 1):
        for names in combinations(useful, size):
            covered = [item for name in names for item in options[name]]
            if len(set(covered)) == len(covered) and set(ITEMS) <= set(covered):
                result.add(frozenset(names))
    return result


@settings(max_examples=25)
@given(
    st.lists(st.frozensets(st.sampled_from(ITEMS + OPTIONAL), min_size=1), max_size=9),
    st.integers(0, 1000),
)
def test_all_solutions_are_found_once(listed: list[frozenset[str]], seed: int) -> None:
    """On small problems, solutions agree with brute force, in any order."""
    options = dict(enumerate(listed))
    cover = ExactCover(ITEMS, options, optional=OPTIONAL)
    expected = list_covers_by_brute_force(options)
    for source in (None, seeded_draws(seed)):
        result = [frozenset(names) for names in cover.solutions(source=source)]
        assert len(result) == len(set(result))
        assert set(result) == expected
    assert cover.count() == len(expected)


def make_queens_problem(side: int) -> ExactCover[tuple[str, int], tuple[int, int]]:
    """Return the exact cover problem of n queens, with optional diagonals."""
    positions = list(product(range(side), repeat=2))
    options = {
        (r, c): [("row", r), ("column", c), ("sum", r + c), ("difference", r - c)]
        for r, c in positions
    }
    lines = [(kind, index) for kind in ("row", "column") for index in range(side)]
    diagonals = {item for items in options.values() for item in items[2:]}
    return ExactCover(lines, options, optional=sorted(diagonals))


@pytest.mark.parametrize(("side", "count"), [(1, 1), (3, 0), (6, 4), (8, 92)])
def test_queens(side: int, count: int) -> None:
    """The number of solutions for n queens agrees with OEIS A000170."""
    assert make_queens_problem(side).count() == count


def test_limit_and_laziness() -> None:
    """Counting stops at the limit, and independent iterators yield solutions one by one."""
    cover = make_queens_problem(8)
    assert cover.count(limit=10) == 10
    assert cover.count(limit=1000) == 92
    first, second = cover.solutions(), cover.solutions()
    next(first)
    assert list(first) == list(second)[1:]
    with pytest.raises(InvalidParameterError, match="limit"):
        cover.count(limit=0)


def test_random_order_is_repeatable() -> None:
    """A seed determines the order, and different seeds begin with different solutions."""
    firsts = {
        tuple(next(make_queens_problem(8).solutions(source=seeded_draws(seed))))
        for seed in range(10)
    }
    assert len(firsts) > 3
    order = [list(make_queens_problem(6).solutions(source=seeded_draws(3))) for _ in range(2)]
    assert order[0] == order[1]


def test_deep_problems_do_not_recurse() -> None:
    """Problems with far more levels than Python's recursion limit are solved."""
    cover = ExactCover(range(1200), {index: [index] for index in range(1200)})
    assert [len(names) for names in cover.solutions()] == [1200]


def test_nothing_to_cover() -> None:
    """Without items the empty choice is the only solution; an item without options has none."""
    assert list(ExactCover("", {1: "x"}, optional="x").solutions()) == [()]
    assert ExactCover("ab", {1: "a"}).count() == 0


def test_bad_problems_are_refused() -> None:
    """Repeated items, empty options and unknown items raise InvalidParameterError."""
    for items, options, optional in [
        ("aa", {}, ""),
        ("ab", {}, "a"),
        ("a", {1: ""}, ""),
        ("a", {1: "aa"}, ""),
        ("a", {1: "b"}, ""),
    ]:
        with pytest.raises(InvalidParameterError):
            ExactCover(items, options, optional=optional)


@pytest.mark.parametrize(
    ("variant", "count"),
    [
        (Variant.latin(1), 1),
        (Variant.latin(4), 576),
        (Variant.standard((2, 2)), 288),
        (Variant.array((1, 1, 2, 3)), 720),
        (Variant.array((2, 1, 1, 2)), 2),
    ],
)
def test_models_count_what_is_known(variant: Variant, count: int) -> None:
    """The counts agree with OEIS A002860 for Latin squares, A107739 for 4x4, and with arrays by
    hand."""
    empty_puzzle = SudokuPuzzle.empty(variant)
    assert puzzle_cover(variant).count() == count_solutions(empty_puzzle) == count
    assert len({solution.to_text() for solution in solutions(empty_puzzle)}) == count

"""Solvers: no, one and many solutions of every variant, with agreement of all solvers."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from sudokucrypt.errors import (
    BrokenRuleError,
    InvalidParameterError,
    MultipleSolutionsError,
    NoSolutionError,
    UndecidedError,
    UnsupportedError,
)
from sudokucrypt.sudoku.making.puzzles import make_puzzle
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import House, Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.batch import solve_batch
from sudokucrypt.sudoku.solving.exact_cover import cover_solutions
from sudokucrypt.sudoku.solving.solver import (
    count_solutions,
    is_ordinary,
    is_unique,
    random_solution,
    solutions,
    solve,
)
from tests.sudoku.kernels import COMPILED
from tests.sudoku.puzzles import (
    HARD,
    ROYLE,
    SOLUTIONS,
    make_engine_puzzle,
    make_sparse_puzzle,
    make_unsolvable_puzzle,
    remove_random_givens,
)

pytestmark = pytest.mark.kernels

SMALL = [
    Variant.standard((2, 2)),
    Variant.standard((2, 3)),
    Variant.x((2, 3)),
    Variant.latin(5),
    Variant.samurai((2, 2)),
    Variant.array((2, 2, 2, 3)),
    Variant.windoku((2, 2)),
    Variant.anti_knight((2, 3)),
    Variant.jigsaw(["AABCCC", "AABCCD", "AABCDD", "BBBDDD", "EEEFFF", "EEEFFF"]),
]


@pytest.mark.parametrize("text", [ROYLE[0], *HARD.values()])
def test_known_puzzles(text: str) -> None:
    """Both searches find exactly the known solution of known puzzles."""
    puzzle = SudokuPuzzle.from_text(text)
    solution = solve(puzzle)
    assert solution.to_text() == SOLUTIONS[text]
    assert list(solutions(puzzle, source=seeded_draws(1))) == [solution]


def test_errors() -> None:
    """No solution and several solutions raise different errors with hints."""
    with pytest.raises(NoSolutionError, match="no solution") as no_solution:
        solve(SudokuPuzzle.from_text("12....3........."))
    assert no_solution.value.hint
    with pytest.raises(MultipleSolutionsError, match="more than one") as many_solutions:
        solve(SudokuPuzzle.empty(Variant.standard()))
    assert many_solutions.value.hint
    with pytest.raises(NoSolutionError):
        random_solution(SudokuPuzzle.from_text("12....3........."), seeded_draws(1))
    with pytest.raises(InvalidParameterError, match="limit"):
        count_solutions(SudokuPuzzle.empty(Variant.standard()), limit=0)
    with pytest.raises(UnsupportedError, match="at most 64 digits"):
        is_unique(SudokuPuzzle.empty(Variant.latin(65)))


def count_with_all_solvers(puzzle: SudokuPuzzle, limit: int = 40) -> int:
    """Check that all solvers agree up to the limit, and return the number of solutions."""
    known = {solution.to_text() for solution in islice(cover_solutions(puzzle), limit)}
    count = count_solutions(puzzle, limit=limit)
    assert count == len(known)
    assert is_unique(puzzle) == (count == 1)
    for source in (None, seeded_draws(5)):  # 9x9 puzzles go to both searches
        result = [
            solution.to_text() for solution in islice(solutions(puzzle, source=source), limit)
        ]
        assert len(set(result)) == len(result) == count
        if count < limit:
            assert set(result) == known
            assert count_solutions(puzzle) == count
    return count


@pytest.mark.parametrize("seed", range(3))
def test_solvers_agree_on_9x9(seed: int) -> None:
    """Bit boards, bit sets and dancing links agree for 0, 1 and many solutions of 9x9 puzzles."""
    puzzle = make_sparse_puzzle(Variant.standard(), seed)
    assert count_with_all_solvers(puzzle) == 1
    assert count_with_all_solvers(make_unsolvable_puzzle(puzzle, seed)) != 1
    assert count_with_all_solvers(remove_random_givens(puzzle, seed, 1)) > 1
    assert count_with_all_solvers(remove_random_givens(puzzle, seed, 3)) > 1


@pytest.mark.parametrize("variant", SMALL, ids=lambda variant: variant.name)
def test_solvers_agree_on_variants(variant: Variant) -> None:
    """Bit sets and dancing links agree for 0, 1 and many solutions of variants."""
    for seed in range(2):
        puzzle = make_sparse_puzzle(variant, seed)
        assert count_with_all_solvers(puzzle) == 1
        assert count_with_all_solvers(make_unsolvable_puzzle(puzzle, seed)) != 1
        assert (
            count_with_all_solvers(
                remove_random_givens(puzzle, seed, min(3, puzzle.number_of_givens))
            )
            > 1
        )


@pytest.mark.parametrize(
    "variant", [Variant.x(), Variant.standard((4, 4))], ids=lambda variant: variant.name
)
def test_large_puzzles(variant: Variant) -> None:
    """Larger puzzles with one solution are solved, and the solution is the original grid."""
    tries = min(len(variant.cells) // 3, 80)
    puzzle = make_sparse_puzzle(variant, 3, attempts=tries)
    assert puzzle.number_of_givens < len(variant.cells) - tries // 2
    solution = solve(puzzle)
    assert make_engine_puzzle(solution.givens, variant).number_of_givens == len(variant.cells)
    assert solution == random_solution(variant, seeded_draws(3))


@pytest.mark.skipif(not COMPILED, reason="such a puzzle is made with compiled kernels")
def test_puzzles_of_order_25_take_few_nodes() -> None:
    """Puzzles of order 25 need few nodes; without locked candidates and weights, they need
    millions."""
    for seed in range(2):
        pair = make_puzzle(seeded_draws(seed), sheet=Variant.standard((5, 5)))
        assert solve(pair.puzzle, patience=5000) == pair.solution


def test_searches_are_given_up() -> None:
    """`patience` begins anew for each solution, and solutions found before it ends are right."""
    latin = SudokuPuzzle.empty(Variant.latin(5))
    assert count_solutions(latin, patience=100) == 161280
    assert is_unique(SudokuPuzzle.empty(Variant.latin(1)), patience=1)
    for search in (solve, is_unique, lambda *args, **options: list(solutions(*args, **options))):
        with pytest.raises(UndecidedError, match="stopped at node 2 ") as raised:
            search(latin, patience=2)
        assert raised.value.hint
    with pytest.raises(InvalidParameterError, match="patience"):
        solve(latin, patience=0)


@pytest.mark.parametrize("variant", [Variant.latin(5), Variant.standard()])
def test_counts_are_given_up(variant: Variant) -> None:
    """`budget` limits all nodes, and the error contains the number of solutions found."""
    result = []
    for budget in (1, 2500, 5000):
        with pytest.raises(UndecidedError, match=f"at node {budget} with") as raised:
            count_solutions(variant, budget=budget)
        assert f" {raised.value.found} solutions" in str(raised.value)
        result.append(raised.value.found or 0)
    assert result[0] <= result[1] < result[2] <= 5000
    with pytest.raises(UndecidedError) as raised:
        count_solutions(variant, patience=2, budget=100)
    assert raised.value.found == 0
    assert count_solutions(variant, 10, budget=5000) == 10
    with pytest.raises(InvalidParameterError, match="the budget"):
        count_solutions(variant, budget=0)


def test_a_count_within_its_budget_is_whole() -> None:
    """A sufficient budget changes nothing, and a variant counts like its empty puzzle."""
    assert count_solutions(Variant.latin(4), budget=10_000) == 576
    assert count_solutions(SudokuPuzzle.empty(Variant.standard((2, 2))), budget=10_000) == 288


def test_ordinary_rules_are_known_by_their_houses() -> None:
    """is_ordinary ignores names and orders of houses, but not an additional house."""
    standard = Variant.standard()
    reversed_houses = [
        House(house.name[::-1], house.cells[::-1]) for house in reversed(standard.houses)
    ]
    renamed = replace(standard, name="mine", houses=tuple(reversed_houses))
    assert is_ordinary(standard)
    assert is_ordinary(renamed)
    assert not is_ordinary(Variant.x())
    assert not is_ordinary(Variant.standard((9, 1)))
    puzzle = SudokuPuzzle.from_text(ROYLE[0], renamed)
    assert solve(puzzle) == SudokuPuzzle.from_text(ROYLE[1], renamed)


def test_counting_stops_at_the_limit() -> None:
    """Counting an empty 9x9 puzzle stops at the limit."""
    empty_puzzle = SudokuPuzzle.empty(Variant.standard())
    for limit in (1, 2, 2000, 2001, 5000):
        assert count_solutions(empty_puzzle, limit=limit) == limit


@pytest.mark.slow
def test_full_sheets_of_large_variants() -> None:
    """Full grids of large variants are found by restarting."""
    variant = Variant.samurai((5, 5) if COMPILED else (3, 3))
    full = random_solution(variant, seeded_draws(1))
    assert make_engine_puzzle(full.givens, variant).number_of_givens == len(variant.cells)


def test_nodes_of_a_random_solution_are_told() -> None:
    """The last traced node of each cell is its digit, and givens are not traced."""
    variant = Variant.x((2, 2))
    for puzzle in (SudokuPuzzle.empty(variant), SudokuPuzzle.from_text("1" + "." * 15, variant)):
        last: dict[int, int] = {}

        def trace(_number: int, cell: int, digit: int, last: dict[int, int] = last) -> None:
            last[cell] = digit

        result = random_solution(puzzle, seeded_draws(3), trace=trace)
        assert last.keys() == set(np.flatnonzero(puzzle.givens < 0).tolist())
        assert all(result.givens[cell] == digit for cell, digit in last.items())


def test_variants_without_a_full_sheet_are_named() -> None:
    """For X-Sudoku of order 2, the error names the variant."""
    with pytest.raises(NoSolutionError, match="no full grid of X, 2x2"):
        random_solution(Variant.x((1, 2)), seeded_draws(1))


def test_random_solutions_come_from_the_seed() -> None:
    """A seed always gives the same solution, different seeds give several, and givens are kept."""
    puzzle = SudokuPuzzle.from_text("12.3............")
    result = [random_solution(puzzle, seeded_draws(seed)) for seed in range(60)]
    assert set(result) == set(solutions(puzzle))
    assert random_solution(puzzle, seeded_draws(7)) == result[7]
    grid = random_solution(Variant.standard((2, 3)), seeded_draws(1)).to_text()
    assert grid == "135462264135412356356241623514541623"


def test_givens_that_break_a_rule_have_no_solution() -> None:
    """Givens that break a rule count 0 solutions, and solving them names the house."""
    broken = "11" + "." * 79
    digits = [int(digit) for digit in broken.replace(".", "0")]
    assert count_solutions(broken) == count_solutions(digits) == 0
    assert solve_batch([digits]).counts.tolist() == [0]
    assert not is_unique(broken)
    with pytest.raises(BrokenRuleError, match="row 1 holds 1 twice"):
        solve(broken)

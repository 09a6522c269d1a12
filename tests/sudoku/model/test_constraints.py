"""Constraints: every kind is tested by brute force, both searches, and another solver."""

import re
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import BrokenRuleError, InvalidGridError, UnsupportedError
from sudokucrypt.sudoku import (
    SudokuPuzzle,
    Variant,
    cover_solutions,
    random_grid,
    seeded_draws,
    solutions,
    solve,
)
from sudokucrypt.sudoku._kernels import search_plain
from sudokucrypt.sudoku.formats import StoredPuzzle, read_stored_puzzles
from sudokucrypt.sudoku.formats.fpuzzles import format_fpuzzles
from sudokucrypt.sudoku.making.constrained import (
    CONSTRAINT_MAKERS,
    _list_neighbors,
    make_constrained,
)
from sudokucrypt.sudoku.model.constraints import CONSTRAINTS, Constraint
from sudokucrypt.sudoku.model.constraints.contract import make_pair_kind
from sudokucrypt.sudoku.model.constraints.entries import make_group_form, parse_number
from sudokucrypt.sudoku.model.constraints.leftovers import find_leftover_totals
from sudokucrypt.sudoku.model.constraints.marks import make_line
from sudokucrypt.sudoku.model.constraints.relations import relate_total
from sudokucrypt.sudoku.solving import solver
from tests.benchmarks.constraints import time_solvers
from tests.sudoku.constraints import draw_constraint, draw_satisfied_constraints, make_cp_model

SMALL, SIX, NINE = (Variant.standard(box) for box in ((2, 2), (2, 3), (3, 3)))
GRIDS = np.array([solution.givens + 1 for solution in cover_solutions(SudokuPuzzle.empty(SMALL))])
LOCAL = [name for name, kind in CONSTRAINTS.items() if kind.sizes != range(1)]
MOST = 2000  # solutions that are looked at one by one
MANY = 5  # solutions that two solvers are asked for


def make_puzzle_with_givens(
    variant: Variant, box: tuple[int, int], given_count: int, draws: Any
) -> SudokuPuzzle:
    """Return a random grid of which only some givens remain."""
    digits = random_grid(draws, box=box).cells.reshape(-1) + 1
    digits[draws.permutations([digits.size])[given_count:]] = 0
    return SudokuPuzzle(digits, variant)


def list_solutions_of_small_puzzle(
    number: int, draws: Any
) -> tuple[SudokuPuzzle, np.ndarray[Any, Any]]:
    """Return an empty 4x4 puzzle or a 6x6 puzzle, with all its solutions by exact cover."""
    if number % 2:
        return SudokuPuzzle.empty(SMALL), GRIDS
    puzzle = make_puzzle_with_givens(SIX, (2, 3), 12 + draws.below(8), draws)
    grids = [one.givens + 1 for one in islice(cover_solutions(puzzle), MOST)]
    return (
        (puzzle, np.array(grids))
        if len(grids) < MOST
        else list_solutions_of_small_puzzle(number, draws)
    )


@pytest.mark.parametrize(
    "puzzles",
    [30, pytest.param(80, marks=pytest.mark.slow), pytest.param(300, marks=pytest.mark.nightly)],
)
@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_solutions_are_those_of_brute_force(
    kind: str, puzzles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one to three constraints, the search finds exactly the grids that satisfy them."""
    draws = seeded_draws(len(kind))
    counts = set()
    for index in range(puzzles):
        puzzle, grids = list_solutions_of_small_puzzle(index, draws)
        variant, chosen = puzzle.variant, grids[draws.below(len(grids))].tolist()
        rules = draw_satisfied_constraints(kind, variant, chosen, draws)
        if index % 3:
            names = [kind, [*LOCAL][draws.below(len(LOCAL))]]
            rules += [draw_constraint(name, variant, draws) for name in names if name in LOCAL]
        variant = variant.with_constraints(*rules)
        is_solution = [all(rule.holds(grid, variant) for rule in rules) for grid in grids.tolist()]
        expected = {tuple(grid) for grid in (grids[is_solution] - 1).tolist()}
        counts.add(min(len(expected), 2))
        puzzle = SudokuPuzzle.wrap_valid(puzzle.givens.copy(), variant)
        assert {tuple(solution.givens.tolist()) for solution in solutions(puzzle)} == expected
        if index % 20 == 1:
            with monkeypatch.context() as patch:
                patch.setattr(solver, "_general_kernel", search_plain)
                assert {
                    tuple(solution.givens.tolist()) for solution in solutions(puzzle)
                } == expected
    assert puzzles < 80 or {1, 2} <= counts


@pytest.mark.slow
@pytest.mark.parametrize(
    "residue", [0, 1, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(2, 5))]
)
def test_solutions_are_those_of_another_model(residue: int) -> None:
    """For 100 9x9 puzzles, with each kind in ten or more, OR-tools finds the same solutions."""
    cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="OR-tools is optional")
    draws, kinds = seeded_draws(residue), [*CONSTRAINTS]
    for index in range(20):
        puzzle = make_puzzle_with_givens(NINE, (3, 3), 81, draws)
        solution = (puzzle.givens + 1).tolist()
        kind_names = [kinds[(3 * index + offset) % len(kinds)] for offset in (0, 1, 2, 2)]
        rules = [
            rule
            for kind in kind_names
            for rule in draw_satisfied_constraints(kind, NINE, solution, draws)
        ]
        givens = puzzle.givens.copy()
        givens[draws.permutations([81])[26:]] = -1
        puzzle = SudokuPuzzle.wrap_valid(givens, NINE.with_constraints(*dict.fromkeys(rules)))
        own_solutions = {tuple(one.givens.tolist()) for one in islice(solutions(puzzle), MANY)}
        model_solutions = list_cp_solutions(cp_model, puzzle)
        assert len(own_solutions) == len(model_solutions)
        assert own_solutions == model_solutions or len(own_solutions) == MANY


def list_cp_solutions(cp_model: Any, puzzle: SudokuPuzzle) -> set[tuple[int, ...]]:
    """Return up to `MANY` solutions by OR-tools."""
    model, cells = make_cp_model(cp_model, puzzle)
    search = cp_model.CpSolver()
    search.parameters.num_workers = 1
    results: set[tuple[int, ...]] = set()
    while len(results) < MANY and search.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        digits = [search.value(cell) for cell in cells]
        results.add(tuple(digit - 1 for digit in digits))
        model.add_forbidden_assignments(cells, [digits])
    return results


@pytest.mark.parametrize("kind", CONSTRAINT_MAKERS)
@pytest.mark.parametrize("box", [(2, 2), (2, 3)])
def test_kernel_and_fallback_visit_equal_nodes(kind: str, box: tuple[int, int]) -> None:
    """The compiled search and its fallback find the same solutions in the same number of nodes."""
    for seed in range(3):
        puzzle, _ = make_constrained(seed, kind=kind, box=box)
        variant = puzzle.variant
        for givens in (puzzle.givens, np.full_like(puzzle.givens, -1)):
            counts = []
            for search_module in (vars(solver)["_general_kernel"], search_plain):
                order = np.arange(len(givens), dtype=np.int32)
                search = search_module.Search(
                    *variant.rules,
                    givens,
                    order,
                    None,
                    branches_on_places=True,
                    relations=variant.relations,
                )
                results = np.empty((4, len(givens)), dtype=np.int32)
                nodes = [search.advance(results[:1], 1, 1) for _ in range(40)]
                counts.append((nodes, search.finished))
            assert counts[0] == counts[1]


@pytest.mark.nightly
@pytest.mark.parametrize("kind", CONSTRAINT_MAKERS)
def test_made_puzzles_have_one_solution(kind: str) -> None:
    """The returned solution of a made puzzle is the only one, also by an independent model."""
    cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="OR-tools is optional")
    for seed in range(50):
        puzzle, solution = make_constrained(seed, kind=kind)
        assert make_constrained(seed, kind=kind).puzzle == puzzle
        assert solve(puzzle) == solution
        assert list_cp_solutions(cp_model, puzzle) == {tuple(solution.givens.tolist())}


def test_invalid_constraints_are_refused() -> None:
    """Unknown kinds, cells outside, repeated cells and values below 1 are refused."""
    for kind, cells, value in (
        ("frog", (0, 1), 1), ("killer", (0, 0), 3), ("killer", (), 3), ("killer", (0, 1), -5),
        ("thermometer", (0,), 0),
    ):  # fmt: skip
        with pytest.raises(InvalidGridError):
            Constraint(kind, cells, value)
    for outside in ([0, 16], [-1, 2], [*range(5)]):
        with pytest.raises(InvalidGridError):
            SMALL.with_constraints(Constraint("killer", tuple(outside), 5))


def test_clones_hold_the_same_digits() -> None:
    """The second half of a clone has the digits of the first half in the same order."""
    clone = Constraint("clone", (0, 1, 8, 9))
    for digits, is_valid in (((1, 2, 1, 2), True), ((1, 2, 2, 1), False), ((1, 2, 3, 4), False)):
        solution = dict(zip(clone.cells, digits, strict=True))
        assert clone.holds([solution.get(cell, 0) for cell in range(16)], SMALL) == is_valid


def test_how_many_cells_each_kind_takes() -> None:
    """Kinds of more than one size take the numbers of cells that they are defined for."""
    sizes = {
        kind: (min(each.sizes), max(each.sizes))
        for kind, each in CONSTRAINTS.items()
        if len(each.sizes) > 1
    }
    assert sizes == {
        **dict.fromkeys(("killer", "renban"), (1, 64)),  # their digits differ
        "sum": (1, 256),
        "betweenline": (3, 256),  # two circles and what is between them
        **dict.fromkeys(("sandwich", "arrow", "palindrome"), (2, 256)),
        **dict.fromkeys(("thermometer", "whispers", "clone"), (2, 256)),
    }
    distinct = {kind for kind, each in CONSTRAINTS.items() if each.distinct}
    assert distinct == {"killer", "renban", "sandwich"}
    for kind in distinct:  # five cells cannot hold five of four digits
        with pytest.raises(InvalidGridError):
            SMALL.with_constraints(Constraint(kind, (0, 1, 2, 3, 4), 0))
    assert {kind for kind, each in CONSTRAINTS.items() if {*each.sizes} == {0}} == {
        "nonconsecutive",
        "negative-ratio",
        "negative-xv",
    }


@pytest.mark.parametrize(("second_digit", "is_valid"), [(2, False), (3, True), (4, True)])
def test_neighbors_that_are_not_consecutive(second_digit: int, is_valid: bool) -> None:
    """With nonconsecutive, neighbors may differ by anything except 1."""
    rule = Constraint("nonconsecutive", ())
    squares = [second_digit if (row + column) % 2 else 1 for row in range(4) for column in range(4)]
    assert rule.holds(squares, SMALL.with_constraints(rule)) == is_valid


def test_cages_tell_of_the_cells_beside_them() -> None:
    """Cages inside a row imply the sum of its other cells; cages elsewhere imply nothing."""
    rows = [range(start, start + 4) for start in range(0, 16, 4)]
    cages = [Constraint("killer", (0, 1, 2), 6), Constraint("killer", (8,), 3)]
    relations = [left.relation for left in find_leftover_totals(cages, rows, 4)]
    for relation in (
        relate_total([3], 4),
        relate_total([9, 10, 11], 7),
        relate_total([3, 4, 5, 6, 7], 14),
    ):
        assert relation in relations


def test_cages_that_reach_out_of_a_row_tell_of_their_cells_outside() -> None:
    """Cages that cover a row and more imply the sum of their cells outside of it."""
    rows = [range(start, start + 4) for start in range(0, 16, 4)]
    cages = [Constraint("killer", (0, 1), 3), Constraint("killer", (2, 3, 7), 9)]
    outside = [left for left in find_leftover_totals(cages, rows, 4) if left.is_outside]
    assert [(left.relation, left.houses, left.sums) for left in outside] == [
        (relate_total([7], 2), (0,), (10, 12))
    ]


@pytest.mark.parametrize(("corners", "center", "corner"), [(False, 4, 2), (True, 8, 3)])
def test_drawn_lines_go_from_neighbor_to_neighbor(corners: bool, center: int, corner: int) -> None:
    """Neighbors touch at an edge or, if wanted, at a corner, and no cell is its own neighbor."""
    neighbors = _list_neighbors(SMALL, with_corners=corners)
    assert (len(neighbors[5]), len(neighbors[0])) == (center, corner)
    for cell, others in enumerate(neighbors):
        steps = [(abs(cell // 4 - other // 4), abs(cell % 4 - other % 4)) for other in others]
        assert len({*others}) == len(others)
        assert {*steps} <= ({(0, 1), (1, 0), (1, 1)} if corners else {(0, 1), (1, 0)})


def test_constraints_are_part_of_the_rules() -> None:
    """A broken constraint is reported, and functions that support only houses refuse
    constraints."""
    variant = SMALL.with_constraints(Constraint("sum", (0, 10), 8))
    with pytest.raises(BrokenRuleError, match="r1c1 r3c3 sum to 8"):
        SudokuPuzzle([1, *[0] * 9, 2, *[0] * 5], variant)
    assert {solution[0, 0] for solution in solutions(SudokuPuzzle.empty(variant))} == {4}
    with pytest.raises(UnsupportedError):
        list(cover_solutions(SudokuPuzzle.empty(variant)))
    assert variant != SMALL


def test_a_registered_kind_is_known_everywhere() -> None:
    """Text, links, pictures and both searches support a kind that another package registers."""
    CONSTRAINTS.register(
        make_pair_kind(
            lambda _: lambda a, b: b == 2 * a,
            name="doubled",
            sentence=lambda _, names: f"{names[1]} is twice {names[0]}.",
            sizes=range(2, 3),
            marks=lambda it, sheet: [
                make_line([sheet.cells[cell] for cell in it.cells], width=0.1, color="#000000")
            ],
            entry=make_group_form("doubled", "doubled"),
        )
    )
    try:
        variant = SMALL.with_constraints(Constraint("doubled", (0, 1)))
        puzzle = SudokuPuzzle.empty(variant)
        assert {(one[0, 0], one[0, 1]) for one in solutions(puzzle)} == {(1, 2), (2, 4)}
        reread = [*(read_stored_puzzles(format_fpuzzles(StoredPuzzle(puzzle))) or ())]
        assert [stored.puzzle for stored in reread] == [puzzle]
        picture = puzzle.panel().variant
        assert len(picture.marks) == 1
        assert picture.legend == variant.rule == "r1c2 is twice r1c1."
    finally:
        CONSTRAINTS.remove("doubled")


def test_the_reference_has_every_kind() -> None:
    """The table of the docs describes cells and value of each kind."""
    page = (Path(__file__).parents[3] / "docs/reference/api-sudoku.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert {*CONSTRAINTS} <= {name for row in rows for name in re.findall("`(.*?)`", row)}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", CONSTRAINT_MAKERS)
def test_puzzles_are_solved_ten_times_as_fast(kind: str) -> None:
    """Ten puzzles of a kind take at most a tenth of the CPU time of OR-tools on one thread."""
    pytest.importorskip("ortools.sat.python.cp_model", reason="OR-tools is optional")
    durations = [time_solvers(make_constrained(seed, kind=kind).puzzle) for seed in range(10)]
    assert sum(each.theirs for each in durations) > 10 * sum(each.ours for each in durations)


def test_values_of_constraints_are_numbers_up_to_999() -> None:
    """A value is a number or its digits; others are refused without repeating a long text."""
    assert [parse_number(value) for value in (0, "7", 999, "999")] == [0, 7, 999, 999]
    for value in (-1, 1000, "1000", "", "1.5", "\u0663", None, True, 3.0, [1], "9" * 5000):
        with pytest.raises(InvalidGridError, match="of a constraint is not 0 to 999") as caught:
            parse_number(value)
        assert len(str(caught.value)) < 80

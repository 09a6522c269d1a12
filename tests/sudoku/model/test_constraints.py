"""Constraints: every kind against brute force, both searches, and another solver."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import BrokenRuleError, InvalidGridError, UnsupportedError
from sudokucrypt.sudoku import (
    SudokuPuzzle,
    Variant,
    cover_solutions,
    deductions,
    seeded_draws,
    solutions,
    solve,
)
from sudokucrypt.sudoku._kernels import search_plain
from sudokucrypt.sudoku.making.constrained import MAKERS, make_constrained
from sudokucrypt.sudoku.model.constraints import CONSTRAINTS, Constraint
from sudokucrypt.sudoku.solving import solver

SMALL = Variant.standard((2, 2))
GRIDS = np.array([found.givens + 1 for found in cover_solutions(SudokuPuzzle.empty(SMALL))])


def drawn(kind: str, draws: Any) -> Constraint:
    """A constraint of a kind on random cells of 4x4."""
    most = 4 if CONSTRAINTS[kind].distinct else 5
    size = 1 if kind in ("odd", "even") else 2 + draws.below(most - 1)
    cells = tuple(draws.permutations([16]).tolist()[:size])
    value = 1 + draws.below(3) if kind != "arrow" else 1
    return Constraint(kind, cells, sum(range(size)) + value if kind in ("killer", "sum") else value)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_solutions_are_those_of_brute_force(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all 288 grids of 4x4 those that keep one to three constraints are found, by both twins."""
    draws = seeded_draws(len(kind))
    counts = set()
    for number in range(300):
        rules = [drawn(kind, draws) for _ in range(1 + draws.below(3))]
        variant = SMALL.with_constraints(*rules)
        keeps = [all(rule.holds(grid) for rule in rules) for grid in GRIDS.tolist()]
        expected = {tuple(grid) for grid in (GRIDS[keeps] - 1).tolist()}
        puzzle = SudokuPuzzle.empty(variant)
        assert {tuple(found.givens.tolist()) for found in solutions(puzzle)} == expected
        counts.add(min(len(expected), 2))
        if number % 20 == 0:
            with monkeypatch.context() as patch:
                patch.setattr(solver, "_general", search_plain)
                assert {tuple(found.givens.tolist()) for found in solutions(puzzle)} == expected
    assert 2 in counts


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("box", [(2, 2), (2, 3)])
def test_twins_go_the_same_way(kind: str, box: tuple[int, int]) -> None:
    """The compiled search and its twin find the same solutions in as many nodes."""
    for seed in range(3):
        puzzle, _ = make_constrained(seed, kind=kind, box=box)
        variant = puzzle.variant
        for givens in (puzzle.givens, np.full_like(puzzle.givens, -1)):
            counts = []
            for twin in (vars(solver)["_general"], search_plain):
                order = np.arange(len(givens), dtype=np.int32)
                search = twin.Search(
                    *variant.rules, givens, order, None, by_places=True, relations=variant.relations
                )
                found = np.empty((4, len(givens)), dtype=np.int32)
                nodes = [search.advance(found[:1], 1, 1) for _ in range(40)]
                counts.append((nodes, search.finished))
            assert counts[0] == counts[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKERS)
def test_made_puzzles_have_one_solution(kind: str) -> None:
    """It is the one they were made from, by an independent model too."""
    cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="OR-tools is optional")
    for seed in range(4):
        puzzle, solution = make_constrained(seed, kind=kind)
        assert make_constrained(seed, kind=kind).puzzle == puzzle
        assert solve(puzzle) == solution
        model, cells = modelled(cp_model, puzzle)
        search = cp_model.CpSolver()
        assert search.solve(model) == cp_model.OPTIMAL
        assert [search.value(cell) - 1 for cell in cells] == solution.givens.tolist()
        differ = []
        for cell, digit in zip(cells, solution.givens.tolist(), strict=True):
            other = model.new_bool_var("")
            model.add(cell != digit + 1).only_enforce_if(other)
            differ.append(other)
        model.add_bool_or(differ)
        assert search.solve(model) == cp_model.INFEASIBLE


def modelled(cp_model: Any, puzzle: SudokuPuzzle) -> tuple[Any, list[Any]]:
    """A model of OR-tools: each constraint by its definition, as sums, orders or allowed pairs."""
    model, variant = cp_model.CpModel(), puzzle.variant
    cells = [model.new_int_var(1, variant.digits, "") for _ in variant.cells]
    for house in variant.houses:
        model.add_all_different([cells[cell] for cell in house.cells])
    for cell, digit in enumerate(puzzle.givens.tolist()):
        if digit >= 0:
            model.add(cells[cell] == digit + 1)
    for rule in variant.constraints:
        own = [cells[cell] for cell in rule.cells]
        if rule.kind == "killer":
            model.add(sum(own) == rule.value)
        elif rule.kind == "arrow":
            model.add(own[0] == sum(own[1:]))
        elif rule.kind == "thermometer":
            for low, high in pairwise(own):
                model.add(low < high)
        else:
            pairs = product(range(1, variant.digits + 1), repeat=2)
            kept = [pair for pair in pairs if CONSTRAINTS[rule.kind].holds(pair, rule.value)]
            model.add_allowed_assignments(own, kept)
    return model, cells


def test_what_makes_no_sense_is_refused() -> None:
    """Unknown kinds, cells outside, cells twice and values below 1 are errors."""
    for kind, cells, value in (
        ("frog", (0, 1), 1), ("killer", (0, 0), 3), ("killer", (), 3), ("killer", (0, 1), -5),
        ("thermometer", (0,), 0),
    ):  # fmt: skip
        with pytest.raises(InvalidGridError):
            Constraint(kind, cells, value)
    for outside in ([0, 16], [-1, 2], [*range(5)]):
        with pytest.raises(InvalidGridError):
            SMALL.with_constraints(Constraint("killer", tuple(outside), 5))


def test_constraints_are_part_of_the_rules() -> None:
    """A broken one is reported, and what knows houses alone refuses them."""
    variant = SMALL.with_constraints(Constraint("sum", (0, 10), 8))
    with pytest.raises(BrokenRuleError, match="r1c1 r3c3 sum to 8"):
        SudokuPuzzle([1, *[0] * 9, 2, *[0] * 5], variant)
    assert {found[0, 0] for found in solutions(SudokuPuzzle.empty(variant))} == {4}
    for function in (deductions, lambda puzzle: [*cover_solutions(puzzle)]):
        with pytest.raises(UnsupportedError):
            function(SudokuPuzzle.empty(variant))
    assert variant != SMALL

"""Each technique is found in its position, strikes the expected candidates, and is explained."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku import (
    House,
    Step,
    SudokuPuzzle,
    Technique,
    Variant,
    deductions,
    explain,
    grade,
    make_constrained,
)
from sudokucrypt.sudoku.deducing.board import CandidateBoard
from sudokucrypt.sudoku.deducing.constrained import ConstrainedBoard, list_supported_digits
from sudokucrypt.sudoku.deducing.levels import Level
from sudokucrypt.sudoku.making.constrained import CONSTRAINT_MAKERS
from sudokucrypt.sudoku.making.puzzles import make_puzzles
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.constraints.relations import (
    Relation,
    build_automaton,
    list_digit_sets,
    relate_total,
)
from sudokucrypt.sudoku.seeded import seeded_draws
from tests.sudoku.deducing.positions import POSITIONS, Position

LEVELLED = sorted(technique for technique in Technique if technique <= Technique.HIDDEN_QUAD)

TEXTS = {
    "naked single": "naked single: 6 in r1c1",
    "hidden single": "hidden single: 1 in r1c1 (row 1)",
    "pointing": (
        "locked candidates: 1 in r1c1 r1c2 r1c3 (box 1, row 1): "
        "no 1 in r1c4 r1c5 r1c6 r1c7 r1c8 r1c9"
    ),
    "direct pointing": ("direct pointing: 1 in r1c1 r1c2 r1c3 (box 1, row 1, box 2): 1 in r2c4"),
    "direct hidden pair": "direct hidden pair: 1 2 3 in r1c1 r1c9 (row 1): 3 in r1c5",
    "naked pair": (
        "naked pair: 1 2 in r1c1 r1c9 (row 1): no 1 or 2 in r1c2 r1c3 r1c4 r1c5 r1c6 r1c7 r1c8"
    ),
    "XY-wing": "XY-wing: 3 in r1c1 r1c9 r9c1: no 3 in r9c9",
    "W-wing": "W-wing: 1 2 in r1c1 r9c9 (row 5): no 2 in r1c9 r9c1",
    "X-chain": (
        "X-chain: if not 1 in r5c8, then 1 in r5c5 (row 5), then 1 in r1c2 (row 1), "
        "then 1 in r9c8 or r9c9 (row 9): no 1 in r7c8 r8c8"
    ),
    "XY-chain": (
        "XY-chain: if not 1 in r5c2, then 4 in r5c2, then 3 in r5c5, then 2 in r1c5, "
        "then 1 in r1c1: no 1 in r1c2 r2c2 r3c2 r4c1 r5c1 r6c1"
    ),
}


@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
def test_lowest_step(position: Position) -> None:
    """The easiest step of a position has the expected technique, cells, digits and conclusions."""
    board = position.board()
    step = board.find_easiest_step()
    assert step is not None
    assert step.technique is position.technique
    assert step.rating >= step.technique.rating
    assert (set(step.cells), step.digits) == (set(position.cells), position.digits)
    remaining = [pair for pair in position.struck if pair not in position.gone]
    assert sorted(step.struck) == sorted(remaining)
    board.apply(step)
    assert not any(board.candidates[cell] >> digit & 1 for cell, digit in remaining)


@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
def test_easier_techniques_see_nothing(position: Position) -> None:
    """With only easier techniques, a position has no step."""
    hardest = min(position.technique - 1, Technique.HIDDEN_QUAD)
    if position.technique > Technique.NAKED_SINGLE:
        assert position.board().find_first_step(LEVELLED[: hardest + 1]) is None


def test_every_technique_has_a_position() -> None:
    """Each technique has a position, except those that need a whole grid or other boxes.

    With boxes of equal shape, direct pointing finds every step of direct claiming.
    """
    usual = {technique for technique in Technique if technique < Technique.UNIQUE_LOOP}
    usual -= {technique for technique in usual if technique.rests_on_rules}
    usual -= {Technique.DIRECT_CLAIMING}
    assert {position.technique for position in POSITIONS.values()} >= usual
    assert CandidateBoard(Variant.standard(), [-1] * 81).find_easiest_step() is None


def test_diagonals_are_houses_too() -> None:
    """In X-Sudoku, a digit that is on a diagonal within the middle box is struck from the rest of
    the box."""
    board = CandidateBoard(Variant.x(), [-1] * 81)
    for row in (0, 1, 2, 6, 7, 8):
        board.strike(10 * row, 0)
    step = board.find_first_step(LEVELLED)
    assert step is not None
    assert step.technique is Technique.LOCKED_CANDIDATES
    assert step.cells == (30, 40, 50)
    assert {cell for cell, _ in step.struck} >= {31, 32, 39, 41, 48, 49}


def test_direct_claiming_fills_a_cell() -> None:
    """If all places of a digit in a row are in one region, the next row loses its places there."""
    variant = Variant.jigsaw(["AAAAAB", "ACCCCB", "DDDCCB", "DDDEBB", "FEEEEB", "FFFFFE"])
    board = CandidateBoard(variant, [-1] * 36)
    for cell in [6, *range(14, 18)]:
        board.strike(cell, 0)  # row 3 has its places in region D
    for cell in (21, 22, 23):
        if cell != 21:
            board.strike(cell, 0)
    step = board.find_first_step([Technique.DIRECT_CLAIMING])
    assert step is not None
    assert (step.technique, step.placed) == (Technique.DIRECT_CLAIMING, (21, 0))
    assert step.rating == 1.9


def test_rows_that_share_cells_make_no_fish() -> None:
    """In Samurai, rows of overlapping grids can share a digit, so they form no fish."""
    variant = Variant.samurai()
    names = ("row 7 of grid 1", "row 1 of grid 3")
    first, second = (set(house.cells) for house in variant.houses if house.name in names)
    board = CandidateBoard(variant, [-1] * 369)
    for cell in sorted((first | second) - set(sorted(first & second)[:2])):
        board.strike(cell, 0)
    assert board.find_first_step([Technique.X_WING]) is None


def test_houses_with_fewer_cells_hide_nothing() -> None:
    """A column of two cells need not contain each of six digits, so it has no hidden single."""
    board = CandidateBoard(Variant.array((2, 3, 1, 2)), [-1] * 12)
    board.strike(0, 0)
    assert board.find_first_step(LEVELLED) is None
    for cell in range(1, 5):
        board.strike(cell, 0)
    step = board.find_first_step(LEVELLED)
    assert step is not None
    assert step.placed == (5, 0)


def test_a_supposition_can_break_the_board() -> None:
    """A cell without candidates, a digit without place, or two digits in a cell make the board
    broken."""
    board = CandidateBoard(Variant.standard(), [-1] * 81)
    for digit in range(9):
        board.strike(0, digit)
    assert board.broken
    board = CandidateBoard(Variant.standard(), [-1] * 81)
    for cell in range(9):
        board.strike(cell, 0)
    assert board.find_first_step(LEVELLED) is None
    assert board.broken
    board = CandidateBoard(Variant.standard(), [0] + [-1] * 80)
    board.settle(1, 0)
    assert board.broken


@pytest.mark.parametrize("name", TEXTS)
def test_text_form(name: str) -> None:
    """The text of a step counts from 1 and names all its conclusions."""
    assert str(POSITIONS[name].board().find_easiest_step()) == TEXTS[name]


def test_explanations_are_those_on_record(
    compare_with_record: Callable[[Path, object], None],
) -> None:
    """The sentence of each step stays as it was read; ``--update`` records wanted changes.

    The steps are those of all positions, and the first of each technique in made puzzles.
    """
    sentences = {}
    for name, position in POSITIONS.items():
        step = position.board().find_easiest_step()
        assert step is not None
        sentences[name] = explain(step)
    for puzzle, _ in make_puzzles(60, seeded_draws(3)):
        for step in deductions(puzzle):
            sentences.setdefault(f"{step.technique.label} of a puzzle", explain(step))
    compare_with_record(Path(__file__).with_name("explanations.json"), sentences)


def test_techniques_search_as_they_did(
    compare_with_record: Callable[[Path, object], None],
) -> None:
    """Names, ratings and searches of techniques, on which ratings rest, never change."""
    compare_with_record(
        Path(__file__).with_name("techniques.json"),
        {each.label: [each.name, each.rating, *each.search_arguments] for each in Technique},
    )


def test_names_of_overlapping_grids_count_from_one() -> None:
    """The names of grids in a Samurai step count from 1."""
    step = Step(Technique.HIDDEN_SINGLE, (0,), (0,), (0,), (), Variant.samurai(), placed=(0, 0))
    assert str(step) == "hidden single: 1 in r1c1 (row 1 of grid 1)"


def test_names_of_other_houses_stay() -> None:
    """A step names a house as its variant does."""
    variant = replace(Variant.standard(), houses=(House("window 1", tuple(range(9))),))
    step = Step(Technique.HIDDEN_SINGLE, (0,), (0,), (0,), (), variant, placed=(0, 0))
    assert str(step) == "hidden single: 1 in r1c1 (window 1)"


def test_digits_of_large_orders_are_written_as_in_lines() -> None:
    """Steps write digits above 9 as letters, and above 35 as numbers."""
    for box, digit, symbol in [((4, 4), 15, "G"), ((6, 6), 35, "36")]:
        variant = Variant.standard(box)
        step = Step(Technique.NAKED_SINGLE, (0,), (digit,), (), (), variant, placed=(0, digit))
        assert str(step) == f"naked single: {symbol} in r1c1"


def test_techniques_say_whether_they_place_a_digit() -> None:
    """Technique.places is true for singles and direct techniques, and false for others."""
    placing = {technique.label for technique in Technique if technique.places}
    direct = {"direct pointing", "direct claiming", "direct hidden pair", "direct hidden triple"}
    assert placing == {"naked single", "hidden single", *direct}
    for position in POSITIONS.values():
        step = position.board().find_easiest_step()
        assert step is not None
        assert (step.placed is not None) == step.technique.places
    trial = Step(Technique.TRIAL, (3,), (2,), (), ((3, 2),), Variant.standard())
    assert str(trial) == "trial: 3 in r1c4 fails"


# Solving by hand under constraints: the facts that a step names prove the step.


BY_EXCHANGE = {Technique.UNIQUE_RECTANGLE, Technique.UNIQUE_LOOP, Technique.BIVALUE_GRAVE}
BY_RULES = {Technique.CAGE, Technique.THERMOMETER, Technique.CONSTRAINT, Technique.CAGE_TOTAL}


def list_checked_steps(puzzle: SudokuPuzzle, solution: SudokuPuzzle) -> list[Step]:
    """Return the steps of a puzzle; none of them strikes or misplaces a digit of the solution."""
    solution_digits = solution.givens.tolist()
    filled = {cell for cell, digit in enumerate(puzzle.givens.tolist()) if digit >= 0}
    steps = list(deductions(puzzle))
    for step in steps:
        assert all(solution_digits[cell] != digit for cell, digit in step.struck)
        assert explain(step).endswith(".")
        if step.placed:
            assert step.placed[1] == solution_digits[step.placed[0]]
            filled.add(step.placed[0])
        assert bool(step.rule) == (step.technique in BY_RULES)
    assert filled == set(range(len(solution_digits)))
    return steps


@pytest.mark.parametrize("kind", [*CONSTRAINT_MAKERS, "killer,thermometer"])
def test_steps_are_right(kind: str) -> None:
    """The steps end in the solution, and none exchanges digits."""
    used_techniques: set[Technique] = set()
    for seed in range(3):
        for box in ((2, 2), (2, 3)):
            pair = make_constrained(seed, kind=kind.split(","), box=box)
            used_techniques |= {step.technique for step in list_checked_steps(*pair)}
    assert not used_techniques & BY_EXCHANGE
    assert used_techniques & BY_RULES


def test_sentences_name_the_rule() -> None:
    """Steps by cages list possible sets, steps by thermometers cells, and steps by totals
    houses."""
    small = Variant.standard((2, 2))
    cage = small.with_constraints(Constraint("killer", (0, 1), 3))
    step = ConstrainedBoard(cage, [-1] * 16).find_first_step([Technique.CAGE])
    assert step is not None
    assert explain(step).startswith("r1c1 r1c2 sum to 3, for which 1 2 can be used: no 3 or 4")
    line = small.with_constraints(Constraint("thermometer", (12, 8, 4)))
    step = ConstrainedBoard(line, [-1] * 16).find_first_step([Technique.THERMOMETER])
    assert step is not None
    assert str(step) == (
        "thermometer: Digits rise along r4c1 r3c1 r2c1: no 1 in r2c1 r3c1, no 2 in r2c1, "
        "no 3 in r4c1, no 4 in r3c1 r4c1"
    )
    caged = small.with_constraints(Constraint("killer", (0, 1, 2), 6))
    step = ConstrainedBoard(caged, [-1] * 16).find_first_step([Technique.CAGE_TOTAL])
    assert step is not None
    assert "row 1 sum to 10 and its cages to 6, so that r1c4 is 4" in explain(step)


def test_grades() -> None:
    """Puzzles with constraints have a level and a rating, and steps by rules are counted."""
    puzzle, _ = make_constrained(1, kind="killer", box=(2, 3))
    result = grade(puzzle)
    assert result.level >= Level.MEDIUM
    assert result.steps[Technique.CAGE] > 0
    assert result.rating == max(step.rating for step in deductions(puzzle))


def test_large_sheets_are_refused() -> None:
    """Solving by hand with constraints refuses more than 16 digits."""
    variant = Variant.standard((3, 6)).with_constraints(Constraint("killer", (0, 1), 3))
    with pytest.raises(UnsupportedError, match="16 digits"):
        ConstrainedBoard(variant, [-1] * len(variant.cells))


def list_supported_by_brute_force(
    relation: Relation, marks: list[int], *, distinct: bool
) -> list[int]:
    """Return the supported candidates by trying all choices."""
    supported = [0] * len(marks)
    choices = [[d for d in range(4) if bits >> d & 1] for bits in marks]
    for digits in product(*choices):
        if distinct and len({*digits}) < len(digits):
            continue
        if relation.form == 0:
            fits = relation.data[digits[0]] >> digits[1] & 1
        elif relation.form == 1:
            bits = sum(1 << digit for digit in {*digits})
            fits = len({*digits}) == len(digits) and bits in relation.data
        elif relation.form == 2:
            pairs = zip(relation.weights, digits, strict=True)
            fits = sum(w * (d + 1) for w, d in pairs) == relation.total
        else:
            state: int | None = 0
            for digit in digits:
                after = relation.data[state * 5 + 1 + digit] if state is not None else 0
                state = after - 1 if after else None
            fits = state is not None and relation.data[state * 5]
        if fits:
            for index, digit in enumerate(digits):
                supported[index] |= 1 << digit
    return supported


@pytest.mark.parametrize("form", range(4))
def test_supported_candidates(form: int) -> None:
    """list_supported agrees with brute force for relations of all forms."""
    rng = np.random.default_rng(form)
    for _ in range(200):
        size = 2 if form == 0 else int(rng.integers(1, 5))
        marks = rng.integers(1, 16, size).tolist()
        cells, total = tuple(range(size)), int(rng.integers(1, 12))
        relation = [
            Relation(0, cells, make_pair_data(rng)),
            Relation(1, cells, list_digit_sets(4, size, total)),
            relate_total(cells, total, rng.integers(1, 3, size).tolist()),
            Relation(3, cells, build_automaton(4, 0, lambda s, d: (s + d) % 5, (total % 5).__eq__)),
        ][form]
        distinct = form == 2 and {*relation.weights} == {1}
        expected = list_supported_by_brute_force(relation, marks, distinct=distinct)
        assert list_supported_digits(relation, marks, 4, are_distinct=distinct) == expected


def make_pair_data(rng: np.random.Generator) -> tuple[int, ...]:
    """Return the data of a random pair relation, in both directions."""
    table = rng.random((4, 4)) < 0.4
    directions = (table, table.T)
    return tuple(sum(1 << b for b in range(4) if way[a, b]) for way in directions for a in range(4))

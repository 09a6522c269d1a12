"""Traces: each step follows from the facts that it names, and all steps solve the puzzle."""

from collections import Counter
from pathlib import Path

import pytest

from sudokucrypt.errors import (
    InvalidGridError,
    MultipleSolutionsError,
    NoSolutionError,
    UnsupportedError,
)
from sudokucrypt.sudoku.deducing.board import _ORDERED_CELL_TECHNIQUES
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.steps import Step, explain
from sudokucrypt.sudoku.deducing.trace import _LEVEL_TECHNIQUES, deductions
from sudokucrypt.sudoku.making.jigsaws import random_jigsaw
from sudokucrypt.sudoku.making.puzzles import make_puzzles
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.exact_cover import cover_solutions
from tests.sudoku.deducing.proof import Candidates, is_proved, list_candidates
from tests.sudoku.puzzles import HARD, ROYLE, make_sparse_puzzle

PUZZLES = {
    "17 givens": lambda: SudokuPuzzle.from_text(ROYLE[0]),
    "X": lambda: make_sparse_puzzle(Variant.x(), 3),
    "2x3": lambda: make_sparse_puzzle(Variant.standard((2, 3)), 1),
    "Latin square": lambda: make_sparse_puzzle(Variant.latin(7), 5),
    "array": lambda: make_sparse_puzzle(Variant.array((2, 3, 2, 2)), 6),
    "overlapping": lambda: make_sparse_puzzle(Variant.samurai((2, 2)), 1),
    "3x4": lambda: make_sparse_puzzle(Variant.standard((3, 4)), 4),
    "jigsaw": lambda: make_sparse_puzzle(random_jigsaw(3, order=6), 2),
    "empty of one cell": lambda: SudokuPuzzle([-1], first=0, empty=-1),
    "full": lambda: SudokuPuzzle.from_text(ROYLE[1]),
}


UNPROVED = (Technique.TRIAL, Technique.NESTED_NET)
"""Steps that do not name all they rest on: a search, and chains within a net."""


def list_proved_steps(puzzle: SudokuPuzzle) -> list[Step]:
    """Follow a trace, prove each step separately, and return the steps."""
    variant = puzzle.variant
    solution = next(cover_solutions(puzzle)).givens.tolist()
    candidates = list_candidates(variant, puzzle.givens.tolist())
    filled = {cell for cell, digit in enumerate(puzzle.givens.tolist()) if digit >= 0}
    steps = []
    for step in deductions(puzzle):
        steps.append(step)
        named = step.struck if not step.placed else [step.placed]
        cells = (get_cell_name(*variant.cells[cell]) for cell, _ in named)
        sentence = explain(step)
        assert sentence.endswith(".")
        assert all(name in sentence for name in cells)
        if step.rating > Technique.NAKED_SINGLE.rating:
            assert not has_single(variant, candidates, filled)
        assert step.struck or step.placed
        for cell, digit in step.struck:
            assert digit in candidates[cell]
            assert solution[cell] != digit
            if step.technique not in UNPROVED:
                assert is_proved(step, candidates, cell, digit)
        if step.placed:
            cell, digit = step.placed
            assert digit == solution[cell]
            assert cell not in filled
            other_digits = candidates[cell] - {digit}
            assert all(is_proved(step, candidates, cell, other) for other in other_digits)
            filled.add(cell)
            candidates[cell] = {digit}
        for cell, digit in step.struck:
            candidates[cell].discard(digit)
    assert filled == set(range(len(solution)))
    return steps


def has_single(variant: Variant, candidates: Candidates, filled: set[int]) -> bool:
    """Return whether an open cell has one candidate, or a digit one open place in a house."""
    if any(len(digits) == 1 for cell, digits in enumerate(candidates) if cell not in filled):
        return True
    for house in variant.houses:
        if len(house.cells) == variant.digits:
            positions = Counter(digit for cell in house.cells for digit in candidates[cell])
            placed_digits = {
                digit for cell in house.cells if cell in filled for digit in candidates[cell]
            }
            if any(count == 1 and digit not in placed_digits for digit, count in positions.items()):
                return True
    return False


@pytest.mark.parametrize("name", [*PUZZLES, pytest.param("AI Escargot", marks=pytest.mark.slow)])
def test_every_step_is_proved(name: str) -> None:
    """Each step is proved from the facts that it names, and none contradicts the solution."""
    puzzle = SudokuPuzzle.from_text(HARD[name]) if name in HARD else PUZZLES[name]()
    steps = list_proved_steps(puzzle)
    assert sum(step.placed is not None for step in steps) == (puzzle.givens < 0).sum()


@pytest.mark.slow
def test_ordinary_puzzles_use_most_techniques() -> None:
    """In the steps of a hundred minimal 9x9 puzzles, all except the rarest techniques occur."""
    pairs = make_puzzles(100, seeded_draws(7))
    technique_counts = Counter(
        step.technique for puzzle, _ in pairs for step in list_proved_steps(puzzle)
    )
    rare = {
        Technique.DIRECT_CLAIMING,  # only where boxes differ in shape
        Technique.CAGE,
        Technique.THERMOMETER,
        Technique.CONSTRAINT,
        Technique.CAGE_TOTAL,
        Technique.BIVALUE_GRAVE,
        Technique.X_CYCLE,
        Technique.NAKED_QUAD,
        Technique.HIDDEN_QUAD,
        Technique.JELLYFISH,
        Technique.FINNED_SWORDFISH,
        Technique.FINNED_JELLYFISH,
        Technique.FORCING_NET_WITH_SUBSETS,
        Technique.NESTED_NET,
        Technique.TRIAL,
    }
    assert {*technique_counts} >= {*Technique} - rare


@pytest.mark.slow
def test_trial_is_the_last_resort_and_needs_no_luck() -> None:
    """If no technique gives a step, a candidate that a search refutes is struck."""
    puzzle = SudokuPuzzle.from_text(HARD["Easter Monster"])
    trials = [step for step in deductions(puzzle) if step.technique is Technique.TRIAL]
    assert trials
    assert all(step.placed is None and len(step.struck) == 1 for step in trials)


def test_only_puzzles_with_one_solution_are_taken() -> None:
    """deductions refuses puzzles without exactly one solution before the first step."""
    with pytest.raises(MultipleSolutionsError):
        deductions(SudokuPuzzle.empty(Variant.standard((2, 2))))
    with pytest.raises(NoSolutionError):
        deductions(SudokuPuzzle.from_text("123...4........."))
    with pytest.raises(UnsupportedError):
        deductions(SudokuPuzzle.empty(Variant.standard((8, 9))))


def test_the_page_of_ratings_has_every_technique() -> None:
    """The table of the docs has a row for each technique, with its lowest rating."""
    page = Path(__file__).parents[3] / "docs" / "explanation" / "sudoku-ratings.md"
    rows = [line.split("|")[1:3] for line in page.read_text("utf-8").splitlines() if "|" in line]
    rating_texts = {name.strip(): text for names, text in rows for name in names.split(",")}
    for technique in Technique:
        assert f"{technique.rating}" in rating_texts[technique.label]


def test_every_technique_has_a_sentence() -> None:
    """Each technique has a sentence that explains its steps."""
    assert all(technique.sentence.endswith(".") for technique in Technique)


@pytest.mark.slow
def test_fifty_thousand_steps_are_sound() -> None:
    """In 50,000 steps, none strikes a digit of the solution or places another digit."""
    count = 0
    pairs = [pair for seed in (1, 2) for pair in make_puzzles(425, seeded_draws(seed))]
    for puzzle, solution in pairs:
        digits, filled = solution.givens.tolist(), puzzle.number_of_givens
        for step in deductions(puzzle):
            assert all(digits[cell] != digit for cell, digit in step.struck)
            if step.placed:
                assert digits[step.placed[0]] == step.placed[1]
                filled += 1
            count += 1
        assert filled == 81
    assert count > 50_000


def test_cells_of_chains_have_the_order_of_the_grid() -> None:
    """The chains of a step show its reasoning, so its cells are in order."""
    steps = [*deductions(SudokuPuzzle.from_text(HARD["Golden Nugget"]))]
    chained = [step for step in steps if step.chains]
    assert len(chained) > 40
    for step in chained:
        assert step.technique in _ORDERED_CELL_TECHNIQUES or list(step.cells) == sorted(step.cells)


def test_techniques_of_levels_are_singles_and_subsets() -> None:
    """The hardest technique that decides a level is the hidden quad, and no other level has it."""
    techniques = [technique.name for technique in _LEVEL_TECHNIQUES]
    assert techniques[:2] == ["NAKED_SINGLE", "HIDDEN_SINGLE"]
    assert techniques[-2:] == ["NAKED_QUAD", "HIDDEN_QUAD"]
    assert not any(technique.places for technique in _LEVEL_TECHNIQUES[2:])


def test_pencil_marks_take_candidates_from_open_cells() -> None:
    """Candidates that marks leave out are struck at once; marks that omit a digit are wrong."""
    puzzle = SudokuPuzzle.from_text(HARD["Platinum Blonde"])
    solution = next(cover_solutions(puzzle)).givens.tolist()
    marks = [1 << digit for digit in solution]
    steps = list(deductions(puzzle, marks))
    assert {step.technique for step in steps} == {Technique.HIDDEN_SINGLE}
    assert len(steps) == 81 - puzzle.number_of_givens
    some = next(cell for cell, digit in enumerate(puzzle.givens.tolist()) if digit >= 0)
    with pytest.raises(InvalidGridError, match="omit its digit"):
        next(deductions(puzzle, [0 if cell == some else bits for cell, bits in enumerate(marks)]))

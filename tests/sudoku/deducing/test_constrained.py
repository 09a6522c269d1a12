"""Solving by hand under constraints: every step is right, for what it names."""

from itertools import product

import numpy as np
import pytest

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku import SudokuPuzzle, Variant, deductions, explain, grade, make_constrained
from sudokucrypt.sudoku.deducing.constrained import ConstrainedBoard, list_supported
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.making.constrained import MAKERS
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.constraints.relations import Relation, automaton, sets_of, total_of

BY_EXCHANGE = {Technique.UNIQUE_RECTANGLE, Technique.UNIQUE_LOOP, Technique.BIVALUE_GRAVE}
BY_RULES = {Technique.CAGE, Technique.THERMOMETER, Technique.CONSTRAINT, Technique.CAGE_TOTAL}


def follow(puzzle: SudokuPuzzle, solution: SudokuPuzzle) -> list[Step]:
    """Return the steps, none of which strikes or misses a digit of the solution."""
    right = solution.givens.tolist()
    filled = {cell for cell, digit in enumerate(puzzle.givens.tolist()) if digit >= 0}
    steps = list(deductions(puzzle))
    for step in steps:
        assert all(right[cell] != digit for cell, digit in step.struck)
        assert explain(step).endswith(".")
        if step.placed:
            assert step.placed[1] == right[step.placed[0]]
            filled.add(step.placed[0])
        assert bool(step.rule) == (step.technique in BY_RULES)
    assert filled == set(range(len(right)))
    return steps


@pytest.mark.parametrize("kind", [*MAKERS, "killer,thermometer"])
def test_steps_are_right(kind: str) -> None:
    """They end in the solution, and nothing rests on an exchange of digits."""
    used: set[Technique] = set()
    for seed in range(3):
        for box in ((2, 2), (2, 3)):
            made = make_constrained(seed, kind=kind.split(","), box=box)
            used |= {step.technique for step in follow(*made)}
    assert not used & BY_EXCHANGE
    assert used & BY_RULES


def test_sentences_name_the_rule() -> None:
    """Cages say which digits can be used, thermometers their cells, totals the houses."""
    small = Variant.standard((2, 2))
    cage = small.with_constraints(Constraint("killer", (0, 1), 3))
    step = ConstrainedBoard(cage, [-1] * 16).first_step([Technique.CAGE])
    assert step is not None
    assert explain(step).startswith("r1c1 r1c2 sum to 3, for which 1 2 can be used: no 3 or 4")
    line = small.with_constraints(Constraint("thermometer", (12, 8, 4)))
    step = ConstrainedBoard(line, [-1] * 16).first_step([Technique.THERMOMETER])
    assert step is not None
    assert str(step) == (
        "thermometer: Digits rise along r4c1 r3c1 r2c1: no 1 in r2c1 r3c1, no 2 in r2c1, "
        "no 3 in r4c1, no 4 in r3c1 r4c1"
    )
    rest = small.with_constraints(Constraint("killer", (0, 1, 2), 6))
    step = ConstrainedBoard(rest, [-1] * 16).first_step([Technique.CAGE_TOTAL])
    assert step is not None
    assert "row 1 sum to 10 and its cages to 6, so that r1c4 is 4" in explain(step)


def test_grades() -> None:
    """Puzzles with constraints have a level and a rating, and count the steps by rules."""
    puzzle, _ = make_constrained(1, kind="killer", box=(2, 3))
    result = grade(puzzle)
    assert result.level >= Level.MEDIUM
    assert result.steps[Technique.CAGE] > 0
    assert result.rating == max(step.rating for step in deductions(puzzle))


def test_large_sheets_are_refused() -> None:
    """Beyond 16 digits there are too many sets of digits."""
    variant = Variant.standard((3, 6)).with_constraints(Constraint("killer", (0, 1), 3))
    with pytest.raises(UnsupportedError, match="16 digits"):
        ConstrainedBoard(variant, [-1] * len(variant.cells))


def brute_force(relation: Relation, marks: list[int], *, distinct: bool) -> list[int]:
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
            for at, digit in enumerate(digits):
                supported[at] |= 1 << digit
    return supported


@pytest.mark.parametrize("form", range(4))
def test_supported_candidates(form: int) -> None:
    """They are those of some choice, for relations of all forms."""
    rng = np.random.default_rng(form)
    for _ in range(200):
        size = 2 if form == 0 else int(rng.integers(1, 5))
        marks = rng.integers(1, 16, size).tolist()
        cells, total = tuple(range(size)), int(rng.integers(1, 12))
        relation = [
            Relation(0, cells, pair_data(rng)),
            Relation(1, cells, sets_of(4, size, total)),
            total_of(cells, total, rng.integers(1, 3, size).tolist()),
            Relation(3, cells, automaton(4, 0, lambda s, d: (s + d) % 5, (total % 5).__eq__)),
        ][form]
        distinct = form == 2 and {*relation.weights} == {1}
        expected = brute_force(relation, marks, distinct=distinct)
        assert list_supported(relation, marks, 4, distinct=distinct) == expected


def pair_data(rng: np.random.Generator) -> tuple[int, ...]:
    """Return the data of a random pair, in both directions."""
    table = rng.random((4, 4)) < 0.4
    ways = (table, table.T)
    return tuple(sum(1 << b for b in range(4) if way[a, b]) for way in ways for a in range(4))

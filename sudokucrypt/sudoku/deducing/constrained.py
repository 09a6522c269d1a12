"""Solving by hand under constraints: what cages, thermometers and other rules leave to cells.

Each constraint is looked at by itself. Of the candidates of its cells those stay that some choice
for its other cells completes: for cages a set of digits with the sum, for pairs a partner, for
totals a sum, for an automaton a path to its end. What cages leave of houses is a total too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.deducing.board import CandidateBoard
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.constraints import leftovers
from sudokucrypt.sudoku.model.constraints.relations import Relation, list_sets
from sudokucrypt.sudoku.model.text import symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sudokucrypt.sudoku.model.variant import Variant

_MOST_DIGITS = 16  # beyond, there are too many sets of digits
_MOST_NAMED = 4  # sets of digits that a sentence lists
_TECHNIQUES = {"killer": Technique.CAGE, "thermometer": Technique.THERMOMETER}
_OWN = {technique for technique in Technique if technique.rests_on_rules}
_LEAST = min(technique.rating for technique in _OWN)


def _list_below(rating: float) -> list[Technique]:
    """Return the techniques of houses that are rated below a bound, the easiest first."""
    below = (each for each in Technique if each.rating < rating and each not in _OWN)
    return sorted(below, key=lambda technique: technique.rating)


class _Rule(NamedTuple):
    """A constraint, or a total that cages leave: its relations, and what players are told."""

    technique: Technique
    cells: tuple[int, ...]
    relations: tuple[Relation, ...]
    sentence: str
    total: int = 0  # the sum of a cage


@lru_cache(maxsize=16)
def _list_rules(variant: Variant) -> tuple[_Rule, ...]:
    """Return the rules of a variant that say something about candidates, the easiest first."""
    rules: list[_Rule] = []
    for it in variant.constraints:
        relations = tuple(it.relations(variant))
        # A rule for all neighbors has a relation for each two of them, and no cells.
        for group in [relations] if it.cells else [(relation,) for relation in relations]:
            cells = tuple(dict.fromkeys(cell for relation in group for cell in relation.cells))
            technique = _TECHNIQUES.get(it.kind, Technique.CONSTRAINT)
            sentence = it.sentence(variant).rstrip(".")
            total = it.value if it.kind == "killer" else 0
            if total:
                sentence = f"{_name_cells(variant, it.cells)} sum to {it.value}"
            if group:
                rules.append(_Rule(technique, cells, group, sentence, total))
    full = variant.full_houses
    for left in leftovers(variant.constraints, [house.cells for house in full], variant.digits):
        houses = " and ".join(full[index].name for index in left.houses)
        cells = left.relation.cells
        whole, caged = left.sums
        told = (
            f"the cages of {houses} sum to {caged} and all of its cells to {whole}, so that "
            f"{_tell_sum(variant, left.relation)} outside"
            if left.outside
            else f"the cells of {houses} sum to {whole} and its cages to {caged}, so that "
            f"{_tell_sum(variant, left.relation)}"
        )
        rules.append(_Rule(Technique.CAGE_TOTAL, cells, (left.relation,), told))
    return tuple(sorted(rules, key=lambda rule: (rule.technique.rating, len(rule.cells))))


def list_supported(
    relation: Relation, marks: Sequence[int], digits: int, *, distinct: bool
) -> list[int]:
    """Return the candidates of each cell that some choice for the other cells completes.

    `marks` has the candidates of the cells of the relation as bits, of which there are `digits`.
    With `distinct` no digit stands in two of the cells.
    """
    data, total, weights = relation.data, relation.total, relation.weights
    if relation.form == 0:
        first, second = marks
        return [
            first & _join(data[digits + digit] for digit in list_digits(second)),
            second & _join(data[digit] for digit in list_digits(first)),
        ]
    if relation.form == 1:
        return _list_paths(marks, _add_digit, {*data}.__contains__)
    if relation.form == 2 and distinct and {*weights} == {1}:
        return _list_paths(
            marks, _add_digit, lambda bits: sum(d + 1 for d in list_digits(bits)) == total
        )
    if relation.form == 2:
        return _list_paths(
            marks,
            lambda at, state, digit: state + weights[at] * (digit + 1),
            lambda state: state == total,
        )
    width = 1 + digits

    def move(_: int, state: int, digit: int) -> int | None:
        return data[state * width + 1 + digit] - 1 if data[state * width + 1 + digit] else None

    return _list_paths(marks, move, lambda state: bool(data[state * width]))


def _list_paths(
    marks: Sequence[int],
    move: Callable[[int, int, int], int | None],
    is_end: Callable[[int], bool],
) -> list[int]:
    """Return the digits of each cell on paths from the state 0 to an end, a cell at a time."""
    layers = [{0}]
    for at, bits in enumerate(marks):
        digits = list_digits(bits)
        following = {move(at, state, digit) for state in layers[-1] for digit in digits}
        layers.append({state for state in following if state is not None})
    alive = {state for state in layers[-1] if is_end(state)}
    supported = [0] * len(marks)
    for at in reversed(range(len(marks))):
        before = set()
        for state in layers[at]:
            for digit in list_digits(marks[at]):
                if move(at, state, digit) in alive:
                    before.add(state)
                    supported[at] |= 1 << digit
        alive = before
    return supported


def _add_digit(_: int, state: int, digit: int) -> int | None:
    """Return a set of digits with one more, or None if it has that digit."""
    return None if state >> digit & 1 else state | 1 << digit


def list_digits(bits: int) -> list[int]:
    """Return the digits of a set of candidates, lowest first."""
    return [digit for digit in range(bits.bit_length()) if bits >> digit & 1]


def _join(sets: Iterable[int]) -> int:
    joined = 0
    for bits in sets:
        joined |= bits
    return joined


def _tell_sum(variant: Variant, relation: Relation) -> str:
    verb = "is" if len(relation.cells) == 1 else "sum to"
    return f"{_name_cells(variant, relation.cells)} {verb} {relation.total}"


def _name_cells(variant: Variant, cells: Iterable[int]) -> str:
    return " ".join(cell_name(*variant.cells[cell]) for cell in cells)


class ConstrainedBoard(CandidateBoard):
    """The candidates of a sheet with constraints, and the next step, by houses or by constraints.

    Patterns that the only solution rules out (unique rectangles and the like) are not looked for:
    under constraints their digits cannot be exchanged.
    """

    def __init__(self, variant: Variant, givens: Sequence[int]) -> None:
        if variant.digits > _MOST_DIGITS:
            raise UnsupportedError(
                f"solving by hand under constraints knows up to {_MOST_DIGITS} digits",
                hint="search solves such puzzles",
            )
        super().__init__(variant, givens)
        self._rules = _list_rules(variant)
        self._seen: dict[int, list[int]] = {}  # the candidates that a rule left as they are
        self._peers = [{*variant.peers(cell).tolist()} for cell in range(len(variant.cells))]

    def lowest_step(self) -> Step | None:
        """Return a step of the lowest rating, or None if there is nothing but trial."""
        # Rules are rated below all that takes long to look for.
        if step := super().first_step(_list_below(_LEAST)):
            return step
        rule = self._find_by_rule(_OWN)
        if rule is None:
            return super().lowest_step()
        step = super().first_step(_list_below(rule.rating))
        return step if step and step.rating < rule.rating else rule

    def first_step(self, techniques: Iterable[Technique]) -> Step | None:
        """Return a step of the first of these techniques that leads on, or None."""
        for technique in map(Technique, techniques):
            own = technique in _OWN
            step = self._find_by_rule({technique}) if own else super().first_step([technique])
            if step is not None:
                return step
        return None

    def rate(self, techniques: Iterable[Technique] = ()) -> list[tuple[int, int]]:
        """Solve on to where only trial helps; return technique and rating in tenths of each step.

        With `techniques`, the first of these that leads on is used each time, and no other.
        """
        chosen = list(techniques)
        steps = []
        while self.open_cells and (
            step := self.first_step(chosen) if chosen else self.lowest_step()
        ):
            steps.append((int(step.technique), round(10 * step.rating)))
            self.apply(step)
        return steps

    def _find_by_rule(self, techniques: set[Technique]) -> Step | None:
        """Return the first step by a rule of some techniques; easier ones come first."""
        marks = self.candidates
        for index, rule in enumerate(self._rules):
            if rule.technique not in techniques:
                continue
            own = [marks[cell] for cell in rule.cells]
            if self._seen.get(index) == own:
                continue
            left = self._narrow(rule, marks)
            struck = tuple(
                (cell, digit)
                for cell in sorted(rule.cells)
                for digit in list_digits(marks[cell] & ~left[cell])
            )
            if struck:
                return self._make_rule_step(rule, struck, left)
            self._seen[index] = own
        return None

    def _narrow(self, rule: _Rule, marks: Sequence[int]) -> dict[int, int]:
        """Return the candidates that a rule leaves to its cells."""
        left = {cell: marks[cell] for cell in rule.cells}
        before = None
        while left != before:
            before = dict(left)
            for relation in rule.relations:
                cells = relation.cells
                distinct = all(
                    one != other and other in self._peers[one]
                    for at, one in enumerate(cells)
                    for other in cells[:at]
                )
                supported = list_supported(
                    relation,
                    [left[cell] for cell in cells],
                    self.variant.digits,
                    distinct=distinct,
                )
                for cell, bits in zip(cells, supported, strict=True):
                    left[cell] &= bits
        return left

    def _make_rule_step(
        self, rule: _Rule, struck: tuple[tuple[int, int], ...], left: dict[int, int]
    ) -> Step:
        sentence = rule.sentence
        if rule.total:
            sentence += self._tell_sets(rule, left)
        return Step(
            rule.technique,
            tuple(sorted(rule.cells)),
            tuple(sorted({digit for _, digit in struck})),
            (),
            struck,
            self.variant,
            rule.technique.rating,
            rule=sentence,
        )

    def _tell_sets(self, rule: _Rule, left: dict[int, int]) -> str:
        """Return the sets of digits that are left to a cage, where they are few."""
        every = _join(left.values())
        digits = self.variant.digits
        sets = [
            bits
            for bits in list_sets(digits, len(rule.cells), rule.total)
            if not bits & ~every and all(bits & own for own in left.values())
        ]
        if not 0 < len(sets) <= _MOST_NAMED:
            return ""
        *others, last = (
            " ".join(symbol(digit, digits) for digit in list_digits(bits)) for bits in sets
        )
        return f", for which {', '.join(others)}{' or ' if others else ''}{last} can be used"

"""Solve by hand with constraints: strike candidates that cages and other rules exclude.

Each constraint is applied separately. A candidate of one of its cells remains if the other cells
can complete it: for cages to a set of digits with the sum, for pairs to a pair, for totals to the
sum, for an automaton to a path to an accepted state. Totals of the cells that cages leave of houses
are used too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.deducing.board import CandidateBoard
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.constraints import find_leftover_totals
from sudokucrypt.sudoku.model.constraints.relations import Relation, list_digit_sets
from sudokucrypt.sudoku.model.text import get_symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sudokucrypt.sudoku.model.variant import Variant

_MAX_DIGITS = 16  # with more digits there are too many sets of digits
_MAX_LISTED_SETS = 4  # the largest number of sets of digits that a sentence lists
_TECHNIQUES_BY_KIND = {"killer": Technique.CAGE, "thermometer": Technique.THERMOMETER}
_RULE_TECHNIQUES = {technique for technique in Technique if technique.rests_on_rules}
_LOWEST_RATING = min(technique.rating for technique in _RULE_TECHNIQUES)


def _list_easier_techniques(bound: float) -> list[Technique]:
    """Return the techniques of houses with ratings below a bound, the easiest first."""
    easier_techniques = (
        technique
        for technique in Technique
        if technique.rating < bound and technique not in _RULE_TECHNIQUES
    )
    return sorted(easier_techniques, key=lambda technique: technique.rating)


class _Rule(NamedTuple):
    """A constraint, or a total that cages imply: its relations, and its sentence for players."""

    technique: Technique
    cells: tuple[int, ...]
    relations: tuple[Relation, ...]
    sentence: str
    total: int = 0  # the sum of a cage


@lru_cache(maxsize=16)
def _list_rules(variant: Variant) -> tuple[_Rule, ...]:
    """Return the rules of a variant that can exclude candidates, the easiest first."""
    rules: list[_Rule] = []
    for constraint in variant.constraints:
        relations = tuple(constraint.relations(variant))
        # A constraint on all neighbors has no cells of its own, and a relation for each pair of
        # neighbors; each relation becomes a separate rule.
        for group in [relations] if constraint.cells else [(relation,) for relation in relations]:
            cells = tuple(dict.fromkeys(cell for relation in group for cell in relation.cells))
            technique = _TECHNIQUES_BY_KIND.get(constraint.kind, Technique.CONSTRAINT)
            sentence = constraint.sentence(variant).rstrip(".")
            total = constraint.value if constraint.kind == "killer" else 0
            if total:
                sentence = (
                    f"{_format_cell_names(variant, constraint.cells)} sum to {constraint.value}"
                )
            if group:
                rules.append(_Rule(technique, cells, group, sentence, total))
    full_houses = variant.full_houses
    for leftover in find_leftover_totals(
        variant.constraints, [house.cells for house in full_houses], variant.digits
    ):
        houses = " and ".join(full_houses[index].name for index in leftover.houses)
        cells = leftover.relation.cells
        region_sum, cage_sum = leftover.sums
        sentence = (
            f"the cages of {houses} sum to {cage_sum} and all of its cells to {region_sum}, so "
            f"that {_format_sum(variant, leftover.relation)} outside"
            if leftover.is_outside
            else f"the cells of {houses} sum to {region_sum} and its cages to {cage_sum}, so that "
            f"{_format_sum(variant, leftover.relation)}"
        )
        rules.append(_Rule(Technique.CAGE_TOTAL, cells, (leftover.relation,), sentence))
    return tuple(sorted(rules, key=lambda rule: (rule.technique.rating, len(rule.cells))))


def list_supported_digits(
    relation: Relation, candidates: Sequence[int], digit_count: int, *, are_distinct: bool
) -> list[int]:
    """Return for each cell the candidates with which the relation can still be satisfied.

    `candidates` contains the candidates of each cell of the relation as `digit_count` bits. With
    `are_distinct`, the digits of all cells must differ.
    """
    data, total, weights = relation.data, relation.total, relation.weights
    if relation.form == 0:
        first, second = candidates
        return [
            first & _unite_sets(data[digit_count + digit] for digit in list_digits(second)),
            second & _unite_sets(data[digit] for digit in list_digits(first)),
        ]
    if relation.form == 1:
        return _list_path_digits(candidates, _add_digit, {*data}.__contains__)
    if relation.form == 2 and are_distinct and {*weights} == {1}:
        return _list_path_digits(
            candidates, _add_digit, lambda bits: sum(d + 1 for d in list_digits(bits)) == total
        )
    if relation.form == 2:
        return _list_path_digits(
            candidates,
            lambda index, state, digit: state + weights[index] * (digit + 1),
            lambda state: state == total,
        )
    row_width = 1 + digit_count

    def find_next_state(_: int, state: int, digit: int) -> int | None:
        return (
            data[state * row_width + 1 + digit] - 1 if data[state * row_width + 1 + digit] else None
        )

    return _list_path_digits(
        candidates, find_next_state, lambda state: bool(data[state * row_width])
    )


def _list_path_digits(
    candidates: Sequence[int],
    move: Callable[[int, int, int], int | None],
    is_end_state: Callable[[int], bool],
) -> list[int]:
    """Return the digits of each cell that lie on a path from state 0 to an end state."""
    state_layers = [{0}]
    for index, bits in enumerate(candidates):
        digits = list_digits(bits)
        next_states = {move(index, state, digit) for state in state_layers[-1] for digit in digits}
        state_layers.append({state for state in next_states if state is not None})
    reaching_states = {state for state in state_layers[-1] if is_end_state(state)}
    supported_digits = [0] * len(candidates)
    for index in reversed(range(len(candidates))):
        previous_states = set()
        for state in state_layers[index]:
            for digit in list_digits(candidates[index]):
                if move(index, state, digit) in reaching_states:
                    previous_states.add(state)
                    supported_digits[index] |= 1 << digit
        reaching_states = previous_states
    return supported_digits


def _add_digit(_: int, state: int, digit: int) -> int | None:
    """Return a set of digits with one digit added, or None if it contains the digit already."""
    return None if state >> digit & 1 else state | 1 << digit


def list_digits(bits: int) -> list[int]:
    """Return the digits of a set of candidates in increasing order."""
    return [digit for digit in range(bits.bit_length()) if bits >> digit & 1]


def _unite_sets(sets: Iterable[int]) -> int:
    union = 0
    for bits in sets:
        union |= bits
    return union


def _format_sum(variant: Variant, relation: Relation) -> str:
    verb = "is" if len(relation.cells) == 1 else "sum to"
    return f"{_format_cell_names(variant, relation.cells)} {verb} {relation.total}"


def _format_cell_names(variant: Variant, cells: Iterable[int]) -> str:
    return " ".join(get_cell_name(*variant.cells[cell]) for cell in cells)


class ConstrainedBoard(CandidateBoard):
    """The candidates of a puzzle, and the search for steps that follow from houses or constraints.

    Unique rectangles, loops and graves are not used, since constraints may forbid exchanging their
    digits.
    """

    def __init__(self, variant: Variant, givens: Sequence[int]) -> None:
        if variant.digits > _MAX_DIGITS:
            raise UnsupportedError(
                f"solving by hand with constraints supports up to {_MAX_DIGITS} digits",
                hint="search solves such puzzles",
            )
        super().__init__(variant, givens)
        self._rules = _list_rules(variant)
        # For each rule number: the candidates from which the rule last excluded nothing. While
        # they stay the same, the rule is skipped.
        self._unchanged_candidates: dict[int, list[int]] = {}
        self._peers = [{*variant.peers(cell).tolist()} for cell in range(len(variant.cells))]

    def find_easiest_step(self) -> Step | None:
        """Return a step of the lowest rating, or None if no technique gives one."""
        # Techniques that take long to search for have higher ratings than rules.
        if step := super().find_first_step(_list_easier_techniques(_LOWEST_RATING)):
            return step
        rule = self._find_rule_step(_RULE_TECHNIQUES)
        if rule is None:
            return super().find_easiest_step()
        step = super().find_first_step(_list_easier_techniques(rule.rating))
        return step if step and step.rating < rule.rating else rule

    def find_first_step(self, techniques: Iterable[Technique]) -> Step | None:
        """Return a step of the first of these techniques that gives one, or None."""
        for technique in map(Technique, techniques):
            is_rule_technique = technique in _RULE_TECHNIQUES
            step = (
                self._find_rule_step({technique})
                if is_rule_technique
                else super().find_first_step([technique])
            )
            if step is not None:
                return step
        return None

    def rate(self, techniques: Iterable[Technique] = ()) -> list[tuple[int, int]]:
        """Solve until no technique gives a step; return each technique and its rating in tenths.

        With `techniques`, the first of these that gives a step is used each time, and no other.
        """
        chosen_techniques = list(techniques)
        steps = []
        while self.open_cells and (
            step := self.find_first_step(chosen_techniques)
            if chosen_techniques
            else self.find_easiest_step()
        ):
            steps.append((int(step.technique), round(10 * step.rating)))
            self.apply(step)
        return steps

    def _find_rule_step(self, techniques: set[Technique]) -> Step | None:
        """Return the first step by a rule of the given techniques; easier rules are first."""
        candidates = self.candidates
        for index, rule in enumerate(self._rules):
            if rule.technique not in techniques:
                continue
            rule_candidates = [candidates[cell] for cell in rule.cells]
            if self._unchanged_candidates.get(index) == rule_candidates:
                continue
            remaining_candidates = self._remove_excluded_digits(rule, candidates)
            struck_candidates = tuple(
                (cell, digit)
                for cell in sorted(rule.cells)
                for digit in list_digits(candidates[cell] & ~remaining_candidates[cell])
            )
            if struck_candidates:
                return self._make_rule_step(rule, struck_candidates, remaining_candidates)
            self._unchanged_candidates[index] = rule_candidates
        return None

    def _remove_excluded_digits(self, rule: _Rule, candidates: Sequence[int]) -> dict[int, int]:
        """Return the candidates of the cells of a rule that the rule does not exclude."""
        remaining_candidates = {cell: candidates[cell] for cell in rule.cells}
        previous_candidates = None
        while remaining_candidates != previous_candidates:
            previous_candidates = dict(remaining_candidates)
            for relation in rule.relations:
                cells = relation.cells
                are_distinct = all(
                    cell_a != cell_b and cell_b in self._peers[cell_a]
                    for index, cell_a in enumerate(cells)
                    for cell_b in cells[:index]
                )
                supported_digits = list_supported_digits(
                    relation,
                    [remaining_candidates[cell] for cell in cells],
                    self.variant.digits,
                    are_distinct=are_distinct,
                )
                for cell, bits in zip(cells, supported_digits, strict=True):
                    remaining_candidates[cell] &= bits
        return remaining_candidates

    def _make_rule_step(
        self,
        rule: _Rule,
        struck_candidates: tuple[tuple[int, int], ...],
        remaining_candidates: dict[int, int],
    ) -> Step:
        sentence = rule.sentence
        if rule.total:
            sentence += self._format_sets(rule, remaining_candidates)
        return Step(
            rule.technique,
            tuple(sorted(rule.cells)),
            tuple(sorted({digit for _, digit in struck_candidates})),
            (),
            struck_candidates,
            self.variant,
            rule.technique.rating,
            rule=sentence,
        )

    def _format_sets(self, rule: _Rule, remaining_candidates: dict[int, int]) -> str:
        """Return a clause with the possible sets of digits of a cage, or "" for too many sets."""
        union = _unite_sets(remaining_candidates.values())
        digits = self.variant.digits
        sets = [
            bits
            for bits in list_digit_sets(digits, len(rule.cells), rule.total)
            if not bits & ~union
            and all(bits & candidates for candidates in remaining_candidates.values())
        ]
        if not 0 < len(sets) <= _MAX_LISTED_SETS:
            return ""
        *other_sets, last_set = (
            " ".join(get_symbol(digit, digits) for digit in list_digits(bits)) for bits in sets
        )
        sets_text = f"{', '.join(other_sets)}{' or ' if other_sets else ''}{last_set}"
        return f", for which {sets_text} can be used"

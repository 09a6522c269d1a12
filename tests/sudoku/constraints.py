"""Random constraints of every kind, and an independent model of them for OR-tools."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from sudokucrypt.draws import StreamDraws
from sudokucrypt.sudoku import CONSTRAINTS, SudokuPuzzle, Variant
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.constraints.contract import list_neighbor_pairs

_LONGEST = 4


def draw_constraint(kind: str, variant: Variant, draws: StreamDraws) -> Constraint:
    """Return a constraint of a kind on random cells, which only some grids satisfy."""
    order = variant.digits
    sizes = [n for n in CONSTRAINTS[kind].sizes if n <= _LONGEST] or [order]
    size = sizes[draws.below(len(sizes))]
    cells = draws.permutations([order * order]).tolist()[:size]
    value = 1 + draws.below(3)
    if kind in ("killer", "sum"):
        value = draws.below(order) + sum(range(1, size + 1))
    elif kind == "arrow":
        value = 1 if size == 2 else 1 + draws.below(2)
    elif kind == "quadruple":
        corner = order * draws.below(order - 1) + draws.below(order - 1)
        cells = [corner, corner + 1, corner + order, corner + order + 1]
        clues = tuple(1 + draws.below(order) for _ in range(1 + draws.below(3)))
        return Constraint(kind, tuple(cells), clues=clues)
    elif kind == "sandwich":
        lines = np.arange(order * order).reshape(order, order)
        cells = (lines, lines.T)[draws.below(2)][draws.below(order)].tolist()
        value = draws.below(order * (order + 1) // 2 - order)
    elif kind == "xv":
        value = 5 * (1 + draws.below(2))
    return Constraint(kind, tuple(cells), value if value in CONSTRAINTS[kind].values else 0)


def draw_satisfied_constraints(
    kind: str, variant: Variant, solution: Sequence[int], draws: StreamDraws
) -> list[Constraint]:
    """Return constraints of a kind that a solution (digits from 1) satisfies, with required
    marks."""
    if len(CONSTRAINTS[kind].sizes) == 1 and 0 in CONSTRAINTS[kind].sizes:
        rule = Constraint(kind)
        name, test = _MARKED[kind]
        pairs = [
            pair
            for pair in list_neighbor_pairs(variant)
            if test(*(solution[cell] for cell in pair))
        ]
        value = {"difference": lambda a, b: abs(a - b), "ratio": lambda *_: 2, "xv": add}[name]
        return [rule, *(Constraint(name, p, value(*(solution[c] for c in p))) for p in pairs)]
    while True:
        constraint = draw_constraint(kind, variant, draws)
        if constraint.holds(solution, variant.with_constraints(constraint)):
            return [constraint]


_MARKED: dict[str, tuple[str, Callable[[int, int], bool]]] = {
    "nonconsecutive": ("difference", lambda a, b: abs(a - b) == 1),
    "negative-ratio": ("ratio", lambda a, b: a == 2 * b or b == 2 * a),
    "negative-xv": ("xv", lambda a, b: a + b in (5, 10)),
}


def make_cp_model(cp_model: Any, puzzle: SudokuPuzzle) -> tuple[Any, list[Any]]:
    """Return a model of OR-tools that states each constraint of a puzzle by its definition in
    words."""
    model, variant = cp_model.CpModel(), puzzle.variant
    cells = [model.new_int_var(1, variant.digits, "") for _ in variant.cells]
    for house in variant.houses:
        model.add_all_different([cells[cell] for cell in house.cells])
    for cell, digit in enumerate(puzzle.givens.tolist()):
        if digit >= 0:
            model.add(cells[cell] == digit + 1)
    for constraint in variant.constraints:
        _MODELS[constraint.kind](
            model, [cells[cell] for cell in constraint.cells], constraint, cells, variant
        )
    return model, cells


def _allow(model: Any, pairs: Any, digits: int, allowed: Callable[[int, int], bool]) -> None:
    all_digits = range(1, digits + 1)
    table = [(a, b) for a in all_digits for b in all_digits if allowed(a, b)]
    for pair in pairs:
        model.add_allowed_assignments(pair, table)


def _list_unmarked_pairs(cells: list[Any], variant: Variant, *marks: str) -> list[Any]:
    """Return the pairs of neighbors without a mark."""
    order = variant.digits
    marked = [{*other.cells} for other in variant.constraints if other.kind in marks]
    pairs = [(n, n + 1) for n in range(order * order) if (n + 1) % order]
    pairs += [(n, n + order) for n in range(order * (order - 1))]
    return [[cells[a], cells[b]] for a, b in pairs if {a, b} not in marked]


def _require_killer(model: Any, variables: list[Any], constraint: Constraint, *_: Any) -> None:
    model.add_all_different(variables)
    if constraint.value:
        model.add(sum(variables) == constraint.value)


def _require_rising(model: Any, variables: list[Any], *_: Any) -> None:
    for low, high in pairwise(variables):
        model.add(low < high)


def _require_arrow(model: Any, variables: list[Any], constraint: Constraint, *_: Any) -> None:
    head = variables[0] if constraint.value == 1 else 10 * variables[0] + variables[1]
    model.add(head == sum(variables[constraint.value :]))


def _require_renban(model: Any, variables: list[Any], _: Any, __: Any, variant: Variant) -> None:
    model.add_all_different(variables)
    low, high = (model.new_int_var(1, variant.digits, "") for _ in range(2))
    model.add_min_equality(low, variables)
    model.add_max_equality(high, variables)
    model.add(high - low == len(variables) - 1)


def _require_between(model: Any, variables: list[Any], _: Any, __: Any, variant: Variant) -> None:
    low, high = (model.new_int_var(1, variant.digits, "") for _ in range(2))
    model.add_min_equality(low, [variables[0], variables[-1]])
    model.add_max_equality(high, [variables[0], variables[-1]])
    for inner in variables[1:-1]:
        model.add(low < inner)
        model.add(inner < high)


def _require_extreme(
    model: Any, _: Any, constraint: Constraint, cells: list[Any], variant: Variant
) -> None:
    order, cell = variant.digits, constraint.cells[0]
    alike = {
        neighbor.cells[0] for neighbor in variant.constraints if neighbor.kind == constraint.kind
    }
    around = [cell - order, cell + order]
    around += [cell - 1] * (cell % order > 0) + [cell + 1] * ((cell + 1) % order > 0)
    for neighbor in around:
        if 0 <= neighbor < order * order and neighbor not in alike:
            low, high = (cell, neighbor) if constraint.kind == "minimum" else (neighbor, cell)
            model.add(cells[low] < cells[high])


def _require_quadruple(model: Any, variables: list[Any], constraint: Constraint, *_: Any) -> None:
    for digit in {*constraint.clues}:
        equal = []
        for cell in variables:
            is_equal = model.new_bool_var("")
            model.add(cell == digit).only_enforce_if(is_equal)
            model.add(cell != digit).only_enforce_if(~is_equal)
            equal.append(is_equal)
        model.add(sum(equal) >= constraint.clues.count(digit))


def _require_sandwich(
    model: Any, variables: list[Any], constraint: Constraint, _: Any, variant: Variant
) -> None:
    order = variant.digits
    positions = [model.new_int_var(0, order - 1, "") for _ in range(order)]
    for digit, position in enumerate(positions, 1):
        model.add_element(position, variables, digit)
    total = []
    for digit in range(2, order):
        inside = [model.new_bool_var("") for _ in range(3)]  # rising, falling, outside
        model.add_exactly_one(inside)
        model.add(positions[0] < positions[digit - 1]).only_enforce_if(inside[0])
        model.add(positions[digit - 1] < positions[order - 1]).only_enforce_if(inside[0])
        model.add(positions[0] > positions[digit - 1]).only_enforce_if(inside[1])
        model.add(positions[digit - 1] > positions[order - 1]).only_enforce_if(inside[1])
        lower = model.new_bool_var("")  # outside: before both, or after both
        for end in (positions[0], positions[order - 1]):
            model.add(positions[digit - 1] < end).only_enforce_if(inside[2], lower)
            model.add(positions[digit - 1] > end).only_enforce_if(inside[2], ~lower)
        model.add(lower == 0).only_enforce_if(~inside[2])
        total.append(digit * (inside[0] + inside[1]))
    model.add(sum(total) == constraint.value)


_MODELS: dict[str, Callable[..., object]] = {
    "killer": _require_killer,
    "sum": lambda model, own, it, *_: model.add(sum(own) == it.value),
    "arrow": _require_arrow,
    "thermometer": _require_rising,
    "whispers": lambda model, own, it, _, v: _allow(
        model, pairwise(own), v.digits, lambda a, b: abs(a - b) >= it.value
    ),
    "renban": _require_renban,
    "palindrome": lambda model, own, *_: [
        model.add(a == b) for a, b in zip(own, own[::-1], strict=True)
    ],
    "betweenline": _require_between,
    "difference": lambda model, own, it, _, v: _allow(
        model, [own], v.digits, lambda a, b: abs(a - b) == it.value
    ),
    "ratio": lambda model, own, it, _, v: _allow(
        model, [own], v.digits, lambda a, b: max(a, b) == it.value * min(a, b)
    ),
    "nonconsecutive": lambda model, _, __, cells, v: _allow(
        model,
        _list_unmarked_pairs(cells, v, "difference", "ratio"),
        v.digits,
        lambda a, b: a + 1 != b != a - 1,
    ),
    "negative-ratio": lambda model, _, __, cells, v: _allow(
        model,
        _list_unmarked_pairs(cells, v, "difference", "ratio"),
        v.digits,
        lambda a, b: max(a, b) != 2 * min(a, b),
    ),
    "xv": lambda model, own, it, *_: model.add(sum(own) == it.value),
    "negative-xv": lambda model, _, __, cells, v: _allow(
        model, _list_unmarked_pairs(cells, v, "xv"), v.digits, lambda a, b: a + b not in (5, 10)
    ),
    "odd": lambda model, own, *_: model.add_modulo_equality(1, own[0], 2),
    "even": lambda model, own, *_: model.add_modulo_equality(0, own[0], 2),
    "minimum": _require_extreme,
    "maximum": _require_extreme,
    "clone": lambda model, own, *_: [
        model.add(a == b) for a, b in zip(own[: len(own) // 2], own[len(own) // 2 :], strict=True)
    ],
    "quadruple": _require_quadruple,
    "sandwich": _require_sandwich,
}

"""Relations of four forms, by which a search applies constraints, and their tables."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Relation(NamedTuple):
    """A relation between cells. `form` is 0 for a pair, 1 for sets, 2 for a total, 3 for automata.

    A pair: `data` contains for each digit of the first cell the allowed digits of the second cell
    as bits, then the reverse. Sets: the digits of the cells form one of the sets in `data`, each a
    word of bits. A total: the digits, multiplied by `weights`, add up to `total`. An automaton:
    `data` contains for each state 1 if it accepts, otherwise 0, and then the next state for each
    digit, counted from 1, or 0 for none; it begins in the first state and reads the cells in order.
    """

    form: int
    cells: tuple[int, ...]
    data: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    total: int = 0


@lru_cache(maxsize=256)
def make_pair_table(digits: int, is_allowed: Callable[[int, int], bool]) -> tuple[int, ...]:
    """Return the data of a pair relation; `is_allowed` tests two digits, counted from 1."""
    values = range(1, digits + 1)
    second_digit_masks = [sum(1 << b - 1 for b in values if is_allowed(a, b)) for a in values]
    first_digit_masks = [sum(1 << a - 1 for a in values if is_allowed(a, b)) for b in values]
    return (*second_digit_masks, *first_digit_masks)


@lru_cache(maxsize=1024)
def list_digit_sets(digits: int, size: int, total: int) -> tuple[int, ...]:
    """Return the sets of `size` digits with sum `total`; a total of 0 means consecutive digits."""
    candidates = combinations(range(1, digits + 1), size)
    sets = (s for s in candidates if (sum(s) == total if total else s[-1] - s[0] == size - 1))
    return tuple(sum(1 << digit - 1 for digit in digit_set) for digit_set in sets)


def relate_total(cells: Sequence[int], total: int, weights: Sequence[int] = ()) -> Relation:
    """Return the relation of cells whose digits, times `weights` (by default 1), sum to `total`."""
    return Relation(2, tuple(cells), weights=tuple(weights) or (1,) * len(cells), total=total)


def build_automaton(
    digits: int,
    start: Any,
    find_next_state: Callable[[Any, int], Any],
    accepts: Callable[[Any], bool],
) -> tuple[int, ...]:
    """Return the data of an automaton whose states are arbitrary values.

    `find_next_state` takes a state and a digit, counted from 1, and returns a state or None.
    """
    state_numbers, states, data = {start: 0}, [start], list[int]()
    for state in states:  # the loop appends to this list
        data.append(int(accepts(state)))
        for digit in range(1, digits + 1):
            next_state = find_next_state(state, digit)
            if next_state is not None and next_state not in state_numbers:
                state_numbers[next_state] = len(states)
                states.append(next_state)
            data.append(0 if next_state is None else 1 + state_numbers[next_state])
    return tuple(data)


class RelationTables(NamedTuple):
    """All relations as tables for a search: the parts of the relations are concatenated."""

    forms: NDArray[np.int32]
    cell_ends: NDArray[np.int32]
    cells: NDArray[np.int32]
    weights: NDArray[np.int32]
    data_ends: NDArray[np.int32]
    data: NDArray[np.uint64]
    totals: NDArray[np.int32]
    watch_offsets: NDArray[np.int32]
    watching_relations: NDArray[np.int32]


def make_relation_tables(relations: Sequence[Relation], cell_count: int) -> RelationTables:
    """Return the tables of relations on a grid with the given number of cells."""
    relations_by_cell: list[list[int]] = [[] for _ in range(cell_count)]
    for index, relation in enumerate(relations):
        for cell in dict.fromkeys(relation.cells):
            relations_by_cell[cell].append(index)
    weights = [w for r in relations for w in (r.weights or [0] * len(r.cells))]
    return RelationTables(
        np.array([r.form for r in relations], dtype=np.int32),
        np.cumsum([0, *(len(r.cells) for r in relations)], dtype=np.int32),
        np.array([cell for r in relations for cell in r.cells], dtype=np.int32),
        np.array(weights, dtype=np.int32),
        np.cumsum([0, *(len(r.data) for r in relations)], dtype=np.int32),
        np.array([word for r in relations for word in r.data], dtype=np.uint64),
        np.array([r.total for r in relations], dtype=np.int32),
        np.cumsum([0, *map(len, relations_by_cell)], dtype=np.int32),
        np.array([index for indexes in relations_by_cell for index in indexes], dtype=np.int32),
    )

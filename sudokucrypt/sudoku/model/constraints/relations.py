"""Relations of four forms, by which a search uses constraints, and their tables."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Relation(NamedTuple):
    """A relation of some cells: a pair, one of some sets, a total, or an automaton, by `form`.

    `data` has for a pair (form 0) the digits of the second cell for each of the first, then the
    other way round; for sets (1) the sets; all as bits of words. `weights` and `total` are those of
    a total (2). An automaton (3) has for each state 1 if it may be the last, then for each digit
    the next state, counted from 1, or 0; it begins in the first state and reads the cells in order.
    """

    form: int
    cells: tuple[int, ...]
    data: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    total: int = 0


@lru_cache(maxsize=256)
def pair_table(digits: int, allowed: Callable[[int, int], bool]) -> tuple[int, ...]:
    """Return the data of a pair whose digits, from 1, are allowed together."""
    every = range(1, digits + 1)
    one = [sum(1 << b - 1 for b in every if allowed(a, b)) for a in every]
    two = [sum(1 << a - 1 for a in every if allowed(a, b)) for b in every]
    return (*one, *two)


@lru_cache(maxsize=1024)
def list_sets(digits: int, size: int, total: int) -> tuple[int, ...]:
    """Return the sets of `size` digits with this sum, or of consecutive digits if it is 0."""
    every = combinations(range(1, digits + 1), size)
    fitting = (s for s in every if (sum(s) == total if total else s[-1] - s[0] == size - 1))
    return tuple(sum(1 << digit - 1 for digit in chosen) for chosen in fitting)


def relate_total(cells: Sequence[int], total: int, weights: Sequence[int] = ()) -> Relation:
    """Return the relation of cells whose digits, by default each once, add up to a total."""
    return Relation(2, tuple(cells), weights=tuple(weights) or (1,) * len(cells), total=total)


def automaton(
    digits: int,
    start: Any,
    step: Callable[[Any, int], Any],
    accepts: Callable[[Any], bool],
) -> tuple[int, ...]:
    """Return the data of an automaton, whose states are any values.

    `step` gives the state after a state and a digit from 1, or None.
    """
    numbers, states, rows = {start: 0}, [start], list[int]()
    for state in states:  # which grows meanwhile
        rows.append(int(accepts(state)))
        for digit in range(1, digits + 1):
            after = step(state, digit)
            if after is not None and after not in numbers:
                numbers[after] = len(states)
                states.append(after)
            rows.append(0 if after is None else 1 + numbers[after])
    return tuple(rows)


class RelationTables(NamedTuple):
    """Relations as the tables that a search reads; the parts of all are joined."""

    forms: NDArray[np.int32]
    cell_ends: NDArray[np.int32]
    cells: NDArray[np.int32]
    weights: NDArray[np.int32]
    data_ends: NDArray[np.int32]
    data: NDArray[np.uint64]
    totals: NDArray[np.int32]
    watch_ends: NDArray[np.int32]
    watching: NDArray[np.int32]


def make_tables(relations: Sequence[Relation], cells: int) -> RelationTables:
    """Return the tables of relations on a sheet of the given number of cells."""
    watching: list[list[int]] = [[] for _ in range(cells)]
    for index, relation in enumerate(relations):
        for cell in dict.fromkeys(relation.cells):
            watching[cell].append(index)
    weights = [w for r in relations for w in (r.weights or [0] * len(r.cells))]
    return RelationTables(
        np.array([r.form for r in relations], dtype=np.int32),
        np.cumsum([0, *(len(r.cells) for r in relations)], dtype=np.int32),
        np.array([cell for r in relations for cell in r.cells], dtype=np.int32),
        np.array(weights, dtype=np.int32),
        np.cumsum([0, *(len(r.data) for r in relations)], dtype=np.int32),
        np.array([word for r in relations for word in r.data], dtype=np.uint64),
        np.array([r.total for r in relations], dtype=np.int32),
        np.cumsum([0, *map(len, watching)], dtype=np.int32),
        np.array([index for part in watching for index in part], dtype=np.int32),
    )

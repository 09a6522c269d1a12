"""Key cards, section 2: the number of a 9x9 grid. Digits are 0..8, sets of digits are bit masks."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple

from tests.kit.reference.cards import TOTAL

OUTER = 280 * 6**3
ORDERS = list(permutations(range(3)))
EXCHANGES = ["102345678", "021345678", "345012678", "012678345"]

Map = tuple[int, ...]


def make_mask(digits: Sequence[int]) -> int:
    """Return a set of digits as a mask."""
    return sum(1 << digit for digit in digits)


def list_digits(digit_set: int) -> list[int]:
    """Return the digits of a set in increasing order."""
    return [digit for digit in range(9) if digit_set >> digit & 1]


@cache
def map_digits(digit_set: int, digit_map: Map) -> int:
    """Apply a map of digits to a set."""
    return make_mask([digit_map[digit] for digit in list_digits(digit_set)])


def sort_parts(digit_sets: Sequence[int]) -> tuple[int, ...]:
    """Sort sets by their smallest digits."""
    return tuple(sorted(digit_sets, key=lambda part: part & -part))


def find_order_number(items: Sequence[int]) -> int:
    """Return the number of the order of three different things."""
    ranks = sorted(items)
    return ORDERS.index(tuple(ranks.index(item) for item in items))


def _list_partitions() -> list[tuple[int, ...]]:
    result: list[tuple[int, ...]] = []
    for first in combinations(range(1, 9), 2):
        other_digits = [digit for digit in range(1, 9) if digit not in first]
        for second in combinations(other_digits[1:], 2):
            third = [digit for digit in other_digits[1:] if digit not in second]
            result.append(
                (make_mask([0, *first]), make_mask([other_digits[0], *second]), make_mask(third))
            )
    return result


PARTITIONS = _list_partitions()
NUMBER = {parts: number for number, parts in enumerate(PARTITIONS)}


def find_number(digit_sets: Sequence[int]) -> int:
    """Return the number of a partition."""
    return NUMBER[sort_parts(digit_sets)]


DIGIT_ORDERS = [[digit for part in parts for digit in list_digits(part)] for parts in PARTITIONS]
LABELS = [tuple(written.index(digit) for digit in range(9)) for written in DIGIT_ORDERS]
RELABELED = [
    [find_number([map_digits(part, label) for part in parts]) for parts in PARTITIONS]
    for label in LABELS
]
"""Q/P at [P][Q]."""

MEETS = [[all(p & q for p in one for q in other) for other in PARTITIONS] for one in PARTITIONS]


class MatePair(NamedTuple):
    """Two mate partitions: the parts of the first one, and the numbers of both."""

    parts: tuple[int, ...]
    above: int
    below: int


def _list_mate_pairs() -> list[list[MatePair]]:
    """Return all mate pairs of each partition."""
    base = []
    for one in combinations(range(3, 9), 3):
        for two in combinations(sorted({*range(9)} - {*one} - {3, 4, 5}), 3):
            first = [make_mask(one), make_mask(two), 511 - make_mask(one) - make_mask(two)]
            if not first[2] & make_mask([6, 7, 8]):
                own_digits = zip(PARTITIONS[0], first, strict=True)
                base.append((first, [511 - above - below for above, below in own_digits]))
    mates = []
    for written in DIGIT_ORDERS:
        back = tuple(written)
        pairs = [[tuple(map_digits(part, back) for part in mate) for mate in pair] for pair in base]
        mates.append([MatePair(one, find_number(one), find_number(two)) for one, two in pairs])
    return mates


MATES = _list_mate_pairs()
ROWS = [number for number, meets in enumerate(MEETS[0]) if meets]
FILLINGS = [(row, mate) for row in ROWS for mate in range(56)]
PAIRS = [MATES[row][mate] for row, mate in FILLINGS]
SECOND_BOX_FILLINGS = [
    make_mask([i for i, pair in enumerate(PAIRS) if meets[pair.above]]) for meets in MEETS
]
THIRD_BOX_FILLINGS = [
    make_mask([i for i, pair in enumerate(PAIRS) if meets[pair.below]]) for meets in MEETS
]
"""The fillings whose second (third) box a partition meets."""


def find_fillings(one: int, two: int, three: int) -> int:
    """Return the fillings of three partitions, one bit for each filling."""
    return SECOND_BOX_FILLINGS[RELABELED[one][two]] & THIRD_BOX_FILLINGS[RELABELED[one][three]]


FILLING_COUNTS = [
    [6 * (second & third).bit_count() for third in THIRD_BOX_FILLINGS]
    for second in SECOND_BOX_FILLINGS
]
"""F(0, P, Q) at [P][Q]."""


def count_fillings(columns: Sequence[int]) -> int:
    """Return F of the columns of a band."""
    first, second, third = columns
    return FILLING_COUNTS[RELABELED[first][second]][RELABELED[first][third]]


def compute_band_number(rows: Sequence[Sequence[int]], columns: Sequence[int]) -> int:
    """Return the number of a band, three rows of nine digits, among bands with these columns."""
    label = LABELS[columns[0]]
    first, second = (
        [map_digits(make_mask(row[start : start + 3]), label) for row in rows] for start in (0, 3)
    )
    parts = sort_parts(first)
    positions = [first.index(part) for part in parts]
    result = [mate.parts for mate in MATES[NUMBER[parts]]]
    mate = result.index(tuple(second[position] for position in positions))
    before = (1 << FILLINGS.index((NUMBER[parts], mate))) - 1
    return 6 * (find_fillings(*columns) & before).bit_count() + find_order_number(positions)


class Class(NamedTuple):
    """The class of a pair: its representative, the order of boxes, and the map of digits."""

    representative: int
    boxes: tuple[int, ...]
    digit_map: Map


def _find_leaders() -> tuple[list[int], list[Map]]:
    """Return L and M of all pairs."""
    exchanges = [tuple(map(int, text)) for text in EXCHANGES]
    images = [
        [find_number([map_digits(part, e) for part in parts]) for parts in PARTITIONS]
        for e in exchanges
    ]
    reached = [[280 * q + r for q in image for r in image] for image in images]
    leader = list(range(280**2))
    change: list[Map] = [tuple(range(9))] * 280**2
    while True:
        before = list(leader)
        for e, at in zip(exchanges, reached, strict=True):
            better = [x for x, y in enumerate(at) if leader[y] < leader[x]]
            found = [(x, leader[at[x]], tuple(change[at[x]][digit] for digit in e)) for x in better]
            for x, better_leader, map_to_better in found:
                leader[x], change[x] = better_leader, map_to_better
        if leader == before:
            return leader, change


@cache
def list_classes() -> list[Class]:
    """Return the class of each pair."""
    leader, change = _find_leaders()
    result = []
    for x in range(280**2):
        triple = (0, *divmod(x, 280))
        options = []
        for boxes in ORDERS:
            u, v, w = (triple[position] for position in boxes)
            y = 280 * RELABELED[u][v] + RELABELED[u][w]
            options.append((leader[y], boxes, u, y))
        best, boxes, u, y = min(options, key=lambda option: option[0])
        result.append(Class(best, boxes, tuple(change[y][LABELS[u][digit]] for digit in range(9))))
    return result


@cache
def sum_weights(representative: int) -> list[int]:
    """Return for each m1, m2 the sum of W over all earlier ones and all m3, and at the end V."""
    total, result = 0, [0]
    for m1 in range(56):
        for m2 in range(56):
            total += sum(weigh_third_mates(representative, m1, m2))
            result.append(total)
    return result


def weigh_third_mates(representative: int, m1: int, m2: int) -> list[int]:
    """Return W for each m3."""
    s2, s3 = divmod(representative, 280)
    first, second, third = MATES[0][m1], MATES[s2][m2], MATES[s3]
    over, under = RELABELED[first.above], RELABELED[first.below]
    two, three = FILLING_COUNTS[over[second.above]], FILLING_COUNTS[under[second.below]]
    return [two[over[mate.above]] * three[under[mate.below]] for mate in third]


@cache
def find_class_starts() -> dict[int, int]:
    """Return Y for each representative."""
    sizes: dict[int, int] = {}
    for earlier in list_classes():
        sizes[earlier.representative] = sizes.get(earlier.representative, 0) + 1
    result, total = {}, 0
    for representative in sorted(sizes):
        result[representative] = total
        band = count_fillings((0, *divmod(representative, 280)))
        total += sizes[representative] * band * sum_weights(representative)[-1]
    if total != TOTAL // OUTER:
        raise ValueError("the classes do not add up to all grids")
    return result


def list_columns(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the sets of digits in the columns of a band, box by box."""
    sets = [make_mask([row[column] for row in rows]) for column in range(9)]
    return [sets[start : start + 3] for start in (0, 3, 6)]


def compute_grid_number(rows: Sequence[Sequence[int]]) -> int:
    """Return the number of a grid of nine rows of digits 0..8."""
    boxes = list_columns(rows[:3])
    columns = [find_number(sets) for sets in boxes]
    outer_order = columns[0]
    for column_sets in boxes:
        outer_order = 6 * outer_order + find_order_number(
            [column_sets.index(part) for part in sort_parts(column_sets)]
        )
    over = RELABELED[columns[0]]
    x = 280 * over[columns[1]] + over[columns[2]]
    band_class = list_classes()[x]
    digit_map = [band_class.digit_map[LABELS[columns[0]][digit]] for digit in range(9)]
    homes: list[int] = []
    for stack in band_class.boxes:
        inside = range(3 * stack, 3 * stack + 3)
        homes += sorted(inside, key=lambda c: min(digit_map[row[c]] for row in rows[:3]))
    normal = [[digit_map[row[home]] for home in homes] for row in rows]
    bands = [normal[start : start + 3] for start in (0, 3, 6)]
    below = [list_columns(band) for band in bands]
    partitions = [[find_number(sets) for sets in band] for band in below]
    f1, f2, f3 = map(compute_band_number, bands, partitions)
    m1, m2, m3 = (
        [mate.parts for mate in MATES[number]].index(tuple(sets))
        for number, sets in zip(partitions[0], below[1], strict=True)
    )
    total = sum_weights(band_class.representative)
    u = total[56 * m1 + m2] + sum(weigh_third_mates(band_class.representative, m1, m2)[:m3])
    p = sum(earlier.representative == band_class.representative for earlier in list_classes()[:x])
    upper = (p * count_fillings(partitions[0]) + f1) * total[-1]
    inner_number = (
        find_class_starts()[band_class.representative]
        + upper
        + u
        + f2 * count_fillings(partitions[2])
        + f3
    )
    return outer_order * (TOTAL // OUTER) + inner_number

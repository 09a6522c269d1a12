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


def mask(digits: Sequence[int]) -> int:
    """Return a set of digits as a mask."""
    return sum(1 << digit for digit in digits)


def digits_of(part: int) -> list[int]:
    """Return the digits of a set in increasing order."""
    return [digit for digit in range(9) if part >> digit & 1]


@cache
def map_digits(part: int, change: Map) -> int:
    """Apply a map of digits to a set."""
    return mask([change[digit] for digit in digits_of(part)])


def sorted_parts(parts: Sequence[int]) -> tuple[int, ...]:
    """Sort sets by their smallest digits."""
    return tuple(sorted(parts, key=lambda part: part & -part))


def order_number(items: Sequence[int]) -> int:
    """Return the number of the order of three different things."""
    ranks = sorted(items)
    return ORDERS.index(tuple(ranks.index(item) for item in items))


def _partitions() -> list[tuple[int, ...]]:
    result: list[tuple[int, ...]] = []
    for two in combinations(range(1, 9), 2):
        other_digits = [digit for digit in range(1, 9) if digit not in two]
        for other in combinations(other_digits[1:], 2):
            last = [digit for digit in other_digits[1:] if digit not in other]
            result.append((mask([0, *two]), mask([other_digits[0], *other]), mask(last)))
    return result


PARTITIONS = _partitions()
NUMBER = {parts: number for number, parts in enumerate(PARTITIONS)}


def number_of(parts: Sequence[int]) -> int:
    """Return the number of a partition."""
    return NUMBER[sorted_parts(parts)]


DIGIT_ORDERS = [[digit for part in parts for digit in digits_of(part)] for parts in PARTITIONS]
LABELS = [tuple(written.index(digit) for digit in range(9)) for written in DIGIT_ORDERS]
RELABELED = [
    [number_of([map_digits(part, label) for part in parts]) for parts in PARTITIONS]
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
            first = [mask(one), mask(two), 511 - mask(one) - mask(two)]
            if not first[2] & mask([6, 7, 8]):
                own = zip(PARTITIONS[0], first, strict=True)
                base.append((first, [511 - above - below for above, below in own]))
    mates = []
    for written in DIGIT_ORDERS:
        back = tuple(written)
        pairs = [[tuple(map_digits(part, back) for part in mate) for mate in pair] for pair in base]
        mates.append([MatePair(one, number_of(one), number_of(two)) for one, two in pairs])
    return mates


MATES = _list_mate_pairs()
ROWS = [number for number, meets in enumerate(MEETS[0]) if meets]
FILLINGS = [(row, mate) for row in ROWS for mate in range(56)]
PAIRS = [MATES[row][mate] for row, mate in FILLINGS]
SECOND_BOX_FILLINGS = [
    mask([i for i, pair in enumerate(PAIRS) if meets[pair.above]]) for meets in MEETS
]
THIRD_BOX_FILLINGS = [
    mask([i for i, pair in enumerate(PAIRS) if meets[pair.below]]) for meets in MEETS
]
"""The fillings whose second (third) box a partition meets."""


def fillings(one: int, two: int, three: int) -> int:
    """Return the fillings of three partitions, one bit for each filling."""
    return SECOND_BOX_FILLINGS[RELABELED[one][two]] & THIRD_BOX_FILLINGS[RELABELED[one][three]]


FILLING_COUNTS = [
    [6 * (second & third).bit_count() for third in THIRD_BOX_FILLINGS]
    for second in SECOND_BOX_FILLINGS
]
"""F(0, P, Q) at [P][Q]."""


def f(columns: Sequence[int]) -> int:
    """Return F of the columns of a band."""
    one, two, three = columns
    return FILLING_COUNTS[RELABELED[one][two]][RELABELED[one][three]]


def band_number(rows: Sequence[Sequence[int]], columns: Sequence[int]) -> int:
    """Return the number of a band, three rows of nine digits, among bands with these columns."""
    label = LABELS[columns[0]]
    first, second = (
        [map_digits(mask(row[start : start + 3]), label) for row in rows] for start in (0, 3)
    )
    parts = sorted_parts(first)
    positions = [first.index(part) for part in parts]
    result = [mate.parts for mate in MATES[NUMBER[parts]]]
    mate = result.index(tuple(second[position] for position in positions))
    before = (1 << FILLINGS.index((NUMBER[parts], mate))) - 1
    return 6 * (fillings(*columns) & before).bit_count() + order_number(positions)


class Class(NamedTuple):
    """The class of a pair: its representative, the order of boxes, and the map of digits."""

    representative: int
    boxes: tuple[int, ...]
    change: Map


def _find_leaders() -> tuple[list[int], list[Map]]:
    """Return L and M of all pairs."""
    changes = [tuple(map(int, text)) for text in EXCHANGES]
    images = [
        [number_of([map_digits(part, e) for part in parts]) for parts in PARTITIONS]
        for e in changes
    ]
    reached = [[280 * q + r for q in image for r in image] for image in images]
    leader = list(range(280**2))
    change: list[Map] = [tuple(range(9))] * 280**2
    while True:
        before = list(leader)
        for e, at in zip(changes, reached, strict=True):
            better = [x for x, y in enumerate(at) if leader[y] < leader[x]]
            new = [(x, leader[at[x]], tuple(change[at[x]][digit] for digit in e)) for x in better]
            for x, lead, then in new:
                leader[x], change[x] = lead, then
        if leader == before:
            return leader, change


@cache
def classes() -> list[Class]:
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
def sums(representative: int) -> list[int]:
    """Return for each m1, m2 the sum of W over all earlier ones and all m3, and at the end V."""
    total, result = 0, [0]
    for m1 in range(56):
        for m2 in range(56):
            total += sum(thirds(representative, m1, m2))
            result.append(total)
    return result


def thirds(representative: int, m1: int, m2: int) -> list[int]:
    """Return W for each m3."""
    s2, s3 = divmod(representative, 280)
    first, second, third = MATES[0][m1], MATES[s2][m2], MATES[s3]
    over, under = RELABELED[first.above], RELABELED[first.below]
    two, three = FILLING_COUNTS[over[second.above]], FILLING_COUNTS[under[second.below]]
    return [two[over[mate.above]] * three[under[mate.below]] for mate in third]


@cache
def starts() -> dict[int, int]:
    """Return Y for each representative."""
    sizes: dict[int, int] = {}
    for earlier in classes():
        sizes[earlier.representative] = sizes.get(earlier.representative, 0) + 1
    result, total = {}, 0
    for representative in sorted(sizes):
        result[representative] = total
        band = f((0, *divmod(representative, 280)))
        total += sizes[representative] * band * sums(representative)[-1]
    if total != TOTAL // OUTER:
        raise ValueError("the classes do not add up to all grids")
    return result


def columns_of(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the sets of digits in the columns of a band, box by box."""
    sets = [mask([row[column] for row in rows]) for column in range(9)]
    return [sets[start : start + 3] for start in (0, 3, 6)]


def grid_number(rows: Sequence[Sequence[int]]) -> int:
    """Return the number of a grid of nine rows of digits 0..8."""
    boxes = columns_of(rows[:3])
    columns = [number_of(sets) for sets in boxes]
    outer_order = columns[0]
    for sets in boxes:
        outer_order = 6 * outer_order + order_number(
            [sets.index(part) for part in sorted_parts(sets)]
        )
    over = RELABELED[columns[0]]
    x = 280 * over[columns[1]] + over[columns[2]]
    band_class = classes()[x]
    change = [band_class.change[LABELS[columns[0]][digit]] for digit in range(9)]
    homes: list[int] = []
    for stack in band_class.boxes:
        inside = range(3 * stack, 3 * stack + 3)
        homes += sorted(inside, key=lambda c: min(change[row[c]] for row in rows[:3]))
    normal = [[change[row[home]] for home in homes] for row in rows]
    bands = [normal[start : start + 3] for start in (0, 3, 6)]
    below = [columns_of(band) for band in bands]
    partitions = [[number_of(sets) for sets in band] for band in below]
    f1, f2, f3 = map(band_number, bands, partitions)
    m1, m2, m3 = (
        [mate.parts for mate in MATES[number]].index(tuple(sets))
        for number, sets in zip(partitions[0], below[1], strict=True)
    )
    total = sums(band_class.representative)
    u = total[56 * m1 + m2] + sum(thirds(band_class.representative, m1, m2)[:m3])
    p = sum(earlier.representative == band_class.representative for earlier in classes()[:x])
    upper = (p * f(partitions[0]) + f1) * total[-1]
    inner_number = starts()[band_class.representative] + upper + u + f2 * f(partitions[2]) + f3
    return outer_order * (TOTAL // OUTER) + inner_number

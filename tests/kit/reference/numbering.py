"""Key cards, section 2: the number of a 9x9 grid. Digits are 0..8, sets of digits are masks."""

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
    """Set of digits."""
    return sum(1 << digit for digit in digits)


def digits_of(part: int) -> list[int]:
    """The digits of a set, rising."""
    return [digit for digit in range(9) if part >> digit & 1]


@cache
def map_digits(part: int, change: Map) -> int:
    """What a map of digits makes of a set."""
    return mask([change[digit] for digit in digits_of(part)])


def sorted_parts(parts: Sequence[int]) -> tuple[int, ...]:
    """Sets in the order of their smallest digits."""
    return tuple(sorted(parts, key=lambda part: part & -part))


def order_number(things: Sequence[int]) -> int:
    """Order number of three different things."""
    ranks = sorted(things)
    return ORDERS.index(tuple(ranks.index(thing) for thing in things))


def _partitions() -> list[tuple[int, ...]]:
    result: list[tuple[int, ...]] = []
    for two in combinations(range(1, 9), 2):
        rest = [digit for digit in range(1, 9) if digit not in two]
        for other in combinations(rest[1:], 2):
            last = [digit for digit in rest[1:] if digit not in other]
            result.append((mask([0, *two]), mask([rest[0], *other]), mask(last)))
    return result


PARTITIONS = _partitions()
NUMBER = {parts: number for number, parts in enumerate(PARTITIONS)}


def number_of(parts: Sequence[int]) -> int:
    """Number of a partition."""
    return NUMBER[sorted_parts(parts)]


WRITTEN = [[digit for part in parts for digit in digits_of(part)] for parts in PARTITIONS]
LABELS = [tuple(written.index(digit) for digit in range(9)) for written in WRITTEN]
OVER = [
    [number_of([map_digits(part, label) for part in parts]) for parts in PARTITIONS]
    for label in LABELS
]
"""Q/P at [P][Q]."""

MEETS = [[all(p & q for p in one for q in other) for other in PARTITIONS] for one in PARTITIONS]


class Mates(NamedTuple):
    """A mate pair: the parts of its first partition, and the numbers of both."""

    parts: tuple[int, ...]
    above: int
    below: int


def _mates() -> list[list[Mates]]:
    """All mate pairs of each partition."""
    base = []
    for one in combinations(range(3, 9), 3):
        for two in combinations(sorted({*range(9)} - {*one} - {3, 4, 5}), 3):
            first = [mask(one), mask(two), 511 - mask(one) - mask(two)]
            if not first[2] & mask([6, 7, 8]):
                own = zip(PARTITIONS[0], first, strict=True)
                base.append((first, [511 - above - below for above, below in own]))
    mates = []
    for written in WRITTEN:
        back = tuple(written)
        pairs = [[tuple(map_digits(part, back) for part in mate) for mate in pair] for pair in base]
        mates.append([Mates(one, number_of(one), number_of(two)) for one, two in pairs])
    return mates


MATES = _mates()
ROWS = [number for number, meets in enumerate(MEETS[0]) if meets]
FILLINGS = [(row, mate) for row in ROWS for mate in range(56)]
PAIRS = [MATES[row][mate] for row, mate in FILLINGS]
SECOND = [mask([i for i, pair in enumerate(PAIRS) if meets[pair.above]]) for meets in MEETS]
THIRD = [mask([i for i, pair in enumerate(PAIRS) if meets[pair.below]]) for meets in MEETS]
"""The fillings whose second (third) box a partition meets."""


def fillings(one: int, two: int, three: int) -> int:
    """The fillings of three partitions, one bit each."""
    return SECOND[OVER[one][two]] & THIRD[OVER[one][three]]


WAYS = [[6 * (second & third).bit_count() for third in THIRD] for second in SECOND]
"""F(0, P, Q) at [P][Q]."""


def f(columns: Sequence[int]) -> int:
    """F of the columns of a band."""
    one, two, three = columns
    return WAYS[OVER[one][two]][OVER[one][three]]


def band_number(rows: Sequence[Sequence[int]], columns: Sequence[int]) -> int:
    """Number of a band, three rows of nine digits, among those with these columns."""
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
    """What belongs to a pair: its representative, boxes, and map of digits."""

    representative: int
    boxes: tuple[int, ...]
    change: Map


def _leaders() -> tuple[list[int], list[Map]]:
    """L and M of all pairs."""
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
    """The class of each pair."""
    leader, change = _leaders()
    result = []
    for x in range(280**2):
        triple = (0, *divmod(x, 280))
        options = []
        for boxes in ORDERS:
            u, v, w = (triple[position] for position in boxes)
            y = 280 * OVER[u][v] + OVER[u][w]
            options.append((leader[y], boxes, u, y))
        best, boxes, u, y = min(options, key=lambda option: option[0])
        result.append(Class(best, boxes, tuple(change[y][LABELS[u][digit]] for digit in range(9))))
    return result


@cache
def sums(representative: int) -> list[int]:
    """For each m1, m2: the sum of W over those before, in all m3; at the end V."""
    total, result = 0, [0]
    for m1 in range(56):
        for m2 in range(56):
            total += sum(thirds(representative, m1, m2))
            result.append(total)
    return result


def thirds(representative: int, m1: int, m2: int) -> list[int]:
    """W for each m3."""
    s2, s3 = divmod(representative, 280)
    first, second, third = MATES[0][m1], MATES[s2][m2], MATES[s3]
    over, under = OVER[first.above], OVER[first.below]
    two, three = WAYS[over[second.above]], WAYS[under[second.below]]
    return [two[over[mate.above]] * three[under[mate.below]] for mate in third]


@cache
def starts() -> dict[int, int]:
    """Y for each representative."""
    sizes: dict[int, int] = {}
    for each in classes():
        sizes[each.representative] = sizes.get(each.representative, 0) + 1
    result, total = {}, 0
    for representative in sorted(sizes):
        result[representative] = total
        band = f((0, *divmod(representative, 280)))
        total += sizes[representative] * band * sums(representative)[-1]
    if total != TOTAL // OUTER:
        raise ValueError("the classes do not add up to all grids")
    return result


def columns_of(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Column sets of a band, box by box."""
    sets = [mask([row[column] for row in rows]) for column in range(9)]
    return [sets[start : start + 3] for start in (0, 3, 6)]


def grid_number(rows: Sequence[Sequence[int]]) -> int:
    """Number of a grid, nine rows of digits 0..8."""
    boxes = columns_of(rows[:3])
    columns = [number_of(sets) for sets in boxes]
    outer = columns[0]
    for sets in boxes:
        outer = 6 * outer + order_number([sets.index(part) for part in sorted_parts(sets)])
    over = OVER[columns[0]]
    x = 280 * over[columns[1]] + over[columns[2]]
    known = classes()[x]
    change = [known.change[LABELS[columns[0]][digit]] for digit in range(9)]
    homes: list[int] = []
    for stack in known.boxes:
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
    every = sums(known.representative)
    u = every[56 * m1 + m2] + sum(thirds(known.representative, m1, m2)[:m3])
    p = sum(each.representative == known.representative for each in classes()[:x])
    upper = (p * f(partitions[0]) + f1) * every[-1]
    inner = starts()[known.representative] + upper + u + f2 * f(partitions[2]) + f3
    return outer * (TOTAL // OUTER) + inner

"""JPEG, sections 2, 6 and 7: blocks that only complete the last units of a component."""

from collections.abc import Iterator

from tests.kit.reference import RefusedError
from tests.kit.reference.structure import Component, Difference, Skeleton

Blocks = list[list[int]]
NONE, MEANS, ALL = 0, 1, 64


def sent_beyond(parsed: Skeleton, number: int) -> int:
    """How many coefficients are sent of fillers of a component: none, the mean, or all."""
    if not any(number in s.components and len(s.components) > 1 for s in parsed.scans):
        return NONE
    return MEANS if parsed.progressive else ALL


def unsent_bits(parsed: Skeleton, number: int) -> int:
    """How many of the lowest bits of means of fillers no scan sends."""
    common = (s for s in parsed.scans if number in s.components and len(s.components) > 1)
    return min((scan.low for scan in common if scan.first == 0), default=0)


def in_unit(component: Component, row: int, column: int) -> Iterator[int]:
    """Numbers of the blocks of a component in a unit of scans of several components."""
    v, h = component.sampling
    for y in range(row * v, row * v + v):
        for x in range(column * h, column * h + h):
            yield y * component.whole[1] + x


def is_filler(component: Component, position: int) -> bool:
    """Whether the block with this number only completes a unit."""
    row, column = divmod(position, component.whole[1])
    return row >= component.covering[0] or column >= component.covering[1]


def with_usual(parsed: Skeleton, number: int, plane: Blocks) -> Blocks:
    """The blocks of a component with usual fillers, or with none if no scan sends them."""
    component, plane = parsed.components[number], list(map(list, plane))
    if component.whole == component.covering:
        return plane
    sent = sent_beyond(parsed, number)
    for row in range(parsed.units[0]):
        for column in range(parsed.units[1]):
            before = 0
            for position in in_unit(component, row, column):
                if is_filler(component, position):
                    plane[position] = [before if sent else 0, *[0] * 63]
                before = plane[position][0]
    return plane


def differences(parsed: Skeleton, number: int, plane: Blocks) -> tuple[Difference, ...]:
    """Places of coefficients of fillers that are not the usual ones, and by how much."""
    return tuple(
        (64 * position + at, value - other)
        for position, (block, usual) in enumerate(
            zip(plane, with_usual(parsed, number, plane), strict=True)
        )
        for at, (value, other) in enumerate(zip(block, usual, strict=True))
        if value != other
    )


def with_differences(
    parsed: Skeleton, number: int, plane: Blocks, changes: tuple[Difference, ...]
) -> Blocks:
    """The blocks of a component with fillers that differ so from usual ones."""
    component, plane = parsed.components[number], with_usual(parsed, number, plane)
    for at, difference in changes:
        position = at // 64
        if position >= len(plane) or not is_filler(component, position):
            raise RefusedError("a difference of a block that is no filler")
        if at % 64 >= sent_beyond(parsed, number):
            raise RefusedError("a difference that no scan sends")
        plane[position][at % 64] += difference
    return plane

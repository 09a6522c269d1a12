"""JPEG, sections 2, 6 and 7: blocks that only complete the last units of a component."""

from collections.abc import Iterator

from tests.kit.reference import RefusedError
from tests.kit.reference.structure import Component, Difference, Skeleton

Blocks = list[list[int]]
NONE, MEANS, ALL = 0, 1, 64


def sent_beyond(said: Skeleton, number: int) -> int:
    """How many coefficients are sent of fillers of a component: none, the mean, or all."""
    if not any(number in s.components and len(s.components) > 1 for s in said.scans):
        return NONE
    return MEANS if said.progressive else ALL


def in_unit(component: Component, row: int, column: int) -> Iterator[int]:
    """Numbers of the blocks of a component in a unit of scans of several components."""
    v, h = component.sampling
    for y in range(row * v, row * v + v):
        for x in range(column * h, column * h + h):
            yield y * component.whole[1] + x


def is_filler(component: Component, place: int) -> bool:
    """Whether the block with this number only completes a unit."""
    row, column = divmod(place, component.whole[1])
    return row >= component.covering[0] or column >= component.covering[1]


def with_usual(said: Skeleton, number: int, plane: Blocks) -> Blocks:
    """The blocks of a component with usual fillers, or with none if no scan sends them."""
    component, plane = said.components[number], list(map(list, plane))
    if component.whole == component.covering:
        return plane
    sent = sent_beyond(said, number)
    for row in range(said.units[0]):
        for column in range(said.units[1]):
            before = 0
            for place in in_unit(component, row, column):
                if is_filler(component, place):
                    plane[place] = [before if sent else 0, *[0] * 63]
                before = plane[place][0]
    return plane


def differences(said: Skeleton, number: int, plane: Blocks) -> tuple[Difference, ...]:
    """Places of coefficients of fillers that are not the usual ones, and by how much."""
    return tuple(
        (64 * place + at, value - other)
        for place, (block, usual) in enumerate(
            zip(plane, with_usual(said, number, plane), strict=True)
        )
        for at, (value, other) in enumerate(zip(block, usual, strict=True))
        if value != other
    )


def with_differences(
    said: Skeleton, number: int, plane: Blocks, changes: tuple[Difference, ...]
) -> Blocks:
    """The blocks of a component with fillers that differ so from usual ones."""
    component, plane = said.components[number], with_usual(said, number, plane)
    for at, difference in changes:
        place = at // 64
        if place >= len(plane) or not is_filler(component, place):
            raise RefusedError("a difference of a block that is no filler")
        if at % 64 >= sent_beyond(said, number):
            raise RefusedError("a difference that no scan sends")
        plane[place][at % 64] += difference
    return plane

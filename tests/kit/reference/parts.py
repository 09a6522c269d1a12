"""Pictures, sections 1 to 4: the frames at hand, what they are, and what of each changes."""

from collections.abc import Sequence
from dataclasses import replace

from tests.kit.reference import RefusedError, description
from tests.kit.reference.description import Description
from tests.kit.reference.frames import Frame
from tests.kit.reference.header import Header
from tests.kit.reference.selection import (
    Canvas,
    pixels_of_frame,
    read_mask,
    selected_by_mask,
    selected_by_regions,
)
from tests.kit.reference.units import default_rounds, group_sizes, rows_columns_channels

Pixels = list[int] | None


def canvas_of(shape: Sequence[int], meaning: Description | None) -> Canvas:
    """The canvas of a picture whose frame 0 has this shape."""
    if meaning is not None and "animation" in meaning:
        animation = meaning["animation"]
        return Canvas(rows=animation["rows"], columns=animation["columns"])
    rows, columns, _ = rows_columns_channels(shape)
    return Canvas(rows=rows, columns=columns)


def pixels_of_frames(
    shapes: Sequence[Sequence[int]], header: Header, meaning: Description | None
) -> list[Pixels]:
    """Pixels that change in every frame, or None for all."""
    canvas = canvas_of(shapes[0], meaning)
    if header.regions is not None:
        selected = selected_by_regions(header.regions, canvas)
    elif header.mask is not None:
        selected = selected_by_mask(read_mask(header.mask), canvas)
    else:
        return [None for _ in shapes]
    described = [{}] * len(shapes) if meaning is None else meaning["frames"]
    positions = [frame.get("place", (0, 0)) for frame in described]
    return [
        pixels_of_frame(shape, position, canvas=canvas, selected=selected)
        for shape, position in zip(shapes, positions, strict=True)
    ]


def rounds_of_picture(
    shapes: Sequence[Sequence[int]],
    unit: str,
    *,
    block_size: int | None = None,
    pixels: Sequence[Pixels] | None = None,
) -> int:
    """Default rounds for frames of these shapes, of which these pixels change."""
    counts: list[int] = []
    for shape, chosen in zip(shapes, pixels or [None for _ in shapes], strict=True):
        if chosen is None:
            counts += group_sizes(shape, unit, block_size=block_size).values()
        elif chosen:
            _, _, channels = rows_columns_channels(shape)
            counts += group_sizes((1, len(chosen), channels), unit).values()
    return default_rounds(counts)


def check_frames(frames: Sequence[Frame], header: Header) -> None:
    """Refuse frames whose first is not that of the header."""
    if frames[0].shape != header.shape or frames[0].dtype != header.dtype:
        raise RefusedError("another shape or dtype")


def described_frames(
    frames: Sequence[Frame], header: Header
) -> tuple[list[Frame], Description | None]:
    """The frames with the bits of their description, and the description in plain extras."""
    if header.extras is None:
        if len(frames) > 1:
            raise RefusedError("several frames without a description")
        return list(frames), None
    meaning = description.read(header.extras)
    description.check_suits(meaning, header)
    at_hand = [(list(frame.shape), frame.dtype) for frame in frames]
    if at_hand != [(frame["shape"], frame["dtype"]) for frame in meaning["frames"]]:
        raise RefusedError("other frames than described")
    dressed = [
        replace(frame, bits=about.get("bits"))
        for frame, about in zip(frames, meaning["frames"], strict=True)
    ]
    return dressed, meaning

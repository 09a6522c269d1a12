"""Animated PNG: the chunks that say how many frames there are, and when and where each is shown.

::

    acTL: frames, loops | fcTL: number, columns, rows, column, row, delay, disposal, blend
    fdAT: number, then what an IDAT chunk would hold

Frames share mode, palette and transparent color. The first one is in the IDAT chunks; if no fcTL
comes before them, the animation does not show it.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sudokucrypt.images.picture import Animation, Frame, FrameControl, Picture
from sudokucrypt.images.png.modes import SampleFormat
from sudokucrypt.images.source import MOST_FRAMES, Source
from sudokucrypt.typing import Buffer

_PLAN = struct.Struct(">II")
_CONTROL = struct.Struct(">IIIIIHHBB")
_NUMBER = struct.Struct(">I")
_DISPOSALS = range(3)
_BLENDS = range(2)
# The specification reads a denominator of 0 as hundredths of a second.
_DEFAULT_DENOMINATOR = 100


@dataclass
class FramePart:
    """A frame that is not decoded yet: its own layout, place and showing, and its zlib stream."""

    layout: SampleFormat
    row: int = 0
    column: int = 0
    showing: FrameControl | None = None
    pieces: list[memoryview] = field(default_factory=list)


def read_animation(
    source: Source,
    layout: SampleFormat,
    plan: memoryview,
    chunks: Iterable[tuple[bytes, memoryview]],
) -> tuple[Animation, list[FramePart]]:
    """Return the animation that these chunks make."""
    if len(plan) != _PLAN.size:
        raise source.damaged("its acTL chunk has a wrong length")
    promised, loops = _PLAN.unpack(plan)
    if promised > MOST_FRAMES:
        raise source.unsupported(f"a PNG with more than {MOST_FRAMES} frames")
    parts = _read_parts(source, layout, chunks)
    announced = sum(part.showing is not None for part in parts)
    if not announced or announced != promised:
        raise source.damaged(f"it promises {promised} frames, and holds {announced}")
    if not all(part.pieces for part in parts):
        raise source.damaged("a frame has no samples")
    return Animation(rows=layout.rows, columns=layout.columns, loops=loops), parts


def _read_parts(
    source: Source, layout: SampleFormat, chunks: Iterable[tuple[bytes, memoryview]]
) -> list[FramePart]:
    parts: list[FramePart] = []
    sequence = 0
    for kind, body in chunks:
        if kind == b"IDAT":
            if not parts:
                parts.append(FramePart(layout))
            if len(parts) > 1:
                raise source.damaged("a frame has no samples")
            parts[0].pieces.append(body)
            continue
        if bytes(body[: _NUMBER.size]) != _NUMBER.pack(sequence):
            raise source.damaged(f"part {sequence} of its animation is not where it belongs")
        sequence += 1
        if kind == b"fcTL":
            parts.append(_read_control(source, layout, body, first=not parts))
        elif len(parts) > 1:
            parts[-1].pieces.append(body[_NUMBER.size :])
        else:
            raise source.damaged("its animation has samples of no frame")
    return parts


def _read_control(
    source: Source, layout: SampleFormat, body: memoryview, *, first: bool
) -> FramePart:
    if len(body) != _CONTROL.size:
        raise source.damaged("an fcTL chunk has a wrong length")
    _, columns, rows, column, row, numerator, denominator, disposal, blend = _CONTROL.unpack(body)
    if row + rows > layout.rows or column + columns > layout.columns or not (rows and columns):
        raise source.damaged("a frame lies outside the canvas")
    if first and (rows, columns) != (layout.rows, layout.columns):
        raise source.damaged("its first frame does not cover the canvas")
    if disposal not in _DISPOSALS or blend not in _BLENDS:
        raise source.damaged("a frame is disposed of or blended in an unknown way")
    duration = Fraction(numerator, denominator or _DEFAULT_DENOMINATOR)
    showing = FrameControl(duration=duration, disposal=disposal, blend=blend)
    part = replace(layout, rows=rows, columns=columns)
    return FramePart(part, row=row, column=column, showing=showing)


def unsupported_reasons(picture: Picture) -> Iterator[str]:
    """Yield what of the animation PNG cannot hold."""
    animation, (first, *others) = picture.animation, picture.frames
    if animation is None:
        if others:
            yield "several frames that are not an animation"
        if first.row or first.column or first.showing:
            yield "a frame of an animation alone"
        return
    if picture.format != "PNG":
        yield f"the animation of a {picture.format}"
    yield from _plan_obstacles(animation)
    if (animation.rows, animation.columns) != first.pixels.shape[:2]:
        yield "a first frame that does not cover the canvas"
    if len(picture.frames) > MOST_FRAMES or not (others or first.showing):
        yield f"an animation of {len(picture.frames)} frames"
    for frame in picture.frames:
        if _look(frame) != _look(first):
            yield "frames with different modes or palettes"
        if frame is not first and (frame.showing is None or frame.metadata):
            yield "frames that are not shown, or with metadata of their own"
        yield from _frame_obstacles(frame, animation)


def _plan_obstacles(animation: Animation) -> Iterator[str]:
    if animation.loops is None or not 0 <= animation.loops < 2**32:
        yield f"an animation that is shown {animation.loops} times"
    if animation.background is not None or animation.palette is not None:
        yield "background or palette of an animation"


def _frame_obstacles(frame: Frame, animation: Animation) -> Iterator[str]:
    rows, columns = frame.pixels.shape[:2]
    inside = 0 <= frame.row <= animation.rows - rows
    if not inside or not 0 <= frame.column <= animation.columns - columns:
        yield "frames outside the canvas"
    showing = frame.showing
    if showing is None:
        return
    if showing.duration < 0 or max(showing.duration.as_integer_ratio()) >= 2**16:
        yield f"frames that are shown for {showing.duration} seconds"
    if showing.disposal not in _DISPOSALS or showing.blend not in _BLENDS:
        yield f"disposal {showing.disposal} and blend {showing.blend}"


def _look(frame: Frame) -> tuple[object, ...]:
    return frame.mode, frame.depth, frame.palette, frame.transparent


def plan_chunk(picture: Picture) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunk acTL of an animation."""
    if picture.animation is not None:
        shown = sum(frame.showing is not None for frame in picture.frames)
        yield b"acTL", _PLAN.pack(shown, picture.animation.loops or 0)


def frame_chunks(
    frames: Iterable[tuple[Frame, Iterable[Buffer]]],
) -> Iterator[tuple[bytes, Buffer]]:
    """Yield the chunks IDAT, fcTL and fdAT of these frames and the parts of their streams."""
    sequence = 0
    for index, (frame, parts) in enumerate(frames):
        showing = frame.showing
        if showing is not None:
            rows, columns = frame.pixels.shape[:2]
            control = _CONTROL.pack(
                *(sequence, columns, rows, frame.column, frame.row),
                *showing.duration.as_integer_ratio(),
                *(showing.disposal, showing.blend),
            )
            yield b"fcTL", control
            sequence += 1
        for part in parts:
            if index == 0:
                yield b"IDAT", part
            else:
                yield b"fdAT", b"".join([_NUMBER.pack(sequence), part])
                sequence += 1

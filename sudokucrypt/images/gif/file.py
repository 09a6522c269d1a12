"""GIF: palette pictures with up to 256 colors, and plain gray ones; all frames as they are stored.

::

    screen | our header | loops | for each frame: metadata, control, image | end

A frame keeps its rectangle and its own palette. Nothing is laid over anything, and the canvas is
never made: a file may claim any, and only its images count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.driver import Driver, Writer
from sudokucrypt.images.gif.blocks import TRAILER, Extension, Image, Screen, read_screen, walk
from sudokucrypt.images.gif.codes import GRAYS, pack, unpack
from sudokucrypt.images.gif.meaning import (
    Reader,
    control_extension,
    extensions,
    header_extension,
    loops_extension,
    remaining,
)
from sudokucrypt.images.picture import Animation, Frame, Picture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.metadata import Metadata
    from sudokucrypt.images.picture import Palette, Showing
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer

FORMAT: Final = "GIF"

_MOST = 0xFFFF
_PALETTE_SIZES = {3 << bits for bits in range(1, 9)}


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a GIF."""
    return data.startswith((b"GIF87a", b"GIF89a"))


def decode(source: Source) -> Picture:
    """Read a GIF; see `read_picture` for what is raised.

    Notes
    -----
    A frame without a palette has that of the animation. One without a control extension has no
    `showing`. `Animation.background` holds the number of the background color and the byte for
    the shape of a pixel, unless both are zero. Comments that are not UTF-8 are kept as native
    metadata. What stands behind the last image belongs to it.
    """
    screen, start = read_screen(source)
    reader = Reader(source)
    frames: list[Frame] = []
    for block in walk(source, start):
        if isinstance(block, Extension):
            reader.take(block)
        elif isinstance(block, Image):
            frames.append(_frame(source, block, reader))
        elif block:
            reader.left_out["data after the picture"] = None
    if not frames:
        raise source.damaged("it holds no image")
    if trailing := reader.finish().metadata:
        frames[-1] = replace(frames[-1], metadata=frames[-1].metadata.joined(trailing))
    background = bytes([screen.background, screen.aspect])
    return Picture(
        frames=tuple(frames),
        format=FORMAT,
        animation=Animation(
            rows=screen.rows,
            columns=screen.columns,
            loops=reader.loops,
            background=background if any(background) else None,
            palette=screen.palette,
        ),
        header=source.header(reader.headers),
        left_out=tuple(reader.left_out),
    )


def obstacle(picture: Picture) -> str | None:
    """Tell what of a picture GIF cannot hold, or return none.

    Notes
    -----
    Gray frames without a palette are written with a palette of all grays. They come back as frames
    in mode ``palette`` with the same samples, and with the palette of grays in their animation. A
    still that has no animation comes back with one of its own size.
    """
    animation = picture.animation
    if animation is None and len(picture.frames) > 1:
        return "several pages"
    palettes = [frame.palette for frame in picture.frames]
    if animation is not None:
        palettes.append(animation.palette)
        if reason := _screen_obstacle(animation):
            return reason
    if len({frame.mode for frame in picture.frames}) > 1:
        return "frames of several modes"
    if picture.frames[0].mode == "gray" and any(palettes):
        return "gray samples beside a palette"
    reasons = (_palette_obstacle(palette) for palette in palettes if palette is not None)
    frame_reasons = (_frame_obstacle(frame) for frame in picture.frames)
    return next(filter(None, (*reasons, *frame_reasons)), None)


def leftover(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata GIF cannot hold."""
    del header
    return remaining(frame.metadata)


def encode(picture: Picture, compress: int) -> Iterator[Buffer]:
    """Yield the parts of a GIF file, frame by frame; the codes of LZW are always the same."""
    del compress
    first = picture.frames[0]
    rows, columns = first.pixels.shape
    animation = picture.animation or Animation(rows=rows, columns=columns)
    background, aspect = animation.background or (0, 0)
    screen = Screen(
        rows=animation.rows,
        columns=animation.columns,
        background=background,
        aspect=aspect,
        palette=GRAYS if first.mode == "gray" else animation.palette,
    )
    before = [] if picture.header is None else [header_extension(picture.header)]
    if animation.loops is not None:
        before.append(loops_extension(animation.loops))
    yield screen.to_bytes()
    for frame in picture.frames:
        said = (*before, *extensions(frame.metadata), *_control(frame))
        yield b"".join(extension.to_bytes() for extension in said)
        before = []
        yield from _image(frame)
    yield TRAILER


def _frame(source: Source, image: Image, reader: Reader) -> Frame:
    meaning = reader.finish()
    return Frame(
        pixels=unpack(source, image),
        mode="palette",
        palette=image.palette,
        transparent=meaning.transparent,
        row=image.row,
        column=image.column,
        showing=meaning.showing,
        metadata=meaning.metadata,
    )


def _image(frame: Frame) -> Iterator[bytes]:
    rows, columns = frame.pixels.shape
    image = Image(
        row=frame.row,
        column=frame.column,
        rows=rows,
        columns=columns,
        coded=pack(frame.pixels),
        palette=frame.palette,
    )
    yield image.to_bytes()
    yield bytes(image.coded)


def _control(frame: Frame) -> list[Extension]:
    if frame.showing is None:
        return []
    return [control_extension(frame.showing, frame.transparent)]


def _screen_obstacle(animation: Animation) -> str | None:
    if max(animation.rows, animation.columns, animation.loops or 0) > _MOST:
        return f"a canvas with sides, or a loop, of over {_MOST}"
    if animation.background is not None and (
        len(animation.background) != 2 or not any(animation.background)
    ):
        return "a background that is not the number of a color"
    return None


def _palette_obstacle(palette: Palette) -> str | None:
    if palette.wide or palette.alphas:
        return "palettes of transparent colors or with 16 bits"
    if len(palette.colors) not in _PALETTE_SIZES:
        return f"palettes of {len(palette.colors) // 3} colors"
    return None


def _frame_obstacle(frame: Frame) -> str | None:
    if frame.mode not in ("gray", "palette"):
        return f"{frame.mode} pictures"
    if frame.pixels.dtype != "uint8" or frame.bits is not None:
        return f"{frame.depth}-bit samples of type {frame.pixels.dtype}"
    if max(*frame.pixels.shape, frame.row, frame.column) > _MOST:
        return f"sides of over {_MOST} pixels"
    if frame.transparent is not None and (frame.mode == "gray" or frame.showing is None):
        return "a transparent gray, or one in a frame without timing"
    return None if frame.showing is None else _showing_obstacle(frame.showing)


def _showing_obstacle(showing: Showing) -> str | None:
    hundredths = showing.duration * 100
    if hundredths.denominator != 1 or not 0 <= hundredths <= _MOST:
        return f"a frame that is shown for {showing.duration} seconds"
    if showing.disposal > 7 or showing.blend:
        return "frames that are blended"
    return None


DRIVER: Final = Driver(
    name=FORMAT,
    suffixes=(".gif",),
    matches=matches,
    decode=decode,
    writer=Writer(encode=encode, obstacle=obstacle, leftover=leftover),
)

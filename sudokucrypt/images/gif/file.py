"""GIF: palette pictures with up to 256 colors, and plain gray ones; all frames as they are stored.

::

    screen | our header | loops | for each frame: metadata, control, image | end

A frame keeps its rectangle and its own palette. Nothing is laid over anything, and the canvas is
never made: a file may claim any, and only its images count.

imagecodecs reads the codes of LZW, and Pillow writes them; neither gets near anything else of a
file. giflib, behind imagecodecs, sees images that are cut; its writer has too little room for
noise, which Pillow's has not.
"""

from collections.abc import Iterator
from dataclasses import replace

from sudokucrypt.images.gif import meaning as m
from sudokucrypt.images.gif.data_stream import (
    TRAILER,
    Extension,
    Image,
    Screen,
    read_screen,
    walk_blocks,
)
from sudokucrypt.images.picture import Animation, Frame, Metadata, Palette, Picture
from sudokucrypt.images.source import MOST_FRAMES, Source
from sudokucrypt.typing import AnyArray, Buffer

# The palette whose color number x is gray number x.
GRAYS = Palette(colors=bytes(value for value in range(256) for _ in range(3)))

# Sides are numbers of 16 bits.
_MOST = 0xFFFF
# A code of 12 bits may stand for 4096 pixels, and a byte is less than a code.
_MOST_FROM_A_BYTE = 4096
_PALETTE_SIZES = {3 << bits for bits in range(1, 9)}


def decode(source: Source) -> Picture:
    """Read a GIF; see `read_picture` for what is raised.

    A frame without a palette has that of the animation, one without a control extension no
    `showing`. `Animation.background` holds the number of the background color and the byte for
    the shape of a pixel, unless both are zero. What comes after the last image belongs to it.
    """
    screen, start = read_screen(source)
    reader = m.ExtensionReader(source)
    frames: list[Frame] = []
    for block in walk_blocks(source, start):
        if isinstance(block, Extension):
            reader.take(block)
        elif isinstance(block, Image):
            if len(frames) == MOST_FRAMES:
                raise source.unsupported(f"a GIF with more than {MOST_FRAMES} frames")
            meaning = reader.finish()
            frame = Frame(
                pixels=_unpack(source, block),
                mode="palette",
                palette=block.palette,
                transparent=meaning.transparent,
                row=block.row,
                column=block.column,
                showing=meaning.showing,
                metadata=meaning.metadata,
            )
            frames.append(frame)
        elif block:
            reader.dropped["data after the picture"] = None
    if not frames:
        raise source.damaged("it holds no image")
    if trailing := reader.finish().metadata:
        frames[-1] = replace(frames[-1], metadata=frames[-1].metadata.joined(trailing))
    background = bytes([screen.background, screen.aspect])
    return Picture(
        frames=tuple(frames),
        format="GIF",
        animation=Animation(
            rows=screen.rows,
            columns=screen.columns,
            loops=reader.loops,
            background=background if any(background) else None,
            palette=screen.palette,
        ),
        header=source.header(reader.headers),
        dropped=tuple(reader.dropped),
    )


def header_of(source: Source) -> bytes | None:
    """Return the header in a file; no sample is decoded."""
    _, start = read_screen(source)
    reader = m.ExtensionReader(source)
    for block in walk_blocks(source, start):
        if isinstance(block, Extension):
            reader.take(block)
    return source.header(reader.headers)


def unsupported_metadata(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata GIF cannot hold."""
    del header
    return m.remaining(frame.metadata)


def encode(picture: Picture, compress: int) -> Iterator[Buffer]:
    """Yield the parts of a GIF file, frame by frame; the codes of LZW are always the same."""
    del compress
    first = picture.frames[0]
    rows, columns = first.pixels.shape
    animation = picture.animation or Animation(rows=rows, columns=columns)
    background, aspect = animation.background or (0, 0)
    palette = GRAYS if first.mode == "gray" else animation.palette
    screen = Screen(animation.rows, animation.columns, background, aspect, palette)
    before = list(m.file_extensions(picture.header, animation.loops))
    yield screen.to_bytes()
    for frame in picture.frames:
        extensions = [*before, *m.extensions(frame.metadata)]
        if frame.showing is not None:
            extensions.append(m.control_extension(frame.showing, frame.transparent))
        yield b"".join(extension.to_bytes() for extension in extensions)
        before = []
        yield from _image(frame)
    yield TRAILER


def _unpack(source: Source, image: Image) -> AnyArray:
    """Return the samples of an image, uint8 of shape (M, N), whatever its palette."""
    from imagecodecs import gif_decode

    shape = source.shape(image.rows, image.columns, 1)
    # A code of 12 bits gives up to 4096 samples; fewer codes are no reason to fill the memory.
    if image.rows * image.columns > _MOST_FROM_A_BYTE * len(image.coded):
        raise source.damaged("it holds fewer samples than it promises")
    if not 1 <= image.coded[0] <= 8:
        raise source.damaged(f"its codes begin with {image.coded[0]} bits")
    alone = replace(image, row=0, column=0, palette=None)
    screen = Screen(image.rows, image.columns, palette=GRAYS)
    data = b"".join((screen.to_bytes(), alone.to_bytes(), image.coded, TRAILER))
    return source.run(gif_decode, data, shape, index=0, asrgb=False)


def _image(frame: Frame) -> Iterator[bytes]:
    from PIL import Image as Pillow

    rows, columns = frame.pixels.shape
    image = Image(frame.row, frame.column, rows, columns, b"", palette=frame.palette)
    yield image.to_bytes()
    bits = max(2, int(frame.pixels.max()).bit_length())
    yield from (bytes([bits]), Pillow.fromarray(frame.pixels).tobytes("gif", "L", bits, 0), b"\0")


def unsupported_reasons(picture: Picture) -> Iterator[str]:
    """Yield what GIF cannot hold; grays come back as a palette, a still with an animation."""
    animation = picture.animation
    palettes = [frame.palette for frame in picture.frames]
    if animation is None and len(picture.frames) > 1:
        yield "several pages"
    if animation is not None:
        palettes.append(animation.palette)
        if max(animation.rows, animation.columns, animation.loops or 0) > _MOST:
            yield f"a canvas with sides, or a loop, of over {_MOST}"
        background = animation.background
        if background is not None and (len(background) != 2 or not any(background)):
            yield "a background that is not the number of a color"
    if len({frame.mode for frame in picture.frames}) > 1:
        yield "frames of several modes"
    if picture.frames[0].mode == "gray" and any(palettes):
        yield "gray samples beside a palette"
    for palette in filter(None, palettes):
        yield from _palette_obstacles(palette)
    for frame in picture.frames:
        yield from _frame_obstacles(frame)


def _palette_obstacles(palette: Palette) -> Iterator[str]:
    if palette.wide or palette.alphas:
        yield "palettes of transparent colors or with 16 bits"
    if len(palette.colors) not in _PALETTE_SIZES:
        yield f"palettes of {len(palette.colors) // 3} colors"


def _frame_obstacles(frame: Frame) -> Iterator[str]:
    if frame.mode not in ("gray", "palette"):
        yield f"{frame.mode} pictures"
    if frame.pixels.dtype != "uint8" or frame.bits is not None:
        yield f"{frame.depth}-bit samples of type {frame.pixels.dtype}"
    if max(*frame.pixels.shape, frame.row, frame.column) > _MOST:
        yield f"sides of over {_MOST} pixels"
    showing = frame.showing
    if frame.transparent is not None and (frame.mode == "gray" or showing is None):
        yield "a transparent gray, or one in a frame without timing"
    if showing is None:
        return
    hundredths = showing.duration * 100
    if hundredths.denominator != 1 or not 0 <= hundredths <= _MOST:
        yield f"a frame that is shown for {showing.duration} seconds"
    if showing.disposal > 7 or showing.blend:
        yield "frames that are blended"

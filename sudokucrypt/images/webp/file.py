"""WebP: RGB and RGBA with 8 bits, written without loss; the header is in an XMP packet.

::

    "RIFF" size "WEBP" | VP8X flags canvas | ICCP | VP8L ... | EXIF | XMP
    "RIFF" size "WEBP" | VP8X flags canvas | ICCP | ANIM background loops | ANMF ... | EXIF | XMP
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.driver import Driver, Writer
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import NATURAL_MODES, Animation, Frame, Picture
from sudokucrypt.images.webp.chunks import chunk, read_sides, riff, riff_end, walk
from sudokucrypt.images.webp.frames import (
    CODED,
    MAX_DURATION,
    canvas,
    coded_size,
    frame_chunk,
    frame_obstacle,
    pack,
    read_frame,
    unpack,
)
from sudokucrypt.images.webp.packet import NAMESPACE, headers_in, packet

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer

FORMAT: Final = "WebP"

_ANIMATION_FLAG, _XMP_FLAG, _EXIF_FLAG, _ALPHA_FLAG, _PROFILE_FLAG = 0x02, 0x04, 0x08, 0x10, 0x20
_NAMES = {b"EXIF": "EXIF", b"ICCP": "ICC profile", b"XMP ": "XMP"}
_MAX_CANVAS = 2**24
_MAX_FRAMES = 2**16
_EXIF_START = b"Exif\0\0"


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a WebP."""
    return data.startswith(b"RIFF") and data[8:12] == b"WEBP"


def decode(source: Source) -> Picture:
    """Read a WebP; see `read_picture` for what is raised.

    Notes
    -----
    Frames of an animation keep their rectangle; nothing is laid over anything.
    `Animation.background` is blue, green, red and opacity, unless all are zero.
    """
    content = _Content(source)
    for kind, body in walk(source):
        content.take(kind, body)
    if len(source.data) > riff_end(source):
        content.left_out["data after the picture"] = None
    header = source.header(content.headers)
    animation = content.animation()
    frames = tuple(content.frames) if animation else (content.still(),)
    return Picture(
        frames=(replace(frames[0], metadata=content.metadata()), *frames[1:]),
        format=FORMAT,
        animation=animation,
        header=header,
        left_out=tuple(content.left_out),
    )


def obstacle(picture: Picture) -> str | None:
    """Tell what of a picture WebP cannot hold, or return none."""
    animation = picture.animation
    if animation is None:
        if len(picture.frames) > 1:
            return "several pages"
        return frame_obstacle(picture.frames[0])
    if max(animation.rows, animation.columns) > _MAX_CANVAS or animation.palette is not None:
        return f"a canvas with a palette, or with sides of over {_MAX_CANVAS} pixels"
    if animation.rows * animation.columns >= 2**32 or (animation.loops or 0) >= 2**16:
        return "a canvas of 4294967296 pixels, or a loop of 65536 times"
    background = animation.background
    if animation.loops is None or (
        background is not None and (len(background) != 4 or not any(background))
    ):
        return "a background that is no color, or an animation without the number of loops"
    reasons = (
        frame_obstacle(frame) or _placing_obstacle(frame, animation) for frame in picture.frames
    )
    return next(filter(None, reasons), None)


def leftover(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata WebP cannot hold; our header takes the place of XMP."""
    metadata = frame.metadata
    held = metadata.xmp is None or not (header or NAMESPACE in metadata.xmp)
    return replace(metadata, exif=None, icc=None, xmp=None if held else metadata.xmp)


def encode(picture: Picture, compress: int) -> list[Buffer]:
    """Return the parts of a lossless WebP file, exact under transparent pixels too."""
    del compress
    first, animation = picture.frames[0], picture.animation
    rows, columns = first.pixels.shape[:2]
    metadata = first.metadata
    xmp = None if leftover(first, header=picture.header is not None).xmp else metadata.xmp
    if picture.header is not None:
        xmp = packet(picture.header)
    flags = _ALPHA_FLAG if any(frame.mode == "rgba" for frame in picture.frames) else 0
    if animation is None:
        data = pack(first.pixels)
        if not (metadata.icc or metadata.exif or xmp):
            return [data]
        pictures: list[Buffer] = [memoryview(data)[12:]]
    else:
        rows, columns, flags = animation.rows, animation.columns, flags | _ANIMATION_FLAG
        color = (animation.background or bytes(4)) + (animation.loops or 0).to_bytes(2, "little")
        pictures = chunk(b"ANIM", color)
        for frame in picture.frames:
            pictures += frame_chunk(frame)
    profile: list[Buffer] = []
    if metadata.icc:
        flags, profile = flags | _PROFILE_FLAG, chunk(b"ICCP", metadata.icc)
    for flag, kind, body in ((_EXIF_FLAG, b"EXIF", metadata.exif), (_XMP_FLAG, b"XMP ", xmp)):
        if body:
            flags |= flag
            pictures += chunk(kind, body)
    return riff([*canvas(columns, rows, flags), *profile, *pictures])


@dataclass
class _Content:
    """Collects what chunks say."""

    source: Source
    canvas: tuple[int, int] | None = None
    animated: bool = False
    screen: memoryview | None = None
    chunks: dict[bytes, memoryview] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    said: dict[bytes, bytes] = field(default_factory=dict)
    headers: list[bytes] = field(default_factory=list)
    left_out: dict[str, None] = field(default_factory=dict)

    def take(self, kind: bytes, body: memoryview) -> None:
        """Read one chunk."""
        if kind == b"VP8X":
            self._canvas(body)
        elif kind == b"ANIM":
            self.screen = body
        elif kind == b"ANMF":
            if len(self.frames) == _MAX_FRAMES:
                raise self.source.damaged(f"it has more than {_MAX_FRAMES} frames")
            self.frames.append(read_frame(self.source, body, self.left_out))
        elif kind in CODED:
            if kind in self.chunks:
                raise self.source.damaged("it holds two pictures")
            self.chunks[kind] = body
        else:
            self._metadata(kind, bytes(body))

    def still(self) -> Frame:
        """Return the one picture of a file without animation."""
        rows, columns, _ = coded_size(self.source, self.chunks)
        if self.canvas not in (None, (rows, columns)):
            raise self.source.damaged("its canvas and its picture differ in size")
        pixels = unpack(self.source, self.chunks)
        return Frame(pixels=pixels, mode=NATURAL_MODES[pixels.shape[2]])

    def animation(self) -> Animation | None:
        """Return what the frames share, or none if there are none."""
        if not (self.animated or self.screen or self.frames):
            return None
        if not self.canvas or not self.screen or not self.frames or self.chunks:
            raise self.source.damaged("it is neither a still picture nor an animation")
        if not self.animated or len(self.screen) != 6:
            raise self.source.damaged("it does not say how it is shown")
        background = bytes(self.screen[:4])
        animation = Animation(
            rows=self.canvas[0],
            columns=self.canvas[1],
            loops=int.from_bytes(self.screen[4:], "little"),
            background=background if any(background) else None,
        )
        if any(_placing_obstacle(frame, animation) for frame in self.frames):
            raise self.source.damaged("a frame is not on its canvas")
        return animation

    def metadata(self) -> Metadata:
        """Return what is kept beside the samples."""
        exif = self.said.get(b"EXIF", b"").removeprefix(_EXIF_START)
        icc, xmp = self.said.get(b"ICCP"), self.said.get(b"XMP ")
        return Metadata(exif=exif or None, icc=icc or None, xmp=xmp or None)

    def _canvas(self, body: memoryview) -> None:
        if self.canvas is not None or len(body) != 10:
            raise self.source.damaged("its canvas has no size, or two")
        columns, rows = read_sides(body[4:])
        self.canvas = (rows + 1, columns + 1)
        self.animated = bool(body[0] & _ANIMATION_FLAG)

    def _metadata(self, kind: bytes, body: bytes) -> None:
        found = headers_in(self.source, body) if kind == b"XMP " else []
        self.headers += found
        if found and body == packet(found[0]):
            return
        if found or kind in self.said or kind not in _NAMES:
            self.left_out[_NAMES.get(kind, "other data")] = None
        else:
            self.said[kind] = body


def _placing_obstacle(frame: Frame, animation: Animation) -> str | None:
    """Tell why a frame cannot stand where and as long as it should, or return none."""
    rows, columns = frame.pixels.shape[:2]
    if frame.row % 2 or frame.column % 2:
        return "frames at odd rows or columns"
    if frame.row + rows > animation.rows or frame.column + columns > animation.columns:
        return "frames that are not on their canvas"
    showing = frame.showing
    if showing is None:
        return "a frame without timing"
    milliseconds = showing.duration * 1000
    if milliseconds.denominator != 1 or not 0 <= milliseconds <= MAX_DURATION:
        return f"a frame that is shown for {showing.duration} seconds"
    if showing.disposal > 1 or showing.blend > 1:
        return "this disposal of frames"
    return None


DRIVER: Final = Driver(
    name=FORMAT,
    suffixes=(".webp",),
    matches=matches,
    decode=decode,
    writer=Writer(encode=encode, obstacle=obstacle, leftover=leftover),
)

"""WebP: RGB and RGBA with 8 bits, written without loss; the header is in an XMP packet.

::

    "RIFF" size "WEBP" | VP8X flags canvas | ICCP | VP8L ... | EXIF | XMP
    "RIFF" size "WEBP" | VP8X flags canvas | ICCP | ANIM background loops | ANMF ... | EXIF | XMP
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from sudokucrypt.images.picture import Animation, Frame, Metadata, Picture
from sudokucrypt.images.source import MOST_FRAMES, Source
from sudokucrypt.images.webp import frames as f
from sudokucrypt.typing import Buffer

_ANIMATION_FLAG, _XMP_FLAG, _EXIF_FLAG, _ALPHA_FLAG, _PROFILE_FLAG = 0x02, 0x04, 0x08, 0x10, 0x20
_NAMES = {b"EXIF": "EXIF", b"ICCP": "ICC profile", b"XMP ": "XMP"}
# Sides of a canvas are stored in 24 bits, less one.
_MAX_CANVAS = 2**24
_EXIF_START = b"Exif\0\0"

NAMESPACE: Final = b"urn:sudokucrypt:1"  # what any packet with our header names
_PACKET = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:sudokucrypt="urn:sudokucrypt:1">'
    "<sudokucrypt:header>{header}</sudokucrypt:header>"
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
    '<?xpacket end="r"?>'
).encode()
_BINDING = re.compile(rb"""xmlns:sudokucrypt\s*=\s*["']([^"']*)["']""")
_ELEMENT = re.compile(rb"<sudokucrypt:header>([^<]*)</sudokucrypt:header>")
_ENTITIES = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
_ENTITY = re.compile(rb"&(amp|lt|gt|quot|apos);")


def decode(source: Source) -> Picture:
    """Read a WebP; see `read_picture` for what is raised.

    `Animation.background` is blue, green, red and opacity, unless all are zero.
    """
    content = _Content(source)
    for kind, body in f.walk(source):
        content.take(kind, body)
    if len(source.data) > f.riff_end(source):
        content.dropped["data after the picture"] = None
    header, animation = source.header(content.headers), content.animation()
    frames = tuple(content.frames) if animation else (content.still(),)
    return Picture(
        frames=(replace(frames[0], metadata=content.metadata()), *frames[1:]),
        format="WebP",
        animation=animation,
        header=header,
        dropped=tuple(content.dropped),
    )


def header_of(source: Source) -> bytes | None:
    """Return the header in a file; no sample is decoded."""
    packets = (bytes(body) for kind, body in f.walk(source) if kind == b"XMP ")
    return source.header([header for each in packets for header in headers_in(source, each)])


def coded_lossily(source: Source) -> bool:
    """Return whether a picture in a file, or a frame, is coded with loss."""
    for kind, body in f.walk(source):
        parts = f.walk_body(source, body[f.HEAD :]) if kind == b"ANMF" else [(kind, body)]
        if any(part == b"VP8 " for part, _ in parts):
            return True
    return False


def unsupported_metadata(frame: Frame, *, header: bool) -> Metadata:
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
    xmp = (
        None if unsupported_metadata(first, header=picture.header is not None).xmp else metadata.xmp
    )
    if picture.header is not None:
        xmp = packet(picture.header)
    flags = _ALPHA_FLAG if any(frame.mode == "rgba" for frame in picture.frames) else 0
    if animation is None:
        data = f.pack(first.pixels)
        if not (metadata.icc or metadata.exif or xmp):
            return [data]
        pictures: list[Buffer] = [memoryview(data)[12:]]
    else:
        rows, columns, flags = animation.rows, animation.columns, flags | _ANIMATION_FLAG
        color = (animation.background or bytes(4)) + (animation.loops or 0).to_bytes(2, "little")
        pictures = f.chunk(b"ANIM", color)
        for frame in picture.frames:
            pictures += f.frame_chunk(frame)
    profile: list[Buffer] = []
    if metadata.icc:
        flags, profile = flags | _PROFILE_FLAG, f.chunk(b"ICCP", metadata.icc)
    for flag, kind, body in ((_EXIF_FLAG, b"EXIF", metadata.exif), (_XMP_FLAG, b"XMP ", xmp)):
        if body:
            flags |= flag
            pictures += f.chunk(kind, body)
    return f.riff([*f.canvas(columns, rows, flags), *profile, *pictures])


@dataclass
class _Content:
    source: Source
    canvas: tuple[int, int] | None = None
    animated: bool = False
    screen: memoryview | None = None
    chunks: dict[bytes, memoryview] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    blocks: dict[bytes, bytes] = field(default_factory=dict)
    headers: list[bytes] = field(default_factory=list)
    dropped: dict[str, None] = field(default_factory=dict)

    def take(self, kind: bytes, body: memoryview) -> None:
        if kind == b"VP8X":
            if self.canvas is not None or len(body) != 10:
                raise self.source.damaged("its canvas has no size, or two")
            columns, rows = f.read_sides(body[4:])
            self.canvas = (rows + 1, columns + 1)
            self.animated = bool(body[0] & _ANIMATION_FLAG)
        elif kind == b"ANIM":
            self.screen = body
        elif kind == b"ANMF":
            if len(self.frames) == MOST_FRAMES:
                raise self.source.unsupported(f"a WebP with more than {MOST_FRAMES} frames")
            self.frames.append(f.read_frame(self.source, body, self.dropped))
        elif kind in f.CODED:
            if kind in self.chunks:
                raise self.source.damaged("it holds two pictures")
            self.chunks[kind] = body
        else:
            self._metadata(kind, bytes(body))

    def still(self) -> Frame:
        rows, columns, _ = f.coded_size(self.source, self.chunks)
        if self.canvas not in (None, (rows, columns)):
            raise self.source.damaged("its canvas and its picture differ in size")
        return Frame.plain(f.unpack(self.source, self.chunks))

    def animation(self) -> Animation | None:
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
        if any(reason for frame in self.frames for reason in _placing_obstacles(frame, animation)):
            raise self.source.damaged("a frame is not on its canvas")
        return animation

    def metadata(self) -> Metadata:
        exif = self.blocks.get(b"EXIF", b"").removeprefix(_EXIF_START)
        icc, xmp = self.blocks.get(b"ICCP"), self.blocks.get(b"XMP ")
        return Metadata(exif=exif or None, icc=icc or None, xmp=xmp or None)

    def _metadata(self, kind: bytes, body: bytes) -> None:
        headers = headers_in(self.source, body) if kind == b"XMP " else []
        self.headers += headers
        if headers and body == packet(headers[0]):
            return
        if headers or kind in self.blocks or kind not in _NAMES:
            self.dropped[_NAMES.get(kind, "other data")] = None
        else:
            self.blocks[kind] = body


def unsupported_reasons(picture: Picture) -> Iterator[str]:
    """Yield what of a picture WebP cannot hold."""
    animation = picture.animation
    if animation is None:
        if len(picture.frames) > 1:
            yield "several pages"
        yield from f.frame_obstacles(picture.frames[0])
        return
    if max(animation.rows, animation.columns) > _MAX_CANVAS or animation.palette is not None:
        yield f"a canvas with a palette, or with sides of over {_MAX_CANVAS} pixels"
    if animation.rows * animation.columns >= 2**32 or (animation.loops or 0) >= 2**16:
        yield "a canvas of 4294967296 pixels, or a loop of 65536 times"
    background = animation.background
    fits = background is None or (len(background) == 4 and any(background))
    if animation.loops is None or not fits:
        yield "a background that is not a color, or an animation without the number of loops"
    for frame in picture.frames:
        yield from f.frame_obstacles(frame)
        yield from _placing_obstacles(frame, animation)


def _placing_obstacles(frame: Frame, animation: Animation) -> Iterator[str]:
    """Yield why a frame cannot have its place or its duration."""
    rows, columns = frame.pixels.shape[:2]
    if frame.row % 2 or frame.column % 2:
        yield "frames at odd rows or columns"
    if frame.row + rows > animation.rows or frame.column + columns > animation.columns:
        yield "frames that are not on their canvas"
    showing = frame.showing
    if showing is None:
        yield "a frame without timing"
        return
    milliseconds = showing.duration * 1000
    if milliseconds.denominator != 1 or not 0 <= milliseconds <= f.MAX_DURATION:
        yield f"a frame that is shown for {showing.duration} seconds"
    if showing.disposal > 1 or showing.blend > 1:
        yield "this disposal of frames"


def packet(header: bytes) -> bytes:
    """Return the XMP packet that carries a header."""
    for name in (b"amp", b"lt", b"gt"):
        header = header.replace(_ENTITIES[name], b"&" + name + b";")
    return _PACKET.replace(b"{header}", header)


def headers_in(source: Source, body: bytes) -> list[bytes]:
    """Return the headers in an XMP packet, by pattern: a parser would bring its own dangers."""
    texts = _ELEMENT.findall(body)
    headers = [_ENTITY.sub(lambda entity: _ENTITIES[entity[1]], text) for text in texts]
    # Another program may have bound the prefix, or the namespace, to something else.
    written = headers and set(_BINDING.findall(body)) == {NAMESPACE}
    if not written and (headers or NAMESPACE in body):
        raise source.bad_header("the XMP packet around it was rewritten")
    return headers

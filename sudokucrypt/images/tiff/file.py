"""TIFF: pages of any mode and depth; the header is the image description of the first.

Strips are views of the samples where those have the bytes of the file already. Directories stand
in front, so the place of everything is known before the first sample is touched, and a file that
is cut is seen to be.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sudokucrypt.images.picture import Frame, Metadata, Picture, channels
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.colors import palette_fault, read_mixing, to_color_map, to_palette
from sudokucrypt.images.tiff.exif import Block
from sudokucrypt.images.tiff.layout import MODE_CHANNELS, SampleLayout
from sudokucrypt.images.tiff.metadata import (
    EXTRA_SAMPLES,
    OTHER_EXTRAS,
    PageMetadata,
    page_headers,
    page_tags,
)
from sudokucrypt.images.tiff.samples import read_samples, stored
from sudokucrypt.typing import Buffer

_REDUCED, _MASK, _OLD_REDUCED = 1, 4, 2
# ImageJ writes the first directory of a stack and all samples behind it.
_IMAGEJ = re.compile(rb"ImageJ=[^\0]*\nimages=(\d{1,9})")

# Offsets of classic TIFF have 32 bits; larger files become BigTIFF.
_CLASSIC_LIMIT: Final = 2**32
# Readers decode strip by strip: small enough for their memory, large enough to be few.
_STRIP: Final = 2**20
_FORMATS = {letter: code for code, letter in t.KINDS.items() if letter != "u"}
_PHOTOMETRICS = {"gray": t.BLACK_IS_ZERO, "gray-alpha": t.BLACK_IS_ZERO}
_PHOTOMETRICS |= {"rgb": t.RGB, "rgba": t.RGB, "palette": t.PALETTE, "cmyk": t.CMYK}


def decode(source: Source) -> Picture:
    """Read a TIFF; its pages are the frames, and orientation is not applied."""
    reader = d.TiffReader(source)
    frames: list[Frame] = []
    headers: list[bytes] = []
    dropped: list[str] = []
    stack = 0
    for page in reader.chain():
        if aside := _aside(page):
            dropped.append(aside)
            continue
        dropped += _read_asides(source, page)
        layout = SampleLayout(source, page, reader.order)
        read = PageMetadata(page, reader.order, layout.photometric)
        headers += read.headers
        dropped += read.dropped
        for field in page.fields(t.DESCRIPTION):
            if match := _IMAGEJ.match(field.data):
                stack = int(match[1])
        if layout.used < layout.channels:
            dropped.append("extra channels")
        metadata = read.metadata
        if layout.photometric == t.YCBCR:
            dropped.append("YCbCr colors")
        if layout.lab:
            dropped.append("CIELab colors")
            metadata = metadata.without(["icc"])
        frames.append(_read_frame(reader, page, layout, metadata))
    if not frames:
        raise source.unsupported("a TIFF of previews and raw data only")
    if stack > len(frames):
        raise source.unsupported("a stack of ImageJ that only ImageJ finds")
    return Picture(
        frames=tuple(frames),
        format="TIFF",
        header=source.header(headers),
        dropped=tuple(dict.fromkeys(dropped)),
    )


def header_of(source: Source) -> bytes | None:
    """Return the header in a file; no sample is decoded."""
    pages = (page for page in d.TiffReader(source).chain() if not _aside(page))
    return source.header([header for page in pages for header in page_headers(page)])


def coded_lossily(source: Source) -> bool:
    """Return whether JPEG, or one of its family, made the samples of a page."""
    pages = (page for page in d.TiffReader(source).chain() if not _aside(page))
    return any(page.integer(t.COMPRESSION, t.NOT_COMPRESSED) in t.LOSSY for page in pages)


def _read_frame(
    reader: d.TiffReader, page: d.Directory, layout: SampleLayout, metadata: Metadata
) -> Frame:
    palette = None
    if layout.mode == "palette":
        color_map = page.integers(t.COLOR_MAP)
        if len(color_map) != 3 * 2**layout.bits or max(color_map) > 65535:
            raise reader.source.damaged("its palette has another size than its samples need")
        palette = to_palette(color_map)
    if layout.mode in ("gray-alpha", "rgba") and layout.extra_samples != (t.PLAIN_ALPHA,):
        kinds = struct.pack(f"<{len(layout.extra_samples)}H", *layout.extra_samples)
        metadata = metadata.joined(Metadata(native=((EXTRA_SAMPLES, kinds),)))
    mixing = read_mixing(reader.source, page, reader.order) if layout.subsampling else None
    return Frame(
        pixels=read_samples(reader, layout, mixing),
        mode=layout.mode,
        bits=layout.bits if layout.bits in (2, 4) else None,
        palette=palette,
        metadata=metadata,
    )


def _aside(page: d.Directory) -> str | None:
    kind = page.integer(t.SUBFILE, 0)
    if kind & _MASK:
        return "masks"
    # Cameras write their thumbnail as a second directory of a JPEG that alone says how large it is.
    camera_thumbnail = t.THUMBNAIL in page and t.COLUMNS not in page
    reduced = kind & _REDUCED or page.integer(t.OLD_SUBFILE, 0) == _OLD_REDUCED
    if reduced or camera_thumbnail:
        return "previews"
    return None


def _read_asides(source: Source, page: d.Directory) -> Iterator[str]:
    """Yield what a page refers to besides its own samples."""
    if t.THUMBNAIL in page:
        yield "previews"
    for position in page.integers(t.SUB_DIRECTORIES, ()):
        aside = _aside(page.at(position))
        if aside is None:
            raise source.unsupported("a TIFF with raw data or pictures inside pictures")
        yield aside


def unsupported_metadata(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata TIFF cannot hold, with our header or without it."""
    return page_tags(frame, "<", header=header)[1]


def cleartext(metadata: Metadata) -> Metadata:
    """Return the metadata with the EXIF block that comes back from the tags of a page."""
    block = Block.parse(metadata.exif)
    return replace(metadata, exif=block.canonical() if block else None)


def unsupported_reasons(picture: Picture) -> Iterator[str]:
    """Yield what of a picture TIFF cannot hold."""
    if picture.animation is not None:
        yield "an animation"
    if len(picture.frames) > d.MAX_PAGES:
        yield f"more than {d.MAX_PAGES} pages"
    for frame in picture.frames:
        if frame.showing is not None or frame.row or frame.column:
            yield "a frame of an animation"
        if frame.transparent is not None:
            yield "a transparent color"
        if channels(frame.pixels) != MODE_CHANNELS[frame.mode]:
            yield f"{channels(frame.pixels)} channels in a {frame.mode} picture"
        kind = frame.pixels.dtype.kind
        if frame.depth not in t.DEPTHS["u" if kind == "b" else kind]:
            yield f"{frame.depth}-bit samples of type {frame.pixels.dtype}"
        fault = palette_fault(frame.palette, frame.depth) if frame.mode == "palette" else None
        if fault:
            yield fault


@dataclass(frozen=True, eq=False)
class _Page:
    """A frame and all of its tags but the places of its strips."""

    frame: Frame
    tree: d.Tree
    order: d.ByteOrder

    @property
    def row_bytes(self) -> int:
        pixels = self.frame.pixels
        return (pixels.size // len(pixels) * self.frame.depth + 7) // 8

    @property
    def size(self) -> int:
        return len(self.frame.pixels) * self.row_bytes

    @property
    def strip_rows(self) -> int:
        return min(len(self.frame.pixels), max(1, _STRIP // self.row_bytes))

    def directory(self, start: int, first: int, *, big: bool, following: int = 0) -> bytes:
        strip = self.strip_rows * self.row_bytes
        starts = range(0, self.size, strip)
        kind = d.LONG8 if big else d.LONG
        offsets = [first + n for n in starts]
        sizes = [min(strip, self.size - n) for n in starts]
        fields = self.tree.fields | {
            t.STRIP_OFFSETS: d.numbers(kind, *offsets, order=self.order),
            t.STRIP_SIZES: d.numbers(kind, *sizes, order=self.order),
            t.ROWS_PER_STRIP: d.numbers(d.LONG, self.strip_rows, order=self.order),
        }
        tree = replace(self.tree, fields=fields)
        return d.serialize(tree, start, order=self.order, big=big, following=following)

    def strips(self) -> Iterator[Buffer]:
        pixels = self.frame.pixels
        for first in range(0, len(pixels), self.strip_rows):
            part = pixels[first : first + self.strip_rows]
            yield stored(part, self.frame.depth, self.order)


def encode(picture: Picture, compress: int) -> Iterator[Buffer]:
    """Yield the parts of a TIFF file without compression, a BigTIFF if it needs over 4 GiB."""
    del compress
    # The byte order is that of the EXIF, whose maker's note may rely on it.
    blocks = (Block.parse(frame.metadata.exif) for frame in picture.frames)
    order: d.ByteOrder = next((block.order for block in blocks if block), "<")
    pages = []
    for index, frame in enumerate(picture.frames):
        tree, _ = page_tags(frame, order, header=picture.header is not None)
        fields = tree.fields | _sample_fields(frame, order)
        if index == 0 and picture.header is not None:
            fields[t.DESCRIPTION] = d.Field(d.ASCII, picture.header + b"\0")
        pages.append(_Page(frame, replace(tree, fields=fields), order))
    offsets = _page_offsets(pages, big=True)
    big = offsets[-1][0] >= _CLASSIC_LIMIT
    if not big:
        offsets = _page_offsets(pages, big=False)
    magic = b"II" if order == "<" else b"MM"
    version = struct.pack(order + "HHH", 43, 8, 0) if big else struct.pack(order + "H", 42)
    yield magic + version + struct.pack(order + ("Q" if big else "I"), offsets[0][0])
    for index, page in enumerate(pages):
        following = offsets[index + 1][0] if index + 1 < len(pages) else 0
        yield page.directory(*offsets[index], big=big, following=following)
        yield from page.strips()
        if page.size % 2:
            yield b"\0"


def _page_offsets(pages: list[_Page], *, big: bool) -> list[tuple[int, int]]:
    """Return where directory and strips of each page begin, and at last where the file ends."""
    start = 16 if big else 8
    offsets = []
    for page in pages:
        first = start + len(page.directory(0, 0, big=big))
        offsets.append((start, first))
        start = first + page.size + page.size % 2
    return [*offsets, (start, start)]


def _sample_fields(frame: Frame, order: d.ByteOrder) -> dict[int, d.Field]:
    rows, columns = frame.pixels.shape[:2]
    count = channels(frame.pixels)
    shorts = {
        t.BITS: [frame.depth] * count,
        t.COMPRESSION: [t.NOT_COMPRESSED],
        t.PHOTOMETRIC: [_PHOTOMETRICS[frame.mode]],
        t.CHANNELS: [count],
        t.PLANES: [1],
    }
    if code := _FORMATS.get(frame.pixels.dtype.kind):
        shorts[t.SAMPLE_FORMAT] = [code] * count
    if frame.mode in ("gray-alpha", "rgba"):
        named = dict(frame.metadata.native).get(EXTRA_SAMPLES)
        if named not in OTHER_EXTRAS:
            shorts[t.EXTRA_SAMPLES] = [t.PLAIN_ALPHA]
        elif named:
            shorts[t.EXTRA_SAMPLES] = [int.from_bytes(named, "little")]
    if frame.palette is not None:
        shorts[t.COLOR_MAP] = to_color_map(frame.palette)
    sides = {t.COLUMNS: columns, t.ROWS: rows}
    return {tag: d.numbers(d.LONG, side, order=order) for tag, side in sides.items()} | {
        tag: d.numbers(d.SHORT, *values, order=order) for tag, values in shorts.items()
    }

"""TIFF: pages of any mode and depth; the header is the image description of the first."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.driver import Driver, Writer
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import Frame, Picture
from sudokucrypt.images.tiff import layout as t
from sudokucrypt.images.tiff.colors import Mixing, palette_fault, to_palette
from sudokucrypt.images.tiff.directory import MAX_PAGES, SIGNATURES, Directory, Reader
from sudokucrypt.images.tiff.exif import page_exif
from sudokucrypt.images.tiff.layout import DEPTHS, MODE_CHANNELS, Layout, read_layout
from sudokucrypt.images.tiff.metadata import DESCRIPTION, EXTRA_SAMPLES, PageMetadata
from sudokucrypt.images.tiff.metadata_tags import page_tags
from sudokucrypt.images.tiff.samples import read_samples
from sudokucrypt.images.tiff.writing import parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer

FORMAT: Final = "TIFF"

_SUBFILE, _OLD_SUBFILE, _THUMBNAIL, _SUB_DIRECTORIES = 254, 255, 513, 330
_REDUCED, _MASK, _OLD_REDUCED = 1, 4, 2
_PLAIN_ALPHA = (2,)
# ImageJ writes the first directory of a stack and all samples behind it.
_IMAGEJ = re.compile(rb"ImageJ=[^\0]*\nimages=(\d{1,9})")


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a TIFF."""
    return data.startswith(SIGNATURES)


def decode(source: Source) -> Picture:
    """Read a TIFF; its pages are the frames, and orientation is not applied."""
    reader = Reader(source)
    frames: list[Frame] = []
    headers: list[bytes] = []
    left_out: dict[str, None] = {}
    stack = 0
    for page in reader.chain():
        if aside := _aside(page):
            left_out[aside] = None
            continue
        left_out |= dict.fromkeys(_read_asides(source, page))
        layout = read_layout(source, page, reader.order)
        said = PageMetadata(
            page,
            reader.order,
            converted=layout.photometric == t.YCBCR,
            inverted=layout.photometric == t.WHITE_IS_ZERO,
        )
        headers += said.headers
        left_out |= dict.fromkeys(said.left_out)
        for field in page.fields(DESCRIPTION):
            if match := _IMAGEJ.match(field.data):
                stack = int(match[1])
        if layout.used < layout.channels:
            left_out["extra channels"] = None
        metadata = said.metadata
        if layout.photometric in (t.CIELAB, t.ICCLAB):
            left_out["CIELab colors"] = None
            metadata = metadata.without(["icc"])
        frames.append(_read_frame(reader, page, layout, metadata))
    if not frames:
        raise source.unsupported("a TIFF of previews and raw data only")
    if stack > len(frames):
        raise source.unsupported("a stack of ImageJ that only ImageJ finds")
    header = source.header(headers)
    return Picture(frames=tuple(frames), format=FORMAT, header=header, left_out=tuple(left_out))


def obstacle(picture: Picture) -> str | None:
    """Tell what of a picture TIFF cannot hold, or return none."""
    if picture.animation is not None:
        return "an animation"
    if len(picture.frames) > MAX_PAGES:
        return f"more than {MAX_PAGES} pages"
    reasons = (_frame_obstacle(frame) for frame in picture.frames)
    return next((reason for reason in reasons if reason is not None), None)


def leftover(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata TIFF cannot hold.

    Parameters
    ----------
    frame : Frame
        The frame as it is written.
    header : bool
        Whether the file carries our header, the same for all frames. The descriptions of all
        pages are left over then, and so is an EXIF block that would come back in another form;
        it is written all the same, for programs to find.
    """
    return page_tags(frame, "<", header=header)[1]


def encode(picture: Picture, compress: int) -> Iterator[Buffer]:
    """Return the parts of a TIFF file, without compression."""
    del compress
    return parts(picture)


def _read_frame(reader: Reader, page: Directory, layout: Layout, metadata: Metadata) -> Frame:
    palette = None
    if layout.mode == "palette":
        color_map = page.integers(t.COLOR_MAP)
        if len(color_map) != 3 * 2**layout.bits or max(color_map) > 65535:
            raise reader.source.damaged("its palette has another size than its samples need")
        palette = to_palette(color_map)
    if layout.mode in ("gray-alpha", "rgba") and layout.extra_samples != _PLAIN_ALPHA:
        kinds = struct.pack(f"<{len(layout.extra_samples)}H", *layout.extra_samples)
        metadata = metadata.joined(Metadata(native=((EXTRA_SAMPLES, kinds),)))
    mixing = Mixing.read(reader.source, page, reader.order) if layout.subsampling else None
    return Frame(
        pixels=read_samples(reader, layout, mixing),
        mode=layout.mode,
        bits=layout.bits if layout.bits in (2, 4) else None,
        palette=palette,
        metadata=metadata,
    )


def _aside(page: Directory) -> str | None:
    """Tell what a directory is if it is no page."""
    kind = page.integer(_SUBFILE, 0)
    if kind & _MASK:
        return "masks"
    if kind & _REDUCED or page.integer(_OLD_SUBFILE, 0) == _OLD_REDUCED:
        return "previews"
    return None


def _read_asides(source: Source, page: Directory) -> Iterator[str]:
    """Yield what hangs on a page beside its own samples."""
    if _THUMBNAIL in page:
        yield "previews"
    for position in page.integers(_SUB_DIRECTORIES, ()):
        aside = _aside(page.at(position))
        if aside is None:
            raise source.unsupported("a TIFF with raw data or pictures inside pictures")
        yield aside


def _frame_obstacle(frame: Frame) -> str | None:
    channels = 1 if frame.pixels.ndim == 2 else frame.pixels.shape[2]
    if frame.showing is not None or frame.row or frame.column:
        return "a frame of an animation"
    if frame.transparent is not None:
        return "a transparent color"
    if channels != MODE_CHANNELS[frame.mode]:
        return f"{channels} channels in a {frame.mode} picture"
    kind = frame.pixels.dtype.kind
    if frame.depth not in DEPTHS["u" if kind == "b" else kind]:
        return f"{frame.depth}-bit samples of type {frame.pixels.dtype}"
    if frame.mode == "palette":
        return palette_fault(frame.palette, frame.depth)
    return None


def _readable(metadata: Metadata) -> Metadata:
    """Return the metadata with the EXIF block that comes back from the tags of a page."""
    return replace(metadata, exif=page_exif(metadata.exif))


DRIVER: Final = Driver(
    name=FORMAT,
    suffixes=(".tiff", ".tif"),
    matches=matches,
    decode=decode,
    writer=Writer(encode=encode, obstacle=obstacle, leftover=leftover, readable=_readable),
)

"""Pixels to be looked at: what a picture shows, upright, smaller, as JPEG; previews of cameras.

Cameras put thumbnails into the Exif block of a JPEG, which is a TIFF, and whole JPEG files into
their raw files: DNG, NEF, ARW and others, which are TIFF files that no signature tells apart.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from math import ceil, floor
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import SudokucryptError, UnsupportedError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.files import MAX_PIXELS
from sudokucrypt.images.jpeg import file as jpeg
from sudokucrypt.images.jpeg.file import stream_shape
from sudokucrypt.images.picture import Glance, Metadata, Picture, on_white, seen_colors
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff.directory import (
    SHORT,
    SIGNATURES,
    Directory,
    TiffReader,
    Tree,
    build,
    numbers,
)
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import AnyArray, Region, RegionLike, Samples

UPRIGHT: Final = 1  # the orientation of a picture that needs no turning


class Turn(NamedTuple):
    """What brings stored pixels upright.

    Rows and columns change places if `swapped`; after that, the order of rows, and that of columns,
    is reversed.
    """

    swapped: bool = False
    rows: bool = False
    columns: bool = False

    def upright(self, pixels: AnyArray) -> AnyArray:
        """Return pixels as they are to be seen."""
        turned = pixels.swapaxes(0, 1) if self.swapped else pixels
        return turned[:: -1 if self.rows else 1, :: -1 if self.columns else 1]

    def undone(self, pixels: AnyArray) -> AnyArray:
        """Return pixels as they are stored, of which `upright` makes these."""
        turned = pixels[:: -1 if self.rows else 1, :: -1 if self.columns else 1]
        return turned.swapaxes(0, 1) if self.swapped else turned

    def upright_shape(self, canvas: tuple[int, int]) -> tuple[int, int]:
        """Return rows and columns of the upright picture of stored rows and columns."""
        return (canvas[1], canvas[0]) if self.swapped else canvas

    def locate_stored(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        """Return where a rectangle of the upright picture, of this shape, lies in the file.

        >>> Turn(swapped=True, columns=True).locate_stored((0, 0, 2, 3), (40, 30))
        Region(row=27, column=0, rows=3, columns=2)
        """
        return self._exchange(self._reverse(region, shape))

    def locate_shown(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        """Return where a rectangle of the file lies in the upright picture, of this shape.

        >>> Turn(swapped=True, columns=True).locate_shown((27, 0, 3, 2), (40, 30))
        Region(row=0, column=0, rows=2, columns=3)
        """
        return self._reverse(self._exchange(region), shape)

    def _exchange(self, region: RegionLike) -> Region:
        row, column, rows, columns = region
        return Region(column, row, columns, rows) if self.swapped else Region(*region)

    def _reverse(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        row, column, rows, columns = region
        row = shape[0] - row - rows if self.rows else row
        return Region(row, shape[1] - column - columns if self.columns else column, rows, columns)


# What each of EXIF's numbers asks for.
TURNS: Final = {
    1: Turn(),
    2: Turn(columns=True),
    3: Turn(rows=True, columns=True),
    4: Turn(rows=True),
    5: Turn(swapped=True),
    6: Turn(swapped=True, columns=True),
    7: Turn(swapped=True, rows=True, columns=True),
    8: Turn(swapped=True, rows=True),
}


def turn_of(picture: Picture) -> Turn:
    """Return how EXIF says that a picture is to be turned; not at all if it does not say.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    return TURNS[orientation_in(picture.metadata.exif)]


def turn_upright(picture: Picture, turn: Turn) -> Picture:
    """Return a picture as it is shown: with its samples turned, and without its EXIF then.

    Parameters
    ----------
    picture : Picture
        The picture.
    turn : Turn
        How its samples are turned, from `turn_of`.
    """
    if turn == turn_of(picture) == Turn():
        return picture
    pixels = np.ascontiguousarray(turn.upright(picture.pixels))
    return replace(picture, pixels=pixels, metadata=replace(picture.metadata, exif=None))


def orientation_in(exif: bytes | None) -> int:
    """Return the orientation that an EXIF block gives, 1..8; 1 if it gives none."""
    block = None if exif is None else d.Block.parse(exif)
    field = None if block is None else block.tree.fields.get(d.ORIENTATION)
    if block is None or field is None or field.kind != SHORT:
        return UPRIGHT
    value = int.from_bytes(field.data, "little" if block.order == "<" else "big")
    return value if value in TURNS else UPRIGHT


_LONGEST_JPEG_SIDE: Final = 65500  # of a JPEG that libjpeg writes
_BAND: Final = 1 << 20  # pixels of which the colors are in memory at a time
# Of red, green and blue in the luma of JPEG, in 65536ths: sums stay below 2**24, and so exact.
_SHARES: Final = np.array([19595, 38470, 7471], dtype=np.float32)


def flatten_picture(picture: Picture) -> tuple[Samples, tuple[str, ...]]:
    """Return what a picture shows, and what of it is lost.

    The samples are gray, or red, green and blue. What is transparent lies on white, orientation is
    applied, and metadata are left out, the color profile with them. What is lost has the names that
    people call it.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    lost = [*picture.metadata.names(), *picture.dropped]
    if picture.depth > 8:
        lost.append(f"{picture.depth}-bit samples")
    if picture.mode in ("gray", "rgb") and picture.pixels.dtype == np.uint8:
        samples: Samples = picture.pixels
    else:
        plain, samples = seen_colors(picture), on_white(picture)
        if not np.array_equal(plain, samples):
            lost.append("transparency")
        samples = samples[..., 0] if picture.mode in ("gray", "gray-alpha") else samples
    return np.ascontiguousarray(turn_of(picture).upright(samples)), tuple(dict.fromkeys(lost))


def luma(picture: Picture, *, rows: int | None = None) -> Samples:
    """Return what a picture shows as an array of shape (M, N), upright, gray, on white.

    It takes little memory besides the result, since a stranger may have sent the picture. `rows` is
    how many are wanted, from the top; by default all are.

    Parameters
    ----------
    picture : Picture
        The picture.
    rows : int, optional
        The number of rows that are wanted, from the top; by default all.
    """
    turn = turn_of(picture)
    pixels = turn.undone(turn.upright(picture.pixels)[:rows])
    shape = pixels.shape
    gray, flat = picture.mode in ("gray", "gray-alpha"), pixels.reshape(-1, 1, *shape[2:])
    light = np.empty(len(flat), dtype=np.uint8)
    for first in range(0, len(flat), _BAND):
        part = slice(first, first + _BAND)
        colors = on_white(replace(picture, pixels=flat[part]))[:, 0]
        light[part] = colors[:, 0] if gray else (colors @ _SHARES + 32768) / 65536
    return np.ascontiguousarray(turn.upright(light.reshape(shape[:2])))


def resize(samples: Samples, rows: int, columns: int) -> Samples:
    """Return samples of shape (M, N) or (M, N, 3) in another size, smoothed as they shrink.

    Parameters
    ----------
    samples : ndarray of shape (M, N) or (M, N, 3), uint8
        The samples.
    rows : int
        The new number of rows, 1 or more.
    columns : int
        The new number of columns, 1 or more.
    """
    from PIL import Image

    image = Image.fromarray(samples)
    return np.asarray(image.resize((columns, rows), Image.Resampling.LANCZOS))


def jpeg_bytes(samples: Samples, *, quality: int) -> bytes:
    """Return samples of shape (M, N) or (M, N, 3) as a JPEG, which loses some of them.

    Raises `InvalidParameterError` if the quality is out of range, and `UnsupportedError` if a side
    is longer than 65500 pixels. The quality is 1..100, as the Independent JPEG Group counts; colors
    have half the resolution.

    Parameters
    ----------
    samples : ndarray of shape (M, N) or (M, N, 3), uint8
        Gray, or red, green and blue.
    quality : int
        The quality as the Independent JPEG Group counts, 1..100.
    """
    from PIL import Image

    quality = checked_integer("quality", quality, most=100)
    if max(samples.shape[:2]) > _LONGEST_JPEG_SIDE:
        raise UnsupportedError(
            f"a JPEG has sides of at most {_LONGEST_JPEG_SIDE} pixels", hint="write PNG"
        )
    buffer = io.BytesIO()
    Image.fromarray(samples).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


_DNG_VERSION: Final = 50706
_SENSOR: Final = {32803, 34892}  # meanings of samples that are no colors yet
_JPEG_START: Final = b"\xff\xd8\xff"
_MOST: Final = 8  # directories in a row, and below each, that are looked at


def glance_raw(source: Source, side: int) -> Glance | None:
    """Return one of the JPEG pictures in a camera raw: the smallest that is large enough."""
    reader = TiffReader(source)
    directories = list(_directories(reader))
    shapes = {
        data: shape
        for page in directories
        for data in _jpegs(reader, page)
        if (shape := stream_shape(data))
    }
    if not shapes:
        return None
    # Of those that are too small the largest, of the others the smallest.
    sizes = {data: max(rows, columns) for data, (rows, columns, _) in shapes.items()}
    chosen = min(sizes, key=lambda data: (sizes[data] < side, abs(sizes[data] - side)))
    picture = jpeg.glance(replace(source, data=chosen), side).picture
    pixels = max(page.integer(d.ROWS, 0) * page.integer(d.COLUMNS, 0) for page in directories)
    if picture.metadata.exif is None:  # the raw file says for both how they are turned
        turned = numbers(SHORT, directories[0].integer(d.ORIENTATION, 1), order="<")
        exif = build("<", Tree({d.ORIENTATION: turned}))
        picture = replace(picture, metadata=Metadata(exif=exif))
    return Glance(picture, pixels)


def _jpegs(reader: TiffReader, page: Directory) -> Iterator[bytes]:
    """Yield the JPEG streams of a directory; what a sensor saw may be coded losslessly as one."""
    for offsets, sizes in ((d.THUMBNAIL, d.THUMBNAIL_SIZE), (d.STRIP_OFFSETS, d.STRIP_SIZES)):
        starts, lengths = page.integers(offsets, ()), page.integers(sizes, ())
        if len(starts) == len(lengths) == 1:
            data = bytes(reader.view(starts[0], lengths[0]))
            if data.startswith(_JPEG_START):
                yield data


def _directories(reader: TiffReader) -> Iterator[Directory]:
    for page in islice(reader.chain(), _MOST):
        yield page
        yield from map(page.at, page.integers(d.SUB_DIRECTORIES, ())[:_MOST])


def matches_raw(data: bytes) -> bool:
    """Return whether this is a TIFF of what a sensor saw, as far as enough of it is there."""
    if not data.startswith(SIGNATURES):
        return False
    with suppress(SudokucryptError):  # what is damaged is for the reader of TIFF to say
        pages = _directories(TiffReader(Source(data, "", 0)))
        return any(
            _DNG_VERSION in page or page.integer(d.PHOTOMETRIC, -1) in _SENSOR for page in pages
        )
    return False


_LEAST_SIDE: Final = 160  # pixels of the longer side, which Exif recommends
_ALIKE: Final = 0.02  # by how much proportions may differ; some cameras add black bars


def glance_jpeg(source: Source, side: int) -> Glance:
    """Return the thumbnail, if it is large enough and has the proportions of the picture.

    Else the picture is decoded at a smaller scale.
    """
    with suppress(SudokucryptError):
        metadata = jpeg.head_metadata(source)
        rows, columns, _ = jpeg.stream_shape(source.data) or (0, 0, 0)
        source.shape(rows, columns, 1)  # which decoding would count too
        exif = metadata.exif
        small = None if exif is None else glance_raw(replace(source, data=exif), side)
        high, wide = (0, 1) if small is None else small.picture.pixels.shape[:2]
        alike = abs(high * columns / (wide * rows) - 1) < _ALIKE
        if small is not None and alike and max(high, wide) >= _LEAST_SIDE:
            return Glance(replace(small.picture, metadata=metadata), rows * columns)
    return jpeg.glance(replace(source), side)


_LONGEST_SIDE: Final = 16383  # of a WebP
_LOOKED_AT: Final = 4  # pixels at least, in each direction, for each of a thumbnail
_EFFORT: Final = 1  # of WebP, 0..6: half the time of 4 for 4 % more bytes
_GAP: Final = 1.5  # first reduced by boxes to this multiple: half the time, few levels off
_FINE: Final = 4  # parts of a pixel in each direction by which lines are smooth
_BOLD = 1 / 40  # how much wider bold strokes are on either side, in font sizes


class Drawable(Protocol):
    """Shapes at whole pixels on a white page."""

    @property
    def height(self) -> int:
        """Rows of the page."""

    @property
    def width(self) -> int:
        """Columns of the page."""

    @property
    def rectangles(self) -> Sequence[tuple[int, int, int, int, str]]:
        """Top, left, height, width and color such as ``#1a2b3c``, the lowest first."""

    @property
    def strokes(self) -> Sequence[tuple[tuple[tuple[int, int], ...], int, str]]:
        """Points (row, column), width and color of lines with round ends, which lie on those."""

    @property
    def texts(self) -> Sequence[tuple[int, int, int, str, bool, str]]:
        """Baseline, middle, font size, text, whether it is bold, and color."""


def paint(drawing: Drawable) -> Picture:
    """Return a drawing as an RGB picture of 8 bits, with the font that comes with Pillow.

    Raises `UnsupportedError` if the page has more pixels than can be read again by default, or a
    text has a letter that the font lacks: it has those of ASCII.

    Parameters
    ----------
    drawing : Drawing
        The drawing.

    Examples
    --------
    >>> from sudokucrypt.sudoku.drawing import Drawing as Page, Rectangle
    >>> paint(Page(2, 3, (Rectangle(0, 1, 2, 1, "#16181d"),), ())).pixels[0].tolist()
    [[255, 255, 255], [22, 24, 29], [255, 255, 255]]
    """
    from PIL import Image

    if drawing.height * drawing.width > MAX_PIXELS:
        raise UnsupportedError(
            f"a drawing of {drawing.height} x {drawing.width} pixels is too large to be painted",
            hint="make its cells smaller, or write SVG",
        )
    page = Image.new("RGB", (drawing.width, drawing.height), "#ffffff")
    for top, left, height, width, color in drawing.rectangles:
        page.paste(_rgb(color), (left, top, left + width, top + height))
    for points, width, color in drawing.strokes:
        line, corner = _line(points, width)
        page.paste(_rgb(color), corner, line)
    for baseline, middle, size, text, bold, color in drawing.texts:
        for letter in text:
            if not letter.isascii():
                raise UnsupportedError(
                    f"the font of pictures has no {letter!r}",
                    hint="write SVG, or leave that letter out",
                )
        mask, (left, top) = _mask(text, size, bold=bold)
        page.paste(_rgb(color), (middle + left, baseline + top), mask)
    return Picture.plain(np.array(page))


@lru_cache(maxsize=4096)
def _rgb(color: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


def _line(points: Sequence[tuple[int, int]], width: int) -> tuple[Any, tuple[int, int]]:
    """Return how much of each pixel a line covers, and where that begins."""
    from PIL import Image, ImageDraw

    rows, columns = zip(*points, strict=True)
    left, top = min(columns) - width, min(rows) - width
    size = max(columns) + width + 1 - left, max(rows) + width + 1 - top
    fine = Image.new("L", (size[0] * _FINE, size[1] * _FINE))
    pen = ImageDraw.Draw(fine)
    ends = [((c - left) * _FINE, (r - top) * _FINE) for r, c in points]
    if len(ends) > 1:
        pen.line(ends, 255, width * _FINE)
    for end in ends:
        pen.circle(end, width * _FINE / 2, 255)
    return fine.reduce(_FINE), (left, top)


@lru_cache(maxsize=4096)
def _mask(text: str, size: int, *, bold: bool) -> tuple[Any, tuple[int, int]]:
    """Return how much of each pixel a text covers, and where that begins."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size)
    stroke = size * _BOLD if bold else 0.0
    left, top, right, bottom = font.getbbox(text, anchor="ms", stroke_width=stroke)
    corner = floor(left) - 1, floor(top) - 1
    mask = Image.new("L", (ceil(right) + 1 - corner[0], ceil(bottom) + 1 - corner[1]))
    origin = -corner[0], -corner[1]
    ImageDraw.Draw(mask).text(origin, text, 255, font, anchor="ms", stroke_width=stroke)
    return mask, corner


def thumbnail(picture: Picture, *, side: int, quality: int) -> bytes:
    """Return a small WebP of what a picture shows, as `shrink_picture` does.

    `quality` is that of the coding, which is lossy, 0..100. It has no metadata.

    Raises `InvalidParameterError` if side or quality is out of range.

    Parameters
    ----------
    picture : Picture
        The picture.
    side : int
        The largest number of pixels of the longer side, 1..16383.
    quality : int
        The quality of the lossy coding, 0..100.
    """
    from PIL import Image

    quality = checked_integer("quality", quality, least=0, most=100)
    buffer = io.BytesIO()
    image = Image.fromarray(shrink_picture(picture, side=side))
    image.save(buffer, "WEBP", quality=quality, method=_EFFORT)
    return buffer.getvalue()


def shrink_picture(picture: Picture, *, side: int) -> NDArray[np.uint8]:
    """Return what a picture shows as a small array of shape (M, N, 3), upright.

    Orientation is applied, color profiles are not, and what is transparent lies on white. The
    longer side has at most `side` pixels, 1..16383; a smaller picture is not enlarged.

    Parameters
    ----------
    picture : Picture
        The picture.
    side : int
        The largest number of pixels of the longer side, 1..16383.
    """
    from PIL import Image

    side = checked_integer("side", side, most=_LONGEST_SIDE)
    turn, sides = turn_of(picture), picture.pixels.shape[:2]
    longest = max(sides)
    size = [max(1, round(n * min(1, side / longest))) for n in sides]
    # A few pixels of each that is made are enough, and take no memory.
    step = max(1, longest // (_LOOKED_AT * side))
    colors = on_white(replace(picture, pixels=picture.pixels[::step, ::step]))
    image = Image.fromarray(np.ascontiguousarray(turn.upright(colors)))
    box = size[not turn.swapped], size[turn.swapped]
    return np.asarray(image.resize(box, Image.Resampling.LANCZOS, reducing_gap=_GAP))

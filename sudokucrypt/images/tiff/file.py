"""Read and write TIFF files of one page, whose image description may contain the header.

When samples already have the byte order of the file, strips are views of them. The directory is
written before the samples, so that readers notice a file that was cut short.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.errors import make_version_error
from sudokucrypt.images.driver import Source
from sudokucrypt.images.picture import DEFAULT_MODES, Picture, channels, take_rows
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff.metadata import list_metadata_tags, list_page_headers, read_metadata
from sudokucrypt.images.tiff.samples import read_samples
from sudokucrypt.typing import AnyArray, Buffer

# Values of the tags `SUBFILE` and `OLD_SUBFILE`.
_REDUCED_FLAG, _MASK_FLAG, _OLD_REDUCED_TYPE = (
    1,
    4,
    2,
)
# For a large stack, ImageJ writes only the first directory, followed by all samples.
_IMAGEJ_PATTERN = re.compile(rb"ImageJ=[^\0]*\nimages=(\d{1,9})")

# Larger files become BigTIFF, since offsets of classic TIFF have 32 bits.
_CLASSIC_TIFF_MAX_BYTES: Final = 2**32
# Bytes of a strip. Readers decode strip by strip, so strips should be small, but not too many.
_TARGET_STRIP_BYTES: Final = 2**20
_SAMPLE_FORMATS = {letter: code for code, letter in d.SAMPLE_KINDS.items() if letter != "u"}
_PHOTOMETRICS = {"gray": d.BLACK_IS_ZERO, "gray-alpha": d.BLACK_IS_ZERO}
_PHOTOMETRICS |= {"rgb": d.RGB, "rgba": d.RGB, "cmyk": d.CMYK}


def decode(source: Source, *, takes_first_page: bool = False) -> Picture:
    """Read a TIFF of one page, or with `takes_first_page` the first of several pages.

    The orientation is not applied.
    """
    reader = d.TiffReader(source)
    page, dropped_names = _find_single_page(reader, takes_first_page=takes_first_page)
    header = source.header(list_page_headers(page))
    for field in page.fields(d.DESCRIPTION):
        imagej_match = _IMAGEJ_PATTERN.match(field.data)
        if imagej_match and int(imagej_match[1]) > 1 and not takes_first_page:
            raise source.refuse_several("a stack of pages")
    pixels, mode = read_samples(reader, page)
    metadata, left_out_names = read_metadata(page, reader.order)
    return Picture(
        pixels=pixels,
        mode=mode,
        format="TIFF",
        metadata=metadata,
        header=header,
        dropped=tuple(dict.fromkeys([*dropped_names, *left_out_names])),
    )


def extract_header(source: Source) -> bytes | None:
    """Return the header in a file, or None without a header; samples are not decoded."""
    pages = [page for page in d.TiffReader(source).chain() if not _name_auxiliary_page(page)]
    header = source.header([header for page in pages for header in list_page_headers(page)])
    if header is not None and len(pages) > 1:
        raise make_version_error("several pages")
    return header


def coded_lossily(source: Source) -> bool:
    """Return whether any page is compressed with JPEG or a related lossy method."""
    pages = (page for page in d.TiffReader(source).chain() if not _name_auxiliary_page(page))
    return any(
        page.get_integer(d.COMPRESSION, d.NOT_COMPRESSED) in d.LOSSY_COMPRESSIONS for page in pages
    )


def _find_single_page(
    reader: d.TiffReader, *, takes_first_page: bool
) -> tuple[d.Directory, list[str]]:
    """Return the only page (`takes_first_page`: the first), and the names of other content."""
    source, dropped_names = reader.source, []
    pages: list[d.Directory] = []
    for page in reader.chain():
        if name := _name_auxiliary_page(page):
            dropped_names.append(name)
        else:
            pages.append(page)
    if not pages:
        raise source.refuse_kind("a TIFF of previews and raw data only")
    if len(pages) > 1 and not takes_first_page:
        has_headers = any(map(list_page_headers, pages))
        raise (
            make_version_error("several pages")
            if has_headers
            else source.refuse_several("a stack of pages")
        )
    page = pages[0]
    if d.THUMBNAIL in page:
        dropped_names.append("previews")
    if d.SUB_DIRECTORIES in page:
        dropped_names.append("other pictures")
    return page, dropped_names


def _name_auxiliary_page(page: d.Directory) -> str | None:
    """Return the kind of content of a page with a mask or preview, or None for other pages."""
    kind = page.get_integer(d.SUBFILE, 0)
    if kind & _MASK_FLAG:
        return "masks"
    # Cameras write a thumbnail as a second directory with a JPEG, and without its size.
    is_camera_thumbnail = d.THUMBNAIL in page and d.COLUMNS not in page
    is_reduced = kind & _REDUCED_FLAG or page.get_integer(d.OLD_SUBFILE, 0) == _OLD_REDUCED_TYPE
    if is_reduced or is_camera_thumbnail:
        return "previews"
    return None


def lost_metadata(picture: Picture) -> tuple[str, ...]:
    """Return the names of the metadata of a picture that TIFF cannot contain."""
    return list_metadata_tags(picture.metadata)[2]


def unsupported_reasons(picture: Picture) -> Iterator[str]:
    """Yield the properties of a picture that TIFF cannot store."""
    default_mode = DEFAULT_MODES[channels(picture.pixels)]
    if picture.mode not in (default_mode, "cmyk") or (
        picture.mode == "cmyk" and default_mode != "rgba"
    ):
        yield f"{channels(picture.pixels)} channels in a {picture.mode} picture"
    kind = picture.pixels.dtype.kind
    if picture.depth not in d.DEPTHS["u" if kind == "b" else kind]:
        yield f"{picture.depth}-bit samples of type {picture.pixels.dtype}"


def encode(
    picture: Picture, rows_below: AnyArray, compress: int, threads: int | None = None
) -> Iterator[Buffer]:
    """Yield the parts of a TIFF file with the samples of a picture and, below them, `rows_below`.

    It has no compression, and is a BigTIFF if it has over 4 GiB.
    """
    del compress, threads
    pixels = picture.pixels
    rows = len(pixels) + len(rows_below)
    order, field_tree, _ = list_metadata_tags(picture.metadata)
    fields = field_tree.fields | _make_sample_fields(picture, rows, order)
    if picture.header is not None:
        fields[d.DESCRIPTION] = d.Field(d.ASCII, picture.header + b"\0")
    bytes_per_row = (pixels.size // len(pixels) * picture.depth + 7) // 8
    size = rows * bytes_per_row
    rows_per_strip = min(rows, max(1, _TARGET_STRIP_BYTES // bytes_per_row))

    def make_directory(position: int, samples_start: int, *, is_bigtiff: bool) -> bytes:
        starts = range(0, size, rows_per_strip * bytes_per_row)
        strip_values = {
            d.STRIP_OFFSETS: [samples_start + n for n in starts],
            d.STRIP_SIZES: [min(rows_per_strip * bytes_per_row, size - n) for n in starts],
        }
        numbers = {
            tag: d.numbers(d.LONG8 if is_bigtiff else d.LONG, *values, order=order)
            for tag, values in strip_values.items()
        }
        numbers[d.ROWS_PER_STRIP] = d.numbers(d.LONG, rows_per_strip, order=order)
        return d.serialize_tree(
            replace(field_tree, fields=fields | numbers),
            position,
            order=order,
            is_bigtiff=is_bigtiff,
        )

    is_bigtiff = (
        16 + len(make_directory(0, 0, is_bigtiff=True)) + size + size % 2 >= _CLASSIC_TIFF_MAX_BYTES
    )
    position = 16 if is_bigtiff else 8
    byte_order_mark = b"II" if order == "<" else b"MM"
    version = struct.pack(order + "HHH", 43, 8, 0) if is_bigtiff else struct.pack(order + "H", 42)
    yield byte_order_mark + version + struct.pack(order + ("Q" if is_bigtiff else "I"), position)
    yield make_directory(
        position, position + len(make_directory(0, 0, is_bigtiff=is_bigtiff)), is_bigtiff=is_bigtiff
    )
    for row in range(0, rows, rows_per_strip):
        yield _pack_strip(take_rows(pixels, rows_below, row, row + rows_per_strip), order)
    if size % 2:
        yield b"\0"


def _pack_strip(pixels: AnyArray, order: d.ByteOrder) -> Buffer:
    """Return the bytes of rows of samples, as a view if possible."""
    if pixels.dtype == np.bool_:
        stored_rows = np.packbits(pixels.reshape(len(pixels), -1), axis=1)
    else:
        ordered_samples = pixels.astype(pixels.dtype.newbyteorder(order), copy=False)
        stored_rows = np.ascontiguousarray(ordered_samples).reshape(-1).view(np.uint8)
    strip_bytes: memoryview = stored_rows.reshape(-1).data
    return strip_bytes


def _make_sample_fields(picture: Picture, rows: int, order: d.ByteOrder) -> dict[int, d.Field]:
    columns, count = picture.pixels.shape[1], channels(picture.pixels)
    short_values = {
        d.BITS: [picture.depth] * count,
        d.COMPRESSION: [d.NOT_COMPRESSED],
        d.PHOTOMETRIC: [_PHOTOMETRICS[picture.mode]],
        d.CHANNELS: [count],
        d.PLANES: [1],
    }
    if format_number := _SAMPLE_FORMATS.get(picture.pixels.dtype.kind):
        short_values[d.SAMPLE_FORMAT] = [format_number] * count
    if picture.mode in ("gray-alpha", "rgba"):
        short_values[d.EXTRA_SAMPLES] = [d.PLAIN_ALPHA]
    sides = {d.COLUMNS: columns, d.ROWS: rows}
    return {tag: d.numbers(d.LONG, side, order=order) for tag, side in sides.items()} | {
        tag: d.numbers(d.SHORT, *values, order=order) for tag, values in short_values.items()
    }

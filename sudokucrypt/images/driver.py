"""Image formats: the class of a format, the file that it reads, and the registry of all formats.

Each format is a `Driver`, which reads a `Source`. The formats of this package are listed here.
Other packages add formats with `register_driver`, or with an entry point that needs no import::

    [project.entry-points."sudokucrypt.formats"]
    farbfeld = "my_package.farbfeld:DRIVER"

Protected pictures are always written as PNG or TIFF, except JPEG files that stay JPEG.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sudokucrypt.errors import (
    FormatError,
    ImageTooLargeError,
    InvalidImageError,
    UnsupportedError,
    format_extra_hint,
)
from sudokucrypt.lazy import import_and_call
from sudokucrypt.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sudokucrypt.images.picture import Picture, PicturePreview
    from sudokucrypt.typing import AnyArray, Buffer


STORED_HEADER_LIMIT: Final = 32 * 2**20  # maximum number of bytes of a stored header
# The first bytes of each header, which distinguish it from other text in the same place of a file.
HEADER_START: Final = b'{"sudokucrypt":'

_KEEP_HINT: Final = "'encrypt' keeps the very file"
_SAVE_HINT: Final = f"{_KEEP_HINT}; for its pixels, save it as PNG with another program first"
_PRINTABLE_BYTES = bytes(range(0x20, 0x7F))
_MAX_BYTES_PER_PIXEL: Final = 4  # default limit per pixel, on average: an 8-bit RGBA pixel


# Each part of a file, such as a chunk, costs time, however small it is. A file of 12 MB may have
# three million parts. Files of cameras and editors have at most one part for each 8 KiB, and test
# files of decoders have some thousands in a small picture.
_BASE_PART_COUNT: Final = 2**14
_BYTES_PER_PART: Final = 2**12


def get_part_limit(size: int) -> int:
    """Return the maximum number of parts, such as chunks, in a file of `size` bytes."""
    return _BASE_PART_COUNT + size // _BYTES_PER_PART


@dataclass(eq=False)
class Source:
    """The bytes of a file, its name in messages, and the limits of what may be decoded.

    A small file may claim to be huge. At most `max_pixels` pixels are decoded, and at most four
    bytes of samples for each of them.
    """

    data: bytes
    name: str
    max_pixels: int
    _claimed_bytes: int = field(default=0, init=False)

    def report_damage(self, reason: str) -> InvalidImageError:
        """Return the error for a file that breaks the rules of its format."""
        return InvalidImageError(
            f"'{self.name}' is damaged: {reason}", hint="get a fresh copy of the file"
        )

    def report_cut(self) -> InvalidImageError:
        """Return the error for a file that is cut short."""
        return self.report_damage("it ends in the middle of the picture")

    def refuse_kind(self, kind: str, *, hint: str = _SAVE_HINT) -> UnsupportedError:
        """Return the error for a picture of a kind that could not be restored exactly."""
        return UnsupportedError(f"'{self.name}' is {kind}, which is not supported yet", hint=hint)

    def refuse_many_parts(self, kind: str, limit: int | None = None) -> InvalidImageError:
        """Return the error for a file with more parts than `limit`, by default `get_part_limit`.

        `kind` is the name of the parts in the message, such as ``"chunks"``. The error is not
        `UnsupportedError`, after which callers try other readers.
        """
        max_parts = get_part_limit(len(self.data)) if limit is None else limit
        return InvalidImageError(
            f"'{self.name}' has more than {max_parts} {kind}, which no program needs",
            hint=_SAVE_HINT,
        )

    def load_library(self, module: str) -> Any:
        """Import a module of the extra `formats`; `UnsupportedError` if it is not installed."""
        try:
            return import_module(module)
        except ImportError as error:
            raise UnsupportedError(
                f"reading '{self.name}' needs {module.replace('_', '-')}",
                hint=f"{format_extra_hint('formats')}; {_KEEP_HINT}",
            ) from error

    def refuse_several(self, kind: str) -> UnsupportedError:
        """Return the error for a file of several pictures of a `kind` such as "an animation"."""
        return UnsupportedError(
            f"'{self.name}' is {kind}, and only one still picture has its pixels protected",
            hint=_KEEP_HINT,
        )

    def shape(self, rows: int, columns: int, channels: int, *, width: int = 1) -> tuple[int, ...]:
        """Return the shape of the array of samples, after checking that it is within the limits.

        A sample takes `width` bytes. `ImageTooLargeError` is raised if the picture has too many
        pixels, or all that was reserved takes too many bytes.
        """
        if rows < 1 or columns < 1:
            raise self.report_damage("it has no pixels")
        if rows * columns > self.max_pixels:
            claim_text = f"claims {rows} rows of {columns} pixels"
            raise self._make_size_error(claim_text, f"{self.max_pixels} pixels")
        self.claim(rows * columns * channels * width, "samples")
        return (rows, columns) if channels == 1 else (rows, columns, channels)

    def claim(
        self,
        size: int,
        kind: str,
        *,
        bytes_per_pixel: float = _MAX_BYTES_PER_PIXEL,
        free_bytes: int = 0,
    ) -> None:
        """Reserve `size` bytes, and raise `ImageTooLargeError` if the total exceeds the limit.

        The limit is `bytes_per_pixel` for every pixel that may be decoded, and at least
        `free_bytes` bytes. `kind` is the name of these bytes in the message.
        """
        self._claimed_bytes += size
        limit = max(int(bytes_per_pixel * self.max_pixels), free_bytes)
        if self._claimed_bytes > limit:
            claim_text = f"claims {self._claimed_bytes} bytes of {kind}"
            raise self._make_size_error(claim_text, f"{limit} bytes")

    def _make_size_error(self, claim_text: str, limit: str) -> ImageTooLargeError:
        return ImageTooLargeError(
            f"'{self.name}' {claim_text}, more than the {limit} that are read",
            hint="if the file is meant to be that large, raise max_pixels",
            hint_key="max_pixels",
        )

    def call(self, codec: Callable[..., Any], data: bytes | memoryview, **options: object) -> Any:
        """Decode bytes with a codec; any exception of the codec is reported as damage."""
        try:
            return codec(data, **options)
        except MemoryError:
            raise
        except Exception as error:
            # Codecs have dozens of error classes; for the user all of them mean damage.
            raise self.report_damage("its samples cannot be decoded") from error

    def header(self, candidates: Sequence[bytes]) -> bytes | None:
        """Return the only header among the candidates in a file, or None if there are none.

        `FormatError` is raised for several candidates, and for an invalid header.
        """
        if not candidates:
            return None
        if len(candidates) > 1:
            raise self.refuse_header(f"it occurs {len(candidates)} times")
        if reason := find_header_fault(candidates[0]):
            raise self.refuse_header(reason)
        return bytes(candidates[0])

    def refuse_header(self, reason: str) -> FormatError:
        """Return the error for a header that is not stored in the only form that we write."""
        return FormatError(
            f"the header in '{self.name}' cannot be used: {reason}",
            hint="a program changed the file; use the original, or its sidecar file",
        )


def find_header_fault(header: bytes) -> str | None:
    """Return the reason why these bytes cannot be a header, or None.

    Control characters are forbidden because text formats rewrite them: XML turns a carriage return
    into a line feed, and a TIFF text ends at a zero byte.
    """
    if len(header) > STORED_HEADER_LIMIT:
        return f"it is longer than {STORED_HEADER_LIMIT} bytes"
    if header.translate(None, _PRINTABLE_BYTES):
        return "it is not printable ASCII"
    if not header.startswith(HEADER_START):
        return f"it does not begin with {HEADER_START.decode()}"
    return None


# This module does not import NumPy, since the command line lists formats before it reads a picture.


class Writer(NamedTuple):
    """Functions that write a format in which results are stored."""

    #: Takes a `Picture`, the rows of samples to append, the level of compression and the number of
    #: threads; yields the bytes of a file.
    encode: Callable[[Picture, AnyArray, int, int | None], Iterator[Buffer]]
    #: Takes a `Picture`; yields the reasons why a file of this format cannot contain it.
    unsupported_reasons: Callable[[Picture], Iterator[str]]
    #: Takes a `Picture`; returns the names of its metadata that a file cannot contain.
    lost_metadata: Callable[[Picture], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Driver:
    """An image format.

    >>> from sudokucrypt.images import drivers
    >>> next(driver.suffixes for driver in drivers() if driver.name == "TIFF")
    ('.tiff', '.tif')
    """

    name: str  #: The value of `Picture.format`, such as ``"PNG"``.
    #: Suffixes of files in lower case, such as ``(".png",)``; written files get the first.
    suffixes: tuple[str, ...]
    #: The possible first bytes of a file of this format; by default any bytes.
    starts: tuple[bytes, ...] = (b"",)
    #: Takes the first 64 bytes or more of a file that has one of the `starts`; returns a true value
    #: if the file is of this format. None if the `starts` suffice.
    matches: Callable[[bytes], object] | None = None
    #: Takes a `Source`, and returns a `Picture`. It calls `Source.shape` before samples are
    #: decoded, and raises only errors that the other methods of `Source` return. None for formats
    #: that are recognized and not read.
    decode: Callable[[Source], Picture] | None = None
    #: Whether files of this format usually store samples with loss.
    lossy: bool = False
    #: Takes a `Source`, and returns whether the samples of this file are stored with loss. It
    #: decodes no sample, and raises only errors of `Source`. Without it, `lossy` is the answer.
    coded_lossily: Callable[[Source], bool] | None = None
    #: Whether programs save exact samples in this format, so that it may contain a protected
    #: picture.
    exact: bool = False
    #: Takes a `Source`; returns the header in the file, or None, and decodes no sample. None for
    #: formats in which no results are written.
    extract_header: Callable[[Source], bytes | None] | None = None
    #: Takes a `Source` and a side in pixels; returns a preview of at least about that size without
    #: decoding the whole picture, or None if that is not possible.
    glance: Callable[[Source, int], PicturePreview | None] | None = None
    #: Functions that write results; None for formats that are only read, such as all formats that
    #: other packages add.
    writer: Writer | None = None
    title: str = ""  #: The name of the format in messages, where it differs from `name`.
    #: The media type, such as ``"image/png"``; if empty, the file name determines it.
    media_type: str = ""

    @property
    def message_name(self) -> str:
        """The name of the format in messages."""
        return self.title or self.name


def _make_function_getter(module: str) -> Callable[[str], Callable[..., Any]]:
    """Return a function that takes a name and returns the function of a module with this name.

    The module is imported when such a function is first called.
    """
    return partial(partial, import_and_call, f"sudokucrypt.images.{module}")


_get_adapter_function = _make_function_getter("foreign.adapter")
_get_heif_function = _make_function_getter("foreign.heif")
_get_jpeg_function = _make_function_getter("jpeg.file")
_get_png_function = _make_function_getter("png.file")
_get_thumbnail_function = _make_function_getter("thumbnails")
_get_tiff_function = _make_function_getter("tiff.file")

# Brands are in the first bytes of a file. Without a limit, a damaged size could extend the search
# to the whole file.
_BRAND_SEARCH_BYTES: Final = 64


def _has_brand(brands: tuple[bytes, ...], data: bytes) -> bool:
    """Return whether the first box of a file names one of these brands."""
    brands_end = min(int.from_bytes(data[:4], "big"), _BRAND_SEARCH_BYTES)
    return data[4:8] == b"ftyp" and any(data[n : n + 4] in brands for n in range(8, brands_end, 4))


_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"hevc", b"hevx")
_RAW_SUFFIXES = (
    ".dng",
    ".nef",
    ".nrw",
    ".arw",
    ".sr2",
    ".srf",
    ".pef",
    ".srw",
    ".3fr",
    ".iiq",
    ".mef",
    ".erf",
)

# A file is of the first format that it matches.
FORMATS: Final = Registry(
    Driver,
    item_noun="an image format",
    group="sudokucrypt.formats",
    get_unique_values=attrgetter("suffixes"),
)
FORMATS.fill(
    [
        Driver(
            name="PNG",
            suffixes=(".png", ".apng"),
            starts=(b"\x89PNG\r\n\x1a\n",),
            decode=_get_png_function("decode"),
            exact=True,
            extract_header=_get_png_function("extract_header"),
            writer=Writer(
                _get_png_function("encode"),
                _get_png_function("unsupported_reasons"),
                _get_png_function("lost_metadata"),
            ),
            media_type="image/png",
        ),
        Driver(
            name="JPEG",
            suffixes=(".jpg", ".jpeg", ".jpe", ".jfif"),
            starts=(b"\xff\xd8\xff",),
            decode=_get_jpeg_function("decode"),
            lossy=True,
            extract_header=_get_jpeg_function("extract_header"),
            glance=_get_thumbnail_function("read_jpeg_preview"),
            media_type="image/jpeg",
        ),
        # Files of the next two formats are TIFF files too, so these formats are tried before TIFF.
        Driver(
            name="Canon raw 2",
            suffixes=(".cr2",),
            starts=(b"II*\0\x10\0\0\0CR", b"MM\0*\0\0\0\x10CR"),
            glance=_get_thumbnail_function("read_raw_preview"),
            title="Canon raw",
            media_type="image/x-canon-cr2",
        ),
        Driver(
            name="camera raw",
            suffixes=_RAW_SUFFIXES,
            starts=(b"I", b"M"),
            matches=_get_thumbnail_function("is_camera_raw"),
            glance=_get_thumbnail_function("read_raw_preview"),
            media_type="image/x-dcraw",
        ),
        Driver(
            name="TIFF",
            suffixes=(".tiff", ".tif"),
            starts=(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
            decode=_get_tiff_function("decode"),
            coded_lossily=_get_tiff_function("coded_lossily"),
            exact=True,
            extract_header=_get_tiff_function("extract_header"),
            writer=Writer(
                _get_tiff_function("encode"),
                _get_tiff_function("unsupported_reasons"),
                _get_tiff_function("lost_metadata"),
            ),
            media_type="image/tiff",
        ),
        Driver(
            name="WebP",
            suffixes=(".webp",),
            starts=(b"RIFF",),
            matches=partial(re.match, rb"(?s)RIFF.{4}WEBP"),
            decode=_get_adapter_function("decode_webp"),
            exact=True,
            coded_lossily=_get_adapter_function("is_webp_lossy"),
            media_type="image/webp",
        ),
        Driver(
            name="GIF",
            suffixes=(".gif",),
            starts=(b"GIF87a", b"GIF89a"),
            decode=_get_adapter_function("decode_gif"),
            media_type="image/gif",
        ),
        Driver(
            name="Canon raw",
            suffixes=(".cr3",),
            matches=partial(re.match, rb"(?s).{4}ftypcrx "),
            media_type="image/x-canon-cr3",
        ),
        Driver(
            name="Fujifilm raw",
            suffixes=(".raf",),
            starts=(b"FUJIFILMCCD-RAW",),
            media_type="image/x-fuji-raf",
        ),
        Driver(
            name="Panasonic raw",
            suffixes=(".rw2",),
            starts=(b"IIU\0",),
            media_type="image/x-panasonic-rw2",
        ),
        Driver(
            name="Olympus raw",
            suffixes=(".orf",),
            starts=(b"IIRO", b"IIRS", b"MMOR"),
            media_type="image/x-olympus-orf",
        ),
        Driver(name="OpenEXR", suffixes=(".exr",), starts=(b"v/1\x01",), media_type="image/x-exr"),
        Driver(
            name="JPEG XR",
            suffixes=(".jxr", ".wdp", ".hdp"),
            starts=(b"II\xbc",),
            lossy=True,
            media_type="image/jxr",
        ),
        Driver(name="DDS", suffixes=(".dds",), starts=(b"DDS ",), media_type="image/x-dds"),
        Driver(name="GIMP", suffixes=(".xcf",), starts=(b"gimp xcf ",), media_type="image/x-xcf"),
        Driver(
            name="BMP",
            suffixes=(".bmp", ".dib"),
            starts=(b"BM",),
            decode=_get_adapter_function("decode_bmp"),
            exact=True,
            media_type="image/bmp",
        ),
        Driver(
            name="PPM",
            suffixes=(".ppm", ".pgm", ".pbm", ".pnm", ".pam", ".pfm"),
            starts=(b"P",),
            matches=partial(re.match, rb"P[1-7Ff][ \t\n\v\f\r#]"),
            decode=_get_adapter_function("decode_netpbm"),
            exact=True,
            title="Netpbm",
            media_type="image/x-portable-anymap",
        ),
        Driver(
            name="AVIF",
            suffixes=(".avif",),
            matches=partial(_has_brand, (b"avif", b"avis")),
            decode=_get_heif_function("decode_avif"),
            lossy=True,
            media_type="image/avif",
        ),
        Driver(
            name="HEIF",
            suffixes=(".heic", ".heif", ".hif"),
            matches=partial(_has_brand, _HEIF_BRANDS),
            decode=_get_heif_function("decode_heif"),
            glance=_get_heif_function("read_heif_preview"),
            lossy=True,
            media_type="image/heic",
        ),
        Driver(
            name="JPEG XL",
            suffixes=(".jxl",),
            starts=(b"\0\0\0\x0cJXL \r\n\x87\n", b"\xff\x0a"),
            decode=_get_adapter_function("decode_jxl"),
            lossy=True,
            coded_lossily=_get_adapter_function("is_jxl_lossy"),
            media_type="image/jxl",
        ),
        Driver(
            name="JPEG 2000",
            suffixes=(".jp2", ".j2k", ".jpx", ".jpf", ".j2c", ".jpc"),
            starts=(b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51"),
            decode=_get_adapter_function("decode_jpeg2000"),
            lossy=True,
            media_type="image/jp2",
        ),
        Driver(
            name="ICO",
            suffixes=(".ico",),
            starts=(b"\0\0\x01\0",),
            matches=partial(re.match, rb"(?s)\0\0\x01\0(?!\0\0).{5}\0"),
            decode=_get_adapter_function("decode_ico"),
            media_type="image/vnd.microsoft.icon",
        ),
        Driver(
            name="PSD",
            suffixes=(".psd",),
            starts=(b"8BPS",),
            decode=_get_adapter_function("decode_psd"),
            title="Photoshop",
            media_type="image/vnd.adobe.photoshop",
        ),
        Driver(
            name="QOI",
            suffixes=(".qoi",),
            starts=(b"qoif",),
            decode=_get_adapter_function("decode_qoi"),
            exact=True,
            media_type="image/qoi",
        ),
        # TGA has no signature, so it is tried last.
        Driver(
            name="TGA",
            suffixes=(".tga", ".icb", ".vda", ".vst"),
            matches=_get_adapter_function("matches_tga"),
            decode=_get_adapter_function("decode_tga"),
            media_type="image/x-tga",
        ),
    ]
)


def register_driver(driver: Driver) -> Driver:
    """Register a format for this process, and return it; it is tried after all other formats.

    Raises `InvalidParameterError` if it is not a `Driver`, or its name or a suffix is taken.
    """
    return FORMATS.register(driver)


def drivers() -> tuple[Driver, ...]:
    """Return all formats in the order in which they are tried."""
    return tuple(FORMATS.find_all().values())


def writable_formats() -> tuple[str, ...]:
    """Return the names of the formats in which results are written, the default first."""
    return tuple(driver.name for driver in drivers() if driver.writer is not None)


def readable_formats() -> tuple[str, ...]:
    """Return the names, as they appear in messages, of the formats that can be read."""
    return tuple(driver.message_name for driver in drivers() if driver.decode is not None)


def known_format(data: bytes) -> Driver | None:
    """Return the format of a file, given its first 64 bytes or more, or None if it is unknown."""
    for driver in list(FORMATS.registered_items.values()):
        if data.startswith(driver.starts) and (driver.matches is None or driver.matches(data)):
            return driver
    # Formats of other packages are loaded only if none of ours matches.
    return known_format(data) if FORMATS.load_all() else None


def find_driver(suffix: str) -> Driver | None:
    """Return the format of files with this suffix in lower case, or None."""
    for driver in list(FORMATS.registered_items.values()):
        if suffix in driver.suffixes:
            return driver
    return find_driver(suffix) if FORMATS.load_all() else None

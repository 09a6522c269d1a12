"""Image formats: the contract of one, what it reads, and the register of all.

A format is one `Driver`, which reads a `Source`. Those of this package are listed here; other
packages add theirs with `register_driver`, or with an entry point that needs no import::

    [project.entry-points."sudokucrypt.formats"]
    farbfeld = "my_package.farbfeld:DRIVER"

Results are always PNG or TIFF, whatever was read.
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
    extra_hint,
)
from sudokucrypt.lazy import call_name
from sudokucrypt.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sudokucrypt.images.picture import Glance, Picture
    from sudokucrypt.typing import AnyArray, Buffer


STORED_HEADER_LIMIT: Final = 32 * 2**20  # most bytes of a header that are read or written
# How a header begins; tells it from other text where a file has but one place for text.
HEADER_START: Final = b'{"sudokucrypt":'

_KEEP_HINT: Final = "'encrypt' keeps the very file"
_SAVE_HINT: Final = f"{_KEEP_HINT}; for its pixels, save it as PNG with another program first"
_PRINTABLE = bytes(range(0x20, 0x7F))
_BYTES_PER_PIXEL: Final = 4  # what a pixel may take on average: as much as RGBA of 8 bits


# Each part of a file costs time, however small it is: a file of 12 MB may have three million. Real
# files have at most one for each 8 KiB, and tests of decoders some thousands in a small picture.
_FREE_PARTS: Final = 2**14
_BYTES_PER_PART: Final = 2**12


def limit_parts(size: int) -> int:
    """Return how many parts, such as chunks or segments, a file of this many bytes may have."""
    return _FREE_PARTS + size // _BYTES_PER_PART


@dataclass(eq=False)
class Source:
    """What every reader works on: a whole file, and what messages call it.

    A small file may claim to be huge: at most `max_pixels` are decoded, and four times as many
    bytes of samples.
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
        """Return the error for a file that ends too early."""
        return self.report_damage("it ends in the middle of the picture")

    def refuse_kind(self, kind: str, *, hint: str = _SAVE_HINT) -> UnsupportedError:
        """Return the error for a picture of a kind that could not be restored exactly."""
        return UnsupportedError(f"'{self.name}' is {kind}, which is not supported yet", hint=hint)

    def refuse_many_parts(self, kind: str, most: int | None = None) -> InvalidImageError:
        """Return the error for more parts than `most`, by default `limit_parts`.

        `kind` is what they are called, such as ``"chunks"``.

        Nothing else is tried with such a file, as it is with kinds that are not supported.
        """
        allowed = limit_parts(len(self.data)) if most is None else most
        return InvalidImageError(
            f"'{self.name}' has more than {allowed} {kind}, which no program needs", hint=_SAVE_HINT
        )

    def load_library(self, module: str) -> Any:
        """Return a module of the extra `formats`; `UnsupportedError` if it is not installed."""
        try:
            return import_module(module)
        except ImportError as error:
            raise UnsupportedError(
                f"reading '{self.name}' needs {module.replace('_', '-')}",
                hint=f"{extra_hint('formats')}; {_KEEP_HINT}",
            ) from error

    def refuse_several(self, kind: str) -> UnsupportedError:
        """Return the error for a file of more than one still, such as ``"an animation"``."""
        return UnsupportedError(
            f"'{self.name}' is {kind}, and only one still picture has its pixels protected",
            hint=_KEEP_HINT,
        )

    def shape(self, rows: int, columns: int, channels: int, *, width: int = 1) -> tuple[int, ...]:
        """Return the shape of the array for a picture of this size, if it may be decoded.

        A sample takes `width` bytes.
        """
        if rows < 1 or columns < 1:
            raise self.report_damage("it has no pixels")
        if rows * columns > self.max_pixels:
            claim = f"claims {rows} rows of {columns} pixels"
            raise self._make_size_error(claim, f"{self.max_pixels} pixels")
        self.claim(rows * columns * channels * width, "samples")
        return (rows, columns) if channels == 1 else (rows, columns, channels)

    def claim(self, size: int, kind: str, *, each: float = _BYTES_PER_PIXEL, free: int = 0) -> None:
        """Count the bytes that something takes, unless all of it together takes few enough.

        The limit is `each` bytes for every pixel that may be decoded, and at least `free` bytes.
        """
        self._claimed_bytes += size
        most = max(int(each * self.max_pixels), free)
        if self._claimed_bytes > most:
            claim = f"claims {self._claimed_bytes} bytes of {kind}"
            raise self._make_size_error(claim, f"{most} bytes")

    def _make_size_error(self, claim: str, most: str) -> ImageTooLargeError:
        return ImageTooLargeError(
            f"'{self.name}' {claim}, more than the {most} that are read",
            hint="if the file is meant to be that large, raise max_pixels",
            hint_key="max_pixels",
        )

    def call(self, codec: Callable[..., Any], data: bytes | memoryview, **options: object) -> Any:
        """Decode some bytes with a codec; any exception that it raises counts as damage."""
        try:
            return codec(data, **options)
        except MemoryError:
            raise
        except Exception as error:
            # Codecs have dozens of error classes of their own; for the user they mean one thing.
            raise self.report_damage("its samples cannot be decoded") from error

    def header(self, candidates: Sequence[bytes]) -> bytes | None:
        """Return the only one of the possible headers of a file, or None if there is none."""
        if not candidates:
            return None
        if len(candidates) > 1:
            raise self.refuse_header(f"it is there {len(candidates)} times")
        if reason := find_header_fault(candidates[0]):
            raise self.refuse_header(reason)
        return bytes(candidates[0])

    def refuse_header(self, reason: str) -> FormatError:
        """Return the error for a header that is not stored the way we store it."""
        return FormatError(
            f"the header in '{self.name}' cannot be used: {reason}",
            hint="a program changed the file; use the original, or its sidecar file",
        )


def find_header_fault(header: bytes) -> str | None:
    """Return the reason why these bytes cannot be a header, or None.

    Control characters are out because text formats rewrite them: XML turns a carriage return into
    a line feed, and a TIFF text ends at a zero byte.
    """
    if len(header) > STORED_HEADER_LIMIT:
        return f"it is longer than {STORED_HEADER_LIMIT} bytes"
    if header.translate(None, _PRINTABLE):
        return "it is not printable ASCII"
    if not header.startswith(HEADER_START):
        return f"it does not begin with {HEADER_START.decode()}"
    return None


# Nothing here loads NumPy: the command line asks for formats before it knows of a picture.


class Writer(NamedTuple):
    """What writes a format in which results are stored."""

    #: Takes a `Picture`, rows below its samples, a level of compression and threads; yields the
    #: bytes of a file.
    encode: Callable[[Picture, AnyArray, int, int | None], Iterator[Buffer]]
    #: Takes a `Picture`; yields why a file cannot hold it.
    unsupported_reasons: Callable[[Picture], Iterator[str]]
    #: Takes a `Picture`; returns the names of the metadata that a file cannot hold.
    lost_metadata: Callable[[Picture], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Driver:
    """An image format.

    >>> from sudokucrypt.images import drivers
    >>> next(driver.suffixes for driver in drivers() if driver.name == "TIFF")
    ('.tiff', '.tif')
    """

    name: str  #: What `Picture.format` says, such as ``"PNG"``.
    #: Suffixes of files in lower case, such as ``(".png",)``; written files get the first.
    suffixes: tuple[str, ...]
    #: What a file of this format can begin with; by default anything.
    starts: tuple[bytes, ...] = (b"",)
    #: Takes the first bytes of a file that begins so, 64 or more if there are as many; returns
    #: whether it is of this format, as a truth. Without it, how the file begins is enough.
    matches: Callable[[bytes], object] | None = None
    #: Takes a `Source`; calls `Source.shape` before samples are decoded, and raises the errors that
    #: its other methods make; returns a `Picture`. No other errors may come out. None for formats
    #: that are known and not read.
    decode: Callable[[Source], Picture] | None = None
    #: Whether such files seldom keep every sample.
    lossy: bool = False
    #: Takes a `Source`; returns whether lossy coding made the samples of this file, and decodes
    #: none. No errors but those of `Source` may come out. Without it, `lossy` says so.
    coded_lossily: Callable[[Source], bool] | None = None
    #: Whether programs save exact samples in it, so that it may hold a protected picture.
    exact: bool = False
    #: Takes a `Source`; returns the header in the file, if there is one, and decodes no sample.
    #: None for formats in which no results are written.
    header_of: Callable[[Source], bytes | None] | None = None
    #: Takes a `Source` and a side in pixels; returns what the file shows at about that size or
    #: larger without decoding all of it, or none if that is not possible.
    glance: Callable[[Source, int], Glance | None] | None = None
    #: What writes results in it; None for formats that are only read, as all that others add.
    writer: Writer | None = None
    title: str = ""  #: What messages call the format, if not by its name.
    media_type: str = ""  #: Such as ``"image/png"``; empty if the names of files say more.

    @property
    def called(self) -> str:
        """What messages call the format."""
        return self.title or self.name


def _make_lazy_functions(module: str) -> Callable[[str], Callable[..., Any]]:
    """Return a maker of lazy functions of a module by name: their first call imports the module."""
    return partial(partial, call_name, f"sudokucrypt.images.{module}")


_adapter = _make_lazy_functions("foreign.adapter")
_heif = _make_lazy_functions("foreign.heif")
_jpeg = _make_lazy_functions("jpeg.file")
_png = _make_lazy_functions("png.file")
_thumbnails = _make_lazy_functions("thumbnails")
_tiff = _make_lazy_functions("tiff.file")

# Bytes: brands come first in a file, and a damaged size must not make us look at all of it.
_BRANDS_END: Final = 64


def _names_brand(brands: tuple[bytes, ...], data: bytes) -> bool:
    """Return whether the first box of a file names one of these brands."""
    end = min(int.from_bytes(data[:4], "big"), _BRANDS_END)
    return data[4:8] == b"ftyp" and any(data[n : n + 4] in brands for n in range(8, end, 4))


_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"hevc", b"hevx")
_RAW = (
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

# The first format that a file matches is its own.
FORMATS: Final = Registry(
    Driver, called="an image format", group="sudokucrypt.formats", unique=attrgetter("suffixes")
)
FORMATS.fill(
    [
        Driver(
            name="PNG",
            suffixes=(".png", ".apng"),
            starts=(b"\x89PNG\r\n\x1a\n",),
            decode=_png("decode"),
            exact=True,
            header_of=_png("header_of"),
            writer=Writer(_png("encode"), _png("unsupported_reasons"), _png("lost_metadata")),
            media_type="image/png",
        ),
        Driver(
            name="JPEG",
            suffixes=(".jpg", ".jpeg", ".jpe", ".jfif"),
            starts=(b"\xff\xd8\xff",),
            decode=_jpeg("decode"),
            lossy=True,
            header_of=_jpeg("header_of"),
            glance=_thumbnails("glance_jpeg"),
            media_type="image/jpeg",
        ),
        # The next two are TIFF files as well.
        Driver(
            name="Canon raw 2",
            suffixes=(".cr2",),
            starts=(b"II*\0\x10\0\0\0CR", b"MM\0*\0\0\0\x10CR"),
            glance=_thumbnails("glance_raw"),
            title="Canon raw",
            media_type="image/x-canon-cr2",
        ),
        Driver(
            name="camera raw",
            suffixes=_RAW,
            starts=(b"I", b"M"),
            matches=_thumbnails("matches_raw"),
            glance=_thumbnails("glance_raw"),
            media_type="image/x-dcraw",
        ),
        Driver(
            name="TIFF",
            suffixes=(".tiff", ".tif"),
            starts=(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
            decode=_tiff("decode"),
            coded_lossily=_tiff("coded_lossily"),
            exact=True,
            header_of=_tiff("header_of"),
            writer=Writer(_tiff("encode"), _tiff("unsupported_reasons"), _tiff("lost_metadata")),
            media_type="image/tiff",
        ),
        Driver(
            name="WebP",
            suffixes=(".webp",),
            starts=(b"RIFF",),
            matches=partial(re.match, rb"(?s)RIFF.{4}WEBP"),
            decode=_adapter("decode_webp"),
            exact=True,
            coded_lossily=_adapter("webp_coded_lossily"),
            media_type="image/webp",
        ),
        Driver(
            name="GIF",
            suffixes=(".gif",),
            starts=(b"GIF87a", b"GIF89a"),
            decode=_adapter("decode_gif"),
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
            decode=_adapter("decode_bmp"),
            exact=True,
            media_type="image/bmp",
        ),
        Driver(
            name="PPM",
            suffixes=(".ppm", ".pgm", ".pbm", ".pnm", ".pam", ".pfm"),
            starts=(b"P",),
            matches=partial(re.match, rb"P[1-7Ff][ \t\n\v\f\r#]"),
            decode=_adapter("decode_netpbm"),
            exact=True,
            title="Netpbm",
            media_type="image/x-portable-anymap",
        ),
        Driver(
            name="AVIF",
            suffixes=(".avif",),
            matches=partial(_names_brand, (b"avif", b"avis")),
            decode=_heif("decode_avif"),
            lossy=True,
            media_type="image/avif",
        ),
        Driver(
            name="HEIF",
            suffixes=(".heic", ".heif", ".hif"),
            matches=partial(_names_brand, _HEIF_BRANDS),
            decode=_heif("decode_heif"),
            glance=_heif("glance_heif"),
            lossy=True,
            media_type="image/heic",
        ),
        Driver(
            name="JPEG XL",
            suffixes=(".jxl",),
            starts=(b"\0\0\0\x0cJXL \r\n\x87\n", b"\xff\x0a"),
            decode=_adapter("decode_jxl"),
            lossy=True,
            coded_lossily=_adapter("jxl_coded_lossily"),
            media_type="image/jxl",
        ),
        Driver(
            name="JPEG 2000",
            suffixes=(".jp2", ".j2k", ".jpx", ".jpf", ".j2c", ".jpc"),
            starts=(b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51"),
            decode=_adapter("decode_jpeg2000"),
            lossy=True,
            media_type="image/jp2",
        ),
        Driver(
            name="ICO",
            suffixes=(".ico",),
            starts=(b"\0\0\x01\0",),
            matches=partial(re.match, rb"(?s)\0\0\x01\0(?!\0\0).{5}\0"),
            decode=_adapter("decode_ico"),
            media_type="image/vnd.microsoft.icon",
        ),
        Driver(
            name="PSD",
            suffixes=(".psd",),
            starts=(b"8BPS",),
            decode=_adapter("decode_psd"),
            title="Photoshop",
            media_type="image/vnd.adobe.photoshop",
        ),
        Driver(
            name="QOI",
            suffixes=(".qoi",),
            starts=(b"qoif",),
            decode=_adapter("decode_qoi"),
            exact=True,
            media_type="image/qoi",
        ),
        # It has no signature, so that it is our last.
        Driver(
            name="TGA",
            suffixes=(".tga", ".icb", ".vda", ".vst"),
            matches=_adapter("matches_tga"),
            decode=_adapter("decode_tga"),
            media_type="image/x-tga",
        ),
    ]
)


def register_driver(driver: Driver) -> Driver:
    """Add a format for this process, and return it; formats before it claim files first.

    Raises `InvalidParameterError` if it is not a driver, or its name or a suffix is taken.
    """
    return FORMATS.register(driver)


def drivers() -> tuple[Driver, ...]:
    """Return all formats in the order in which they are tried."""
    return tuple(FORMATS.find_all().values())


def writable_formats() -> tuple[str, ...]:
    """Return the names of the formats of results, the usual one first."""
    return tuple(driver.name for driver in drivers() if driver.writer is not None)


def readable_formats() -> tuple[str, ...]:
    """Return the names, as messages have them, of the formats that can be read."""
    return tuple(driver.called for driver in drivers() if driver.decode is not None)


def known_format(data: bytes) -> Driver | None:
    """Return the format that these bytes of a file, 64 or more, are taken for, if there is one."""
    for driver in list(FORMATS.held.values()):
        if data.startswith(driver.starts) and (driver.matches is None or driver.matches(data)):
            return driver
    # Other packages are asked only about what none of ours is.
    return known_format(data) if FORMATS.complete() else None


def driver_of(suffix: str) -> Driver | None:
    """Return the format of files with a suffix, in lower case, if there is one."""
    for driver in list(FORMATS.held.values()):
        if suffix in driver.suffixes:
            return driver
    return driver_of(suffix) if FORMATS.complete() else None

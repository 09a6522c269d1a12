"""All image formats: those of this package, registered ones, and those of installed packages."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, TypeAlias

from sudokucrypt.images.driver import Driver
from sudokucrypt.lazy import DeferredModule
from sudokucrypt.registry import Registry

# They are imported by the first call of one of their functions.
_adapter = DeferredModule("sudokucrypt.images.foreign.adapter")
_camera_jpegs = DeferredModule("sudokucrypt.images.camera_jpegs")
_jpeg = DeferredModule("sudokucrypt.images.jpeg.file")
_png = DeferredModule("sudokucrypt.images.png.file")
_raw = DeferredModule("sudokucrypt.images.tiff.raw")
_tiff = DeferredModule("sudokucrypt.images.tiff.file")

# What tells whether a file is of a format, and the bytes that such a file can begin with.
_Signature: TypeAlias = tuple[Callable[[bytes], bool], bytes]
# Bytes: brands come first in a file, and a damaged size must not make us look at all of it.
_BRANDS_END: Final = 64


def _format(
    name: str, suffixes: str, signature: _Signature, *, media: str = "", **facts: Any
) -> Driver:
    """Return a format; without a decoder among the other `facts` it is known, and not read."""
    matches, first_bytes = signature
    return Driver(
        name=name,
        suffixes=tuple(suffixes.split()),
        matches=matches,
        first_bytes=first_bytes,
        media_type=f"image/{media or name.lower()}",
        **facts,
    )


def _starts(*signatures: bytes, at: int = 0) -> _Signature:
    first_bytes = b"" if at else bytes({each[0] for each in signatures})
    return lambda data: data.startswith(signatures, at), first_bytes


def _brands(*brands: bytes) -> _Signature:
    """Return what tells whether the first box of a file names one of these brands."""

    def match(data: bytes) -> bool:
        end = min(int.from_bytes(data[:4], "big"), _BRANDS_END)
        return data[4:8] == b"ftyp" and any(data[n : n + 4] in brands for n in range(8, end, 4))

    return match, b""


def _like(pattern: bytes, first_bytes: bytes) -> _Signature:
    return lambda data: re.match(pattern, data, re.DOTALL) is not None, first_bytes


_PNG = _starts(b"\x89PNG\r\n\x1a\n")
_CR2 = _starts(b"II*\0\x10\0\0\0CR", b"MM\0*\0\0\0\x10CR")
_TIFF = _starts(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_AVIF = _brands(b"avif", b"avis")
_JXL = _starts(b"\0\0\0\x0cJXL \r\n\x87\n", b"\xff\x0a")
_ICO = _like(rb"\0\0\x01\0(?!\0\0).{5}\0", b"\0")
# With their suffixes.
_RAW = (
    ".dng .nef .nrw .arw .sr2 .srf .pef .srw .3fr .iiq .mef .erf",
    (_raw.matches_raw, b"IM"),
)
_HEIF = (
    ".heic .heif .hif",
    _brands(b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"hevc", b"hevx"),
)
_JPEG_2000 = (
    ".jp2 .j2k .jpx .jpf .j2c .jpc",
    _starts(b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51"),
)
_PPM = (".ppm .pgm .pbm .pnm .pam .pfm", _like(rb"P[1-7Ff][ \t\n\v\f\r#]", b"P"))
_PHOTOSHOP = "vnd.adobe.photoshop"
_PSD = (".psd", _starts(b"8BPS"))
_TGA = (".tga .icb .vda .vst", (_adapter.matches_tga, b""))


class _Formats(Registry[Driver]):
    """The register of image formats, with two dicts that find one without trying all."""

    def __init__(self) -> None:
        super().__init__(
            Driver,
            called="an image format",
            group="sudokucrypt.formats",
            unique=attrgetter("suffixes"),
        )
        self._listed: tuple[Driver, ...] = ()
        self._by_suffix: dict[str, Driver] = {}
        self._by_first_byte: dict[bytes, tuple[Driver, ...]] = {}

    def register(self, item: Driver) -> Driver:
        """Add a format, and return it."""
        self._forget()
        return super().register(item)

    def remove(self, name: str) -> None:
        """Take a format out again."""
        self._forget()
        super().remove(name)

    def listed(self) -> tuple[Driver, ...]:
        """Return all formats in the order in which they are tried, those of packages included."""
        if not self._listed:
            self._listed = tuple(self.values())
            for driver in self._listed:
                self._by_suffix.update(dict.fromkeys(driver.suffixes, driver))
        return self._listed

    def with_suffix(self, suffix: str) -> Driver | None:
        """Return the format of files with a suffix, or None."""
        return self._by_suffix.get(suffix) if self.listed() else None

    def beginning_with(self, first: bytes) -> tuple[Driver, ...]:
        """Return the formats whose files can begin with this byte."""
        if first not in self._by_first_byte:
            self._by_first_byte[first] = tuple(
                [
                    driver
                    for driver in self.listed()
                    if not driver.first_bytes or (first and first in driver.first_bytes)
                ]
            )
        return self._by_first_byte[first]

    def _forget(self) -> None:
        self._listed = ()
        self._by_suffix.clear()
        self._by_first_byte.clear()


# TGA, which has no signature, is our last.
FORMATS: Final = _Formats()

FORMATS.fill(
    [
        _format(
            "PNG", ".png .apng", _PNG, decode=_png.decode, exact=True, header_of=_png.header_of
        ),
        _format(
            "JPEG",
            ".jpg .jpeg .jpe .jfif",
            _starts(b"\xff\xd8\xff"),
            decode=_jpeg.decode,
            lossy=True,
            header_of=_jpeg.header_of,
            glance=_camera_jpegs.glance,
        ),
        # The next two are TIFF files as well.
        _format(
            "Canon raw 2", ".cr2", _CR2, media="x-canon-cr2", title="Canon raw", glance=_raw.glance
        ),
        _format("camera raw", *_RAW, media="x-dcraw", glance=_raw.glance),
        _format(
            "TIFF",
            ".tiff .tif",
            _TIFF,
            decode=_tiff.decode,
            coded_lossily=_tiff.coded_lossily,
            exact=True,
            header_of=_tiff.header_of,
        ),
        _format(
            "WebP",
            ".webp",
            _like(rb"RIFF.{4}WEBP", b"R"),
            decode=_adapter.decode_webp,
            exact=True,
            coded_lossily=_adapter.webp_coded_lossily,
        ),
        _format("GIF", ".gif", _starts(b"GIF87a", b"GIF89a"), decode=_adapter.decode_gif),
        _format("Canon raw", ".cr3", _starts(b"ftypcrx ", at=4), media="x-canon-cr3"),
        _format("Fujifilm raw", ".raf", _starts(b"FUJIFILMCCD-RAW"), media="x-fuji-raf"),
        _format("Panasonic raw", ".rw2", _starts(b"IIU\0"), media="x-panasonic-rw2"),
        _format("Olympus raw", ".orf", _starts(b"IIRO", b"IIRS", b"MMOR"), media="x-olympus-orf"),
        _format("OpenEXR", ".exr", _starts(b"v/1\x01"), media="x-exr"),
        _format("JPEG XR", ".jxr .wdp .hdp", _starts(b"II\xbc"), media="jxr", lossy=True),
        _format("DDS", ".dds", _starts(b"DDS "), media="x-dds"),
        _format("GIMP", ".xcf", _starts(b"gimp xcf "), media="x-xcf"),
        _format("BMP", ".bmp .dib", _starts(b"BM"), decode=_adapter.decode_bmp, exact=True),
        _format(
            "PPM",
            *_PPM,
            decode=_adapter.decode_netpbm,
            exact=True,
            media="x-portable-anymap",
            title="Netpbm",
        ),
        _format("AVIF", ".avif", _AVIF, decode=_adapter.decode_avif, lossy=True),
        _format(
            "HEIF",
            *_HEIF,
            decode=_adapter.decode_heif,
            glance=_adapter.glance,
            media="heic",
            lossy=True,
        ),
        _format(
            "JPEG XL",
            ".jxl",
            _JXL,
            decode=_adapter.decode_jxl,
            media="jxl",
            lossy=True,
            coded_lossily=_adapter.jxl_coded_lossily,
        ),
        _format("JPEG 2000", *_JPEG_2000, decode=_adapter.decode_jpeg2000, media="jp2", lossy=True),
        _format("ICO", ".ico", _ICO, decode=_adapter.decode_ico, media="vnd.microsoft.icon"),
        _format("PSD", *_PSD, decode=_adapter.decode_psd, media=_PHOTOSHOP, title="Photoshop"),
        _format("QOI", ".qoi", _starts(b"qoif"), decode=_adapter.decode_qoi, exact=True),
        _format("TGA", *_TGA, decode=_adapter.decode_tga, media="x-tga"),
    ]
)


def register_driver(driver: Driver) -> Driver:
    """Add a format for this process, and return it; formats before it claim files first.

    Raises `InvalidParameterError` if it is no driver, or its name or a suffix is taken.
    """
    return FORMATS.register(driver)


def drivers() -> tuple[Driver, ...]:
    """Return all formats in the order in which they are tried."""
    return FORMATS.listed()


def writable_formats() -> tuple[str, ...]:
    """Return the names of the formats of results, the usual one first."""
    return ("PNG", "TIFF")


def readable_formats() -> tuple[str, ...]:
    """Return what messages call the formats that can be read."""
    return tuple(driver.called for driver in drivers() if driver.decode is not None)


def known_format(data: bytes) -> Driver | None:
    """Return the format that these bytes of a file, 64 or more, are taken for, if there is one."""
    for driver in FORMATS.beginning_with(data[:1]):
        if driver.matches(data):
            return driver
    return None


def driver_of(suffix: str) -> Driver | None:
    """Return the format of files with a suffix, in lower case, if there is one."""
    return FORMATS.with_suffix(suffix)

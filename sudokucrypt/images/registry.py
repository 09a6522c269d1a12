"""All image formats: those of this package, registered ones, and those of installed packages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.driver import Driver
from sudokucrypt.lazy import DeferredModule
from sudokucrypt.registry import Registry

if TYPE_CHECKING:
    from sudokucrypt.images.foreign import adapter
    from sudokucrypt.images.jpeg import file as jpeg
    from sudokucrypt.images.picture import Picture
    from sudokucrypt.images.png import file as png
    from sudokucrypt.images.source import Source
    from sudokucrypt.images.tiff import file as tiff
    from sudokucrypt.images.tiff import raw
else:
    adapter = DeferredModule("sudokucrypt.images.foreign.adapter")
    jpeg = DeferredModule("sudokucrypt.images.jpeg.file")
    png = DeferredModule("sudokucrypt.images.png.file")
    tiff = DeferredModule("sudokucrypt.images.tiff.file")
    raw = DeferredModule("sudokucrypt.images.tiff.raw")

_Match = Callable[[bytes], bool]
# Bytes: brands come first in a file, and a damaged size must not make us look at all of it.
_BRANDS_END: Final = 64


def _format(
    name: str,
    suffixes: str,
    matches: _Match,
    decode: Callable[[Source], Picture] | None = None,
    *,
    coded_lossily: Callable[[Source], bool] | None = None,
    lossy: bool = False,
    media: str = "",
    title: str = "",
) -> Driver:
    """Return a format; without `decode` it is known, and not read."""
    return Driver(
        name=name,
        suffixes=tuple(suffixes.split()),
        matches=matches,
        decode=decode,
        lossy=lossy,
        coded_lossily=coded_lossily,
        title=title,
        media_type=f"image/{media or name.lower()}",
    )


def _starts(*signatures: bytes, at: int = 0) -> _Match:
    return lambda data: data.startswith(signatures, at)


def _brands(*brands: bytes) -> _Match:
    """Return what tells whether the first box of a file names one of these brands."""

    def match(data: bytes) -> bool:
        end = min(int.from_bytes(data[:4], "big"), _BRANDS_END)
        return data[4:8] == b"ftyp" and any(data[n : n + 4] in brands for n in range(8, end, 4))

    return match


def _like(pattern: bytes) -> _Match:
    return lambda data: re.match(pattern, data, re.DOTALL) is not None


_PNG = _starts(b"\x89PNG\r\n\x1a\n")
_CR2 = _starts(b"II*\0\x10\0\0\0CR", b"MM\0*\0\0\0\x10CR")
_TIFF = _starts(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_AVIF = _brands(b"avif", b"avis")
_JXL = _starts(b"\0\0\0\x0cJXL \r\n\x87\n", b"\xff\x0a")
_ICO = _like(rb"\0\0\x01\0(?!\0\0).{5}\0")
# With their suffixes.
_RAW = (
    ".dng .nef .nrw .arw .sr2 .srf .pef .srw .3fr .iiq .mef .erf",
    raw.matches_raw,
)
_HEIF = (
    ".heic .heif .hif",
    _brands(b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"hevc", b"hevx"),
)
_JPEG_2000 = (
    ".jp2 .j2k .jpx .jpf .j2c .jpc",
    _starts(b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51"),
)
_PPM = (".ppm .pgm .pbm .pnm .pam .pfm", _like(rb"P[1-7Ff][ \t\n\v\f\r#]"))
_PHOTOSHOP = "vnd.adobe.photoshop"
_PSD = (".psd", _starts(b"8BPS"))
_TGA = (".tga .icb .vda .vst", adapter.matches_tga)

# All formats in the order in which they are tried; TGA, which has no signature, is our last.
FORMATS: Final = Registry(
    Driver,
    called="an image format",
    group="sudokucrypt.formats",
    unique=lambda driver: driver.suffixes,
)

for _driver in (
    _format("PNG", ".png .apng", _PNG, png.decode),
    _format("JPEG", ".jpg .jpeg .jpe .jfif", _starts(b"\xff\xd8\xff"), jpeg.decode, lossy=True),
    # The next two are TIFF files as well.
    _format("Canon raw 2", ".cr2", _CR2, media="x-canon-cr2", title="Canon raw"),
    _format("camera raw", *_RAW, media="x-dcraw"),
    _format("TIFF", ".tiff .tif", _TIFF, tiff.decode, coded_lossily=tiff.coded_lossily),
    _format(
        "WebP",
        ".webp",
        _like(rb"RIFF.{4}WEBP"),
        adapter.decode_webp,
        coded_lossily=adapter.webp_coded_lossily,
    ),
    _format("GIF", ".gif", _starts(b"GIF87a", b"GIF89a"), adapter.decode_gif),
    _format("Canon raw", ".cr3", _starts(b"ftypcrx ", at=4), media="x-canon-cr3"),
    _format("Fujifilm raw", ".raf", _starts(b"FUJIFILMCCD-RAW"), media="x-fuji-raf"),
    _format("Panasonic raw", ".rw2", _starts(b"IIU\0"), media="x-panasonic-rw2"),
    _format("Olympus raw", ".orf", _starts(b"IIRO", b"IIRS", b"MMOR"), media="x-olympus-orf"),
    _format("OpenEXR", ".exr", _starts(b"v/1\x01"), media="x-exr"),
    _format("JPEG XR", ".jxr .wdp .hdp", _starts(b"II\xbc"), media="jxr", lossy=True),
    _format("DDS", ".dds", _starts(b"DDS "), media="x-dds"),
    _format("GIMP", ".xcf", _starts(b"gimp xcf "), media="x-xcf"),
    _format("BMP", ".bmp .dib", _starts(b"BM"), adapter.decode_bmp),
    _format("PPM", *_PPM, adapter.decode_netpbm, media="x-portable-anymap", title="Netpbm"),
    _format("AVIF", ".avif", _AVIF, adapter.decode_avif, lossy=True),
    _format("HEIF", *_HEIF, adapter.decode_heif, media="heic", lossy=True),
    _format(
        "JPEG XL",
        ".jxl",
        _JXL,
        adapter.decode_jxl,
        media="jxl",
        lossy=True,
        coded_lossily=adapter.jxl_coded_lossily,
    ),
    _format("JPEG 2000", *_JPEG_2000, adapter.decode_jpeg2000, media="jp2", lossy=True),
    _format("ICO", ".ico", _ICO, adapter.decode_ico, media="vnd.microsoft.icon"),
    _format("PSD", *_PSD, adapter.decode_psd, media=_PHOTOSHOP, title="Photoshop"),
    _format("QOI", ".qoi", _starts(b"qoif"), adapter.decode_qoi),
    _format("TGA", *_TGA, adapter.decode_tga, media="x-tga"),
):
    FORMATS.register(_driver)


def register_driver(driver: Driver) -> Driver:
    """Add a format for this process, and return it; formats before it claim files first.

    Raises `InvalidParameterError` if it is no driver, or its name or a suffix is taken.
    """
    return FORMATS.register(driver)


def drivers() -> tuple[Driver, ...]:
    """Return all formats in the order in which they are tried."""
    return tuple(FORMATS.values())


def writable_formats() -> tuple[str, ...]:
    """Return the names of the formats of results, the usual one first."""
    return ("PNG", "TIFF")


def readable_formats() -> tuple[str, ...]:
    """Return what messages call the formats that can be read."""
    return tuple(driver.called for driver in drivers() if driver.decode is not None)


def known_format(data: bytes) -> Driver | None:
    """Return the format that these bytes of a file, 64 or more, are taken for, if there is one."""
    return next((driver for driver in drivers() if driver.matches(data)), None)


def driver_of(suffix: str) -> Driver | None:
    """Return the format of files with a suffix, in lower case, if there is one."""
    return next((driver for driver in drivers() if suffix in driver.suffixes), None)

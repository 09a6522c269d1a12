"""All image formats: those of this package, registered ones, and those of installed packages."""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from sudokucrypt.images.driver import Driver, Writer
from sudokucrypt.registry import Registry

_Match = Callable[[bytes], bool]
_BRANDS_END: Final = 64
_WRITING: Final = ("encode", "leftover")


def _format(
    name: str,
    suffixes: str,
    matches: _Match,
    module: str = "",
    *,
    decode: str = "decode",
    writing: tuple[str, ...] = (),
    threaded: bool = False,
    **more: Any,
) -> Driver:
    """Return a format whose functions stand in a module; without one it is known, and not read."""
    writer = None
    if writing:
        functions = {name: _later(module, name) for name in writing}
        obstacles = _later(module, "obstacles")
        functions["obstacle"] = lambda picture: next(obstacles(picture), None)
        writer = Writer(**functions, threaded=threaded)
    return Driver(
        name=name,
        suffixes=tuple(suffixes.split()),
        matches=matches,
        decode=_later(module, decode) if module else None,
        writer=writer,
        **more,
    )


def _later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that fetches another one from its module when it is called."""

    def call(*positional: object, **named: object) -> Any:
        return getattr(import_module(f"sudokucrypt.images.{module}"), name)(*positional, **named)

    return call


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
_TIFF = _starts(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_AVIF = _brands(b"avif", b"avis")
_HEIF = _brands(b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"hevc", b"hevx")
_JXL = _starts(b"\0\0\0\x0cJXL \r\n\x87\n", b"\xff\x0a")
_JPEG_2000 = _starts(b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51")
_NETPBM = _like(rb"P[1-7Ff][ \t\n\v\f\r#]")
_PSD = _starts(b"8BPS")
_TGA = _later("foreign.flat", "matches_tga")

FORMATS: Final = Registry(
    Driver,
    called="an image format",
    group="sudokucrypt.formats",
    unique=lambda driver: driver.suffixes,
)
"""All formats in the order in which they are tried; TGA, which has no signature, is our last."""

for _driver in (
    _format("PNG", ".png .apng", _PNG, "png.file", writing=_WRITING, threaded=True),
    _format("JPEG", ".jpg .jpeg .jpe .jfif", _starts(b"\xff\xd8\xff"), "jpeg.file", lossy=True),
    _format("TIFF", ".tiff .tif", _TIFF, "tiff.file", writing=(*_WRITING, "readable")),
    _format("WebP", ".webp", _like(rb"RIFF.{4}WEBP"), "webp.file", writing=_WRITING),
    _format("GIF", ".gif", _starts(b"GIF87a", b"GIF89a"), "gif.file", writing=_WRITING),
    _format("Canon raw", ".cr3", _starts(b"ftypcrx ", at=4)),
    _format("Fujifilm raw", ".raf", _starts(b"FUJIFILMCCD-RAW")),
    _format("Panasonic raw", ".rw2", _starts(b"IIU\0")),
    _format("Olympus raw", ".orf", _starts(b"IIRO")),
    _format("OpenEXR", ".exr", _starts(b"v/1\x01")),
    _format("JPEG XR", ".jxr .wdp .hdp", _starts(b"II\xbc"), lossy=True),
    _format("DDS", ".dds", _starts(b"DDS ")),
    _format("GIMP", ".xcf", _starts(b"gimp xcf ")),
    _format("BMP", ".bmp .dib", _starts(b"BM"), "foreign.bmp"),
    _format("PPM", ".ppm .pgm .pbm .pnm .pam .pfm", _NETPBM, "foreign.netpbm", title="Netpbm"),
    _format("AVIF", ".avif", _AVIF, "foreign.heif", decode="decode_avif", lossy=True),
    _format("HEIF", ".heic .heif .hif", _HEIF, "foreign.heif", decode="decode_heif", lossy=True),
    _format("JPEG XL", ".jxl", _JXL, "foreign.jxl", lossy=True),
    _format(
        "JPEG 2000", ".jp2 .j2k .jpx .jpf .j2c .jpc", _JPEG_2000, "foreign.jpeg2000", lossy=True
    ),
    _format("ICO", ".ico", _like(rb"\0\0\x01\0(?!\0\0).{5}\0"), "foreign.ico"),
    _format("PSD", ".psd", _PSD, "foreign.flat", decode="decode_psd", title="Photoshop"),
    _format("QOI", ".qoi", _starts(b"qoif"), "foreign.flat", decode="decode_qoi"),
    _format("TGA", ".tga .icb .vda .vst", _TGA, "foreign.flat", decode="decode_tga"),
):
    FORMATS.register(_driver)


def register_driver(driver: Driver) -> Driver:
    """Add a format for this process, and return it; formats before it claim files first.

    Raises
    ------
    InvalidParameterError
        If it is no driver, or its name or a suffix is taken.
    """
    return FORMATS.register(driver)


def drivers() -> tuple[Driver, ...]:
    """Return all formats in the order in which they are tried."""
    return tuple(FORMATS.values())


def writable_formats() -> tuple[str, ...]:
    """Return the names of the formats that can be written, the usual one first."""
    return tuple(driver.name for driver in drivers() if driver.writer is not None)


def readable_formats() -> tuple[str, ...]:
    """Return what messages call the formats that can be read."""
    return tuple(driver.called for driver in drivers() if driver.decode is not None)


def driver_of(suffix: str) -> Driver | None:
    """Return the format of files with a suffix, in lower case, if there is one."""
    return next((driver for driver in drivers() if suffix in driver.suffixes), None)

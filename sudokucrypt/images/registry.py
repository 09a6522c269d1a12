"""All image formats: those of this package, registered ones, and those of installed packages."""

from __future__ import annotations

import warnings
from functools import cache, partial
from typing import Final

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images import foreign, gif, jpeg, png, tiff, webp
from sudokucrypt.images.driver import Driver

GROUP: Final = "sudokucrypt.formats"
"""The entry points by which other packages offer a `Driver`."""


def _starts(signature: bytes, first: int, data: bytes) -> bool:
    return data.startswith(signature, first)


# Name, suffixes, first byte of the signature and the signature; none where TIFF has it too.
_KNOWN: Final = (
    ("Canon raw", (".cr3",), 4, b"ftypcrx "),
    ("Fujifilm raw", (".raf",), 0, b"FUJIFILMCCD-RAW"),
    ("Panasonic raw", (".rw2",), 0, b"IIU\0"),
    ("Olympus raw", (".orf",), 0, b"IIRO"),
    ("OpenEXR", (".exr",), 0, b"v/1\x01"),
    ("JPEG XR", (".jxr", ".wdp", ".hdp"), 0, b"II\xbc"),
    ("DDS", (".dds",), 0, b"DDS "),
    ("GIMP", (".xcf",), 0, b"gimp xcf "),
)

_UNREAD: Final = tuple(
    Driver(
        name=name,
        suffixes=suffixes,
        matches=partial(_starts, signature, first),
        lossy=name == "JPEG XR",
    )
    for name, suffixes, first, signature in _KNOWN
)
# The first that matches reads a file: formats with a long signature stand in front.
_BUILT_IN: Final = (
    png.DRIVER,
    jpeg.DRIVER,
    tiff.DRIVER,
    webp.DRIVER,
    gif.DRIVER,
    *_UNREAD,
    *foreign.DRIVERS,
)
_registered: list[Driver] = []


def register_driver(driver: Driver) -> Driver:
    """Add a format for this process.

    Parameters
    ----------
    driver : Driver
        The format. Files that a format before it claims are not offered to it.

    Returns
    -------
    Driver
        The same, so that this can stand where the driver is made.

    Raises
    ------
    InvalidParameterError
        If it is no driver, or its name or a suffix is taken.
    """
    _registered.append(_checked(driver, drivers()))
    return driver


def drivers() -> tuple[Driver, ...]:
    """Return all formats in the order in which they are tried."""
    return (*_BUILT_IN, *_installed(), *_registered)


def writable_formats() -> tuple[str, ...]:
    """Return the names of the formats that can be written, the usual one first."""
    return tuple(driver.name for driver in drivers() if driver.writer is not None)


def readable_formats() -> tuple[str, ...]:
    """Return what messages call the formats that can be read."""
    return tuple(driver.called for driver in drivers() if driver.decode is not None)


def driver_of(suffix: str) -> Driver | None:
    """Return the format of files with a suffix, in lower case, if there is one."""
    return next((driver for driver in drivers() if suffix in driver.suffixes), None)


def _checked(driver: object, present: tuple[Driver, ...]) -> Driver:
    if not isinstance(driver, Driver):
        raise InvalidParameterError(f"a format is a Driver, not {type(driver).__name__}")
    for other in present:
        if driver.name == other.name:
            raise InvalidParameterError(f"there is a format named {driver.name} already")
        if taken := set(driver.suffixes) & set(other.suffixes):
            raise InvalidParameterError(
                f"{driver.name} cannot have the suffix {min(taken)}, which {other.name} has"
            )
    return driver


@cache
def _installed() -> tuple[Driver, ...]:
    """Return the formats of installed packages; one that cannot be used is no reason to stop."""
    from importlib.metadata import entry_points

    found = _BUILT_IN
    for entry in entry_points(group=GROUP):
        try:
            found = (*found, _checked(entry.load(), found))
        except Exception as error:
            warnings.warn(
                f"the image format '{entry.name}' ({entry.value}) cannot be used: {error}",
                RuntimeWarning,
                stacklevel=3,
            )
    return found[len(_BUILT_IN) :]

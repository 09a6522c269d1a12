"""Formats that are only read, most of them by a library: see `docs/development/decisions`."""

from typing import Final

from sudokucrypt.images.driver import Driver
from sudokucrypt.images.foreign import bmp, flat, heif, ico, jpeg2000, jxl, netpbm, psd

DRIVERS: Final[tuple[Driver, ...]] = (
    bmp.DRIVER,
    netpbm.DRIVER,
    *heif.DRIVERS,
    jxl.DRIVER,
    jpeg2000.DRIVER,
    ico.DRIVER,
    psd.DRIVER,
    *flat.DRIVERS,
)
"""In the order in which they are tried; TGA, which has no signature, comes last."""

__all__ = ["DRIVERS"]

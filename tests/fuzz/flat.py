"""Files of one flat picture: JPEG 2000, ICO, Netpbm, PSD, QOI and TGA survive like all others."""

from typing import Final

from tests.fuzz.pictures import check_files
from tests.images.samples import FILES, format_of

TARGET: Final = "flat"

_FORMATS = ("JPEG 2000", "ICO", "PPM", "PSD", "QOI", "TGA")
SEEDS: Final = [data for name, data in FILES.items() if format_of(name) in _FORMATS]


def check(data: bytes) -> None:
    """Decode, encode and describe a file."""
    check_files([data])

"""What of the metadata of a frame viewers may read beside samples that they may not.

The true metadata are sealed. The copy is built anew from what is known to be harmless, value by
value, so that nothing comes along which nobody looked at: previews, notes of makers, private tags,
and bytes that no entry points to. What cannot be read by the letter is not copied.
"""

from typing import Final

from sudokucrypt.images.cleartext.exif import cleartext_exif
from sudokucrypt.images.cleartext.packet import cleartext_packet
from sudokucrypt.images.cleartext.profile import cleartext_profile
from sudokucrypt.images.cleartext.wrappings import holds_picture
from sudokucrypt.images.picture import Metadata, Resolution

_MOST_DENSITY: Final = 10**6
_MOST_DENOMINATOR: Final = 10**4
_SIGNATURE_LENGTH: Final = 4


def cleartext_copy(metadata: Metadata) -> Metadata:
    """Return the metadata that may stand readable beside a protected picture."""
    # An EXIF block begins like the TIFF file that it is; nothing else in it may.
    exif = _guarded(cleartext_exif(metadata.exif), skipped=_SIGNATURE_LENGTH)
    return Metadata(
        exif=exif,
        icc=_guarded(cleartext_profile(metadata.icc)),
        xmp=_guarded(cleartext_packet(metadata.xmp)),
        resolution=_rounded(metadata.resolution),
    )


def _guarded(field: bytes | None, *, skipped: int = 0) -> bytes | None:
    return None if field is None or holds_picture(field[skipped:]) else field


def _rounded(resolution: Resolution | None) -> Resolution | None:
    """Return a resolution of few digits: exact ones could hold anything."""
    if resolution is None:
        return None
    columns = resolution.columns.limit_denominator(_MOST_DENOMINATOR)
    rows = resolution.rows.limit_denominator(_MOST_DENOMINATOR)
    if not all(0 < density <= _MOST_DENSITY for density in (columns, rows)):
        return None
    return Resolution(columns=columns, rows=rows, unit=resolution.unit)

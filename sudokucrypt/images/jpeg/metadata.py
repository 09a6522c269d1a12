"""What the segments of a JPEG say beside the samples.

References
----------
.. [1] Exif 2.32 (CIPA DC-008), 4.5: application segment 1.
.. [2] ICC.1:2022, B.4: a profile in several application segments 2.
.. [3] Adobe, "XMP Specification Part 3", 1.1.3.
.. [4] "JPEG File Interchange Format", version 1.02: application segment 0.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal

from sudokucrypt.images.metadata import Metadata, Resolution

_JFIF, _EXIF, _XMP = b"JFIF\0", b"Exif\0\0", b"http://ns.adobe.com/xap/1.0/\0"
_PROFILE = b"ICC_PROFILE\0"
_JFIF_LENGTH = 14  # without the samples of a thumbnail
_COMMENT: Final = 0xFE
_APPLICATIONS = range(0xE0, 0xF0)
_LEFT_OUT = (
    (0xE0, b"JFXX\0", "previews"),
    (0xE1, b"Exif\0", "EXIF"),
    (0xE1, b"http://ns.adobe.com/xmp/extension/\0", "extended XMP"),
    (0xE1, b"http://ns.adobe.com/", "XMP"),
    (0xE2, b"MPF\0", "other pictures"),
    (0xED, b"Photoshop 3.0\0", "IPTC and Photoshop data"),
)
# The third is the centimeter in truth.
_UNITS: tuple[None, Literal["inch"], Literal["meter"]] = (None, "inch", "meter")
_HARMLESS = ((0xE0, b"JFIF\0"), (0xEE, b"Adobe"))


@dataclass
class Reader:
    """Collects what segments say, one after the other."""

    left_out: dict[str, None] = field(default_factory=dict)
    _exif: list[bytes] = field(default_factory=list)
    _profile: list[tuple[int, int, bytes]] = field(default_factory=list)
    _xmp: bytes | None = None
    _resolution: Resolution | None = None
    _texts: list[tuple[str, str]] = field(default_factory=list)

    def take(self, marker: int, body: bytes) -> None:
        """Read one segment that has no part in the samples."""
        if marker == _COMMENT:
            self._texts.append(("Comment", _text(body)))
        elif marker == 0xE0 and body.startswith(_JFIF):
            self._resolution = self._resolution or _density(body[len(_JFIF) :])
            if len(body) > _JFIF_LENGTH:
                self.left_out["previews"] = None
        elif marker == 0xE1 and body.startswith(_EXIF):
            self._exif.append(body[len(_EXIF) :])
        elif marker == 0xE1 and body.startswith(_XMP) and self._xmp is None:
            self._xmp = body[len(_XMP) :]
        elif marker == 0xE2 and body.startswith(_PROFILE) and len(body) >= len(_PROFILE) + 2:
            number, count = body[len(_PROFILE) : len(_PROFILE) + 2]
            self._profile.append((number, count, body[len(_PROFILE) + 2 :]))
        elif name := _name(marker, body):
            self.left_out[name] = None

    def finish(self) -> Metadata:
        """Return all that is kept."""
        return Metadata(
            # Programs that do not fit into one segment go on in the next, as Pillow reads it.
            exif=b"".join(self._exif) or None,
            icc=self._joined_profile() or None,
            xmp=self._xmp or None,
            resolution=self._resolution,
            texts=tuple(self._texts),
        )

    def _joined_profile(self) -> bytes | None:
        """Return the profile if all its parts are there, each once."""
        parts = sorted(self._profile)
        expected = [(number, len(parts)) for number in range(1, len(parts) + 1)]
        if [part[:2] for part in parts] != expected:
            self.left_out["ICC profile"] = None
            return None
        return b"".join(part for _, _, part in parts)


def _density(body: bytes) -> Resolution | None:
    """Return what a JFIF segment says behind its name: version, unit, columns, rows."""
    if len(body) < 7:
        return None
    unit, columns, rows = struct.unpack_from(">BHH", body, 2)
    if not columns or not rows or unit > 2 or (unit == 0 and columns == rows):
        return None
    factor = 100 if unit == 2 else 1
    return Resolution(
        columns=Fraction(columns * factor), rows=Fraction(rows * factor), unit=_UNITS[unit]
    )


def _text(body: bytes) -> str:
    body = body.rstrip(b"\0")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _name(marker: int, body: bytes) -> str | None:
    """Return what to call a segment that is not kept, if it matters."""
    for known, start, name in _LEFT_OUT:
        if marker == known and body.startswith(start):
            return name
    known_harmless = any(marker == m and body.startswith(start) for m, start in _HARMLESS)
    return "other data" if marker in _APPLICATIONS and not known_harmless else None

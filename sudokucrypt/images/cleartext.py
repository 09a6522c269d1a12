"""Cleartext metadata of a protected picture: color space, orientation and resolution.

The original metadata are encrypted. The cleartext copy is generated from a small set of values: one
of the usual color profiles, one of eight orientations, and a rounded resolution. No byte of the
original metadata is copied, so nothing can hide in the copy.

References
----------
.. [1] ICC.1:2022, "Image technology colour management", 7 to 10 and annex E (adaptation to D50).
.. [2] IEC 61966-2-1:1999, sRGB; SMPTE EG 432-1:2010, Display P3; Adobe RGB (1998), 2005-05;
   ISO 22028-2:2013, ROMM RGB, which is called ProPhoto.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.orientation import read_orientation, write_orientation
from sudokucrypt.images.picture import Metadata, Resolution

# No scanner or printer has a higher resolution: larger numbers could only carry hidden data.
_MAX_DENSITY: Final = 10**6
_MAX_DENOMINATOR: Final = 10**4

# A profile of a matrix and curves has a few KiB; larger ones contain tables of colors.
_PROFILE_LIMIT: Final = 4 * 2**20
# The usual profiles have about a dozen tags.
_MAX_TAGS: Final = 100
_PROFILE_HEADER: Final = struct.Struct(">I4sI4s4s4s6H4s4sI4s4sQI12s4s16s28s")
_TAG_ENTRY: Final = struct.Struct(">4sII")
_FIXED_POINT_ONE: Final = 0x10000  # the number 1 with 16 fractional bits
# The white point of all profiles, as the ICC specification rounds it.
_D50_WHITE_POINT: Final = (0xF6D6, _FIXED_POINT_ONE, 0xD32D)
# Bradford's matrix from D65 to D50, row by row.
_ADAPTATION_MATRIX: Final = (
    1.0479,
    0.0229,
    -0.0502,
    0.0296,
    0.9904,
    -0.0171,
    -0.0093,
    0.0151,
    0.7519,
)

_COLORANT_TAGS: Final = (b"rXYZ", b"gXYZ", b"bXYZ")
_CURVE_TAGS: Final = {b"RGB ": (b"rTRC", b"gTRC", b"bTRC"), b"GRAY": (b"kTRC",)}

# The colorants of profiles of one color space differ only in their last digits. The colorants of
# different color spaces differ by ten times as much.
_COLORANT_TOLERANCE: Final = 0.003
_CURVE_TOLERANCE: Final = 0.0025
_CURVE_INPUTS: Final = np.linspace(0.0, 1.0, 33)


@dataclass(frozen=True)
class _ColorSpace:
    """A common color space, which a cleartext color profile may describe."""

    name: str  # the description in the profile
    colorants: tuple[float, ...]  # X, Y, Z of red, green and blue, adapted to D50; empty for gray
    gamma: float | None  # the exponent of the transfer curve; None for the curve of sRGB
    has_daylight_white: bool = (
        True  # whether the white point is D65, from which the colorants were adapted
    )

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters g, a, b, c, d of the curve: (a x + b)^g, or c x if x < d; only g for x^g."""
        if self.gamma is None:
            return (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
        return (self.gamma,)


_COLOR_SPACES: Final = (
    _ColorSpace(
        "sRGB", (0.4361, 0.2225, 0.0139, 0.3851, 0.7169, 0.0971, 0.1431, 0.0606, 0.7141), None
    ),
    _ColorSpace(
        "Display P3",
        (0.5151, 0.2412, -0.0011, 0.2920, 0.6922, 0.0419, 0.1571, 0.0666, 0.7841),
        None,
    ),
    _ColorSpace(
        "Adobe RGB (1998)",
        (0.6097, 0.3111, 0.0195, 0.2053, 0.6257, 0.0609, 0.1492, 0.0632, 0.7446),
        2 + 51 / 256,  # the exact value in the specification of Adobe RGB
    ),
    _ColorSpace(
        "ProPhoto RGB",
        (0.7977, 0.2880, 0.0, 0.1352, 0.7119, 0.0, 0.0313, 0.0001, 0.8249),
        1.8,
        has_daylight_white=False,
    ),
    _ColorSpace("Gray, gamma 2.2", (), 2.2, has_daylight_white=False),
    _ColorSpace("Gray, gamma 1.8", (), 1.8, has_daylight_white=False),
    _ColorSpace("Gray, curve of sRGB", (), None, has_daylight_white=False),
)


def cleartext_copy(metadata: Metadata) -> Metadata:
    """Return the copy of the metadata that a protected picture shows without the key.

    Parameters
    ----------
    metadata : Metadata
        All metadata of the picture.

    Examples
    --------
    >>> cleartext_copy(Metadata(xmp=b"<x/>")) == Metadata()
    True
    """
    return Metadata(
        exif=write_orientation(read_orientation(metadata.exif)),
        icc=rewrite_profile(metadata.icc),
        resolution=_round_resolution(metadata.resolution),
    )


def rewrite_profile(profile: bytes | None) -> bytes | None:
    """Return a new profile of the same color space, or None if the color space is uncommon."""
    tags = None if profile is None else _parse_profile(profile)
    if profile is None or tags is None:
        return None
    names = _CURVE_TAGS.get(profile[16:20], ())
    curves = [_sample_curve(tags.get(name, b"")) for name in names]
    colorants = [
        _parse_xyz(tags.get(name, b"")) for name in _COLORANT_TAGS if profile[16:20] == b"RGB "
    ]
    if not names or any(part is None for part in (*curves, *colorants)):
        return None
    numbers = [number for colorant in colorants for number in colorant or ()]
    for color_space in _COLOR_SPACES:
        if len(color_space.colorants) != len(numbers):
            continue
        expected_curve = _compute_curve(color_space.parameters)
        has_same_curves = all(
            _are_close(curve, expected_curve, _CURVE_TOLERANCE) for curve in curves
        )
        if has_same_curves and _are_close(numbers, color_space.colorants, _COLORANT_TOLERANCE):
            return _make_profile(color_space)
    return None


def _are_close(numbers: object, expected: object, tolerance: float) -> bool:
    return np.allclose(np.asarray(numbers), np.asarray(expected), rtol=0.0, atol=tolerance)


def _round_resolution(resolution: Resolution | None) -> Resolution | None:
    """Return a resolution rounded to few digits, since more digits could carry hidden data.

    None is returned for a resolution out of range.
    """
    if resolution is None:
        return None
    columns = resolution.columns.limit_denominator(_MAX_DENOMINATOR)
    rows = resolution.rows.limit_denominator(_MAX_DENOMINATOR)
    if not all(0 < density <= _MAX_DENSITY for density in (columns, rows)):
        return None
    return Resolution(columns=columns, rows=rows, unit=resolution.unit)


def _parse_profile(profile: bytes) -> Mapping[bytes, bytes] | None:
    """Return the tags of a profile by name, or None if it is damaged or has tables of colors."""
    if not _PROFILE_HEADER.size + 4 <= len(profile) <= _PROFILE_LIMIT or profile[36:40] != b"acsp":
        return None
    count = int.from_bytes(profile[128:132], "big")
    table_end = 132 + count * _TAG_ENTRY.size
    if count > _MAX_TAGS or table_end > len(profile):
        return None
    entries = _TAG_ENTRY.iter_unpack(profile[132:table_end])
    tags = {name: profile[start : start + size] for name, start, size in entries}
    # Viewers prefer a table of colors (A2B0) to the matrix, which may then be a rough substitute.
    return None if b"A2B0" in tags else tags


def _parse_xyz(value: bytes) -> tuple[float, ...] | None:
    if len(value) != 20 or value[:4] != b"XYZ ":
        return None
    return tuple(number / _FIXED_POINT_ONE for number in struct.unpack(">3i", value[8:]))


def _sample_curve(value: bytes) -> NDArray[np.float64] | None:
    """Return the values of a curve at `_CURVE_INPUTS`, or None for an unknown kind of curve."""
    if value[:4] == b"para" and len(value) >= 12:
        kind, numbers = value[9], value[12:]
        count = {0: 1, 3: 5}.get(kind)  # kind 0 is an exponent only, kind 3 the curve of sRGB
        if count is None or len(numbers) != 4 * count:
            return None
        return _compute_curve(
            [number / _FIXED_POINT_ONE for number in struct.unpack(f">{count}i", numbers)]
        )
    count = int.from_bytes(value[8:12], "big")
    if value[:4] != b"curv" or len(value) != 12 + 2 * count:
        return None
    curve_points = np.frombuffer(value, dtype=">u2", offset=12)
    if count <= 1:
        return _compute_curve([curve_points[0] / 256 if count else 1.0])
    positions = np.linspace(0.0, 1.0, count)
    return np.interp(_CURVE_INPUTS, positions, curve_points / 0xFFFF)


def _compute_curve(parameters: Sequence[float]) -> NDArray[np.float64]:
    """Return the values of the curve with `_ColorSpace.parameters` at `_CURVE_INPUTS`."""
    gamma, scale, offset, slope, threshold = (*parameters, 1.0, 0.0, 0.0, 0.0)[:5]
    with np.errstate(all="ignore"):  # parameters from a hostile file may overflow
        powers = np.maximum(scale * _CURVE_INPUTS + offset, 0.0) ** gamma
        linear_values = slope * _CURVE_INPUTS
    return np.asarray(np.where(linear_values < slope * threshold, linear_values, powers))


def _make_profile(color_space: _ColorSpace) -> bytes:
    """Return an ICC profile of version 4, whose bytes depend only on the color space."""
    kind = b"RGB " if color_space.colorants else b"GRAY"
    numbers = [_pack_fixed_point(number) for number in color_space.parameters]
    curve = struct.pack(">4s4xHH", b"para", 3 if len(numbers) > 1 else 0, 0) + b"".join(numbers)
    tags = {
        b"desc": _encode_text(color_space.name),
        b"cprt": _encode_text("CC0"),
        b"wtpt": _encode_xyz(_D50_WHITE_POINT),
    }
    for name, start in zip(_COLORANT_TAGS, range(0, len(color_space.colorants), 3), strict=False):
        tags[name] = b"XYZ \0\0\0\0" + b"".join(
            map(_pack_fixed_point, color_space.colorants[start : start + 3])
        )
    tags |= dict.fromkeys(_CURVE_TAGS[kind], curve)
    if color_space.has_daylight_white:
        tags[b"chad"] = b"sf32\0\0\0\0" + b"".join(map(_pack_fixed_point, _ADAPTATION_MATRIX))
    entries, body = struct.pack(">I", len(tags)), b""
    body_start = _PROFILE_HEADER.size + len(entries) + len(tags) * _TAG_ENTRY.size
    for name, value in tags.items():
        position = body.find(value)  # tags with equal values share one copy
        if position < 0:
            position, body = len(body), body + value + bytes(-len(value) % 4)
        entries += _TAG_ENTRY.pack(name, body_start + position, len(value))
    header = _PROFILE_HEADER.pack(
        *(body_start + len(body), b"", 0x04300000, b"mntr", kind, b"XYZ "),
        *(2000, 1, 1, 0, 0, 0),  # a fixed date
        *(b"acsp", b"", 0, b"", b"", 0, 0, struct.pack(">3i", *_D50_WHITE_POINT), b"", b"", b""),
    )
    return header + entries + body


def _pack_fixed_point(number: float) -> bytes:
    return struct.pack(">i", round(number * _FIXED_POINT_ONE))


def _encode_xyz(numbers: tuple[int, ...]) -> bytes:
    return b"XYZ \0\0\0\0" + struct.pack(">3i", *numbers)


def _encode_text(text: str) -> bytes:
    data = text.encode("utf-16-be")
    return b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(data), 28) + data

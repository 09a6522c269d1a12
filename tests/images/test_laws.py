"""Reading a written PNG or TIFF restores everything except what is named as lost."""

import itertools
from fractions import Fraction
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.images import (
    Metadata,
    Picture,
    Resolution,
    decode_picture,
    encode_picture,
    find_unsupported_reason,
    lost_metadata,
)
from sudokucrypt.images.picture import METADATA_NAMES, Mode
from sudokucrypt.typing import AnyArray
from tests.images.builders import HEADER, noise

_CHANNELS: Final[dict[Mode, int]] = {"gray": 1, "gray-alpha": 2, "rgb": 3, "rgba": 4, "cmyk": 4}
_TIFF_TYPES = (
    *("uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64"),
)
SAMPLES: Final[dict[str, tuple[tuple[Mode, str], ...]]] = {
    "PNG": (
        ("gray", "bool"),
        *itertools.product(tuple(_CHANNELS)[:-1], ("uint8", "uint16")),
    ),
    "TIFF": tuple(itertools.product(_CHANNELS, ("bool", "uint8", "uint16", *_TIFF_TYPES))),
}
"""What the samples of a picture may be, by format."""

_SMALL_SIDES = st.integers(1, 9)
_HEADERS = (None, HEADER, HEADER + b"odd", HEADER + b"x" * (300_000 - len(HEADER)))
_EXIF = b"II*\0\x08\0\0\0\0\0"
_BLOBS = st.none() | st.binary(min_size=1, max_size=900)
_DENSITIES = st.builds(Fraction, st.integers(0, 2**40), st.integers(1, 2**40))
_RESOLUTIONS = st.builds(
    Resolution, columns=_DENSITIES, rows=_DENSITIES, unit=st.sampled_from(["inch", "meter", None])
)


def _make_pixels(rows: int, columns: int, channels: int, dtype: str) -> AnyArray:
    if dtype == "bool":
        return noise(rows, columns, channels) > 127
    if dtype.startswith("float"):
        return (noise(rows, columns, channels) - 99.5).astype(dtype)
    return noise(rows, columns, channels, dtype)


@st.composite
def _draw_picture(draw: st.DrawFn, file_format: str) -> Picture:
    """Return any picture that a format supports; EXIF of TIFF has tests of its own."""
    mode, dtype = draw(st.sampled_from(SAMPLES[file_format]))
    return Picture(
        pixels=_make_pixels(draw(_SMALL_SIDES), draw(_SMALL_SIDES), _CHANNELS[mode], dtype),
        mode=mode,
        format=file_format,
        metadata=Metadata(
            exif=None if file_format == "TIFF" else draw(_BLOBS | st.just(_EXIF)),
            icc=draw(_BLOBS),
            xmp=draw(_BLOBS),
            resolution=draw(st.none() | _RESOLUTIONS),
        ),
        header=draw(st.sampled_from(_HEADERS)),
    )


@pytest.mark.parametrize("file_format", SAMPLES)
@settings(max_examples=90, deadline=None)
@given(data=st.data(), compress=st.sampled_from([0, 1, 9]))
def test_written_pictures_are_read_unchanged(
    file_format: str, data: st.DataObject, compress: int
) -> None:
    """decode(encode(p)) == p except for `lost_metadata`, which are named."""
    picture = data.draw(_draw_picture(file_format))
    for written_picture in (picture, picture.reset_mode()):
        assert find_unsupported_reason(written_picture, file_format) is None
        decoded_picture = decode_picture(
            encode_picture(written_picture, file_format, compress=compress)
        )
        other_dtype = {"pixels": None, "metadata": None}
        assert vars(decoded_picture) | other_dtype == vars(written_picture) | other_dtype
        assert decoded_picture.pixels.dtype == written_picture.pixels.dtype
        assert decoded_picture.pixels.flags.c_contiguous
        assert decoded_picture.pixels.flags.writeable
        assert np.array_equal(decoded_picture.pixels, written_picture.pixels)
        _require_kept_or_lost(
            written_picture.metadata,
            decoded_picture.metadata,
            lost_metadata(written_picture, file_format),
        )


def _require_kept_or_lost(original: Metadata, kept: Metadata, lost: tuple[str, ...]) -> None:
    """Check that each field of metadata is unchanged or named as lost."""
    for name in ("exif", "icc", "xmp"):
        value = getattr(original, name)
        assert getattr(kept, name) == (None if METADATA_NAMES[name] in lost else value)
    assert (kept.resolution is None) == (original.resolution is None or "resolution" in lost)
    # A ratio is stored as whole numbers, and inches may be stored as meters.
    if kept.resolution and original.resolution and original.resolution.unit == "meter":
        for name in ("columns", "rows"):
            kept_density, exact = getattr(kept.resolution, name), getattr(original.resolution, name)
            assert abs(kept_density - exact) <= max(Fraction(1, 2), exact / 2)

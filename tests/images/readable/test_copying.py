"""The readable copy: EXIF, profile, XMP and resolution rebuilt, texts and native data never."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt.images import Metadata, Resolution, readable_copy
from sudokucrypt.images.tiff.directory import Field, Tree
from sudokucrypt.images.tiff.exif import build
from tests.images.builders import noise, saved
from tests.images.readable.test_packet import packet
from tests.images.readable.test_profile import SRGB

_EXIF = build("<", Tree({271: Field(2, b"Maker\0"), 274: Field(3, b"\6\0")}))
_XMP = packet("<xmp:Rating>3</xmp:Rating>")
_RESOLUTION = Resolution(columns=Fraction(300), rows=Fraction(600, 7), unit="inch")


def test_what_is_copied() -> None:
    """The copy holds the four fields that may be read, and is its own copy."""
    whole = Metadata(
        exif=_EXIF,
        icc=SRGB,
        xmp=_XMP,
        resolution=_RESOLUTION,
        texts=(("Comment", "a text"),),
        native=(("PNG gAMA", b"\0\0\xb1\x8f"),),
    )
    copy = readable_copy(whole)
    assert copy.exif == _EXIF
    assert copy.icc is not None
    assert b"<xmp:Rating>3</xmp:Rating>" in (copy.xmp or b"")
    assert copy.resolution == _RESOLUTION
    assert not copy.texts
    assert not copy.native
    assert readable_copy(copy) == copy
    assert readable_copy(Metadata()) == Metadata()


def test_a_field_with_a_picture_is_dropped() -> None:
    """Numbers that together are a picture are found in the whole field."""
    start = saved(noise(4, 4, 3), "GIF")[:8]
    with_picture = build("<", Tree({271: Field(2, b"Maker\0"), 282: Field(5, start)}))
    assert readable_copy(Metadata(exif=with_picture, xmp=_XMP)) == readable_copy(Metadata(xmp=_XMP))


@pytest.mark.parametrize(
    ("density", "copied"),
    [
        (Fraction(72), Fraction(72)),
        (Fraction(123456789, 1234567), Fraction(100)),
        (Fraction(0), None),
        (Fraction(10**9), None),
    ],
)
def test_resolutions_have_few_digits(density: Fraction, copied: Fraction | None) -> None:
    """Exact fractions could hold anything; a density is rounded, or dropped if it is none."""
    copy = readable_copy(
        Metadata(resolution=Resolution(columns=density, rows=density, unit=None))
    ).resolution
    if copied is None:
        assert copy is None
    else:
        assert copy is not None
        assert abs(copy.columns - copied) < 1
        assert copy.columns.denominator <= 10**4


@given(
    st.builds(
        Metadata,
        exif=st.none() | st.binary(max_size=99),
        icc=st.none() | st.binary(max_size=99),
        xmp=st.none() | st.binary(max_size=99),
        texts=st.lists(st.tuples(st.text(), st.text())).map(tuple),
        native=st.lists(st.tuples(st.text(), st.binary())).map(tuple),
    )
)
def test_any_bytes(metadata: Metadata) -> None:
    """Nothing is raised, and the copy is its own copy."""
    copy = readable_copy(metadata)
    assert readable_copy(copy) == copy

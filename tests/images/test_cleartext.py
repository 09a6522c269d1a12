"""The cleartext copy of metadata is generated from a few values, and contains no original byte."""

import io
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from sudokucrypt.images import Metadata, Resolution, cleartext_copy
from sudokucrypt.images.cleartext import rewrite_profile
from sudokucrypt.images.tiff.directory import (
    EXIF,
    SHORT,
    ByteOrder,
    Field,
    Tree,
    build_exif_block,
    numbers,
)
from tests.images.profiles import SRGB, assemble_profile, read_tags

_SECRET = bytes(range(7, 47))
_XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"

# X, Y and Z of red, green and blue for D50, by Bruce Lindbloom, http://www.brucelindbloom.com
_PUBLISHED_COLORANTS = {
    "sRGB": [0.4360747, 0.2225045, 0.0139322, 0.3850649, 0.7168786, 0.0971045,
             0.1430804, 0.0606169, 0.7141733],
    "Adobe RGB (1998)": [0.6097559, 0.3111242, 0.0194811, 0.2052401, 0.6256560, 0.0608902,
                         0.1492240, 0.0632197, 0.7448387],
    "ProPhoto RGB": [0.7976749, 0.2880402, 0.0, 0.1351917, 0.7118741, 0.0,
                     0.0313534, 0.0000857, 0.8252100],
}  # fmt: skip


def _make_xyz(*values: float) -> bytes:
    return b"XYZ " + bytes(4) + struct.pack(">3i", *(round(value * 65536) for value in values))


def _make_curve_table(curve_points: object) -> bytes:
    values = np.asarray(curve_points).astype(">u2")
    return b"curv" + bytes(4) + struct.pack(">I", values.size) + values.tobytes()


def _make_profile(name: str, curve: bytes) -> bytes:
    """Return a profile of a color space as a camera or program may write it, with private tags."""
    values = _PUBLISHED_COLORANTS[name]
    colorants = {
        f"{c}XYZ".encode(): _make_xyz(*values[3 * i : 3 * i + 3]) for i, c in enumerate("rgb")
    }
    curves = dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), curve)
    private = {b"prvt": b"data" + bytes(4) + _SECRET}
    return assemble_profile({**read_tags(SRGB), **colorants, **curves, **private}, end=_SECRET)


def _make_gray_profile(curve: bytes) -> bytes:
    tags = {
        b"desc": b"text" + bytes(4) + _SECRET,
        b"wtpt": _make_xyz(0.9642, 1, 0.8249),
        b"kTRC": curve,
    }
    data = assemble_profile(tags)
    return data[:16] + b"GRAY" + data[20:]


_GAMMA_2_2 = b"curv" + bytes(4) + struct.pack(">IH", 1, 0x0233)  # as in Adobe's profile
_CURVE_INPUTS = np.arange(4096) / 4095
_SRGB_POINTS = (
    np.where(
        _CURVE_INPUTS <= 0.04045, _CURVE_INPUTS / 12.92, ((_CURVE_INPUTS + 0.055) / 1.055) ** 2.4
    )
    * 65535
)


@pytest.mark.parametrize(
    ("profile", "name"),
    [
        (SRGB, "sRGB"),
        (_make_profile("sRGB", _make_curve_table(_SRGB_POINTS)), "sRGB"),
        (_make_profile("Adobe RGB (1998)", _GAMMA_2_2), "Adobe RGB (1998)"),
        (
            _make_profile("ProPhoto RGB", _make_curve_table(_CURVE_INPUTS**1.8 * 65535)),
            "ProPhoto RGB",
        ),
        (_make_gray_profile(_GAMMA_2_2), "Gray, gamma 2.2"),
        (_make_gray_profile(_make_curve_table(_SRGB_POINTS)), "Gray, curve of sRGB"),
        (
            _make_gray_profile(b"para" + bytes(8) + struct.pack(">i", round(1.8 * 65536))),
            "Gray, gamma 1.8",
        ),
    ],
)
def test_usual_profiles_are_rewritten(profile: bytes, name: str) -> None:
    """A profile of a usual color space gets a copy that depends only on the color space."""
    copy = rewrite_profile(profile)
    assert copy is not None
    assert rewrite_profile(copy) == copy
    assert _SECRET[:8] not in copy
    opened_profile = ImageCms.ImageCmsProfile(io.BytesIO(copy))
    assert ImageCms.getProfileDescription(opened_profile).strip() == name
    if name == "sRGB":
        assert copy == rewrite_profile(SRGB)


def test_rewritten_profiles_give_equal_colors() -> None:
    """Converting from LittleCMS's sRGB to our sRGB profile changes no sample by more than 1."""
    copy = rewrite_profile(SRGB)
    assert copy is not None
    samples = np.random.default_rng(5).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    transform = ImageCms.buildTransform(io.BytesIO(SRGB), io.BytesIO(copy), "RGB", "RGB")
    converted = ImageCms.applyTransform(Image.fromarray(samples), transform)
    assert converted is not None
    assert np.abs(np.asarray(converted).astype(int) - samples).max() <= 1


def _change_profile(tags: dict[bytes, bytes]) -> bytes:
    return assemble_profile({**read_tags(SRGB), **tags})


@pytest.mark.parametrize(
    "profile",
    [
        b"", SRGB[:131], SRGB[:36] + b"none" + SRGB[40:], SRGB[:128] + b"\0\0\1\0" + SRGB[132:],
        SRGB[:16] + b"CMYK" + SRGB[20:], SRGB + bytes(4 * 2**20),
        _change_profile({b"A2B0": b"mft2" + _SECRET}),
        _change_profile({b"rXYZ": _make_xyz(0.45, 0.2225, 0.0139)}),
        _change_profile({b"rXYZ": b"XYZ " + bytes(8)}),
        _change_profile({b"rTRC": _GAMMA_2_2}),
        _change_profile({b"rTRC": _make_curve_table([0, 9, 3, 12])}),
        _change_profile({b"rTRC": _make_curve_table([0, 9]) + b"\0"}),
        _change_profile({b"rTRC": b"curv" + bytes(8)}),
        _change_profile({b"rTRC": b"para" + bytes(4) + b"\0\x03\0\0" + b"\x7f" * 20}),
        _change_profile({b"rTRC": b"para" + bytes(4) + b"\0\0\0\0" + struct.pack(">i", -65536)}),
        _change_profile({b"rTRC": b"para" + bytes(4) + b"\0\1\0\0" + bytes(12)}),
    ],
)  # fmt: skip
def test_other_profiles_have_no_copy(profile: bytes) -> None:
    """Profiles with color tables, other primaries or curves, or damage get no copy."""
    assert rewrite_profile(profile) is None


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("orientation", range(11))
def test_only_the_orientation_of_exif_is_copied(orientation: int, order: ByteOrder) -> None:
    """The copy of EXIF has only the orientation tag; an upright picture has no copy."""
    tree = Tree(
        {274: numbers(SHORT, orientation, order=order), 271: Field(2, b"Maker\0")},
        {EXIF: Tree({37500: Field(7, _SECRET)})},
    )
    copy = cleartext_copy(Metadata(exif=build_exif_block(order, tree))).exif
    expected = build_exif_block("<", Tree({274: numbers(SHORT, orientation, order="<")}))
    assert copy == (expected if 2 <= orientation <= 8 else None)


@pytest.mark.parametrize(
    ("density", "expected"),
    [
        (Fraction(72), Fraction(72)),
        (Fraction(123456789, 1234567), Fraction(9999, 100)),
        (Fraction(0), None),
        (Fraction(10**9), None),
    ],
)
def test_resolutions_are_rounded(density: Fraction, expected: Fraction | None) -> None:
    """The copy of a resolution has few digits, and there is no copy of an invalid one."""
    resolution = Resolution(columns=density, rows=density, unit="inch")
    copy = cleartext_copy(Metadata(resolution=resolution)).resolution
    assert (copy is None) == (expected is None)
    if copy is not None and expected is not None:
        assert abs(copy.columns - expected) < Fraction(1, 50)
        assert copy.columns.denominator <= 10**4
        assert (copy.rows, copy.unit) == (copy.columns, "inch")


def test_xmp_has_no_copy() -> None:
    """The cleartext copy of XMP is empty."""
    assert cleartext_copy(Metadata(xmp=_XMP)) == Metadata()


@settings(max_examples=30)
@given(exif=st.binary(max_size=99), icc=st.binary(max_size=99), data=st.data())
def test_damaged_metadata_raise_nothing(exif: bytes, icc: bytes, data: st.DataObject) -> None:
    """Randomly changed EXIF and profiles raise no error, and a copy of the copy is equal."""
    profile = bytearray(SRGB)
    for _ in range(data.draw(st.integers(1, 6))):
        profile[data.draw(st.integers(4, len(profile) - 1))] = data.draw(st.integers(0, 255))
    for damaged_profile in (icc, bytes(profile)):
        copy = cleartext_copy(Metadata(exif=b"II*\0" + exif, icc=damaged_profile))
        assert cleartext_copy(copy) == copy

"""Of a color profile the tags of matrix and curve profiles are copied, and no others."""

import io
import struct
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from sudokucrypt.images.cleartext.profile import cleartext_profile
from tests.images.profiles import SRGB, assembled, tags_of

_SECRET = bytes(range(7, 47))


def _curve(points: object) -> bytes:
    values = np.asarray(points, dtype=">u2")
    return b"curv" + bytes(4) + struct.pack(">I", values.size) + values.tobytes()


def test_a_profile_of_littlecms_is_copied() -> None:
    """The tags are the same, the copy is its own copy, and it gives the same colors."""
    copy = cleartext_profile(SRGB)
    assert copy is not None
    assert tags_of(copy).keys() == tags_of(SRGB).keys()
    assert cleartext_profile(copy) == copy
    image = Image.fromarray(np.random.default_rng(5).integers(0, 256, (9, 9, 3), dtype=np.uint8))
    lab = ImageCms.createProfile("LAB")
    shown = [
        ImageCms.applyTransform(
            image, ImageCms.buildTransform(io.BytesIO(profile), lab, "RGB", "LAB")
        )
        for profile in (SRGB, copy)
    ]
    first, second = shown
    assert first is not None
    assert second is not None
    assert first.tobytes() == second.tobytes()


def test_nothing_else_is_copied() -> None:
    """Private tags, tables of colors, and bytes between and behind the values are gone."""
    tables = {name: b"mft2" + bytes(4) + _SECRET for name in (b"A2B0", b"B2A0", b"gamt")}
    tags = {**tags_of(SRGB), b"zzzz": b"data" + bytes(4) + _SECRET, **tables}
    private = {**tags, b"targ": b"text" + bytes(4) + b"a target\0"}
    plain = cleartext_profile(SRGB)
    assert plain is not None
    assert cleartext_profile(assembled(private, gap=_SECRET, end=_SECRET)) == plain


@pytest.mark.parametrize(
    ("place", "data"),
    [(4, b"\1\2\3\4"), (40, b"\xff\xd8\xff\xe0"), (48, _SECRET[:16]), (80, _SECRET)],
)
def test_the_header_is_rebuilt(place: int, data: bytes) -> None:
    """Names that are none, the checksum, and the reserved bytes are zeros."""
    profile = SRGB[:place] + data + SRGB[place + len(data) :]
    copy = cleartext_profile(profile)
    assert copy is not None
    assert not any(copy[place : place + len(data) - 8])
    assert not any(copy[84:128])


@pytest.mark.parametrize(
    ("signature", "value"),
    [
        (b"rTRC", _curve([0, 9, 3, 12])),  # it turns
        (b"rTRC", _curve(range(5000))),  # too many points
        (b"rTRC", _curve([0, 9]) + b"\0"),
        (b"rTRC", b"para" + bytes(4) + b"\0\x09\0\0" + bytes(4)),
        (b"rTRC", b"para" + bytes(4) + b"\0\0\0\0" + b"\x7f" * 4),
        (b"rXYZ", b"XYZ " + bytes(4) + b"\x7f" * 12),
        (b"rXYZ", b"XYZ " + bytes(16) + _SECRET),
        (b"desc", b"text" + bytes(4) + _SECRET + b"\0"),
        (b"wtpt", b"????" + bytes(16)),
        (b"wtpt", b""),
    ],
)
def test_a_profile_without_meaning_is_not_copied(signature: bytes, value: bytes) -> None:
    """Where a tag that the colors need is bad, there is no copy."""
    assert cleartext_profile(assembled({**tags_of(SRGB), signature: value})) is None


@pytest.mark.parametrize(
    ("value", "copied"),
    [
        (b"text" + bytes(4) + b"CC0\0" + _SECRET, b"text" + bytes(4) + b"CC0\0"),
        (b"text" + bytes(4) + b"/9j/4AAQ" * 20, None),
        (b"text" + bytes(4) + b"x " * 600, None),
        (
            b"desc" + bytes(4) + struct.pack(">I", 4) + b"CC0\0" + _SECRET * 2,
            b"desc" + bytes(4) + struct.pack(">I", 4) + b"CC0\0" + bytes(78),
        ),
        (b"desc" + bytes(4) + struct.pack(">I", 400) + b"CC0\0", None),
        (b"mluc" + bytes(4), None),
        (b"mluc" + bytes(4) + struct.pack(">II2s2sII", 1, 12, b"en", b"US", 400, 28), None),
        (
            b"mluc" + bytes(4) + struct.pack(">II2s2sII", 1, 12, b"en", b"US", 2, 29)
            + _SECRET[:1] + "x".encode("utf-16-be") + _SECRET,
            b"mluc" + bytes(4) + struct.pack(">II2s2sII", 1, 12, b"en", b"US", 2, 28)
            + "x".encode("utf-16-be"),
        ),
    ],
)  # fmt: skip
def test_texts_are_rebuilt(value: bytes, copied: bytes | None) -> None:
    """Of a text nothing but one text is copied; a bad one is left out."""
    copy = cleartext_profile(assembled({**tags_of(SRGB), b"cprt": value}))
    assert copy is not None
    assert tags_of(copy).get(b"cprt") == copied


def test_gray_profiles() -> None:
    """A profile of one curve is copied, one of tables alone is not."""
    tags = {
        name: value for name, value in tags_of(SRGB).items() if name[1:] not in (b"XYZ", b"TRC")
    }
    gray = assembled({**tags, b"kTRC": _curve(np.arange(0, 65536, 16))})
    gray = gray[:16] + b"GRAY" + gray[20:]
    copy = cleartext_profile(gray)
    assert copy is not None
    assert b"kTRC" in tags_of(copy)
    inks = assembled({**tags, b"A2B0": b"mft2" + _SECRET})
    assert cleartext_profile(inks[:16] + b"CMYK" + inks[20:]) is None


@pytest.mark.parametrize(
    ("signature", "kind", "layout", "good", "bad"),
    [
        (b"meas", b"meas", ">I3iIII", (1, 9, 9, 9, 2, 65536, 8),
         [{0: 3}, {1: 2**20}, {3: -(2**20)}, {4: 3}, {5: 65537}, {6: 9}]),
        (b"view", b"view", ">6iI", (1, 2, 3, 4, 5, 6, 8), [{0: 2**31 - 1}, {5: -(2**31)}, {6: 9}]),
        (b"chrm", b"chrm", ">HH6I", (3, 4, *[65536] * 6), [{0: 2}, {1: 5}, {2: 65537}, {7: 65537}]),
        (b"calt", b"dtim", ">6H", (2026, 12, 31, 23, 59, 59), [{0: 10000}, {1: 13}, {5: 60}]),
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_dropped(
    signature: bytes, kind: bytes, layout: str, good: tuple[int, ...], bad: list[dict[int, int]]
) -> None:
    """Values that may be missing are copied if every number is one that it can be."""

    def copied(numbers: Sequence[int]) -> bool:
        value = kind + bytes(4) + struct.pack(layout, *numbers)
        copy = cleartext_profile(assembled({**tags_of(SRGB), signature: value}))
        assert copy is not None
        return tags_of(copy).get(signature) == value

    assert copied(good)
    for change in bad:
        assert not copied([change.get(place, number) for place, number in enumerate(good)]), change


@settings(max_examples=60)
@given(st.data())
def test_damaged_profiles(data: st.DataObject) -> None:
    """Whatever bytes are changed, nothing is raised, and the copy is its own copy."""
    profile = bytearray(SRGB)
    for _ in range(data.draw(st.integers(1, 6))):
        profile[data.draw(st.integers(4, len(profile) - 1))] = data.draw(st.integers(0, 255))
    copy = cleartext_profile(bytes(profile))
    assert cleartext_profile(copy) == copy


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_any_bytes(head: bytes, rest: bytes) -> None:
    """Nothing is raised by bytes that are no profile."""
    assert cleartext_profile(head) is None
    profile = struct.pack(">I", 128 + len(rest)) + SRGB[4:128] + rest
    assert cleartext_profile(profile) is None

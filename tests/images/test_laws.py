"""The law of every format that is written: what is read again, and what is left over, is all."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.images import (
    Animation,
    Frame,
    FrameControl,
    Metadata,
    Palette,
    Picture,
    Resolution,
    decode_picture,
    encode_picture,
    unsupported_metadata,
    unsupported_reason,
)
from sudokucrypt.typing import AnyArray
from tests.images.builders import HEADER, noise

_CHANNELS = {"gray": 1, "palette": 1, "gray-alpha": 2, "rgb": 3, "rgba": 4, "cmyk": 4}
_FEW_BITS = {"bool": 1, "bits2": 2, "bits4": 4}
_NUMBERS = (*_FEW_BITS, "uint8", "uint16")
_LARGE = (
    *("uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64"),
)
SAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "PNG": (
        *itertools.product(("gray",), _NUMBERS),
        *itertools.product(("palette",), _NUMBERS[:-1]),
        *itertools.product(("gray-alpha", "rgb", "rgba"), ("uint8", "uint16")),
    ),
    "TIFF": tuple(
        itertools.product(("gray", "gray-alpha", "rgb", "rgba", "cmyk"), (*_NUMBERS, *_LARGE))
    ),
    "WebP": (("rgb", "uint8"), ("rgba", "uint8")),
    "GIF": (("palette", "uint8"),),
}
"""What the samples of a frame may be, by format."""

_SMALL, _LOOPS = st.integers(1, 9), st.integers(0, 65535)
ANIMATIONS: dict[str, st.SearchStrategy[Animation | None]] = {
    "PNG": st.none(),
    "TIFF": st.none(),
    "WebP": st.builds(
        Animation,
        rows=st.just(99),
        columns=st.just(2**24),
        loops=_LOOPS,
        background=st.none() | st.binary(min_size=4, max_size=4).filter(any),
    ),
    "GIF": st.builds(
        Animation,
        rows=st.just(7),
        columns=st.just(65535),
        loops=st.none() | _LOOPS,
        background=st.none() | st.binary(min_size=2, max_size=2).filter(any),
        palette=st.just(Palette(colors=noise(1, 24, 1).tobytes())),
    ),
}
# Units of a delay and the most of them, numbers of disposals and blends.
_TIMINGS = {"WebP": (1000, 2**24 - 1, 2, 2), "GIF": (100, 65535, 8, 1)}

_HEADERS = (None, HEADER, HEADER + b"odd", HEADER + b"x" * (300_000 - len(HEADER)))
_EXIF = b"II*\0\x08\0\0\0\0\0"
# A table of all characters takes seconds to make: these few are of every kind that matters.
_LETTERS = st.text("a é€😀\n\0\x7f\xa0\ud800", max_size=20)
_KEYWORDS = st.sampled_from(["Description", "Author", "Comment", "Title"]) | _LETTERS
_BLOBS = st.none() | st.binary(min_size=1, max_size=900)
_SIDES = st.builds(Fraction, st.integers(0, 2**40), st.integers(1, 2**40))
_RESOLUTIONS = st.builds(
    Resolution, columns=_SIDES, rows=_SIDES, unit=st.sampled_from(["inch", "meter", None])
)
_PNG_KINDS = ("gAMA", "prVt", "prVt behind", "zTXt", "tIME", "sPLT")
_NATIVE = {
    "PNG": st.tuples(
        st.sampled_from(["gAMA", "prVt", "prVt behind", "zTXt", "tIME", "sPLT"]).map(
            "PNG {}".format
        ),
        st.binary(max_size=9),
    ),
    "TIFF": st.tuples(
        st.integers(0, 70000).map("TIFF {}".format)
        | st.sampled_from(["TIFF 301", "TIFF 280", "TIFF 333", "TIFF 270"]),
        st.builds(lambda kind, data: bytes([kind, 0]) + data, st.integers(0, 20), st.binary()),
    ),
    "WebP": st.nothing(),
    "GIF": st.sampled_from([("GIF comment", b"\xff"), ("GIF application", b"\3abc\0")]),
}
"""What only one format understands, and may be a wish that it does not grant."""


@st.composite
def _metadata(draw: st.DrawFn, file_format: str) -> Metadata:
    """Anything; a TIFF takes EXIF apart, which has tests of its own."""
    foreign = st.just(("TIFF 40000" if file_format == "PNG" else "PNG gAMA", b"\3\0\1\0"))
    texts = st.tuples(_KEYWORDS, _LETTERS)
    return Metadata(
        exif=None if file_format == "TIFF" else draw(_BLOBS | st.just(_EXIF)),
        icc=draw(_BLOBS),
        xmp=draw(_BLOBS),
        resolution=draw(st.none() | _RESOLUTIONS),
        texts=tuple(draw(st.lists(texts, max_size=3))),
        native=tuple(draw(st.lists(_NATIVE[file_format] | foreign, max_size=4))),
    )


def _pixels(rows: int, columns: int, channels: int, dtype: str) -> AnyArray:
    if dtype in _FEW_BITS:
        levels = noise(rows, columns, channels) >> (8 - _FEW_BITS[dtype])
        return levels.astype(bool) if dtype == "bool" else levels
    if dtype.startswith("float"):
        return (noise(rows, columns, channels) - 99.5).astype(dtype)
    return noise(rows, columns, channels, dtype)


@st.composite
def _frame(draw: st.DrawFn, file_format: str, index: int) -> Frame:
    mode, dtype = draw(st.sampled_from(SAMPLES[file_format]))
    bits = _FEW_BITS[dtype] if dtype.startswith("bits") else None
    pixels = _pixels(draw(_SMALL) + 9 * (index % 2), draw(_SMALL), _CHANNELS[mode], dtype)
    fields: dict[str, Any] = {"pixels": pixels, "mode": mode, "bits": bits}
    if mode == "palette":
        colors = 2 ** draw(st.integers(1, 8))
        alphas = draw(st.binary(max_size=colors)) if file_format == "PNG" else b""
        fields["palette"] = Palette(colors=noise(1, 3 * colors, 1).tobytes(), alphas=alphas)
    if file_format == "GIF":
        fields |= {"transparent": draw(st.none() | st.tuples(st.integers(0, 255)))}
        fields |= {"palette": draw(st.sampled_from([None, fields["palette"]]))}
    elif file_format == "PNG" and mode in ("gray", "rgb"):
        color = st.integers(0, 2 ** _FEW_BITS.get(dtype, 8 * pixels.itemsize) - 1)
        fields["transparent"] = draw(st.none() | st.tuples(*[color] * _CHANNELS[mode]))
    if file_format in _TIMINGS:
        unit, most, disposals, blends = _TIMINGS[file_format]
        fields |= {"row": 2 * index, "column": 65534 - 2 * index}
        fields["showing"] = FrameControl(
            duration=Fraction(draw(st.integers(0, most)), unit),
            disposal=draw(st.integers(0, disposals - 1)),
            blend=draw(st.integers(0, blends - 1)),
        )
    if index == 0 or file_format != "WebP":  # which has one place for those of all frames
        fields["metadata"] = draw(_metadata(file_format))
    return Frame(**fields)


@st.composite
def _pictures(draw: st.DrawFn, file_format: str) -> Picture:
    count = 1 if file_format == "PNG" else draw(st.integers(1, 3))
    return Picture(
        frames=tuple(draw(_frame(file_format, index)) for index in range(count)),
        format=file_format,
        animation=draw(ANIMATIONS[file_format]),
        header=draw(st.sampled_from(_HEADERS)),
    )


@pytest.mark.parametrize("file_format", SAMPLES)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), compress=st.sampled_from([0, 1, 9]))
def test_what_comes_back_and_what_is_left_over(
    file_format: str, data: st.DataObject, compress: int
) -> None:
    """decode(encode(p)) == p but for `unsupported_metadata`, and so it is without meaning."""
    picture = data.draw(_pictures(file_format))
    # Plain grays become a GIF with a palette of grays.
    for form in (picture, picture.samples_only())[: 1 if file_format == "GIF" else 2]:
        assert unsupported_reason(form, file_format) is None
        back = decode_picture(encode_picture(form, file_format, compress=compress))
        assert (back.animation, back.header, back.dropped) == (form.animation, form.header, ())
        for before, after in zip(form.frames, back.frames, strict=True):
            same = {"pixels": None, "metadata": None}
            assert vars(before) | same == vars(after) | same
            assert before.pixels.dtype == after.pixels.dtype
            assert after.pixels.flags.c_contiguous
            assert after.pixels.flags.writeable
            assert np.array_equal(before.pixels, after.pixels)
            rest = unsupported_metadata(before, file_format, header=form.header is not None)
            _require_all(before.metadata, after.metadata, rest, ordered=file_format != "TIFF")


def _require_all(original: Metadata, kept: Metadata, rest: Metadata, *, ordered: bool) -> None:
    """Check that each thing was kept or is left over, and none of them changed."""
    for name in ("exif", "icc", "xmp"):
        assert [x for m in (kept, rest) if (x := getattr(m, name))] == [
            x for x in (getattr(original, name),) if x
        ]
    for name in ("texts", "native"):
        items, left = list(getattr(original, name)), getattr(rest, name)
        result = list(getattr(kept, name))
        assert sorted([*result, *left]) == sorted(items)
        if ordered and name == "texts":
            assert result == [item for item in items if item not in left]
    assert (kept.resolution is None) != (original.resolution is not None and not rest.resolution)
    # A ratio becomes whole numbers, and inches may become meters.
    if kept.resolution and original.resolution and original.resolution.unit == "meter":
        for name in ("columns", "rows"):
            near, exact = getattr(kept.resolution, name), getattr(original.resolution, name)
            assert abs(near - exact) <= max(Fraction(1, 2), exact / 2)

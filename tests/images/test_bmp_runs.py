"""Run lengths of BMP: what the codes say, as Pillow reads them."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.errors import InvalidImageError, SudokucryptError
from sudokucrypt.images import decode_picture
from tests.images.builders import bmp, opened

_COLORS = b"".join(bytes([n, 255 - n, 7 * n % 256, 0]) for n in range(256))


def _file(codes: bytes, bits: int, columns: int, rows: int) -> bytes:
    return bmp(
        bits,
        codes,
        columns=columns,
        rows=rows,
        compression=1 if bits == 8 else 2,
        extra=_COLORS[: 4 * 2**bits],
    )


def _literal(samples: list[int], bits: int) -> bytes:
    """Pixels as they are, filled up to two bytes."""
    body = bytes(samples)
    if bits == 4:
        pairs = [*samples, 0][: len(samples) + len(samples) % 2]
        body = bytes(a << 4 | b for a, b in zip(pairs[::2], pairs[1::2], strict=True))
    return bytes([0, len(samples)]) + body + b"\0" * (len(body) % 2)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from([4, 8]), st.integers(1, 40), st.integers(1, 6))
def test_rows_come_back(data: st.DataObject, bits: int, columns: int, rows: int) -> None:
    """Runs and literal pixels in any mixture make the rows that Pillow makes."""
    codes = b""
    expected = np.zeros((rows, columns), np.uint8)
    for row in expected[::-1]:
        column = 0
        while column < columns:
            left = columns - column
            if left > 2 and data.draw(st.booleans()):
                size = data.draw(st.integers(3, left))
                samples = data.draw(
                    st.lists(st.integers(0, 2**bits - 1), min_size=size, max_size=size)
                )
                codes += _literal(samples, bits)
            else:
                size = data.draw(st.integers(1, left))
                color = data.draw(st.integers(0, 255))
                both = [color, color] if bits == 8 else [color >> 4, color & 15]
                samples = (both * size)[:size]
                codes += bytes([size, color])
            row[column : column + size] = samples
            column += size
        codes += b"\0\0"
    file = _file(codes + b"\0\1", bits, columns, rows)
    frame = decode_picture(file).frames[0]
    assert np.array_equal(frame.pixels, expected)
    assert frame.depth == bits
    assert np.array_equal(frame.pixels, opened(file))


@pytest.mark.parametrize("bits", [4, 8])
def test_moves_and_short_rows(bits: int) -> None:
    """Pixels that are passed over are 0, and runs that leave a row are cut, as in Pillow."""
    for codes in (
        b"\1\x11\0\2\3\1\2\x22\0\0\1\x33\0\0\0\1",
        b"\0\2\0\2\5\x33\0\1",
        b"\7\x11\0\0\7\x22\0\0\7\x33\0\0\0\1",
        b"\1\x12\1\x34\1\x56\0\0" * 3,
    ):
        file = _file(codes, bits, 5, 3)
        assert np.array_equal(decode_picture(file).pixels, opened(file))


def test_empty_rows() -> None:
    """A row may end before it began; Pillow takes such a row for none."""
    pixels = decode_picture(_file(b"\2\x11\0\0\0\0\1\x11\0\0\0\1", 8, 5, 3)).pixels
    assert pixels.tolist() == [[17, 0, 0, 0, 0], [0] * 5, [17, 17, 0, 0, 0]]


@pytest.mark.parametrize(
    "codes", [b"", b"\5\1\0\1", b"\1", b"\1\1", b"\0", b"\0\5\1", b"\0\2\1", b"\5\1\0\0" * 2]
)
@pytest.mark.parametrize("bits", [4, 8])
def test_codes_that_stop_too_early(bits: int, codes: bytes) -> None:
    """A picture whose codes do not reach its last row is not filled up."""
    with pytest.raises(InvalidImageError, match="damaged"):
        decode_picture(_file(codes, bits, 5, 3))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([4, 8]))
def test_any_codes(codes: bytes, bits: int) -> None:
    """No codes lead out of the picture or to a foreign error."""
    with suppress(SudokucryptError):
        assert decode_picture(_file(codes, bits, 7, 5)).pixels.shape == (5, 7)


def test_endless_codes() -> None:
    """Codes that go nowhere are given up after as many as a picture can need."""
    with pytest.raises(InvalidImageError):
        decode_picture(_file(b"\0\2\0\0" * 10**6, 8, 5, 3))

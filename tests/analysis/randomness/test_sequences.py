"""Test the summary of many sequences, and conversions of bits."""

import re
import subprocess
import sys
from dataclasses import replace
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import InvalidParameterError, KeyStream
from sudokucrypt.analysis import randomness as nist
from sudokucrypt.analysis.randomness.bit_sequences import (
    check_bits,
    count_window_values,
    list_window_values,
)


def make_result(p_value: float, *, level: float = 0.01) -> nist.RandomnessResult:
    return replace(nist.runs([0, 1] * 60), p_values=(p_value,), level=level)


def test_proportion_and_interval() -> None:
    """996 of 1000 passing sequences have the proportion and interval of section 4.2.1."""
    (row,) = nist.summarize_sequences([[make_result(0.005 if k < 4 else 0.5)] for k in range(1000)])
    assert (row.sequences, row.proportion, row.inside) == (1000, 0.996, True)
    assert (row.lower, row.upper) == pytest.approx((0.99 - 0.0094392, 0.99 + 0.0094392), abs=1e-6)
    (row,) = nist.summarize_sequences([[make_result(0.01)], [make_result(0.0099)]])
    assert row.proportion == 0.5  # the level itself passes
    # The probability of such a low proportion is the lower tail of the binomial distribution.
    (row,) = nist.summarize_sequences([[make_result(0.005 if k < 4 else 0.5)] for k in range(100)])
    tail = sum(comb(100, k) * 0.01**k * 0.99 ** (100 - k) for k in range(4, 101))
    assert row.proportion_p_value == pytest.approx(tail)
    assert row.inside is False
    assert row.lower == pytest.approx(0.99 - 3 * sqrt(0.01 * 0.99 / 100))


def test_only_even_p_values_are_uniform() -> None:
    """Even p-values are uniform, equal ones are not, and 54 are too few to test."""
    even = [[make_result((k + 0.5) / 60)] for k in range(60)]
    (row,) = nist.summarize_sequences(even)
    assert (row.uniformity, row.uniform) == (1.0, True)
    (row,) = nist.summarize_sequences([[make_result(1.0)]] * 55)
    assert row.uniform is False
    (row,) = nist.summarize_sequences(even[:54])
    assert (row.uniformity, row.uniform) == (None, None)


def test_untried_tests_do_not_count_and_levels_must_agree() -> None:
    """Sequences too short for a test do not count in its row; different levels are refused."""
    rows = nist.summarize_sequences([[nist.frequency([1, 0])], [nist.frequency([1, 0] * 60)]])
    assert [(row.name, row.sequences) for row in rows] == [("frequency", 1)]
    assert nist.summarize_sequences([]) == ()
    with pytest.raises(InvalidParameterError, match="different levels"):
        nist.summarize_sequences([[make_result(0.5)], [make_result(0.5, level=0.05)]])


@pytest.mark.slow
def test_generators_pass_together() -> None:
    """100 random sequences and 100 key streams have no unlikely row."""
    rng = np.random.default_rng(8)
    keys = (KeyStream(key.to_bytes(32, "big")) for key in range(100))
    for sequences in (
        (rng.integers(0, 256, 4864, dtype=np.uint8).tobytes() for _ in range(100)),
        (nist.bits_from_stream(key, 38_912) for key in keys),
    ):
        rows = nist.summarize_sequences(nist.run_nist_tests(bits) for bits in sequences)
        assert len(rows) == 21
        assert len(rows) * min(row.proportion_p_value for row in rows) > 0.01
        assert all(row.uniform for row in rows if row.name != "matrix_rank")
        assert sum(row.inside for row in rows) >= 19  # 0.018 of rows are outside by chance


@settings(max_examples=25)
@given(st.binary(min_size=1))
def test_bytes_come_back(data: bytes) -> None:
    """Bytes are packed again unchanged, and `bit_text` is the number in base 2."""
    for given_as in (data, bytearray(data), memoryview(data)):
        assert nist.packed_bits(given_as) == data
    assert int(nist.bit_text(data), 2) == int.from_bytes(data, "big")
    assert len(nist.bit_text(data)) == 8 * len(data)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 1), min_size=3, max_size=40), st.integers(1, 3))
def test_windows_equal_substrings_of_the_bits(bits: list[int], width: int) -> None:
    """Windows equal substrings of the bits; a circular sequence has one for each bit."""
    again = check_bits(nist.packed_bits(bits))
    assert again.tolist() == bits + [0] * (-len(bits) % 8)
    text = "".join(map(str, bits))
    plain = [int(text[start : start + width], 2) for start in range(len(text) - width + 1)]
    assert list_window_values(check_bits(bits), width).tolist() == plain
    ring = [int((text + text)[start : start + width], 2) for start in range(len(text))]
    for circular, values in ((False, plain), (True, ring)):
        counts = count_window_values(check_bits(bits), width, circular=circular)
        assert counts.tolist() == np.bincount(values, minlength=2**width).tolist()


def test_bits_of_images_are_those_of_their_samples() -> None:
    """Samples give 8, 16 or 1 bits each, the highest first, in C order."""
    gray = np.array([[1, 128], [255, 0]], dtype=np.uint8)
    assert nist.packed_bits(nist.bits_from_image(gray)) == gray.tobytes()
    deep = np.array([[258, 3]], dtype=np.uint16)
    assert nist.packed_bits(nist.bits_from_image(deep)) == bytes([1, 2, 0, 3])
    assert nist.bits_from_image(gray > 1).tolist() == [0, 1, 1, 0]
    assert nist.bits_from_image(deep[:, 1:], levels=1024).tolist() == [0] * 8 + [1, 1]
    color = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    assert nist.packed_bits(nist.bits_from_image(color)) == color.tobytes()


def test_successive_reads_continue_a_stream() -> None:
    """Successive reads from one stream continue at the next whole byte."""
    stream, same = KeyStream(bytes(32)), KeyStream(bytes(32))
    first, second = nist.bits_from_stream(stream, 12), nist.bits_from_stream(stream, 8)
    data = same.read(3)
    assert nist.packed_bits(first)[0] == data[0]
    assert len(first) == 12
    assert nist.packed_bits(second) == data[2:]
    with pytest.raises(InvalidParameterError):
        nist.bits_from_stream(stream, 0)


def test_streams_fill_a_pipe_until_its_reader_stops(tmp_path: Path) -> None:
    """The script of docs/howto/export-bits.md ends without a message when its reader stops."""
    page = Path(__file__).parents[3] / "docs" / "howto" / "export-bits.md"
    (script,) = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    (tmp_path / "stream_bits.py").write_text(script, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, tmp_path / "stream_bits.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        data = running.stdout.read(3_000_000)
        running.stdout.close()
        assert running.stderr.read() == b""
    assert len(data) == 3_000_000
    assert nist.frequency(data, level=1e-9).passed  # the key is random


def test_split() -> None:
    """`split_bits` returns adjacent sequences, without the remaining bits."""
    parts = list(nist.split_bits(b"\x0f\xf0\xaa", 10))
    assert [part.tolist() for part in parts] == [
        [0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
        [1, 1, 0, 0, 0, 0, 1, 0, 1, 0],
    ]
    for length, count in ((7, 3), (8, 3), (12, 2), (13, 1), (23, 1), (24, 1)):
        assert [len(part) for part in nist.split_bits(b"\x0f\xf0\xaa", length)] == [length] * count

"""Masks as runs: one form for each mask, and no other bytes are read."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import FormatError, InvalidParameterError
from sudokucrypt.recipes.carriers.redaction.masks import pack_mask, unpack_mask

# Lengths of runs, and the bytes that the specification gives for them.
BY_RUNS: list[tuple[list[int], str]] = [
    ([42], "2a"),
    ([0, 42], "002a"),
    ([5, 1, 36], "050124"),
    ([0, 127], "007f"),
    ([0, 128], "008001"),
    ([16383, 1], "ff7f01"),
    ([16384, 1], "80800101"),
]
# No form of any mask of 42 pixels.
HOSTILE = [
    "",
    "80",
    "2980",
    "0029",
    "002b",
    "2a00",
    "05000025",
    "00",
    "aa00",
    "aa8000",
    "aa8080808000",
    "00808080808001",
    "ffffffffff",
    "ffffffff7f",
    "80808080808080808080",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff01",
]

shapes = st.tuples(st.integers(1, 30), st.integers(1, 30))


@st.composite
def masks(draw: st.DrawFn) -> np.ndarray:
    """Masks of runs, of which some are longer than 127 pixels."""
    rows, columns = draw(shapes)
    cuts = draw(st.lists(st.integers(0, rows * columns), max_size=9))
    flips = np.isin(np.arange(rows * columns), cuts)
    mask: np.ndarray = flips.cumsum().reshape(rows, columns) % 2 == 1
    return mask


@given(masks())
def test_masks_round_trip(mask: np.ndarray) -> None:
    """unpack(pack(x)) == x, whatever the order of x in memory."""
    data = pack_mask(mask)
    assert np.array_equal(unpack_mask(data, mask.shape), mask)
    assert unpack_mask(data, mask.shape).dtype == np.bool_
    assert pack_mask(np.asfortranarray(mask)) == data


@given(masks(), st.data())
def test_a_changed_byte_is_refused_or_another_mask(mask: np.ndarray, data: st.DataObject) -> None:
    """No changed byte is ignored: it gives an error or a mask with exactly those bytes."""
    changed = bytearray(pack_mask(mask))
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        other = unpack_mask(bytes(changed), mask.shape)
    except FormatError:
        return
    assert pack_mask(other) == changed
    assert not np.array_equal(other, mask)


@given(st.binary(max_size=30), shapes)
def test_other_bytes_are_refused(data: bytes, shape: tuple[int, int]) -> None:
    """Random bytes are a FormatError or the one form of a mask, never another exception."""
    try:
        mask = unpack_mask(data, shape)
    except FormatError:
        return
    assert pack_mask(mask) == data


@pytest.mark.parametrize(("runs", "data"), BY_RUNS)
def test_the_form_is_the_documented_one(runs: list[int], data: str) -> None:
    """The bytes are the lengths of the runs as the specification writes them."""
    mask = np.repeat(np.arange(len(runs)) % 2 == 1, runs)[None]
    assert pack_mask(mask).hex() == data


@pytest.mark.parametrize("data", HOSTILE)
def test_hostile_masks_are_refused(data: str) -> None:
    """Other sums, longer forms, empty runs and lengths without end do not fit 42 pixels."""
    with pytest.raises(FormatError, match="mask"):
        unpack_mask(bytes.fromhex(data), (6, 7))


@pytest.mark.parametrize(
    "longest", [300, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 40000))]
)
def test_masks_of_many_runs(longest: int) -> None:
    """Masks whose runs are worked on in several parts come back, and take no memory to speak of."""
    draw = np.random.default_rng(longest)
    runs = draw.integers(1, longest, 600_000 // min(longest, 200), endpoint=True)
    mask = np.repeat(np.arange(runs.size) % 2 == 1, runs)[:, None]
    tracemalloc.start()
    try:
        data = pack_mask(mask)
        again = unpack_mask(data, mask.shape)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert np.array_equal(again, mask)
    assert peak < 60 * 2**20 + 2 * mask.size + 30 * runs.size
    with pytest.raises(FormatError):
        unpack_mask(data + b"\1", mask.shape)
    with pytest.raises(FormatError):
        unpack_mask(data[:-1], mask.shape)


@pytest.mark.parametrize(
    ("count", "longer"),
    [
        (2**18, ()),
        (2**18 + 1, (5, 9)),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((2**18 - 1, (0,)), (2**19 + 1, (2**18 - 2,)), (2**19 + 1, (0,)))
        ),
    ],
)
def test_runs_alternate_across_parts(count: int, longer: tuple[int, ...]) -> None:
    """On and off alternate also where a part of the work ends after an odd number of runs."""
    runs = np.ones(count, dtype=int)
    runs[list(longer)] = 200  # two bytes, so that fewer runs fit into a part
    for first in (False, True):
        mask = np.repeat(np.arange(count) % 2 == (0 if first else 1), runs)[None]
        data = pack_mask(mask)
        expected = b"".join(b"\xc8\1" if run == 200 else b"\1" for run in runs.tolist())
        assert data == (b"\0" if first else b"") + expected
        assert np.array_equal(unpack_mask(data, mask.shape), mask)


def test_long_runs_need_no_memory() -> None:
    """Runs that add up to another size than the picture's are refused before they are laid out."""
    for data in (b"\xff\xff\xff\xff\x7f" * 1000, b"\x80\x80\x80\x80\x40" * 2, b"\1" * 10**6):
        with pytest.raises(FormatError):
            unpack_mask(data, (6, 7))


@pytest.mark.parametrize("shape", [(0, 7), (7, 0), (0, 0)])
def test_there_is_no_mask_without_pixels(shape: tuple[int, int]) -> None:
    """A canvas without pixels has no mask, neither to write nor to read."""
    with pytest.raises(InvalidParameterError):
        pack_mask(np.zeros(shape, dtype=bool))
    for data in (b"\0", b"\0\0", b"\1"):
        with pytest.raises(FormatError):
            unpack_mask(data, shape)

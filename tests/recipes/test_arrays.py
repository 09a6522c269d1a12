"""scramble and unscramble on arrays: exact, authenticated, and never in place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    InvalidImageError,
    InvalidParameterError,
    Key,
    UnsupportedVersionError,
    decrypt,
    encrypt,
    picture_permutation,
    scramble,
    unscramble,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from sudokucrypt.typing import AnyArray, Unit

KEY = Key(bytes(range(32)))
UNITS: list[tuple[Unit, int | None]] = [
    ("pixel", None),
    ("sample", None),
    ("block", None),
    ("block", 3),
]
CUT: list[dict[str, Any]] = [{"seal": None}, {"seal": None, "tag": None, "salt": None}]
"""What a header may have lost."""

DTYPES = ["bool", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8"]


def image(shape: tuple[int, ...], dtype: DTypeLike = "u1", seed: int = 0) -> AnyArray:
    """Return random bits as samples, NaN and its payloads included."""
    kind = np.dtype(dtype)
    data = np.random.default_rng(seed).integers(0, 256, (*shape, kind.itemsize), dtype=np.uint8)
    if kind.kind == "b":
        data &= 1
    return data.reshape(*shape[:-1], -1).view(kind)


def assert_round_trip(plain: AnyArray, **options: Any) -> None:
    before = plain.tobytes()
    result = scramble(plain, KEY, **options)
    assert result.pixels.shape == plain.shape
    assert result.pixels.dtype == plain.dtype
    assert plain.tobytes() == before
    back = unscramble(result.pixels, KEY, result.header, context=options.get("context"))
    assert back.dtype == plain.dtype
    assert back.tobytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "block_size"), UNITS)
def test_every_small_shape(unit: Unit, block_size: int | None) -> None:
    """Every shape from 1x1 to 64x64 round-trips, each with one of the dtypes in turn."""
    for number, (rows, columns) in enumerate(np.ndindex(64, 64)):
        dtype = DTYPES[number % len(DTYPES)]
        plain = image((rows + 1, columns + 1), dtype)
        assert_round_trip(plain, unit=unit, block_size=block_size)


@pytest.mark.parametrize(("unit", "block_size"), UNITS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype: str, unit: Unit, block_size: int | None) -> None:
    """Every dtype round-trips bit by bit, in one to three dimensions, in either byte order."""
    for shape in [(1,), (97,), (17, 23), (9, 11, 3), (40, 40, 2), (5, 7, 5)]:
        assert_round_trip(image(shape, dtype), unit=unit, block_size=block_size)
        other = image(shape, np.dtype(dtype).newbyteorder(">"))
        assert_round_trip(other, unit=unit, block_size=block_size)


@settings(max_examples=40)
@given(
    st.tuples(
        st.sampled_from([1, 97, 211, 509, 640, 1021]) | st.integers(65, 1200),
        st.sampled_from([1, 101, 480, 1021]) | st.integers(65, 1200),
    ),
    st.sampled_from([(), (1,), (3,), (4,)]),
    st.sampled_from(UNITS),
    st.sampled_from(DTYPES),
)
def test_larger_shapes(
    sides: tuple[int, int], channels: tuple[int, ...], unit: tuple[Unit, int | None], dtype: str
) -> None:
    """Random larger shapes round-trip: primes, single rows and single columns included."""
    assert_round_trip(image(sides + channels, dtype), unit=unit[0], block_size=unit[1])


@given(st.data())
def test_layout_of_the_input_does_not_matter(data: st.DataObject) -> None:
    """Views with any strides give the result of their contiguous copy."""
    base = image((30, 34, 4), "u2")
    step = st.sampled_from([1, 2, 3, -1, -2])
    view = base[:: data.draw(step), :: data.draw(step), :: data.draw(st.sampled_from([1, -1, 2]))]
    view = view.swapaxes(0, 1) if data.draw(st.booleans()) else view
    first = scramble(view, KEY, deterministic=True)
    second = scramble(np.ascontiguousarray(view), KEY, deterministic=True)
    assert first.header == second.header
    assert np.array_equal(first.pixels, second.pixels)
    assert np.array_equal(unscramble(first.pixels[:], KEY, first.header), view)


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_units_move_as_a_whole(rounds: int) -> None:
    """Pixels stay pixels, samples only keep the multiset, blocks stay blocks."""
    plain = image((64, 48, 3))
    pixels = scramble(plain, KEY, rounds=rounds).pixels
    assert sorted(map(bytes, pixels.reshape(-1, 3))) == sorted(map(bytes, plain.reshape(-1, 3)))
    samples = scramble(plain, KEY, unit="sample", rounds=rounds).pixels
    assert np.array_equal(np.sort(samples, axis=None), np.sort(plain, axis=None))
    assert sorted(map(bytes, samples.reshape(-1, 3))) != sorted(map(bytes, plain.reshape(-1, 3)))

    def blocks(array: AnyArray) -> list[bytes]:
        cut = array.reshape(8, 8, 6, 8, 3).swapaxes(1, 2).reshape(48, -1)
        return sorted(map(bytes, cut))

    moved = scramble(plain, KEY, unit="block", block_size=8, rounds=rounds).pixels
    assert blocks(moved) == blocks(plain)
    assert not np.array_equal(moved, plain)


def rounds_of(units: int) -> int:
    """The default rounds of an image that has this number of pixels."""
    return scramble(np.zeros(units, dtype=np.uint8), KEY).header.rounds


@pytest.mark.parametrize(
    ("shape", "block_size", "smallest"),
    [
        ((256, 256), 4, 4096),  # whole blocks alone
        ((257, 256), 4, 64),  # 4,096 blocks, and 64 at the bottom edge
        ((256, 257), 4, 64),
        ((259, 262), 4, 64),
        ((513, 17), 1, 8721),
        ((2, 2), 4, 1),  # nothing can move
    ],
)
def test_the_smallest_group_decides_the_rounds(
    shape: tuple[int, int], block_size: int, smallest: int
) -> None:
    """Rounds that would do for many blocks are too few for the few at an edge."""
    plain = np.zeros(shape, dtype=np.uint8)
    header = scramble(plain, KEY, unit="block", block_size=block_size).header
    assert rounds_of(64) > rounds_of(4096)
    assert header.rounds == rounds_of(smallest)


def test_cut_blocks_stay_at_their_edge() -> None:
    """Blocks cut by the right or bottom edge change places among themselves; the corner stays."""
    plain = np.arange(38 * 45).reshape(38, 45)
    moved = scramble(plain, KEY, unit="block", block_size=4).pixels
    for part in (np.s_[:36, :44], np.s_[:36, 44:], np.s_[36:, :44]):
        assert np.array_equal(np.sort(moved[part], axis=None), np.sort(plain[part], axis=None))
        assert not np.array_equal(moved[part], plain[part])
    assert np.array_equal(moved[36:, 44:], plain[36:, 44:])


@pytest.mark.parametrize("unit", ["pixel", "sample"])
def test_the_map_of_a_picture(unit: Unit) -> None:
    """scrambled = flat[perm] for the map that key and header give."""
    plain = image((60, 70, 3))
    result = scramble(plain, KEY, unit=unit)
    flat = plain.reshape(-1, 3) if unit == "pixel" else plain.ravel()
    perm = picture_permutation(KEY, result.header)
    assert np.array_equal(flat[perm].reshape(plain.shape), result.pixels)


def test_salt_makes_equal_images_differ() -> None:
    """Twice the same image gives two results; a salt from the image one; another image another."""
    plain = image((40, 40))
    first, second = (scramble(plain, KEY) for _ in range(2))
    assert first.header.salt != second.header.salt
    assert not np.array_equal(first.pixels, second.pixels)
    once, again = (scramble(plain, KEY, deterministic=True) for _ in range(2))
    assert once.header == again.header
    assert once.header.salt is not None
    assert np.array_equal(once.pixels, again.pixels)
    other = plain.copy()
    other[0, 0] ^= 1
    changed = scramble(other, KEY, deterministic=True)
    assert np.mean(changed.pixels != once.pixels) > 0.9


def test_a_wrong_key_is_detected() -> None:
    """Another key, also one that claims the same id, is a DecryptionError."""
    result = scramble(image((20, 30)), KEY)
    other = Key(bytes(32))
    with pytest.raises(DecryptionError):
        unscramble(result.pixels, other, result.header)
    with pytest.raises(DecryptionError):
        unscramble(result.pixels, other, replace(result.header, key_id=other.id))


@given(st.data())
@settings(max_examples=60)
def test_a_flipped_bit_is_detected(data: st.DataObject) -> None:
    """Any one flipped bit of the pixels is a DecryptionError."""
    result = scramble(image((13, 17), "u2"), KEY, deterministic=True)
    damaged = result.pixels.copy()
    place = data.draw(st.integers(0, damaged.size - 1))
    damaged.flat[place] ^= np.uint16(1 << data.draw(st.integers(0, 15)))
    with pytest.raises(DecryptionError):
        unscramble(damaged, KEY, result.header)


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 15},
        {"unit": "sample"},
        {"unit": "block", "block_size": 4},
        {"salt": bytes(16)},
        {"tag": bytes(32)},
        {"seal": bytes(32)},
        {"kdf": "scrypt:m=2,t=1,p=1:" + "00" * 16},
        {"regions": ((0, 0, 13, 17),)},
        {"mask": b"\0\xdd\1"},
        {"extras": b"x"},
        {"key_id": "00000000"},
        {"shape": (17, 13, 3)},
        {"shape": (13, 51)},
        {"dtype": "int8"},
    ],
)
def test_a_changed_header_is_detected(change: dict[str, Any]) -> None:
    """Every field is authenticated: a change of any is a DecryptionError."""
    result = scramble(image((13, 17, 3)), KEY)
    with pytest.raises(DecryptionError):
        unscramble(result.pixels, KEY, replace(result.header, **change))


@pytest.mark.parametrize(("protect", "restore"), [(scramble, unscramble), (encrypt, decrypt)])
def test_reshaped_pixels_are_detected(protect: Any, restore: Any) -> None:
    """The same samples in another shape or of another type are not the image of the header."""
    result = protect(image((12, 16)), KEY)
    others = [result.pixels.reshape(shape) for shape in ((16, 12), (192,), (12, 16, 1), (4, 4, 12))]
    others += [result.pixels.view(kind) for kind in ("i1", "u2", "f4")]
    for pixels in others:
        with pytest.raises(DecryptionError):
            restore(pixels, KEY, result.header)


def test_a_swapped_header_is_detected() -> None:
    """The header of another image of the same key and shape does not fit."""
    first, second = (scramble(image((20, 20), seed=seed), KEY) for seed in range(2))
    with pytest.raises(DecryptionError):
        unscramble(first.pixels, KEY, second.header)


def test_headers_of_other_kinds_are_refused() -> None:
    """No header, no seal, an unknown scheme: a FormatError that says which."""
    result = scramble(image((20, 20)), KEY)
    with pytest.raises(FormatError, match="no header"):
        unscramble(result.pixels, KEY)
    for lost in CUT:
        with pytest.raises(FormatError, match="salt, tag or seal"):
            unscramble(result.pixels, KEY, replace(result.header, **lost))
    with pytest.raises(UnsupportedVersionError, match="scramble-v9"):
        unscramble(result.pixels, KEY, replace(result.header, scheme="scramble-v9"))


def test_context_needs_no_header() -> None:
    """Under a context the image is restored by key and context alone, if defaults were used."""
    plain = image((31, 37, 3))
    result = scramble(plain, KEY, context="caf\u00e9")
    assert result.header.tag is None
    assert result.header.salt is None
    assert np.array_equal(unscramble(result.pixels, KEY, context="cafe\u0301"), plain)
    assert not np.array_equal(unscramble(result.pixels, KEY, context="tea"), plain)
    assert_round_trip(plain, context="x", unit="block", block_size=5, rounds=1)


def test_contexts_are_neither_missing_nor_superfluous() -> None:
    """A header tells whether a context belongs to it, and of which key."""
    plain = image((20, 20))
    under, tagged = scramble(plain, KEY, context="x"), scramble(plain, KEY)
    with pytest.raises(InvalidParameterError, match="under a context"):
        unscramble(under.pixels, KEY, under.header)
    with pytest.raises(InvalidParameterError, match="not scrambled under a context"):
        unscramble(tagged.pixels, KEY, tagged.header, context="x")
    with pytest.raises(DecryptionError):
        unscramble(under.pixels, Key(bytes(32)), under.header, context="x")
    sealed = replace(under.header, salt=bytes(16), tag=bytes(32), seal=bytes(32))
    with pytest.raises(FormatError, match="no salt, tag or seal"):
        unscramble(under.pixels, KEY, sealed, context="x")
    with pytest.raises(InvalidParameterError):
        scramble(plain, KEY, context="")


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros((0, 5)),
        np.zeros(()),
        np.zeros((2, 2, 2, 2)),
        np.zeros(3, dtype=complex),
        np.zeros(3, dtype=object),
        np.zeros(3, dtype="M8[s]"),
        np.zeros(3, dtype="S4"),
        np.zeros(3, dtype=np.longdouble),
        "picture.png",
    ],
)
def test_what_is_no_image_is_refused(bad: AnyArray) -> None:
    """Empty arrays, other dimensions and other dtypes are an InvalidImageError."""
    with pytest.raises(InvalidImageError):
        scramble(bad, KEY)


@pytest.mark.parametrize(
    "options",
    [
        {"unit": "tile"},
        {"unit": "pixel", "block_size": 8},
        {"unit": "block", "block_size": 0},
        {"unit": "block", "block_size": 65536},
        {"unit": "block", "block_size": 2.5},
        {"rounds": 0},
        {"rounds": 256},
        {"rounds": 1.0},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    """A unit, block size or number of rounds that does not exist is refused."""
    with pytest.raises(InvalidParameterError):
        scramble(image((20, 20)), KEY, **options)


def test_lists_are_images() -> None:
    """Anything that NumPy turns into an array works."""
    header: Header = scramble([[1, 2], [3, 4]], KEY).header
    assert header.shape == (2, 2)

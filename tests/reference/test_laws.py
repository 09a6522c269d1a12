"""Laws that the reference program keeps, whatever its key."""

import itertools
import random
from collections.abc import Sequence
from math import isqrt

import pytest

from tests.reference import RefusedError, draws
from tests.reference import header as headers
from tests.reference.chacha20 import words
from tests.reference.grid import grid
from tests.reference.header import SAMPLE_BYTES
from tests.reference.permutation import SHUFFLED_BELOW, box_of, layout, passes, permutation
from tests.reference.scheme import restore_bytes, scramble_bytes
from tests.reference.units import default_rounds, groups

KEY = bytes(range(32))
SALT = bytes(range(16))
SMALL = SHUFFLED_BELOW
BOXES = [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4)]
COUNTS = [SMALL, SMALL + 1, 63, 64, 97, 143, 144, 1000]
IMAGES: list[tuple[tuple[int, ...], str, int | None]] = [
    ((1, 1), "pixel", None),
    ((1, 1), "block", 1),
    ((SMALL,), "pixel", None),
    ((SMALL - 1,), "pixel", None),
    ((40,), "sample", None),
    ((40,), "block", 3),
    ((7, 5, 3), "pixel", None),
    ((7, 5, 3), "sample", None),
    ((7, 5, 3), "block", 3),
    ((7, 5, 3), "block", 8),
    ((13, 31), "block", 2),
    ((23, 29, 2), "pixel", None),
    ((12, 18), "block", 2),
]


def random_bytes(count: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(count)  # noqa: S311 - a test wants the same bytes again


def bytes_in(shape: Sequence[int], dtype: str = "uint8") -> int:
    count = SAMPLE_BYTES[dtype]
    for length in shape:
        count *= length
    return count


@pytest.mark.parametrize("bound", [1, 2, 3, 2**31 + 1, 2**32, 2**32 + 1, 2**64, 2**64 + 1])
def test_draw_range(bound: int) -> None:
    """draw(b) lies in 0..b-1."""
    stream = words(KEY)
    assert all(0 <= draws.draw(bound, stream) < bound for _ in range(100))


def test_draw_words() -> None:
    """draw takes one word up to b = 2^32 and two above, and uses up the words it rejects."""
    assert draws.draw(1, iter([7])) == 0
    assert draws.draw(2**32, iter([2**32 - 1])) == 2**32 - 1
    assert draws.draw(2**32 + 1, iter([5, 1])) == 4
    assert draws.draw(3, iter([2**32 - 1, 2**32 - 2])) == 2


@pytest.mark.parametrize("size", [0, 1, 2, 35, 257])
def test_shuffle(size: int) -> None:
    """shuffle(m) is a permutation of 0..m-1; shuffle(0) and shuffle(1) draw nothing."""
    stream = words(KEY) if size > 1 else iter(())
    assert draws.is_permutation(draws.shuffle(size, stream))


@pytest.mark.parametrize(("p", "q"), BOXES)
def test_sudoku(p: int, q: int) -> None:
    """Every row, column and box of a drawn grid holds every digit once."""
    n = p * q
    stream = words(KEY)
    for _ in range(4):
        rows = grid(p, q, stream).digits()
        columns = [list(column) for column in zip(*rows, strict=True)]
        boxes = [
            [rows[r][c] for r in range(top, top + p) for c in range(left, left + q)]
            for top in range(0, n, p)
            for left in range(0, n, q)
        ]
        assert all(draws.is_permutation(house) for house in [*rows, *columns, *boxes])


def test_layout() -> None:
    """The window and the spares hold all units, and no larger window would, up to 20,000 units."""
    for count in range(SMALL, 20_000):
        plan = layout(count)
        assert plan.count == count
        assert plan.spares >= 0
        assert not any(box_of(n) for n in range(plan.n + 1, isqrt(count) + 1))
        assert 2 <= plan.p <= plan.q <= 2 * plan.p


@pytest.mark.parametrize("count", COUNTS)
def test_every_pass(count: int) -> None:
    """Every pass is a permutation of all places."""
    assert all(draws.is_permutation(targets) for targets in passes(layout(count), 2, words(KEY)))


@pytest.mark.parametrize("count", [0, 1, 2, SMALL - 1, *COUNTS])
def test_permutation(count: int) -> None:
    """permutation(N, R) is a permutation, and its inverse undoes it."""
    sources = permutation(count, 2, words(KEY))
    units = [f"unit {i}" for i in range(count)]
    moved = draws.move_from(units, sources)
    assert draws.is_permutation(sources)
    assert draws.move_from(moved, draws.inverse(sources)) == units
    assert draws.move_to(moved, sources) == units


def test_large_permutation() -> None:
    """100,000 units are permuted."""
    assert draws.is_permutation(permutation(100_000, 2, words(KEY)))


@pytest.mark.parametrize(("shape", "unit", "block_size"), IMAGES)
def test_groups(shape: tuple[int, ...], unit: str, block_size: int | None) -> None:
    """Units share no sample, those of a group have one size, and only a corner is in none."""
    by_name = groups(shape, unit, block_size=block_size)
    samples = [s for units in by_name.values() for members in units for s in members]
    assert len(samples) == len(set(samples))
    assert all(len({len(members) for members in units}) <= 1 for units in by_name.values())
    corner = 0
    if block_size is not None:
        rows, columns, *channels = shape if len(shape) > 1 else (1, *shape)
        corner = (rows % block_size) * (columns % block_size) * bytes_in(channels)
    assert len(samples) == bytes_in(shape) - corner


@pytest.mark.parametrize(
    ("counts", "rounds"),
    [([4095], 4), ([4096], 3), ([2**20 - 1], 3), ([2**20], 2), ([2**20, 5], 4), ([], 4)],
)
def test_default_rounds(counts: list[int], rounds: int) -> None:
    """The smallest group sets the default rounds."""
    assert default_rounds(counts) == rounds


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
@pytest.mark.parametrize("context", [None, "Ångström"])
@pytest.mark.parametrize(("shape", "unit", "block_size"), IMAGES)
def test_restore(
    shape: tuple[int, ...], unit: str, block_size: int | None, context: str | None, dtype: str
) -> None:
    """unscramble(scramble(x)) == x."""
    plain = random_bytes(bytes_in(shape, dtype), seed=1)
    scrambled, header = scramble_bytes(
        plain,
        shape=shape,
        dtype=dtype,
        unit=unit,
        block_size=block_size,
        rounds=2,
        key=KEY,
        salt=SALT if context is None else None,
        context=context,
    )
    assert sorted(scrambled) == sorted(plain)
    assert headers.write(headers.read(header)) == header
    restored = restore_bytes(scrambled, header, shape=shape, dtype=dtype, key=KEY, context=context)
    assert restored == plain


def test_context_without_header() -> None:
    """Without a header, a context restores pixels moved in the default rounds, in either form."""
    plain = random_bytes(12 * 13 * 3, seed=2)
    scrambled, _ = scramble_bytes(
        plain,
        shape=(12, 13, 3),
        dtype="uint8",
        unit="pixel",
        rounds=default_rounds([12 * 13]),
        key=KEY,
        context="Å",
    )
    restored = restore_bytes(
        scrambled, None, shape=(12, 13, 3), dtype="uint8", key=KEY, context="A\u030a"
    )
    assert restored == plain


def test_every_flip_is_refused() -> None:
    """A flipped bit in the scrambled image, or another character in the header, is refused."""
    plain = random_bytes(40, seed=3)
    scrambled, header = scramble_bytes(
        plain, shape=(8, 5), dtype="uint8", unit="pixel", rounds=2, key=KEY
    )
    for place in range(len(scrambled)):
        altered = bytearray(scrambled)
        altered[place] ^= 1
        with pytest.raises(RefusedError, match="altered"):
            restore_bytes(bytes(altered), header, shape=(8, 5), dtype="uint8", key=KEY)
    for place, new in itertools.product(range(len(header)), b' 0"}'):
        changed = header[:place] + bytes([new]) + header[place + 1 :]
        if changed != header:
            with pytest.raises(RefusedError):
                restore_bytes(scrambled, changed, shape=(8, 5), dtype="uint8", key=KEY)

"""Test layouts, passes, maps and their kernels against the specification and the fallbacks."""

from itertools import product
from math import isqrt
from mmap import mmap
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    InvalidKeyError,
    InvalidParameterError,
    Key,
    Numbering,
    ParametricGrid,
    PictureKey,
    Representation,
    StreamDraws,
    bijection,
    permutation,
    scramble,
    unscramble,
)
from sudokucrypt.bijections import RasterLayout, UnitPermutation, chosen_rounds
from sudokucrypt.bijections import keyed as passes
from sudokucrypt.bijections import keyed as room
from sudokucrypt.bijections._kernels import passes_plain as plain
from sudokucrypt.bijections.keyed import sample_grids
from sudokucrypt.draws._kernels import shuffle_plain as plain_shuffling
from sudokucrypt.kernels import is_compiled
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, Box, IntArray
from sudokucrypt.workers import Workers
from tests.programs import run_python
from tests.spies import watch_memory

pytestmark = pytest.mark.kernels

COUNTS = st.integers(1, 3000) | st.integers(1, 60).map(lambda side: side * side)


WORKERS = Workers(2)


def make_draws(seed: int = 0) -> StreamDraws:
    return StreamDraws(Key(bytes(32)).stream("test", seed.to_bytes(4, "big")))


def move_units(units: IntArray, name: str, grid: ParametricGrid) -> IntArray:
    """Move the units of a window by the Sudoku bijection of a pass, cell by cell."""
    names = {
        "row": Representation.ROW_DIGIT,
        "column": Representation.DIGIT_COLUMN,
        "block": Representation.BLOCK_DIGIT,
    }
    forward = bijection(
        grid.to_grid(), names[name], Representation.ROW_COLUMN, numbering=Numbering.ROW_MAJOR
    )
    result = np.empty_like(units)
    result[forward] = units
    return result


@given(st.integers(36, 10**8))
def test_every_size_has_a_layout(count: int) -> None:
    """The order is the largest usable one, and the spares are the units outside its square."""
    layout = RasterLayout.for_count(count)
    p, q = layout.box
    n = layout.order
    assert n == p * q
    assert p <= q <= 2 * p
    assert n * n + layout.remainder == count
    assert 0 <= layout.remainder < n * n
    usable = (
        {a * b for a in range(2, isqrt(count) + 1) for b in range(a, min(2 * a, count) + 1)}
        if (count < 10**5)
        else set()
    )
    assert not any(n < m <= isqrt(count) for m in usable)


def test_few_units_have_no_layout() -> None:
    """Fewer than 36 units have no layout."""
    with pytest.raises(InvalidParameterError):
        RasterLayout.for_count(35)


BOXES = [(2, 3), (3, 3), (3, 4), (4, 4), (10, 15), (16, 16), (17, 19)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("box", BOXES)
def test_passes_are_sudoku_bijections(box: tuple[int, int], seed: int) -> None:
    """The passes are row-digit, digit-column and block-digit of Wu et al."""
    drawn = make_draws(seed)
    grids = room.sample_grids(box, 3, drawn)
    column, block, row = (ParametricGrid(box, *grid) for grid in grids)
    units = np.arange(row.order**2)
    for step, names in (
        (room.RowPass(box, grids[2]), {"row": row}),
        (room.StackPass(box, grids[:2]), {"column": column, "block": block}),
        (room.StackPass(box, grids), {"column": column, "block": block, "row": row}),
    ):
        wanted = units
        for name, grid in names.items():
            wanted = move_units(wanted, name, grid)
        for banded in (False, True):
            # A row pass starts in raster order, a stack pass ends in the other layout.
            stacks = isinstance(step, room.StackPass)
            start = change_layout(units, box) if stacks and banded else units
            result = np.empty_like(units)
            step.move(start, result, WORKERS, banded=banded)
            if banded != stacks:
                result = change_layout(result, box)
            assert np.array_equal(result, wanted)


def change_layout(units: IntArray, box: Box) -> IntArray:
    """Return a window in the banded layout in raster order, or the reverse."""
    p, q = box
    return units.reshape(q, p, p, q).swapaxes(1, 2).ravel()


@given(st.integers(36, 5000), st.integers(0, 2**32 - 1))
def test_every_step_can_be_undone(count: int, seed: int) -> None:
    """Passes leave spares and source unchanged, each step reaches each place once, and its inverse
    undoes it."""
    drawn = make_draws(seed)
    layout = RasterLayout.for_count(count)
    window = layout.order**2
    box, grids = layout.box, room.sample_grids(layout.box, 3, drawn)
    first = np.arange(count)
    row = room.RowPass(box, grids[0])
    for step in (row, room.StackPass(box, grids[:2]), room.StackPass(box, grids)):
        result, restored = np.empty_like(first), np.empty_like(first)
        step.move(first, result, WORKERS)
        assert np.array_equal(np.sort(result), np.arange(count))
        assert np.array_equal(result[window:], first[window:])
        step.move(result, restored, WORKERS, undo=True)
        assert np.array_equal(restored, first)
        assert np.array_equal(first, np.arange(count))
    current = first.copy()
    row.move(current, current, WORKERS)
    assert np.array_equal(current[row.move_positions(first)], first)
    row.move(current, current, WORKERS, undo=True)
    exchange = room.RemainderExchange(drawn.below_each(np.arange(count, window, -1)))
    exchange.apply(current)
    assert np.array_equal(np.sort(current), first)
    exchange.invert(current)
    assert np.array_equal(current, first)


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (16, 16), (10, 15), (150, 150)])
def test_grids_drawn_together_equal_single_ones(box: Box) -> None:
    """Grids drawn together equal grids drawn one by one, from the same draws."""
    one, many = make_draws(4), make_draws(4)
    for grid in room.sample_grids(box, 6, many):
        same = ParametricGrid.random(box, one)
        assert np.array_equal(grid, [same.alpha, same.beta, same.sigma])
    assert one.below(2**20) == many.below(2**20)


@pytest.mark.parametrize(
    ("count", "rounds"), [(1, 4), (4095, 4), (4096, 3), (2**20 - 1, 3), (2**20, 2), (2**40, 2)]
)
def test_default_rounds_follow_the_specification(count: int, rounds: int) -> None:
    """Small counts have more rounds by default; a given number of rounds is used as it is."""
    assert chosen_rounds(None, count) == rounds
    assert chosen_rounds(7, count) == 7


@given(st.integers(36, 3000), st.integers(1, 4))
def test_steps_follow_the_specification(count: int, rounds: int) -> None:
    """The steps of a map are the exchanges, then rounds of three bijections."""
    drawn = make_draws(count)
    box = RasterLayout.for_count(count).box
    window = (box[0] * box[1]) ** 2
    units = np.arange(count)
    for position in range(count - 1, window - 1, -1):
        other = drawn.below(position + 1)
        units[[position, other]] = units[[other, position]]
    for _ in range(rounds):
        for name in ("row", "column", "block"):
            grid = ParametricGrid.random(box, drawn)
            units[:window] = move_units(units[:window], name, grid)
    result = np.empty(count, dtype=np.int64)
    UnitPermutation(count, rounds, make_draws(count)).apply(np.arange(count), result, WORKERS)
    assert np.array_equal(result, units)


@given(COUNTS, st.integers(1, 4), st.sampled_from(["u1", "u2", "u4", "u8", "V3", "V6", "V48"]))
def test_invert_undoes_apply(count: int, rounds: int, dtype: str) -> None:
    """invert(apply(units)) returns the units, for any count, number of rounds and item size."""
    steps = UnitPermutation(count, rounds, make_draws(count))
    size = np.dtype(dtype).itemsize
    data = np.random.default_rng(count).integers(0, 256, count * size, dtype=np.uint8)
    units = data.view(dtype).copy()
    applied, restored = np.zeros_like(units), np.zeros_like(units)
    steps.apply(units, applied, WORKERS)
    assert units.tobytes() == data.tobytes()
    steps.invert(applied, restored, WORKERS)
    assert restored.tobytes() == data.tobytes()
    steps.apply(units, units, WORKERS)
    assert units.tobytes() == applied.tobytes()
    steps.invert(units, units.view(), WORKERS)
    assert units.tobytes() == data.tobytes()


@given(COUNTS, st.binary(max_size=20))
def test_permutation_is_a_map(count: int, nonce: bytes) -> None:
    """permutation() reaches every place once, and depends on nothing but its arguments."""
    key = Key(bytes(range(32)))
    perm = permutation(count, key, nonce=nonce)
    assert perm.dtype == np.int64
    assert np.array_equal(np.sort(perm), np.arange(count))
    assert np.array_equal(perm, permutation(count, key, nonce=nonce))
    if count > 60:
        assert not np.array_equal(perm, permutation(count, key, nonce=nonce + b"\0"))
        assert not np.array_equal(perm, permutation(count, Key(bytes(32)), nonce=nonce))


@pytest.mark.parametrize(
    ("count", "nonce", "rounds"),
    [(0, b"", None), (-1, b"", None), (1.5, b"", None), (True, b"", None), (9, "text", None)]
    + [(100, b"", rounds) for rounds in (0, 256, True, 2.0, "2")],
)
def test_invalid_arguments_are_rejected(count: int, nonce: bytes, rounds: int | None) -> None:
    """Counts, rounds and nonces out of range are rejected."""
    with pytest.raises(InvalidParameterError):
        permutation(count, Key(bytes(32)), nonce=nonce, rounds=rounds)


def test_maps_need_a_master_key() -> None:
    """The key of a single picture cannot draw a public map."""
    with pytest.raises(InvalidKeyError):
        permutation(50, PictureKey(bytes(32)), nonce=b"")  # type: ignore[arg-type]


def test_numpy_integers_are_accepted() -> None:
    """Counts and rounds may be NumPy integers."""
    key = Key(bytes(32))
    perm = permutation(np.int64(50), key, nonce=b"", rounds=np.int32(2))  # type: ignore[arg-type]
    assert np.array_equal(perm, permutation(50, key, nonce=b"", rounds=2))


# Kernels and their fallbacks give the same bytes, in any number of threads.


kernels: ModuleType = pytest.importorskip(
    "sudokucrypt.bijections._kernels.passes", reason="built where a C compiler is there"
)
shuffling: ModuleType = pytest.importorskip(
    "sudokucrypt.draws._kernels.shuffle", reason="built where a C compiler is there"
)

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 100, 300]
MANY_BOXES = [(2, 2), (2, 3), (3, 2), (3, 3), (4, 7), (9, 8), (8, 9), (10, 14), (16, 16), (17, 18)]


@st.composite
def draw_inputs(draw: st.DrawFn) -> tuple[AnyArray, Box, IntArray, list[int]]:
    """Draw units of any item size, a box, three of its grids, and two numbers of lanes."""
    seed, box = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from(MANY_BOXES))
    grids = sample_grids(box, 3, seeded_draws(seed))
    n, size = grids.shape[2], draw(st.sampled_from(SIZES))
    units = np.random.default_rng(seed).integers(0, 256, n * n * size, dtype=np.uint8)
    return units.view(f"V{size}"), box, grids, [draw(st.integers(0, n)), draw(st.integers(0, n))]


FLAGS = st.tuples(*[st.booleans()] * 3)


@given(draw_inputs(), FLAGS, st.booleans())
def test_row_kernel_equals_fallback(
    drawn: tuple[AnyArray, Box, IntArray, list[int]],
    flags: tuple[bool, bool, bool],
    in_place: bool,
) -> None:
    """Kernel and fallback write the same units to the same bands, in place or to another array."""
    units, box, (grid, *_), ends = drawn
    start, stop = sorted(end % (box[1] + 1) for end in ends)
    results = _run_both("move_rows", units, (start, stop, grid, box), flags, in_place=in_place)
    assert results[0] == results[1]


def _run_both(
    name: str, units: AnyArray, work: tuple[Any, ...], flags: tuple[bool, ...], *, in_place: bool
) -> list[tuple[bytes, bytes]]:
    """Return source and target after the function of the kernel and after that of the fallback."""
    undo, banded, wide = flags
    results = []
    for module, tables in (kernels, [wide]), (plain, []):
        source, target = units.copy(), np.zeros_like(units)
        target = source if in_place else target
        getattr(module, name)(source, target, *work, undo, banded, *tables)
        assert in_place or source.tobytes() == units.tobytes()
        results.append((source.tobytes(), target.tobytes()))
    return results


@given(
    st.sampled_from([*MANY_BOXES, (5, 5), (182, 182)]), st.integers(0, 9), st.integers(0, 2**32 - 1)
)
def test_grid_kernel_equals_fallback(box: Box, count: int, seed: int) -> None:
    """Kernel and fallback make the same grids from the same draws."""
    (p, q), n = box, box[0] * box[1]
    drawn = np.random.default_rng(seed).integers(0, n, (count, p + q + 3 * n + 2))
    drawn[:, -1] %= 2
    result = kernels.grids(drawn, box)
    np.testing.assert_array_equal(result, plain.grids(drawn, box), strict=True)


@given(draw_inputs(), FLAGS, st.booleans(), st.booleans())
def test_stack_kernel_equals_fallback(
    drawn: tuple[AnyArray, Box, IntArray, list[int]],
    flags: tuple[bool, bool, bool],
    joined: bool,
    in_place: bool,
) -> None:
    """Kernel and fallback write the same units to the same stacks, in both directions."""
    units, box, grids, ends = drawn
    start, stop = sorted(end % (box[0] + 1) for end in ends)
    grids = grids if joined else grids[:2]
    results = _run_both("move_stacks", units, (start, stop, grids, box), flags, in_place=in_place)
    assert results[0] == results[1]


@pytest.mark.parametrize("box", [(181, 181), (128, 256), (182, 182)])
def test_tables_hold_the_numbers_of_large_orders(box: Box) -> None:
    """Around n = 32,768, where tables change from 16 to 32 bits, kernel and fallback agree, whether
    grids are transposed or not."""
    (p, q), n, drawn = box, box[0] * box[1], seeded_draws(1)
    grids = sample_grids(box, 3, drawn)
    while p == q and grids[1, 1, 0] // q == grids[1, 1, 1] // q:  # until its rows are its columns
        grids = sample_grids(box, 3, drawn)
    # Of pictures of a gigabyte, only the pages with one stack take memory.
    source, wanted, result = (np.frombuffer(mmap(-1, n * n), dtype=np.uint8) for _ in range(3))
    source.reshape(n, n)[:, :q] = np.random.default_rng(1).integers(0, 256, (n, q), dtype=np.uint8)
    plain.move_stacks(source, wanted, 0, 1, grids, box, False)
    kernels.move_stacks(source, result, 0, 1, grids, box, False)
    assert np.array_equal(result.reshape(n, n)[:, :q], wanted.reshape(n, n)[:, :q])
    assert result.any()
    kernels.move_stacks(result, wanted, 0, 1, grids, box, True)
    assert np.array_equal(source.reshape(n, n)[:, :q], wanted.reshape(n, n)[:, :q])


@pytest.mark.parametrize(
    ("count", "rounds", "size"),
    [
        *product([289**2], [1, 2, 3], [1, 2, 3, 4, 5, 6, 8]),
        # Over 4 MiB, memory is fetched ahead; grids of square boxes may be transposed.
        *((1296**2, 2, 3), (1300**2 + 8, 1, 3), (1156**2, 1, 4)),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in product([256**2 + 9, 300 * 301], [1, 2, 3], [1, 2, 3, 4, 5, 6, 8])
        ),
    ],
)
def test_map_kernels_equal_fallbacks(
    count: int, rounds: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels and fallbacks move the same units, in both directions, in place or to another
    array."""
    units = np.random.default_rng(size).integers(0, 256, count * size, dtype=np.uint8)
    units = units.view(f"V{size}")
    steps = UnitPermutation(count, rounds, StreamDraws(Key(bytes(32)).stream("test", b"whole")))
    result, restored, in_place = np.empty_like(units), np.empty_like(units), units.copy()
    with Workers(2) as workers:
        steps.apply(units, result, workers)
        steps.invert(result, restored, workers)
        steps.apply(in_place, in_place.view(), workers)
        assert in_place.tobytes() == result.tobytes()
        steps.invert(in_place, in_place.view(), workers)
        assert in_place.tobytes() == restored.tobytes() == units.tobytes()
        monkeypatch.setattr(passes, "_kernels", plain)
        steps.apply(units, restored, workers)
    assert restored.tobytes() == result.tobytes()


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from(SIZES), st.integers(0, 2**32 - 1))
def test_exchange_kernel_equals_fallback(window: int, spares: int, size: int, seed: int) -> None:
    """Kernel, fallback and a loop of single exchanges give the same units, and the inverse restores
    them."""
    rng = np.random.default_rng(seed)
    count = window + spares
    positions = rng.integers(0, np.arange(count, window, -1))
    units = rng.integers(0, 256, count * size, dtype=np.uint8).view(f"V{size}")
    expected = list(range(count))
    for last, position in zip(range(count - 1, window - 1, -1), positions.tolist(), strict=True):
        expected[last], expected[position] = expected[position], expected[last]
    for module in (kernels, plain):
        moved = units.copy()
        module.exchange(moved, positions, False)
        assert moved.tobytes() == units[np.array(expected, dtype=np.int64)].tobytes()
        module.exchange(moved, positions, True)
        assert moved.tobytes() == units.tobytes()


@given(st.lists(st.integers(1, 2**32), min_size=1, max_size=300), st.integers(0, 2**32 - 1))
def test_draw_kernel_equals_fallback(bounds: list[int], seed: int) -> None:
    """Kernel and fallback draw the same numbers from the same words; the fallback may stop
    earlier."""
    words = np.random.default_rng(seed).integers(0, 2**32, 200, dtype=np.uint32)
    wanted, used = shuffling.below_each(np.array(bounds), words)
    values: list[int] = []
    while words.size and len(values) < len(bounds):
        drawn, taken = plain_shuffling.below_each(np.array(bounds[len(values) :]), words)
        values += drawn.tolist()
        words = words[taken:]
    assert values == wanted.tolist()
    assert used == 200 - len(words)


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=8),
    st.integers(0, 2**32 - 1),
    st.integers(0, 480),
)
def test_shuffle_kernel_equals_fallback(sizes: list[int], seed: int, given_words: int) -> None:
    """Kernel and fallback shuffle each part to the same permutation, and return nothing when words
    run out."""
    words = np.random.default_rng(seed).integers(0, 2**32, given_words, dtype=np.uint32)
    words[: seed % 5] = 2**32 - 1  # rejected below most bounds
    result, used = shuffling.permutations(sizes, words)
    same, same_used = plain_shuffling.permutations(sizes, words)
    if result is None or same is None:
        assert result is same
        assert given_words < sum(sizes) - len(sizes) + 4
        return
    assert used == same_used
    assert np.array_equal(result, same)
    for part, size in zip(np.split(result, np.cumsum(sizes)[:-1]), sizes, strict=True):
        assert np.array_equal(np.sort(part), np.arange(size))


@pytest.mark.parametrize("unit", ["pixel", "sample", "block"])
@pytest.mark.parametrize("shape", [(5, 4), (97, 131, 3), (256, 256, 3), (1, 5000), (70, 1000, 4)])
def test_threads_do_not_matter(shape: tuple[int, ...], unit: str) -> None:
    """Any number of threads gives the same result, in both directions."""
    image = np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)
    key = Key(bytes(range(32)))
    options = {"unit": unit, "deterministic": True}
    first = scramble(image, key, threads=1, **options)  # type: ignore[arg-type]
    for threads in (2, 3, 7):
        other = scramble(image, key, threads=threads, **options)  # type: ignore[arg-type]
        assert np.array_equal(first.pixels, other.pixels)
        assert first.header == other.header
        restored = unscramble(other.pixels, key, other.header, threads=threads)
        assert np.array_equal(restored, image)


@pytest.mark.parametrize("threads", [0, -1, 1025, 1.5, True, "2"])
def test_invalid_thread_counts_are_rejected(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of threads out of range is rejected, as an argument and in the environment."""
    key = Key(bytes(32))
    with pytest.raises(InvalidParameterError, match="threads"):
        permutation(100, key, nonce=b"", threads=threads)
    if not isinstance(threads, str):
        monkeypatch.setenv("SUDOKUCRYPT_THREADS", str(threads))
        with pytest.raises(InvalidParameterError, match="SUDOKUCRYPT_THREADS"):
            permutation(100, key, nonce=b"")


def test_environment_chooses_the_fallbacks() -> None:
    """SUDOKUCRYPT_PLAIN disables the kernels, and the map stays the same."""
    code = (
        "import hashlib, sudokucrypt as s; from sudokucrypt.kernels import is_compiled;"
        "perm = s.permutation(5000, s.Key(bytes(32)), nonce=b'x');"
        "print(is_compiled(), hashlib.sha256(perm.tobytes()).hexdigest())"
    )
    printed = [
        run_python("-c", code, SUDOKUCRYPT_PLAIN=plainly).stdout.split() for plainly in ("", "1")
    ]
    assert [printed[0][0], printed[1][0]] == ["True", "False"]
    assert printed[0][1] == printed[1][1]


@pytest.mark.parametrize("unit", ["pixel", "sample", "block"])
def test_memory_stays_near_the_result(unit: str) -> None:
    """Scrambling and restoring take little more memory than the result, beside the input."""
    image = np.random.default_rng(1).integers(0, 256, (2000, 3010, 3), dtype=np.uint8)
    key = Key(bytes(32))
    result = scramble(image, key, unit=unit)  # type: ignore[arg-type]
    for work in (
        lambda: scramble(image, key, unit=unit, threads=2),  # type: ignore[arg-type]
        lambda: unscramble(result.pixels, key, result.header, threads=2),
    ):
        with watch_memory() as memory:
            work()
        # Blocks are lined up before they are gathered; fallbacks hold several indices of a stack.
        most = 1.3 if unit != "block" else 2.2
        assert memory.peak < (most if is_compiled() else 4) * image.nbytes

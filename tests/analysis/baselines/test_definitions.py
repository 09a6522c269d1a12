"""Compare published scramblers with their definitions and known periods."""

import math
from collections.abc import Iterator
from itertools import count, permutations

import numpy as np
import pytest

from sudokucrypt import InvalidImageError, InvalidParameterError
from sudokucrypt.analysis.baselines import (
    ArnoldMap,
    BakerMap,
    BitShuffle,
    BlockShuffle,
    ChainAdd,
    ChainXor,
    ColorEncryptThenCompress,
    ContentKeyedShuffle,
    DnaCoding,
    ExtendedLearnable,
    Fibonacci,
    FibonacciPCode,
    GrayCode,
    GrayEncryptThenCompress,
    HilbertScan,
    Learnable,
    LogisticSort,
    LogisticSubstitution,
    RowColumnShuffle,
    SBox,
    UniformShuffle,
)
from sudokucrypt.analysis.baselines.substituting import KEY_STREAM_SEED_BASE, LogisticSource
from sudokucrypt.analysis.inputs import draw_uniform_samples
from sudokucrypt.sudoku import ParametricGrid, SudokuGrid, seeded_draws
from sudokucrypt.typing import AnyArray, IntArray


def find_period(targets: IntArray) -> int:
    """Return how often a map must be applied to give the identity."""
    positions = targets
    for times in count(1):
        if np.array_equal(positions, np.arange(len(positions))):
            return times
        positions = targets[positions]
    raise AssertionError


@pytest.mark.parametrize(("a", "b", "side"), [(1, 1, 12), (2, 3, 15), (40, 8, 16), (5, 1, 1)])
def test_arnold_period_is_that_of_the_map(a: int, b: int, side: int) -> None:
    """The period of Arnold's map, with any a and b, equals the period of its targets."""
    one = ArnoldMap(iterations=1, a=a, b=b)
    targets = one.targets(side, side)
    assert one.period(side) == find_period(targets)
    for r, c in np.ndindex(side, side):
        row, column = (r + a * c) % side, (b * r + (a * b + 1) * c) % side
        assert targets[r * side + c] == row * side + column


@pytest.mark.parametrize("parts", [(12,), (1, 2, 3, 6), (2, 6, 4)])
def test_baker_reads_boxes_column_by_column(parts: tuple[int, ...]) -> None:
    """The baker map reads boxes column by column into rows; wrong widths are refused."""
    image = np.arange(144).reshape(12, 12)
    lines, start = [], 0
    for width in parts:
        lines += [
            image[top : top + 12 // width, start : start + width].T.reshape(-1)
            for top in range(0, 12, 12 // width)
        ]
        start += width
    scheme = BakerMap(iterations=1, parts=parts)
    assert np.array_equal(scheme.scramble(image), lines)
    thrice = scheme.scramble(scheme.scramble(scheme.scramble(image)))
    assert np.array_equal(BakerMap(iterations=3, parts=parts).scramble(image), thrice)
    for wrong in ((5, 7), (6,), (12, 12)):
        with pytest.raises(InvalidImageError, match="do not cut a side of 12"):
            BakerMap(parts=wrong).targets(12, 12)
    for side in (1, 2, 13):
        with pytest.raises(InvalidImageError, match="no divisor"):
            BakerMap().targets(side, side)


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (10, 10), (6, 89)])
def test_fibonacci_steps(shape: tuple[int, int]) -> None:
    """Position k has pixel k F(n) mod F(n + 1), without numbers beyond the last pixel."""
    pixels = math.prod(shape)
    step, modulus = 1, 1
    while modulus < pixels:
        step, modulus = modulus, step + modulus
    order = [k * step % modulus for k in range(modulus) if k * step % modulus < pixels]
    assert Fibonacci().scramble(np.arange(pixels).reshape(shape)).reshape(-1).tolist() == order


@pytest.mark.parametrize(
    ("p", "numbers"), [(1, [1, 1, 2, 3, 5, 8, 13, 21]), (2, [1, 1, 1, 2, 3, 4, 6, 9, 13])]
)
def test_p_code_steps(p: int, numbers: list[int]) -> None:
    """Published p-code sequences give step and modulus, for rows and for columns."""
    for side in range(1, 13):
        position = next(index for index, number in enumerate(numbers) if number > side)
        step, modulus = numbers[position - 1], numbers[position]
        while np.gcd(step, modulus) != 1:
            step += 1
        lines = [
            line * step % modulus for line in range(1, modulus) if line * step % modulus <= side
        ]
        column = np.arange(1, side + 1).reshape(side, 1)
        assert FibonacciPCode(p=p).scramble(column).reshape(-1).tolist() == lines
        assert FibonacciPCode(p=p).scramble(column.T).reshape(-1).tolist() == lines
    # An offset is added to the step, and refused if it gives no permutation.
    row = np.tile(np.arange(1, 8), (7, 1))
    with pytest.raises(InvalidParameterError, match="offset 1 makes no permutation"):
        FibonacciPCode(offset=1).scramble(row)
    stepped = [line * (5 + 2) % 8 for line in range(1, 8)]
    assert FibonacciPCode(offset=2).scramble(row)[0].tolist() == stepped


def test_gray_code_neighbors_and_period() -> None:
    """Consecutive Gray codes differ in one bit; the period is a power of two, at least m."""
    codes = GrayCode(iterations=1).targets(16, 64)
    assert {code.bit_count() for code in (codes[1:] ^ codes[:-1]).tolist()} == {1}
    for bits in (1, 2, 4, 5, 8, 10):
        targets = GrayCode(iterations=1).targets(1, 2**bits)
        assert find_period(targets) == 1 << (bits - 1).bit_length()


def test_hilbert_steps_to_a_neighbor() -> None:
    """On sides 2^m, consecutive pixels of the Hilbert scan are neighbors, from corner to corner."""
    for side in (1, 2, 4, 32):
        order = HilbertScan().scramble(np.arange(side * side).reshape(side, side)).reshape(-1)
        row, column = np.divmod(order, side)
        assert (np.abs(np.diff(row)) + np.abs(np.diff(column)) == 1).all()
        assert (row[0], column[0]) == (0, 0)
        assert {int(row[-1]), int(column[-1])} <= {0, side - 1}
    square = np.arange(64).reshape(8, 8)  # other shapes go in the order of the square around them
    whole = HilbertScan().scramble(square).reshape(-1)
    part = HilbertScan().scramble(square[:5, :7]).reshape(-1)
    assert part.tolist() == [pixel for pixel in whole if pixel // 8 < 5 and pixel % 8 < 7]


def test_logistic_sort_follows_the_orbit() -> None:
    """Position k gets the pixel of the k-th smallest value after the first 1000."""
    x, values = 0.25, []
    for _ in range(1000 + 12):
        x = 3.9 * x * (1 - x)
        values.append(x)
    order = np.argsort(values[1000:])
    assert np.array_equal(LogisticSort(0.25, 3.9).scramble(np.arange(12)[None])[0], order)


def test_the_logistic_schedule_makes_valid_grids() -> None:
    """Orbits draw valid Sudoku grids, which depend on the start value."""
    grids = [ParametricGrid.random((16, 16), LogisticSource(x)) for x in (0.3, 0.3, 0.30001)]
    for grid in grids:
        assert SudokuGrid(grid.to_grid(), (16, 16)).order == 256
    assert np.array_equal(grids[0].sigma, grids[1].sigma)
    assert not np.array_equal(grids[0].sigma, grids[2].sigma)


def test_the_logistic_substitution_follows_its_definition() -> None:
    """From its 201st value on, the orbit gives the grid and then the order of the pixels."""
    assert LogisticSource(0.5).below(2) == 1  # 0.9975
    assert LogisticSource(0.3).below(10) == 8  # 3.99 * 0.3 * 0.7 = 0.8379
    scheme = LogisticSubstitution.with_key(bytes(range(32)))
    x = scheme.start
    assert x == (int.from_bytes(bytes(range(6)), "big") + 1) / (2**48 + 2)
    for _ in range(200):
        x = 3.99 * x * (1.0 - x)
    source = LogisticSource(x)
    grid = ParametricGrid.random((16, 16), source).to_grid().cells
    order = source.permutations([512])
    image = np.arange(2 * 256).astype(np.uint8).reshape(2, 256)
    expected = [grid[i % 256, image.reshape(-1)[order[i]]] for i in range(512)]
    assert scheme.scramble(image).reshape(-1).tolist() == expected
    with pytest.raises(InvalidImageError, match="only samples of 8 bits"):
        scheme.scramble(image.astype(np.uint16))


def test_shuffles_keep_lines_or_blocks() -> None:
    """Shuffles move whole rows and columns, or whole blocks, and depend on the seed."""
    rows, columns = np.divmod(RowColumnShuffle(5).targets(11, 13).reshape(11, 13), 13)
    assert (rows == rows[:, :1]).all()
    assert (columns == columns[:1]).all()
    assert rows[:, 0].tolist() != list(range(11))
    assert columns[0].tolist() != list(range(13))
    image = np.arange(11 * 14).reshape(11, 14)
    moved_image = BlockShuffle(3, seed=1).scramble(image)
    assert np.array_equal(moved_image[9:], image[9:])
    assert np.array_equal(moved_image[:, 12:], image[:, 12:])
    starts = [(row, column) for row in range(0, 9, 3) for column in range(0, 12, 3)]
    for row, column in starts:
        block = moved_image[row : row + 3, column : column + 3]
        assert np.array_equal(block - block[0, 0], image[:3, :3])
        assert divmod(int(block[0, 0]), 14) in starts
    assert not np.array_equal(moved_image, BlockShuffle(3, seed=2).scramble(image))
    assert np.array_equal(BlockShuffle(16).scramble(image), image)


@pytest.mark.parametrize("kind", [ChainXor, ChainAdd])
def test_chains_follow_their_formula(kind: type[ChainXor]) -> None:
    """Each sample is the moved sample combined with the stream and the previous result."""
    image = np.random.default_rng(1).integers(0, 256, (6, 7, 3), dtype=np.uint8)
    moved_samples = UniformShuffle(4).scramble(image).reshape(-1).tolist()
    mask = draw_uniform_samples(KEY_STREAM_SEED_BASE + 4, image.size).tolist()
    previous, expected = 0, []
    for sample, key in zip(moved_samples, mask, strict=True):
        previous = sample ^ key ^ previous if kind is ChainXor else (sample + key + previous) % 256
        expected.append(previous)
    assert kind(4).scramble(image).reshape(-1).tolist() == expected


def test_streams_are_uniform_and_follow_the_seed() -> None:
    """All levels come equally often, by chi-square; bits are bits."""
    for levels, dtype in ((2, "bool"), (256, "uint8")):
        samples = draw_uniform_samples(3, 256 * 256, dtype)
        counts = np.bincount(samples, minlength=levels)
        expected = samples.size / levels
        assert ((counts - expected) ** 2 / expected).sum() < levels + 6 * (2 * levels) ** 0.5
        assert not np.array_equal(samples, draw_uniform_samples(4, 256 * 256, dtype))
        assert np.array_equal(samples[:99], draw_uniform_samples(3, 99, dtype))


def test_content_keyed_maps_depend_on_the_histogram_only() -> None:
    """Images of one histogram have one map, and others others."""
    numbers = np.arange(120, dtype=np.uint8).reshape(10, 12)
    scheme = ContentKeyedShuffle(2)
    one = scheme.scramble(numbers)
    assert np.array_equal(scheme.scramble(numbers[::-1]), 108 - one + 2 * (one % 12))
    assert not np.array_equal(scheme.scramble(numbers + 1), one + 1)
    assert not np.array_equal(ContentKeyedShuffle(3).scramble(numbers), one)


def test_substitutions_keep_to_their_parts() -> None:
    """An S-box has one table, DNA one of four entries for each pair of bits at a place."""
    levels = np.arange(256, dtype=np.uint8).reshape(16, 16)
    table = SBox(7).scramble(levels).reshape(-1)
    assert np.array_equal(table, seeded_draws(7).permutations([256]))
    assert sorted(table.tolist()) == list(range(256))
    assert np.array_equal(SBox(7).scramble(levels.T), table[levels.T])
    results = np.stack(
        [DnaCoding(7).scramble(np.full((9, 8), level, "u1")) for level in range(256)]
    )
    for pair in (0, 2, 4, 6):
        bases = results >> pair & 3
        firsts = np.stack([bases[base << pair] for base in range(4)])
        assert (np.sort(firsts, axis=0) == np.arange(4)[:, None, None]).all()
        assert all(np.array_equal(bases[n], firsts[n >> pair & 3]) for n in range(256))
    ones = BitShuffle(7).scramble(levels)
    assert np.bitwise_count(ones).sum() == np.bitwise_count(levels).sum()
    assert not np.array_equal(np.sort(ones, axis=None), np.sort(levels, axis=None))


@pytest.mark.parametrize(
    ("scheme", "planes"),
    [(ColorEncryptThenCompress(6, seed=2), 1), (GrayEncryptThenCompress(6, seed=2), 3)],
)
def test_etc_blocks_are_turned_inverted_and_moved(
    scheme: ColorEncryptThenCompress, planes: int
) -> None:
    """Each block of the result is a block of the image in one of eight turns, maybe inverted."""
    image = np.random.default_rng(3).integers(0, 256, (25, 31, 3), dtype=np.uint8)
    scrambled = scheme.scramble(image)
    assert np.array_equal(scrambled[24:], image[24:])
    assert np.array_equal(scrambled[:, 30:], image[:, 30:])

    def cut_blocks(whole: AnyArray) -> list[AnyArray]:
        parts = [whole] if planes == 1 else list(np.moveaxis(whole, -1, 0)[..., None])
        return [
            part[row : row + 6, column : column + 6]
            for part in parts
            for row in range(0, 24, 6)
            for column in range(0, 30, 6)
        ]

    def list_kinds(block: AnyArray) -> Iterator[bytes]:
        for order in permutations(range(block.shape[-1])):
            for turned in (block[..., order], block[..., order].swapaxes(0, 1)):
                for quarter in range(4):
                    result = np.rot90(turned, quarter)
                    yield from (result.tobytes(), (255 - result).tobytes())

    block_indices = {
        kind: index for index, block in enumerate(cut_blocks(image)) for kind in list_kinds(block)
    }
    actual = [block_indices[block.tobytes()] for block in cut_blocks(scrambled)]
    assert sorted(actual) == list(range(len(actual)))
    assert actual != sorted(actual)


@pytest.mark.parametrize("kind", [Learnable, ExtendedLearnable])
def test_learnable_blocks_are_treated_alike_or_not(kind: type[Learnable]) -> None:
    """Equal blocks have equal results only in LE; a changed block changes only its own result."""
    block = np.random.default_rng(4).integers(0, 256, (4, 4), dtype=np.uint8)
    result = kind(seed=1).scramble(np.tile(block, (2, 3)))
    first = result[:4, :4]
    assert np.array_equal(result, np.tile(first, (2, 3))) is (kind is Learnable)
    inverted_image = np.tile(block, (2, 3))
    inverted_image[0, 0] ^= 0x21
    changed = kind(seed=1).scramble(inverted_image) ^ result
    assert np.bitwise_count(changed).sum() == 2
    assert not changed[4:].any()
    assert not changed[:, 4:].any()

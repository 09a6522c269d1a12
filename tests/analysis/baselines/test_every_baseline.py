"""What schemes for comparison have in common: they are undone; most are permutations of pixels."""

from collections.abc import Iterator
from inspect import isabstract
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import InvalidImageError
from sudokucrypt.analysis import baselines


def kinds(base: Any) -> Iterator[type[baselines.Scrambler]]:
    """All kinds below one that can be made, whatever modules they are in."""
    len(baselines.BASELINES)  # imports the modules
    for kind in base.__subclasses__():
        yield from kinds(kind)
        if not isabstract(kind):
            yield kind


SCRAMBLERS: dict[str, baselines.Scrambler] = {
    kind.name: kind() for kind in kinds(baselines.Scrambler)
}
MAPS = {kind.name: kind() for kind in baselines.Baseline.__subclasses__()}
WHOLE_BYTES = {"dna", "ele", "le"}
"""Those that do not take samples of one bit."""

SQUARE_ONLY = {"arnold", "baker"}

SCHEMES = [
    *MAPS.values(),
    baselines.ArnoldMap(iterations=3, a=2, b=5),
    baselines.BlockShuffle(3, seed=4),
    baselines.Fibonacci(iterations=2),
    baselines.FibonacciPCode(p=4),
    baselines.GrayCode(iterations=1),
    baselines.RowColumnShuffle(9),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_targets_are_permutations_of_every_size(scheme: baselines.Baseline) -> None:
    """For all sides up to 13 each place is hit once, or the sides are refused."""
    accepted = 0
    for rows, columns in np.ndindex(13, 13):
        try:
            targets = scheme.targets(rows + 1, columns + 1)
        except InvalidImageError:
            assert scheme.name in SQUARE_ONLY
            assert rows != columns or scheme.name == "baker"
            continue
        accepted += 1
        assert targets.dtype == np.int64
        assert np.array_equal(np.sort(targets), np.arange((rows + 1) * (columns + 1)))
    composite = 6  # sides up to 13
    assert accepted == {"arnold": 13, "baker": composite}.get(scheme.name, 13 * 13)


@settings(max_examples=100)
@given(
    st.sampled_from([*SCRAMBLERS.values(), baselines.GrayEncryptThenCompress(3), baselines.ColorEncryptThenCompress(2), *SCHEMES]),
    st.integers(1, 26),
    st.integers(1, 40),
    st.sampled_from([(), (1,), (3,), (5,)]),
    st.sampled_from(["bool", "uint8", "uint16", ">u2", "float32"]),
)
def test_each_scheme_is_undone(
    scheme: baselines.Scrambler, rows: int, columns: int, channels: tuple[int, ...], dtype: str
) -> None:
    """Shape and dtype stay, any image comes back, whole pixels move, and the input stays."""
    if scheme.name in SQUARE_ONLY:
        rows = columns = rows // 2 * 2 + 4
    if scheme.name in WHOLE_BYTES and dtype == "bool":
        dtype = "uint8"
    if dtype == "float32" and not isinstance(scheme, baselines.Baseline):
        dtype = "uint16"
    plain = np.random.default_rng(2).integers(0, 2**16, (rows, columns, *channels)).astype(dtype)
    before = plain.tobytes()
    seen = scheme.scramble(plain)
    assert (seen.shape, seen.dtype.name) == (plain.shape, plain.dtype.name)
    assert np.array_equal(scheme.unscramble(seen), plain)
    assert np.array_equal(scheme.scramble(np.asfortranarray(plain)), seen)
    assert plain.tobytes() == before
    if isinstance(scheme, baselines.Baseline):
        targets = scheme.targets(rows, columns)
        pixels = plain.reshape(rows * columns, -1)
        assert np.array_equal(seen.reshape(rows * columns, -1)[targets], pixels)


def test_names_are_those_of_the_catalogue_and_defaults_move_nearly_all() -> None:
    """Each is registered once; none is close to the identity at usual sides."""
    assert sorted(SCRAMBLERS) == list(baselines.BASELINES)
    for name, side in product(set(MAPS) - {"block"}, (32, 100, 128)):
        assert np.mean(MAPS[name].targets(side, side) == np.arange(side * side)) < 0.1


@pytest.mark.parametrize("name", SCRAMBLERS)
def test_keys_count_as_far_as_schemes_say(name: str) -> None:
    """A scheme of 0 bits has one map; of the others every bit that counts makes another map."""
    scheme = baselines.BASELINES[name]
    image = np.arange(48**2, dtype=np.uint16).reshape(48, 48)
    assert scheme.key_bits is not None
    bits = int(scheme.key_bits)
    for position in (0, bits // 2, max(0, bits - 1), 255):
        key = bytearray(32)
        key[position // 8] ^= 128 >> position % 8
        run = scheme.fixed(image, bytes(key))
        same = np.array_equal(run.pixels, scheme.fixed(image, bytes(32)).pixels)
        assert same is (position >= bits)
        assert run.undo is not None
        assert np.array_equal(run.undo(bytes(key)), image)

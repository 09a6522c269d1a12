"""Kernels and their plain twins give the same bytes, in any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    InvalidParameterError,
    Key,
    ParametricGrid,
    StreamDraws,
    permutation,
    scramble,
    unscramble,
)
from sudokucrypt.bijections._kernels import passes_plain as plain
from sudokucrypt.bijections.passes import _targets
from sudokucrypt.draws._kernels import shuffle_plain as plain_shuffling
from sudokucrypt.kernels import compiled

if TYPE_CHECKING:
    from types import ModuleType

    from sudokucrypt.typing import AnyArray

kernels: ModuleType = pytest.importorskip(
    "sudokucrypt.bijections._kernels.passes", reason="built where a C compiler is there"
)
shuffling: ModuleType = pytest.importorskip(
    "sudokucrypt.draws._kernels.shuffle", reason="built where a C compiler is there"
)

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 100, 300]
BOXES = [(2, 2), (2, 3), (3, 2), (3, 3), (4, 7), (9, 8), (8, 9), (10, 14)]


@st.composite
def moves(draw: st.DrawFn) -> tuple[AnyArray, ParametricGrid, int, int]:
    """Draw units of any item size, a grid, and a range of lanes."""
    seed = draw(st.integers(0, 2**32 - 1))
    source = StreamDraws(Key(bytes(32)).stream("test", seed.to_bytes(4, "big")))
    grid = ParametricGrid.random(draw(st.sampled_from(BOXES)), source)
    n, size = grid.order, draw(st.sampled_from(SIZES))
    rng = np.random.default_rng(seed)
    units = rng.integers(0, 256, n * n * size, dtype=np.uint8).view(f"V{size}")
    return units, grid, draw(st.integers(0, n)), draw(st.integers(0, n))


@given(
    moves(),
    st.sampled_from(["move_rows", "move_columns", "spread_bands", "collect_bands"]),
    st.sampled_from([np.uint16, np.uint32]),
    st.booleans(),
)
def test_kernels_equal_twins(
    move: tuple[AnyArray, ParametricGrid, int, int], name: str, kind: type, in_place: bool
) -> None:
    """Each kernel writes what its twin writes, to the same lanes, in place or to another array."""
    units, grid, *ends = move
    p = grid.box[0]
    start, stop = sorted(end // p for end in ends) if "bands" in name else sorted(ends)
    extra = [p] if "bands" in name else []
    tables: list[AnyArray] = [
        table.astype(kind) for table in _targets(grid.sigma, grid.beta, grid.alpha)
    ]
    results = []
    for module in (kernels, plain):
        source, target = units.copy(), np.zeros_like(units)
        target = source if in_place else target
        getattr(module, name)(source, target, start, stop, tables, *extra)
        results.append((source.tobytes(), target.tobytes()))
    assert results[0] == results[1]


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from(SIZES), st.integers(0, 2**32 - 1))
def test_exchanges_are_equal(window: int, spares: int, size: int, seed: int) -> None:
    """Both exchange alike, as one exchange after the other does, and undo it."""
    rng = np.random.default_rng(seed)
    count = window + spares
    places = rng.integers(0, np.arange(count, window, -1))
    units = rng.integers(0, 256, count * size, dtype=np.uint8).view(f"V{size}")
    expected = list(range(count))
    for last, place in zip(range(count - 1, window - 1, -1), places.tolist(), strict=True):
        expected[last], expected[place] = expected[place], expected[last]
    for module in (kernels, plain):
        moved = units.copy()
        module.exchange(moved, places, False)
        assert moved.tobytes() == units[np.array(expected, dtype=np.int64)].tobytes()
        module.exchange(moved, places, True)
        assert moved.tobytes() == units.tobytes()


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(0, 2**32 - 1))
def test_shuffles_are_equal(sizes: list[int], seed: int) -> None:
    """Both shuffle alike, and the result is a permutation in each part."""
    rng = np.random.default_rng(seed)
    bounds = np.concatenate([np.arange(size, 1, -1) for size in sizes])
    draws = rng.integers(0, bounds)
    result = shuffling.shuffle(sizes, draws)
    assert np.array_equal(result, plain_shuffling.shuffle(sizes, draws))
    for part, size in zip(np.split(result, np.cumsum(sizes)[:-1]), sizes, strict=True):
        assert np.array_equal(np.sort(part), np.arange(size))


@pytest.mark.parametrize("unit", ["pixel", "sample", "block"])
@pytest.mark.parametrize("shape", [(5, 4), (97, 131, 3), (256, 256, 3), (1, 5000), (70, 1000, 4)])
def test_threads_do_not_matter(shape: tuple[int, ...], unit: str) -> None:
    """Any number of threads gives the same result, both ways."""
    image = np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)
    key = Key(bytes(range(32)))
    options = {"unit": unit, "deterministic": True}
    first = scramble(image, key, threads=1, **options)  # type: ignore[arg-type]
    for threads in (2, 3, 7):
        other = scramble(image, key, threads=threads, **options)  # type: ignore[arg-type]
        assert np.array_equal(first.pixels, other.pixels)
        assert first.header == other.header
        back = unscramble(other.pixels, key, other.header, threads=threads)
        assert np.array_equal(back, image)


@pytest.mark.parametrize("threads", [0, -1, 1025, 1.5, True, "2"])
def test_bad_thread_counts_are_refused(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number out of range is refused, as an argument and in the environment."""
    key = Key(bytes(32))
    with pytest.raises(InvalidParameterError, match="threads"):
        permutation(100, key, nonce=b"", threads=threads)
    if not isinstance(threads, str):
        monkeypatch.setenv("SUDOKUCRYPT_THREADS", str(threads))
        with pytest.raises(InvalidParameterError, match="SUDOKUCRYPT_THREADS"):
            permutation(100, key, nonce=b"")


def test_environment_chooses_the_twins() -> None:
    """SUDOKUCRYPT_PLAIN switches the kernels off, and the map stays the same."""
    code = (
        "import hashlib, sudokucrypt as s; from sudokucrypt.kernels import compiled;"
        "perm = s.permutation(5000, s.Key(bytes(32)), nonce=b'x');"
        "print(compiled(), hashlib.sha256(perm.tobytes()).hexdigest())"
    )
    printed = []
    for plainly in ("", "1"):
        environment = {**os.environ, "SUDOKUCRYPT_PLAIN": plainly}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        printed.append(done.stdout.split())
    assert [printed[0][0], printed[1][0]] == ["True", "False"]
    assert printed[0][1] == printed[1][1]


@pytest.mark.parametrize("unit", ["pixel", "sample", "block"])
def test_memory_stays_near_two_pictures(unit: str) -> None:
    """Scrambling and restoring need the result and little more beside the input."""
    import tracemalloc

    image = np.random.default_rng(1).integers(0, 256, (2000, 3010, 3), dtype=np.uint8)
    key = Key(bytes(32))
    result = scramble(image, key, unit=unit)  # type: ignore[arg-type]
    for work in (
        lambda: scramble(image, key, unit=unit, threads=2),  # type: ignore[arg-type]
        lambda: unscramble(result.pixels, key, result.header, threads=2),
    ):
        tracemalloc.start()
        work()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        # The twins hold the index of one band for each thread; the kernels need none.
        assert peak < (1.2 if compiled() else 1.75) * image.nbytes

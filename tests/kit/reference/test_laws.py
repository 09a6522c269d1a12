"""Laws of the reference that the vectors cannot show: every size, every change of a header."""

from collections.abc import Sequence
from dataclasses import replace
from math import isqrt, prod

import pytest

from tests.kit.reference import RefusedError
from tests.kit.reference import header as headers
from tests.kit.reference.chacha20 import words
from tests.kit.reference.containers import PNG_SIGNATURE, from_picture
from tests.kit.reference.draws import inverse, is_permutation, move_from, move_to
from tests.kit.reference.grid import grid
from tests.kit.reference.header import KEYED, Header
from tests.kit.reference.permutation import SHUFFLED_BELOW, box_of, layout, passes, permutation
from tests.kit.reference.tags import closed, opened
from tests.kit.reference.units import groups

KEY = bytes(range(32))
SALT = bytes(range(16)).hex()
SMALL = SHUFFLED_BELOW
COUNTS = [SMALL, SMALL + 1, 63, 64, 97, 143, 144, 1000]


@pytest.mark.parametrize(("p", "q"), [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4)])
def test_sudoku(p: int, q: int) -> None:
    """Every row, column and box of a drawn grid holds every digit once."""
    stream = words(KEY)
    for _ in range(4):
        rows = grid(p, q, stream).digits()
        columns = [list(column) for column in zip(*rows, strict=True)]
        boxes = [
            [rows[r][c] for r in range(top, top + p) for c in range(left, left + q)]
            for top in range(0, p * q, p)
            for left in range(0, p * q, q)
        ]
        assert all(map(is_permutation, [*rows, *columns, *boxes]))


def test_layout() -> None:
    """The window and the spares hold all units, and no larger window would, up to 20,000 units."""
    for count in range(SMALL, 20_000):
        plan = layout(count)
        assert plan.count == count
        assert plan.spares >= 0
        assert not any(box_of(n) for n in range(plan.n + 1, isqrt(count) + 1))
        assert 2 <= plan.p <= plan.q <= 2 * plan.p


@pytest.mark.parametrize("count", [0, 1, 2, SMALL - 1, *COUNTS])
def test_permutation(count: int) -> None:
    """Every pass and permutation(N, R) are permutations, which the inverse undoes."""
    if count >= SMALL:
        assert all(map(is_permutation, passes(layout(count), 2, words(KEY))))
    # Fewer than two units are left as they are, without a draw.
    sources = permutation(count, 2, words(KEY) if count > 1 else iter(()))
    units = [f"unit {i}" for i in range(count)]
    moved = move_from(units, sources)
    assert is_permutation(sources)
    assert move_from(moved, inverse(sources)) == move_to(moved, sources) == units


@pytest.mark.parametrize("block_size", [None, 1, 2, 3, 8])
@pytest.mark.parametrize("shape", [(1, 1), (40,), (7, 5, 3), (13, 31), (23, 29, 2), (12, 18)])
def test_groups(shape: Sequence[int], block_size: int | None) -> None:
    """Units share no sample, those of a group have one size, and only a corner is in none."""
    rows, columns, *channels = shape if len(shape) > 1 else (1, *shape)
    for unit in ("pixel", "sample") if block_size is None else ("block",):
        by_name = groups(shape, unit, block_size=block_size)
        samples = [s for units in by_name.values() for members in units for s in members]
        assert len(samples) == len(set(samples))
        assert all(len({len(members) for members in units}) <= 1 for units in by_name.values())
        size = block_size or 1
        corner = (rows % size) * (columns % size) * prod(channels)
        assert len(samples) == prod(shape) - corner


@pytest.mark.parametrize("data", [PNG_SIGNATURE + b"\0\0\0\x09iTXt", b"II*\0\x08\0\0\0\1\0"])
def test_files_that_are_cut(data: bytes) -> None:
    """A file that ends before its pictures do has no header to look for."""
    with pytest.raises(RefusedError, match="damaged"):
        from_picture(data)


def test_headers_stand_still() -> None:
    """A written header is read and written again, with what a reader may not miss."""
    draft = Header(
        scheme=KEYED, unit="pixel", rounds=2, shape=(6, 7), dtype="uint8", key_id="0" * 8
    )
    header = closed(replace(draft, salt=SALT), KEY, bytes(32))
    written = headers.write(header)
    assert headers.read(written) == header
    for missing in ("salt", "tag", "seal"):
        with pytest.raises(RefusedError):
            headers.read(headers.write(header.without(missing)))
    for position, new in [(position, new) for position in range(len(written)) for new in b' "}']:
        changed = written[:position] + bytes([new]) + written[position + 1 :]
        if changed != written:
            with pytest.raises(RefusedError):
                opened(headers.read(changed), KEY)

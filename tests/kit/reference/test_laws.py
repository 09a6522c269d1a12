"""Laws of the reference that the vectors cannot show: every size, every flip, what writers refuse.

All else that it makes and reads is under the vectors: they see every change of it, as
`tests.vectors.mutate` proves.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isqrt, prod
from typing import Any

import pytest
from tests.kit.reference.frames import Frame
from tests.kit.reference.pictures import protect_picture, restore_picture

from tests.kit.reference import RefusedError, description, files
from tests.kit.reference import header as headers
from tests.kit.reference.chacha20 import words
from tests.kit.reference.containers import PNG_SIGNATURE, from_picture
from tests.kit.reference.draws import inverse, is_permutation, move_from, move_to
from tests.kit.reference.grid import grid
from tests.kit.reference.header import CONTEXT, ENCRYPT, KEYED, Header
from tests.kit.reference.hkdf import key_id
from tests.kit.reference.permutation import SHUFFLED_BELOW, box_of, layout, passes, permutation
from tests.kit.reference.units import groups

KEY = bytes(range(32))
SALT = bytes(range(16)).hex()
SMALL = SHUFFLED_BELOW
COUNTS = [SMALL, SMALL + 1, 63, 64, 97, 143, 144, 1000]
FRAME = Frame(shape=(6, 7), dtype="uint8", data=bytes(range(42)))
PLAIN: dict[str, Any] = {"shape": [6, 7], "dtype": "uint8", "mode": "gray"}
XMP = {"format": "PNG", "frames": [{**PLAIN, "metadata": {"xmp": b"<x/>"}}]}
TWO = {"format": "TIFF", "frames": [PLAIN, PLAIN]}


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


def test_shapes_of_files() -> None:
    """The width is the least that holds a file; the largest file has a shape too."""
    for size in (*range(1, 3000), files.MAX_SIZE):
        rows, columns = files.shape_of(size)
        assert rows == -(-3 * columns // 4)
        assert columns == 1 or -(-3 * (columns - 1) // 4) * (columns - 1) < size <= rows * columns
    assert files.shape_of(0) == (1, 1)


def draft(scheme: str = KEYED, meaning: dict[str, Any] | None = None, **fields: Any) -> Header:
    """The header of a picture before it is protected."""
    given: dict[str, Any] = {"unit": "pixel", "shape": FRAME.shape, "dtype": FRAME.dtype} | fields
    extras = None if meaning is None else description.write(meaning)
    return Header(scheme=scheme, rounds=2, key_id=key_id(KEY), extras=extras, **given)


@pytest.mark.parametrize("scheme", [KEYED, ENCRYPT])
def test_every_flip_is_refused(scheme: str) -> None:
    """So is another character in the header, and frames that changed positions."""
    other = replace(FRAME, data=bytes(42))
    chosen = draft(scheme, TWO, salt=SALT, regions=((1, 1, 4, 4),))
    result, header = protect_picture([FRAME, other], chosen, key=KEY)
    assert restore_picture(result, header, key=KEY) == ([FRAME, other], TWO)
    for number, position in [(n, position) for n in (0, 1) for position in range(42)]:
        data = bytearray(result[number].data)
        data[position] ^= 0x80
        altered = list(result)
        altered[number] = replace(result[number], data=bytes(data))
        with pytest.raises(RefusedError, match="altered"):
            restore_picture(altered, header, key=KEY)
    with pytest.raises(RefusedError):
        restore_picture(result[::-1], header, key=KEY)
    for position, new in [(position, new) for position in range(len(header)) for new in b' 0"}']:
        changed = header[:position] + bytes([new]) + header[position + 1 :]
        if changed != header:
            with pytest.raises(RefusedError):
                restore_picture(result, changed, key=KEY)


@pytest.mark.parametrize(
    ("reason", "scheme", "meaning", "fields"),
    [
        ("deterministic salt", ENCRYPT, None, {"kdf": f"scrypt:m=16,t=1,p=1:{SALT}"}),
        ("without use", CONTEXT, None, {"kdf": f"scrypt:m=16,t=1,p=1:{SALT}"}),
        ("another unit", ENCRYPT, None, {"unit": "sample"}),
        ("under a context", CONTEXT, XMP, {}),
        ("other frames", KEYED, TWO, {}),
        ("shape", KEYED, None, {"shape": (7, 6)}),
        ("a selection", KEYED, None, {"shape": (42,), "regions": ((0, 0, 1, 1),)}),
        ("needs no description", KEYED, {**TWO, "frames": [PLAIN]}, {}),
        ("readable", KEYED, {**XMP, "readable": ["exif"]}, {}),
    ],
)
def test_what_is_not_made(
    reason: str, scheme: str, meaning: dict[str, Any] | None, fields: dict[str, Any]
) -> None:
    """A writer refuses what readers would, and says why."""
    context = "x" if scheme == CONTEXT else None
    with pytest.raises(RefusedError, match=reason):
        protect_picture([FRAME], draft(scheme, meaning, **fields), key=KEY, context=context)


def test_what_is_not_made_of_frames_and_files() -> None:
    """Frames without a description, contexts of other schemes, files with more behind them."""
    with pytest.raises(RefusedError, match="without a description"):
        protect_picture([FRAME] * 2, draft(), key=KEY)
    with pytest.raises(RefusedError, match="a context text is for"):
        protect_picture([FRAME], draft(), key=KEY, context="x")
    with pytest.raises(RefusedError, match="neither header nor context"):
        restore_picture([FRAME], None, key=KEY)
    meaning, frame = files.meaning_of_file(b"0123456789", "a"), files.frame_of_file(b"0123456789")
    longer = replace(frame, data=frame.data[:-1] + b"\1")
    whole = draft(ENCRYPT, meaning, shape=(3, 4))
    for reason, picture, header in (
        ("behind the end", longer, whole),
        ("another scheme", frame, draft(KEYED, meaning, shape=(3, 4))),
        ("a selection", frame, replace(whole, regions=((0, 0, 1, 1),))),
    ):
        with pytest.raises(RefusedError, match=reason):
            protect_picture([picture], header, key=KEY)
    meaning["frames"][0]["shape"].reverse()
    with pytest.raises(RefusedError, match="another form"):
        description.write(meaning)


@pytest.mark.parametrize(
    "data", [PNG_SIGNATURE + b"\0\0\0\x09iTXt", b"II*\0\x08\0\0\0\1\0", b"GIF89a" + bytes(7)]
)
def test_files_that_are_cut(data: bytes) -> None:
    """A file that ends before its pictures do has no header to look for."""
    with pytest.raises(RefusedError, match="damaged"):
        from_picture(data)


def test_headers_stand_still() -> None:
    """A written header is read and written again, with what a reader may not miss."""
    _, written = protect_picture([FRAME], draft(salt=SALT), key=KEY)
    header = headers.read(written)
    assert headers.write(header) == written
    for missing in ("salt", "tag", "seal"):
        with pytest.raises(RefusedError):
            headers.read(headers.write(header.without(missing)))

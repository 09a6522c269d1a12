"""What a salt, a tag and a context bind: whatever differs gives streams that are unrelated.

Which bytes they are is under tests/vectors.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Key,
    encrypt,
    picture_permutation,
    scramble,
    unscramble,
)
from sudokucrypt.keys.secret import KeyStream
from sudokucrypt.typing import AnyArray, Unit

KEY = Key(bytes(range(32)))
NUMBERS = np.arange(40 * 30 * 3).reshape(40, 30, 3)


@pytest.mark.parametrize("protect", [scramble, encrypt])
def test_a_deterministic_salt_tells_equal_pictures_alone(protect: Any) -> None:
    """Equal picture, options and key give equal bytes; any difference another picture key."""
    once, again = (protect(NUMBERS, KEY, deterministic=True) for _ in range(2))
    assert once.header == again.header
    assert np.array_equal(once.pixels, again.pixels)
    other = NUMBERS.copy()
    other[7, 7, 1] ^= 1
    results = [
        once,
        protect(other, KEY, deterministic=True),
        protect(NUMBERS.reshape(30, 40, 3), KEY, deterministic=True),
        protect(NUMBERS.view("u8"), KEY, deterministic=True),
        protect(NUMBERS, KEY, deterministic=True, rounds=7),
        protect(NUMBERS, Key(bytes(32)), deterministic=True),
        protect(NUMBERS, KEY),
    ]
    headers = [result.header for result in results]
    assert len({header.salt for header in headers}) == len(results)
    keys = [KEY.picture_key(header.salt or b"").to_bytes() for header in headers]
    assert len(set(keys)) == len(results)


def test_schemes_do_not_share_a_deterministic_salt() -> None:
    """Scrambled and encrypted, one picture has two picture keys, and so has it in other units."""
    units: list[Unit] = ["pixel", "sample", "block"]
    headers = [encrypt(NUMBERS, KEY, deterministic=True).header]
    headers += [scramble(NUMBERS, KEY, unit=unit, deterministic=True).header for unit in units]
    assert len({header.salt for header in headers}) == 4


@pytest.mark.parametrize("unit", ["pixel", "sample", "block"])
@pytest.mark.parametrize("shape", [(1200,), (40, 30), (40, 30, 3), (1, 1), (2, 3), (33, 35, 2)])
def test_the_map_of_a_picture(unit: Unit, shape: tuple[int, ...]) -> None:
    """scrambled = flat[perm] for the whole units, under master key and picture key alike."""
    plain = np.arange(int(np.prod(shape))).reshape(shape)
    result = scramble(plain, KEY, unit=unit, block_size=3 if unit == "block" else None)
    perm = picture_permutation(KEY, result.header)
    assert np.array_equal(np.sort(perm), np.arange(len(perm)))
    assert np.array_equal(perm, picture_permutation(KEY.for_picture(result.header), result.header))

    def units(image: AnyArray) -> AnyArray:
        grid = image if image.ndim > 1 else image[None]
        rows, columns, size = grid.shape[0], grid.shape[1], 3
        if unit != "block":
            return grid.reshape(rows * columns, -1) if unit == "pixel" else grid.reshape(-1, 1)
        cut = grid[: rows // size * size, : columns // size * size]
        if not cut.size:
            return cut.reshape(0, 1)
        tall, wide = cut.shape[0] // size, cut.shape[1] // size
        return cut.reshape(tall, size, wide, size, -1).swapaxes(1, 2).reshape(tall * wide, -1)

    assert np.array_equal(units(plain)[perm], units(result.pixels))


def test_maps_that_are_not_there() -> None:
    """Another key, a changed header, and a context have no map to return."""
    result = scramble(NUMBERS, KEY)
    with pytest.raises(DecryptionError):
        picture_permutation(Key(bytes(32)), result.header)
    changed = replace(result.header, rounds=result.header.rounds + 1)
    under = scramble(NUMBERS, KEY, context="x").header
    for key in (KEY, KEY.for_picture(result.header)):
        with pytest.raises(DecryptionError):
            picture_permutation(key, changed)
        with pytest.raises(FormatError):
            picture_permutation(key, under)
    with pytest.raises(FormatError):
        picture_permutation(KEY, replace(result.header, header_mac=None))


@pytest.mark.parametrize(
    "change",
    [{"rounds": 3}, {"unit": "sample"}, {"unit": "block", "block_size": 5}, {"shape": (30, 40, 3)}],
)
def test_a_context_is_bound_to_the_options(change: dict[str, Any]) -> None:
    """Other rounds, another unit or shape in the header give another picture, never an error."""
    result = scramble(NUMBERS, KEY, context="x", rounds=2)
    header = replace(result.header, **change)
    pixels = result.pixels.reshape(header.shape)
    wrong = unscramble(pixels, KEY, header, context="x")
    assert np.array_equal(np.sort(wrong, axis=None), np.sort(NUMBERS, axis=None))
    assert np.mean(wrong.reshape(-1) == NUMBERS.reshape(-1)) < 0.05


def subkeys_of(monkeypatch: pytest.MonkeyPatch, plain: AnyArray, **options: Any) -> set[bytes]:
    """The keys of all streams that scrambling under a context takes."""
    with monkeypatch.context() as patch:
        taken: list[bytes] = []
        begin = KeyStream.__init__

        def watched(self: KeyStream, subkey: bytes) -> None:
            taken.append(subkey)
            begin(self, subkey)

        patch.setattr(KeyStream, "__init__", watched)
        scramble(plain, KEY, **options)
    assert taken
    return set(taken)


def test_no_stream_serves_two_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams differ with text, rows, columns, channels, unit, block size, rounds and frame."""
    flat = NUMBERS.reshape(-1)
    cases: list[tuple[AnyArray, dict[str, Any]]] = [
        (NUMBERS, {"context": "x"}),
        (NUMBERS, {"context": "y"}),
        (NUMBERS, {"context": "x", "rounds": 5}),
        (NUMBERS, {"context": "x", "unit": "sample", "rounds": 8}),
        (NUMBERS, {"context": "x", "unit": "block", "block_size": 4}),
        (NUMBERS, {"context": "x", "unit": "block", "block_size": 7}),
        (flat.reshape(30, 40, 3), {"context": "x"}),
        (flat.reshape(40, 90), {"context": "x"}),
        (flat.reshape(20, 30, 6), {"context": "x"}),
        (flat, {"context": "x"}),
    ]
    taken = [subkeys_of(monkeypatch, plain, **options) for plain, options in cases]
    assert len(set.union(*taken)) == sum(map(len, taken))

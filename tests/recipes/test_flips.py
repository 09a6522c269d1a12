"""A flipped bit anywhere in a protected file gives a clear error or the exact picture."""

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt import (
    Header,
    Key,
    SudokucryptError,
    decrypt,
    encrypt,
    scramble,
    unscramble,
)
from sudokucrypt.images import decode_picture
from tests.images.builders import encoded

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray

KEY = Key(bytes(range(32)))


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WebP"])
@pytest.mark.parametrize("mode", ["encrypt", "scramble"])
@pytest.mark.parametrize("count", [150, pytest.param(2000, marks=pytest.mark.nightly)])
def test_flipped_bits_of_files(mode: str, kind: str, count: int) -> None:
    """In many files with one random bit flipped, no wrong picture is ever released."""
    rng = random.Random(f"{mode} {kind}")  # noqa: S311 - places, not secrets
    plain = np.random.default_rng(2).integers(0, 256, (19, 23, 3), dtype=np.uint8)
    protect, restore = (encrypt, decrypt) if mode == "encrypt" else (scramble, unscramble)
    result = protect(plain, KEY, deterministic=False)
    good = encoded(result.pixels, kind, header=result.header.to_bytes())
    outcomes = {"refused": 0, "exact": 0}
    for _ in range(count):
        damaged = bytearray(good)
        damaged[rng.randrange(len(good))] ^= 1 << rng.randrange(8)
        try:
            picture = decode_picture(bytes(damaged))
            header = None if picture.header is None else Header.from_bytes(picture.header)
            restored: AnyArray = restore(picture.pixels, KEY, header)
        except SudokucryptError:
            outcomes["refused"] += 1
        else:
            assert np.array_equal(restored, plain)
            outcomes["exact"] += 1
    assert outcomes["refused"] > 3 * count // 4, outcomes

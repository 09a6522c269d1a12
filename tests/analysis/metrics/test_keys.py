"""Test key sensitivity, avalanche and key space on schemes with known values."""

import hashlib
import itertools
import math
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import avalanche, key_sensitivity
from sudokucrypt.errors import DecryptionError
from sudokucrypt.sudoku import seeded_draws
from tests.analysis.metrics.chance import find_wrong_statistics, make_noise

KEY = bytes(range(16))


def draw_stream(size: int, key: bytes) -> Any:
    """Return bytes that depend on a key."""
    return np.frombuffer(hashlib.shake_256(key).digest(size), dtype=np.uint8)


def mask_image(image: Any, key: bytes) -> Any:
    """Mask an image by a key stream, which is its own inverse."""
    mask = draw_stream(image.nbytes, key)
    mask = mask % 2 == 1 if image.dtype == bool else mask.view(image.dtype)
    return image ^ mask.reshape(image.shape)


def hash_image(image: Any, key: bytes) -> Any:
    """Return a hash of key and image, of which each bit depends on all bits."""
    return draw_stream(image.size, key + image.tobytes()).reshape(image.shape)


def keep_image(image: Any, key: bytes) -> Any:  # noqa: ARG001
    """Return the image unchanged."""
    return image


def permute_samples(image: Any, key: bytes) -> Any:
    """Permute the samples by the key."""
    order = np.random.default_rng(int.from_bytes(key, "big")).permutation(image.size)
    return image.ravel()[order].reshape(image.shape)


def test_bits_of_the_image_spread_where_they_should() -> None:
    """A flipped bit of the image changes half of a hash, and one bit of a masked image."""
    images = make_noise((150, 10, 10), "uint8", seed=2)
    actual = [avalanche(hash_image, image, KEY, of="image", flips=4) for image in images]
    assert find_wrong_statistics(actual) == []
    score = abs(actual[0].value - 0.5) * 2 * math.sqrt(4 * 800)
    assert actual[0].p_value == pytest.approx(math.erfc(score / math.sqrt(2)), abs=1e-12)
    for scheme in (mask_image, keep_image):
        result = avalanche(scheme, images[0], KEY, of="image", flips=4)
        assert (result.value, result.passed) == (1 / 800, False)


def test_shares_are_those_of_single_flips() -> None:
    """Key sensitivity is the mean over keys with one flipped bit, each bit at most once."""
    image = make_noise((8, 8), "uint8", seed=3)
    queried_keys: list[bytes] = []

    def scheme(pixels: Any, key: bytes) -> Any:
        queried_keys.append(key)
        return mask_image(pixels, key)

    result = key_sensitivity(scheme, image, KEY, flips=10)[0]
    wrong = [key for key in queried_keys if key != KEY]
    assert len(set(wrong)) == len(wrong) == 10
    for key in wrong:
        bits = int.from_bytes(key, "big") ^ int.from_bytes(KEY, "big")
        assert bits.bit_count() == 1
    right = mask_image(image, KEY)
    shares = [np.mean(mask_image(image, key) != right) for key in wrong]
    assert result.value == pytest.approx(np.mean(shares), abs=1e-12)
    queried_keys.clear()
    key_sensitivity(scheme, image, b"k", flips=100)
    assert len(queried_keys) == 10  # two with the key itself
    # The flipped bits depend on the source.
    one, other, again = (
        avalanche(mask_image, image, KEY, flips=2, source=seeded_draws(n)) for n in (1, 2, 1)
    )
    assert one.value != other.value
    assert one == again


def test_a_position_only_scheme_reaches_what_the_note_says() -> None:
    """A scheme that only moves samples fails with the share 1 - sum p^2 of its note."""
    image = (make_noise((40, 40), "uint8", seed=5) < 64).astype(np.uint8)
    result = key_sensitivity(permute_samples, image, KEY, flips=100)[0]
    shares = np.bincount(image.ravel()) / image.size
    assert result.value == pytest.approx(1 - np.sum(shares**2), abs=0.01)
    assert f"{1 - np.sum(shares**2):.6f}" in result.note
    assert result.passed is False


def test_wrong_keys_change_nothing_or_are_refused() -> None:
    """A keyless scheme fails; wrong keys that are refused count as all samples, with a note."""
    image = make_noise((16, 16), "uint8", seed=4)
    for result in key_sensitivity(keep_image, image, KEY, decrypt=keep_image):
        assert (result.value, result.passed) == (0.0, False)
    assert avalanche(keep_image, image, KEY).value == 0.0

    def open_image(image: Any, key: bytes) -> Any:
        if key != KEY:
            raise DecryptionError
        return image

    result = key_sensitivity(mask_image, image, KEY, decrypt=open_image, flips=5)[1]
    assert (result.value, result.passed) == (1.0, True)
    assert "5 of 5 wrong keys were refused" in result.note


def test_a_changing_salt_is_noted() -> None:
    """If two runs under one key differ, the note says to fix the salt."""
    salts = itertools.count()

    def salt_image(image: Any, key: bytes) -> Any:
        return mask_image(image, key + bytes([next(salts)]))

    image = make_noise((16, 16), "uint8", seed=7)
    assert "fix the salt" in key_sensitivity(salt_image, image, KEY)[0].note
    assert "fix the salt" in avalanche(salt_image, image, KEY).note
    assert "fix the salt" not in avalanche(mask_image, image, KEY).note


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16"])
def test_schemes_are_given_the_dtype_of_the_image(dtype: str) -> None:
    """Schemes get images of the original dtype, with equal results in any memory order."""
    image = make_noise((6, 7), dtype, seed=8)

    def scheme(pixels: Any, key: bytes) -> Any:
        assert (pixels.dtype, pixels.shape) == (np.dtype(dtype), (6, 7))
        return mask_image(pixels, key)

    key_sensitivity(scheme, image, KEY, decrypt=scheme, flips=2)
    avalanche(scheme, image, KEY, flips=2)
    one = avalanche(scheme, image, KEY, of="image", flips=6)
    assert one.value == 1 / (42 * {"bool": 1, "uint8": 8, "uint16": 16}[dtype])
    assert (image == make_noise((6, 7), dtype, seed=8)).all()
    for call in (avalanche, key_sensitivity):
        assert call(permute_samples, np.asfortranarray(image), KEY) == call(
            permute_samples, image, KEY
        )
    assert avalanche(keep_image, np.asfortranarray(image), KEY).value == 0.0

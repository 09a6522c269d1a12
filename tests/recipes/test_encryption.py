"""What scrambling leaves of a picture, that encryption leaves nothing, and what keys it takes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    Key,
    KeyDerivation,
    Passphrase,
    UnsupportedVersionError,
    decrypt,
    encrypt,
    picture_permutation,
    scramble,
    unscramble,
)
from sudokucrypt.ciphers import Part, Pipeline, TaggedScheme
from sudokucrypt.images import read_picture
from sudokucrypt.recipes import picture_key
from sudokucrypt.typing import AnyArray, Unit
from sudokucrypt.workers import Workers
from tests.recipes.test_arrays import KEY, image

ASTRONAUT = Path(__file__).parents[2] / "sudokucrypt" / "cli" / "pictures" / "demo.jpg"


def adjacent_z(image: AnyArray, rows: int, columns: int) -> float:
    """Return the correlation of samples one step apart, in standard deviations."""
    height, width = image.shape
    here = image[: height - rows, : width - columns].ravel()
    there = image[rows:, columns:].ravel()
    return float(np.corrcoef(here, there)[0, 1] * np.sqrt(here.size - 1))


def chi_square(counts: AnyArray) -> float:
    """How far these counts are from equal ones."""
    mean = counts.mean()
    return float(((counts - mean) ** 2 / mean).sum())


def test_booleans_stay_booleans() -> None:
    """An encrypted boolean image holds 0 and 1 only, in about equal number."""
    result = encrypt(np.zeros((100, 100), dtype=bool), KEY, deterministic=True)
    counts = np.bincount(result.pixels.view(np.uint8).ravel())
    assert len(counts) == 2
    assert chi_square(counts) < 10.83  # passed by 999 of 1,000 random images


def test_the_pipeline_is_permutation_then_key_stream() -> None:
    """The masked image is the stream over the permuted samples, as the specification says."""
    plain = image((40, 41, 3), "u2")
    result = encrypt(plain, KEY)
    picture_key, tag = KEY.for_picture(result.header), result.header.tag
    assert tag is not None
    moved = plain.reshape(-1, 3)[picture_permutation(KEY, result.header)]
    stream = np.frombuffer(picture_key.stream("keystream", tag).read(moved.nbytes), "<u2")
    assert np.array_equal(result.pixels.ravel(), moved.ravel() ^ stream)


def test_long_masks_do_not_depend_on_threads() -> None:
    """Over several parts of the stream, any number of threads gives the same bytes."""
    plain = np.zeros((1200, 1000, 3), dtype=np.uint8)
    results = [encrypt(plain, KEY, deterministic=True, threads=number) for number in (1, 2, 5)]
    assert all(np.array_equal(result.pixels, results[0].pixels) for result in results)
    picture_key, tag = KEY.for_picture(results[0].header), results[0].header.tag
    assert tag is not None
    assert results[0].pixels.tobytes() == picture_key.stream("keystream", tag).read(plain.nbytes)


def pictures() -> dict[str, AnyArray]:
    """Three pictures with every kind of structure that encryption must hide."""
    gradient = np.add.outer(np.arange(512), np.arange(512)) // 4
    return {
        "astronaut": read_picture(ASTRONAUT).pixels,
        "constant": np.full((512, 512, 3), 77, dtype=np.uint8),
        "gradient": np.repeat(gradient[..., None], 3, axis=2).astype(np.uint8),
    }


@pytest.mark.parametrize("name", ["astronaut", "constant", "gradient"])
def test_encrypted_pictures_look_uniform(name: str) -> None:
    """Histogram, entropy and neighbours of each channel are those of random samples."""
    pixels = encrypt(pictures()[name], KEY, deterministic=True).pixels
    for channel in range(3):
        samples = pixels[..., channel]
        counts = np.bincount(samples.ravel(), minlength=256)
        assert chi_square(counts) < 330.6  # passed by 999 of 1,000 random images
        shares = counts / counts.sum()
        entropy = -(shares * np.log2(shares)).sum()
        # A random image of K samples falls short of 8 bits by 255 / (2 K ln 2) on average.
        shortfall = 255 / (2 * samples.size * np.log(2))
        assert abs(8 - entropy - shortfall) < 5 * np.sqrt(2 / 255) * shortfall
        for step in ((0, 1), (1, 0), (1, 1)):
            assert abs(adjacent_z(samples.astype(float), *step)) < 3.5


@pytest.mark.slow
def test_npcr_and_uaci_pass() -> None:
    """One sample changed by one, without salt: in 88 of 100 runs both tests pass at 0.05.

    Critical values after Wu, Noonan, Agaian (2011), from their formulas.
    """
    from scipy import stats

    rng = np.random.default_rng(5)
    size = 128 * 128
    npcr_low = 255 / 256 + stats.norm.ppf(0.05) * np.sqrt(255 / 256**2 / size)
    mean = 257 / 768
    variance = 257 * (255**2 + 2 * 255 + 3) / (18 * 256**2 * 255 * size)
    passed = np.zeros(2, dtype=int)
    for index in range(100):
        plain = rng.integers(0, 255, (128, 128), dtype=np.uint8)
        other = plain.copy()
        other[tuple(rng.integers(0, 128, 2))] += 1
        key = Key(bytes([index]) * 32)
        first, second = (encrypt(p, key, deterministic=True).pixels for p in (plain, other))
        npcr = np.mean(first != second)
        uaci = np.mean(np.abs(first.astype(int) - second.astype(int))) / 255
        passed += (npcr > npcr_low, abs(uaci - mean) < stats.norm.ppf(0.975) * np.sqrt(variance))
    assert (passed >= 88).all(), passed


@pytest.mark.parametrize("unit", ["pixel", "sample"])
def test_scrambling_leaves_the_values_and_no_neighbours(unit: Unit) -> None:
    """Each histogram stays; the adjacent-pixel correlation of a photograph is that of chance."""
    plain = read_picture(ASTRONAUT).pixels
    pixels = scramble(plain, KEY, unit=unit, deterministic=True).pixels
    for channel in range(3):
        before, after = plain[..., channel], pixels[..., channel]
        if unit == "pixel":
            assert np.array_equal(np.bincount(before.ravel()), np.bincount(after.ravel()))
        for step in ((0, 1), (1, 0), (1, 1)):
            assert abs(adjacent_z(before.astype(float), *step)) > 100
            assert abs(adjacent_z(after.astype(float), *step)) < 3


def test_other_schemes_are_refused() -> None:
    """A scheme that only scrambles, one that is not known, and one that version 1.1.0 had."""
    plain = image((20, 30, 3))
    with pytest.raises(InvalidParameterError):
        encrypt(plain, KEY, scheme="scramble-v1")
    with pytest.raises(UnsupportedVersionError):
        encrypt(plain, KEY, scheme="encrypt-v9")
    result = encrypt(plain, KEY)
    old = replace(result.header, scheme="insecure-logistic-substitution-v1")
    for restore in (decrypt, unscramble):
        with pytest.raises(UnsupportedVersionError, match=r"restore it with version 1\.1\.0$"):
            restore(result.pixels, KEY, old)


def test_the_refusal_of_a_passphrase_tells_nothing() -> None:
    """Whether the 32 bits of the id fit does not show: a stranger may have chosen id and costs."""
    result = encrypt(image((9, 11)), Passphrase("open"))
    assert result.header.kdf is not None
    guess = Passphrase("guess")
    fitting = KeyDerivation.from_text(result.header.kdf).derive(guess).id
    refusals = set()
    for key_id in (result.header.key_id, fitting):
        header = replace(result.header, key_id=key_id)
        for work in (lambda h: decrypt(result.pixels, guess, h), lambda h: picture_key(guess, h)):
            with pytest.raises(DecryptionError) as raised:
                work(header)
            refusals.add((str(raised.value), raised.value.hint, raised.value.hint_key))
    assert len(refusals) == 1


def test_passphrases() -> None:
    """A passphrase restores, in any normal form; another one, a key, or no record does not."""
    plain = image((9, 11))
    result = encrypt(plain, Passphrase("caf\u00e9"))
    assert result.header.kdf is not None
    assert np.array_equal(decrypt(result.pixels, Passphrase("cafe\u0301"), result.header), plain)
    for wrong in (Passphrase("cafe"), KEY):
        with pytest.raises(DecryptionError):
            decrypt(result.pixels, wrong, result.header)
    keyed = encrypt(plain, KEY)
    with pytest.raises(DecryptionError):
        decrypt(keyed.pixels, Passphrase("caf\u00e9"), keyed.header)
    hidden = scramble(plain, Passphrase("x"))
    assert np.array_equal(unscramble(hidden.pixels, Passphrase("x"), hidden.header), plain)


def test_an_encrypted_picture_has_the_unit_pixel() -> None:
    """Even an authentic header with another unit is refused."""
    part, draft = Part(pixels=image((9, 11))), encrypt(image((9, 11)), KEY).header
    odd = TaggedScheme("encrypt-v1", lambda _: Pipeline(()))
    draft = replace(draft, unit="sample", tag=None, header_mac=None)
    with Workers(1) as workers:
        frames, header = odd.protect([part], KEY, draft, workers)
        assert odd.open_header(KEY, header, workers) == header
    with pytest.raises(FormatError, match="unit pixel"):
        decrypt(frames[0], KEY, header)


def test_the_key_of_a_passphrase_opens_too() -> None:
    """Whoever has the key that was derived needs neither passphrase nor derivation."""
    plain = image((9, 11))
    result = encrypt(plain, Passphrase("x"))
    derived = KeyDerivation.from_text(result.header.kdf or "").derive(Passphrase("x"))
    assert np.array_equal(decrypt(result.pixels, derived, result.header), plain)
    assert (result.header.kdf or "")[-32:] != (result.header.salt or b"").hex()
    other = encrypt(plain, Passphrase("x"))
    assert other.header.kdf != result.header.kdf


def test_passphrases_need_salt() -> None:
    """Deterministic results and contexts ask for a key."""
    cases: list[dict[str, Any]] = [{"deterministic": True}, {"context": "x"}]
    for options in cases:
        with pytest.raises(InvalidParameterError):
            scramble(image((4, 4)), Passphrase("x"), **options)
    with pytest.raises(InvalidParameterError):
        unscramble(image((4, 4)), Passphrase("x"), context="x")

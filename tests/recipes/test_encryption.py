"""encrypt and decrypt: exact, authenticated, uniform, and different every time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    Key,
    KeyDerivation,
    Passphrase,
    UnsupportedError,
    UnsupportedVersionError,
    decrypt,
    encrypt,
    picture_permutation,
    scramble,
    unscramble,
)
from sudokucrypt.ciphers import Part, Pipeline, TaggedScheme
from sudokucrypt.images import read_picture
from sudokucrypt.workers import Workers
from tests.recipes.test_arrays import CUT, DTYPES, KEY, image
from tests.recipes.test_hiding import ASTRONAUT, adjacent_z

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray

SHAPES = st.one_of(
    st.tuples(st.integers(1, 200)),
    st.tuples(st.integers(1, 50), st.integers(1, 50)),
    st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 5)),
)


@given(SHAPES, st.sampled_from(DTYPES), st.sampled_from(["<", ">"]), st.booleans())
def test_round_trip(
    shape: tuple[int, ...], dtype: str, order: Literal["<", ">"], deterministic: bool
) -> None:
    """Every shape and dtype comes back bit by bit, in either byte order; the input stays."""
    plain = image(shape, np.dtype(dtype).newbyteorder(order))
    before = plain.tobytes()
    result = encrypt(plain, KEY, deterministic=deterministic)
    assert (result.pixels.shape, result.pixels.dtype) == (plain.shape, plain.dtype)
    assert plain.tobytes() == before
    again = encrypt(plain, KEY, deterministic=deterministic)
    assert (again.header == result.header) == deterministic
    back = decrypt(result.pixels, KEY, result.header)
    assert (back.dtype, back.tobytes()) == (plain.dtype, before)


def test_booleans_stay_booleans() -> None:
    """An encrypted boolean image holds 0 and 1 only, in about equal number."""
    result = encrypt(np.zeros((100, 100), dtype=bool), KEY, deterministic=True)
    counts = np.bincount(result.pixels.view(np.uint8).ravel())
    assert len(counts) == 2
    assert stats.chisquare(counts).pvalue > 1e-3


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
        assert stats.chisquare(counts).pvalue > 1e-3
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
    rng = np.random.default_rng(5)
    size = 128 * 128
    npcr_low = 255 / 256 + stats.norm.ppf(0.05) * np.sqrt(255 / 256**2 / size)
    mean = 257 / 768
    variance = 257 * (255**2 + 2 * 255 + 3) / (18 * 256**2 * 255 * size)
    passed = np.zeros(2, dtype=int)
    for number in range(100):
        plain = rng.integers(0, 255, (128, 128), dtype=np.uint8)
        other = plain.copy()
        other[tuple(rng.integers(0, 128, 2))] += 1
        key = Key(bytes([number]) * 32)
        first, second = (encrypt(p, key, deterministic=True).pixels for p in (plain, other))
        npcr = np.mean(first != second)
        uaci = np.mean(np.abs(first.astype(int) - second.astype(int))) / 255
        passed += (npcr > npcr_low, abs(uaci - mean) < stats.norm.ppf(0.975) * np.sqrt(variance))
    assert (passed >= 88).all(), passed


def test_every_result_is_new() -> None:
    """Twice the same picture gives unrelated results, unless salt is left out."""
    plain = image((40, 40))
    first, second = (encrypt(plain, KEY) for _ in range(2))
    assert np.mean(first.pixels == second.pixels) < 0.02
    once, again = (encrypt(plain, KEY, deterministic=True) for _ in range(2))
    assert once.header == again.header
    assert np.array_equal(once.pixels, again.pixels)


@given(st.data())
@settings(max_examples=150)
def test_any_flipped_bit_is_detected(data: st.DataObject) -> None:
    """A flipped bit of pixels, salt, tag or seal is a DecryptionError."""
    result = encrypt(image((9, 11, 3)), KEY)
    pixels, header = result.pixels.copy(), result.header
    place = data.draw(st.sampled_from(["pixels", "salt", "tag", "seal"]))
    bit = data.draw(st.integers(0, 7))
    if place == "pixels":
        pixels.flat[data.draw(st.integers(0, pixels.size - 1))] ^= np.uint8(1 << bit)
    else:
        value = bytearray(getattr(header, place))
        value[data.draw(st.integers(0, len(value) - 1))] ^= 1 << bit
        changed: dict[str, Any] = {place: bytes(value)}
        header = replace(header, **changed)
    with pytest.raises(DecryptionError):
        decrypt(pixels, KEY, header)


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 7},
        {"salt": bytes(16)},
        {"key_id": "00000000"},
        {"kdf": "scrypt:m=2,t=1,p=1:" + "00" * 16},
        {"shape": (11, 9)},
        {"dtype": "int8"},
        {"regions": ((0, 0, 9, 11),)},
        {"mask": b"\0\x63"},
        {"extras": b"x"},
        {"unit": "sample"},
    ],
)
def test_any_changed_field_is_detected(change: dict[str, Any]) -> None:
    """Every field of the header is authenticated."""
    result = encrypt(image((9, 11)), KEY)
    with pytest.raises(DecryptionError):
        decrypt(result.pixels, KEY, replace(result.header, **change))


def test_schemes_do_not_mix() -> None:
    """What was scrambled is not decrypted, nor the other way round; a swapped name is detected."""
    plain = image((9, 11))
    encrypted, scrambled = encrypt(plain, KEY), scramble(plain, KEY)
    with pytest.raises(InvalidParameterError, match="not scrambled"):
        unscramble(encrypted.pixels, KEY, encrypted.header)
    with pytest.raises(InvalidParameterError, match="scrambled only"):
        decrypt(scrambled.pixels, KEY, scrambled.header)
    with pytest.raises(InvalidParameterError):
        encrypt(plain, KEY, scheme="scramble-v1")
    with pytest.raises(UnsupportedVersionError):
        encrypt(plain, KEY, scheme="encrypt-v9")
    with pytest.raises(DecryptionError):
        decrypt(scrambled.pixels, KEY, replace(scrambled.header, scheme="encrypt-v1"))
    for lost in CUT:
        with pytest.raises(FormatError, match="salt, tag or seal"):
            decrypt(encrypted.pixels, KEY, replace(encrypted.header, **lost))


def test_insecure_schemes_must_be_named() -> None:
    """A scheme for study works when it is asked for by name, and is refused otherwise."""
    name = "insecure-logistic-substitution-v1"
    plain = image((20, 30, 3))
    result = encrypt(plain, KEY, scheme=name)
    assert np.mean(result.pixels == plain) < 0.02
    assert np.array_equal(decrypt(result.pixels, KEY, result.header, scheme=name), plain)
    with pytest.raises(UnsupportedError, match="not secure"):
        decrypt(result.pixels, KEY, result.header)
    with pytest.raises(UnsupportedError, match="8 bits"):
        encrypt(image((20, 30), "u2"), KEY, scheme=name)


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
    draft = replace(draft, unit="sample", tag=None, seal=None)
    with Workers(1) as workers:
        frames, header = odd.protect([part], KEY, draft, workers)
        assert odd.opened(KEY, header, workers) == header
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

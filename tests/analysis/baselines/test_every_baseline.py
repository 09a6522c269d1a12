"""Test properties of all schemes to compare with: their inverses, keys and shapes."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from inspect import isabstract
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import DecryptionError, InvalidImageError
from sudokucrypt.analysis import BASELINES, baselines, report_key
from sudokucrypt.analysis.baselines import Baseline, GrayCipher, PixelMap
from sudokucrypt.analysis.baselines import substituting as standard


def iterate_concrete_kinds(base: Any) -> Iterator[type[Baseline]]:
    """Yield all concrete subclasses of a class, in any module."""
    len(BASELINES)  # imports the modules
    for kind in base.__subclasses__():
        yield from iterate_concrete_kinds(kind)
        if not isabstract(kind):
            yield kind


USUAL_BASELINES: dict[str, Baseline] = {
    kind.name: kind() for kind in iterate_concrete_kinds(Baseline)
}
"""Each scheme with its default parameters."""

STANDARD = {"aes-128-ctr", "aes-128-ctr-fixed-nonce", "aes-256-gcm", "chacha20"}
"""The names of the standard ciphers, which are functions."""

WHOLE_BYTES = {"dna", "ele", "le"}
"""The schemes that refuse samples of one bit."""

BYTES_ONLY = {"logistic-substitution"}
SQUARE_ONLY = {"arnold", "baker", "fridrich-reduced", "fu", "ieaie-one-round"}

MAPS: list[PixelMap] = [
    *(scheme for scheme in USUAL_BASELINES.values() if isinstance(scheme, PixelMap)),
    baselines.ArnoldMap(iterations=3, a=2, b=5),
    baselines.BlockShuffle(3, seed=4),
    baselines.Fibonacci(iterations=2),
    baselines.FibonacciPCode(p=4),
    baselines.GrayCode(iterations=1),
    baselines.RowColumnShuffle(9),
]


@pytest.mark.parametrize("scheme", MAPS, ids=repr)
def test_targets_are_permutations_of_every_size(scheme: PixelMap) -> None:
    """For all sides up to 13 targets are a permutation, or the sides are refused."""
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


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(
        [
            *USUAL_BASELINES.values(),
            *MAPS,
            baselines.GrayEncryptThenCompress(3),
            baselines.ColorEncryptThenCompress(2),
            baselines.LogisticSubstitution(0.7),
        ]
    ),
    st.integers(1, 26),
    st.integers(1, 40),
    st.sampled_from([(), (1,), (3,), (5,)]),
    st.sampled_from(["bool", "uint8", "uint16", ">u2", "float32"]),
)
def test_each_scheme_is_undone(
    scheme: Baseline, rows: int, columns: int, channels: tuple[int, ...], dtype: str
) -> None:
    """Schemes keep shape and dtype, restore any image, and do not change their input."""
    if scheme.name in SQUARE_ONLY:
        rows = columns = rows // 2 * 2 + 4
    if scheme.name in BYTES_ONLY or (scheme.name in WHOLE_BYTES and dtype == "bool"):
        dtype = "uint8"
    if isinstance(scheme, GrayCipher):
        channels, dtype = (), "uint8"
    if dtype == "float32" and not isinstance(scheme, PixelMap):
        dtype = "uint16"
    plain = np.random.default_rng(2).integers(0, 2**16, (rows, columns, *channels)).astype(dtype)
    plain_bytes = plain.tobytes()
    result = scheme.scramble(plain)
    assert (result.shape, result.dtype.name) == (plain.shape, plain.dtype.name)
    assert np.array_equal(scheme.unscramble(result), plain)
    assert np.array_equal(scheme.scramble(np.asfortranarray(plain)), result)
    assert plain.tobytes() == plain_bytes
    if isinstance(scheme, PixelMap):
        targets = scheme.targets(rows, columns)
        pixels = plain.reshape(rows * columns, -1)
        assert np.array_equal(result.reshape(rows * columns, -1)[targets], pixels)


@pytest.mark.parametrize("name", USUAL_BASELINES)
@pytest.mark.parametrize("shape", [(1, 2), (7, 1), (3, 5), (16, 16), (31, 50), (64, 40)])
def test_schemes_restore_every_shape(name: str, shape: tuple[int, int]) -> None:
    """A gray image is restored only under its key; some schemes take only square images."""
    scheme = BASELINES[name]
    image = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    if name in SQUARE_ONLY and shape[0] != shape[1]:
        with pytest.raises(InvalidImageError, match="is defined for square images only"):
            scheme.fixed(image, report_key(0))
        return
    run = scheme.fixed(image, report_key(0))
    assert run.undo is not None
    assert np.array_equal(run.undo(report_key(0)), image)
    assert np.array_equal(run.undo(report_key(0), run.pixels), image)
    assert scheme.inverse is not None
    assert np.array_equal(scheme.inverse(run.pixels, report_key(0)), image)
    if scheme.key_bits and image.size >= 10 * (scheme.block_size or 5) ** 2:
        assert not np.array_equal(run.undo(report_key(1)), image)


def test_results_stay_as_they_were(
    compare_with_record: Callable[[Path, object], None],
) -> None:
    """Figures in papers are measured on results, so the results of a scheme never change.

    A new scheme is added to the list by ``--update``.
    """
    digests = dict[str, dict[str, str]]()
    for name, scheme in sorted(USUAL_BASELINES.items()):
        # Published ciphers have a record of their own, and some depend on the sines of the system.
        if "published" in type(scheme).__module__:
            continue
        for shape in ((16, 16), (3, 40), (40, 3), (13, 21)):
            image = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
            with suppress(InvalidImageError):
                data = np.ascontiguousarray(scheme.scramble(image)).tobytes()
                digests.setdefault(name, {})[str(shape)] = hashlib.sha256(data).hexdigest()[:16]
    compare_with_record(Path(__file__).with_name("results.json"), digests)


def test_names_are_those_of_the_registry_and_defaults_move_nearly_all() -> None:
    """All schemes are registered; at usual sides no default map is close to the identity."""
    assert sorted([*USUAL_BASELINES, *STANDARD]) == sorted(BASELINES)
    maps = {
        scheme.name: scheme for scheme in USUAL_BASELINES.values() if isinstance(scheme, PixelMap)
    }
    for name, side in product(set(maps) - {"block"}, (32, 100, 128)):
        assert np.mean(maps[name].targets(side, side) == np.arange(side * side)) < 0.1


@pytest.mark.parametrize(
    "name", [name for name, each in BASELINES.items() if not each.basis and not each.fresh]
)
def test_keys_count_as_far_as_schemes_say(name: str) -> None:
    """Changed key bits change the result exactly if they are among the stated `key_bits`."""
    scheme = BASELINES[name]
    image = np.arange(48**2).astype(np.uint8).reshape(48, 48)
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


@pytest.mark.parametrize("name", sorted(STANDARD))
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.uint16])
def test_standard_ciphers_are_what_they_are_called(name: str, dtype: type) -> None:
    """Standard ciphers restore samples; only those with new nonces give different results."""
    scheme = BASELINES[name]
    image = np.arange(240).reshape(12, 20) % 2
    image = image.astype(dtype)
    first, second = (scheme.usual(image, report_key(0)) for _ in range(2))
    assert np.array_equal(first.pixels, second.pixels) == (scheme.fresh is None)
    assert first.undo is not None
    assert np.array_equal(first.undo(report_key(0)), image)
    if name == "aes-256-gcm":
        with pytest.raises(DecryptionError):
            first.undo(report_key(1))


@pytest.mark.parametrize(
    ("mode", "key", "nonce", "plain", "result"),
    [
        (  # NIST SP 800-38A, F.5.1
            standard.encrypt_aes_ctr,
            "2b7e151628aed2a6abf7158809cf4f3c",
            "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            "6bc1bee22e409f96e93d7e117393172a",
            "874d6191b620e3261bef6864990db6ce",
        ),
        (  # the test cases of the authors of GCM, no. 14
            standard.encrypt_aes_gcm,
            "00" * 32,
            "00" * 16,
            "00" * 16,
            "cea7403d4d606b6e074ec5d3baf39d18",
        ),
        (  # RFC 8439, 2.4.2: the first 16 bytes; the counter is the head of the nonce
            standard.encrypt_chacha20,
            bytes(range(32)).hex(),
            "01000000000000000000004a00000000",
            b"Ladies and Gentl".hex(),
            "6e2e359a2568f98041ba0728dd0d6981",
        ),
    ],
    ids=["aes-ctr", "aes-gcm", "chacha20"],
)
def test_standard_ciphers_give_published_results(
    mode: standard.CipherMode, key: str, nonce: str, plain: str, result: str
) -> None:
    """Standard ciphers give the results of published test vectors."""
    cipher = mode(bytes.fromhex(plain), bytes.fromhex(key), bytes.fromhex(nonce))
    assert cipher.hex() == result


@pytest.mark.parametrize("name", [name for name, each in BASELINES.items() if each.key_bits])
def test_controls_give_each_image_a_key(name: str) -> None:
    """With a new key for each image, two results of an image differ, and both are restored."""
    control = BASELINES[name].with_new_key_per_image()
    image = np.random.default_rng(1).integers(0, 256, (48, 48), dtype=np.uint8)
    assert control.fresh is not None
    one, other = control.fresh(image, report_key(0)), control.fresh(image, report_key(0))
    assert not np.array_equal(one.pixels, other.pixels)
    for run in (one, other):
        assert run.undo is not None
        assert np.array_equal(run.undo(report_key(0)), image)

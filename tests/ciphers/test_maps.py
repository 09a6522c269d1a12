"""What a salt, a tag and a context bind: whatever differs gives streams that are unrelated.

Which bytes they are is under tests/vectors.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    Key,
    encrypt,
    picture_permutation,
    scramble,
    unscramble,
)
from sudokucrypt.ciphers import (
    SCHEMES,
    SCRAMBLE_JPEG,
    DcRange,
    StageContext,
    coefficient_scheme,
    find_scheme,
)
from sudokucrypt.ciphers._kernels import mantissas_plain
from sudokucrypt.ciphers.jpeg_coefficients import CoefficientMask
from sudokucrypt.header import Header
from sudokucrypt.kernels import load_kernels
from sudokucrypt.keys.key import KeyStream
from sudokucrypt.typing import AnyArray, Unit
from sudokucrypt.workers import Workers
from tests.spies import watch_calls

pytestmark = pytest.mark.kernels

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


def record_subkeys(monkeypatch: pytest.MonkeyPatch, plain: AnyArray, **options: Any) -> set[bytes]:
    """The keys of all streams that scrambling under a context takes."""
    with monkeypatch.context() as patch:
        taken: list[bytes] = []
        watch_calls(patch, KeyStream, "__init__", lambda _, subkey: taken.append(subkey))
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
    taken = [record_subkeys(monkeypatch, plain, **options) for plain, options in cases]
    assert len(set.union(*taken)) == sum(map(len, taken))


# The masks of JPEG coefficients: what they change, what they keep, and that they are undone.


_PICTURE = Key(bytes(range(32))).picture_key(bytes(16))
_STEPS = (1, 2, 3, 16, 255, 2031, 2032, 2033, 2047, 2048, 2049, 65535)


def _blocks(count: int, *, most: int = 32767) -> AnyArray:
    """Blocks of which half the coefficients are zero, the others of every size."""
    generator = np.random.default_rng(count)
    sizes = generator.integers(0, most.bit_length() + 1, (1, count, 64))
    values = generator.integers(-most, most + 1, (1, count, 64)) >> (15 - sizes)
    return (values * generator.integers(0, 2, values.shape)).astype(np.int16)


def _pass_through(
    mask: CoefficientMask, blocks: AnyArray, frame: int = 0, nonce: bytes = b""
) -> AnyArray:
    result = np.empty_like(blocks)
    with Workers(1) as workers:
        mask.forward(blocks, result, StageContext(_PICTURE, nonce, workers, frame))
    return result


@pytest.mark.parametrize("step", _STEPS)
def test_ranges_are_those_of_samples_of_8_bits(step: int) -> None:
    """The least and the largest mean are those of black and white blocks, rounded to nearest."""
    held = DcRange.from_step(step)
    # A half is rounded away from zero, as libjpeg does.
    black, white = -int(8 * 128 / step + 0.5), int(8 * 127 / step + 0.5)
    assert (held.least, held.least + held.count - 1) == (black, white)


@given(st.integers(1, 65535), st.lists(st.integers(-16384, 16383), min_size=1, max_size=20))
def test_turns_bring_means_into_their_range(step: int, means: list[int]) -> None:
    """What is in the range stays; what is not differs by a multiple of its length."""
    held = DcRange.from_step(step)
    inside, wraps = held.split(np.array(means, dtype=np.int16))
    assert ((held.least <= inside) & (inside < held.least + held.count)).all()
    assert (inside + wraps * held.count).tolist() == means
    assert not wraps[[held.least <= mean < held.least + held.count for mean in means]].any()


@pytest.mark.parametrize("count", [1, 2, 37, 9000])
def test_masks_are_undone(count: int) -> None:
    """Means stay in their range, other coefficients keep their size, and all come back."""
    mask = CoefficientMask(tuple(map(DcRange.from_step, (16, 3))))
    blocks = _blocks(count)
    for frame, held in enumerate(mask.ranges):
        blocks[..., 0] = held.split(blocks[..., 0])[0]
        result, back = _pass_through(mask, blocks, frame), np.empty_like(blocks)
        assert not held.split(result[..., 0])[1].any()
        sizes = [np.frexp(np.abs(planes[..., 1:].astype(float)))[1] for planes in (blocks, result)]
        assert np.array_equal(*sizes)
        with Workers(1) as workers:
            mask.backward(result, back, StageContext(_PICTURE, b"", workers, frame))
            mask.backward(result, result, StageContext(_PICTURE, b"", workers, frame))
        assert np.array_equal(back, blocks)
        assert np.array_equal(result, blocks)


def test_masks_spread_over_what_can_be_coded() -> None:
    """Means fall on all of their range alike, and every value of a size on all of that size."""
    blocks = np.zeros((1, 40_000, 64), dtype=np.int16)
    blocks[..., 1:4] = 1, -6, 100
    actual = _pass_through(CoefficientMask((DcRange.from_step(256),)), blocks)
    for position, values in ((0, range(-4, 5)), (1, (-1, 1)), (2, (-7, -6, -5, -4, 4, 5, 6, 7))):
        result, counts = np.unique(actual[..., position], return_counts=True)
        assert result.tolist() == list(values)
        expected = actual.shape[1] / len(values)
        assert ((counts - expected) ** 2 / expected).sum() < 40  # p < 0.00001 for 8 degrees
    assert set(np.unique(abs(actual[..., 3]))) == set(range(64, 128))
    assert not actual[..., 4:].any()


def test_parts_and_pictures_have_masks_of_their_own() -> None:
    """Another part, or another tag, masks in another way."""
    mask, blocks = CoefficientMask((DcRange.from_step(1),) * 2), _blocks(50, most=1000)
    result = [
        _pass_through(mask, blocks, frame, nonce) for frame in (0, 1) for nonce in (b"", b"x")
    ]
    for position in (0, slice(1, None)):
        assert len({plane[..., position].tobytes() for plane in result}) == len(result)


def test_the_kernel_does_what_its_twin_does() -> None:
    """For every coefficient that there is, and any word."""
    values = np.arange(-32767, 32768, dtype=np.int16)
    source = np.concatenate([values[:1], values]).reshape(-1, 64)
    words = np.random.default_rng(1).integers(0, 2**16, source.shape).astype(np.uint16)
    kernel, twin = np.full_like(source, 5), np.full_like(source, 5)
    load_kernels("sudokucrypt.ciphers._kernels", "mantissas").mask(source, kernel, words)
    mantissas_plain.mask(source, twin, words)
    assert np.array_equal(kernel, twin)
    assert (kernel[:, 0] == 5).all()


def test_the_scheme_is_for_files_alone() -> None:
    """It has its name in headers, is none of those for arrays, and says so."""
    assert find_scheme("scramble-jpeg-v1") is SCRAMBLE_JPEG
    assert SCRAMBLE_JPEG.name not in SCHEMES
    assert not SCRAMBLE_JPEG.encrypts
    header = Header(
        scheme=SCRAMBLE_JPEG.name,
        unit="block",
        block_size=8,
        rounds=3,
        shape=(8, 8),
        dtype="uint8",
        key_id="00000000",
    )
    with pytest.raises(InvalidParameterError, match="for JPEG files"):
        SCRAMBLE_JPEG.pipeline(header)
    assert coefficient_scheme([3, 5]).name == SCRAMBLE_JPEG.name
    assert len(coefficient_scheme([3, 5]).pipeline(header).stages) == 2

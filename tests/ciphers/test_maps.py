"""Streams depend on salt, tag and context: any difference gives unrelated streams.

The tests under tests/vectors compare the bytes of streams.
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
def test_deterministic_salts(protect: Any) -> None:
    """Equal picture, options and key give equal bytes; any difference gives another salt."""
    first_result, second_result = (protect(NUMBERS, KEY, deterministic=True) for _ in range(2))
    assert first_result.header == second_result.header
    assert np.array_equal(first_result.pixels, second_result.pixels)
    changed = NUMBERS.copy()
    changed[7, 7, 1] ^= 1
    results = [
        first_result,
        protect(changed, KEY, deterministic=True),
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
    """For one picture, encryption and each unit of scrambling have different salts."""
    units: list[Unit] = ["pixel", "sample", "block"]
    headers = [encrypt(NUMBERS, KEY, deterministic=True).header]
    headers += [scramble(NUMBERS, KEY, unit=unit, deterministic=True).header for unit in units]
    assert len({header.salt for header in headers}) == 4


@pytest.mark.parametrize("unit", ["pixel", "sample", "block"])
@pytest.mark.parametrize("shape", [(1200,), (40, 30), (40, 30, 3), (1, 1), (2, 3), (33, 35, 2)])
def test_the_map_of_a_picture(unit: Unit, shape: tuple[int, ...]) -> None:
    """The map moves whole units as the picture moved them; both kinds of key give the same map."""
    plain = np.arange(int(np.prod(shape))).reshape(shape)
    result = scramble(plain, KEY, unit=unit, block_size=3 if unit == "block" else None)
    perm = picture_permutation(KEY, result.header)
    assert np.array_equal(np.sort(perm), np.arange(len(perm)))
    assert np.array_equal(perm, picture_permutation(KEY.for_picture(result.header), result.header))

    def list_units(image: AnyArray) -> AnyArray:
        grid = image if image.ndim > 1 else image[None]
        rows, columns, size = grid.shape[0], grid.shape[1], 3
        if unit != "block":
            return grid.reshape(rows * columns, -1) if unit == "pixel" else grid.reshape(-1, 1)
        whole_blocks = grid[: rows // size * size, : columns // size * size]
        if not whole_blocks.size:
            return whole_blocks.reshape(0, 1)
        block_rows, block_columns = whole_blocks.shape[0] // size, whole_blocks.shape[1] // size
        return (
            whole_blocks.reshape(block_rows, size, block_columns, size, -1)
            .swapaxes(1, 2)
            .reshape(block_rows * block_columns, -1)
        )

    assert np.array_equal(list_units(plain)[perm], list_units(result.pixels))


def test_maps_that_cannot_be_read() -> None:
    """A wrong key, a changed header, and a picture under a context raise an error."""
    result = scramble(NUMBERS, KEY)
    with pytest.raises(DecryptionError):
        picture_permutation(Key(bytes(32)), result.header)
    changed = replace(result.header, rounds=result.header.rounds + 1)
    context_header = scramble(NUMBERS, KEY, context="x").header
    for key in (KEY, KEY.for_picture(result.header)):
        with pytest.raises(DecryptionError):
            picture_permutation(key, changed)
        with pytest.raises(FormatError):
            picture_permutation(key, context_header)
        with pytest.raises(FormatError):
            picture_permutation(key, replace(result.header, header_mac=None))


@pytest.mark.parametrize(
    "changed_options",
    [{"rounds": 3}, {"unit": "sample"}, {"unit": "block", "block_size": 5}, {"shape": (30, 40, 3)}],
)
def test_a_context_is_bound_to_the_options(changed_options: dict[str, Any]) -> None:
    """Under a context, a header with other options gives a wrong picture and no error."""
    result = scramble(NUMBERS, KEY, context="x", rounds=2)
    header = replace(result.header, **changed_options)
    pixels = result.pixels.reshape(header.shape)
    wrong_pixels = unscramble(pixels, KEY, header, context="x")
    assert np.array_equal(np.sort(wrong_pixels, axis=None), np.sort(NUMBERS, axis=None))
    assert np.mean(wrong_pixels.reshape(-1) == NUMBERS.reshape(-1)) < 0.05


def record_subkeys(monkeypatch: pytest.MonkeyPatch, plain: AnyArray, **options: Any) -> set[bytes]:
    """Return the keys of all streams that scrambling under a context uses."""
    with monkeypatch.context() as patch:
        subkeys: list[bytes] = []
        watch_calls(patch, KeyStream, "__init__", lambda _, subkey: subkeys.append(subkey))
        scramble(plain, KEY, **options)
    assert subkeys
    return set(subkeys)


def test_no_stream_serves_two_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams differ if context, shape, unit, block size, rounds or frame differ."""
    flat_pixels = NUMBERS.reshape(-1)
    cases: list[tuple[AnyArray, dict[str, Any]]] = [
        (NUMBERS, {"context": "x"}),
        (NUMBERS, {"context": "y"}),
        (NUMBERS, {"context": "x", "rounds": 5}),
        (NUMBERS, {"context": "x", "unit": "sample", "rounds": 8}),
        (NUMBERS, {"context": "x", "unit": "block", "block_size": 4}),
        (NUMBERS, {"context": "x", "unit": "block", "block_size": 7}),
        (flat_pixels.reshape(30, 40, 3), {"context": "x"}),
        (flat_pixels.reshape(40, 90), {"context": "x"}),
        (flat_pixels.reshape(20, 30, 6), {"context": "x"}),
        (flat_pixels, {"context": "x"}),
    ]
    subkeys = [record_subkeys(monkeypatch, plain, **options) for plain, options in cases]
    assert len(set.union(*subkeys)) == sum(map(len, subkeys))


# The masks of JPEG coefficients.


_PICTURE = Key(bytes(range(32))).picture_key(bytes(16))
_STEPS = (1, 2, 3, 16, 255, 2031, 2032, 2033, 2047, 2048, 2049, 65535)


def _make_blocks(count: int, *, largest_value: int = 32767) -> AnyArray:
    """Return blocks in which half of the coefficients are zero and the others have all sizes."""
    generator = np.random.default_rng(count)
    sizes = generator.integers(0, largest_value.bit_length() + 1, (1, count, 64))
    values = generator.integers(-largest_value, largest_value + 1, (1, count, 64)) >> (15 - sizes)
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
    """The range of means ends at the rounded means of a black and a white block."""
    dc_range = DcRange.from_step(step)
    # A half is rounded away from zero, as libjpeg does.
    black, white = -int(8 * 128 / step + 0.5), int(8 * 127 / step + 0.5)
    assert (dc_range.least, dc_range.least + dc_range.count - 1) == (black, white)


@given(st.integers(1, 65535), st.lists(st.integers(-16384, 16383), min_size=1, max_size=20))
def test_means_move_into_their_range(step: int, means: list[int]) -> None:
    """Means in the range stay; others move into it by a multiple of its length."""
    dc_range = DcRange.from_step(step)
    moved_means, wraps = dc_range.split(np.array(means, dtype=np.int16))
    assert ((dc_range.least <= moved_means) & (moved_means < dc_range.least + dc_range.count)).all()
    assert (moved_means + wraps * dc_range.count).tolist() == means
    assert not wraps[
        [dc_range.least <= mean < dc_range.least + dc_range.count for mean in means]
    ].any()


@pytest.mark.parametrize("count", [1, 2, 37, 9000])
def test_masks_are_undone(count: int) -> None:
    """Masked means stay in their range, other coefficients keep their size; all are restored."""
    mask = CoefficientMask(tuple(map(DcRange.from_step, (16, 3))))
    blocks = _make_blocks(count)
    for frame, dc_range in enumerate(mask.ranges):
        blocks[..., 0] = dc_range.split(blocks[..., 0])[0]
        result, restored = _pass_through(mask, blocks, frame), np.empty_like(blocks)
        assert not dc_range.split(result[..., 0])[1].any()
        sizes = [np.frexp(np.abs(planes[..., 1:].astype(float)))[1] for planes in (blocks, result)]
        assert np.array_equal(*sizes)
        with Workers(1) as workers:
            mask.backward(result, restored, StageContext(_PICTURE, b"", workers, frame))
        with Workers(3) as workers:
            mask.backward(result, result, StageContext(_PICTURE, b"", workers, frame))
        assert np.array_equal(restored, blocks)
        assert np.array_equal(result, blocks)


def test_masked_values_are_uniform() -> None:
    """Masked means are uniform in their range, and masked coefficients in those of their size."""
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
    """Another component or another tag gives another mask."""
    mask, blocks = (
        CoefficientMask((DcRange.from_step(1),) * 2),
        _make_blocks(50, largest_value=1000),
    )
    result = [
        _pass_through(mask, blocks, frame, nonce) for frame in (0, 1) for nonce in (b"", b"x")
    ]
    for position in (0, slice(1, None)):
        assert len({plane[..., position].tobytes() for plane in result}) == len(result)


def test_the_kernel_equals_its_fallback() -> None:
    """Kernel and fallback give the same result for every coefficient and random words."""
    values = np.arange(-32767, 32768, dtype=np.int16)
    source = np.concatenate([values[:1], values]).reshape(-1, 64)
    words = np.random.default_rng(1).integers(0, 2**16, source.shape).astype(np.uint16)
    kernel_result, fallback_result = np.full_like(source, 5), np.full_like(source, 5)
    load_kernels("sudokucrypt.ciphers._kernels", "mantissas").mask(source, kernel_result, words)
    mantissas_plain.mask(source, fallback_result, words)
    assert np.array_equal(kernel_result, fallback_result)
    assert (kernel_result[:, 0] == 5).all()


def test_the_scheme_is_only_for_files() -> None:
    """`find_scheme` returns the scheme by name; it is not registered and refuses arrays."""
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

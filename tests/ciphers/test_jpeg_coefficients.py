"""The masks of JPEG coefficients: what they change, what they keep, and that they are undone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import InvalidParameterError, Key
from sudokucrypt.ciphers import (
    SCHEMES,
    SCRAMBLE_JPEG,
    DcRange,
    StageContext,
    coefficient_scheme,
    scheme_named,
)
from sudokucrypt.ciphers._kernels import mantissas_plain
from sudokucrypt.ciphers.jpeg_coefficients import CoefficientMask
from sudokucrypt.header import Header
from sudokucrypt.kernels import load_kernels
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers

pytestmark = pytest.mark.kernels

_PICTURE = Key(bytes(range(32))).picture_key(bytes(16))
_STEPS = (1, 2, 3, 16, 255, 2031, 2032, 2033, 2047, 2048, 2049, 65535)


def _blocks(count: int, *, most: int = 32767) -> AnyArray:
    """Blocks of which half the coefficients are zero, the others of every size."""
    generator = np.random.default_rng(count)
    sizes = generator.integers(0, most.bit_length() + 1, (1, count, 64))
    values = generator.integers(-most, most + 1, (1, count, 64)) >> (15 - sizes)
    return (values * generator.integers(0, 2, values.shape)).astype(np.int16)


def _through(
    mask: CoefficientMask, blocks: AnyArray, frame: int = 0, nonce: bytes = b""
) -> AnyArray:
    result = np.empty_like(blocks)
    with Workers(1) as workers:
        mask.forward(blocks, result, StageContext(_PICTURE, nonce, workers, frame))
    return result


@pytest.mark.parametrize("step", _STEPS)
def test_ranges_are_those_of_samples_of_8_bits(step: int) -> None:
    """The least and the largest mean are those of black and white blocks, rounded to nearest."""
    held = DcRange.of_step(step)
    # A half is rounded away from zero, as libjpeg does.
    black, white = -int(8 * 128 / step + 0.5), int(8 * 127 / step + 0.5)
    assert (held.least, held.least + held.count - 1) == (black, white)


@given(st.integers(1, 65535), st.lists(st.integers(-16384, 16383), min_size=1, max_size=20))
def test_turns_bring_means_into_their_range(step: int, means: list[int]) -> None:
    """What is in the range stays; what is not differs by a multiple of its length."""
    held = DcRange.of_step(step)
    inside, wraps = held.split(np.array(means, dtype=np.int16))
    assert ((held.least <= inside) & (inside < held.least + held.count)).all()
    assert (inside + wraps * held.count).tolist() == means
    assert not wraps[[held.least <= mean < held.least + held.count for mean in means]].any()


@pytest.mark.parametrize("count", [1, 2, 37, 9000])
def test_masks_are_undone(count: int) -> None:
    """Means stay in their range, other coefficients keep their size, and all come back."""
    mask = CoefficientMask(tuple(map(DcRange.of_step, (16, 3))))
    blocks = _blocks(count)
    for frame, held in enumerate(mask.ranges):
        blocks[..., 0] = held.split(blocks[..., 0])[0]
        result, back = _through(mask, blocks, frame), np.empty_like(blocks)
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
    actual = _through(CoefficientMask((DcRange.of_step(256),)), blocks)
    for position, values in ((0, range(-4, 5)), (1, (-1, 1)), (2, (-7, -6, -5, -4, 4, 5, 6, 7))):
        result, counts = np.unique(actual[..., position], return_counts=True)
        assert result.tolist() == list(values)
        expected = actual.shape[1] / len(values)
        assert ((counts - expected) ** 2 / expected).sum() < 40  # p < 0.00001 for 8 degrees
    assert set(np.unique(abs(actual[..., 3]))) == set(range(64, 128))
    assert not actual[..., 4:].any()


def test_parts_and_pictures_have_masks_of_their_own() -> None:
    """Another part, or another tag, masks in another way."""
    mask, blocks = CoefficientMask((DcRange.of_step(1),) * 2), _blocks(50, most=1000)
    result = [_through(mask, blocks, frame, nonce) for frame in (0, 1) for nonce in (b"", b"x")]
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
    assert scheme_named("scramble-jpeg-v1") is SCRAMBLE_JPEG
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

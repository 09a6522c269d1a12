"""Finding carriers in pictures that services recompressed or resized, and in no other pictures."""

import random
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
import reedsolo
from PIL import Image

from sudokucrypt import DecryptionError, FormatError, Key, UnsupportedVersionError
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.robust import (
    CarrierImage,
    align_carrier,
    find_carrier,
    scramble_robustly,
    unscramble_robustly,
)
from sudokucrypt.robust._kernels import blocks_plain as plain
from sudokucrypt.robust.carrier_image import (
    CELL_SIDE,
    RESTORING_GAIN,
    SCRAMBLING_GAIN,
    make_preamble,
)
from sudokucrypt.robust.codes import (
    CODE_BYTES,
    MESSAGE_BYTES,
    PARITY_BYTES,
    decode_bytes,
    encode_bytes,
)
from tests.benchmarks.pictures import Subject
from tests.benchmarks.robust import load_photographs, recode_samples

KEY = Key(bytes(range(32)))
PHOTO = Subject(240, 320).draw()
SENT_CARRIER = scramble_robustly(PHOTO, KEY, salt=bytes(range(16)), profile=3)
ROWS, COLUMNS = SENT_CARRIER.samples.shape


@pytest.mark.parametrize(
    ("codec", "scale"),
    [
        *[(("JPEG", 20), scale) for scale in (1.0, 0.99, 0.77, 0.5, 0.42, 1.5)],
        *[(("JPEG", 95), scale) for scale in (0.995, 0.63)],
        *[(("WEBP", 40), scale) for scale in (1.0, 0.85, 0.5)],
        (("AVIF", 50), 0.6),
    ],
)
def test_headers_survive_codecs_and_resizing(codec: tuple[str, int], scale: float) -> None:
    """The header is read after each codec and each resizing, and the measured scale is right."""
    size = round(COLUMNS * scale), round(ROWS * scale)
    resized = np.asarray(
        Image.fromarray(SENT_CARRIER.samples).resize(size, Image.Resampling.BILINEAR)
    )
    result = find_carrier(recode_samples(resized, *codec)[0])
    assert result.header == SENT_CARRIER.header
    assert (result.scale == 1) == (scale == 1)
    assert result.scale == pytest.approx(scale, abs=0.003)
    assert (result.left, result.top, result.missing) == (0, 0, 0)
    if scale != 1:
        with pytest.raises(DecryptionError, match=r"was resized: it has .* sent with"):
            align_carrier(resized, result)


@pytest.mark.parametrize(
    "edges",
    [
        (0, 8, 0, 0),
        (0, 0, 16, 0),
        (0, 0, 0, 24),
        (0, 24, 16, 8),
        (0, 5, 3, 11),
        (3, 1, 0, 0),
    ],
)
def test_cropped_carriers_are_restored_with_gaps(edges: tuple[int, ...]) -> None:
    """After cropping, the remaining part is aligned exactly, and restored as without cropping."""
    top, left, right, bottom = edges
    cropped = SENT_CARRIER.samples[top : ROWS - bottom, left : COLUMNS - right]
    result = find_carrier(recode_samples(cropped, "JPEG", 90)[0])
    assert (result.header, result.scale) == (SENT_CARRIER.header, 1)
    assert (result.top, result.left) == (-top, -left)
    assert result.missing == pytest.approx(1 - cropped.size / SENT_CARRIER.samples.size)
    carrier = align_carrier(cropped, result)
    inner_region = np.s_[top : ROWS - bottom, left : COLUMNS - right]
    np.testing.assert_array_equal(carrier[inner_region], cropped)
    restored_picture = unscramble_robustly(carrier, KEY, result.header)
    right_pixels = np.abs(restored_picture.astype(int) - PHOTO).max(axis=2) < 40
    assert right_pixels.mean() > 1 - 2.5 * result.missing


def test_wide_crops_are_refused() -> None:
    """A carrier of which over half is missing is refused, even if its header claims a huge size."""
    result = find_carrier(SENT_CARRIER.samples[: ROWS // 3])
    with pytest.raises(DecryptionError, match="over half"):
        align_carrier(SENT_CARRIER.samples[: ROWS // 3], result)


def test_illegible_headers_are_refused() -> None:
    """A picture with timing and column rows, but no legible header, is too damaged."""
    damaged = SENT_CARRIER.samples.copy()
    damaged[
        2 * CELL_SIDE : CELL_SIDE * (CarrierImage.for_picture(PHOTO.shape).preamble_rows - 1)
    ] = 128
    with pytest.raises(DecryptionError, match="too damaged"):
        find_carrier(damaged)


def test_random_headers_are_refused() -> None:
    """Random header cells, cropped or not, raise an error that the picture is too damaged."""
    forged = SENT_CARRIER.samples.copy()
    cells = np.random.default_rng(1).integers(
        0, 2, (CarrierImage.for_picture(PHOTO.shape).preamble_rows - 3, COLUMNS)
    )
    rows = np.where(cells[:, ::CELL_SIDE], np.uint8(208), np.uint8(48))
    forged[2 * CELL_SIDE : CELL_SIDE * (2 + len(rows))] = rows.repeat(CELL_SIDE, axis=0).repeat(
        CELL_SIDE, axis=1
    )
    for width in (COLUMNS, COLUMNS - 40, COLUMNS - 80, COLUMNS - 120):
        with pytest.raises(DecryptionError, match="too damaged"):
            find_carrier(np.ascontiguousarray(forged[:, :width]))


def test_headers_of_other_sizes_are_refused() -> None:
    """A valid header whose carrier would have another width counts as damaged."""
    header = replace(SENT_CARRIER.header, rows=4000, columns=3000).seal(
        KEY.picture_key(SENT_CARRIER.header.salt)
    )
    forged_samples = SENT_CARRIER.samples.copy()
    preamble = make_preamble(CarrierImage.for_picture(PHOTO.shape), header.to_bytes())
    forged_samples[: len(preamble)] = preamble
    with pytest.raises(DecryptionError, match="too damaged"):
        find_carrier(forged_samples)


def test_later_versions_are_named() -> None:
    """A legible header of version 2 raises UnsupportedVersionError."""
    forged_samples = SENT_CARRIER.samples.copy()
    preamble = make_preamble(
        CarrierImage.for_picture(PHOTO.shape), bytes([2]) + SENT_CARRIER.header.to_bytes()[1:]
    )
    forged_samples[: len(preamble)] = preamble
    with pytest.raises(UnsupportedVersionError, match="version 2"):
        find_carrier(forged_samples)


@pytest.mark.parametrize("name", ["astronaut", "brick", "camera", "coins"])
def test_photographs_are_refused(name: str) -> None:
    """A photograph, and crops of it, are no robust pictures."""
    light = np.atleast_3d(load_photographs()[name])[..., 0]
    for first_row in range(0, 160, 20):
        with pytest.raises(FormatError, match="not a robust picture"):
            find_carrier(np.ascontiguousarray(light[first_row:, 2 * first_row :]))


@pytest.mark.parametrize("shape", [(1, 1), (1, 5000), (5000, 1), (3, 90), (20, 20)])
def test_tiny_and_flat_pictures_are_refused(shape: tuple[int, int]) -> None:
    """Pictures that are too small for cells, flat ones, and stripes are no robust pictures."""
    stripes = np.tile(np.repeat(np.array([48, 208], dtype=np.uint8), 8), (shape[0], shape[1]))
    for samples in (np.zeros(shape, dtype=np.uint8), stripes[:, : shape[1]].copy()):
        with pytest.raises(FormatError):
            find_carrier(samples)


# The Reed-Solomon code, compared with reedsolo.


_REEDSOLO = reedsolo.RSCodec(PARITY_BYTES)


def _damage_data(code: bytes, wrong: list[int], source: random.Random) -> bytes:
    changed_code = bytearray(code)
    for position in wrong:
        changed_code[position] ^= source.randrange(1, 256)
    return bytes(changed_code)


@pytest.mark.parametrize("seed", range(40))
def test_errors_and_gaps_are_corrected_as_by_reedsolo(seed: int) -> None:
    """The code of reedsolo; e errors and g gaps with 2 e + g <= 40 are corrected."""
    source = random.Random(seed)  # noqa: S311 - a test
    message = source.randbytes(MESSAGE_BYTES)
    code = encode_bytes(message)
    assert code == bytes(_REEDSOLO.encode(message))
    gaps = source.randrange(PARITY_BYTES + 1)
    positions = source.sample(range(CODE_BYTES), gaps + (PARITY_BYTES - gaps) // 2)
    received = _damage_data(code, positions, source)
    assert decode_bytes(received, positions[:gaps]) == (message, len(positions))
    assert bytes(_REEDSOLO.decode(received, erase_pos=positions[:gaps])[0]) == message


def test_extreme_codes_are_decoded() -> None:
    """A code without errors, one without its parity, and the code of zeros are decoded."""
    message = bytes(range(MESSAGE_BYTES))
    assert decode_bytes(encode_bytes(message)) == (message, 0)
    assert decode_bytes(encode_bytes(message)[:40] + bytes(40), range(40, 80))[0] == message
    assert decode_bytes(bytes(CODE_BYTES)) == (bytes(MESSAGE_BYTES), 0)


@pytest.mark.parametrize("seed", range(20))
def test_too_many_errors_are_refused(seed: int) -> None:
    """A code with 21 errors, random bytes, and 41 missing bytes are refused."""
    source = random.Random(seed)  # noqa: S311 - a test
    code = encode_bytes(source.randbytes(MESSAGE_BYTES))
    positions = source.sample(range(CODE_BYTES), PARITY_BYTES // 2 + 1)
    for received_code in (_damage_data(code, positions, source), source.randbytes(CODE_BYTES)):
        with pytest.raises(DecryptionError):
            decode_bytes(received_code)
    with pytest.raises(DecryptionError):
        decode_bytes(code, range(PARITY_BYTES + 1))


def test_other_lengths_are_refused() -> None:
    """Encoding other than 40 bytes, and decoding other than 80, raises an error."""
    with pytest.raises(InvalidParameterError):
        encode_bytes(bytes(39))
    with pytest.raises(InvalidParameterError):
        decode_bytes(bytes(81))


# The compiled kernels, compared with their fallbacks.


kernels: ModuleType = pytest.importorskip(
    "sudokucrypt.robust._kernels.blocks", reason="built where a C compiler is there"
)
RANDOM = np.random.default_rng(6)
EXTREME_SAMPLES = np.array([0, 255], dtype=np.uint8)


@pytest.mark.parametrize("gain", [SCRAMBLING_GAIN, RESTORING_GAIN])
@pytest.mark.parametrize("picture_kind", [np.arange(256, dtype=np.uint8), EXTREME_SAMPLES])
def test_flipping_equals_fallback(picture_kind: np.ndarray, gain: int) -> None:
    """Kernel and fallback flip random and extreme blocks equally, and only the given ones."""
    blocks = RANDOM.choice(picture_kind, (300, 64))
    signs = RANDOM.integers(0, 256, (300, 8), dtype=np.uint8)
    kernel_blocks, fallback_blocks = blocks.copy(), blocks.copy()
    kernels.flip(kernel_blocks, signs, gain, 20, 290)
    plain.flip(fallback_blocks, signs, gain, 20, 290)
    np.testing.assert_array_equal(kernel_blocks, fallback_blocks)
    np.testing.assert_array_equal(kernel_blocks[:20], blocks[:20])


@pytest.mark.parametrize("gain", [SCRAMBLING_GAIN, RESTORING_GAIN])
def test_flipping_does_not_overflow(gain: int) -> None:
    """For signs that add up all frequencies of a block, kernel and fallback are equal."""
    u, x = np.indices((8, 8))
    waves = np.cos((2 * x + 1) * u * np.pi / 16)
    blocks = np.array(
        [
            np.where(np.outer(waves[a], waves[b]) * sign > 0, 255, 0).reshape(64)
            for a in range(8)
            for b in range(8)
            for sign in (1, -1)
        ],
        dtype=np.uint8,
    )
    for _ in range(20):
        signs = RANDOM.integers(0, 256, (len(blocks), 8), dtype=np.uint8)
        kernel_blocks, fallback_blocks = blocks.copy(), blocks.copy()
        kernels.flip(kernel_blocks, signs, gain, 0, len(blocks))
        plain.flip(fallback_blocks, signs, gain, 0, len(blocks))
        np.testing.assert_array_equal(kernel_blocks, fallback_blocks)


@pytest.mark.parametrize("shape", [(1, 1), (8, 16), (17, 33), (40, 7), (300, 3)])
def test_colors_equal_fallback(shape: tuple[int, int]) -> None:
    """Kernel and fallback convert colors equally both ways, for sides of every remainder."""
    pixels = RANDOM.integers(0, 256, (*shape, 3), dtype=np.uint8)
    down, across = -(-shape[0] // 8), -(-shape[1] // 8)
    chroma_down, chroma_across = -(-shape[0] // 16), -(-shape[1] // 16)
    result = []
    for module in (kernels, plain):
        light, gray = (np.zeros((down * across, 64), dtype=np.uint8) for _ in range(2))
        blue, red = (np.zeros((chroma_down * chroma_across, 64), dtype=np.uint8) for _ in range(2))
        module.fill_light(pixels, light, across, 0, down)
        module.fill_light(np.ascontiguousarray(pixels[..., :1]), gray, across, 0, down)
        module.fill_colors(pixels, blue, red, chroma_across, 0, chroma_down)
        restored_pixels = np.zeros_like(pixels)
        module.join_colors(light, blue, red, across, chroma_across, restored_pixels, 0, shape[0])
        result.append((light, gray, blue, red, restored_pixels))
    for kernel_result, fallback_result in zip(*result, strict=True):
        np.testing.assert_array_equal(kernel_result, fallback_result)

"""Robust scrambling: restored pictures are close, and carriers depend on key and salt."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    Key,
    PictureKey,
    UnsupportedError,
    UnsupportedVersionError,
)
from sudokucrypt.robust import (
    PROFILES,
    CarrierImage,
    RobustHeader,
    find_carrier,
    forecast_psnr,
    moved_blocks,
    profile_named,
    profile_numbered,
    scramble_robustly,
    unscramble_robustly,
)
from sudokucrypt.robust._kernels import blocks_plain
from sudokucrypt.robust.carrier_image import CELL_SIDE, cut_blocks, make_column_sequence
from tests.benchmarks.pictures import Subject
from tests.benchmarks.robust import load_photographs, measure_psnr, recode_samples

pytestmark = pytest.mark.kernels

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(range(1, 33)))
SALT = bytes(16)
PHOTO = Subject(120, 200).draw()


@pytest.mark.parametrize("shape", [(1, 1), (1, 1, 3), (2, 300, 3), (15, 16), (41, 9, 3), (97, 64)])
def test_pictures_of_any_shape_are_restored(shape: tuple[int, ...]) -> None:
    """A smooth picture of any shape, including odd sides, is restored within a few levels."""
    rows, columns = np.indices(shape[:2])
    waves = 128 + 50 * np.sin(rows / 9) * np.cos(columns / 11)
    plain = np.asarray(waves, dtype=np.uint8)
    plain = plain if len(shape) == 2 else np.dstack([plain, plain // 2, 255 - plain])
    result = scramble_robustly(plain, KEY, salt=SALT)
    assert result.samples.shape == CarrierImage.for_picture(shape).shape
    restored_picture = unscramble_robustly(result.samples, KEY, result.header)
    assert restored_picture.shape == shape
    assert np.abs(restored_picture.astype(int) - plain).max() <= 8


def test_recompression_costs_little() -> None:
    """After JPEG, the restored photograph is within 0.9 dB of its own JPEG."""
    photo = np.ascontiguousarray(load_photographs()["coffee"][100:300, 100:400])
    result = scramble_robustly(photo, KEY, salt=SALT)
    for quality in (50, 75, 85):
        usual_jpeg, size = recode_samples(photo, "JPEG", quality)
        received, longer = recode_samples(result.samples, "JPEG", quality)
        restored_picture = unscramble_robustly(received, KEY, result.header)
        assert measure_psnr(photo, restored_picture) > measure_psnr(photo, usual_jpeg) - 0.9
        # In addition, the preamble takes about a byte for each of its cells.
        assert (
            longer
            < 1.12 * size
            + result.samples.shape[1]
            // CELL_SIDE
            * CarrierImage.for_picture(photo.shape).preamble_rows
        )


def test_carriers_differ_by_salt_and_key() -> None:
    """With another salt or key, all blocks of the carrier differ."""
    first_carrier = scramble_robustly(PHOTO, KEY, salt=SALT)
    preamble_height = CELL_SIDE * CarrierImage.for_picture(PHOTO.shape).preamble_rows
    for key, salt in ((KEY, bytes([1] * 16)), (Key(bytes(32)), SALT)):
        second_carrier = scramble_robustly(PHOTO, key, salt=salt)
        equal_blocks = np.all(
            cut_blocks(first_carrier.samples[preamble_height:])
            == cut_blocks(second_carrier.samples[preamble_height:]),
            axis=1,
        )
        assert equal_blocks.mean() < 0.02


def test_threads_and_fallbacks_give_equal_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread, many threads and the fallbacks give the same results."""
    first_carrier = scramble_robustly(PHOTO, KEY, salt=SALT, threads=1)
    first_restored = unscramble_robustly(
        first_carrier.samples, KEY, first_carrier.header, threads=1
    )
    for use_fallbacks in (False, True):
        if use_fallbacks:
            monkeypatch.setattr("sudokucrypt.robust.scheme._kernels", blocks_plain)
            monkeypatch.setattr("sudokucrypt.robust.carrier_image._kernels", blocks_plain)
        second_carrier = scramble_robustly(PHOTO, KEY, salt=SALT, threads=7)
        np.testing.assert_array_equal(first_carrier.samples, second_carrier.samples)
        second_restored = unscramble_robustly(
            first_carrier.samples, KEY, first_carrier.header, threads=7
        )
        np.testing.assert_array_equal(first_restored, second_restored)


def test_carriers_are_about_square() -> None:
    """No carrier is taller than wide, and one that is wider than a JPEG can be is refused."""
    for shape in [(1, 10**6, 3), (3000, 4000, 3), (500, 2), (40000, 40000, 3)]:
        rows, columns = CarrierImage.for_picture(shape).shape
        assert rows <= columns
        assert columns >= 256
    with pytest.raises(UnsupportedError):
        CarrierImage.for_picture((60000, 60000, 3))


def test_windows_of_the_column_sequence_are_unique() -> None:
    """Each 13 consecutive bits of the column sequence occur once."""
    bits = make_column_sequence(8187).tolist()
    windows = {tuple(bits[start : start + 13]) for start in range(len(bits) - 12)}
    assert len(windows) == len(bits) - 12


def test_arguments_are_checked() -> None:
    """Salts of other lengths, profiles out of range and carriers of other sizes are refused."""
    for salt, profile in ((bytes(15), 0), (bytes(17), 0), (SALT, 256), (SALT, -1)):
        with pytest.raises(InvalidParameterError):
            scramble_robustly(PHOTO, KEY, salt=salt, profile=profile)
    result = scramble_robustly(PHOTO, KEY, salt=SALT)
    wide_samples: Any = result.samples.astype(np.int64)
    for samples in (result.samples[:-8], wide_samples):
        with pytest.raises(InvalidImageError, match="the carrier has 8-bit samples"):
            unscramble_robustly(samples, KEY, result.header)


def test_inputs_are_not_changed() -> None:
    """Neither the image nor the carrier is changed, even if it has a single block."""
    single_block = PHOTO[:8, :8, 0].copy()
    block_before = single_block.copy()
    assert not np.array_equal(moved_blocks(single_block, KEY, salt=SALT), block_before)
    result = scramble_robustly(single_block, KEY, salt=SALT)
    carrier = result.samples.copy()
    unscramble_robustly(result.samples, KEY, result.header)
    np.testing.assert_array_equal(single_block, block_before)
    np.testing.assert_array_equal(result.samples, carrier)


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((4, 4), dtype=np.uint16),
        np.zeros((4, 4, 4), dtype=np.uint8),
        np.zeros((0, 4), dtype=np.uint8),
        np.zeros(4, dtype=np.uint8),
    ],
)
def test_other_images_are_refused(image: np.ndarray) -> None:
    """An image that is empty, or not gray or RGB of 8 bits, is refused."""
    with pytest.raises(InvalidImageError):
        scramble_robustly(image, KEY, salt=SALT)


# The header of a robust picture.


HEADER = RobustHeader(
    rows=7, columns=2**32 - 1, color=True, profile=255, salt=bytes(range(16)), key_id=KEY.id
).seal(KEY.picture_key(bytes(range(16))))


def test_parsing_undoes_writing() -> None:
    """RobustHeader.from_bytes(h.to_bytes()) == h, and there are 40 bytes."""
    assert len(HEADER.to_bytes()) == 40
    assert RobustHeader.from_bytes(HEADER.to_bytes()) == HEADER
    gray = replace(HEADER, color=False)
    assert RobustHeader.from_bytes(gray.to_bytes()).shape == (7, 2**32 - 1)


@pytest.mark.parametrize("position", [0, 1, 11])
def test_other_forms_are_refused(position: int) -> None:
    """A header with another version, flag or reserved byte, or without pixels, is refused."""
    for value in (0 if position == 0 else 3, 2):
        data = bytearray(HEADER.to_bytes())
        data[position] = value
        is_later_version = (position, value) == (0, 2)
        with pytest.raises(UnsupportedVersionError if is_later_version else FormatError):
            RobustHeader.from_bytes(bytes(data))
    for size in (0, 39, 41):
        with pytest.raises(FormatError):
            RobustHeader.from_bytes(bytes([1]) * size)
    for side in (2, 6):
        without_side = HEADER.to_bytes()[:side] + bytes(4) + HEADER.to_bytes()[side + 4 :]
        with pytest.raises(FormatError):
            RobustHeader.from_bytes(without_side)


def test_every_bit_is_authenticated() -> None:
    """A header with any flipped bit is refused as malformed, or for a wrong key."""
    data = HEADER.to_bytes()
    for bit in range(8 * len(data)):
        changed_bytes = bytearray(data)
        changed_bytes[bit // 8] ^= 1 << bit % 8
        with pytest.raises((FormatError, DecryptionError)):
            RobustHeader.from_bytes(bytes(changed_bytes)).open_key(KEY)


def test_keys_open_their_pictures_only() -> None:
    """The master key and the picture key open a header; an error names any other key."""
    picture_key = KEY.picture_key(HEADER.salt)
    assert HEADER.open_key(KEY) == HEADER.open_key(picture_key) == picture_key
    with pytest.raises(DecryptionError, match=f"needs key {KEY.id}.* is key {OTHER_KEY.id}"):
        HEADER.open_key(OTHER_KEY)
    for wrong in (PictureKey(bytes(32)), KEY.picture_key(bytes(16))):
        with pytest.raises(DecryptionError, match="wrong key"):
            HEADER.open_key(wrong)
    with pytest.raises(DecryptionError, match="wrong key"):
        replace(HEADER, key_id=OTHER_KEY.id).open_key(OTHER_KEY)  # an equal key id does not suffice


# Profiles: their names and their numbers in headers, which never change.


NUMBERS = {"whatsapp": 1, "facebook": 2, "instagram": 3, "x": 4, "telegram": 5, "signal": 6}


def test_names_and_numbers_are_frozen() -> None:
    """Names and numbers of released profiles are unchanged, and both lead to the same profile."""
    assert {name: profile.number for name, profile in PROFILES.items()} == NUMBERS
    sides = [profile.max_side for profile in PROFILES.values()]
    assert sides == [1600, 1920, 1080, 4096, 1280, 4096]
    for name, number in NUMBERS.items():
        assert profile_named(name) is profile_numbered(number)
        assert profile_named(name).name == name
        assert profile_named(name).quality == 92


def test_unknown_profiles() -> None:
    """An unknown name raises an error; an unknown number in a header gives None."""
    with pytest.raises(InvalidParameterError, match="there is no profile 'fax'"):
        profile_named("fax")
    assert profile_numbered(7) is None
    assert profile_numbered(0) is None


# The expected PSNR, which is estimated from the pilot cells.


LARGE_PHOTO = Subject(240, 320).draw()
SENT_CARRIER = scramble_robustly(LARGE_PHOTO, KEY, salt=bytes(range(16)), profile=3)


@pytest.mark.parametrize("quality", [50, 75, 90])
def test_expected_psnr_is_about_right(quality: int) -> None:
    """The expected PSNR is within 5 dB of the true one, and decreases with the quality."""
    forecasts = []
    for recompression_quality in (quality, quality // 2):
        received, _ = recode_samples(SENT_CARRIER.samples, "JPEG", recompression_quality)
        match = find_carrier(received)
        truth = measure_psnr(LARGE_PHOTO, unscramble_robustly(received, KEY, match.header))
        forecasts.append(forecast_psnr(received, match))
        assert forecasts[-1] == pytest.approx(truth, abs=5)
    assert forecasts[0] > forecasts[1]


@pytest.mark.parametrize("quality", [20, 50, 90])
def test_colors_add_to_the_error_of_the_carrier(
    quality: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The square error of a color picture is 1.5 times that of its blocks plus 6.5 for chroma."""
    received, _ = recode_samples(SENT_CARRIER.samples, "JPEG", quality)
    match = find_carrier(received)
    promised = forecast_psnr(received, match)
    monkeypatch.setattr("sudokucrypt.robust.forecast._COLOR_FACTOR", 1.0)
    monkeypatch.setattr("sudokucrypt.robust.forecast._COLOR_LOSS", 0.0)
    error = 255**2 / 10 ** (forecast_psnr(received, match) / 10)
    assert promised == pytest.approx(10 * np.log10(255**2 / (1.5 * error + 6.5)))

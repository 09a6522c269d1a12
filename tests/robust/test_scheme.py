"""Scrambling into sheets: what comes back is close, and depends on key and salt alone."""

from typing import Any

import numpy as np
import pytest

from sudokucrypt import InvalidImageError, InvalidParameterError, Key, UnsupportedError
from sudokucrypt.robust import CarrierImage, moved_blocks, scramble_robustly, unscramble_robustly
from sudokucrypt.robust._kernels import blocks_plain
from sudokucrypt.robust.carrier_image import SIDE, column_sequence, cut
from tests.benchmarks.pictures import Subject
from tests.benchmarks.robust import coded, photographs, psnr

pytestmark = pytest.mark.kernels

KEY, SALT = Key(bytes(range(32))), bytes(16)
PHOTO = Subject(120, 200).draw()


@pytest.mark.parametrize("shape", [(1, 1), (1, 1, 3), (2, 300, 3), (15, 16), (41, 9, 3), (97, 64)])
def test_pictures_of_any_shape_come_back(shape: tuple[int, ...]) -> None:
    """A smooth picture of any shape, odd sides included, comes back within a few levels."""
    down, right = np.indices(shape[:2])
    waves = 128 + 50 * np.sin(down / 9) * np.cos(right / 11)
    plain = np.asarray(waves, dtype=np.uint8)
    plain = plain if len(shape) == 2 else np.dstack([plain, plain // 2, 255 - plain])
    result = scramble_robustly(plain, KEY, salt=SALT)
    assert result.samples.shape == CarrierImage.of(shape).shape
    back = unscramble_robustly(result.samples, KEY, result.header)
    assert back.shape == shape
    assert np.abs(back.astype(int) - plain).max() <= 8


def test_recompression_costs_little() -> None:
    """After JPEG, a photograph is within 0.9 dB of its own JPEG, and the file little longer."""
    photo = np.ascontiguousarray(photographs()["coffee"][100:300, 100:400])
    result = scramble_robustly(photo, KEY, salt=SALT)
    for quality in (50, 75, 85):
        usual, size = coded(photo, "JPEG", quality)
        received, longer = coded(result.samples, "JPEG", quality)
        back = unscramble_robustly(received, KEY, result.header)
        assert psnr(photo, back) > psnr(photo, usual) - 0.9
        # A small picture pays for its preamble: so many cells of about a byte each.
        assert (
            longer
            < 1.12 * size + result.samples.shape[1] // SIDE * CarrierImage.of(photo.shape).preamble
        )


def test_salts_and_keys_make_other_sheets() -> None:
    """With another salt or key all blocks differ: none is where it was, or as it was."""
    one = scramble_robustly(PHOTO, KEY, salt=SALT)
    top = SIDE * CarrierImage.of(PHOTO.shape).preamble
    for key, salt in ((KEY, bytes([1] * 16)), (Key(bytes(32)), SALT)):
        other = scramble_robustly(PHOTO, key, salt=salt)
        same = np.all(cut(one.samples[top:]) == cut(other.samples[top:]), axis=1)
        assert same.mean() < 0.02


def test_threads_and_twins_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread, many, and the fallbacks make the same sheet and the same picture."""
    one = scramble_robustly(PHOTO, KEY, salt=SALT, threads=1)
    back = unscramble_robustly(one.samples, KEY, one.header, threads=1)
    for twins in (False, True):
        if twins:
            monkeypatch.setattr("sudokucrypt.robust.scheme._kernels", blocks_plain)
            monkeypatch.setattr("sudokucrypt.robust.carrier_image._kernels", blocks_plain)
        other = scramble_robustly(PHOTO, KEY, salt=SALT, threads=7)
        np.testing.assert_array_equal(one.samples, other.samples)
        again = unscramble_robustly(one.samples, KEY, one.header, threads=7)
        np.testing.assert_array_equal(back, again)


def test_sheets_are_about_square_and_bounded() -> None:
    """No sheet is taller than wide; one wider than a JPEG can be is refused."""
    for shape in [(1, 10**6, 3), (3000, 4000, 3), (500, 2), (40000, 40000, 3)]:
        rows, columns = CarrierImage.of(shape).shape
        assert rows <= columns
        assert columns >= 256
    with pytest.raises(UnsupportedError):
        CarrierImage.of((60000, 60000, 3))


def test_every_window_of_the_place_row_is_unique() -> None:
    """Each 13 bits of the second row stand in one place only."""
    bits = column_sequence(8187).tolist()
    windows = {tuple(bits[start : start + 13]) for start in range(len(bits) - 12)}
    assert len(windows) == len(bits) - 12


def test_salts_profiles_and_sheets_are_checked() -> None:
    """Other lengths of salts, numbers of profiles and sizes of sheets are refused."""
    for salt, profile in ((bytes(15), 0), (bytes(17), 0), (SALT, 256), (SALT, -1)):
        with pytest.raises(InvalidParameterError):
            scramble_robustly(PHOTO, KEY, salt=salt, profile=profile)
    result = scramble_robustly(PHOTO, KEY, salt=SALT)
    wide: Any = result.samples.astype(np.int64)
    for samples in (result.samples[:-8], wide):
        with pytest.raises(InvalidImageError, match="the sheet has 8-bit samples"):
            unscramble_robustly(samples, KEY, result.header)


def test_inputs_stay_as_they_are() -> None:
    """Neither the image nor the sheet is changed, not even one of a single block."""
    one = PHOTO[:8, :8, 0].copy()
    before = one.copy()
    assert not np.array_equal(moved_blocks(one, KEY, salt=SALT), before)
    result = scramble_robustly(one, KEY, salt=SALT)
    sheet = result.samples.copy()
    unscramble_robustly(result.samples, KEY, result.header)
    np.testing.assert_array_equal(one, before)
    np.testing.assert_array_equal(result.samples, sheet)


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
    """Only gray and color images of 8 bits with pixels are taken."""
    with pytest.raises(InvalidImageError):
        scramble_robustly(image, KEY, salt=SALT)

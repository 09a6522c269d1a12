"""The visible picture for services: upright, opaque, 8 bits, and the names of what is lost."""

import io

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import InvalidParameterError, UnsupportedError
from sudokucrypt.images import Picture, decode_picture, flatten_picture, jpeg_bytes, resize

GRAY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
COLOR = np.dstack([GRAY, 255 - GRAY, GRAY // 2])


@pytest.mark.parametrize("pixels", [GRAY, COLOR])
def test_plain_pictures_are_unchanged(pixels: np.ndarray) -> None:
    """Gray and RGB samples of 8 bits are unchanged, and nothing is lost."""
    samples, lost = flatten_picture(Picture.plain(pixels))
    np.testing.assert_array_equal(samples, pixels)
    assert lost == ()


def test_transparency_becomes_white() -> None:
    """Transparent pixels become white, and transparency is named as lost unless alpha is opaque."""
    alpha = np.full_like(GRAY, 255)
    assert flatten_picture(Picture.plain(np.dstack([COLOR, alpha])))[1] == ()
    alpha[0] = 0
    for pixels in (np.dstack([GRAY, alpha]), np.dstack([COLOR, alpha])):
        samples, lost = flatten_picture(Picture.plain(pixels))
        assert lost == ("transparency",)
        assert (samples[0] == 255).all()
        np.testing.assert_array_equal(samples[1:], np.squeeze(pixels[1:, :, :-1]))


def test_deep_samples_are_scaled_to_eight_bits() -> None:
    """Samples of 16 bits and 1 bit are scaled to 0..255, and 16-bit samples are named as lost."""
    samples, lost = flatten_picture(Picture.plain(GRAY.astype(np.uint16) * 257))
    np.testing.assert_array_equal(samples, GRAY)
    assert lost == ("16-bit samples",)
    samples, lost = flatten_picture(Picture.plain(GRAY > 100))
    np.testing.assert_array_equal(samples, np.where(GRAY > 100, 255, 0))
    assert lost == ()


def test_orientation_is_applied_and_metadata_named() -> None:
    """A picture with an orientation in EXIF is shown upright, and EXIF is named as lost."""
    exif = Image.Exif()
    exif[274] = 6
    buffer = io.BytesIO()
    Image.fromarray(COLOR).save(buffer, "PNG", exif=exif)
    samples, lost = flatten_picture(decode_picture(buffer.getvalue()))
    np.testing.assert_array_equal(samples, np.rot90(COLOR, -1))
    assert lost == ("EXIF",)


def test_animations_are_refused() -> None:
    """A GIF of several frames is refused."""
    buffer = io.BytesIO()
    frames = [Image.fromarray(pixels) for pixels in (GRAY, 255 - GRAY)]
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])
    with pytest.raises(UnsupportedError, match="an animation"):
        flatten_picture(decode_picture(buffer.getvalue()))


def test_resizing_and_jpeg() -> None:
    """Samples are resized to the requested shape; a JPEG of the best quality is nearly exact."""
    assert resize(COLOR, 6, 2).shape == (6, 2, 3)
    assert resize(GRAY, 1, 1).shape == (1, 1)
    with Image.open(io.BytesIO(jpeg_bytes(GRAY, quality=100))) as file:
        assert np.abs(np.asarray(file).astype(int) - GRAY).max() <= 2
    with pytest.raises(InvalidParameterError, match="quality"):
        jpeg_bytes(GRAY, quality=101)
    with pytest.raises(UnsupportedError, match="65500"):
        jpeg_bytes(np.zeros((1, 65501), dtype=np.uint8), quality=90)

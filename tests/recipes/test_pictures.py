"""Pictures in memory: comparisons, headers of other shapes, and formats with other modes."""

import io
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tifffile import imwrite

from sudokucrypt import (
    DecryptionError,
    Header,
    Key,
    UnsupportedError,
    decrypt_file,
    encrypt_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import (
    Metadata,
    Picture,
    decode_picture,
)
from sudokucrypt.recipes.carriers.picture import are_same_pictures, are_same_samples
from sudokucrypt.typing import AnyArray
from tests.images.builders import encode_array, noise
from tests.recipes.memory import inspect_picture, run_on_bytes

KEY = Key(bytes(range(32)))
encrypt_pixels = partial(encrypt_file, as_file=False)
OPERATIONS: Any = {
    "encrypt": (encrypt_pixels, decrypt_file),
    "scramble": (scramble_file, unscramble_file),
}
GRAY = noise(3, 4, 1)


def protect_picture(operation: str, data: bytes, **options: Any) -> bytes:
    """Protect the bytes of a picture file."""
    return run_on_bytes(OPERATIONS[operation][0], data, KEY, **options)


def restore_plain(operation: str, data: bytes) -> bytes:
    """Restore the bytes of a protected picture file."""
    return run_on_bytes(OPERATIONS[operation][1], data, KEY)


def make_still(pixels: AnyArray = GRAY) -> Picture:
    """Return a gray picture with these pixels."""
    return Picture(pixels=pixels, mode="gray", format="PNG")


@pytest.mark.parametrize(
    "pixels",
    [GRAY.T.copy(), GRAY ^ (GRAY[2, 3] == GRAY), GRAY.view("int8"), GRAY.astype("uint16")],
)
def test_pictures_with_other_samples_differ(pixels: AnyArray) -> None:
    """Two pictures differ if one sample, the shape or the type differs."""
    plain, changed = make_still(), make_still(pixels)
    assert are_same_pictures(plain, plain)
    assert are_same_pictures(changed, changed)
    assert not are_same_pictures(plain, changed)
    assert not are_same_pictures(changed, plain)


def test_pictures_of_other_modes_differ() -> None:
    """Two pictures differ if their modes differ; format and metadata are not compared."""
    picture = Picture.plain(noise(3, 4, 4))
    assert not are_same_pictures(picture, replace(picture, mode="cmyk"))
    assert are_same_pictures(picture, replace(picture, metadata=Metadata(exif=b"x")))
    assert are_same_pictures(picture, replace(picture, format="TIFF", dropped=("x",)))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_floats_are_compared_by_their_bits(dtype: str) -> None:
    """0.0 differs from -0.0, and a NaN equals itself, but no NaN with other bits."""
    zero = np.zeros((2, 2), dtype=dtype)
    nan = np.full((2, 2), np.nan, dtype=dtype)
    other_nan = nan.copy()
    other_nan.view(f"u{nan.itemsize}")[1, 1] ^= 1
    for samples in (zero, nan, other_nan):
        assert are_same_samples(samples, samples.copy())
    for first_value, second_value in ((zero, -zero), (nan, other_nan), (nan, -nan)):
        assert not are_same_samples(first_value, second_value)
        assert not are_same_pictures(make_still(first_value), make_still(second_value))


# Headers and samples that do not belong together.


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("suffix", ["PNG", "TIFF"])
def test_a_reshaped_file_is_refused(operation: str, suffix: str) -> None:
    """Restoring the same samples in another shape or of another type is refused."""
    data = protect_picture(operation, encode_array(noise(6, 8, 1), suffix), format=suffix)
    picture = decode_picture(data)
    assert are_same_pictures(
        decode_picture(restore_plain(operation, data)), Picture.plain(noise(6, 8, 1))
    )
    views = [picture.pixels.reshape(shape) for shape in ((8, 6), (48, 1), (1, 48), (4, 4, 3))]
    views += [picture.pixels.view("uint16")]
    if suffix == "TIFF":
        views += [picture.pixels.view("int8"), picture.pixels.view("float16")]
    for pixels in views:
        with pytest.raises(DecryptionError):
            restore_plain(
                operation, encode_array(np.ascontiguousarray(pixels), suffix, header=picture.header)
            )


def test_plain_samples_need_no_metadata() -> None:
    """A gray PNG without metadata is encrypted without sealed metadata, and restored as gray."""
    data = protect_picture("encrypt", encode_array(GRAY, "PNG"))
    picture = decode_picture(data)
    assert Header.from_bytes(picture.header or b"").encrypted_metadata is None
    _, record = inspect_picture(io.BytesIO(data), KEY)
    assert are_same_pictures(record.picture, Picture.plain(GRAY))


def test_modes_and_samples_that_a_format_lacks() -> None:
    """A CMYK picture is scrambled to a PNG of samples, and restored as CMYK; floats are refused."""
    cmyk, floats = io.BytesIO(), io.BytesIO()
    Image.fromarray(noise(9, 7, 4), "CMYK").save(cmyk, "TIFF")
    imwrite(floats, np.ones((9, 7), np.float32))
    scrambled, restored = io.BytesIO(), io.BytesIO()
    scramble_file(io.BytesIO(cmyk.getvalue()), scrambled, KEY, format="PNG")
    unscramble_file(io.BytesIO(scrambled.getvalue()), restored, KEY, format="TIFF")
    assert np.array_equal(np.asarray(Image.open(restored)), np.asarray(Image.open(cmyk)))
    with pytest.raises(UnsupportedError, match="PNG cannot hold"):
        scramble_file(io.BytesIO(floats.getvalue()), io.BytesIO(), KEY, format="PNG")

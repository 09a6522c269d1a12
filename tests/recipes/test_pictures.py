"""Pictures in memory: what is compared, what of them stays visible, and what belongs together."""

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
from sudokucrypt.recipes.carriers.picture import same_pictures, same_samples
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
    """The protected file."""
    return run_on_bytes(OPERATIONS[operation][0], data, KEY, **options)


def restore_plain(operation: str, data: bytes) -> bytes:
    """The restored file."""
    return run_on_bytes(OPERATIONS[operation][1], data, KEY)


def make_still(pixels: AnyArray = GRAY) -> Picture:
    """A gray picture."""
    return Picture(pixels=pixels, mode="gray", format="PNG")


@pytest.mark.parametrize(
    "pixels",
    [GRAY.T.copy(), GRAY ^ (GRAY[2, 3] == GRAY), GRAY.view("int8"), GRAY.astype("uint16")],
)
def test_pictures_that_are_not_the_same(pixels: AnyArray) -> None:
    """Another sample, shape or type makes another picture."""
    plain, other = make_still(), make_still(pixels)
    assert same_pictures(plain, plain)
    assert same_pictures(other, other)
    assert not same_pictures(plain, other)
    assert not same_pictures(other, plain)


def test_modes_count() -> None:
    """A picture of another mode is another picture; metadata may differ."""
    one = Picture.plain(noise(3, 4, 4))
    assert not same_pictures(one, replace(one, mode="cmyk"))
    assert same_pictures(one, replace(one, metadata=Metadata(exif=b"x")))
    assert same_pictures(one, replace(one, format="TIFF", dropped=("x",)))


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_floats_are_compared_by_their_bits(kind: str) -> None:
    """Zero is not minus zero, and one NaN is itself but not another NaN."""
    zero = np.zeros((2, 2), dtype=kind)
    nan = np.full((2, 2), np.nan, dtype=kind)
    other = nan.copy()
    other.view(f"u{nan.itemsize}")[1, 1] ^= 1
    for same in (zero, nan, other):
        assert same_samples(same, same.copy())
    for first, second in ((zero, -zero), (nan, other), (nan, -nan)):
        assert not same_samples(first, second)
        assert not same_pictures(make_still(first), make_still(second))


# what belongs together


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("suffix", ["PNG", "TIFF"])
def test_a_reshaped_file_is_refused(operation: str, suffix: str) -> None:
    """The same samples in other rows, or of another type, are not the picture of the header."""
    data = protect_picture(operation, encode_array(noise(6, 8, 1), suffix), format=suffix)
    picture = decode_picture(data)
    assert same_pictures(
        decode_picture(restore_plain(operation, data)), Picture.plain(noise(6, 8, 1))
    )
    others = [picture.pixels.reshape(shape) for shape in ((8, 6), (48, 1), (1, 48), (4, 4, 3))]
    others += [picture.pixels.view("uint16")]
    if suffix == "TIFF":
        others += [picture.pixels.view("int8"), picture.pixels.view("float16")]
    for pixels in others:
        with pytest.raises(DecryptionError):
            restore_plain(
                operation, encode_array(np.ascontiguousarray(pixels), suffix, header=picture.header)
            )


def test_a_picture_without_description_means_what_its_samples_say() -> None:
    """Nothing is sealed of plain samples."""
    data = protect_picture("encrypt", encode_array(GRAY, "PNG"))
    picture = decode_picture(data)
    assert Header.from_bytes(picture.header or b"").encrypted_metadata is None
    _, record = inspect_picture(io.BytesIO(data), KEY)
    assert same_pictures(record.picture, Picture.plain(GRAY))


def test_what_a_format_cannot_hold() -> None:
    """Colors that it has no word for become samples and come back; samples must fit."""
    inks, floats = io.BytesIO(), io.BytesIO()
    Image.fromarray(noise(9, 7, 4), "CMYK").save(inks, "TIFF")
    imwrite(floats, np.ones((9, 7), np.float32))
    scrambled, back = io.BytesIO(), io.BytesIO()
    scramble_file(io.BytesIO(inks.getvalue()), scrambled, KEY, format="PNG")
    unscramble_file(io.BytesIO(scrambled.getvalue()), back, KEY, format="TIFF")
    assert np.array_equal(np.asarray(Image.open(back)), np.asarray(Image.open(inks)))
    with pytest.raises(UnsupportedError, match="PNG cannot hold"):
        scramble_file(io.BytesIO(floats.getvalue()), io.BytesIO(), KEY, format="PNG")

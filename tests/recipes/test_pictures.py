"""Pictures in memory: what is compared, what of them stays visible, and what belongs together."""

import io
from dataclasses import replace
from fractions import Fraction
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
    read_header,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import (
    Frame,
    FrameControl,
    Metadata,
    Palette,
    Picture,
    decode_picture,
    encode_picture,
)
from sudokucrypt.recipes.records import same_pictures, same_samples
from sudokucrypt.typing import AnyArray
from tests.cli.gallery import GALLERY
from tests.images.builders import encoded, noise
from tests.recipes.memory import inspected, result_of

KEY = Key(bytes(range(32)))
encrypt_pixels = partial(encrypt_file, as_file=False)
OPERATIONS: Any = {
    "encrypt": (encrypt_pixels, decrypt_file),
    "scramble": (scramble_file, unscramble_file),
}
GRAY = noise(3, 4, 1)


def protected(operation: str, data: bytes, **options: Any) -> bytes:
    """The protected file."""
    return result_of(OPERATIONS[operation][0], data, KEY, **options)


def restored(operation: str, data: bytes) -> bytes:
    """The restored file."""
    return result_of(OPERATIONS[operation][1], data, KEY)


def still(pixels: AnyArray = GRAY, **changes: Any) -> Picture:
    """A picture of one frame."""
    return Picture(frames=(Frame(pixels=pixels, mode="gray", **changes),), format="PNG")


@pytest.mark.parametrize(
    "changes",
    [
        {"palette": Palette(colors=b"abc")},
        {"bits": 4},
        {"transparent": (0,)},
        {"row": 1},
        {"column": 1},
        {"showing": FrameControl(duration=Fraction(1))},
        {"pixels": GRAY.T.copy()},
        {"pixels": GRAY ^ (GRAY[2, 3] == GRAY)},
        {"pixels": GRAY.view("int8")},
        {"pixels": GRAY.astype("uint16")},
    ],
)
def test_pictures_that_are_not_the_same(changes: dict[str, Any]) -> None:
    """Another sample, shape, type, palette or any other meaning of a frame is another picture."""
    plain = still()
    other = replace(plain, frames=(replace(plain.frames[0], **changes),))
    assert same_pictures(plain, plain)
    assert same_pictures(other, other)
    assert not same_pictures(plain, other)
    assert not same_pictures(other, plain)


def test_the_number_of_frames_and_their_modes_count() -> None:
    """A frame more or less, or of another mode, is another picture; metadata may differ."""
    one, frame = still(), still().frames[0]
    two = replace(one, frames=(frame, frame))
    assert not same_pictures(one, two)
    assert not same_pictures(two, one)
    colored = replace(one, frames=(replace(frame, mode="palette"),))
    assert not same_pictures(one, colored)
    assert same_pictures(one, one.with_metadata([Metadata(exif=b"x")]))
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
        assert not same_pictures(still(first), still(second))


# what stays visible

GRAYS = bytes(gray for gray in range(256) for _ in "RGB")
"""What a GIF gets for want of a palette."""

PLAIN = {name: decode_picture(data) for name, data in GALLERY.items()}
COLORED = [name for name, plain in PLAIN.items() if plain.frames[0].mode == "palette"]


def colors_of(picture: Picture) -> list[bytes]:
    """The palettes of a picture that say something."""
    held = [frame.palette for frame in picture.frames]
    held += [] if picture.animation is None else [picture.animation.palette]
    return [p.colors for p in held if p is not None and not GRAYS.startswith(p.colors)]


@pytest.mark.parametrize("name", COLORED)
def test_encrypted_pictures_show_no_colors(name: str) -> None:
    """No palette, transparent value or background is left in an encrypted file; all come back."""
    plain, data = PLAIN[name], protected("encrypt", GALLERY[name])
    stored = decode_picture(data)
    assert not colors_of(stored)
    for frame in stored.frames:
        assert (frame.palette, frame.transparent) == (None, None)
        assert frame.mode == ("palette" if stored.format == "GIF" else "gray")
    assert stored.animation is None or stored.animation.background is None
    for colors in colors_of(plain):
        for shown in (colors, colors[::2], colors[1::2]):  # a TIFF has its own order
            assert len(shown) < 12 or shown[:24] not in data
    assert same_pictures(decode_picture(restored("encrypt", data)), plain)


# what belongs together


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("suffix", ["PNG", "TIFF"])
def test_a_reshaped_file_is_refused(operation: str, suffix: str) -> None:
    """The same samples in other rows, or of another type, are not the picture of the header."""
    data = protected(operation, encoded(noise(6, 8, 1), suffix), format=suffix)
    picture = decode_picture(data)
    assert same_pictures(decode_picture(restored(operation, data)), Picture.plain(noise(6, 8, 1)))
    others = [picture.pixels.reshape(shape) for shape in ((8, 6), (48, 1), (1, 48), (4, 4, 3))]
    others += [picture.pixels.view("uint16")]
    if suffix == "TIFF":
        others += [picture.pixels.view("int8"), picture.pixels.view("float16")]
    for pixels in others:
        with pytest.raises(DecryptionError):
            restored(
                operation, encoded(np.ascontiguousarray(pixels), suffix, header=picture.header)
            )


@pytest.mark.parametrize("operation", OPERATIONS)
def test_frames_of_other_shapes_are_refused(operation: str) -> None:
    """The same holds for each page, and for their number and order."""
    pages = [noise(6, 8, 1), noise(6, 8, 3), noise(4, 12, 1)]
    plain = Picture(frames=tuple(Picture.plain(page).frames[0] for page in pages), format="TIFF")
    data = protected(operation, encode_picture(plain, "TIFF"))
    picture = decode_picture(data)
    assert same_pictures(decode_picture(restored(operation, data)), plain)
    first, second, third = picture.frames
    turned = replace(third, pixels=third.pixels.reshape(6, 8))
    for frames in (
        (first, second),
        (first, second, turned),
        (third, second, first),
        (first, third, second),
        (first, second, third, third),
        (first,),
    ):
        with pytest.raises(DecryptionError):
            restored(operation, encode_picture(replace(picture, frames=frames), "TIFF"))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_smallest_group_of_all_frames_decides_the_rounds(operation: str) -> None:
    """A small page next to a large one decides the rounds of both."""
    pages = tuple(Picture.plain(noise(*size, 1)).frames[0] for size in ((70, 70), (5, 5)))
    large, small = ((page,) for page in pages)

    def rounds(frames: tuple[Frame, ...]) -> int:
        data = encode_picture(Picture(frames=frames, format="TIFF"), "TIFF")
        return read_header(io.BytesIO(protected(operation, data))).rounds

    assert rounds(small) > rounds(large)
    assert rounds(pages) == rounds(small)


def test_a_picture_of_several_frames_needs_its_description() -> None:
    """Without one a frame means what its samples say, and a second frame is refused."""
    data = protected("encrypt", encoded(GRAY, "PNG"))
    picture = decode_picture(data)
    assert Header.from_bytes(picture.header or b"").encrypted_metadata is None
    _, record = inspected(io.BytesIO(data), KEY)
    assert same_pictures(record.picture, Picture.plain(GRAY))
    twice = replace(picture, frames=picture.frames * 2)
    with pytest.raises(DecryptionError):
        restored("encrypt", encode_picture(twice, "TIFF"))


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

"""A format that one file defines is read, written, named and offered everywhere."""

import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudokucrypt
from sudokucrypt import images
from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.images.source import Source
from tests.images.builders import HEADER, noise, tiff

# The toy: two sides, the length of a header, the header, and samples of 8-bit gray.


def _decode(source: Source) -> images.Picture:
    data = source.data
    rows, columns, length = (int.from_bytes(data[n : n + 4], "big") for n in (4, 8, 12))
    shape = source.shape(rows, columns, 1)
    if len(data) != 16 + length + rows * columns:
        raise source.cut_short()
    pixels = np.frombuffer(data, np.uint8, offset=16 + length).reshape(shape).copy()
    header = source.header([data[16 : 16 + length]] if length else [])
    return replace(images.Picture.plain(pixels, format="Toy"), header=header)


def _encode(picture: images.Picture, _compress: int) -> Iterator[bytes]:
    header = picture.header or b""
    numbers = (*picture.pixels.shape, len(header))
    yield b"toy!" + b"".join(number.to_bytes(4, "big") for number in numbers) + header
    yield picture.pixels.tobytes()


def _obstacle(picture: images.Picture) -> str | None:
    frame, *others = picture.frames
    plain = frame.mode == "gray" and frame.pixels.dtype == np.uint8 and frame.bits is None
    return None if plain and not others and picture.animation is None else "anything but gray"


def _leftover(frame: images.Frame, *, header: bool) -> images.Metadata:
    del header
    return frame.metadata


TOY = images.Driver(
    name="Toy",
    suffixes=(".toy",),
    matches=lambda data: data.startswith(b"toy!"),
    decode=_decode,
    writer=images.Writer(
        encode=_encode, unsupported_reason=_obstacle, unsupported_metadata=_leftover
    ),
)


@pytest.fixture
def toy() -> Iterator[images.Driver]:
    yield images.register_driver(TOY)
    images.registry.FORMATS.remove(TOY.name)


@pytest.mark.usefixtures("toy")
def test_a_registered_format_is_one_of_all(tmp_path: Path) -> None:
    """It is read by content, written by suffix, and named in every list and hint."""
    pixels = noise(5, 7, 1)
    data = images.encode_picture(images.Picture.plain(pixels, header=HEADER), "Toy")
    picture = images.decode_picture(data)
    assert np.array_equal(picture.pixels, pixels)
    assert (picture.format, picture.header) == ("Toy", HEADER)
    assert (images.suffix_of("Toy"), images.output_format(Path("a.toy"))) == (".toy", "Toy")
    assert images.writable_formats()[-1] == images.readable_formats()[-1] == "Toy"
    (tmp_path / "a.toy").touch()
    (tmp_path / "b").write_bytes(data)
    assert images.may_be_picture(tmp_path / "a.toy")
    assert images.may_be_picture(tmp_path / "b")
    with pytest.raises(InvalidImageError) as unread:
        images.decode_picture(b"nothing")
    assert "TGA and Toy files can be read" in str(unread.value.hint)
    with pytest.raises(UnsupportedError) as unwritten:
        images.output_format(Path("a.bmp"))
    assert str(unwritten.value.hint).endswith(".gif, .toy")
    with pytest.raises(UnsupportedError, match="Toy cannot hold anything but gray"):
        images.encode_picture(images.Picture.plain(noise(5, 7, 3)), "Toy")


@pytest.mark.usefixtures("toy")
def test_pictures_are_scrambled_to_it(tmp_path: Path) -> None:
    """What a recipe writes in it comes back from it."""
    key = sudokucrypt.Key.generate()
    plain = tmp_path / "plain.toy"
    pixels = noise(9, 9, 1)
    plain.write_bytes(images.encode_picture(images.Picture.plain(pixels), "Toy"))
    sudokucrypt.scramble_file(plain, tmp_path / "secret.toy", key)
    assert (tmp_path / "secret.toy").read_bytes().startswith(b"toy!")
    sudokucrypt.unscramble_file(tmp_path / "secret.toy", tmp_path / "again.toy", key)
    again = images.decode_picture((tmp_path / "again.toy").read_bytes())
    assert np.array_equal(again.pixels, pixels)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("driver", "reason"),
    [
        ("Toy", "must be a Driver, not str"),
        (replace(TOY, suffixes=(".other",)), "an image format 'Toy' already"),
        (
            replace(TOY, name="Other", suffixes=(".x", ".png")),
            r"cannot have \.png, which 'PNG' has",
        ),
    ],
)
def test_names_and_suffixes_are_taken_once(driver: Any, reason: str) -> None:
    """What is no driver, or would hide another, is refused."""
    before = images.drivers()
    with pytest.raises(InvalidParameterError, match=reason):
        images.register_driver(driver)
    assert images.drivers() == before


def _with_sensor_below(kind: int) -> bytes:
    """A preview, and a directory of these samples below it, as NEF and ARW have it."""
    page = tiff({254: (4, [1]), 330: (4, [0])})
    page = tiff({254: (4, [1]), 330: (4, [len(page)])})
    (start,) = struct.unpack_from("<I", page, 4)
    return page + tiff({262: (3, [kind])})[start:]


@pytest.mark.parametrize(
    ("data", "called"),
    [
        (b"FUJIFILMCCD-RAW 0201", "a Fujifilm raw"),
        (b"IIRS\x08\0\0\0", "an Olympus raw"),
        (b"v/1\x01", "an OpenEXR"),
        (b"II*\0\x10\0\0\0CR\2\0" + bytes(99), "a Canon raw"),
        (tiff({50706: (1, [1, 4, 0, 0])}), "a camera raw"),  # DNG
        (tiff({262: (3, [32803]), 259: (3, [65535])}), "a camera raw"),  # PEF
        (_with_sensor_below(32803), "a camera raw"),
        (_with_sensor_below(34892), "a camera raw"),
    ],
)
def test_formats_that_are_known_and_not_read(data: bytes, called: str, tmp_path: Path) -> None:
    """They count as pictures, and are called by their name, also where they begin like a TIFF."""
    (tmp_path / "x").write_bytes(data)
    assert images.may_be_picture(tmp_path / "x")
    with pytest.raises(UnsupportedError, match=f"is {called} file, which is not supported"):
        images.decode_picture(data)

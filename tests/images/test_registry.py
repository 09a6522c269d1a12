"""A format that one file defines is read, written, named and offered everywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import sudokucrypt
from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.images import (
    Driver,
    Metadata,
    Picture,
    Writer,
    decode_picture,
    drivers,
    encode_picture,
    may_be_picture,
    output_format,
    readable_formats,
    register_driver,
    registry,
    suffix_of,
    writable_formats,
)
from tests.images.builders import HEADER, noise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images import Frame
    from sudokucrypt.images.source import Source

# The toy: two sides, the length of a header, the header, and samples of 8-bit gray.


def _decode(source: Source) -> Picture:
    data = source.data
    rows, columns, length = (int.from_bytes(data[n : n + 4], "big") for n in (4, 8, 12))
    shape = source.shape(rows, columns, 1)
    if len(data) != 16 + length + rows * columns:
        raise source.cut_short()
    pixels = np.frombuffer(data, np.uint8, offset=16 + length).reshape(shape).copy()
    header = source.header([data[16 : 16 + length]] if length else [])
    return replace(Picture.plain(pixels, format="Toy"), header=header)


def _encode(picture: Picture, _compress: int) -> Iterator[bytes]:
    header = picture.header or b""
    numbers = (*picture.pixels.shape, len(header))
    yield b"toy!" + b"".join(number.to_bytes(4, "big") for number in numbers) + header
    yield picture.pixels.tobytes()


def _obstacle(picture: Picture) -> str | None:
    frame, *others = picture.frames
    plain = frame.mode == "gray" and frame.pixels.dtype == np.uint8 and frame.bits is None
    return None if plain and not others and picture.animation is None else "anything but gray"


def _leftover(frame: Frame, *, header: bool) -> Metadata:
    del header
    return frame.metadata


TOY = Driver(
    name="Toy",
    suffixes=(".toy",),
    matches=lambda data: data.startswith(b"toy!"),
    decode=_decode,
    writer=Writer(encode=_encode, obstacle=_obstacle, leftover=_leftover),
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Driver:
    monkeypatch.setattr(registry, "_registered", [])
    return register_driver(TOY)


@pytest.mark.usefixtures("toy")
def test_a_registered_format_is_one_of_all(tmp_path: Path) -> None:
    """It is read by content, written by suffix, and named in every list and hint."""
    pixels = noise(5, 7, 1)
    data = encode_picture(Picture.plain(pixels, header=HEADER), "Toy")
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, pixels)
    assert (picture.format, picture.header) == ("Toy", HEADER)
    assert (suffix_of("Toy"), output_format(Path("a.toy"))) == (".toy", "Toy")
    assert writable_formats()[-1] == readable_formats()[-1] == "Toy"
    (tmp_path / "a.toy").touch()
    (tmp_path / "b").write_bytes(data)
    assert may_be_picture(tmp_path / "a.toy")
    assert may_be_picture(tmp_path / "b")
    with pytest.raises(InvalidImageError) as unread:
        decode_picture(b"nothing")
    assert "TGA and Toy files can be read" in str(unread.value.hint)
    with pytest.raises(UnsupportedError) as unwritten:
        output_format(Path("a.bmp"))
    assert str(unwritten.value.hint).endswith(".gif, .toy")
    with pytest.raises(UnsupportedError, match="Toy cannot hold anything but gray"):
        encode_picture(Picture.plain(noise(5, 7, 3)), "Toy")


@pytest.mark.usefixtures("toy")
def test_pictures_are_scrambled_to_it(tmp_path: Path) -> None:
    """What a recipe writes in it comes back from it."""
    key = sudokucrypt.Key.generate()
    plain = tmp_path / "plain.toy"
    pixels = noise(9, 9, 1)
    plain.write_bytes(encode_picture(Picture.plain(pixels), "Toy"))
    sudokucrypt.scramble_file(plain, tmp_path / "secret.toy", key)
    assert (tmp_path / "secret.toy").read_bytes().startswith(b"toy!")
    sudokucrypt.unscramble_file(tmp_path / "secret.toy", tmp_path / "again.toy", key)
    again = decode_picture((tmp_path / "again.toy").read_bytes())
    assert np.array_equal(again.pixels, pixels)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("driver", "reason"),
    [
        ("Toy", "is a Driver, not str"),
        (replace(TOY, suffixes=(".other",)), "a format named Toy already"),
        (replace(TOY, name="Other", suffixes=(".x", ".png")), r"suffix \.png, which PNG has"),
    ],
)
def test_names_and_suffixes_are_taken_once(driver: Any, reason: str) -> None:
    """What is no driver, or would hide another, is refused."""
    before = drivers()
    with pytest.raises(InvalidParameterError, match=reason):
        register_driver(driver)
    assert drivers() == before


@dataclass
class _Entry:
    """What an installed package says of its format."""

    name: str
    value: str
    found: object

    def load(self) -> object:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def test_formats_of_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found by their entry points; what cannot be used is warned of, and no more."""
    entries = [
        _Entry("broken", "a:b", ImportError("no module named a")),
        _Entry("toy", "toys:TOY", TOY),
        _Entry("again", "toys:AGAIN", TOY),
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: entries if group else [])
    registry._installed.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="cannot be used") as warned:
            assert drivers()[-1] is TOY
        assert [str(warning.message) for warning in warned] == [
            "the image format 'broken' (a:b) cannot be used: no module named a",
            "the image format 'again' (toys:AGAIN) cannot be used: there is a format named Toy "
            "already",
        ]
        assert drivers()[-1] is TOY
    finally:
        registry._installed.cache_clear()


def test_formats_that_are_known_and_not_read(tmp_path: Path) -> None:
    """They count as pictures, and are called by their name."""
    data = b"FUJIFILMCCD-RAW 0201"
    (tmp_path / "x").write_bytes(data)
    assert may_be_picture(tmp_path / "x")
    with pytest.raises(UnsupportedError, match="is a Fujifilm raw file, which is not supported"):
        decode_picture(data)

"""A format defined in one file by another package is read and listed everywhere."""

import struct
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudokucrypt
from sudokucrypt import images
from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.images.driver import Source
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray
from tests.images.builders import build_tiff, noise

# The toy format: two sides, then samples of 8-bit gray.


def _decode(source: Source) -> images.Picture:
    data = source.data
    rows, columns = (int.from_bytes(data[n : n + 4], "big") for n in (4, 8))
    shape = source.shape(rows, columns, 1)
    if len(data) != 12 + rows * columns:
        raise source.report_cut()
    pixels = np.frombuffer(data, np.uint8, offset=12).reshape(shape).copy()
    return images.Picture.plain(pixels, format="Toy")


def _build_toy(pixels: AnyArray) -> bytes:
    rows, columns = pixels.shape
    return b"toy!" + struct.pack(">II", rows, columns) + pixels.tobytes()


TOY = images.Driver(
    name="Toy",
    suffixes=(".toy",),
    matches=lambda data: data.startswith(b"toy!"),
    decode=_decode,
)


@pytest.fixture
def registered_toy() -> Iterator[images.Driver]:
    yield images.register_driver(TOY)
    images.driver.FORMATS.remove(TOY.name)


@pytest.mark.usefixtures("registered_toy")
def test_registered_formats_are_read(tmp_path: Path) -> None:
    """A registered format is recognized by content, listed in hints, and never written."""
    pixels = noise(5, 7, 1)
    data = _build_toy(pixels)
    picture = images.decode_picture(data)
    assert np.array_equal(picture.pixels, pixels)
    assert (picture.format, picture.header) == ("Toy", None)
    assert images.extract_header(data) is None
    assert images.writable_formats() == ("PNG", "TIFF")
    assert images.readable_formats()[-1] == "Toy"
    (tmp_path / "a.toy").touch()
    (tmp_path / "b").write_bytes(data)
    assert images.may_be_picture(tmp_path / "a.toy")
    assert images.may_be_picture(tmp_path / "b")
    with pytest.raises(InvalidImageError) as unread:
        images.decode_picture(b"nothing")
    assert "TGA and Toy files can be read" in str(unread.value.hint)
    with pytest.raises(UnsupportedError, match="Toy files are only read"):
        images.output_format(Path("a.toy"))


@pytest.mark.usefixtures("registered_toy")
def test_registered_formats_are_scrambled(tmp_path: Path) -> None:
    """A picture of a registered format is scrambled into a PNG, and restored."""
    key = sudokucrypt.Key.generate()
    plain = tmp_path / "plain.toy"
    pixels = noise(9, 9, 1)
    plain.write_bytes(_build_toy(pixels))
    sudokucrypt.scramble_file(plain, tmp_path / "secret.png", key)
    sudokucrypt.unscramble_file(tmp_path / "secret.png", tmp_path / "again.png", key)
    restored_picture = images.decode_picture((tmp_path / "again.png").read_bytes())
    assert np.array_equal(restored_picture.pixels, pixels)


@pytest.mark.usefixtures("registered_toy")
@pytest.mark.parametrize(
    ("driver", "reason"),
    [
        ("Toy", "must be a Driver, not str"),
        (replace(TOY, suffixes=(".other",)), "an image format 'Toy' already"),
        (
            replace(TOY, name="Other", suffixes=(".x", ".png")),
            r"cannot use \.png, which 'PNG' uses",
        ),
    ],
)
def test_names_and_suffixes_are_taken_once(driver: Any, reason: str) -> None:
    """Registering something that is no driver, or a taken name or suffix, is refused."""
    drivers_before = images.drivers()
    with pytest.raises(InvalidParameterError, match=reason):
        images.register_driver(driver)
    assert images.drivers() == drivers_before


def test_entry_points_are_loaded_for_unknown_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points are loaded once, for the first file that matches no format of this package."""
    entries = EntryPoints([EntryPoint("toy", f"{__name__}:TOY", "sudokucrypt.formats")])
    searched_groups: list[str] = []

    def find_entry_points(group: str) -> EntryPoints:
        searched_groups.append(group)
        return entries.select(group=group)

    monkeypatch.setattr("importlib.metadata.entry_points", find_entry_points)
    formats = Registry(images.Driver, item_noun="an image format", group="sudokucrypt.formats")
    formats.fill([each for each in images.drivers() if each.name == "PNG"])
    monkeypatch.setattr(images.driver, "FORMATS", formats)
    assert (png_format := images.known_format(b"\x89PNG\r\n\x1a\n")) is not None
    assert png_format is images.find_driver(".png")
    assert not searched_groups
    for _ in range(2):
        assert images.known_format(b"toy!") is TOY
        assert images.find_driver(".toy") is TOY
        assert images.known_format(b"another") is None
    assert len(searched_groups) == 1


def _build_raw_with_preview(kind: int) -> bytes:
    """Return a TIFF of a preview with a directory of sensor data below it, as in NEF and ARW."""
    page = build_tiff({254: (4, [1]), 330: (4, [0])})
    page = build_tiff({254: (4, [1]), 330: (4, [len(page)])})
    (directory_start,) = struct.unpack_from("<I", page, 4)
    return page + build_tiff({262: (3, [kind])})[directory_start:]


@pytest.mark.parametrize(
    ("data", "called"),
    [
        (b"FUJIFILMCCD-RAW 0201", "a Fujifilm raw"),
        (b"IIRS\x08\0\0\0", "an Olympus raw"),
        (b"v/1\x01", "an OpenEXR"),
        (b"II*\0\x10\0\0\0CR\2\0" + bytes(99), "a Canon raw"),
        (build_tiff({50706: (1, [1, 4, 0, 0])}), "a camera raw"),  # DNG
        (build_tiff({262: (3, [32803]), 259: (3, [65535])}), "a camera raw"),  # PEF
        (_build_raw_with_preview(32803), "a camera raw"),
        (_build_raw_with_preview(34892), "a camera raw"),
    ],
)
def test_recognized_formats_are_refused_by_name(data: bytes, called: str, tmp_path: Path) -> None:
    """Formats that are recognized and not read count as pictures, and errors name them."""
    (tmp_path / "x").write_bytes(data)
    assert images.may_be_picture(tmp_path / "x")
    with pytest.raises(UnsupportedError, match=f"is {called} file, which is not supported"):
        images.decode_picture(data)

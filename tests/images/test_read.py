"""Reading: content decides, nothing hangs, nothing foreign escapes, no picture is half there."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt.errors import InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.images import decode_picture, read_picture
from tests.images.builders import HEADER, bmp, encoded, noise, png, saved, tiff

if TYPE_CHECKING:
    from pathlib import Path

_GRAY, _RGB, _RGBA = noise(9, 11, 1), noise(9, 11, 3), noise(9, 11, 4)
_FILES = {
    "PNG": encoded(_RGBA, "PNG", header=HEADER),
    "PNG, 16 bits": encoded(noise(9, 11, 2, "uint16"), "PNG"),
    "PNG, filters": saved(_RGB, "PNG"),
    "TIFF": encoded(_RGB, "TIFF", header=HEADER),
    "TIFF, directory first": saved(_GRAY, "TIFF"),
    "TIFF, LZW": saved(_GRAY, "TIFF", compression="tiff_lzw"),
    "TIFF, Deflate": saved(_RGB, "TIFF", compression="tiff_adobe_deflate"),
    "TIFF, PackBits": saved(_RGB, "TIFF", compression="packbits"),
    "WebP": encoded(_RGBA, "WebP", header=HEADER),
    "WebP, lossy": saved(_RGB, "WEBP"),
    "BMP": saved(_RGB, "BMP"),
    "BMP, gray": saved(_GRAY, "BMP"),
    "JPEG": saved(_RGB, "JPEG"),
    "JPEG, progressive": saved(_RGB, "JPEG", progressive=True),
    "PPM": saved(_RGB, "PPM"),
    "PPM, text": b"P2 3 2 255\n0 1 12\n123 200 255\n",
}


@pytest.mark.parametrize("name", _FILES)
def test_suffix_does_not_matter(name: str, tmp_path: Path) -> None:
    """The format is what the content says."""
    path = tmp_path / "picture.txt"
    path.write_bytes(_FILES[name])
    picture = read_picture(path)
    assert picture.format == name.split(",", maxsplit=1)[0]
    assert np.array_equal(picture.pixels, decode_picture(_FILES[name]).pixels)


@pytest.mark.parametrize("name", _FILES)
def test_cut_files_are_refused_or_whole(name: str) -> None:
    """A file cut anywhere raises our error or still decodes exactly."""
    data = _FILES[name]
    whole = decode_picture(data)
    for length in {*range(0, len(data), 7), *range(len(data) - 9, len(data))}:
        try:
            picture = decode_picture(data[:length])
        except InvalidImageError:
            continue
        assert np.array_equal(picture.pixels, whole.pixels)
        assert picture.header == whole.header


@pytest.mark.parametrize("name", _FILES)
def test_damage_raises_our_errors_only(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever is changed, inserted or cut, no foreign error, warning or message comes out."""
    draw = random.Random(name)  # noqa: S311 - a fixed seed, not a secret
    for _ in range(400):
        data = bytearray(_FILES[name])
        for _ in range(draw.choice((1, 1, 3))):
            position = draw.randrange(len(data))
            data[position : position + draw.choice((0, 1, 1, 1, 5))] = draw.randbytes(
                draw.choice((0, 1, 1, 1, 3))
            )
        with suppress(SudokucryptError):
            assert decode_picture(bytes(data)).pixels.dtype.kind in "buif"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "data",
    [
        png(60000, 60000, b"\0"),
        tiff({256: (4, [60000]), 257: (4, [60000])}),
        bmp(24, b"", columns=60000, rows=60000),
        b"P6 60000 60000 255\n",
        b"P2 60000 60000 255\n1\n",
        saved(_RGB, "JPEG").replace(b"\x08\x00\x09\x00\x0b", b"\x08\xea\x60\xea\x60"),
    ],
)
def test_bombs(data: bytes) -> None:
    """A small file that claims 60000 x 60000 pixels is refused before it is decoded."""
    with pytest.raises(InvalidImageError, match="60000 rows of 60000 pixels, more than"):
        decode_picture(data)


def test_compressed_bomb() -> None:
    """Samples that deflate a thousand times do not get more memory than the header claims."""
    with pytest.raises(InvalidImageError, match="decoded"):
        decode_picture(png(1, 1, b"\0" * 10_000_000))
    with pytest.raises(InvalidImageError, match="fewer samples"):
        decode_picture(png(8192, 8192, b"\0"))


def test_max_pixels_is_the_callers_choice() -> None:
    """The limit counts pixels, and can be set."""
    assert decode_picture(_FILES["PNG"], max_pixels=99).pixels.shape == (9, 11, 4)
    with pytest.raises(InvalidImageError, match="98") as raised:
        decode_picture(_FILES["PNG"], max_pixels=98)
    assert "max_pixels" in str(raised.value.hint)


@pytest.mark.parametrize("data", [b"", b"x", b"hello, world", b"\0" * 100, b"%PDF-1.7", b"RIFF"])
def test_foreign_files(data: bytes, tmp_path: Path) -> None:
    """What is no picture is said to be none, by name."""
    path = tmp_path / "a file"
    path.write_bytes(data)
    with pytest.raises(InvalidImageError, match=r"'.*a file' is (empty|not a picture)") as raised:
        read_picture(path)
    assert "PNG" in str(raised.value.hint)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (saved(_RGB, "JPEG2000"), "JPEG 2000"),
        (b"8BPS\0\1", "Photoshop"),
    ],
)
def test_known_but_unread_formats(data: bytes, kind: str) -> None:
    """Formats that are not read yet are called by their name."""
    with pytest.raises(UnsupportedError, match=f"is an? {kind}"):
        decode_picture(data, "x")


def test_missing_files_and_folders(tmp_path: Path) -> None:
    """Paths that lead to no file raise one clear line."""
    with pytest.raises(InvalidImageError, match="no such file"):
        read_picture(tmp_path / "missing.png")
    with pytest.raises(InvalidImageError, match="folder"):
        read_picture(tmp_path)
    with pytest.raises(InvalidImageError, match="name of a file"):
        read_picture(tmp_path / "a\0b")
    with pytest.raises(InvalidImageError, match="cannot read"):
        read_picture(tmp_path / ("x" * 5000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_do_not_hang(tmp_path: Path) -> None:
    """A named pipe that nobody writes to is refused at once."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidImageError, match="regular file"):
        read_picture(tmp_path / "pipe")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser reads everything"
)
def test_unreadable_files(tmp_path: Path) -> None:
    """A file without permission raises one clear line."""
    path = tmp_path / "secret.png"
    path.write_bytes(_FILES["PNG"])
    path.chmod(0)
    with pytest.raises(InvalidImageError, match="permission"):
        read_picture(path)


def test_huge_files(tmp_path: Path) -> None:
    """More than 4 GiB are not read; the file here is a hole."""
    path = tmp_path / "huge.png"
    with path.open("wb") as file:
        file.truncate(4 * 2**30 + 1)
    with pytest.raises(InvalidImageError, match="4294967296"):
        read_picture(path)


def test_codecs_are_imported_late() -> None:
    """Importing the room loads no codec."""
    code = "import sys, sudokucrypt.images; print({'PIL', 'imagecodecs'} & set(sys.modules))"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert output.stdout == "set()\n"

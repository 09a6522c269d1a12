"""Reading: content decides, nothing hangs, nothing foreign escapes, no picture is half there."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images import decode_picture, read_picture
from tests.images.builders import HEADER, encoded, noise, png, saved

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


def test_compressed_bomb() -> None:
    """Samples that deflate a thousand times do not get more memory than the header claims."""
    with pytest.raises(InvalidImageError, match="decoded"):
        decode_picture(png(1, 1, b"\0" * 10_000_000))
    with pytest.raises(InvalidImageError, match="fewer samples"):
        decode_picture(png(8192, 8192, b"\0"))


@pytest.mark.parametrize("data", [b"", b"x", b"hello, world", b"\0" * 100, b"%PDF-1.7", b"RIFF"])
def test_foreign_files(data: bytes, tmp_path: Path) -> None:
    """What is no picture is said to be none, by name."""
    path = tmp_path / "a file"
    path.write_bytes(data)
    with pytest.raises(InvalidImageError, match=r"'.*a file' is (empty|not a picture)") as raised:
        read_picture(path)
    assert "PNG" in str(raised.value.hint)


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

"""A folder of encrypted files of many kinds, and the gallery of it."""

import io
import os
import shutil
from pathlib import Path

import pytest

from sudokucrypt import Key, encrypt_file, scramble_file
from sudokucrypt.cli.finding import FileSearch, find_items
from sudokucrypt.cli.gallery.contents import Gallery, Limits, gather
from sudokucrypt.images import read_picture
from tests.cli.gallery import GALLERY
from tests.images.builders import encoded

SECRET, OTHER = Key(bytes(range(32))), Key(bytes(32))
LIMITS = Limits(max_rounds=16)
HOSTILE = "<img src=x onerror=alert(1)>\u202egpj.html"
FILES = {
    "late.jpg": (GALLERY["RGB.jpg"], 1_600_000_000),
    "early.jpg": (GALLERY["L.jpg"], 1_500_000_000),
    HOSTILE: (b"<script>alert(1)</script>", 1_550_000_000),
    "drawing.svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 1_550_000_001),
    "notes.txt": ("grüße\n".encode(), 1_550_000_002),
    "a paper.pdf": (b"%PDF-1.4", 1_550_000_003),
    "no suffix": (b"", 1_550_000_004),
}
"""What is in the files of the folder, by name, and when it was last changed."""


def tamper(path: Path) -> None:
    """Change one sample of a protected picture, and leave its header as it is."""
    stored = read_picture(path)
    pixels = stored.pixels.copy()
    pixels[0, 0] ^= 1
    path.write_bytes(encoded(pixels, "PNG", header=stored.header))


@pytest.fixture
def safe(tmp_path: Path) -> Path:
    """Files, two pictures, and what is left out: a plain one, another's, and a damaged one."""
    root = tmp_path / "safe"
    (root / "lake" / "deep").mkdir(parents=True)
    for index, (name, (data, moment)) in enumerate(FILES.items()):
        source = tmp_path / "source"
        source.write_bytes(data)
        os.utime(source, (moment, moment))
        target = root / ("lake" if name == "late.jpg" else "") / f"{index}.png"
        encrypt_file(source, target, SECRET, as_file=True, preview=True, name=name)
        source.unlink()
    pixels, scrambled = root / "pixels.encrypted.png", root / "lake" / "deep" / "old.png"
    encrypt_file(io.BytesIO(GALLERY["RGBA.png"]), pixels, SECRET, as_file=False, preview=True)
    scramble_file(io.BytesIO(GALLERY["L.png"]), scrambled, SECRET)
    for index, path in enumerate((pixels, scrambled)):
        os.utime(path, (1_700_000_000 + index,) * 2)
    encrypt_file(io.BytesIO(GALLERY["RGB.jpg"]), root / "foreign.png", OTHER, name="hidden.jpg")
    (root / "damaged.png").write_bytes(pixels.read_bytes()[:99])
    shutil.copy(
        Path(__file__).parents[3] / "samples" / "pictures" / "camera.png", root / "plain.png"
    )
    return root


@pytest.fixture
def gallery(safe: Path) -> Gallery:
    """The gallery of the folder."""
    return gather(
        find_items([safe], FileSearch(word="gallery", recursive=True, restoring=True)),
        SECRET,
        LIMITS,
    )

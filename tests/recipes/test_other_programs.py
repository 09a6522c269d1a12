"""Pictures that other programs wrote again, without our header, come back all the same."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key, decrypt_file, encrypt_file, scramble_file, unscramble_file
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import Picture, encode_picture, header_of, read_picture
from sudokucrypt.typing import AnyArray
from tests import programs

KEY = Key(bytes(range(32)))


def _photo(channels: int, dtype: str, side: int = 60) -> AnyArray:
    """Return waves with some noise, which optimisers treat as they treat photographs."""
    rows, columns = np.mgrid[:side, : side + 7]
    waves = [np.sin(rows / (7 + c)) + np.cos(columns / (5 + 2 * c)) for c in range(channels)]
    pixels = (np.dstack(waves) + 2) / 4 * np.iinfo(dtype).max
    return pixels.astype(dtype)[..., 0] if channels == 1 else pixels.astype(dtype)


def _resave(source: Path, target: Path, **options: Any) -> None:
    with Image.open(source) as image:
        image.load()
        image.info.clear()
        image.save(target, **options)


def _through(suffix: str, **options: Any) -> Callable[[Path, Path], None]:
    def change(source: Path, target: Path) -> None:
        between = target.with_suffix(suffix)
        _resave(source, between, **options)
        _resave(between, target)

    return change


def _program(name: str, *arguments: str) -> Callable[[Path, Path], None]:
    def change(source: Path, target: Path) -> None:
        names = {"IN": str(source), "OUT": str(target)}
        command = [str(programs.find(name)), *(names.get(each, each) for each in arguments)]
        subprocess.run(command, check=True, capture_output=True)

    return change


RECIPES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "pixels": (partial(encrypt_file, as_file=False), decrypt_file),
    "file": (partial(encrypt_file, as_file=True), decrypt_file),
    "scrambled": (scramble_file, unscramble_file),
}
PILLOW = {
    "Pillow": _resave,
    "WebP": _through(".webp", lossless=True, exact=True),
    "TIFF": _through(".tiff"),
    "BMP": _through(".bmp"),
}
PROGRAMS = [
    ("zopflipng", "--iterations=1", "IN", "OUT"),
    ("pngcrush", "-rem", "alla", "-reduce", "IN", "OUT"),
    ("optipng", "-o1", "-strip", "all", "IN", "-out", "OUT"),
    ("oxipng", "--strip", "all", "IN", "--out", "OUT"),
    ("exiftool", "-all=", "IN", "-o", "OUT"),
    ("imagemagick", "IN", "-strip", "OUT"),
]
KINDS = [(count, dtype) for count in (1, 2, 3, 4) for dtype in ("uint8", "uint16")]


KEPT_BY_PILLOW = [
    *((name, count, "uint8") for name in ("Pillow", "WebP", "TIFF") for count in (1, 2, 3, 4)),
    *(("BMP", count, "uint8") for count in (1, 3)),  # it has no opacity
    ("Pillow", 1, "uint16"),  # the one mode for which Pillow has 16 bits
]


@pytest.mark.parametrize(("name", "count", "dtype"), KEPT_BY_PILLOW)
def test_pillow(name: str, count: int, dtype: str, tmp_path: Path) -> None:
    """What Pillow saves again, also by way of another format that keeps samples, is restored."""
    _check(PILLOW[name], (count, dtype), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=pytest.mark.programs(each[0]), id=each[0]) for each in PROGRAMS],
)
def test_programs(command: tuple[str, ...], kind: tuple[int, str], tmp_path: Path) -> None:
    """What programs make smaller, or strip of metadata, is restored."""
    _check(_program(*command), kind, tmp_path)


def _check(change: Callable[[Path, Path], None], kind: tuple[int, str], folder: Path) -> None:
    source, stored, changed, back = (folder / f"{name}.png" for name in "abcd")
    pixels = _photo(*kind)
    source.write_bytes(encode_picture(Picture.plain(pixels), "PNG"))
    for recipe, (protect, restore) in RECIPES.items():
        protect(source, stored, KEY, replace=True)
        changed.unlink(missing_ok=True)
        change(stored, changed)
        assert header_of(changed.read_bytes()) is None
        restore(changed, back, KEY, replace=True)
        assert np.array_equal(read_picture(back).pixels, pixels)
        if recipe == "file":
            assert back.read_bytes() == source.read_bytes()


@pytest.mark.parametrize("recipe", ["pixels", "scrambled"])
def test_a_flipped_bit_in_the_rows_is_refused(recipe: str, tmp_path: Path) -> None:
    """Of a picture without header, no change of the rows gives a picture, wrong or right."""
    protect, restore = RECIPES[recipe]
    source, stored, changed, back = (tmp_path / f"{name}.png" for name in "abcd")
    plain = _photo(3, "uint8")
    source.write_bytes(encode_picture(Picture.plain(plain), "PNG"))
    protect(source, stored, KEY)
    with Image.open(stored) as image:
        pixels = np.array(image)
    draw = np.random.default_rng(3)
    for _ in range(60):
        flipped = pixels.copy()
        row = draw.integers(len(plain), len(pixels))
        column, channel, bit = draw.integers(0, [pixels.shape[1], 3, 8])
        flipped[row, column, channel] ^= 1 << bit
        Image.fromarray(flipped).save(changed)
        with pytest.raises(SudokucryptError):
            restore(changed, back, KEY)
        assert not back.exists()

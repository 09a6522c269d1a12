"""Only the chosen part of a picture changes, and restoring needs no word about it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from sudokucrypt import Header
from sudokucrypt.images import decode_picture, read_picture
from sudokucrypt.recipes.pictures import same_pictures
from tests.cli.conftest import KEY as _KEY
from tests.cli.conftest import WAYS as _WAYS
from tests.cli.conftest import Run, quick
from tests.cli.gallery import GALLERY
from tests.images.builders import encoded, noise


def inside(shape: tuple[int, ...], *regions: str) -> NDArray[np.bool_]:
    """The pixels of rectangles that are given as on the command line."""
    where = np.zeros(shape[:2], dtype=bool)
    for region in regions:
        column, row, columns, rows = map(int, region.split(","))
        where[row : row + rows, column : column + columns] = True
    return where


def as_seen(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The frames as Pillow shows them, in RGBA."""
    with Image.open(path) as image:
        count = getattr(image, "n_frames", 1)
        for number in range(count):
            image.seek(number)
            yield np.asarray(image.convert("RGBA"))


@pytest.mark.parametrize(("there", "back"), _WAYS)
@pytest.mark.parametrize(
    "regions",
    [["3,5,70,40"], ["0,0,256,256"], ["255,255,1,1"], ["9,9,50,50", "40,40,50,50", "200,0,9,9"]],
)
def test_rectangles(run: Run, there: str, back: str, regions: list[str]) -> None:
    """Outside of all --region every sample stays, inside they change, and all come back."""
    options = [word for region in regions for word in ("--region", region)]
    done = run(there, "photo.png", "-o", "part.png", *options, *_KEY)
    assert (done.code, done.out, done.err) == (0, "", "")
    plain, part = (read_picture(Path(name)).pixels for name in ("photo.png", "part.png"))
    where = inside(plain.shape, *regions)
    assert np.array_equal(part[~where], plain[~where])
    assert regions == ["255,255,1,1"] or not np.array_equal(part[where], plain[where])
    assert f"regions   {' '.join(regions)}\n" in run("info", "part.png").out
    assert run(back, "part.png", "-o", "back.png", *_KEY).code == 0
    assert np.array_equal(read_picture(Path("back.png")).pixels, plain)


@pytest.mark.parametrize(("there", "back"), _WAYS)
@pytest.mark.parametrize(
    "name",
    quick(
        ("1.png", "P.png", "palette2-alphas.png", "LA.png", "4x16.png", "CMYK.tiff", "F.tiff",
         "1xint16.tiff", "pages.tiff", "RGBA-animation.webp", "disposal2.gif", "disposal.png",
         "RGB.jpg", "RGB.bmp"), "palette2-alphas.png", "pages.tiff", "disposal2.gif",
    ),
)  # fmt: skip
def test_every_kind_of_picture(run: Run, name: str, there: str, back: str) -> None:
    """In any mode, in each frame and page, the outside looks the same and all comes back."""
    source, region = Path(name), "2,3,9,6"  # of 18 columns and 13 rows
    source.write_bytes(GALLERY[name])
    options = ("--name", "{word}{stem}{suffix}", *_KEY)
    pixels = ("--format", "png") if name.endswith(".jpg") else ()  # not whole blocks of a JPEG
    assert run(there, name, "--region", region, *pixels, *options).code == 0
    (part,) = Path().glob(f"*ed{source.stem}.*")
    if "x" not in name:  # Pillow does not see all of these
        for one, other in zip(as_seen(part), as_seen(source), strict=True):
            outside = ~inside(one.shape, region)
            assert np.array_equal(one[outside], other[outside])
    assert run(back, part, *options).code == 0
    (result,) = Path().glob(f"*ed{part.stem}.*")
    assert same_pictures(read_picture(result), decode_picture(GALLERY[name]))


@pytest.mark.parametrize(("there", "back"), _WAYS)
def test_mask(run: Run, there: str, back: str) -> None:
    """What is not black in the mask changes, together with the rectangles."""
    plain = read_picture(Path("photo.png")).pixels
    row, column = np.indices(plain.shape[:2])
    circle = (row - 100) ** 2 + (column - 120) ** 2 < 60**2
    Path("mask.png").write_bytes(encoded(np.asarray(circle, dtype=np.uint8), "PNG"))
    options = ("--mask", "mask.png", "--region", "0,0,20,10", *_KEY)
    assert run(there, "photo.png", "-o", "part.png", *options).code == 0
    part, where = read_picture(Path("part.png")), circle | inside(plain.shape, "0,0,20,10")
    assert np.array_equal(part.pixels[~where], plain[~where])
    assert not np.array_equal(part.pixels[where], plain[where])
    assert part.header is not None
    assert Header.from_bytes(part.header).mask is not None
    assert "mask" in run("info", "part.png").out
    assert run(back, "part.png", "-o", "back.png", *_KEY).code == 0
    assert np.array_equal(read_picture(Path("back.png")).pixels, plain)


def test_masks_of_every_kind(run: Run) -> None:
    """A mask of one bit, 16 bits, RGB, with alpha, in a palette or moving chooses alike."""
    where = np.zeros((256, 256), dtype=bool)
    where[30:90, 40:200] = True
    gray = np.asarray(where, dtype=np.uint8)
    opaque = np.full_like(gray, 255)
    Path("bits.png").write_bytes(encoded(where, "PNG"))
    Path("deep.png").write_bytes(encoded(gray.astype(np.uint16), "PNG"))
    Path("blue.png").write_bytes(encoded(np.dstack([0 * gray, 0 * gray, gray]), "PNG"))
    Path("alpha.png").write_bytes(encoded(np.dstack([gray, opaque]), "PNG"))
    palette = Image.fromarray(5 - 5 * gray)
    palette.putpalette(bytes([0, 9, 0]) + bytes(15))
    palette.save("palette.png")
    palette.save("palette.gif")
    results = set()
    for mask in ("bits.png", "deep.png", "blue.png", "alpha.png", "palette.png", "palette.gif"):
        options = ("--mask", mask, "--deterministic", "--force", *_KEY)
        assert run("scramble", "photo.png", "-o", "out.png", *options).code == 0
        results.add(Path("out.png").read_bytes())
    assert len(results) == 1
    part, plain = (read_picture(Path(name)).pixels for name in ("out.png", "photo.png"))
    assert np.array_equal(part[~where], plain[~where])


def test_list_regions(run: Run) -> None:
    """The rectangles are printed the way in which they can be given again."""
    options = ("--region", "1,2,30,40", "--region", "0,0,5,5", "--list-regions", *_KEY)
    done = run("scramble", "photo.png", "-o", "out.png", *options)
    assert (done.code, done.out) == (0, "1,2,30,40\n0,0,5,5\n")


def test_regions_of_many_pictures(run: Run) -> None:
    """Rectangles count in each picture of a folder; where they do not fit, it is listed."""
    Path("in").mkdir()
    for name, rows in (("a", 20), ("b", 5), ("c", 30)):
        Path(f"in/{name}.png").write_bytes(encoded(noise(rows, 20, 3), "PNG"))
    done = run("scramble", "in", "-o", "out", "--region", "2,3,9,9", *_KEY)
    assert done.code == 2
    assert "'in/b.png'" in done.err
    for name in ("a", "c"):
        part = read_picture(Path(f"out/{name}.scrambled.png")).pixels
        plain = read_picture(Path(f"in/{name}.png")).pixels
        where = inside(plain.shape, "2,3,9,9")
        assert np.array_equal(part[~where], plain[~where])
        assert not np.array_equal(part, plain)


@pytest.mark.parametrize(("there", "back"), _WAYS)
def test_changes_outside_are_detected(run: Run, there: str, back: str) -> None:
    """The tag covers what stays readable, too."""
    run(there, "photo.png", "-o", "part.png", "--region", "9,9,9,9", *_KEY)
    part = read_picture(Path("part.png"))
    pixels = part.pixels.copy()
    pixels[100, 100] ^= 1
    Path("bad.png").write_bytes(encoded(pixels, "PNG", header=part.header))
    assert run(back, "bad.png", "-o", "back.png", *_KEY).code == 3
    assert not Path("back.png").exists()

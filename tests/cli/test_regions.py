"""Regions of pictures of every kind, and the margin around faces."""

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from sudokucrypt.images import decode_picture, read_picture
from sudokucrypt.recipes.records import same_pictures
from tests.cli.conftest import KEY, PICTURES, WAYS, Run, quick
from tests.cli.gallery import GALLERY


def as_seen(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The frames as Pillow shows them, in RGBA."""
    with Image.open(path) as image:
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            yield np.asarray(image.convert("RGBA"))


@pytest.mark.parametrize(("there", "back"), WAYS)
@pytest.mark.parametrize(
    "name",
    [
        *quick(["1.png", "P.png", "LA.png", "4x16.png", "CMYK.tiff", "F.tiff", "1xint16.tiff"]),
        *quick(["RGBA-animation.webp", "disposal.png", "RGB.jpg", "RGB.bmp"]),
        *("palette2-alphas.png", "pages.tiff", "disposal2.gif"),
    ],
)
def test_every_kind_of_picture(run: Run, name: str, there: str, back: str) -> None:
    """In any mode, in each frame and page, the outside looks the same and all comes back."""
    source = Path(name)
    source.write_bytes(GALLERY[name])
    outside = np.ones((13, 18), dtype=bool)
    outside[3:9, 2:11] = False
    options = ("--name", "{word}{stem}{suffix}", *KEY)
    pixels = ("--format", "png") if name.endswith(".jpg") else ()  # not whole blocks of a JPEG
    assert run(there, name, "--region", "2,3,9,6", *pixels, *options).code == 0
    (part,) = Path().glob(f"*ed{source.stem}.*")
    if "x" not in name:  # Pillow does not see all of these
        for one, other in zip(as_seen(part), as_seen(source), strict=True):
            assert np.array_equal(one[outside], other[outside])
    assert run(back, part, *options).code == 0
    (result,) = Path().glob(f"*ed{part.stem}.*")
    assert same_pictures(read_picture(result), decode_picture(GALLERY[name]))


@pytest.mark.slow
def test_margin(run: Run) -> None:
    """--face-margin widens each face on all sides, and --region goes along as it is."""
    regions = {}
    for margin in ("0", "0.5"):
        options = ("--region", "1,2,3,4", "--faces", "--face-margin", margin, "--list-regions")
        done = run("scramble", PICTURES / "astronaut.png", "-o", f"{margin}.png", *options, *KEY)
        regions[margin] = [tuple(map(int, line.split(","))) for line in done.out.splitlines()]
    assert regions["0"][0] == regions["0.5"][0] == (1, 2, 3, 4)
    column, row, columns, rows = regions["0"][1]
    top = max(0, row - rows / 2)
    wider = (column - columns / 2, top, 2 * columns, row + 1.5 * rows - top)
    # Whole pixels are taken after the margin was added.
    assert regions["0.5"][1] == pytest.approx(wider, abs=2)


@pytest.mark.parametrize("answer", [True, False])
def test_covering_for_good_is_asked_once_on_a_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, answer: bool
) -> None:
    """Whoever says no, or has no time to, loses nothing; `--yes` and pipes are not asked."""
    asked: list[str] = []

    def confirm(question: str, *, abort: bool, err: bool) -> None:
        asked.append(question)
        assert abort
        assert err
        if not answer:
            raise click.Abort

    monkeypatch.setattr(click, "confirm", confirm)
    command = ("redact", "photo.png", "--region", "1,2,9,9", "--permanent", "-o")
    done = run(*command, "a.png", terminal=True)
    assert (done.code == 0) == (tmp_path / "a.png").exists() == answer
    assert len(asked) == 1
    assert "all metadata will be gone" in asked[0]
    assert run(*command, "b.png").code == run(*command, "c.png", "--yes", terminal=True).code == 0
    assert len(asked) == 1

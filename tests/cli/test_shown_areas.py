"""Areas on the command line lie in the picture as viewers show it, whichever way it is stored."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli.conftest import Run
from tests.recipes.turned import ORIENTATIONS, SUFFIXES, require_covered, show_upright, turn_picture

_BOX = "3,2,5,4"  # in the smallest of the files, however it is turned


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("file_format", SUFFIXES)
def test_every_way_to_choose(run: Run, file_format: str, orientation: int) -> None:
    """A rectangle, a list of boxes and a mask cover the same place of what is seen."""
    data, source = (
        turn_picture(file_format, orientation),
        Path("in").with_suffix(SUFFIXES[file_format]),
    )
    target = "out.jpg" if file_format == "JPEG" else "out.png"
    source.write_bytes(data)
    mask = np.zeros(show_upright(data).shape[:2], dtype=bool)
    mask[2:6, 3:8] = True
    Image.fromarray(mask).save("mask.png")
    # A mask may say itself how to turn it.
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(np.rot90(mask)).save("turned.png", exif=exif)
    Path("boxes.json").write_text(json.dumps([[3.4, 2.4, 4.5, 3.3]]), encoding="ascii")
    for choice in (
        ("--region", _BOX),
        ("--boxes", "boxes.json"),
        ("--mask", "mask.png"),
        ("--mask", "turned.png"),
    ):
        done = run("redact", source, "-o", target, *choice, "--permanent", "--force")
        assert done.code == 0, done.err
        after = Path(target).read_bytes()
        require_covered(data, after, mask, slack=8 if file_format == "JPEG" else 0)


@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_lists_and_previews_are_as_shown(run: Run, file_format: str) -> None:
    """What is listed can be given again, and a preview is upright."""
    data, source = turn_picture(file_format, 6), Path("in").with_suffix(SUFFIXES[file_format])
    source.write_bytes(data)
    command = ("redact", source, "-o", "preview.png", "--preview")
    done = run(*command, "--region", "1,50,9,9", "--list-regions")
    assert (done.code, done.out) == (0, "1,50,9,9\n")
    preview, before = show_upright(Path("preview.png").read_bytes()), show_upright(data)
    assert preview.shape == before.shape == (64, 40, 3)
    rows, columns = np.nonzero((preview != before).any(axis=2))
    unit = 8 if file_format == "JPEG" else 1  # what would be covered is whole units
    assert rows.min() == 50 // unit * unit
    assert (columns.min(), columns.max()) == (1 // unit * unit, -(-10 // unit) * unit - 1)
    done = run(*command, "--region", "50,1,9,9", "--force")
    assert done.code == 2
    assert "a picture of 64 rows and 40 columns" in done.err
    assert "X and W count columns" in done.err

"""JPEG and resizing beside the libraries that services use."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from skimage.transform import resize

from sudokucrypt.analysis import DISTURBANCES, psnr
from sudokucrypt.analysis.robustness.disturbances import _COLOR, _LIGHT
from sudokucrypt.errors import UnsupportedError
from tests.analysis.metrics.chance import moved
from tests.analysis.pictures import NAMES, picture


def by_pillow(image: Any, quality: int) -> Any:
    """What libjpeg makes of an image."""
    target = io.BytesIO()
    Image.fromarray(image).save(target, "JPEG", quality=quality)
    return np.asarray(Image.open(target))


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize("quality", [1, 30, 50, 90])
def test_jpeg_loses_what_libjpeg_loses(
    name: str, quality: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all sides, plain and scrambled, PSNR is within 0.2 dB, and pictures are far nearer.

    Both are coded in several bands.
    """
    monkeypatch.setattr("sudokucrypt.analysis.robustness.disturbances._BAND", 64)
    image = np.ascontiguousarray(picture(name)[:203, :151])
    for sent in (image, image[1:], moved(image)):
        theirs, ours = by_pillow(sent, quality), DISTURBANCES["jpeg"].disturbed(sent, quality)
        assert psnr(sent, ours) == pytest.approx(psnr(sent, theirs), abs=0.2)
        assert psnr(theirs, ours) > psnr(sent, theirs) + 3


def test_tables_are_those_of_libjpeg() -> None:
    """At quality 50 it takes the tables of the standard as they are."""
    target = io.BytesIO()
    Image.new("RGB", (8, 8)).save(target, "JPEG", quality=50)
    tables = Image.open(target).quantization  # type: ignore[attr-defined]
    for number, table in enumerate((_LIGHT, _COLOR)):
        assert tables[number] == table.ravel().tolist()


def test_jpeg_takes_what_its_files_hold() -> None:
    """One channel of 8 bits is gray; 16 bits, 1 bit and transparency are refused."""
    image = picture("camera")[:64, :64]
    kind = DISTURBANCES["jpeg"]
    assert np.array_equal(kind.disturbed(image[..., None], 50)[..., 0], kind.disturbed(image, 50))
    for other in (image.astype(np.uint16), image > 90, np.dstack([image] * 4)):
        with pytest.raises(UnsupportedError, match="JPEG takes gray and color"):
            kind.disturbed(other, 50)


@pytest.mark.parametrize("factor", [0.75, 0.25])
def test_resizing_is_that_of_scikit_image(factor: float) -> None:
    """There with smoothing, back without, each side rounded; levels stay in range."""
    image = picture("astronaut")[:50, :61]
    small = (round(50 * factor), round(61 * factor), 3)
    scaled: Any = resize
    there = scaled(image.astype(float), small, order=1, anti_aliasing=True)
    expected = np.round(scaled(there, image.shape, order=1))
    result = DISTURBANCES["resize"].disturbed(image, factor)
    assert np.abs(result - expected).max() <= 1
    assert np.mean(result == expected) > 0.99
    board = np.indices((20, 20)).sum(axis=0) % 2 == 1
    assert DISTURBANCES["resize"].disturbed(board, factor).dtype == np.bool_

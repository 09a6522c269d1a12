"""Stills of every mode in every format come back as they were; Pillow is the judge."""

import io
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest

from sudokucrypt import (
    Key,
    UnsupportedError,
    decrypt_file,
    encrypt_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import (
    decode_picture,
    encode_picture,
    read_picture,
    unsupported_reason,
    writable_formats,
)
from sudokucrypt.recipes.carriers.picture import same_pictures
from tests.cli.conftest import quick
from tests.cli.gallery import GALLERY, SEVERAL
from tests.cli.looking import exif_block, is_for_pillow, look
from tests.recipes.memory import result_of

KEY = Key(bytes(range(32)))
OPERATIONS: dict[str, Any] = {
    "scramble": (scramble_file, unscramble_file),
    "encrypt": (partial(encrypt_file, as_file=False), decrypt_file),
}
_DECODERS = {
    ".png": imagecodecs.png_decode,
    ".tiff": imagecodecs.tiff_decode,
    ".jxl": imagecodecs.jpegxl_decode,
}
_TRANSPARENT = "I;16-transparent.png"  # of which Pillow shows 8 bits of each sample
LINEAR = [name for name in GALLERY if name.endswith("uint16.jxl")]
"""Stills in a color space that is not kept."""

# One of each kind; all others are for the full run.
_FEW = "1.png P-metadata.png 4x16.png CMYK.tiff 1xfloat16.tiff RGBA.webp transparent.gif"
FEW = f"{_FEW} RGB.jpg L.bmp".split()


def pairs(first: str) -> list[Any]:
    """Names of stills with the operations that take them; the fast run has `first` and a few."""
    return [
        pytest.param(name, each, marks=[] if quickly else pytest.mark.slow)
        for name, each in product(GALLERY, OPERATIONS)
        if each == "scramble" or name not in LINEAR
        for quickly in [name in FEW and each == first]
    ]


@pytest.mark.parametrize(("name", "operation"), pairs("encrypt"))
def test_round_trip(tmp_path: Path, name: str, operation: str) -> None:
    """Samples, mode, transparency, profile and EXIF come back; protected samples are others."""
    protect, restore = OPERATIONS[operation]
    if operation == "encrypt" and name.endswith("16.jxl"):
        with pytest.raises(UnsupportedError, match="more than its pixels keep: color space"):
            protect(io.BytesIO(GALLERY[name]), io.BytesIO(), KEY)
        return
    source = tmp_path / name
    source.write_bytes(GALLERY[name])
    stored = protect(source, None, KEY).target
    result = restore(stored, None, KEY).target
    plain, protected, restored = (read_picture(path) for path in (source, stored, result))
    assert same_pictures(restored, plain)
    assert restored.header is None
    assert protected.pixels.shape == plain.pixels.shape
    assert not np.array_equal(protected.pixels, plain.pixels)
    before, after = source.read_bytes(), result.read_bytes()
    if is_for_pillow(before) and name != _TRANSPARENT:
        assert look(after) == look(before)
        if source.suffix != ".tiff" and result.suffix != ".tiff":
            assert exif_block(after) == exif_block(before)
    if "x" in source.stem or name == _TRANSPARENT:  # Pillow would not show all bits
        samples = [_DECODERS[path.suffix](path.read_bytes()) for path in (source, result)]
        assert samples[0].dtype == samples[1].dtype
        assert np.array_equal(*samples)


@pytest.mark.parametrize(("name", "operation"), pairs("scramble"))
def test_other_formats(name: str, operation: str) -> None:
    """Through any format that holds it, a picture comes back as if it had only been converted."""
    protect, restore = OPERATIONS[operation]
    if operation == "encrypt" and name.endswith("16.jxl"):
        pytest.skip("its color space is refused")
    plain = decode_picture(GALLERY[name])
    formats = [each for each in writable_formats() if unsupported_reason(plain, each) is None]
    assert formats
    stored = [result_of(protect, GALLERY[name], KEY, format=each, rounds=1) for each in formats]
    for data, end in product(stored, formats):
        restored = decode_picture(result_of(restore, data, KEY, format=end))
        assert same_pictures(restored, plain)
        assert restored.metadata == decode_picture(encode_picture(plain, end)).metadata


@pytest.mark.parametrize("name", ["F.tiff", "1xint16.tiff", "3xuint32.tiff"])
def test_formats_that_cannot_hold_a_picture(tmp_path: Path, name: str) -> None:
    """Where a PNG would lose something, it is refused, and a TIFF is named."""
    target = tmp_path / "out.png"
    with pytest.raises(UnsupportedError, match="PNG cannot hold") as raised:
        scramble_file(io.BytesIO(GALLERY[name]), target, KEY)
    assert str(raised.value.hint).startswith("write TIFF")
    assert not target.exists()


@pytest.mark.parametrize("name", quick(LINEAR, *LINEAR[:1]))
def test_color_spaces_that_are_not_kept(tmp_path: Path, name: str) -> None:
    """`encrypt` refuses pixels without their color space, which `scramble` names in a note."""
    stored = tmp_path / "out.png"
    with pytest.raises(UnsupportedError, match="more than its pixels keep: color space") as raised:
        OPERATIONS["encrypt"][0](io.BytesIO(GALLERY[name]), stored, KEY)
    assert "encrypt it as a file" in str(raised.value.hint)
    assert not stored.exists()
    report = scramble_file(io.BytesIO(GALLERY[name]), stored, KEY)
    assert report.dropped == ("color space",)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_pictures_are_refused(tmp_path: Path, name: str, operation: str) -> None:
    """Animations and pages are refused as pixels, the hint names `encrypt`, and nothing is left."""
    (tmp_path / name).write_bytes(SEVERAL[name])
    with pytest.raises(UnsupportedError) as raised:
        OPERATIONS[operation][0](tmp_path / name, None, KEY)
    assert "encrypt" in str(raised.value.hint)
    assert [path.name for path in tmp_path.iterdir()] == [name]

"""All formats: files that are cut, changed or too large raise our errors, quickly and silently."""

import base64
import json
import random
import struct
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sudokucrypt.errors import InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.images import (
    MAX_PIXELS,
    Picture,
    decode_picture,
    drivers,
    encode_picture,
    extract_header,
    find_unsupported_reason,
    read_picture,
)
from sudokucrypt.images.jpeg import read_coefficients
from tests.images.builders import (
    build_bmp,
    build_gif,
    build_png,
    build_tiff,
    build_webp,
    noise,
    save_image,
)
from tests.images.samples import (
    FILES,
    REFUSED_FILES,
    build_psd,
    damage_data,
    encode_jpeg2000,
    get_format,
    read_heif_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CUT_COUNT, CHANGE_COUNT = 60, 50

# Small files that claim sides of 60000 pixels, or the largest sides of their format.
_LARGE_SIDE = 60000
_LARGE_SIDES = struct.pack(">II", _LARGE_SIDE, _LARGE_SIDE)
_JPEG, _J2K = save_image(noise(9, 11, 3), "JPEG"), encode_jpeg2000(noise(9, 11, 3))
_PNG = build_png(_LARGE_SIDE, _LARGE_SIDE, b"\0")
FILES_WITH_HUGE_CLAIMS = {
    "PNG": _PNG,
    "JPEG": _JPEG.replace(b"\x08\x00\x09\x00\x0b", b"\x08\xea\x60\xea\x60"),
    "TIFF": build_tiff({256: (4, [_LARGE_SIDE]), 257: (4, [_LARGE_SIDE])}),
    "WebP": build_webp((b"VP8L", b"/" + struct.pack("<I", 0xFFFFFFF) + bytes(20))),
    "GIF": build_gif(
        b"," + struct.pack("<HHHHB", 0, 0, _LARGE_SIDE, _LARGE_SIDE, 0) + b"\2\1\0\0",
        columns=_LARGE_SIDE,
        rows=_LARGE_SIDE,
    ),
    "BMP": build_bmp(24, b"", columns=_LARGE_SIDE, rows=_LARGE_SIDE),
    "PPM": b"P6 60000 60000 255\n",
    "PPM, text": b"P2 60000 60000 255\n1\n",
    "AVIF": FILES["AVIF"].replace(struct.pack(">II", 11, 9), _LARGE_SIDES),
    "HEIF": read_heif_file("rgb").replace(struct.pack(">II", 80, 64), _LARGE_SIDES),
    "JPEG XL": b"\xff\x0a" + bytes.fromhex("06 ea 60 ea 60 ea 60 ea 60 00 00"),
    "JPEG 2000": _J2K.replace(struct.pack(">II", 11, 9), _LARGE_SIDES),
    "ICO": FILES["ICO"][:14] + struct.pack("<II", len(_PNG), 22) + _PNG,
    "PSD": build_psd(noise(9, 11, 3), 3).replace(struct.pack(">II", 9, 11), _LARGE_SIDES),
    "QOI": b"qoif" + _LARGE_SIDES + b"\3\0" + b"\0" * 7 + b"\1",
    "TGA": FILES["TGA"].replace(
        struct.pack("<HH", 11, 9), struct.pack("<HH", _LARGE_SIDE, _LARGE_SIDE)
    ),
}


REFUSED_CASES = json.loads((Path(__file__).parent / "refused.json").read_text())
"""Small files that must not be read: how each was made, its bytes, and the error about it."""


@pytest.mark.parametrize(
    "case", REFUSED_CASES, ids=lambda case: f"{case['format']}: {case['made']}"
)
def test_refused_files(case: dict[str, str]) -> None:
    """Each damaged, unsupported or malformed file raises an error with the expected message."""
    data, kind = base64.b64decode(case["file"]), case["error"]
    readers: list[Callable[..., object]] = [
        read_coefficients if case["format"] == "JPEG coefficients" else decode_picture
    ]
    readers += [extract_header] if kind == "FormatError" else []
    for read_file in readers:
        with pytest.raises(SudokucryptError) as error_info:
            read_file(data, max_pixels=MAX_PIXELS)
        assert (type(error_info.value).__name__, str(error_info.value)) == (kind, case["message"])
        assert error_info.value.hint or kind == "UnsupportedVersionError"
    assert "\n" not in case["message"]


UNSUPPORTED_CASES = json.loads((Path(__file__).parent / "unsupported.json").read_text())
"""Pictures that a format cannot hold exactly, and the reason that is given."""


@pytest.mark.parametrize(
    "case", UNSUPPORTED_CASES, ids=lambda case: f"{case['format']}: {case['reason']}"
)
def test_unsupported_pictures_are_not_written(case: dict[str, Any]) -> None:
    """Writing an unsupported picture raises an error with the reason and another format."""
    pixels, name = case["pixels"], case["format"]
    samples = np.full(pixels["shape"], pixels["value"], pixels["dtype"])
    picture = Picture(pixels=samples, mode=case["mode"], format=name)
    assert case["reason"] in (find_unsupported_reason(picture, name) or "")
    with pytest.raises(UnsupportedError, match=f"{name} cannot hold ") as error_info:
        encode_picture(picture, name)
    assert case["reason"] in str(error_info.value)
    assert error_info.value.hint


def are_equal_pictures(picture: Picture, other: Picture) -> bool:
    return picture.header == other.header and np.array_equal(picture.pixels, other.pixels)


def test_every_format_has_samples() -> None:
    """Every format that can be read has files for the tests of this module."""
    readable = {driver.name for driver in drivers() if driver.decode is not None}
    assert (
        {get_format(name) for name in FILES}
        == readable
        == {get_format(name) for name in FILES_WITH_HUGE_CLAIMS}
    )


# One file of each format, and unusual ones. Tests of other files are slow.
QUICK_FILES = (
    "PNG", "JPEG", "TIFF", "TIFF, tiff_lzw", "WebP", "GIF", "BMP", "PPM", "AVIF", "HEIF", "JPEG XL",
    "JPEG 2000", "ICO", "PSD", "QOI", "TGA",
)  # fmt: skip
ALL_FILES = [
    *QUICK_FILES,
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in FILES
        if name not in (*QUICK_FILES, *REFUSED_FILES)
    ),
]


@pytest.mark.parametrize("name", ALL_FILES)
def test_suffix_does_not_matter(name: str, tmp_path: Path) -> None:
    """A file with a wrong suffix is read by its content."""
    path = tmp_path / "picture.txt"
    path.write_bytes(FILES[name])
    picture = read_picture(path)
    assert picture.format == get_format(name)
    assert picture.pixels.flags.c_contiguous
    assert picture.pixels.flags.writeable


@pytest.mark.parametrize("name", ALL_FILES)
def test_cut_files_are_refused_or_exact(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A file that is cut at any length raises our error or decodes exactly."""
    data = FILES[name]
    original = decode_picture(data)
    step = max(1, len(data) // CUT_COUNT)
    for length in {*range(0, len(data), step), *range(max(0, len(data) - 12), len(data))}:
        with suppress(InvalidImageError, UnsupportedError):
            assert are_equal_pictures(decode_picture(data[:length]), original), length
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", [*ALL_FILES, *REFUSED_FILES])
def test_changed_files_raise_our_errors(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A file with random changes decodes or raises our error, without warnings or output."""
    draw = random.Random(name)  # noqa: S311 - a fixed seed, not a secret
    for _ in range(CHANGE_COUNT):
        with suppress(SudokucryptError):
            picture = decode_picture(damage_data(draw, FILES[name]), max_pixels=2**16)
            assert picture.pixels.dtype.kind in "buif"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ALL_FILES)
def test_max_pixels_is_respected(name: str) -> None:
    """A picture is refused if its pixels or its bytes exceed `max_pixels`, otherwise read."""
    picture = decode_picture(FILES[name])
    count = picture.pixels.shape[0] * picture.pixels.shape[1]
    with pytest.raises(InvalidImageError, match="more than") as error_info:
        decode_picture(FILES[name], max_pixels=count - 1)
    assert "max_pixels" in str(error_info.value.hint)
    size = picture.pixels.nbytes
    size *= {"JPEG 2000": 4, "QOI": 2}.get(
        picture.format, 1
    )  # bytes that the codec needs for each sample
    least_limit = max(count, -(-size // 4))
    assert are_equal_pictures(decode_picture(FILES[name], max_pixels=least_limit), picture)


@pytest.mark.parametrize("name", FILES_WITH_HUGE_CLAIMS)
def test_claims_are_checked_first(name: str) -> None:
    """A small file that claims to be huge is refused before anything is decoded."""
    started = time.perf_counter()
    with pytest.raises(InvalidImageError, match=r"more than the \d+ (pixels|bytes)"):
        decode_picture(FILES_WITH_HUGE_CLAIMS[name])
    assert time.perf_counter() - started < 1


_MEMORY_SCRIPT = """
import resource, sys
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import decode_picture
from tests.images.test_contract import FILES_WITH_HUGE_CLAIMS
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for data in FILES_WITH_HUGE_CLAIMS.values():
    try:
        decode_picture(data)
    except SudokucryptError:
        pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="kilobytes are counted as on Linux")
def test_claims_take_no_memory() -> None:
    """Refusing all files that claim to be huge takes less than 64 MiB of memory."""
    result = subprocess.run([sys.executable, "-c", _MEMORY_SCRIPT], capture_output=True, check=True)
    assert int(result.stdout) < 2**16

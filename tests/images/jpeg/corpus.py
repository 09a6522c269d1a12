"""Some hundred JPEG files of several programs: all samplings, kinds of scans and odd sizes."""

import io
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.typing import AnyArray

SIZES = ((1, 1), (1, 65), (65, 1), (7, 8), (8, 9), (16, 17), (31, 33), (64, 48), (65, 50))
_PILLOW_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"optimize": True},
    {"progressive": True},
    {"subsampling": 0, "quality": 96},
    {"subsampling": 1, "progressive": True, "quality": 30},
    {"restart_marker_blocks": 1},
    {"restart_marker_rows": 1, "progressive": True, "quality": 97},
    {"restart_marker_blocks": 3, "subsampling": 1, "optimize": True},
)
# Options of cjpeg of libjpeg-turbo 2.1.5: `python -m tests.images.jpeg.corpus` runs it again. The
# written files are stored with the tests, since many machines lack this program.
_CJPEG_OPTIONS = (
    ("-sample", "1x2"),
    ("-sample", "4x1,1x1,2x1"),
    ("-sample", "1x1,2x2,1x2"),
    ("-sample", "4x2", "-progressive"),
    ("-sample", "2x2,1x1,1x1", "-restart", "2B", "-progressive", "-quality", "95"),
    ("-sample", "3x1,1x1,1x1"),
    ("-grayscale", "-sample", "2x2", "-optimize"),
    ("-rgb", "-quality", "100"),
    ("-scans", "0; 1; 2;"),
    ("-scans", "0 2; 1;", "-restart", "1B"),
    (
        "-scans",
        "0,1,2: 0 0 0 3; 0: 1 63 0 4; 1: 1 5 0 0; 1: 6 63 0 0; 2: 1 63 0 0; 0: 1 63 4 3;"
        "0: 1 63 3 2; 0,1: 0 0 3 2; 2: 0 0 3 2; 0,1,2: 0 0 2 1; 0: 1 63 2 1; 0,1,2: 0 0 1 0;"
        "0: 1 63 1 0;",
    ),
    ("-scans", "0: 0 0 0 0; 1: 0 0 0 0; 2: 0 0 0 0; 0: 1 63 0 2; 2: 1 63 0 1;"),
)


def make_smooth(rows: int, columns: int, channels: int = 3, *, seed: int = 1) -> AnyArray:
    """Return a picture of smooth shapes with grain, whose blocks have few or many coefficients."""
    generator = np.random.default_rng([rows, columns, channels, seed])
    random_walk = generator.normal(0, 9, (rows, columns, channels)).cumsum(0).cumsum(1) / 12
    grain = generator.normal(0, 30, (rows, columns, channels)) * (np.arange(columns) > 40)[:, None]
    return np.clip(128 + random_walk + grain, 0, 255).astype(np.uint8)


def save_image(pixels: AnyArray, **options: Any) -> bytes:
    """Return the file that Pillow writes for one, three or four channels."""
    mode = {1: "L", 3: "RGB", 4: "CMYK"}[pixels.shape[2]]
    buffer = io.BytesIO()
    size = pixels.shape[1::-1]
    Image.frombytes(mode, size, pixels.tobytes()).save(buffer, "JPEG", **options)
    return buffer.getvalue()


@cache
def list_photographs() -> dict[str, AnyArray]:
    """Return the photographs of scikit-image, cropped to at most 300 by 400 pixels."""
    data = pytest.importorskip("skimage.data", reason="photographs come with the extra analysis")
    folder = Path(data.__file__).parent
    photos = {}
    for path in sorted([*folder.glob("*.png"), *folder.glob("*.jpg")]):
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"))[:300, :400]
        photos[path.stem] = np.ascontiguousarray(pixels)
        photos[path.stem].flags.writeable = False
    return photos


@cache
def list_corpus() -> dict[str, bytes]:
    """Return all files by name, which states the program and its options."""
    return dict(_iterate_files())


def list_parts(count: int) -> list[Any]:
    """Return the numbers of parts of the corpus: one for fast runs, four daily, all nightly."""
    marks = [*[pytest.mark.slow] * 3, *[pytest.mark.nightly] * (count - 4)]
    return [0, *(pytest.param(part, marks=mark) for part, mark in enumerate(marks, 1))]


def _iterate_files() -> Iterator[tuple[str, bytes]]:
    for rows, columns in SIZES:
        for channels in (1, 3, 4):
            pixels = make_smooth(rows, columns, channels)
            for options in _PILLOW_OPTIONS:
                yield f"Pillow {rows}x{columns}x{channels} {options}", save_image(pixels, **options)
        pixels = make_smooth(rows, columns)
        for sampling in ("444", "422", "420", "411", "440"):
            for optimize in (False, True):
                data = imagecodecs.jpeg8_encode(pixels, 85, subsampling=sampling, optimize=optimize)
                yield f"imagecodecs {rows}x{columns} {sampling} {optimize}", bytes(data)
    for name, pixels in list_photographs().items():
        for quality, progressive in ((75, False), (90, True), (95, False)):
            data = save_image(pixels, quality=quality, progressive=progressive)
            yield f"photograph {name} {quality}", data
    yield from iterate_cjpeg_files()


def iterate_cjpeg_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files that cjpeg wrote, which are stored with the tests."""
    for name, path, _, _ in _list_cjpeg_files():
        yield name, path.read_bytes()


def _list_cjpeg_files() -> Iterator[tuple[str, Path, tuple[int, int], tuple[str, ...]]]:
    """Yield the name, the path, the size and the options of each file of cjpeg."""
    for rows, columns in ((1, 1), (33, 31), (65, 50)):
        for index, options in enumerate(_CJPEG_OPTIONS):
            path = Path(__file__).parent / "cjpeg" / f"{rows}x{columns}-{index:02}.jpg"
            yield f"cjpeg {rows}x{columns} {options}", path, (rows, columns), options


def _run_cjpeg(pixels: AnyArray, *options: str) -> bytes:
    """Return the file that cjpeg writes for samples; a script of scans is given as text."""
    script = ""
    if "-scans" in options:
        at = options.index("-scans") + 1
        script, options = options[at], (*options[:at], "/dev/stdin", *options[at + 1 :])
    with tempfile.NamedTemporaryFile(suffix=".ppm") as file:
        file.write(b"P6\n%d %d\n255\n" % pixels.shape[1::-1] + pixels.tobytes())
        file.flush()
        command = ["cjpeg", *options, file.name]
        result = subprocess.run(command, input=script.encode(), capture_output=True, check=True)
    return result.stdout


if __name__ == "__main__":
    for _, path, size, options in _list_cjpeg_files():
        path.write_bytes(_run_cjpeg(make_smooth(*size), *options))

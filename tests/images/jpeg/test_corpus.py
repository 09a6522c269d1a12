"""JPEG files of many programs come back byte for byte, and other programs agree on them."""

import io
import subprocess
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg import ZIGZAG, JpegFile
from sudokucrypt.images.jpeg.file import SCAN, walk_segments
from sudokucrypt.typing import AnyArray
from tests.images.jpeg.corpus import corpus, saved, smooth
from tests.images.jpeg.made import PROGRESSION, made, read, same_coefficients


def _jpegtran(path: Path, *options: str) -> bytes:
    command = ["jpegtran", *options, str(path)]
    return subprocess.run(command, capture_output=True, check=True).stdout


def _show_picture(plane: AnyArray) -> AnyArray:
    """Blocks as 8 rows of 8 frequencies."""
    blocks = np.zeros_like(plane)
    blocks[..., list(ZIGZAG)] = plane
    return blocks.reshape(*plane.shape[:2], 8, 8)


def _covering(file: JpegFile) -> list[AnyArray]:
    """The blocks that cover the picture, as other programs give them."""
    pairs = zip(file.frame.components, file.coefficients, strict=True)
    return [_show_picture(plane[: part.blocks[0], : part.blocks[1]]) for part, plane in pairs]


def _code_picture(data: bytes) -> list[bytes]:
    return [
        bytes(result.coded)
        for result in walk_segments(Source(data, "", 0))
        if result.marker == SCAN
    ]


def test_every_file_comes_back() -> None:
    """At least 300 files come back byte for byte by coding their coefficients again."""
    assert len(corpus()) >= 300
    assert [name for name, data in corpus().items() if not read(data).same_file(data)] == []


def test_jpeglib_agrees(tmp_path: Path) -> None:
    """libjpeg finds the same coefficients in every file, and in what is made with any sampling."""
    jpeglib = pytest.importorskip("jpeglib", reason="has no wheels for some processors")
    samplings = [((4, 1), (1, 1), (2, 1)), ((1, 1), (4, 2), (1, 1)), ((4, 4),)]
    files = list(corpus().items())
    files += [(f"made {sides}", made(65, 83, sides).to_bytes()) for sides in samplings]
    path = tmp_path / "picture.jpg"
    for name, data in files:
        path.write_bytes(data)
        result = jpeglib.read_dct(str(path))
        result.load()
        planes = [result.Y, result.Cb, result.Cr, result.K]
        for ours, theirs in zip(_covering(read(data)), planes, strict=False):
            assert np.array_equal(ours, theirs), name


def test_pillow_shows_these_coefficients() -> None:
    """The inverse cosine transform of gray coefficients is what Pillow shows, within rounding."""
    angles = np.cos(np.pi / 16 * np.outer(np.arange(8), 2 * np.arange(8) + 1))
    basis = np.where(np.arange(8) == 0, np.sqrt(1 / 8), 1 / 2)[:, None] * angles
    for options in ({"quality": 60}, {"quality": 95, "progressive": True}):
        data = saved(smooth(65, 50, 1), **options)
        file = read(data)
        (blocks,), steps = _covering(file), _show_picture(file.quantizers[0].reshape(1, 1, 64))
        samples = basis.T @ (blocks * steps.astype(float)) @ basis + 128
        pixels = samples.transpose(0, 2, 1, 3).reshape(72, 56)[:65, :50]
        with Image.open(io.BytesIO(data)) as image:
            assert np.abs(np.clip(pixels, 0, 255) - np.asarray(image)).max() < 1.5


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_optimized_files_hold_the_same_picture(every: int) -> None:
    """New tables change no coefficient and no pixel, and never make coded data longer."""
    for name, data in islice(corpus().items(), None, None, every):
        file = read(data)
        smaller = file.optimize().to_bytes()
        assert same_coefficients(file, read(smaller)), name
        assert sum(map(len, _code_picture(smaller))) <= sum(map(len, _code_picture(data))), name
        with Image.open(io.BytesIO(data)) as one, Image.open(io.BytesIO(smaller)) as other:
            assert np.array_equal(np.asarray(one), np.asarray(other)), name


@pytest.mark.programs("jpegtran")
def test_jpegtran_codes_alike(tmp_path: Path) -> None:
    """Coded data with new tables are those of ``jpegtran -optimize``, byte for byte."""
    path = tmp_path / "picture.jpg"
    for rows, columns in ((1, 1), (64, 48), (65, 83)):
        path.write_bytes(saved(smooth(rows, columns), quality=92))
        for option in ("-optimize", "-progressive"):
            theirs = _jpegtran(path, option, "-restart", "3b")
            assert _code_picture(read(theirs).optimize().to_bytes()) == _code_picture(theirs)


@pytest.mark.parametrize("restart", [0, 1, 5])
@pytest.mark.parametrize("script", [(), PROGRESSION])
def test_made_files_come_back(script: tuple[object, ...], restart: int) -> None:
    """Coefficients of any density, up to the largest, come back from the file that is made."""
    for share in (0.0, 0.02, 0.2, 1.0):
        file = made(50, 70, script=script, restart=restart, share=share)
        again = read(file.to_bytes())
        assert same_coefficients(file, again)
        assert again.same_file(file.to_bytes())
        assert again.complete


@pytest.mark.parametrize("samplings", [((3, 2), (2, 1)), ((2, 2), (1, 1), (1, 2), (1, 2))])
def test_filling_blocks_come_back(samplings: tuple[tuple[int, int], ...]) -> None:
    """Blocks that only fill up units of an interleaved scan are kept too."""
    file = made(50, 70, samplings, restart=2)
    assert any(component.blocks != component.shape for component in file.frame.components)
    assert same_coefficients(file, read(file.to_bytes()))


@pytest.mark.programs("jpegtran")
def test_libjpeg_stops_runs_of_many_corrections(tmp_path: Path) -> None:
    """Runs stop where libjpeg stops them, so that nothing has to be kept about them."""
    file = made(160, 160, share=1.0)
    plane = file.coefficients[0]
    # No value becomes 1 or -1 in a scan that refines, and the last bits of 50 follow in each.
    large = np.where(abs(plane) < 8, np.int16(9), plane) * (np.arange(64) < 51).astype(np.int16)
    path = tmp_path / "picture.jpg"
    path.write_bytes(file.with_coefficients([large]).optimize().to_bytes())
    again = read(_jpegtran(path, "-progressive"))
    assert [scan.breaks for scan in again.scans] == [()] * 6
    assert again.same_file(_jpegtran(path, "-progressive"))

"""JPEG files of many programs are kept byte for byte, and other programs agree on coefficients."""

import io
import subprocess
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg import ZIGZAG, JpegFile
from sudokucrypt.images.jpeg.file import SCAN_MARKER, walk_segments
from sudokucrypt.typing import AnyArray
from tests.images.jpeg.corpus import list_corpus, make_smooth, save_image
from tests.images.jpeg.made import PROGRESSION, are_equal_coefficients, make_file, read


def _run_jpegtran(path: Path, *options: str) -> bytes:
    command = ["jpegtran", *options, str(path)]
    return subprocess.run(command, capture_output=True, check=True).stdout


def _unzigzag(plane: AnyArray) -> AnyArray:
    """Return blocks as 8 rows of 8 frequencies."""
    blocks = np.zeros_like(plane)
    blocks[..., list(ZIGZAG)] = plane
    return blocks.reshape(*plane.shape[:2], 8, 8)


def _list_covering_blocks(file: JpegFile) -> list[AnyArray]:
    """Return the blocks that cover the picture, as other programs give them."""
    pairs = zip(file.frame.components, file.coefficients, strict=True)
    return [_unzigzag(plane[: part.blocks[0], : part.blocks[1]]) for part, plane in pairs]


def _list_coded_data(data: bytes) -> list[bytes]:
    return [
        bytes(result.coded_data)
        for result in walk_segments(Source(data, "", 0))
        if result.marker == SCAN_MARKER
    ]


def test_every_file_is_kept() -> None:
    """At least 300 files of the corpus are equal after decoding and coding their coefficients."""
    assert len(list_corpus()) >= 300
    assert [name for name, data in list_corpus().items() if not read(data).is_same_file(data)] == []


def test_jpeglib_agrees(tmp_path: Path) -> None:
    """jpeglib reads the same coefficients from the corpus, and from files of all samplings."""
    jpeglib = pytest.importorskip("jpeglib", reason="has no wheels for some processors")
    samplings = [((4, 1), (1, 1), (2, 1)), ((1, 1), (4, 2), (1, 1)), ((4, 4),)]
    files = list(list_corpus().items())
    files += [(f"made {sides}", make_file(65, 83, sides).to_bytes()) for sides in samplings]
    path = tmp_path / "picture.jpg"
    for name, data in files:
        path.write_bytes(data)
        result = jpeglib.read_dct(str(path))
        result.load()
        planes = [result.Y, result.Cb, result.Cr, result.K]
        for our_blocks, their_blocks in zip(
            _list_covering_blocks(read(data)), planes, strict=False
        ):
            assert np.array_equal(our_blocks, their_blocks), name


def test_pillow_agrees_on_coefficients() -> None:
    """The inverse cosine transform of gray coefficients is near Pillow's samples."""
    angles = np.cos(np.pi / 16 * np.outer(np.arange(8), 2 * np.arange(8) + 1))
    basis = np.where(np.arange(8) == 0, np.sqrt(1 / 8), 1 / 2)[:, None] * angles
    for options in ({"quality": 60}, {"quality": 95, "progressive": True}):
        data = save_image(make_smooth(65, 50, 1), **options)
        file = read(data)
        (blocks,), quantizer = (
            _list_covering_blocks(file),
            _unzigzag(file.quantizers[0].reshape(1, 1, 64)),
        )
        samples = basis.T @ (blocks * quantizer.astype(float)) @ basis + 128
        pixels = samples.transpose(0, 2, 1, 3).reshape(72, 56)[:65, :50]
        with Image.open(io.BytesIO(data)) as image:
            assert np.abs(np.clip(pixels, 0, 255) - np.asarray(image)).max() < 1.5


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_optimizing_keeps_the_picture(every: int) -> None:
    """New tables change neither coefficients nor pixels, and never make a file longer."""
    for name, data in islice(list_corpus().items(), None, None, every):
        file = read(data)
        smaller = file.optimize().to_bytes()
        assert are_equal_coefficients(file, read(smaller)), name
        assert sum(map(len, _list_coded_data(smaller))) <= sum(map(len, _list_coded_data(data))), (
            name
        )
        with Image.open(io.BytesIO(data)) as original, Image.open(io.BytesIO(smaller)) as optimized:
            assert np.array_equal(np.asarray(original), np.asarray(optimized)), name


@pytest.mark.programs("jpegtran")
def test_jpegtran_agrees_on_optimizing(tmp_path: Path) -> None:
    """The coded data with new tables equal those of ``jpegtran -optimize``."""
    path = tmp_path / "picture.jpg"
    for rows, columns in ((1, 1), (64, 48), (65, 83)):
        path.write_bytes(save_image(make_smooth(rows, columns), quality=92))
        for option in ("-optimize", "-progressive"):
            jpegtran_file = _run_jpegtran(path, option, "-restart", "3b")
            assert _list_coded_data(read(jpegtran_file).optimize().to_bytes()) == _list_coded_data(
                jpegtran_file
            )


@pytest.mark.parametrize("restart", [0, 1, 5])
@pytest.mark.parametrize("script", [(), PROGRESSION])
def test_built_files_are_kept(script: tuple[object, ...], restart: int) -> None:
    """Coefficients of any density are equal after writing and reading a file."""
    for nonzero_share in (0.0, 0.02, 0.2, 1.0):
        file = make_file(50, 70, script=script, restart=restart, nonzero_share=nonzero_share)
        decoded_file = read(file.to_bytes())
        assert are_equal_coefficients(file, decoded_file)
        assert decoded_file.is_same_file(file.to_bytes())
        assert decoded_file.complete


@pytest.mark.parametrize("samplings", [((3, 2), (2, 1)), ((2, 2), (1, 1), (1, 2), (1, 2))])
def test_dummy_blocks_are_kept(samplings: tuple[tuple[int, int], ...]) -> None:
    """Dummy blocks are equal after writing and reading a file."""
    file = make_file(50, 70, samplings, restart=2)
    assert any(component.blocks != component.shape for component in file.frame.components)
    assert are_equal_coefficients(file, read(file.to_bytes()))


@pytest.mark.programs("jpegtran")
def test_runs_with_many_corrections_have_no_breaks(tmp_path: Path) -> None:
    """A file of jpegtran, which ends runs of many correction bits, is kept without breaks."""
    file = make_file(160, 160, nonzero_share=1.0)
    plane = file.coefficients[0]
    # In a refining scan no value becomes 1 or -1, and each block has 50 correction bits.
    large = np.where(abs(plane) < 8, np.int16(9), plane) * (np.arange(64) < 51).astype(np.int16)
    path = tmp_path / "picture.jpg"
    path.write_bytes(file.with_coefficients([large]).optimize().to_bytes())
    decoded_file = read(_run_jpegtran(path, "-progressive"))
    assert [scan.run_breaks for scan in decoded_file.scans] == [()] * 6
    assert decoded_file.is_same_file(_run_jpegtran(path, "-progressive"))

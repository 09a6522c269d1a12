"""A picture of 200 megapixels takes twice its samples and 100 MB, and has to be asked for."""

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key
from sudokucrypt.images import read_picture
from sudokucrypt.kernels import is_compiled
from sudokucrypt.typing import AnyArray
from tests.cli.conftest import Run
from tests.images.builders import png_chunk

_ROWS, _COLUMNS = 10_000, 20_000
_RAW = _ROWS * _COLUMNS
_MOST = 2 * _RAW + 100e6  # the picture, and the array between two passes
# On Linux, what getrusage says includes the program that started this one.
_PEAK = """
import re, resource, sys
from pathlib import Path
from sudokucrypt.cli.main import main
try:
    main()
finally:
    if sys.platform == "linux":
        peak = 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
    else:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak)
"""


def band(first: int) -> AnyArray:
    """The samples of a hundred lines, which differ from all others."""
    rows = np.arange(first, first + 100, dtype=np.uint32)[:, np.newaxis]
    return np.asarray((rows * 7 + np.arange(_COLUMNS, dtype=np.uint32) // 3) >> 2, dtype=np.uint8)


def write_picture(path: Path) -> None:
    """Write a gray PNG in bands."""
    head = struct.pack(">IIBBBBB", _COLUMNS, _ROWS, 8, 0, 0, 0, 0)
    engine = zlib.compressobj(1)
    with path.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head))
        for first in range(0, _ROWS, 100):
            lines = np.pad(band(first), ((0, 0), (1, 0)))
            file.write(png_chunk(b"IDAT", engine.compress(lines.tobytes())))
        file.write(png_chunk(b"IDAT", engine.flush()) + png_chunk(b"IEND"))


def peak_of(folder: Path, *arguments: str) -> int:
    """Run the command as a program of its own; return the most bytes that it held."""
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *arguments, "-q"],
        cwd=folder,
        env={**os.environ, "SUDOKUCRYPT_THREADS": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return int(done.stdout)


def test_the_limit_has_to_be_raised(run: Run) -> None:
    """Without --max-pixels the picture is refused before it is read, and the hint names it."""
    head = struct.pack(">IIBBBBB", _COLUMNS, _ROWS, 8, 0, 0, 0, 0)
    chunks = (png_chunk(b"IHDR", head), png_chunk(b"IDAT", b"x"), png_chunk(b"IEND"))
    Path("in.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    done = run("info", "in.png")
    assert done.code == 4
    assert "claims 10000 rows of 20000 pixels, more than the 134217728 pixels" in done.err
    assert "--max-pixels" in done.err


@pytest.mark.slow
@pytest.mark.skipif(not is_compiled(), reason="the fallbacks take minutes")
@pytest.mark.parametrize(("there", "back"), [("scramble", "unscramble"), ("encrypt", "decrypt")])
def test_memory(tmp_path: Path, there: str, back: str) -> None:
    """There and back, 20000 x 10000 gray pixels stay within twice their size and 100 MB."""
    options = ("--max-pixels", str(_RAW), "--key", "my.key")
    Key(bytes(range(32))).to_file(tmp_path / "my.key")
    write_picture(tmp_path / "in.png")
    way = ("--as", "pixels") if there == "encrypt" else ()
    assert peak_of(tmp_path, there, "in.png", "-o", "there.png", *way, *options) < _MOST
    assert peak_of(tmp_path, back, "there.png", "-o", "back.png", *options) < _MOST
    (tmp_path / "there.png").unlink()  # the only large file
    restored = read_picture(tmp_path / "back.png", max_pixels=_RAW).pixels
    assert all(np.array_equal(restored[n : n + 100], band(n)) for n in range(0, _ROWS, 100))


@pytest.mark.slow
@pytest.mark.skipif(not is_compiled(), reason="the fallbacks take minutes")
def test_memory_of_a_jpeg(tmp_path: Path) -> None:
    """The largest JPEG that is scrambled unasked, of 100 megapixels of noise, takes about 1 GiB."""
    Key(bytes(range(32))).to_file(tmp_path / "my.key")
    tile = np.random.default_rng(1).integers(0, 256, (256, 12288, 3), dtype=np.uint8)
    Image.fromarray(np.tile(tile, (32, 1, 1))).save(tmp_path / "in.jpg", quality=85)
    peak = peak_of(tmp_path, "scramble", "in.jpg", "-o", "out.jpg", "--key", "my.key")
    assert (tmp_path / "in.jpg").stat().st_size > 70e6
    assert peak < 1.1 * 2**30

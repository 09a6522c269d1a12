"""Large pictures, many files and costly keys: memory and time stay bounded."""

import itertools
import random
import signal
import struct
import subprocess
import sys
import time
import zlib
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key, KeyDerivation, Passphrase, encrypt_file
from sudokucrypt.images import read_picture
from sudokucrypt.kernels import is_compiled
from sudokucrypt.typing import AnyArray
from tests.cli.conftest import Run, list_names
from tests.images.builders import encode_array, make_png_chunk, noise, save_image
from tests.programs import run_python
from tests.spies import watch_calls

_ROWS, _COLUMNS = 10_000, 20_000
_SAMPLE_BYTES = _ROWS * _COLUMNS
_MAX_MEMORY = (
    2 * _SAMPLE_BYTES + 100e6
)  # bytes: the picture, the array between two passes, and 100 MB
# On Linux, peak memory is from /proc: getrusage would include the program that started this one.
_MEASURE_PEAK = """
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


def make_band(first_row: int) -> AnyArray:
    """Return samples of a hundred lines, which differ from all other lines."""
    rows = np.arange(first_row, first_row + 100, dtype=np.uint32)[:, np.newaxis]
    return np.asarray((rows * 7 + np.arange(_COLUMNS, dtype=np.uint32) // 3) >> 2, dtype=np.uint8)


def write_picture(path: Path) -> None:
    """Write a large gray PNG in bands of lines."""
    header = struct.pack(">IIBBBBB", _COLUMNS, _ROWS, 8, 0, 0, 0, 0)
    engine = zlib.compressobj(1)
    with path.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + make_png_chunk(b"IHDR", header))
        for first_row in range(0, _ROWS, 100):
            lines = np.pad(make_band(first_row), ((0, 0), (1, 0)))
            file.write(make_png_chunk(b"IDAT", engine.compress(lines.tobytes())))
        file.write(make_png_chunk(b"IDAT", engine.flush()) + make_png_chunk(b"IEND"))


def measure_peak(folder: Path, *arguments: str) -> int:
    """Run the command as a program; return its peak memory in bytes."""
    with chdir(folder):
        result = run_python("-c", _MEASURE_PEAK, *arguments, "-q", SUDOKUCRYPT_THREADS="2")
    assert result.stderr == ""
    return int(result.stdout)


def test_the_limit_has_to_be_raised(run: Run) -> None:
    """Without --max-pixels, the picture is refused before it is read; the hint names the option."""
    header = struct.pack(">IIBBBBB", _COLUMNS, _ROWS, 8, 0, 0, 0, 0)
    chunks = (
        make_png_chunk(b"IHDR", header),
        make_png_chunk(b"IDAT", b"x"),
        make_png_chunk(b"IEND"),
    )
    Path("in.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    result = run("info in.png", code=4)
    assert "claims 10000 rows of 20000 pixels, more than the 134217728 pixels" in result.err
    assert "--max-pixels" in result.err


@pytest.mark.slow
@pytest.mark.skipif(not is_compiled(), reason="the fallbacks take minutes")
@pytest.mark.parametrize(
    ("protect_command", "restore_command"), [("scramble", "unscramble"), ("encrypt", "decrypt")]
)
def test_memory(tmp_path: Path, protect_command: str, restore_command: str) -> None:
    """Protecting and restoring 20000 x 10000 gray pixels needs twice their size and 100 MB."""
    options = ("--max-pixels", str(_SAMPLE_BYTES), "--key", "my.key")
    Key(bytes(range(32))).to_file(tmp_path / "my.key")
    write_picture(tmp_path / "in.png")
    mode = ("--as", "pixels") if protect_command == "encrypt" else ()
    assert (
        measure_peak(tmp_path, protect_command, "in.png", "-o", "there.png", *mode, *options)
        < _MAX_MEMORY
    )
    assert (
        measure_peak(tmp_path, restore_command, "there.png", "-o", "back.png", *options)
        < _MAX_MEMORY
    )
    (tmp_path / "there.png").unlink()  # so that there is only one large file
    restored_pixels = read_picture(tmp_path / "back.png", max_pixels=_SAMPLE_BYTES).pixels
    assert all(
        np.array_equal(restored_pixels[row : row + 100], make_band(row))
        for row in range(0, _ROWS, 100)
    )


@pytest.mark.slow
@pytest.mark.skipif(not is_compiled(), reason="the fallbacks take minutes")
def test_memory_of_a_jpeg(tmp_path: Path) -> None:
    """Scrambling the largest JPEG that needs no option, 100 megapixels, needs about 1 GiB."""
    Key(bytes(range(32))).to_file(tmp_path / "my.key")
    tile = np.random.default_rng(1).integers(0, 256, (256, 12288, 3), dtype=np.uint8)
    Image.fromarray(np.tile(tile, (32, 1, 1))).save(tmp_path / "in.jpg", quality=85)
    peak = measure_peak(tmp_path, "scramble", "in.jpg", "-o", "out.jpg", "--key", "my.key")
    assert (tmp_path / "in.jpg").stat().st_size > 70e6
    assert peak < 1.1 * 2**30


# Runs with many files that are killed repeatedly: no file is lost, and memory stays constant.


PICTURES = ("PNG", "TIFF", "WebP")
# Commands that protect files, and those that restore them; the last two only accept pictures.
ROUND_TRIPS = (
    (("encrypt", "--all-files"), ("decrypt",)),
    (("encrypt", "--all-files", "--pad", "--no-header-rows"), ("decrypt",)),
    (("encrypt", "--as", "pixels"), ("decrypt",)),
    (("scramble",), ("unscramble",)),
)


def fill_texts(
    folder: Path, count: int, generator: np.random.Generator, *, with_pictures: bool
) -> None:
    """Write small files: pictures, other files, and an empty one."""
    folder.mkdir(parents=True)
    for index in range(count):
        if with_pictures or index % 2:
            name = PICTURES[index % 3]
            shape = (*generator.integers(1, 60, 2), 3)
            data = save_image(
                generator.integers(0, 256, shape, dtype=np.uint8), name, lossless=True
            )
            (folder / f"picture {index}.{name.lower()}").write_bytes(data)
        else:
            (folder / f"file-{index}.txt").write_bytes(generator.bytes(index * 97))


def kill_run(arguments: list[str], kills: int, source: random.Random) -> int:
    """Kill a command `kills` times, then let it end; return its peak memory in bytes."""
    command = [sys.executable, "-m", "sudokucrypt", *arguments]
    for _ in range(kills):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(source.uniform(0.2, 1.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
    # The peak memory of other processes is not measured.
    return measure_peak(Path.cwd(), *arguments, "--jobs", "1")


def read_content(path: Path, *, as_bytes: bool) -> object:
    """Return the bytes of a file, or the samples of a picture."""
    if as_bytes:
        return path.read_bytes()
    pixels = read_picture(path).pixels
    return pixels.shape, pixels.tobytes()


@pytest.mark.parametrize(
    ("folders", "count", "kills"),
    [
        pytest.param(4, 12, 1, marks=pytest.mark.slow),
        pytest.param(100, 100, 5, marks=pytest.mark.nightly),
    ],
)
def test_killed_runs_lose_no_file(tmp_path: Path, folders: int, count: int, kills: int) -> None:
    """Runs that are killed and resumed protect and restore every file, and leave no others.

    Work on 100 folders of 100 files is killed 500 times. A run over all folders needs as much
    memory as a run over one folder, except the memory for the names.
    """
    source, generator = random.Random(1), np.random.default_rng(1)  # noqa: S311 - moments, not secrets
    Key(bytes(range(32))).to_file(tmp_path / "my.key")
    round_trips = itertools.cycle(ROUND_TRIPS)
    peaks = []
    for index, (protect, restore) in zip(range(folders), round_trips, strict=False):
        as_bytes = "--all-files" in protect
        plain_path, sent_path, restored_path = (
            tmp_path / name / str(index) for name in ("plain", "sent", "back")
        )
        fill_texts(plain_path, count, generator, with_pictures=not as_bytes)
        options = ["--key", str(tmp_path / "my.key"), "--resume"]
        for command, source_path, target_path, times in (
            (protect, plain_path, sent_path, kills - kills // 2),
            (restore, sent_path, restored_path, kills // 2),
        ):
            run = [*command, str(source_path), "-o", str(target_path), *options]
            peaks.append(kill_run(run, times, source))
            assert not list(target_path.rglob(".*"))
            assert len(list(target_path.iterdir())) == count
        names = {path.name.split(".")[0]: path for path in restored_path.iterdir()}
        for path in plain_path.iterdir():
            assert read_content(names[path.stem], as_bytes=as_bytes) == read_content(
                path, as_bytes=as_bytes
            )
    encrypt_folder = ["encrypt", "--all-files", "-r", str(tmp_path / "plain")]
    peak = kill_run([*encrypt_folder, "-o", str(tmp_path / "all"), *options], 0, source)
    print(f"peak memory: {max(peaks) >> 20} MiB for a folder, {peak >> 20} MiB for all")
    assert peak < 1.3 * max(peaks)


# Files of strangers whose keys are costly to derive: they are last, and few are tried.


WORDS = ("--passphrase-file", "pw")


@pytest.fixture
def derivations(run: Run, monkeypatch: pytest.MonkeyPatch) -> list[KeyDerivation]:
    """Record key derivations for a folder with costly files of strangers and of the user."""
    del run  # has made the folder
    Path("pw").write_text("saffron kite 9 moons")
    Path("pw").chmod(0o600)
    Path("in").mkdir()
    for index in range(8):
        word = Passphrase("saffron kite 9 moons" if index in (3, 7) else "of another")
        if index != 7:
            word._derivation = KeyDerivation("argon2id", 128, 1, 1, bytes([index]) * 16)
        Path("plain.png").write_bytes(encode_array(noise(4, 5, 3) + index, "PNG"))
        encrypt_file("plain.png", f"in/{index}.png", word, as_file=False)
    result: list[KeyDerivation] = []
    watch_calls(
        monkeypatch, KeyDerivation, "derive", lambda derivation, _: result.append(derivation)
    )
    return result


def test_costly_files_come_last_and_few_are_tried(
    run: Run, derivations: list[KeyDerivation]
) -> None:
    """The cheap file is first; after three costly failures no further key is derived."""
    result = run("decrypt in -o out", *WORDS, code=1)
    assert "takes a while, and failed for 3 others" in result.err
    assert "--max-derivation" in result.err
    assert not derivations[0].costly
    assert [derivation.salt[0] for derivation in derivations[1:]] == [0, 1, 2]
    assert list_names(Path("out")) == {"7.png.decrypted.png"}


@pytest.mark.parametrize(("limit", "tried_count"), [("0", 0), ("9", 7)])
def test_the_limit_of_costly_keys(
    run: Run, derivations: list[KeyDerivation], limit: str, tried_count: int
) -> None:
    """Costly files of the user are restored if --max-derivation allows the others before them."""
    run("decrypt in -o out", *WORDS, "--max-derivation", limit, code=None)
    assert sum(derivation.costly for derivation in derivations) == tried_count
    assert list_names(Path("out")) == (
        {"3.png.decrypted.png", "7.png.decrypted.png"} if tried_count else {"7.png.decrypted.png"}
    )


def test_a_single_costly_file_is_tried(run: Run, derivations: list[KeyDerivation]) -> None:
    """A single costly file is tried, since it cannot make a run long."""
    run("decrypt in/3.png -o out.png", *WORDS)
    run("decrypt in/2.png -o no.png", *WORDS, code=3)
    assert len(derivations) == 2

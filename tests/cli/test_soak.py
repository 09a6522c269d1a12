"""Many files, in runs that are killed again and again: nothing is lost, and memory stays flat."""

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt import Key
from sudokucrypt.images import read_picture
from tests.images.builders import saved

PICTURES = ("PNG", "TIFF", "WebP")
# Each protects files, and restores them; the last two take pictures alone.
TRIPS = (
    (("encrypt", "--all-files"), ("decrypt",)),
    (("encrypt", "--all-files", "--pad", "--no-header-rows"), ("decrypt",)),
    (("encrypt", "--as", "pixels"), ("decrypt",)),
    (("scramble",), ("unscramble",)),
)


def fill_texts(folder: Path, count: int, rng: np.random.Generator, *, pictures: bool) -> None:
    """Write small files: pictures, and between them others, one of them empty."""
    folder.mkdir(parents=True)
    for index in range(count):
        if pictures or index % 2:
            name = PICTURES[index % 3]
            shape = (*rng.integers(1, 60, 2), 3)
            data = saved(rng.integers(0, 256, shape, dtype=np.uint8), name, lossless=True)
            (folder / f"picture {index}.{name.lower()}").write_bytes(data)
        else:
            (folder / f"file-{index}.txt").write_bytes(rng.bytes(index * 97))


def kill_run(command: list[str], kills: int, source: random.Random) -> int:
    """Kill a command so many times; return the peak memory in KiB of the run that may end."""
    for _ in range(kills):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(source.uniform(0.2, 1.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stderr is not None
    messages = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    assert process.returncode == 0, messages.decode()
    return usage.ru_maxrss


def content(path: Path, *, exact: bool) -> object:
    """The bytes of a file, or the samples of a picture."""
    if exact:
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
def test_nothing_is_lost(tmp_path: Path, folders: int, count: int, kills: int) -> None:
    """Runs that are killed and resumed protect and restore every file, and leave nothing else.

    100 folders of 100 files are killed 500 times. A run over all of them takes no more memory than
    one over a folder, but for what it takes to know their names.
    """
    source, rng = random.Random(1), np.random.default_rng(1)  # noqa: S311 - moments, not secrets
    Key(bytes(range(32))).to_file(tmp_path / "my.key")
    program = [sys.executable, "-m", "sudokucrypt"]
    trips = itertools.cycle(TRIPS)
    peaks = []
    for index, (protect, restore) in zip(range(folders), trips, strict=False):
        exact = "--all-files" in protect
        plain, sent, back = (tmp_path / name / str(index) for name in ("plain", "sent", "back"))
        fill_texts(plain, count, rng, pictures=not exact)
        options = ["--key", str(tmp_path / "my.key"), "--resume", "-q"]
        for command, before, after, times in (
            (protect, plain, sent, kills - kills // 2),
            (restore, sent, back, kills // 2),
        ):
            run = [*program, *command, str(before), "-o", str(after), *options]
            peaks.append(kill_run(run, times, source))
            assert not list(after.rglob(".*"))
            assert len(list(after.iterdir())) == count
        names = {path.name.split(".")[0]: path for path in back.iterdir()}
        for path in plain.iterdir():
            assert content(names[path.stem], exact=exact) == content(path, exact=exact)
    whole = [*program, "encrypt", "--all-files", "-r", str(tmp_path / "plain")]
    peak = kill_run([*whole, "-o", str(tmp_path / "all"), *options], 0, source)
    print(f"peak memory: {max(peaks) >> 10} MiB for a folder, {peak >> 10} MiB for all")
    assert peak < 1.3 * max(peaks)

"""Killed processes and full disks leave the old state or the complete new file."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt import Key, decrypt_file
from sudokucrypt.images import read_picture
from sudokucrypt.storage import sweep
from tests.cli.conftest import Run
from tests.images.builders import encoded, noise, saved


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """In 80 encryptions killed at random moments, the output is never partial.

    What the one killed last left is all that is left over.
    """
    rng = random.Random(7)  # noqa: S311 - moments, not secrets
    plain = np.random.default_rng(1).integers(0, 256, (900, 1200, 3), dtype=np.uint8)
    (tmp_path / "photo.png").write_bytes(encoded(plain, "PNG"))
    Key(bytes(32)).to_file(tmp_path / "my.key")
    target = tmp_path / "out.png"
    command = [sys.executable, "-m", "sudokucrypt", "encrypt", "photo.png", "-o", "out.png"]
    command += ["--key", "my.key", "--force"]
    completed = killed = 0
    for index in range(80):
        before = target.read_bytes() if target.exists() else b""
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
        # On a slow machine it gets more time, so that both ends are seen.
        time.sleep(rng.uniform(0.05, 1.4 if 10 * completed < index else 0.7))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() != 0
        after = target.read_bytes() if target.exists() else b""
        if after != before:
            completed += 1
            restored = tmp_path / f"back{index}.png"
            decrypt_file(target, restored, Key(bytes(32)), compress=0)
            assert np.array_equal(read_picture(restored).pixels, plain)
            restored.unlink()
        assert len(list(tmp_path.glob(".*"))) <= 1
    sweep(tmp_path)
    assert not list(tmp_path.glob(".*"))
    assert completed > 3
    assert killed > 3


def test_a_killed_redaction_goes_on(run: Run) -> None:
    """After SIGKILL, --resume keeps whole results, makes the others, and every file comes back."""
    sources = {}
    for index in range(12):
        kind = ("PNG", "JPEG", "TIFF", "BMP")[index % 4]
        data = saved(noise(400 + index, 500, 3), kind)
        sources[f"{index:02}.{kind.lower()}"] = data
    Path("in").mkdir()
    for name, data in sources.items():
        (Path("in") / name).write_bytes(data)
    command = ("redact", "in", "-o", "out", "--region", "40,40,200,100", "--key", "my.key")
    process = subprocess.Popen(
        [sys.executable, "-m", "sudokucrypt", *command], stderr=subprocess.DEVNULL
    )
    while process.poll() is None and not list(Path("out").glob("0*.redacted.*")):
        time.sleep(0.005)
    process.kill()
    process.wait()
    whole = {path: path.read_bytes() for path in Path("out").glob("0*.redacted.*")}
    assert 1 <= len(whole) < 12
    done = run(*command, "--resume", "--jobs", "2")
    assert done.code == 0
    assert f"{12 - len(whole)} redacted, {len(whole)} already there, 0 failed" in done.err
    assert whole == {path: path.read_bytes() for path in whole}
    assert run("unredact", "out", "-o", "back", "--name", "{stem}", "--key", "my.key").code == 0
    back = {path.name: path.read_bytes() for path in Path("back").iterdir()}
    assert sorted(back) == [Path(name).stem for name in sorted(sources)]
    assert all(back[Path(name).stem] == data for name, data in sources.items())


@pytest.mark.parametrize("room", [0, 1000, 20_000])
def test_full_disks(run: Run, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """When the disk is full, the message says so, and input and old output stay."""
    Path("old.png").write_bytes(b"old")
    before = Path("photo.png").read_bytes()
    write, left = os.write, [room]

    def limited(descriptor: int, data: bytes | memoryview) -> int:
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(descriptor, data[: left[0]])
        left[0] -= written
        return written

    with monkeypatch.context() as patch:
        patch.setattr("os.write", limited)
        for target in ("new.png", "old.png"):
            done = run("encrypt", "photo.png", "-o", target, "--key", "my.key", "--force")
            assert done.code == 1
            assert "no space left" in done.err.lower()
        left[0] = min(room, 20)
        assert run("keygen", "-o", "new.key").code == 1
    assert not Path("new.png").exists()
    assert not Path("new.key").exists()
    assert Path("old.png").read_bytes() == b"old"
    assert Path("photo.png").read_bytes() == before

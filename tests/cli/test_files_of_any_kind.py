"""Folders of files of any kind: all come back, whatever interrupts the runs."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from sudokucrypt.recipes.naming import safe_name
from tests.cli.conftest import KEY, Run
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise, save_image
from tests.recipes.test_enclosing import MORE_THAN_PIXELS
from tests.spies import fill_disk

NOTE = "sudokucrypt: note: "
CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"


def read_tree(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Name, bytes, time and permissions of every file."""
    return {
        str(path.relative_to(root)): (
            path.read_bytes(),
            path.stat().st_mtime_ns,
            path.stat().st_mode & 0o777,
        )
        for path in root.rglob("*")
        if path.is_file()
    }


def read_plain_tree() -> dict[str, tuple[bytes, int, int]]:
    """The same of the inputs, under the names with which they come back."""
    return {
        str(Path(name).with_name(safe_name(Path(name).name))): value
        for name, value in read_tree(Path("in")).items()
    }


def make_mixed_files(root: Path, more: Iterable[tuple[str, bytes]] = ()) -> None:
    """Files of many kinds in folders, twice each, with times and permissions of their own."""
    rng = random.Random(5)  # noqa: S311 - names and times, not secrets
    jpeg = save_image(noise(40, 30, 3), "JPEG")
    kinds = {
        "a.jpg": jpeg,
        "b.JPG": jpeg + b"motion photo behind it",
        "c.heic": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + rng.randbytes(900),
        "d.mov": b"\0\0\0\x14ftypqt  \0\0\0\0qt  " + rng.randbytes(5000),
        "e.pdf": b"%PDF-1.7\n" + rng.randbytes(1000),
        "f": b"",
        "g.bin": b"\0",
        "h.png": encode_array(noise(20, 10, 3), "PNG", compress=9),
        "i.tif": encode_array(noise(20, 10, 1, "uint16"), "TIFF"),
        "j.gif": save_image(noise(8, 8, 1), "GIF"),
        "k.cr3": b"\0\0\0\x18ftypcrx " + rng.randbytes(300),
        "l.webp": save_image(noise(9, 8, 3), "WEBP", lossless=False),
        "m.txt": b"text\n" * 50,
        "n.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "o.png": b"no picture, whatever its name says",
        "p.tar.gz": b"\x1f\x8b" + rng.randbytes(200),
        "q.sudokucrypt.json": b"{}",
        "Übung 100% {x}.jpeg": jpeg,
        ".profile": b"hidden",
        "s.mp4": rng.randbytes(70_000),
    }
    for index, (name, data) in enumerate([*list(kinds.items()) * 2, *more]):
        path = root / f"{index % 7}" / f"{index // len(kinds)}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(rng.choice([0o600, 0o640, 0o644, 0o444]))
        os.utime(path, ns=(0, rng.randrange(10**18, 17 * 10**17)))


def yield_small_files() -> Iterator[tuple[str, bytes]]:
    """Pictures of every mode and format, whole and cut off; some that are more than their pixels;
    and what fuzzing found, damaged or not."""
    for name, data in GALLERY.items():
        yield name, data
        yield f"cut {name}", data[: len(data) * 2 // 3]
    yield from ((name, make()) for name, make in MORE_THAN_PIXELS.items())
    # By their names, which are digests, so that any part of them has all formats.
    for path in sorted(CORPUS.rglob("*"), key=lambda path: path.name):
        if path.is_file() and b"sudokucrypt" not in (data := path.read_bytes()):
            yield f"{path.parent.name} {path.name}", data  # none that is protected already


@pytest.mark.parametrize(("jobs", "more"), [("1", 0), ("3", 460)])
def test_all_files_of_a_folder_come_back(run: Run, jobs: str, more: int) -> None:
    """encrypt -r --all-files and decrypt -r: the same bytes, times, permissions and names, but for
    those that a sender may not choose."""
    make_mixed_files(Path("in"), islice(yield_small_files(), more))
    run(
        "encrypt in -r --all-files -o safe --jobs",
        jobs,
        *KEY,
        err=f"{NOTE}{40 + more} encrypted, 0 failed\n",
    )
    assert {path.suffix for path in Path("safe").rglob("*") if path.is_file()} == {".png"}
    done = run("decrypt safe -r -o back --jobs", jobs, *KEY)
    assert done.err.endswith(f"{NOTE}{40 + more} decrypted, 0 failed\n")
    assert read_tree(Path("back")) == read_plain_tree()
    done = run("decrypt safe -r -o back --resume", *KEY)
    assert done.err.endswith(f"0 decrypted, {40 + more} already there, 0 failed\n")
    done = run("encrypt in -r --all-files -o safe --resume", *KEY)
    assert done.err.endswith(f"0 encrypted, {40 + more} already there, 0 failed\n")


@pytest.mark.slow
def test_interrupted_at_any_moment(run: Run, tmp_path: Path) -> None:
    """Stopped 24 times in three ways and resumed: all comes back, and nothing else is left."""
    rng = random.Random(11)  # noqa: S311 - moments, not secrets
    make_mixed_files(Path("in"))
    run_again = [sys.executable, "-m", "sudokucrypt"]
    ways = {
        "safe": ["encrypt", "in", "-r", "--all-files", "-o", "safe", "--resume", *KEY],
        "back": ["decrypt", "safe", "-r", "-o", "back", "--resume", *KEY],
    }
    stopped = 0
    for index in range(24):
        target = "safe" if index % 2 else "back"
        command = [*run_again, *ways[target], "--jobs", rng.choice("12")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0.1, 0.9))
        process.send_signal(rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
        _, message = process.communicate(timeout=60)
        if b"Fatal Python error" not in message:  # before our program begins, Python may say more
            assert b"Traceback" not in message
        assert b"is not what" not in message
        stopped += process.returncode in (130, -signal.SIGKILL)
        for name in list(Path(target).rglob("*"))[index % 7 :: 7]:  # so that work is left
            if name.is_file() and not name.name.startswith(".") and index < 20:
                name.unlink()
    assert stopped > 2
    run(*ways["safe"])
    run(*ways["back"])
    assert read_tree(Path("back")) == read_plain_tree()
    assert len(read_tree(Path("safe"))) == len(read_tree(Path("in")))
    assert not list(tmp_path.rglob("*-part"))


# Killed processes and full disks leave the old state or the complete new file.


def test_a_killed_redaction_goes_on(run: Run) -> None:
    """After SIGKILL, --resume keeps whole results, makes the others, and every file comes back."""
    sources = {}
    for index in range(12):
        kind = ("PNG", "JPEG", "TIFF", "BMP")[index % 4]
        data = save_image(noise(400 + index, 500, 3), kind)
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
    assert f"{12 - len(whole)} redacted, {len(whole)} already there, 0 failed" in done.err
    assert whole == {path: path.read_bytes() for path in whole}
    run("unredact out -o back --name {stem} --key my.key")
    back = {path.name: path.read_bytes() for path in Path("back").iterdir()}
    assert sorted(back) == [Path(name).stem for name in sorted(sources)]
    assert all(back[Path(name).stem] == data for name, data in sources.items())


@pytest.mark.parametrize("room", [0, 1000, 20_000])
def test_full_disks(run: Run, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """When the disk is full, the message says so, and input and old output stay."""
    Path("old.png").write_bytes(b"old")
    before = Path("photo.png").read_bytes()
    with monkeypatch.context() as patch:
        fill_disk(patch, room)
        for target in ("new.png", "old.png"):
            done = run("encrypt photo.png -o", target, "--key", "my.key", "--force", code=1)
            assert "no space left" in done.err.lower()
    with monkeypatch.context() as patch:
        fill_disk(patch, min(room, 20))
        run("keygen -o new.key", code=1)
    assert not Path("new.png").exists()
    assert not Path("new.key").exists()
    assert Path("old.png").read_bytes() == b"old"
    assert Path("photo.png").read_bytes() == before

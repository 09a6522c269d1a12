"""Folders with files of any kind are restored completely, even if runs are interrupted."""

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

from sudokucrypt.recipes.naming import make_safe_name
from tests.cli.conftest import KEY, Run
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise, save_image
from tests.recipes.test_enclosing import MORE_THAN_PIXELS
from tests.spies import fill_disk

NOTE = "sudokucrypt: note: "
CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"


def read_tree(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return name, bytes, time and permissions of every file below a folder."""
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
    """Return the same as `read_tree` for the inputs, with the names of the restored files."""
    return {
        str(Path(name).with_name(make_safe_name(Path(name).name))): value
        for name, value in read_tree(Path("in")).items()
    }


def make_mixed_files(root: Path, added_files: Iterable[tuple[str, bytes]] = ()) -> None:
    """Write files of many kinds, each in two folders, with different times and permissions."""
    generator = random.Random(5)  # noqa: S311 - names and times, not secrets
    jpeg = save_image(noise(40, 30, 3), "JPEG")
    contents_by_name = {
        "a.jpg": jpeg,
        "b.JPG": jpeg + b"motion photo behind it",
        "c.heic": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + generator.randbytes(900),
        "d.mov": b"\0\0\0\x14ftypqt  \0\0\0\0qt  " + generator.randbytes(5000),
        "e.pdf": b"%PDF-1.7\n" + generator.randbytes(1000),
        "f": b"",
        "g.bin": b"\0",
        "h.png": encode_array(noise(20, 10, 3), "PNG", compress=9),
        "i.tif": encode_array(noise(20, 10, 1, "uint16"), "TIFF"),
        "j.gif": save_image(noise(8, 8, 1), "GIF"),
        "k.cr3": b"\0\0\0\x18ftypcrx " + generator.randbytes(300),
        "l.webp": save_image(noise(9, 8, 3), "WEBP", lossless=False),
        "m.txt": b"text\n" * 50,
        "n.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "o.png": b"no picture, whatever its name says",
        "p.tar.gz": b"\x1f\x8b" + generator.randbytes(200),
        "q.sudokucrypt.json": b"{}",
        "Übung 100% {x}.jpeg": jpeg,
        ".profile": b"hidden",
        "s.mp4": generator.randbytes(70_000),
    }
    for index, (name, content) in enumerate([*list(contents_by_name.items()) * 2, *added_files]):
        path = root / f"{index % 7}" / f"{index // len(contents_by_name)}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(generator.choice([0o600, 0o640, 0o644, 0o444]))
        os.utime(path, ns=(0, generator.randrange(10**18, 17 * 10**17)))


def yield_small_files() -> Iterator[tuple[str, bytes]]:
    """Yield pictures of each mode and format, complete and cut; pictures with further content; and
    files that fuzzing found."""
    for name, content in GALLERY.items():
        yield name, content
        yield f"cut {name}", content[: len(content) * 2 // 3]
    yield from ((name, make_file()) for name, make_file in MORE_THAN_PIXELS.items())
    # Sorted by names, which are digests, so that each part of the list has all formats.
    for path in sorted(CORPUS.rglob("*"), key=lambda path: path.name):
        if path.is_file() and b"sudokucrypt" not in (content := path.read_bytes()):
            yield (f"{path.parent.name} {path.name}", content)  # files that are not protected yet


@pytest.mark.parametrize(("jobs", "copy_count"), [("1", 0), ("3", 460)])
def test_all_files_of_a_folder_are_restored(run: Run, jobs: str, copy_count: int) -> None:
    """encrypt -r --all-files and decrypt -r restore bytes, times, permissions and names, except
    permissions that a sender must not choose."""
    make_mixed_files(Path("in"), islice(yield_small_files(), copy_count))
    run(
        "encrypt in -r --all-files -o safe --jobs",
        jobs,
        *KEY,
        err=f"{NOTE}{40 + copy_count} encrypted, 0 failed\n",
    )
    assert {path.suffix for path in Path("safe").rglob("*") if path.is_file()} == {".png"}
    result = run("decrypt safe -r -o back --jobs", jobs, *KEY)
    assert result.err.endswith(f"{NOTE}{40 + copy_count} decrypted, 0 failed\n")
    assert read_tree(Path("back")) == read_plain_tree()
    result = run("decrypt safe -r -o back --resume", *KEY)
    assert result.err.endswith(f"0 decrypted, {40 + copy_count} already there, 0 failed\n")
    result = run("encrypt in -r --all-files -o safe --resume", *KEY)
    assert result.err.endswith(f"0 encrypted, {40 + copy_count} already there, 0 failed\n")


@pytest.mark.slow
def test_interrupted_runs_can_be_resumed(run: Run, tmp_path: Path) -> None:
    """A run that is stopped 24 times in three ways and resumed restores exactly all files."""
    generator = random.Random(11)  # noqa: S311 - moments, not secrets
    make_mixed_files(Path("in"))
    run_again = [sys.executable, "-m", "sudokucrypt"]
    commands_by_target = {
        "safe": ["encrypt", "in", "-r", "--all-files", "-o", "safe", "--resume", *KEY],
        "back": ["decrypt", "safe", "-r", "-o", "back", "--resume", *KEY],
    }
    stop_count = 0
    for index in range(24):
        target = "safe" if index % 2 else "back"
        command = [*run_again, *commands_by_target[target], "--jobs", generator.choice("12")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(generator.uniform(0.1, 0.9))
        process.send_signal(generator.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
        _, message = process.communicate(timeout=60)
        if (
            b"Fatal Python error" not in message
        ):  # before the program begins, Python itself may print a traceback
            assert b"Traceback" not in message
        assert b"is not what" not in message
        stop_count += process.returncode in (130, -signal.SIGKILL)
        for name in list(Path(target).rglob("*"))[index % 7 :: 7]:  # so that the next pass has work
            if name.is_file() and not name.name.startswith(".") and index < 20:
                name.unlink()
    assert stop_count > 2
    run(*commands_by_target["safe"])
    run(*commands_by_target["back"])
    assert read_tree(Path("back")) == read_plain_tree()
    assert len(read_tree(Path("safe"))) == len(read_tree(Path("in")))
    assert not list(tmp_path.rglob("*-part"))


# After killed processes and full disks, a file is the old one or completely the new one.


def test_a_killed_redaction_can_be_resumed(run: Run) -> None:
    """After SIGKILL, --resume keeps complete results and makes the others; all are restored."""
    sources = {}
    for index in range(12):
        file_format = ("PNG", "JPEG", "TIFF", "BMP")[index % 4]
        content = save_image(noise(400 + index, 500, 3), file_format)
        sources[f"{index:02}.{file_format.lower()}"] = content
    Path("in").mkdir()
    for name, content in sources.items():
        (Path("in") / name).write_bytes(content)
    command = ("redact", "in", "-o", "out", "--region", "40,40,200,100", "--key", "my.key")
    process = subprocess.Popen(
        [sys.executable, "-m", "sudokucrypt", *command], stderr=subprocess.DEVNULL
    )
    while process.poll() is None and not list(Path("out").glob("0*.redacted.*")):
        time.sleep(0.005)
    process.kill()
    process.wait()
    results_before = {path: path.read_bytes() for path in Path("out").glob("0*.redacted.*")}
    assert 1 <= len(results_before) < 12
    result = run(*command, "--resume", "--jobs", "2")
    assert (
        f"{12 - len(results_before)} redacted, {len(results_before)} already there, 0 failed"
        in result.err
    )
    assert results_before == {path: path.read_bytes() for path in results_before}
    run("unredact out -o back --name {stem} --key my.key")
    restored_files = {path.name: path.read_bytes() for path in Path("back").iterdir()}
    assert sorted(restored_files) == [Path(name).stem for name in sorted(sources)]
    assert all(restored_files[Path(name).stem] == content for name, content in sources.items())


@pytest.mark.parametrize("free_bytes", [0, 1000, 20_000])
def test_full_disks(run: Run, monkeypatch: pytest.MonkeyPatch, free_bytes: int) -> None:
    """On a full disk, the message says so, and the input and an old output are unchanged."""
    Path("old.png").write_bytes(b"old")
    photo_data = Path("photo.png").read_bytes()
    with monkeypatch.context() as patch:
        fill_disk(patch, free_bytes)
        for target in ("new.png", "old.png"):
            result = run("encrypt photo.png -o", target, "--key", "my.key", "--force", code=1)
            assert "no space left" in result.err.lower()
    with monkeypatch.context() as patch:
        fill_disk(patch, min(free_bytes, 20))
        run("keygen -o new.key", code=1)
    assert not Path("new.png").exists()
    assert not Path("new.key").exists()
    assert Path("old.png").read_bytes() == b"old"
    assert Path("photo.png").read_bytes() == photo_data

"""Folders of files of any kind: all come back, and what is left out is told."""

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
from tests.cli.conftest import KEY as _KEY
from tests.cli.conftest import Run
from tests.cli.test_large import peak_of
from tests.images.builders import encoded, noise, saved

ERROR = "sudokucrypt: error: "
NOTE = "sudokucrypt: note: "
HINT = "sudokucrypt: hint: "


def tree(root: Path) -> dict[str, tuple[bytes, int, int]]:
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


def mixed(root: Path, count: int = 40) -> None:
    """Files of many kinds in folders, with times and permissions of their own."""
    rng = random.Random(5)  # noqa: S311 - names and times, not secrets
    jpeg = saved(noise(40, 30, 3), "JPEG")
    kinds = {
        "a.jpg": jpeg,
        "b.JPG": jpeg + b"motion photo behind it",
        "c.heic": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + rng.randbytes(900),
        "d.mov": b"\0\0\0\x14ftypqt  \0\0\0\0qt  " + rng.randbytes(5000),
        "e.pdf": b"%PDF-1.7\n" + rng.randbytes(1000),
        "f": b"",
        "g.bin": b"\0",
        "h.png": encoded(noise(20, 10, 3), "PNG", compress=9),
        "i.tif": encoded(noise(20, 10, 1, "uint16"), "TIFF"),
        "j.gif": saved(noise(8, 8, 1), "GIF"),
        "k.cr3": b"\0\0\0\x18ftypcrx " + rng.randbytes(300),
        "l.webp": saved(noise(9, 8, 3), "WEBP", lossless=False),
        "m.txt": b"text\n" * 50,
        "n.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "o.png": b"no picture, whatever its name says",
        "p.tar.gz": b"\x1f\x8b" + rng.randbytes(200),
        "q.sudokucrypt.json": b"{}",
        "Übung 100% {x}.jpeg": jpeg,
        ".profile": b"hidden",
        "s.mp4": rng.randbytes(70_000),
    }
    for number, (name, data) in enumerate(list(kinds.items()) * (count // len(kinds))):
        path = root / f"{number % 7}" / f"{number // len(kinds)}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(rng.choice([0o600, 0o640, 0o644, 0o444]))
        os.utime(path, ns=(0, rng.randrange(10**18, 17 * 10**17)))


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_all_files_of_a_folder_come_back(run: Run, jobs: str) -> None:
    """encrypt -r --all-files and decrypt -r: the same names, bytes, times and permissions."""
    mixed(Path("in"))
    done = run("encrypt", "in", "-r", "--all-files", "-o", "safe", "--jobs", jobs, *_KEY)
    assert (done.code, done.err) == (0, f"{NOTE}40 encrypted, 0 failed\n")
    assert {path.suffix for path in Path("safe").rglob("*") if path.is_file()} == {".png"}
    done = run("decrypt", "safe", "-r", "-o", "back", "--jobs", jobs, *_KEY)
    assert (done.code, done.err) == (0, f"{NOTE}40 decrypted, 0 failed\n")
    assert tree(Path("back")) == tree(Path("in"))
    done = run("decrypt", "safe", "-r", "-o", "back", "--resume", *_KEY)
    assert done.err.endswith("0 decrypted, 40 already there, 0 failed\n")
    done = run("encrypt", "in", "-r", "--all-files", "-o", "safe", "--resume", *_KEY)
    assert done.err.endswith("0 encrypted, 40 already there, 0 failed\n")


def test_what_a_folder_holds_besides_is_told(run: Run) -> None:
    """Every file is worked on or named with a reason; --list names all of them."""
    root = Path("in")
    (root / "deep").mkdir(parents=True)
    (root / ".hidden").mkdir()
    for number in range(5):
        (root / f"{number}.txt").write_text("text")
    for name in ("a.png", ".b.png", "deep/c.png", ".hidden/d.png", "a.encrypted.png"):
        (root / name).write_bytes(encoded(noise(3, 3, 1), "PNG"))
    (root / "link.png").symlink_to("a.png")
    (root / "round").symlink_to("..")
    os.mkfifo(root / "pipe")
    Key(bytes(range(32))).to_file(root / "my.key")
    unfinished = root / f".a.png.{'0' * 16}.sudokucrypt-part"
    unfinished.touch()
    key = ("--key", root / "my.key")
    done = run("encrypt", root, "-o", root / "out", *key)
    assert done.code == 0
    assert done.err.splitlines() == [
        f"{NOTE}left out 1 hidden file: 'in/.b.png'; --all-files includes hidden files",
        f"{NOTE}left out 1 hidden folder: 'in/.hidden'; --all-files -r enters hidden folders",
        f"{NOTE}left out 1 folder that was not entered: 'in/deep'; -r enters folders",
        f"{NOTE}left out 2 symbolic links: 'in/link.png', 'in/round'; links are not followed",
        f"{NOTE}left out 1 special file: 'in/pipe'",
        f"{NOTE}left out 1 result of this command: 'in/a.encrypted.png'",
        f"{NOTE}left out 1 unfinished result of another run: "
        f"'in/.a.png.{'0' * 16}.sudokucrypt-part'",
        f"{NOTE}left out 1 key file: 'in/my.key'; keep a key apart from what it opens",
        f"{NOTE}left out 5 files that are not pictures: 'in/0.txt', 'in/1.txt', 'in/2.txt' and 2 "
        "more; --all-files includes files of any kind",
        f"{HINT}--list prints all that was left out",
        f"{NOTE}encrypted the pixels (lossless PNG); --as file keeps the very file",
        f"{NOTE}1 encrypted, 0 failed",
    ]  # fmt: skip
    done = run("encrypt", root, "-r", "-o", root / "out", "--all-files", "--list", "--resume", *key)
    assert sorted(done.out.splitlines()) == [
        f"in/.a.png.{'0' * 16}.sudokucrypt-part: unfinished result of another run",
        "in/a.encrypted.png: result of this command",
        "in/link.png: symbolic link",
        "in/my.key: key file",
        "in/out: folder of results",
        "in/pipe: special file",
        "in/round: symbolic link",
    ]
    assert "left out" not in done.err
    done = run("decrypt", root / "out", "-r", "-o", "back", *key)
    assert done.code == 0
    back = {str(path.relative_to("back")) for path in Path("back").rglob("*") if path.is_file()}
    assert {".b.png", "deep/c.png", ".hidden/d.png", "4.txt"} < back
    unfinished.unlink()


def test_the_key_is_not_encrypted_with_itself(run: Run) -> None:
    """Named or in a folder, the key file stays as it is."""
    done = run("encrypt", "my.key", *_KEY)
    assert (done.code, done.err) == (
        4,
        "sudokucrypt: error: 'my.key' is the key itself; keep it apart from what it opens\n",
    )


def test_names_that_differ_in_the_suffix(run: Run) -> None:
    """IMG_1.JPG beside IMG_1.PNG: both results are there, under the whole names."""
    Path("in").mkdir()
    jpeg, png = saved(noise(9, 8, 3), "JPEG"), encoded(noise(9, 8, 3), "PNG")
    for name, data in {"IMG_1.JPG": jpeg, "IMG_1.PNG": png, "IMG_2.JPG": jpeg}.items():
        Path("in", name).write_bytes(data)
    assert run("encrypt", "in", "-o", "safe", *_KEY).code == 0
    assert sorted(path.name for path in Path("safe").iterdir()) == [
        "IMG_1.JPG.encrypted.png", "IMG_1.PNG.encrypted.png", "IMG_2.encrypted.png",
    ]  # fmt: skip
    assert run("encrypt", "in", "-o", "safe", "--resume", *_KEY).code == 0
    assert run("decrypt", "safe", "-o", "back", *_KEY).code == 0
    assert Path("back/IMG_1.JPG").read_bytes() == jpeg


def test_a_second_run_names_resume(run: Run) -> None:
    """Results that exist have one line for all, and a hint that names --resume."""
    Path("in").mkdir()
    for number in range(9):
        Path(f"in/{number}.png").write_bytes(encoded(noise(3, 3, 1), "PNG"))
    assert run("scramble", "in", "-o", "out", *_KEY).code == 0
    done = run("scramble", "in", "-o", "out", *_KEY)
    assert done.code == 6
    assert done.err.splitlines() == [
        f"{ERROR}the results of 9 inputs exist: 'in/0.png', 'in/1.png', 'in/2.png' and 6 more",
        f"{HINT}choose another name, or replace it with --force",
        f"{HINT}--resume keeps results that are complete, and makes the others",
        f"{NOTE}0 scrambled, 9 failed",
    ]  # fmt: skip


@pytest.mark.parametrize("command", ["encrypt", "scramble"])
def test_permissions_never_widen(run: Run, command: str) -> None:
    """0600 stays 0600: of the input for a new result, of the result that is replaced."""
    back = {"encrypt": "decrypt", "scramble": "unscramble"}[command]
    Path("photo.png").chmod(0o600)
    assert run(command, "photo.png", "-o", "z.png", *_KEY).code == 0
    assert run(back, "z.png", "-o", "b.png", *_KEY).code == 0
    Path("photo.png").chmod(0o644)
    assert run(command, "photo.png", "-o", "z.png", "--force", *_KEY).code == 0
    assert {Path(name).stat().st_mode & 0o777 for name in ("z.png", "b.png")} == {0o600}


def test_what_one_file_is_told(run: Run) -> None:
    """The note says what was encrypted and why, unless --as says it."""
    Path("a.jpg").write_bytes(saved(noise(9, 8, 3), "JPEG"))
    done = run("encrypt", "a.jpg", "-o", "a.png", *_KEY)
    assert done.err == f"{NOTE}encrypted the file as it is (lossy JPEG)\n"
    assert run("encrypt", "a.jpg", "--as", "file", "-o", "b.png", *_KEY).err == ""
    assert run("encrypt", "a.jpg", "--as", "pixels", "-o", "c.png", *_KEY).err == ""
    done = run("decrypt", "c.png", "-o", "d.png", *_KEY)
    assert (done.code, done.err) == (0, "")
    done = run("encrypt", "a.jpg", "--as", "file", "--region", "0,0,2,2", "-o", "e.png", *_KEY)
    assert done.code == 2
    assert "a file is encrypted as a whole: regions and masks choose pixels" in done.err


def test_streams_of_any_kind(run: Run) -> None:
    """A file goes through pipes, and info with the key tells size and type, never the name."""
    result = run("encrypt", "-", *_KEY, stdin=b"%PDF-1.4 and so on").raw
    assert run("decrypt", "-", *_KEY, stdin=result).raw == b"%PDF-1.4 and so on"
    Path("secret name.pdf").write_bytes(b"%PDF-1.4 and so on")
    assert run("encrypt", "secret name.pdf", "-o", "x.png", *_KEY).code == 0
    told = run("info", "x.png", *_KEY).out + run("info", "x.png", "--json", *_KEY).out
    assert "holds     a file of 18 bytes, application/pdf\n" in told
    assert "secret name" not in told


def test_a_file_decrypts_beside_its_source(run: Run) -> None:
    """Without -o the file comes back under its own name, and replaces nothing."""
    Path("a.jpg").write_bytes(data := saved(noise(9, 8, 3), "JPEG"))
    assert run("encrypt", "a.jpg", *_KEY).code == 0
    for force in ((), ("--force",)):
        done = run("decrypt", "a.encrypted.png", *force, *_KEY)
        assert (done.code, done.err) == (
            6,
            f"{ERROR}'a.jpg' exists, and a sealed name replaces nothing\n"
            f"{HINT}name the output with -o, or a folder for it\n",
        )
    assert run("decrypt", "a.encrypted.png", "--resume", *_KEY).err == (
        f"{NOTE}'a.jpg' is already there\n"
    )
    done = run("decrypt", "a.encrypted.png", "--name", "{stem}-{word}{suffix}", *_KEY)
    assert (done.code, done.err) == (0, f"{NOTE}wrote 'a-decrypted.jpg'\n")
    Path("a.jpg").unlink()
    done = run("decrypt", "a.encrypted.png", *_KEY)
    assert (done.code, done.err) == (0, f"{NOTE}wrote 'a.jpg'\n")
    assert Path("a.jpg").read_bytes() == data


@pytest.mark.slow
def test_memory_of_large_files(run: Run, tmp_path: Path) -> None:
    """A file of 100 MB takes at most three times its size, both ways."""
    del run
    size = 100_000_000
    with (tmp_path / "big.bin").open("wb") as file:
        file.truncate(size)
    encrypt = peak_of(tmp_path, "encrypt", "big.bin", "--as", "file", "-o", "big.png", *_KEY)
    decrypt = peak_of(tmp_path, "decrypt", "big.png", "-o", "back.bin", *_KEY)
    assert np.array_equal(np.fromfile(tmp_path / "back.bin", np.uint8), np.zeros(size, np.uint8))
    assert (tmp_path / "big.png").stat().st_size < 1.001 * size
    assert max(encrypt, decrypt) < 3 * size


@pytest.mark.slow
def test_interrupted_at_any_moment(run: Run, tmp_path: Path) -> None:
    """Stopped 24 times in three ways and resumed: all comes back, and nothing else is left."""
    rng = random.Random(11)  # noqa: S311 - moments, not secrets
    mixed(Path("in"))
    run_again = [sys.executable, "-m", "sudokucrypt"]
    ways = {
        "safe": ["encrypt", "in", "-r", "--all-files", "-o", "safe", "--resume", *_KEY],
        "back": ["decrypt", "safe", "-r", "-o", "back", "--resume", *_KEY],
    }
    stopped = 0
    for number in range(24):
        target = "safe" if number % 2 else "back"
        command = [*run_again, *ways[target], "--jobs", rng.choice("12")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0.1, 0.9))
        process.send_signal(rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
        _, said = process.communicate(timeout=60)
        assert b"Traceback" not in said
        assert b"is not what" not in said
        stopped += process.returncode in (130, -signal.SIGKILL)
        for name in list(Path(target).rglob("*"))[number % 7 :: 7]:  # so that work is left
            if name.is_file() and not name.name.startswith(".") and number < 20:
                name.unlink()
    assert stopped > 2
    assert run(*ways["safe"]).code == 0
    assert run(*ways["back"]).code == 0
    assert tree(Path("back")) == tree(Path("in"))
    assert len(tree(Path("safe"))) == len(tree(Path("in")))
    assert not list(tmp_path.rglob("*-part"))

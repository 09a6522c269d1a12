"""Files appear whole, with the permissions of any new file, and only in place of other files."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import Key, OutputExistsError, SudokucryptError, encrypt_file, storage
from sudokucrypt.storage import (
    FileStatus,
    name_here,
    require_free,
    sweep,
    write_atomically,
    write_secret,
)
from tests.images.builders import encoded, noise


@pytest.fixture
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What happens to files, in order: written, flushed to disk, linked, renamed, removed.

    A name that was made up while writing stands as the name of its target with a dot.
    """
    happened: list[tuple[str, ...]] = []

    def name(place: Any) -> str:
        if isinstance(place, int):
            opened = os.fstat(place)
            place = next(p for p in tmp_path.iterdir() if os.path.samestat(p.stat(), opened))
        path = Path(place)
        return path.name[:-34] if path.name.startswith(".") else path.name

    def watch(owner: Any, call: str, word: str) -> None:
        real = getattr(owner, call)

        def watched(*places: Any, **options: Any) -> Any:
            paths = [name(p) for p in places if isinstance(p, int | str | os.PathLike)]
            result = real(*places, **options)
            happened.append((word, *paths))
            return result

        monkeypatch.setattr(owner, call, watched)

    watch(os, "write", "write")
    watch(os, "fsync", "flush")
    watch(os, "link", "link")
    watch(Path, "replace", "rename")
    watch(Path, "unlink", "remove")
    return happened


def test_permissions(tmp_path: Path) -> None:
    """New files have the permissions that the process gives, however many are written at once."""
    before = os.umask(0o027)
    try:
        with ThreadPoolExecutor(8) as pool:
            paths = [tmp_path / str(number) for number in range(64)]
            list(pool.map(lambda path: write_atomically({path: [b"x"]}, replace=False), paths))
        assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o640}
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


def test_hints_fit_what_is_in_the_way(tmp_path: Path) -> None:
    """A file may be replaced if that is said; a key file never is."""
    place = tmp_path / "a.key"
    require_free(place)
    require_free(place, secret=True)
    write_secret(place, b"key")
    for secret, hint in ((False, "replace=True"), (True, "never replaced")):
        with pytest.raises(OutputExistsError) as raised:
            require_free(place, secret=secret)
        assert hint in str(raised.value.hint)
        assert raised.value.hint_key == (None if secret else "replace")


def test_only_files_are_replaced(tmp_path: Path) -> None:
    """A pipe, device or folder is never replaced by a file, not even if files may be."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    before = set(tmp_path.iterdir())
    for path in before:
        with pytest.raises(SudokucryptError, match="is not a regular file"):
            write_atomically({path: [b"x"]}, replace=True)
        with pytest.raises(OutputExistsError):
            write_atomically({path: [b"x"]}, replace=False)
    assert set(tmp_path.iterdir()) == before
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_all_or_nothing(tmp_path: Path) -> None:
    """If one of several files cannot be written, none is, and the reason is in lower case."""
    contents = {tmp_path / "first": [b"x"], tmp_path / "missing" / "second": [b"y"]}
    with pytest.raises(SudokucryptError, match=r"second': no such file"):
        write_atomically(contents, replace=True)
    with pytest.raises(SudokucryptError, match="name too long") as raised:
        write_atomically({tmp_path / "first": [b"x"], tmp_path / ("x" * 256): []}, replace=True)
    assert raised.value.hint == "choose a shorter name"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("refused", [True, False])
def test_drives_of_macos_write_what_they_hold(
    tmp_path: Path,
    done: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
    *,
    refused: bool,
) -> None:
    """Where Python has F_FULLFSYNC it is used, and fsync on file systems that refuse it."""

    def control(descriptor: int, operation: int) -> None:
        assert (os.fstat(descriptor).st_size, operation) == (1, -51)
        if refused:
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        done.append(("flush the drive",))

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", -51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", control)
    write_atomically({tmp_path / "a": [b"1"]}, replace=False)
    flushed = ("flush", ".a") if refused else ("flush the drive",)
    assert done == [("write", ".a"), flushed, ("link", ".a", "a"), ("remove", ".a")]


def test_nothing_is_made_for_a_name_that_is_taken(tmp_path: Path) -> None:
    """A file that is there is found before the content of the new one is."""
    (tmp_path / "there").touch()
    content = iter([b"x"])
    with pytest.raises(OutputExistsError):
        write_atomically({tmp_path / "there": content}, replace=False)
    assert list(content) == [b"x"]


def test_files_are_on_the_disk_before_they_have_their_names(
    tmp_path: Path, done: list[tuple[str, ...]]
) -> None:
    """Every file is written and flushed before the first target changes, in the order given."""
    contents = {tmp_path / "a": [b"1", b"2"], tmp_path / "b": [b"3"]}
    written = [("write", ".a"), ("write", ".a"), ("flush", ".a"), ("write", ".b"), ("flush", ".b")]
    write_atomically(contents, replace=False)
    assert done == [
        *written, ("link", ".a", "a"), ("remove", ".a"), ("link", ".b", "b"), ("remove", ".b"),
    ]  # fmt: skip
    done.clear()
    write_atomically(contents, replace=True)
    assert done == [*written, ("rename", ".a", "a"), ("rename", ".b", "b")]
    done.clear()
    write_secret(tmp_path / "c", b"4")
    assert done == [("write", ".c"), ("flush", ".c"), ("link", ".c", "c"), ("remove", ".c")]


def test_the_sidecar_comes_before_its_picture(tmp_path: Path, done: list[tuple[str, ...]]) -> None:
    """A picture that is there has its sidecar, whenever the machine stops."""
    (tmp_path / "in.png").write_bytes(encoded(noise(5, 5, 1), "PNG"))
    encrypt_file(tmp_path / "in.png", tmp_path / "out.png", Key(bytes(32)), sidecar=True)
    named = [names[-1] for word, *names in done if word == "link"]
    assert named == ["out.png.sudokucrypt.json", "out.png"]


def test_what_appears_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that somebody makes while ours is written stays, with and without hard links."""
    target = tmp_path / "out"

    def parts() -> Any:
        yield b"ours"
        target.write_bytes(b"theirs")

    for links in (True, False):
        with monkeypatch.context() as patch:
            if not links:
                patch.setattr(os, "link", refusing)
            with pytest.raises(OutputExistsError, match="out' exists"):
                write_atomically({target: parts()}, replace=False)
        assert target.read_bytes() == b"theirs"
        assert list(tmp_path.iterdir()) == [target]
        target.unlink()


def refusing(*_: object, **__: object) -> None:
    """What a file system without hard links says."""
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("replace", [False, True])
def test_file_systems_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, replace: bool
) -> None:
    """Where there are no hard links a new file is renamed, and nothing is left beside it."""
    monkeypatch.setattr(os, "link", refusing)
    write_atomically({tmp_path / "a": [b"x"], tmp_path / "b": [b"y"]}, replace=replace)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"x", "b": b"y"}


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupt_leaves_no_cut_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    """Stopped amid writing, neither a key file nor any other is left, whole or cut."""
    write = os.write

    def stopping(descriptor: int, data: Any) -> int:
        write(descriptor, data[:3])
        raise stop

    monkeypatch.setattr(os, "write", stopping)
    out = {tmp_path / "out": [b"something"]}
    calls: list[Callable[[], None]] = [
        lambda: write_secret(tmp_path / "my.key", b"a secret"),
        lambda: write_atomically(out, replace=False),
        lambda: write_atomically(out, replace=True),
    ]
    for call in calls:
        with pytest.raises(stop):
            call()
        assert not list(tmp_path.iterdir())


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that takes a few bytes at a time gets all of them."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    write_atomically({tmp_path / "out": [b"0123456789", b"", b"abc"]}, replace=False)
    write_secret(tmp_path / "my.key", b"0123456789")
    assert (tmp_path / "out").read_bytes() == b"0123456789abc"
    assert (tmp_path / "my.key").read_bytes() == b"0123456789"
    assert stat.S_IMODE((tmp_path / "my.key").stat().st_mode) == 0o600


@pytest.fixture
def umask() -> Iterator[None]:
    """What new files get here: 0640."""
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, 0o400, 0o644, 0o666, 0o4755, 0o000])
def test_a_new_file_is_like_another(tmp_path: Path, mode: int) -> None:
    """It gets exactly its permissions, whatever the umask, and its time, but no set-user-id bit."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.touch()
    source.chmod(mode)
    os.utime(source, ns=(0, 1_234_567_890_123_456_789))
    like = FileStatus.of(source)
    assert like == FileStatus(mode, 1_234_567_890_123_456_789)
    write_atomically({target: [b"x"]}, replace=False, like=like)
    assert FileStatus.of(target) == FileStatus(mode & 0o777, like.time)
    assert target.stat().st_size == 1


@pytest.mark.usefixtures("umask")
def test_what_is_not_known_is_not_taken_over(tmp_path: Path) -> None:
    """A status that cannot be read leaves permissions and time as they are for any new file."""
    began = time.time_ns() - 10**9
    for number, path in enumerate((tmp_path / "missing", tmp_path / "a\0b")):
        assert FileStatus.of(path) == FileStatus(None, None)
        target = tmp_path / str(number)
        write_atomically({target: [b"x"]}, replace=False, like=FileStatus.of(path))
        status = FileStatus.of(target)
        assert status.mode == 0o640
        assert status.time is not None
        assert began < status.time


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(
    ("old", "like", "new"),
    [
        (0o600, None, 0o600), (0o666, None, 0o666), (0o600, 0o644, 0o600), (0o644, 0o600, 0o600),
        (0o660, 0o606, 0o600), (0o4755, None, 0o755),
    ],
)  # fmt: skip
def test_a_replaced_file_never_gets_wider(
    tmp_path: Path, old: int, like: int | None, new: int
) -> None:
    """Whoever could not read the old file cannot read the new one."""
    target = tmp_path / "target"
    target.touch()
    target.chmod(old)
    given = None if like is None else FileStatus(like, None)
    write_atomically({target: [b"x"]}, replace=True, like=given)
    assert (mode_of(target), target.read_bytes()) == (new, b"x")


@pytest.mark.parametrize("refused", [2**70, -(2**70), 2**63 - 1])
def test_times_that_do_not_fit_are_left(tmp_path: Path, refused: int) -> None:
    """A time outside the range of the system is no error."""
    target = tmp_path / "target"
    write_atomically({target: [b"x"]}, replace=False, like=FileStatus(0o600, refused))
    assert (mode_of(target), target.read_bytes()) == (0o600, b"x")


def test_refused_permissions_and_times_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system without permissions and times gets its file all the same."""
    for call in ("chmod", "utime"):
        monkeypatch.setattr(os, call, refusing)
    write_atomically({tmp_path / "a": [b"x"]}, replace=False, like=FileStatus(0o644, 1))
    assert (tmp_path / "a").read_bytes() == b"x"


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(
    ("old", "like", "wanted"),
    [(None, None, 0o640), (None, 0o604, 0o600), (0o600, None, 0o600), (0o444, 0o444, 0o600)],
)
def test_an_unfinished_file_is_private(
    tmp_path: Path, old: int | None, like: int | None, wanted: int
) -> None:
    """While it is written nobody may read it who may not read the finished one, but its owner."""
    target = tmp_path / "target"
    if old is not None:
        target.touch()
        target.chmod(old)
    seen: list[int] = []

    def parts() -> Iterator[bytes]:
        for part in (b"x", b"y"):
            yield part
            seen.extend(mode_of(path) for path in tmp_path.glob(".*"))

    given = None if like is None else FileStatus(like, None)
    write_atomically({target: parts()}, replace=True, like=given)
    assert seen == [wanted, wanted]


# Writes "half", prints a dot, and waits for its stdin to end.
_WRITER = """
import os, sys
from pathlib import Path
from sudokucrypt.storage import write_atomically

def parts():
    yield b"half"
    print(".", flush=True)
    sys.stdin.read()
    yield b"whole"

write_atomically({Path(name): parts() for name in sys.argv[1:]}, replace=False)
"""


def start(folder: Path, code: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a program in a folder, and wait for its first line."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program as a crash does."""
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


LONG = "\U0001f600" * 63 + "é"  # 254 bytes


@pytest.mark.parametrize("name", ["out.png", ".hidden", "two\nlines", LONG])
def test_what_a_killed_process_leaves_is_removed(tmp_path: Path, name: str) -> None:
    """Its unfinished file is hidden, is told by its name, and goes with the next sweep."""
    process = start(tmp_path, _WRITER, name)
    kill(process)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(f".{name[:24]}.")
    assert left.name.endswith(".sudokucrypt-part")
    assert len(os.fsencode(left.name)) <= 143  # the most in folders that eCryptfs encrypts
    assert sweep(tmp_path) == [left]
    assert sweep(tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_what_is_written_now_is_not_removed(tmp_path: Path) -> None:
    """A sweep leaves the file of a process that lives, and of a thread of this one."""
    process = start(tmp_path, _WRITER, "theirs")
    assert sweep(tmp_path) == []

    def parts() -> Iterator[bytes]:
        yield b"x"
        assert sweep(tmp_path) == []
        yield b"y"

    write_atomically({tmp_path / "ours": parts()}, replace=False)
    process.communicate(b"", timeout=60)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "ours": b"xy",
        "theirs": b"halfwhole",
    }


def test_killed_between_link_and_unlink(tmp_path: Path) -> None:
    """Of a file with two names only the unfinished one is removed, and only once it is nobody's."""
    code = (
        "import os, sys, time; from pathlib import Path; link = os.link\n"
        "def linking(*names): link(*names); print(flush=True); time.sleep(60)\n"
        "os.link = linking\n"
        "from sudokucrypt.storage import write_atomically\n"
        "write_atomically({Path('out'): [b'whole']}, replace=False)"
    )
    process = start(tmp_path, code)
    assert len(list(tmp_path.iterdir())) == 2
    assert sweep(tmp_path) == []
    kill(process)
    assert len(sweep(tmp_path)) == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"whole"}


PART = f".out.{'0' * 16}.sudokucrypt-part"


def test_the_first_write_in_a_folder_sweeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process looks for leftovers once in each folder where it writes."""
    monkeypatch.setattr(storage, "_swept", set())
    (tmp_path / "other").mkdir()
    for folder in (tmp_path, tmp_path / "other"):
        for name, there in (("a", False), ("b", True)):
            (folder / PART).touch()
            write_atomically({folder / name: [b"x"]}, replace=False)
            assert (folder / PART).exists() == there


def test_what_is_no_leftover_stays(tmp_path: Path) -> None:
    """A sweep removes files alone, with names of our form alone, and never fails."""
    for name in (PART[1:], PART[:-1], PART.replace("0", "A"), f".out.{'0' * 15}.sudokucrypt-part"):
        (tmp_path / name).touch()
    (tmp_path / PART).mkdir()
    os.mkfifo(tmp_path / PART.replace("out", "pipe"))
    (tmp_path / PART.replace("out", "link")).symlink_to(PART[1:])
    before = set(tmp_path.iterdir())
    for folder in (tmp_path, tmp_path / "missing", tmp_path / PART[1:], Path("a\0b")):
        assert sweep(folder) == []
    assert set(tmp_path.iterdir()) == before


def test_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where files cannot be locked they are written all the same, and no leftover is removed."""
    monkeypatch.setattr(fcntl, "flock", refusing)
    (tmp_path / PART).touch()
    write_atomically({tmp_path / "out": [b"x"]}, replace=False)
    assert sweep(tmp_path) == []
    assert {path.name for path in tmp_path.iterdir()} == {"out", PART}


def test_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without fcntl a leftover is removed when it is older than a day."""
    monkeypatch.setattr(storage, "fcntl", None)
    (tmp_path / PART).touch()
    os.utime(tmp_path / PART, (0, 0))  # the time of another file, taken over
    write_atomically({tmp_path / "out": [b"x"]}, replace=False)
    assert sweep(tmp_path) == []
    later = time.time() + 24 * 60 * 60 + 60
    monkeypatch.setattr(time, "time", lambda: later)
    assert sweep(tmp_path) == [tmp_path / PART]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"x"}


def test_a_read_only_file_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows removes no read-only file: nothing is removed on the way to one."""
    monkeypatch.setattr(storage, "fcntl", None)
    monkeypatch.setattr(Path, "unlink", refusing)
    write_atomically({tmp_path / "out": [b"x"]}, replace=False, like=FileStatus(mode=0o444))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"x"}


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("NUL", "_NUL"),
        ("nul.tar.gz", "_nul.tar.gz"),
        ("Con  .txt", "_Con  .txt"),
        ("COM1", "_COM1"),
        ("lpt\xb2.log", "_lpt\xb2.log"),
        ("conout$", "_conout$"),
        ("NUL.", "NUL_"),
        ("NUL?", "NUL_"),
        ("photo.jpg.", "photo.jpg_"),
        ("photo.jpg . .", "photo.jpg . _"),
        ("...", ".._"),
        (" ", "_"),
        ('a<b>"c"|d*', "a_b__c__d_"),
        ("C:x", "C_x"),
        *((name, name) for name in ("nuls", "com10", "COM0", "a.nul", ".nul", " a", "\xfc.jpg")),
    ],
)
def test_names_that_windows_reads_otherwise(
    monkeypatch: pytest.MonkeyPatch, name: str, there: str
) -> None:
    """Devices, ends that are dropped and wildcards are changed there, and nowhere else."""
    assert name_here(name) == name
    monkeypatch.setattr(storage, "fcntl", None)
    assert name_here(name) == there
    assert name_here(there) == there


@pytest.mark.parametrize("held", [True, False])
def test_a_sweep_amid_the_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, held: bool
) -> None:
    """A file that a sweep locks or removes before its writer locks it is made anew."""
    names: list[str] = []
    lock = fcntl.flock

    def late(descriptor: int, operation: int) -> None:
        (part,) = tmp_path.glob(".out.*")
        names.append(part.name)
        if len(names) == 1:
            if held:
                raise BlockingIOError
            part.unlink()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    write_atomically({tmp_path / "out": [b"x"]}, replace=False)
    assert len(set(names)) == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"x"}

"""Files appear whole, with the permissions of any new file, and only in place of other files."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import (
    DecryptionError,
    Key,
    OutputExistsError,
    SudokucryptError,
    encrypt_file,
    storage,
)
from sudokucrypt.storage import (
    PART_SUFFIX,
    FileStatus,
    can_hide,
    name_here,
    require_free,
    sweep,
    write_atomically,
    write_secret,
)
from tests.images.builders import encode_array, noise
from tests.spies import watch_calls

PART = f".out.{'0' * 16}.sudokucrypt-part"
_ON_WINDOWS = {
    "NUL": "_NUL",
    "nul.tar.gz": "_nul.tar.gz",
    "Con  .txt": "_Con  .txt",
    "COM1": "_COM1",
    "lpt\xb2.log": "_lpt\xb2.log",
    "conout$": "_conout$",
    "NUL.": "NUL_",
    "NUL?": "NUL_",
    "photo.jpg.": "photo.jpg_",
    "photo.jpg . .": "photo.jpg . _",
    "...": ".._",
    " ": "_",
    'a<b>"c"|d*': "a_b__c__d_",
    "C:x": "C_x",
}
ANY_TIME = 1_234_567_890_123_456_789
LONG = "\U0001f600" * 63 + "é"  # 254 bytes


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def read_mode(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def refuse_operation(*_: object, **__: object) -> None:
    """What a file system says that lacks something."""
    raise PermissionError(1, "Operation not permitted")


@pytest.fixture
def umask() -> Iterator[None]:
    """What new files get here: 0640."""
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens to files, in order: written, flushed to disk, linked, renamed, removed.

    A name that was made up while writing is shown as the name of its target with a dot.
    """
    happened: list[str] = []

    def name(path: Any) -> str:
        if isinstance(path, int):
            opened = os.fstat(path)
            path = next(p for p in tmp_path.iterdir() if os.path.samestat(p.stat(), opened))
        name = Path(path).name
        return name[:-34] if name.startswith(".") else name

    def watch(owner: Any, call: str, word: str) -> None:
        real = getattr(owner, call)

        def call_and_note(*paths: Any, **options: Any) -> Any:
            names = [name(p) for p in paths if isinstance(p, int | str | os.PathLike)]
            result = real(*paths, **options)
            happened.append(" ".join([word, *names]))
            return result

        monkeypatch.setattr(owner, call, call_and_note)

    watch(os, "write", "write")
    watch(os, "fsync", "flush")
    watch(os, "link", "link")
    watch(Path, "replace", "rename")
    watch(Path, "unlink", "remove")
    return happened


@pytest.mark.usefixtures("umask")
def test_new_files_have_the_permissions_that_the_process_gives(tmp_path: Path) -> None:
    """However many are written at once; the process keeps its umask."""
    with ThreadPoolExecutor(8) as pool:
        paths = [tmp_path / str(index) for index in range(64)]
        list(pool.map(lambda path: write_atomically({path: [b"x"]}, replace=False), paths))
    assert {read_mode(path) for path in paths} == {0o640}
    assert os.umask(0o027) == 0o027


def test_hints_fit_what_is_in_the_way(tmp_path: Path) -> None:
    """A file may be replaced if that is said; a key file never is."""
    path = tmp_path / "a.key"
    require_free(path)
    require_free(path, secret=True)
    write_secret(path, b"key")
    for secret, hint, key in ((False, "replace=True", "replace"), (True, "never replaced", None)):
        with pytest.raises(OutputExistsError) as raised:
            require_free(path, secret=secret)
        assert hint in str(raised.value.hint)
        assert raised.value.hint_key == key


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


def test_nothing_is_made_for_a_name_that_is_taken(tmp_path: Path) -> None:
    """A file that exists is seen before the content of the new one is made."""
    (tmp_path / "there").touch()
    parts = iter([b"x"])
    with pytest.raises(OutputExistsError):
        write_atomically({tmp_path / "there": parts}, replace=False)
    assert list(parts) == [b"x"]


def test_files_are_on_the_disk_before_they_have_their_names(
    tmp_path: Path, events: list[str]
) -> None:
    """Every file is written and flushed before the first target changes, in the order given."""
    contents = {tmp_path / "a": [b"1", b"2"], tmp_path / "b": [b"3"]}
    written = ["write .a", "write .a", "flush .a", "write .b", "flush .b"]
    write_atomically(contents, replace=False)
    assert events == [*written, "link .a a", "remove .a", "link .b b", "remove .b"]
    events.clear()
    write_atomically(contents, replace=True)
    assert events == [*written, "rename .a a", "rename .b b"]
    events.clear()
    write_secret(tmp_path / "c", b"4")
    assert events == ["write .c", "flush .c", "link .c c", "remove .c"]


@pytest.mark.parametrize("refused", [True, False])
def test_drives_of_macos_write_what_they_hold(
    tmp_path: Path, events: list[str], monkeypatch: pytest.MonkeyPatch, *, refused: bool
) -> None:
    """Where Python has F_FULLFSYNC it is used, and fsync on file systems that refuse it."""

    def control(descriptor: int, operation: int) -> None:
        assert (os.fstat(descriptor).st_size, operation) == (1, -51)
        if refused:
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        events.append("flush the drive")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", -51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", control)
    write_atomically({tmp_path / "a": [b"1"]}, replace=False)
    assert events == [
        "write .a",
        "flush .a" if refused else "flush the drive",
        "link .a a",
        "remove .a",
    ]


def test_the_sidecar_comes_before_its_picture(tmp_path: Path, events: list[str]) -> None:
    """A picture that is there has its sidecar, whenever the machine stops."""
    (tmp_path / "in.png").write_bytes(encode_array(noise(5, 5, 1), "PNG"))
    encrypt_file(tmp_path / "in.png", tmp_path / "out.png", Key(bytes(32)), sidecar=True)
    named = [event.split()[-1] for event in events if event.startswith("link")]
    assert named == ["out.png.sudokucrypt.json", "out.png"]


@pytest.mark.parametrize("links", [True, False])
def test_what_appears_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, links: bool
) -> None:
    """A file that another program makes while ours is written stays, with and without links."""
    target = tmp_path / "out"

    def parts() -> Iterator[bytes]:
        yield b"ours"
        target.write_bytes(b"theirs")

    if not links:
        monkeypatch.setattr(os, "link", refuse_operation)
    with pytest.raises(OutputExistsError, match="out' exists"):
        write_atomically({target: parts()}, replace=False)
    assert read_folder(tmp_path) == {"out": b"theirs"}


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("lacking", ["os.link", "os.chmod os.utime", "fcntl.flock"])
def test_file_systems_that_lack_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str, *, replace: bool
) -> None:
    """Files are written all the same, and without locks no leftover is removed."""
    for call in lacking.split():
        monkeypatch.setattr(call, refuse_operation)
    (tmp_path / PART).touch()
    contents = {tmp_path / "a": [b"x"], tmp_path / "b": [b"y"]}
    write_atomically(contents, replace=replace, like=FileStatus(0o644, 1))
    left = sweep(tmp_path)
    assert read_folder(tmp_path) == {"a": b"x", "b": b"y"} | (
        {PART: b""} if "flock" in lacking else {}
    )
    assert not left


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupt_leaves_no_cut_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    """Stopped amid writing, neither a key file nor any other is left, whole or cut."""
    write = os.write

    def write_and_stop(descriptor: int, data: Any) -> int:
        write(descriptor, data[:3])
        raise stop

    monkeypatch.setattr(os, "write", write_and_stop)
    with pytest.raises(stop):
        write_secret(tmp_path / "my.key", b"a secret")
    for replace in (False, True):
        with pytest.raises(stop):
            write_atomically({tmp_path / "out": [b"something"]}, replace=replace)
    assert not list(tmp_path.iterdir())


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that takes a few bytes at a time gets all of them."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    write_atomically({tmp_path / "out": [b"0123456789", b"", b"abc"]}, replace=False)
    write_secret(tmp_path / "my.key", b"0123456789")
    assert read_folder(tmp_path) == {"out": b"0123456789abc", "my.key": b"0123456789"}
    assert read_mode(tmp_path / "my.key") == 0o600


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, 0o400, 0o644, 0o666, 0o4755, 0o000])
def test_a_new_file_is_like_another(tmp_path: Path, mode: int) -> None:
    """It gets its time, and of its permissions what the umask leaves; none is executable."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.touch()
    source.chmod(mode)
    os.utime(source, ns=(0, ANY_TIME))
    like = FileStatus.from_path(source)
    assert like == FileStatus(mode, ANY_TIME)
    write_atomically({target: [b"x"]}, replace=False, like=like)
    assert FileStatus.from_path(target) == FileStatus(mode & 0o640, ANY_TIME)
    assert target.stat().st_size == 1


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("name", ["missing", "a\0b"])
def test_what_is_not_known_is_not_taken_over(tmp_path: Path, name: str) -> None:
    """A status that cannot be read leaves permissions and time as they are for any new file."""
    began = time.time_ns() - 10**9
    assert FileStatus.from_path(tmp_path / name) == FileStatus(None, None)
    write_atomically({tmp_path / "out": [b"x"]}, replace=False, like=FileStatus())
    status = FileStatus.from_path(tmp_path / "out")
    assert status.mode == 0o640
    assert status.time is not None
    assert began < status.time


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(
    ("old", "like", "new"),
    [
        (None, None, 0o640),
        (None, 0o604, 0o600),
        (0o600, None, 0o600),
        (0o666, None, 0o640),
        (0o600, 0o644, 0o600),
        (0o644, 0o600, 0o600),
        (0o660, 0o606, 0o600),
        (0o444, 0o444, 0o440),
        (0o4755, None, 0o640),
    ],
)
def test_no_file_gets_wider(tmp_path: Path, old: int | None, like: int | None, new: int) -> None:
    """Whoever could not read the old file cannot read the new one, nor while it is written."""
    target = tmp_path / "target"
    if old is not None:
        target.touch()
        target.chmod(old)
    seen: list[int] = []

    def parts() -> Iterator[bytes]:
        for part in (b"x", b"y"):
            yield part
            seen.extend(read_mode(path) for path in tmp_path.glob(".*"))

    write_atomically({target: parts()}, replace=True, like=FileStatus(like, None))
    assert seen == [new, new]
    assert (read_mode(target), target.read_bytes()) == (new, b"xy")


@pytest.mark.parametrize("refused", [2**70, -(2**70), 2**63 - 1])
def test_times_that_do_not_fit_are_left(tmp_path: Path, refused: int) -> None:
    """A time outside the range of the system is not an error."""
    target = tmp_path / "target"
    write_atomically({target: [b"x"]}, replace=False, like=FileStatus(0o600, refused))
    assert (read_mode(target), target.read_bytes()) == (0o600, b"x")


# Writes "half", prints a line, and waits for its stdin to end.
_WRITER = """
import sys
from pathlib import Path
from sudokucrypt.storage import write_atomically

def parts():
    yield b"half"
    print(flush=True)
    sys.stdin.read()
    yield b"whole"

write_atomically({Path(sys.argv[1]): parts()}, replace=False)
"""
# Has linked its file, prints a line, and waits.
_LINKER = """
import os, sys, time
from pathlib import Path
from sudokucrypt.storage import write_atomically

def linking(*names):
    link(*names)
    print(flush=True)
    time.sleep(60)

link, os.link = os.link, linking
write_atomically({Path(sys.argv[1]): [b"whole"]}, replace=False)
"""


def start(folder: Path, code: str, name: str) -> subprocess.Popen[bytes]:
    """Start a program in a folder, and wait for its first line."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, name]
    process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program as a crash does."""
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("name", ["out.png", ".hidden", "two\nlines", LONG])
def test_what_a_killed_process_leaves_is_removed(tmp_path: Path, name: str) -> None:
    """Its unfinished file is hidden, is recognized by its name, and goes with the next sweep."""
    kill(start(tmp_path, _WRITER, name))
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
    assert read_folder(tmp_path) == {"ours": b"xy", "theirs": b"halfwhole"}


def test_killed_between_link_and_unlink(tmp_path: Path) -> None:
    """Of a file with two names the unfinished one is removed, and only once its writer is gone."""
    process = start(tmp_path, _LINKER, "out")
    assert len(list(tmp_path.iterdir())) == 2
    assert sweep(tmp_path) == []
    kill(process)
    assert len(sweep(tmp_path)) == 1
    assert read_folder(tmp_path) == {"out": b"whole"}


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
    assert read_folder(tmp_path) == {"out": b"x"}


def test_the_first_write_in_a_folder_sweeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process looks for leftovers once in each folder where it writes."""
    monkeypatch.setattr(storage, "_swept_folders", set())
    (tmp_path / "other").mkdir()
    for path, there in (("a", False), ("b", True), ("other/a", False), ("other/b", True)):
        left = (tmp_path / path).with_name(PART)
        left.touch()
        write_atomically({tmp_path / path: [b"x"]}, replace=False)
        assert left.exists() == there


def test_what_is_no_leftover_stays(tmp_path: Path) -> None:
    """A sweep removes files alone, with names of our form alone, and never fails."""
    for name in (PART[1:], PART[:-1], PART.replace("0", "A"), PART.replace("00", "0")):
        (tmp_path / name).touch()
    (tmp_path / PART).mkdir()
    os.mkfifo(tmp_path / PART.replace("out", "pipe"))
    (tmp_path / PART.replace("out", "link")).symlink_to(PART[1:])
    before = set(tmp_path.iterdir())
    for folder in (tmp_path, tmp_path / "missing", tmp_path / PART[1:], Path("a\0b")):
        assert sweep(folder) == []
    assert set(tmp_path.iterdir()) == before


def test_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leftovers older than a day are removed, no open file is renamed, no read-only one removed."""
    monkeypatch.setattr(storage, "fcntl", None)
    steps: list[str] = []
    (tmp_path / PART).touch()
    os.utime(tmp_path / PART, (0, 0))  # the time of another file, taken over
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse_operation)
        watch_calls(patch, os, "close", lambda _: steps.append("close"))
        watch_calls(patch, Path, "rename", lambda *_: steps.append("rename"))
        write_atomically({tmp_path / "out": [b"x"]}, replace=False, like=FileStatus(mode=0o444))
    assert steps == ["close", "rename"]
    assert sweep(tmp_path) == []
    later = time.time() + 24 * 60 * 60 + 60
    monkeypatch.setattr(time, "time", lambda: later)
    assert sweep(tmp_path) == [tmp_path / PART]
    assert read_folder(tmp_path) == {"out": b"x"}


def test_names_that_windows_reads_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices, ends that are dropped and wildcards are changed there, and nowhere else."""
    names = [*_ON_WINDOWS, "nuls", "com10", "COM0", "a.nul", ".nul", " a", "\xfc.jpg"]
    expected = [_ON_WINDOWS.get(name, name) for name in names]
    assert [*map(name_here, names)] == names
    monkeypatch.setattr("sudokucrypt.storage.WINDOWS", True)
    assert [*map(name_here, names)] == expected
    assert [*map(name_here, expected)] == expected


hiding = pytest.mark.skipif(
    not can_hide(Path.cwd()), reason="this system has no files without a name"
)


@hiding
@pytest.mark.parametrize("there", [False, True])
def test_a_hidden_file_has_no_name_until_it_is_finished(tmp_path: Path, *, there: bool) -> None:
    """Nothing is seen of it, whether it is new or replaces one."""
    before = {"out": b"old"} if there else {}
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)

    def parts() -> Iterator[bytes]:
        for _ in range(3):
            assert read_folder(tmp_path) == before
            yield b"new"

    status = FileStatus(mode=0o640, time=12_000_000_000)
    write_atomically({tmp_path / "out": parts()}, replace=there, like=status, hidden=True)
    assert read_folder(tmp_path) == {"out": b"newnewnew"}
    assert FileStatus.from_path(tmp_path / "out").time == status.time
    assert (tmp_path / "out").stat().st_mode & 0o137 == 0


@hiding
def test_a_hidden_file_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """Also if its name was taken meanwhile, by a file that stays."""

    def yield_and_fail() -> Iterator[bytes]:
        yield b"plain"
        raise DecryptionError

    with pytest.raises(DecryptionError):
        write_atomically({tmp_path / "out": yield_and_fail()}, replace=False, hidden=True)
    assert read_folder(tmp_path) == {}

    def late() -> Iterator[bytes]:
        yield b"plain"
        (tmp_path / "out").write_bytes(b"theirs")

    with pytest.raises(OutputExistsError):
        write_atomically({tmp_path / "out": late()}, replace=False, hidden=True)
    assert read_folder(tmp_path) == {"out": b"theirs"}


@pytest.mark.parametrize("lacking", ["flag", "folder of open files", "file system"])
def test_where_there_are_no_hidden_files_they_have_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    """As all other files."""
    if lacking == "flag":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif lacking == "folder of open files":
        monkeypatch.setattr(storage, "_OPEN_FILES", str(tmp_path / "none"))
    else:
        monkeypatch.setattr(os, "O_TMPFILE", os.O_DIRECTORY | os.O_EXCL, raising=False)
    assert not can_hide(tmp_path)

    def parts() -> Iterator[bytes]:
        yield b"x"
        (part,) = tmp_path.iterdir()
        assert part.name.endswith(PART_SUFFIX)

    with pytest.raises(SudokucryptError):
        write_atomically({tmp_path / "out": parts()}, replace=False, hidden=True)
    assert read_folder(tmp_path) == {}
    write_atomically({tmp_path / "out": parts()}, replace=False, hidden=can_hide(tmp_path))
    assert read_folder(tmp_path) == {"out": b"x"}


@hiding
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC, errno.EACCES])
def test_a_hidden_file_never_has_a_name_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Where a file could have no name, an error in opening it is one of writing."""
    opened = os.open

    def fail_to_open(path: Any, flags: int, *given: Any, **more: Any) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(number, os.strerror(number))
        return opened(path, flags, *given, **more)

    monkeypatch.setattr(os, "open", fail_to_open)
    assert can_hide(tmp_path)
    with pytest.raises(SudokucryptError, match="cannot write"):
        write_atomically({tmp_path / "out": [b"plain"]}, replace=False, hidden=True)
    assert read_folder(tmp_path) == {}


def test_links_and_other_spellings_are_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of files that are there, and of paths at which nothing is; a ring of links is not a file."""
    monkeypatch.chdir(tmp_path)
    Path("there").touch()
    for link, target in (("link", "there"), ("dangling", "missing"), ("ring", "ring")):
        Path(link).symlink_to(target)
    same = [("there", "link"), ("missing", "./missing"), ("dangling", "missing")]
    others = [("missing", "there"), ("dangling", "there"), ("ring", "there"), ("missing", "other")]
    assert all(storage.same_file(Path(one), Path(other).absolute()) for one, other in same)
    assert not any(storage.same_file(Path(one), Path(other)) for one, other in others)

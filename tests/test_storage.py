"""Files are written whole or not at all, with the permissions of new files."""

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
    UNFINISHED_SUFFIX,
    FileStatus,
    decode_in_this_locale,
    encode_for_every_locale,
    exists,
    ignores_case,
    make_usable_name,
    parse_location,
    read_limited_file,
    require_free,
    supports_nameless_files,
    sweep_folder,
    write_atomically,
    write_secret_file,
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
LONG_NAME = "\U0001f600" * 63 + "é"  # 254 bytes


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the content of each file in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def read_mode(path: Path) -> int:
    """Return the permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def refuse_operation(*_: object, **__: object) -> None:
    """Raise the error of a file system that does not support an operation."""
    raise PermissionError(1, "Operation not permitted")


@pytest.fixture
def umask() -> Iterator[None]:
    """Set the umask so that new files have mode 0640."""
    old_umask = os.umask(0o027)
    yield
    os.umask(old_umask)


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list of what happens to files: they are written, flushed, linked, renamed or removed.

    A temporary name is shown as the name of its target with a dot in front.
    """
    noted_events: list[str] = []

    def get_name(path: Any) -> str:
        if isinstance(path, int):
            status = os.fstat(path)
            path = next(p for p in tmp_path.iterdir() if os.path.samestat(p.stat(), status))
        name = Path(path).name
        return name[:-34] if name.startswith(".") else name

    def watch(owner: Any, function_name: str, event_name: str) -> None:
        original = getattr(owner, function_name)

        def call_and_note(*paths: Any, **options: Any) -> Any:
            names = [get_name(p) for p in paths if isinstance(p, int | str | os.PathLike)]
            result = original(*paths, **options)
            noted_events.append(" ".join([event_name, *names]))
            return result

        monkeypatch.setattr(owner, function_name, call_and_note)

    watch(os, "write", "write")
    watch(os, "fsync", "flush")
    watch(os, "link", "link")
    watch(Path, "replace", "rename")
    watch(Path, "unlink", "remove")
    return noted_events


def test_a_store_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a store fails when it is asked for a file, the error names the file; stores keep case."""
    location = parse_location("memory://pictures/a.png")
    assert ignores_case(location) is False

    def fail(_: object) -> bool:
        raise OSError("no answer")

    monkeypatch.setattr("sudokucrypt.remote.exists", fail)
    with pytest.raises(SudokucryptError, match="cannot see whether 'memory:"):
        exists(location)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, DecryptionError, OSError])
def test_new_objects_of_an_interrupted_write_are_removed(
    monkeypatch: pytest.MonkeyPatch, stop: type[BaseException], *, replace: bool
) -> None:
    """If the second object cannot be made, the caller gets the error, and a new first one goes."""
    urls = [parse_location(f"memory://pictures/{name}") for name in "ab"]
    removed: list[object] = []
    monkeypatch.setattr("sudokucrypt.remote.write", lambda *_, **__: None)
    monkeypatch.setattr("sudokucrypt.remote.remove", removed.append)

    def fail() -> Iterator[bytes]:
        yield b"x"
        raise stop

    with pytest.raises(SudokucryptError if stop is OSError else stop):
        write_atomically({urls[0]: [b"x"], urls[1]: fail()}, replace=replace)
    assert removed == ([] if replace else urls[:1])


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    """A file as long as its limit is read, and a longer one is not."""
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_limited_file(path, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_limited_file(path, 4)


@pytest.mark.usefixtures("umask")
def test_new_files_have_the_permissions_that_the_process_gives(tmp_path: Path) -> None:
    """64 files that threads write at once follow the umask, which stays; and all are closed."""
    descriptors = os.listdir("/dev/fd")
    with ThreadPoolExecutor(8) as pool:
        paths = [tmp_path / str(index) for index in range(64)]
        list(pool.map(lambda path: write_atomically({path: [b"x"]}, replace=False), paths))
    assert os.listdir("/dev/fd") == descriptors
    assert {read_mode(path) for path in paths} == {0o640}
    assert os.umask(0o027) == 0o027


def test_hints_for_existing_files(tmp_path: Path) -> None:
    """For an existing file the hint is to replace it, for a key file to choose another name."""
    path = tmp_path / "a.key"
    require_free(path)
    require_free(path, secret=True)
    write_secret_file(path, b"key")
    for secret, hint, key in ((False, "replace=True", "replace"), (True, "never replaced", None)):
        with pytest.raises(OutputExistsError) as error_info:
            require_free(path, secret=secret)
        assert hint in str(error_info.value.hint)
        assert error_info.value.hint_key == key
    with pytest.raises(OutputExistsError) as error_info:
        require_free(path)
    assert error_info.value.hint_key == "replace"


def test_only_files_are_replaced(tmp_path: Path) -> None:
    """A pipe and a folder are never replaced by a file, even with `replace`."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    existing = set(tmp_path.iterdir())
    for path in existing:
        with pytest.raises(SudokucryptError, match="is not a regular file"):
            write_atomically({path: [b"x"]}, replace=True)
        with pytest.raises(OutputExistsError):
            write_atomically({path: [b"x"]}, replace=False)
    assert set(tmp_path.iterdir()) == existing
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_all_or_nothing(tmp_path: Path) -> None:
    """If one of several files cannot be written, none is; the reason is in lower case."""
    parts_by_path = {tmp_path / "first": [b"x"], tmp_path / "missing" / "second": [b"y"]}
    with pytest.raises(SudokucryptError, match=r"second': no such file"):
        write_atomically(parts_by_path, replace=True)
    with pytest.raises(SudokucryptError, match="name too long") as error_info:
        write_atomically({tmp_path / "first": [b"x"], tmp_path / ("x" * 256): []}, replace=True)
    assert error_info.value.hint == "choose a shorter name"
    assert not list(tmp_path.iterdir())


def test_existing_files_are_noticed_before_content_is_read(tmp_path: Path) -> None:
    """If the file exists, the error is raised before any content is read."""
    (tmp_path / "there").touch()
    parts = iter([b"x"])
    with pytest.raises(OutputExistsError):
        write_atomically({tmp_path / "there": parts}, replace=False)
    assert list(parts) == [b"x"]


def test_files_are_on_the_disk_before_they_have_their_names(
    tmp_path: Path, events: list[str]
) -> None:
    """All files are written and flushed before the first target changes, in the given order."""
    parts_by_path = {tmp_path / "a": [b"1", b"2"], tmp_path / "b": [b"3"]}
    write_events = ["write .a", "write .a", "flush .a", "write .b", "flush .b"]
    write_atomically(parts_by_path, replace=False)
    assert events == [*write_events, "link .a a", "remove .a", "link .b b", "remove .b"]
    events.clear()
    write_atomically(parts_by_path, replace=True)
    assert events == [*write_events, "rename .a a", "rename .b b"]
    events.clear()
    write_secret_file(tmp_path / "c", b"4")
    assert events == ["write .c", "flush .c", "link .c c", "remove .c"]


@pytest.mark.parametrize("refused", [True, False])
def test_drives_of_macos_are_flushed(
    tmp_path: Path, events: list[str], monkeypatch: pytest.MonkeyPatch, *, refused: bool
) -> None:
    """With F_FULLFSYNC the drive is flushed; if the file system refuses that, fsync is used."""

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
    """The sidecar gets its name before the picture, so that no picture lacks its sidecar."""
    source, target, key = tmp_path / "in.png", tmp_path / "out.png", Key(bytes(32))
    source.write_bytes(encode_array(noise(5, 5, 1), "PNG"))
    encrypt_file(source, target, key, sidecar=True)
    encrypt_file(source, target, key, sidecar=True, replace=True)
    encrypt_file(source, tmp_path / "new.png", key, sidecar=True, resume=True)
    named = [event.split()[-1] for event in events if event.startswith(("link", "rename"))]
    sidecar = "out.png.sudokucrypt.json"
    assert named == [sidecar, "out.png"] * 2 + ["new.png.sudokucrypt.json", "new.png"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, links: bool
) -> None:
    """A file that another program creates meanwhile stays, with and without hard links."""
    target = tmp_path / "out"

    def parts() -> Iterator[bytes]:
        yield b"ours"
        target.write_bytes(b"theirs")

    if not links:
        monkeypatch.setattr(os, "link", refuse_operation)
    with pytest.raises(OutputExistsError, match="out' exists") as error_info:
        write_atomically({target: parts()}, replace=False)
    assert error_info.value.hint_key == "replace"
    assert read_folder(tmp_path) == {"out": b"theirs"}


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("refused_calls", ["os.link", "os.chmod os.utime", "fcntl.flock"])
def test_file_systems_without_some_operations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused_calls: str, *, replace: bool
) -> None:
    """Files are written without links, times or locks; without locks, no leftover is removed."""
    for function_name in refused_calls.split():
        monkeypatch.setattr(function_name, refuse_operation)
    (tmp_path / PART).touch()
    parts_by_path = {tmp_path / "a": [b"x"], tmp_path / "b": [b"y"]}
    write_atomically(parts_by_path, replace=replace, source_status=FileStatus(0o644, 1))
    removed = sweep_folder(tmp_path)
    assert read_folder(tmp_path) == {"a": b"x", "b": b"y"} | (
        {PART: b""} if "flock" in refused_calls else {}
    )
    assert not removed


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupt_leaves_no_cut_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    """If an exception interrupts writing, neither a key file nor any other file is left or open."""
    write, descriptors = os.write, os.listdir("/dev/fd")

    def write_and_stop(descriptor: int, data: Any) -> int:
        write(descriptor, data[:3])
        raise stop

    monkeypatch.setattr(os, "write", write_and_stop)
    with pytest.raises(stop):
        write_secret_file(tmp_path / "my.key", b"a secret")
    for replace in (False, True):
        with pytest.raises(stop):
            write_atomically({tmp_path / "out": [b"something"]}, replace=replace)
    assert not list(tmp_path.iterdir())
    assert os.listdir("/dev/fd") == descriptors


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the system writes 3 bytes at a time, the whole file is written."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    write_atomically({tmp_path / "out": [b"0123456789", b"", b"abc"]}, replace=False)
    write_secret_file(tmp_path / "my.key", b"0123456789")
    assert read_folder(tmp_path) == {"out": b"0123456789abc", "my.key": b"0123456789"}
    assert read_mode(tmp_path / "my.key") == 0o600


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, 0o400, 0o644, 0o666, 0o4755, 0o000])
def test_a_new_file_is_like_another(tmp_path: Path, mode: int) -> None:
    """A file gets the time of another, and its permissions as the umask allows them."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.touch()
    source.chmod(mode)
    os.utime(source, ns=(0, ANY_TIME))
    like = FileStatus.from_path(source)
    assert like == FileStatus(mode, ANY_TIME)
    write_atomically({target: [b"x"]}, replace=False, source_status=like)
    assert FileStatus.from_path(target) == FileStatus(mode & 0o640, ANY_TIME)
    assert target.stat().st_size == 1


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("name", ["missing", "a\0b"])
def test_an_unknown_status_changes_nothing(tmp_path: Path, name: str) -> None:
    """If a status cannot be read, the file has the permissions and time of any new file."""
    began = time.time_ns() - 10**9
    assert FileStatus.from_path(tmp_path / name) == FileStatus(None, None)
    write_atomically({tmp_path / "out": [b"x"]}, replace=False, source_status=FileStatus())
    status = FileStatus.from_path(tmp_path / "out")
    assert status.mode == 0o640
    assert status.time is not None
    assert began < status.time


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(
    ("old_mode", "like_mode", "new_mode"),
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
def test_no_file_gets_more_permissions(
    tmp_path: Path, old_mode: int | None, like_mode: int | None, new_mode: int
) -> None:
    """The new file gives nobody more permissions than the old one, even while it is written."""
    target = tmp_path / "target"
    if old_mode is not None:
        target.touch()
        target.chmod(old_mode)
    modes: list[int] = []

    def parts() -> Iterator[bytes]:
        for part in (b"x", b"y"):
            yield part
            modes.extend(read_mode(path) for path in tmp_path.glob(".*"))

    write_atomically({target: parts()}, replace=True, source_status=FileStatus(like_mode, None))
    assert modes == [new_mode, new_mode]
    assert (read_mode(target), target.read_bytes()) == (new_mode, b"xy")


@pytest.mark.usefixtures("umask")
def test_no_file_becomes_executable(tmp_path: Path) -> None:
    """A file is not executable, even if its input and the file that it replaces are."""
    os.umask(0)
    (tmp_path / "out").touch()
    (tmp_path / "out").chmod(0o777)
    write_atomically({tmp_path / "out": [b"x"]}, replace=True, source_status=FileStatus(0o777))
    assert read_mode(tmp_path / "out") == 0o666


@pytest.mark.parametrize("refused", [2**70, -(2**70), 2**63 - 1])
def test_impossible_times_are_ignored(tmp_path: Path, refused: int) -> None:
    """A time outside the range of the system is ignored."""
    target = tmp_path / "target"
    write_atomically({target: [b"x"]}, replace=False, source_status=FileStatus(0o600, refused))
    assert (read_mode(target), target.read_bytes()) == (0o600, b"x")


# Writes "half", prints a line, and waits for its stdin to end.
_WRITER_SCRIPT = """
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
_LINKER_SCRIPT = """
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


def start_program(folder: Path, code: str, name: str) -> subprocess.Popen[bytes]:
    """Start a program in a folder, and wait for its first line."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, name]
    process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def kill_program(process: subprocess.Popen[bytes]) -> None:
    """Kill a program, so that it cannot clean up."""
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("name", ["out.png", ".hidden", "two\nlines", LONG_NAME])
def test_files_of_killed_processes_are_removed(tmp_path: Path, name: str) -> None:
    """The unfinished file of a killed process has a hidden name, and the next sweep removes it."""
    kill_program(start_program(tmp_path, _WRITER_SCRIPT, name))
    (unfinished,) = tmp_path.iterdir()
    assert unfinished.name.startswith(f".{name[:24]}.")
    assert unfinished.name.endswith(".sudokucrypt-part")
    assert len(os.fsencode(unfinished.name)) <= 143  # the most in folders that eCryptfs encrypts
    assert sweep_folder(tmp_path) == [unfinished]
    assert sweep_folder(tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_files_that_are_being_written_are_not_removed(tmp_path: Path) -> None:
    """A sweep does not remove files that this or another process is writing."""
    process = start_program(tmp_path, _WRITER_SCRIPT, "theirs")
    assert sweep_folder(tmp_path) == []

    def parts() -> Iterator[bytes]:
        yield b"x"
        assert sweep_folder(tmp_path) == []
        yield b"y"

    write_atomically({tmp_path / "ours": parts()}, replace=False)
    process.communicate(b"", timeout=60)
    assert read_folder(tmp_path) == {"ours": b"xy", "theirs": b"halfwhole"}


def test_killed_between_link_and_unlink(tmp_path: Path) -> None:
    """If a process is killed while its file has two names, the sweep removes only one."""
    process = start_program(tmp_path, _LINKER_SCRIPT, "out")
    assert len(list(tmp_path.iterdir())) == 2
    assert sweep_folder(tmp_path) == []
    kill_program(process)
    assert len(sweep_folder(tmp_path)) == 1
    assert read_folder(tmp_path) == {"out": b"whole"}


def test_no_unfinished_file_of_another_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the temporary name of a file is taken, which is hardly possible, nothing is written."""
    monkeypatch.setattr("sudokucrypt.storage.secrets.token_hex", lambda size: "0" * 2 * size)
    (tmp_path / PART).write_bytes(b"theirs")
    with (tmp_path / PART).open("rb") as locked_file:
        fcntl.flock(locked_file, fcntl.LOCK_EX)
        with pytest.raises(SudokucryptError, match="file exists"):
            write_atomically({tmp_path / "out": [b"x"]}, replace=False)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("locked", [True, False])
def test_a_sweep_while_a_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, locked: bool
) -> None:
    """If a sweep locks or removes a file before its writer locks it, another one is created."""
    names: list[str] = []
    lock = fcntl.flock

    def lock_after_sweep(descriptor: int, operation: int) -> None:
        (unfinished_file,) = tmp_path.glob(".out.*")
        names.append(unfinished_file.name)
        if len(names) == 1:
            if locked:
                raise BlockingIOError
            unfinished_file.unlink()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", lock_after_sweep)
    write_atomically({tmp_path / "out": [b"x"]}, replace=False)
    assert len(set(names)) == 2
    assert read_folder(tmp_path) == {"out": b"x"}


def test_the_first_write_in_a_folder_sweeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first write of a process to each folder removes the leftovers in it."""
    monkeypatch.setattr(storage, "_swept_folders", set())
    (tmp_path / "other").mkdir()
    for path, is_left in (("a", False), ("b", True), ("other/a", False), ("other/b", True)):
        leftover = (tmp_path / path).with_name(PART)
        leftover.touch()
        write_atomically({tmp_path / path: [b"x"]}, replace=False)
        assert leftover.exists() == is_left


def test_other_files_are_not_swept(tmp_path: Path) -> None:
    """A sweep removes only files with names of our form, and never raises an error."""
    for name in (PART[1:], PART[:-1], PART.replace("0", "A"), PART.replace("00", "0")):
        (tmp_path / name).touch()
    (tmp_path / PART).mkdir()
    os.mkfifo(tmp_path / PART.replace("out", "pipe"))
    (tmp_path / PART.replace("out", "link")).symlink_to(PART[1:])
    existing = set(tmp_path.iterdir())
    for folder in (tmp_path, tmp_path / "missing", tmp_path / PART[1:], Path("a\0b")):
        assert sweep_folder(folder) == []
    assert set(tmp_path.iterdir()) == existing


def test_a_sweep_opens_files_with_care(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leftovers are opened for writing, as some locks demand, are closed, and are never links."""
    lock = fcntl.flock

    def lock_writable(descriptor: int, operation: int) -> None:
        if not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_RDWR:
            refuse_operation()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", lock_writable)
    (tmp_path / PART).touch()
    descriptors = os.listdir("/dev/fd")
    assert sweep_folder(tmp_path) == [tmp_path / PART]
    assert os.listdir("/dev/fd") == descriptors
    (tmp_path / PART).symlink_to("file")
    (tmp_path / "file").touch()
    monkeypatch.setattr(os, "lstat", os.stat)  # as if the link appeared after the check for it
    assert sweep_folder(tmp_path) == []


def test_a_file_may_have_the_descriptor_of_stdin(tmp_path: Path) -> None:
    """A process without stdin closes the file that it wrote under that number, too."""
    stdin = os.dup(0)
    os.close(0)
    try:
        write_atomically({tmp_path / "out": [b"x"]}, replace=False)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(0)
    finally:
        os.dup2(stdin, 0)
        os.close(stdin)


def test_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leftovers are removed after a day, open files are not renamed, read-only ones not removed."""
    monkeypatch.setattr(storage, "fcntl", None)
    steps: list[str] = []
    (tmp_path / PART).touch()
    os.utime(tmp_path / PART, (0, 0))  # the time of another file, taken over
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse_operation)
        watch_calls(patch, os, "close", lambda _: steps.append("close"))
        watch_calls(patch, Path, "rename", lambda *_: steps.append("rename"))
        write_atomically(
            {tmp_path / "out": [b"x"]}, replace=False, source_status=FileStatus(mode=0o444)
        )
    assert steps == ["close", "rename"]
    assert sweep_folder(tmp_path) == []
    in_a_day = (tmp_path / PART).stat().st_ctime + 24 * 60 * 60
    monkeypatch.setattr(time, "time", lambda: in_a_day)
    assert sweep_folder(tmp_path) == []
    monkeypatch.setattr(time, "time", lambda: in_a_day + 1)
    assert sweep_folder(tmp_path) == [tmp_path / PART]
    assert read_folder(tmp_path) == {"out": b"x"}


def test_names_in_another_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that the encoding of the locale lacks is encoded in UTF-8."""
    monkeypatch.setattr(os, "fsencode", lambda name: name.encode("ascii", "surrogateescape"))
    monkeypatch.setattr(os, "fsdecode", lambda name: name.decode("ascii", "surrogateescape"))
    for name, expected in (("a", "a"), ("\xe4", "\udcc3\udca4")):
        assert decode_in_this_locale(name) == expected
        assert encode_for_every_locale(expected) == name


def test_names_for_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows, names of devices, dropped ends and wildcards are changed; elsewhere nothing."""
    names = [*_ON_WINDOWS, "nuls", "com10", "COM0", "a.nul", ".nul", " a", "\xfc.jpg"]
    expected = [_ON_WINDOWS.get(name, name) for name in names]
    assert [*map(make_usable_name, names)] == names
    monkeypatch.setattr("sudokucrypt.storage.IS_WINDOWS", True)
    assert [*map(make_usable_name, names)] == expected
    assert [*map(make_usable_name, expected)] == expected


needs_hiding = pytest.mark.skipif(
    not supports_nameless_files(Path.cwd()), reason="this system has no files without a name"
)


@needs_hiding
@pytest.mark.parametrize("exists", [False, True])
def test_a_hidden_file_has_no_name_until_it_is_finished(tmp_path: Path, *, exists: bool) -> None:
    """While a hidden file is written, the folder does not change, even if it replaces one."""
    old_files = {"out": b"old"} if exists else {}
    for name, data in old_files.items():
        (tmp_path / name).write_bytes(data)

    def parts() -> Iterator[bytes]:
        for _ in range(3):
            assert read_folder(tmp_path) == old_files
            yield b"new"

    status = FileStatus(mode=0o640, time=12_000_000_000)
    write_atomically(
        {tmp_path / "out": parts()}, replace=exists, source_status=status, is_nameless=True
    )
    assert read_folder(tmp_path) == {"out": b"newnewnew"}
    assert FileStatus.from_path(tmp_path / "out").time == status.time
    assert (tmp_path / "out").stat().st_mode & 0o137 == 0


@needs_hiding
def test_the_name_of_a_hidden_file_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hidden file that replaces another one has a locked name first, which no sweep removes."""
    replace, target = Path.replace, tmp_path / "out"
    target.write_bytes(b"old")

    def replace_after_sweep(path: Path, new: Path) -> Path:
        with path.open("rb") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return replace(path, new)

    monkeypatch.setattr(Path, "replace", replace_after_sweep)
    write_atomically({target: [b"new"]}, replace=True, is_nameless=True)
    assert read_folder(tmp_path) == {"out": b"new"}


@needs_hiding
def test_a_hidden_file_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If writing a hidden file fails, nothing is left, and a file that appeared meanwhile stays."""

    def yield_and_fail() -> Iterator[bytes]:
        yield b"plain"
        raise DecryptionError

    with pytest.raises(DecryptionError):
        write_atomically({tmp_path / "out": yield_and_fail()}, replace=False, is_nameless=True)
    assert read_folder(tmp_path) == {}

    def yield_and_create() -> Iterator[bytes]:
        yield b"plain"
        (tmp_path / "out").write_bytes(b"theirs")

    with pytest.raises(OutputExistsError):
        write_atomically({tmp_path / "out": yield_and_create()}, replace=False, is_nameless=True)
    monkeypatch.setattr(Path, "replace", refuse_operation)
    with pytest.raises(SudokucryptError, match="not permitted"):
        write_atomically({tmp_path / "out": [b"plain"]}, replace=True, is_nameless=True)
    assert read_folder(tmp_path) == {"out": b"theirs"}


def test_a_system_that_hides_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a file without a name can be opened in a folder, `supports_nameless_files` is true."""
    monkeypatch.setattr(storage, "_open_hidden_file", lambda *_: os.open(os.devnull, os.O_RDONLY))
    assert supports_nameless_files(tmp_path)


@pytest.mark.parametrize("missing", ["flag", "folder of open files", "file system"])
def test_systems_that_cannot_hide_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """If the system cannot hide files, unfinished files have temporary names."""
    if missing == "flag":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif missing == "folder of open files":
        monkeypatch.setattr(storage, "_OPEN_FILES_FOLDER", str(tmp_path / "none"))
    else:
        monkeypatch.setattr(os, "O_TMPFILE", os.O_DIRECTORY | os.O_EXCL, raising=False)
    assert not supports_nameless_files(tmp_path)

    def parts() -> Iterator[bytes]:
        yield b"x"
        (unfinished_file,) = tmp_path.iterdir()
        assert unfinished_file.name.endswith(UNFINISHED_SUFFIX)

    with pytest.raises(SudokucryptError):
        write_atomically({tmp_path / "out": parts()}, replace=False, is_nameless=True)
    assert read_folder(tmp_path) == {}
    write_atomically(
        {tmp_path / "out": parts()}, replace=False, is_nameless=supports_nameless_files(tmp_path)
    )
    assert read_folder(tmp_path) == {"out": b"x"}


@needs_hiding
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC, errno.EACCES])
def test_a_hidden_file_never_has_a_name_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """If opening a hidden file fails, an error is raised, and no file with a name is written."""
    open_file = os.open

    def fail_to_open(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(number, os.strerror(number))
        return open_file(path, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", fail_to_open)
    assert supports_nameless_files(tmp_path)
    with pytest.raises(SudokucryptError, match="cannot write"):
        write_atomically({tmp_path / "out": [b"plain"]}, replace=False, is_nameless=True)
    assert read_folder(tmp_path) == {}


def test_links_and_other_spellings_are_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links and relative paths are the same file, even if it does not exist; a ring is no file."""
    monkeypatch.chdir(tmp_path)
    Path("there").touch()
    for link, target in (("link", "there"), ("dangling", "missing"), ("ring", "ring")):
        Path(link).symlink_to(target)
    same_files = [("there", "link"), ("missing", "./missing"), ("dangling", "missing")]
    others = [("missing", "there"), ("dangling", "there"), ("ring", "there"), ("missing", "other")]
    assert all(storage.is_same_file(Path(one), Path(other).absolute()) for one, other in same_files)
    assert not any(storage.is_same_file(Path(one), Path(other)) for one, other in others)
    url = parse_location("memory://there")
    for one, other in ((url, Path("there")), (Path("there"), url)):
        assert not storage.is_same_file(one, other)
    assert storage.is_same_file(url, parse_location("memory://there"))

"""Files appear whole, with the permissions of any new file, and only in place of other files."""

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import Key, OutputExistsError, SudokucryptError, encrypt_file
from sudokucrypt.storage import require_free, write_atomically, write_secret
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
        return path.name[:-17] if path.name.startswith(".") else path.name

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
    assert not list(tmp_path.iterdir())


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
    assert done == [("write", "c"), ("flush", "c")]


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


def refusing(*_: object) -> None:
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

"""--manifest lists what was done, --resume relies on it where it may, --shard divides the work."""

import errno
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import Key, scramble_file
from sudokucrypt.cli.finding import Search, find_items
from sudokucrypt.recipes import read_header
from tests.cli.conftest import KEY, Run, lines_of, names, small_pictures

MANIFEST = ("--manifest", "done.jsonl")


def lines(name: str = "done.jsonl") -> list[dict[str, Any]]:
    return lines_of(name)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_every_input_has_a_line(run: Run, folder: Path, jobs: str) -> None:
    """A line names source and target with sizes, tag, mode and time, or the error."""
    (folder / "0.png").write_bytes(b"")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff and so on")
    done = run("encrypt", folder, "-o", "out", "--jobs", jobs, *MANIFEST, *KEY)
    assert done.code == 0
    held = {line["source"]: line for line in lines()}
    assert set(held) == {f"in/{name}" for name in ("0.png", "a.png", "b.tif", "photo.jpg")}
    assert len(lines()) == 4
    for source, line in held.items():
        target = Path(line["target"])
        assert line["error"] is None
        assert line["mode"] == ("file" if source in ("in/0.png", "in/photo.jpg") else "pixels")
        assert (line["source_bytes"], line["target_bytes"]) == (
            Path(source).stat().st_size, target.stat().st_size
        )  # fmt: skip
        tag = read_header(target).tag
        assert tag is not None
        assert line["tag"] == tag.hex()
        assert 0 < line["seconds"] < 60
    done = run("decrypt", "out", "-o", "back", "--manifest", "back.jsonl", *KEY)
    assert done.code == 0
    back = {line["source"]: line for line in lines("back.jsonl")}
    assert {back[line["target"]]["tag"] for line in lines()} == {line["tag"] for line in lines()}
    assert back["out/photo.encrypted.png"]["target"] == "back/photo.jpg"
    assert back["out/photo.encrypted.png"]["mode"] == "file"


def test_errors_have_lines(run: Run, folder: Path) -> None:
    """What failed is listed with the words of the message, for one input as for many."""
    (folder / "0.png").write_bytes((folder / "a.png").read_bytes()[:-30])
    assert run("scramble", folder, "-o", "out", *MANIFEST, *KEY).code == 4
    failed = next(line for line in lines() if line["error"])
    assert failed["source"] == "in/0.png"
    assert "is damaged" in failed["error"]
    assert failed["target"] is None
    done = run("scramble", folder / "0.png", "--manifest", "one.jsonl", *KEY)
    assert done.code == 4
    assert [line["error"] for line in lines("one.jsonl")] == [failed["error"]]


def test_resume_relies_on_the_manifest(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is listed and still has its sizes is not read again, and the manifest does not grow."""
    arguments = ("scramble", folder, "-r", "-o", "out", *MANIFEST, *KEY)
    assert run(*arguments).code == 0
    before = Path("done.jsonl").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("sudokucrypt.recipes.scramble_file", os.abort)
        done = run(*arguments, "--resume")
        assert (done.code, done.err.splitlines()[-1]) == (
            0, "sudokucrypt: note: 0 scrambled, 4 already there, 0 failed"
        )  # fmt: skip
    assert Path("done.jsonl").read_bytes() == before
    Path("out/a.scrambled.png").unlink()
    cut = Path("out/b.scrambled.png")
    cut.write_bytes(cut.read_bytes()[:-1])
    done = run(*arguments, "--resume")
    assert done.code == 6
    assert "1 scrambled, 2 already there, 1 failed" in done.err
    assert [line["source"] for line in lines()[4:]] == ["in/a.png", "in/b.tif"]


@pytest.mark.parametrize("change", ["key", "options", "command", "output"])
def test_lines_of_other_runs_prove_nothing(run: Run, folder: Path, change: str) -> None:
    """Under another key, option, command or folder, each result is compared as without a list."""
    assert run("scramble", folder, "-o", "out", *MANIFEST, *KEY).code == 0
    arguments: list[str | Path] = ["scramble", folder, "-o", "out", "--resume", *MANIFEST, *KEY]
    if change == "key":
        Key(bytes(32)).to_file("other.key")
        arguments[-1] = "other.key"
    elif change == "options":
        arguments += ["--rounds", "7"]
    elif change == "command":
        arguments[0] = "encrypt"
        arguments += ["--name", "{stem}.scrambled{suffix}", "--as", "pixels"]
    else:
        arguments[3] = "elsewhere"
    done = run(*arguments)
    assert done.code == (0 if change == "output" else 6)
    assert f"{2 if change == 'output' else 0} " in done.err.splitlines()[-1]


def test_an_existing_manifest_is_kept(run: Run, folder: Path) -> None:
    """Without --resume or --force it is refused, and --force begins it anew."""
    arguments = ("scramble", folder, "-o", "out", *MANIFEST, *KEY)
    assert run(*arguments).code == 0
    before = Path("done.jsonl").read_bytes()
    done = run(*arguments)
    assert done.code == 6
    assert "'done.jsonl' exists" in done.err
    assert "--resume" in done.err
    assert Path("done.jsonl").read_bytes() == before
    assert run(*arguments, "--force").code == 0
    assert len(lines()) == 2


@pytest.mark.parametrize(
    "content",
    [
        b"precious",
        b"precious\n",
        b'{"a": 1}',
        b'{"a": 1}\n',
        b"[" * 100_000 + b"\n",
        b'{"source": "' + b"x" * (1 << 20),
    ],
)
@pytest.mark.parametrize("how", ["--resume", "--force"])
def test_other_files_are_no_manifests(run: Run, folder: Path, content: bytes, how: str) -> None:
    """A file of another kind is refused, and not changed."""
    Path("done.jsonl").write_bytes(content)
    done = run("scramble", folder, "-o", "out", how, *MANIFEST, *KEY)
    assert done.code == 4
    assert "'done.jsonl' is not a manifest: line 1" in done.err
    assert Path("done.jsonl").read_bytes() == content
    assert not Path("out").exists()


def test_a_line_cut_by_a_crash_is_dropped(run: Run, folder: Path) -> None:
    """The last line that a killed process did not finish is made anew."""
    arguments = ("scramble", folder, "-o", "out", *MANIFEST, *KEY)
    assert run(*arguments).code == 0
    whole = Path("done.jsonl").read_bytes()
    for cut in (whole[:-1], whole[:-200], whole[: whole.index(b"\n") + 5]):
        Path("done.jsonl").write_bytes(cut)
        done = run(*arguments, "--resume")
        assert done.code == 0
        assert "0 scrambled, 2 already there, 0 failed" in done.err
        assert len({line["source"] for line in lines()}) == len(lines()) == 2


def test_one_run_at_a_time(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest that another run writes is refused."""
    seen: list[Any] = []

    def nested(*arguments: Any, **options: Any) -> Any:
        from sudokucrypt.cli.pictures.manifest import Manifest
        from sudokucrypt.errors import SudokucryptError

        with pytest.raises(SudokucryptError, match="another run writes") as raised:
            Manifest(Path("done.jsonl"), "", resume=True, replace=False)
        seen.append(raised)
        return scramble_file(*arguments, **options)

    monkeypatch.setattr("sudokucrypt.recipes.scramble_file", nested)
    assert run("scramble", folder, "-o", "out", *MANIFEST, *KEY).code == 0
    assert len(seen) == 2


def test_lines_are_on_the_disk_before_the_next_input(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that stops loses the lines of what it works on, and no others."""
    del folder
    small_pictures(Path("many"), 12)
    flushed: list[int] = []
    sync = os.fsync

    def counted(descriptor: int) -> None:
        sync(descriptor)
        if os.path.samestat(os.fstat(descriptor), os.stat("done.jsonl")):
            flushed.append(len(lines()))

    monkeypatch.setattr(os, "fsync", counted)
    assert run("scramble", "many", "-o", "out", *MANIFEST, *KEY).code == 0
    assert flushed == list(range(1, 13))


def test_an_interrupt_keeps_the_lines(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C every result that was written has its line, and --resume makes the others."""
    lock, begun = threading.Lock(), [0]

    def interrupted(*arguments: Any, **options: Any) -> Any:
        with lock:
            begun[0] += 1
            if begun[0] == 5:
                raise KeyboardInterrupt
        return scramble_file(*arguments, **options)

    small_pictures(Path("many"), 30)
    arguments = ("scramble", "many", "-o", "out", "--jobs", "2", *MANIFEST, *KEY)
    with monkeypatch.context() as patch:
        patch.setattr("sudokucrypt.recipes.scramble_file", interrupted)
        assert run(*arguments).code == 130
    written = {f"out/{name}" for name in names(Path("out"))}
    assert {line["target"] for line in lines()} == written
    assert 0 < len(written) < 30
    done = run(*arguments, "--resume")
    assert f"{30 - len(written)} scrambled, {len(written)} already there, 0 failed" in done.err
    assert len(lines()) == 30


def test_a_manifest_is_never_encrypted(run: Run, folder: Path) -> None:
    """Where it lies among the inputs, it is left out, even with --all-files."""
    (folder / "list.jsonl").touch()
    done = run(
        "encrypt", folder, "--all-files", "-o", "out", "--manifest", folder / "list.jsonl", *KEY
    )
    assert done.code == 0
    assert "left out 1 result of this command: 'in/list.jsonl'" in done.err


def test_full_disks(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the manifest cannot be written, the run stops and says so."""
    sync = os.fsync

    def full(descriptor: int) -> None:
        sync(descriptor)
        if Path("done.jsonl").exists() and os.path.samestat(
            os.fstat(descriptor), os.stat("done.jsonl")
        ):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    done = run("scramble", folder, "-o", "out", *MANIFEST, *KEY)
    assert done.code == 1
    assert "cannot write the manifest 'done.jsonl': no space left" in done.err


def test_pipes_are_no_manifests(run: Run, folder: Path) -> None:
    """Reading a pipe could wait for ever."""
    os.mkfifo("pipe")
    done = run("scramble", folder, "-o", "out", "--manifest", "pipe", *KEY)
    assert done.code == 1
    assert "'pipe': it is not a regular file" in done.err


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "1/2/3", "x/2", "1/²"])
def test_parts_that_do_not_exist(run: Run, folder: Path, text: str) -> None:
    """--shard takes I/N with I in 1..N."""
    assert run("scramble", folder, "-o", "out", "--shard", text, *KEY).code == 2


def test_shards_cover_everything_once(run: Run, folder: Path) -> None:
    """The parts of a folder do not overlap, are everything together, and give the same names."""
    small_pictures(folder / "many", 40)
    (folder / "many" / "0007.bmp").write_bytes((folder / "deep" / "er" / "c.bmp").read_bytes())
    assert run("scramble", folder, "-r", "-o", "whole", *KEY).code == 0
    sources: list[str] = []
    for part in (1, 2, 3):
        arguments = ("--shard", f"{part}/3", "--manifest", f"{part}.jsonl")
        assert run("scramble", folder, "-r", "-o", "parts", *arguments, *KEY).code == 0
        sources += [line["source"] for line in lines(f"{part}.jsonl")]
    assert len(sources) == len(set(sources)) == 45
    assert names(Path("parts")) == names(Path("whole"))
    done = run("scramble", folder / "deep" / "er", "-o", "1", "--shard", "999/1000", *KEY)
    assert done.code == 0
    assert "0 scrambled, 0 failed" in done.err


def test_shards_are_even_and_the_same_everywhere(tmp_path: Path) -> None:
    """Parts differ little in size, and where a folder lies does not change them."""
    taken = []
    for root in (tmp_path / "here", tmp_path / "there"):
        root.mkdir()
        for number in range(400):
            (root / f"{number}.png").touch()
        search = Search(word="scrambled", shard=(2, 4))
        taken.append({item.source.name for item in find_items([root], search).items})
    assert taken[0] == taken[1]
    assert 70 < len(taken[0]) < 130

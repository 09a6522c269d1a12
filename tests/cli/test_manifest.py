"""--manifest lists finished inputs, --resume uses the list, and --shard divides the work."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt.cli.finding import FileSearch, find_items
from sudokucrypt.recipes import read_header
from sudokucrypt.recipes.operations import protect
from tests.cli.conftest import KEY, Run, read_manifest, write_small_pictures

MANIFEST = ("--manifest", "done.jsonl")


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_every_input_has_a_line(run: Run, folder: Path, jobs: str) -> None:
    """A manifest line has source and target with sizes, tag, mode and time, or the error."""
    (folder / "0.png").write_bytes(b"")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff and so on")
    run("encrypt", folder, "-o", "out", "--jobs", jobs, *MANIFEST, *KEY)
    lines_by_source = {line["source"]: line for line in read_manifest()}
    assert set(lines_by_source) == {
        f"in/{name}" for name in ("0.png", "a.png", "b.tif", "photo.jpg")
    }
    assert len(read_manifest()) == 4
    for source, line in lines_by_source.items():
        target = Path(line["target"])
        assert line["error"] is None
        assert line["mode"] == "file"
        assert line["source_bytes"] == Path(source).stat().st_size
        assert line["target_bytes"] == target.stat().st_size
        tag = read_header(target).tag
        assert tag is not None
        assert line["tag"] == tag.hex()
        assert 0 < line["seconds"] < 60
    run("decrypt out -o back --manifest back.jsonl", *KEY)
    lines_of_restoring = {line["source"]: line for line in read_manifest("back.jsonl")}
    assert {lines_of_restoring[line["target"]]["tag"] for line in read_manifest()} == {
        line["tag"] for line in read_manifest()
    }
    assert lines_of_restoring["out/photo.jpg.encrypted.png"]["target"] == "back/photo.jpg"
    assert lines_of_restoring["out/photo.jpg.encrypted.png"]["mode"] == "file"


def test_resume_does_not_read_listed_files(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--resume does not read listed files with unchanged sizes, and adds no lines for them."""
    arguments = ("scramble", folder, "-r", "-o", "out", *MANIFEST, *KEY)
    run(*arguments)
    manifest_data = Path("done.jsonl").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("sudokucrypt.recipes.operations.protect", os.abort)
        run(*arguments, "--resume", says="0 scrambled, 4 already there, 0 failed")
    assert Path("done.jsonl").read_bytes() == manifest_data
    Path("out/a.png.scrambled.png").unlink()
    damaged_result = Path("out/b.tif.scrambled.png")
    damaged_result.write_bytes(damaged_result.read_bytes()[:-1])
    run(*arguments, "--resume", code=6, says="1 scrambled, 2 already there, 1 failed")
    assert [line["source"] for line in read_manifest()[4:]] == ["in/a.png", "in/b.tif"]


def test_a_line_cut_by_a_crash_is_dropped(run: Run, folder: Path) -> None:
    """An incomplete last line, which a killed process left, is replaced."""
    arguments = ("scramble", folder, "-o", "out", *MANIFEST, *KEY)
    run(*arguments)
    manifest_data = Path("done.jsonl").read_bytes()
    for cut_data in (
        manifest_data[:-1],
        manifest_data[:-200],
        manifest_data[: manifest_data.index(b"\n") + 5],
    ):
        Path("done.jsonl").write_bytes(cut_data)
        run(*arguments, "--resume", says="0 scrambled, 2 already there, 0 failed")
        assert len({line["source"] for line in read_manifest()}) == len(read_manifest()) == 2


def test_one_run_at_a_time(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run with the same manifest is refused."""
    exit_codes: list[Any] = []

    def protect_amid_another(*arguments: Any, **options: Any) -> Any:
        from sudokucrypt.cli.pictures.manifest import Manifest
        from sudokucrypt.errors import SudokucryptError

        with pytest.raises(SudokucryptError, match="another run writes") as raised:
            Manifest(Path("done.jsonl"), "", resume=True, replace=False)
        exit_codes.append(raised)
        return protect(*arguments, **options)

    monkeypatch.setattr("sudokucrypt.recipes.operations.protect", protect_amid_another)
    run("scramble", folder, "-o", "out", *MANIFEST, *KEY)
    assert len(exit_codes) == 2


def test_lines_are_on_the_disk_before_the_next_input(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line of an input is flushed to disk before the next input begins."""
    del folder
    write_small_pictures(Path("many"), 12)
    flushed: list[int] = []
    sync = os.fsync

    def sync_and_count(descriptor: int) -> None:
        sync(descriptor)
        if os.path.samestat(os.fstat(descriptor), os.stat("done.jsonl")):
            flushed.append(len(read_manifest()))

    monkeypatch.setattr(os, "fsync", sync_and_count)
    run("scramble many -o out", *MANIFEST, *KEY)
    assert flushed == list(range(1, 13))


def test_full_disks(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the manifest cannot be written, the run stops with an error."""
    sync = os.fsync

    def full(descriptor: int) -> None:
        sync(descriptor)
        if Path("done.jsonl").exists() and os.path.samestat(
            os.fstat(descriptor), os.stat("done.jsonl")
        ):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    result = run("scramble", folder, "-o", "out", *MANIFEST, *KEY, code=1)
    assert "cannot write the manifest 'done.jsonl': no space left" in result.err


def test_shards_are_even_and_the_same_everywhere(tmp_path: Path) -> None:
    """Parts of --shard have similar sizes, and do not depend on the path of the folder."""
    selected_names = []
    for root in (tmp_path / "here", tmp_path / "there"):
        root.mkdir()
        for index in range(400):
            (root / f"{index}.png").touch()
        search = FileSearch(participle="scrambled", shard=(2, 4))
        selected_names.append({item.source.name for item in find_items([root], search).items})
    assert selected_names[0] == selected_names[1]
    assert 70 < len(selected_names[0]) < 130

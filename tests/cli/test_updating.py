"""`encrypt --update` writes results of changed files, keeps others, and prunes stale ones."""

import errno
import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import pytest

from sudokucrypt import Key, Passphrase, encrypt_file
from sudokucrypt.cli.pictures.threads import ThreadEngine
from sudokucrypt.cli.pictures.updating import Update
from tests.cli.conftest import KEY, Run, list_names
from tests.cli.test_files_of_any_kind import read_tree

UPDATE = ("encrypt", "in", "-r", "--all-files", "-o", "out", "--update")


def make_folder(count: int = 6) -> None:
    """Write files of different sizes in two folders, with old times."""
    generator = random.Random(3)  # noqa: S311 - contents, not secrets
    for index in range(count):
        path = Path("in", "ab"[index % 2], f"{index:03}.jpg")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(generator.randbytes(200 + 7 * index))
        os.utime(path, ns=(index, 1_600_000_000_000_000_000 + index))


def change_folder(count: int) -> set[str]:
    """Edit, rename, delete and touch files; return the names of results to write again."""
    files = sorted(Path("in").rglob("*.jpg"))
    group_size = count // 30
    edited_paths, renamed_paths, deleted_paths, touched_paths, swapped_paths = (
        files[start * group_size : (start + length) * group_size]
        for start, length in ((0, 2), (2, 1), (3, 1), (4, 1), (5, 2))
    )
    for path in edited_paths:
        path.write_bytes(path.read_bytes()[::-1] + b"!")
    new_paths = [path.rename(path.with_name(f"new {path.name}")) for path in renamed_paths]
    for path in deleted_paths:
        path.unlink()
    for path in touched_paths:
        path.touch()
    for first_path, second_path in zip(swapped_paths[::2], swapped_paths[1::2], strict=False):
        first_path.rename("aside")
        second_path.rename(first_path)
        Path("aside").rename(second_path)
    paired_paths = swapped_paths[: len(swapped_paths) // 2 * 2]
    changed_paths = (*edited_paths, *new_paths, *touched_paths, *paired_paths)
    return {f"{path.relative_to('in')}.encrypted.png" for path in changed_paths}


def require_same_as_restored(run: Run) -> None:
    """Decrypt all results, and fail unless the files are the same as those in the folder."""
    run("decrypt out -r -o back", *KEY)
    assert read_tree(Path("back")) == read_tree(Path("in"))


def test_repeated_changes_of_a_folder(run: Run) -> None:
    """After repeated changes, only results of changed files are written; all are restored."""
    make_folder(300)
    run(*UPDATE, *KEY, says="300 encrypted, 0 already there")
    old_results = read_tree(Path("out"))
    changes = change_folder(300)
    result = run(*UPDATE, *KEY)
    assert "20 results without original: " in result.err
    assert f"{len(changes)} encrypted, {290 - len(changes)} already there, 0 failed" in result.err
    new_results = read_tree(Path("out"))
    assert set(old_results) - set(new_results) == set()
    assert {name for name in new_results if old_results.get(name) != new_results[name]} == changes
    assert "300 encrypted" not in run(*UPDATE, *KEY).err
    result = run(*UPDATE, *KEY, "--prune", stdin=b"y\n")
    assert "remove 20 results without original? [y/N]: " in result.err
    assert "20 removed" in result.err
    assert "0 encrypted, 290 already there, 0 failed" in result.err
    assert all(new_results[name] == content for name, content in read_tree(Path("out")).items())
    require_same_as_restored(run)
    assert "without original" not in run(*UPDATE, *KEY, "--prune").err


@pytest.mark.slow
def test_killed_updates_come_to_the_same_end(run: Run) -> None:
    """After 30 kills, another run writes missing results and removes only stale ones."""
    make_folder(60)
    run(*UPDATE, *KEY)
    generator = random.Random(5)  # noqa: S311 - moments, not secrets
    command = [sys.executable, "-m", "sudokucrypt", *UPDATE, "--prune", "--yes", *KEY]
    kill_count = 0
    for round_number in range(30):
        if round_number % 5 == 0:
            change_folder(60)
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(generator.uniform(0.2, 0.9))
        process.kill()
        kill_count += process.wait() != 0
    assert kill_count > 3
    run(*UPDATE, "--prune", "--yes", *KEY)
    expected_results = {f"{path}.encrypted.png" for path in list_names(Path("in"))}
    assert {name for name in list_names(Path("out")) if "-part" not in name} == expected_results
    require_same_as_restored(run)


def test_only_contents_count_with_checksum(run: Run) -> None:
    """With --checksum, touched files are kept, and files with the old size and time are noticed."""
    make_folder()
    run(*UPDATE, *KEY)
    results_before = read_tree(Path("out"))
    path = Path("in/a/000.jpg")
    time_of_file = path.stat().st_mtime_ns
    Path("in/b/001.jpg").touch()
    path.write_bytes(bytes(path.stat().st_size))
    os.utime(path, ns=(0, time_of_file))
    run(*UPDATE, *KEY, says="1 encrypted, 5 already there")
    run(*UPDATE, "--checksum", *KEY, says="1 encrypted, 5 already there")
    results_after = read_tree(Path("out"))
    changed_names = {name for name in results_after if results_before[name] != results_after[name]}
    assert changed_names == {"a/000.jpg.encrypted.png", "b/001.jpg.encrypted.png"}
    Path("in/b/001.jpg").touch()
    run(*UPDATE, "--checksum", *KEY, says="0 encrypted, 6 already there")
    result = run("encrypt in -r --all-files -o out --resume", *KEY, code=6)
    assert "--update in place of --resume replaces results of files that changed" in result.err


def test_pruning_removes_only_results(run: Run) -> None:
    """Pruning removes only files that are results of this key with a name of this run."""
    make_folder()
    run(*UPDATE, *KEY)
    other_files = dict.fromkeys(("out/a/notes.txt", "out/a/004.jpg.encrypted.png.txt"), b"mine")
    for name, content in other_files.items():
        Path(name).write_bytes(content)
    Path("gone.jpg").write_bytes(b"gone")
    encrypt_file("gone.jpg", "out/a/gone.jpg.encrypted.png", Key(bytes(32)))
    encrypt_file("gone.jpg", "out/a/renamed.png", Key(bytes(range(32))))
    encrypt_file("gone.jpg", "out/a/pixels.jpg.encrypted.png", Passphrase("a word"))
    encrypt_file("photo.png", "out/a/p.png.encrypted.png", Key(bytes(range(32))), as_file=False)
    Path("out/a/link.encrypted.png").symlink_to("000.jpg.encrypted.png")
    Path("in/a/004.jpg").unlink()
    Path("in/a/002.jpg").unlink()
    Path("in/a/002.jpg").symlink_to("nowhere")  # an original exists
    files_before = read_tree(Path("out"))
    result = run(*UPDATE, *KEY, "--prune", "--yes", "--list", says="1 removed")
    assert "out/a/004.jpg.encrypted.png: result whose original is gone" in result.out
    files_after = read_tree(Path("out"))
    assert set(files_before) - set(files_after) == {"a/004.jpg.encrypted.png"}
    assert all(files_before[name] == content for name, content in files_after.items())


def test_results_of_another_folder_stay(run: Run) -> None:
    """A folder without results of the inputs is not pruned; removing most results is confirmed."""
    make_folder()
    run(*UPDATE, *KEY)
    names_before = list_names(Path("out"))
    Path("other").mkdir()
    Path("other/o.jpg").write_bytes(b"other")
    other_command = ("encrypt", "other", "-r", "-o", "out", "--update", "--prune", "--yes", *KEY)
    run(*other_command, says="none was removed, since the other results there are of no file")
    result = run(*other_command, stdin=b"n\n")
    assert "remove 6 results without original, more than there are with one? [y/N]: " in result.err
    assert "none was removed" in result.err
    assert list_names(Path("out")) == names_before | {"o.jpg.encrypted.png"}
    run(*other_command, stdin=b"y\n", says="6 removed")
    assert list_names(Path("out")) == {"o.jpg.encrypted.png"}


def test_the_only_file_may_be_renamed(run: Run) -> None:
    """The stale result of a renamed file is pruned, since a file has its size and time."""
    make_folder(1)
    run(*UPDATE, *KEY)
    Path("in/a/000.jpg").rename("in/a/new.jpg")
    run(*UPDATE, "--prune", "--yes", *KEY, says="1 removed")
    assert list_names(Path("out")) == {"a/new.jpg.encrypted.png"}


def test_nothing_is_removed_unasked(run: Run) -> None:
    """Without an answer, after a failure, and in dry runs, no stale result is removed."""
    make_folder()
    run(*UPDATE, *KEY)
    Path("in/a/004.jpg").unlink()
    files_before = read_tree(Path("out"))
    run(*UPDATE, *KEY, says="--prune removes them")
    run(*UPDATE, "--prune", *KEY, says="none was removed")
    result = run(*UPDATE, "--prune", "--yes", "--dry-run", *KEY, says="1 result without original")
    assert "in/a/000.jpg -> out/a/000.jpg.encrypted.png (exists, and is kept if" in result.out
    Path("in/a/000.jpg").touch()
    encrypt_file("photo.png", "out/a/000.jpg.encrypted.png", Key(bytes(32)), replace=True)
    files_before |= {"a/000.jpg.encrypted.png": read_tree(Path("out"))["a/000.jpg.encrypted.png"]}
    result = run(*UPDATE, "--prune", "--yes", *KEY, code=6)
    assert "none was removed, since not all inputs were encrypted" in result.err
    assert "exists, and is no result of this input and key: wrong key" in result.err
    assert "replace it with --force in place of --update" in result.err
    assert read_tree(Path("out")) == files_before


def test_results_next_to_inputs(run: Run) -> None:
    """Without -o, results next to the inputs are pruned together with their sidecars."""
    make_folder()
    update = ("encrypt", "in", "-r", "--update", "--sidecar", *KEY)
    run(*update, says="6 encrypted")
    run(*update, says="0 encrypted, 6 already there")
    Path("in/a/002.jpg.encrypted.png.sudokucrypt.json").unlink()
    Path("in/a/004.jpg.encrypted.png.sudokucrypt.json").write_text("{}")
    run(*update, says="1 encrypted, 5 already there")
    Path("in/a/000.jpg").unlink()
    Path("in/a/002.jpg").unlink()
    Path("in/a/002.jpg.encrypted.png.sudokucrypt.json").write_bytes(
        Path("in/a/004.jpg.encrypted.png.sudokucrypt.json").read_bytes()
    )
    run(*update, "--prune", "--yes", says="2 removed")
    assert {name for name in list_names(Path("in")) if name < "b" and "004" not in name} == {
        "a/002.jpg.encrypted.png.sudokucrypt.json"  # a sidecar of another picture
    }


def test_an_update_continues_a_manifest(run: Run) -> None:
    """An update appends lines to a manifest, also for kept results."""
    make_folder()
    update = (*UPDATE, "--manifest", "done.jsonl", *KEY)
    run(*update, says="6 encrypted")
    run(*update, says="0 encrypted, 6 already there")
    assert len(Path("done.jsonl").read_text().splitlines()) == 12


def test_one_file_and_several_jobs(run: Run) -> None:
    """A single file with a named result is updated, and a folder with several jobs."""
    command = ("encrypt", "photo.png", "-o", "x.png", "--update", *KEY)
    run(*command)
    result_data = Path("x.png").read_bytes()
    run(*command)
    assert Path("x.png").read_bytes() == result_data
    Path("photo.png").touch()
    run(*command)
    assert Path("x.png").read_bytes() != result_data
    make_folder()
    run(*UPDATE, *KEY)
    Path("in/a/000.jpg").touch()
    run(*UPDATE, "--jobs", "2", *KEY, says="1 encrypted, 5 already there")


def test_options_that_make_results_out_of_date(run: Run) -> None:
    """Other rounds or previews do not make a result out of date, but other padding does."""
    make_folder()
    run(*UPDATE, *KEY)
    for options in (("--rounds", "4"), ("--preview",), ("--checksum",)):
        run(*UPDATE, *options, *KEY, says="0 encrypted, 6 already there")
    run(*UPDATE, "--pad", *KEY, says="6 encrypted, 0 already there")
    run(*UPDATE, "--pad", *KEY, says="0 encrypted, 6 already there")
    run(*UPDATE, "--checksum", *KEY, says="6 encrypted, 0 already there")


def test_other_files_at_the_path_of_a_result_stay(run: Run) -> None:
    """Any other file, folder or link at the path of a result is an error, and is not changed."""
    make_folder(10)
    run(*UPDATE, *KEY)
    results = [Path(f"out/a/{index:03}.jpg.encrypted.png") for index in (0, 2, 4, 6, 8)]
    plain_file, folder, moved_file, short_file, link_path = results
    plain_file.write_bytes(b"mine")
    folder.unlink()
    folder.mkdir()
    moved_file.write_bytes(Path("out/b/001.jpg.encrypted.png").read_bytes())
    short_file.write_bytes(short_file.read_bytes()[:40])
    link_path.unlink()
    link_path.symlink_to("nowhere")
    Path("in/b/003.jpg").unlink()
    files_before = read_tree(Path("out"))
    result = run(*UPDATE, "--prune", "--yes", *KEY, code=6)
    assert "none was removed, since not all inputs were encrypted" in result.err
    for path in results:
        assert f"'{path}' exists, and is no result of this input and key: " in result.err
    assert read_tree(Path("out")) == files_before
    assert (folder.is_dir(), link_path.is_symlink()) == (True, True)


def test_folders_with_one_folder_of_results(run: Run) -> None:
    """With several input folders, files of all of them are originals; empty folders stay."""
    for name in ("one/x.txt", "two/sub/y.txt", "one/z.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)
    command = ("encrypt", "one", "two", "-r", "--all-files", "-o", "out", "--update", *KEY)
    run(*command)
    assert "without original" not in run(*command, "--prune", "--yes").err
    shutil.rmtree("two/sub")
    Path("two/w.txt").write_text("w")
    run(*command, "--prune", "--yes", says="1 removed")
    assert list_names(Path("out")) == {f"{name}.txt.encrypted.png" for name in "xzw"}
    assert Path("out/sub").is_dir()


def test_results_in_an_input_belong_to_no_other_folder(run: Run) -> None:
    """Results next to files are kept if the output is the folder above, or another input."""
    make_folder()
    run("encrypt in -r --all-files", *KEY)
    files_before = read_tree(Path("in"))
    command = (
        "encrypt",
        "in",
        "-r",
        "--all-files",
        "-o",
        ".",
        "--update",
        "--prune",
        "--yes",
        *KEY,
    )
    for _ in range(2):
        assert "removed" not in run(*command).err
    assert read_tree(Path("in")) == files_before
    Path("in/a/000.jpg").unlink()
    double_command = ("encrypt", "in", "in/a", "-r", "--all-files", "--update", *KEY)
    run(*double_command, says="note: 1 result without original")
    run(*double_command, "--prune", "--yes", says="1 removed")


@pytest.mark.parametrize("folder_state", ["empty", "inner", "link"])
def test_folders_without_their_disk(run: Run, folder_state: str) -> None:
    """If a folder is empty, as without its disk, pruning asks; if it is a broken link, it does not
    happen."""
    make_folder(30)
    Path("in/a/deep/deeper").mkdir(parents=True)
    for index in range(3):
        Path(f"in/a/deep/deeper/{index}.txt").write_bytes(b"%d" % index)
    run(*UPDATE, *KEY)
    shutil.rmtree("in/a/deep/deeper")
    if folder_state == "link":
        Path("in/a/deep").rmdir()
        Path("in/a/deep").symlink_to("/nowhere/at/all")
    elif folder_state == "empty":
        Path("in/a/deep/deeper").mkdir()
    names_before = list_names(Path("out"))
    result = run(*UPDATE, "--prune", "--yes", *KEY)
    assert list_names(Path("out")) == names_before
    if folder_state == "link":
        assert "without original" not in result.err
        return
    assert "remove 3 results without original, 3 of them of folders that are empty" in result.err
    assert "none was removed; answer y to remove them" in result.err
    run(*UPDATE, "--prune", "--yes", *KEY, stdin=b"y\n", says="3 removed")


def test_a_few_results_are_removed_without_asking(run: Run) -> None:
    """With --yes, up to three results are removed freely; more than remain are confirmed."""
    make_folder(8)
    run(*UPDATE, *KEY)
    for index in (2, 4, 6):
        Path(f"in/a/{index:03}.jpg").unlink()
    shutil.rmtree("in/b")
    result = run(*UPDATE, "--prune", "--yes", *KEY)
    assert "remove 7 results without original, more than there are with one?" in result.err
    assert "none was removed; answer y to remove them" in result.err
    shutil.rmtree("out/b")
    run(*UPDATE, "--prune", "--yes", *KEY, says="3 removed")
    assert list_names(Path("out")) == {"a/000.jpg.encrypted.png"}


def test_what_a_dry_run_says_of_failures(run: Run) -> None:
    """A dry run says that nothing would be removed if an input is missing."""
    make_folder()
    run(*UPDATE, *KEY)
    Path("in/a/000.jpg").unlink()
    Path("empty").mkdir()
    result = run("encrypt empty", *UPDATE[1:], "--prune", "--dry-run", *KEY)
    assert "none was removed, since not all inputs were encrypted" in result.err
    assert "would be removed" not in result.err


def test_results_that_cannot_be_removed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results that cannot be removed are named, with code 1; sidecars are removed first."""
    make_folder()
    update = (*UPDATE, "--sidecar", "--prune", "--yes", *KEY)
    run(*update)
    Path("in/a/000.jpg").unlink()
    unlink, result = Path.unlink, "000.jpg.encrypted.png"

    def refuse(self: Path, missing_ok: bool = False) -> None:
        if self.name == result:
            raise PermissionError(errno.EACCES, "Permission denied")
        unlink(self, missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        failed_result = run(*update, code=1)
    assert f"'out/a/{result}' was not removed: permission denied" in failed_result.err
    assert "0 removed" in failed_result.err
    assert not Path(f"out/a/{result}.sudokucrypt.json").exists()
    run(*update, says="1 removed")


def test_inputs_without_readable_status(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder whose files cannot be examined for renaming does not stop the update."""
    make_folder()
    run(*UPDATE, *KEY)
    Path("in/a/000.jpg").unlink()
    Path("out/a/002.jpg.encrypted.png").unlink()
    stat = os.stat

    def refuse(path: str | Path, **options: bool) -> os.stat_result:
        if str(path) == "in/a/002.jpg":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", refuse)
    result = run(*UPDATE, "--jobs", "1", *KEY, code=4)
    assert "0 encrypted, 4 already there, 1 failed" in result.err
    assert "cannot read 'in/a/002.jpg': permission denied" in result.err


def test_results_that_another_run_removes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stale result that another run has removed causes no message."""
    make_folder()
    run(*UPDATE, *KEY)
    Path("in/a/000.jpg").unlink()
    stale_result = Path("out/a/000.jpg.encrypted.png")
    deal_with_stale = Update.handle_stale_results

    def remove_before(self: Update, *, has_failures: bool, is_dry_run: bool = False) -> bool:
        _ = self.stale_results
        stale_result.unlink()
        return deal_with_stale(self, has_failures=has_failures, is_dry_run=is_dry_run)

    monkeypatch.setattr(Update, "handle_stale_results", remove_before)
    result = run(*UPDATE, "--prune", "--yes", *KEY)
    assert not stale_result.exists()
    assert "was not removed" not in result.err


def test_an_unanswered_question_removes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without stdin nothing is removed; Ctrl-C at the question ends the run."""
    make_folder()
    run(*UPDATE, *KEY)
    Path("in/a/000.jpg").unlink()
    command = [sys.executable, "-m", "sudokucrypt", *UPDATE, "--prune", *KEY]
    program = "import os, sys; os.close(0); os.execv(sys.executable, sys.argv[1:])"
    result = subprocess.run(
        [sys.executable, "-c", program, *command], stderr=subprocess.PIPE, text=True, check=True
    )
    assert "none was removed; --yes does not ask" in result.stderr

    def interrupt(*_: object, **__: object) -> bool:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise click.Abort from None
        return True

    monkeypatch.setattr(click, "confirm", interrupt)
    run(*UPDATE, "--prune", *KEY, code=130)
    assert Path("out/a/000.jpg.encrypted.png").exists()


def test_results_elsewhere_are_not_removed(run: Run) -> None:
    """Stale results in a store are not removed; the message says why."""
    pytest.importorskip("fsspec", reason="it comes with the extra 'cloud'")
    make_folder()
    update = ("encrypt", "in", "-r", "--all-files", "-o", "memory://up", "--update", *KEY)
    run(*update, says="6 encrypted")
    Path("in/a/000.jpg").unlink()
    for extra_options in ((), ("--dry-run",)):
        result = run(*update, "--prune", "--yes", *extra_options)
        assert "1 result without original" in result.err
        assert "none was removed, since they are not on this computer" in result.err


def test_a_stopped_update_can_be_continued(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped update prints how to continue, and has reported all kept results before."""
    make_folder()
    update = (*UPDATE, "--manifest", "done.jsonl", "--jobs", "1", *KEY)
    run(*update)
    Path("in/b/005.jpg").touch()

    def stop(self: ThreadEngine, tasks: Iterable[object]) -> Iterator[list[object]]:
        del self
        next(iter(tasks))
        raise KeyboardInterrupt
        yield []

    hidden_errors: list[object] = []
    with monkeypatch.context() as patch:
        patch.setattr(ThreadEngine, "run_tasks", stop)
        patch.setattr(sys, "unraisablehook", hidden_errors.append)
        result = run(*update, code=130)
        gc.collect()
    assert result.code == 130
    assert "stopped after 5 of 6; the same command goes on from there" in result.err
    assert len(Path("done.jsonl").read_text().splitlines()) == 11
    assert not hidden_errors
    run(*update, says="1 encrypted, 5 already there")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--prune",), "--prune is for --update"),
        (("--update", "--yes"), "--yes is for --prune"),
        (("--update", "--resume"), "choose one of them"),
        (("--checksum",), "add update"),
        (("--update", "--as", "pixels"), "encrypt files"),
        (("--update", "--strip-metadata"), "encrypt files"),
        (("--update", "--name", "{random}"), "cannot be found again"),
    ],
)
def test_refused_options(run: Run, options: tuple[str, ...], message: str) -> None:
    """Options that an update cannot have are refused before anything is written."""
    make_folder(2)
    run("encrypt in -r -o out", *options, *KEY, code=2, says=message)
    assert not Path("out").exists()


def test_results_for_recipients_need_a_key(run: Run) -> None:
    """An update without a key of the user's own, only with recipients, is refused."""
    run("keygen --identity -o own.txt")
    public_key = Path("own.txt").read_text().split("public key: ")[1].split()[0]
    make_folder(2)
    run(*UPDATE, "--to", public_key, code=2, says="only their recipients can open these")
    run(*UPDATE, "--to", public_key, *KEY)
    run(*UPDATE, "--to", public_key, *KEY, says="0 encrypted, 2 already there")
    run(*UPDATE, *KEY, says="2 encrypted, 0 already there")

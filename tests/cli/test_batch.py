"""Runs with many pictures: parallel jobs, unreadable files, Ctrl-C, and names of results."""

import os
import random
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from sudokucrypt import Key, encrypt_file, rekey_file, scramble_file, unscramble_file
from sudokucrypt.cli import finding
from sudokucrypt.cli.options import InputItem
from sudokucrypt.cli.pictures.batch_run import _run_several_inputs
from sudokucrypt.cli.pictures.job import Job, Naming, RunSettings
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome, Summary
from sudokucrypt.cli.pictures.threads import ThreadEngine
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import EmbeddedFile
from sudokucrypt.recipes import FileReport
from sudokucrypt.recipes.naming import make_safe_name
from sudokucrypt.recipes.operations import protect, restore
from sudokucrypt.recipes.options import DecryptOptions
from tests.cli.conftest import KEY, PICTURES, Run, list_names, read_manifest, write_small_pictures


@pytest.mark.parametrize("jobs", [1, 3])
def test_jobs_limits_pictures_in_memory(
    run: Run, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """With --jobs N, exactly N pictures are processed at a time."""
    running_count = max_running = 0
    lock = threading.Lock()

    def protect_and_count(*arguments: Any, **options: Any) -> Any:
        nonlocal running_count, max_running
        with lock:
            running_count += 1
            max_running = max(max_running, running_count)
        time.sleep(0.01)
        try:
            return protect(*arguments, **options)
        finally:
            with lock:
                running_count -= 1

    monkeypatch.setattr("sudokucrypt.recipes.operations.protect", protect_and_count)
    write_small_pictures(Path("in"), 9)
    run("scramble in -o out --jobs", str(jobs), *KEY)
    assert max_running == jobs


# Permission errors are simulated, since the superuser may read every file.


def refuse_some(
    function: Callable[..., Any], is_refused: Callable[[Path], bool]
) -> Callable[..., Any]:
    """Return a function of the system that denies permission for some paths."""

    def call_or_refuse(path: Any, *arguments: Any, **options: Any) -> Any:
        if not isinstance(path, int) and is_refused(Path(path)):
            raise PermissionError(13, "Permission denied", str(path))
        return function(path, *arguments, **options)

    return call_or_refuse


def test_unreadable_folders_are_listed(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unreadable folder is reported, since its pictures are not protected."""
    refusing_scandir = refuse_some(os.scandir, lambda path: path.name == "deep")
    monkeypatch.setattr(os, "scandir", refusing_scandir)
    result = run("encrypt", folder, "-r", "-o", "out", *KEY, code=4)
    assert "cannot read the folder 'in/deep': permission denied" in result.err
    assert list_names(Path("out")) == {"a.png.encrypted.png", "b.tif.encrypted.png"}
    run("encrypt", folder / "deep", *KEY, code=4)


def test_folders_that_are_too_deep(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder at too great depth is an error; files in the folders above it are processed."""
    monkeypatch.setattr(finding, "MAX_DEPTH", 2)
    Path("in/1/2/3/4").mkdir(parents=True)
    for folder in ("1/2", "1/2/3", "1/2/3/4"):
        shutil.copy("photo.png", f"in/{folder}")
    result = run("encrypt in -r -o safe", *KEY, code=4)
    assert "'in/1/2/3': more than 2 folders deep; name it in the command" in result.err
    assert list_names(Path("safe/1/2")) == {"photo.png.encrypted.png"}
    run("encrypt in/1/2/3 -r -o safe", *KEY)


def test_folders_that_only_list_names(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in a folder that can be listed but not entered are errors; others are processed."""
    for name in ("in/names/a.png", "in/names/deep/b.png", "in/open.png"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy("photo.png", name)
    for name in ("stat", "lstat", "scandir"):
        refusing_function = refuse_some(getattr(os, name), lambda path: "in/names/" in str(path))
        monkeypatch.setattr(os, name, refusing_function)
    result = run("encrypt in -r -o safe", *KEY, code=4)
    assert "cannot read 'in/names/a.png': permission denied" in result.err
    assert "cannot read the folder 'in/names/deep': permission denied" in result.err
    assert "1 encrypted, 2 failed" in result.err


def test_unreadable_files(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unreadable file is an error: as the only input, in a folder, and among named files."""
    Path("in").mkdir()
    for name in ("closed.png", "open.png"):
        shutil.copy("photo.png", f"in/{name}")
    refusing_open = refuse_some(os.open, lambda path: path.name == "closed.png")
    monkeypatch.setattr(os, "open", refusing_open)
    result = run("encrypt in/closed.png -o out.png", *KEY, code=4)
    assert not Path("out.png").exists()
    message = "cannot read 'in/closed.png': permission denied"
    assert result.err == f"sudokucrypt: error: {message}\n"
    run("encrypt in -o safe", *KEY, code=4, says="'in/closed.png'")
    assert list_names(Path("safe")) == {"open.png.encrypted.png"}
    Path("one").mkdir()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "closed.png")
    run("encrypt in/closed.png in/open.png -o one", *KEY, code=4, says=message)
    assert list_names(Path("one")) == {"open.png.encrypted.png"}


def test_an_interrupt_cancels_what_has_not_begun(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C, only begun files are finished and counted; --resume makes the others."""
    started_jobs: list[int] = []
    lock = threading.Lock()

    def protect_or_interrupt(*arguments: Any, **options: Any) -> Any:
        with lock:
            started_jobs.append(len(started_jobs))
            count = len(started_jobs)
        if count == 3:
            raise KeyboardInterrupt
        if count > 3:
            time.sleep(0.3)
        return protect(*arguments, **options)

    write_small_pictures(Path("in"), 30)
    arguments = ("scramble", "in", "-o", "out", "--manifest", "done.jsonl", *KEY)
    with monkeypatch.context() as patch:
        patch.setattr("sudokucrypt.recipes.operations.protect", protect_or_interrupt)
        result = run(*arguments, code=130)
    assert len(started_jobs) < 10
    written_paths = {f"out/{name}" for name in list_names(Path("out"))}
    assert {line["target"] for line in read_manifest()} == written_paths
    assert f"stopped after {len(written_paths)} of 30; --resume goes on from there" in result.err
    result = run(*arguments, "--resume")
    assert (
        f"{30 - len(written_paths)} scrambled, {len(written_paths)} already there, 0 failed"
        in result.err
    )
    assert len(read_manifest()) == 30


def test_reasons_are_in_the_order_of_the_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    """A summary lists reasons in the order of the inputs, in whatever order these finish."""
    summary = Summary("encrypted")
    reasons, dropped_names = ("lossless PNG", "lossless GIF"), (("x", "y"), ("y", "x"))
    reports = [
        FileReport(shape=(1, 1), pixels_because=reason, dropped=names)
        for reason, names in zip(reasons, dropped_names, strict=True)
    ]
    for index in (1, 0):
        summary.add(index, Outcome(source=str(index), result=reports[index]))
    summary.print_summary(is_resumed=False)
    printed_text = capsys.readouterr().err
    assert printed_text.index("(lossless PNG)") < printed_text.index("(lossless GIF)")
    assert "not carried over from some: x, y" in printed_text


def test_short_names_do_not_split_groups_of_failures(capsys: pytest.CaptureFixture[str]) -> None:
    """Failures that differ only in input names are one group, even for names such as "a"."""
    summary = Summary("encrypted")
    for index, name in enumerate("acip"):
        failure = Failure.from_error(SudokucryptError(f"'in/{name}' is not a picture"))
        summary.add(index, Outcome(source=f"in/{name}", result=failure))
    summary.print_summary(is_resumed=False)
    printed_text = capsys.readouterr().err
    assert "error: 'in/a' is not a picture\n" in printed_text
    assert "error: the same for 3 more inputs: 'in/c', 'in/i', 'in/p'\n" in printed_text


def test_results_that_cannot_be_written_take_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk, equal failures of many inputs are printed once, without result names."""

    def fill(self: Job, item: InputItem, **options: object) -> Outcome:
        del self, options
        source = str(item.source)
        error = SudokucryptError(f"cannot write 'out/{item.source.name}.encrypted.png': disk full")
        return Outcome(source=source, result=Failure.from_error(error))

    write_small_pictures(Path("in"), 5)
    monkeypatch.setattr(Job, "find_outcome", fill)
    result = run("encrypt in -o out", *KEY, code=1)
    assert "error: the same for 4 more inputs: 'in/0001.png', " in result.err
    assert result.err.count("disk full") == 1


# The name of a result depends only on the name of its input, not on files next to it.


# Names that cameras, phones, programs or jokers put into the same folder.
FAMILIES = (
    ("IMG_1.JPG", "IMG_1.CR3", "IMG_1.heic", "IMG_1.jpg", "img_1.jpg", "IMG_1.JPG.xmp"),
    ("photo.png", "photo.png.encrypted.png", "photo.encrypted.png", "photo.scrambled.png", "photo"),
    ("photo.png.encrypted.png.encrypted.png", "photo.png.encrypted.png", "photo.png.rekeyed.png"),
    ("README", "README.md", "Makefile", "a.", "a", "a.b", "a.b.c", "a..b"),
    (".hidden", ".hidden.png", "hidden", "hidden.png", ".encrypted.png", "encrypted.png"),
    ("\u00e9.jpg", "e\u0301.jpg", "\u00c9.JPG", "stra\u00dfe.txt", "STRASSE.txt", "strasse.TXT"),
    ("{name}.txt", "%s.png", "a b.png", " a.png", "~a", "$a.png", "'a'.png"),
    ("x" * 250 + ".jpg", "x" * 250 + ".cr3", "x" * 250, "\u00e9" * 125 + ".tif"),
    ("\u0645\u06cc\u200c\u062e\u0648.txt", "\u0645\u06cc\u062e\u0648.txt"),
    ("Thumbs.db.txt", "desktop.ini.bak", "b.redaction.txt", "b.sudokucrypt.json.txt"),
)  # fmt: skip
FOLDERS = ("", "in", "in/deep", "IN", ".in", "photo.png.d")


def make_folder(root: Path, seed: int) -> dict[str, bytes]:
    """Fill a folder with files of several families of names; many have the same content."""
    generator = random.Random(seed)  # noqa: S311 - a folder, no secret
    picture = (PICTURES / "camera.png").read_bytes()
    contents = (b"", b"equal", b"other", picture[:2000], picture[:33])
    files: dict[str, bytes] = {}
    for family in generator.sample(FAMILIES, 3):
        folder = generator.choice(FOLDERS)
        for name in generator.sample(family, generator.randrange(1, len(family) + 1)):
            files[str(Path(folder, name))] = generator.choice(contents)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return files


def make_result_name(name: str) -> str:
    """Return the name of a result; the end of a long name is cut."""
    path = Path(name)
    full_name = f"{path.name}.encrypted.png"
    return str(path.with_name(full_name)) if len(full_name.encode()) <= 255 else name


@pytest.mark.parametrize(
    "seed", [*range(9), *(pytest.param(n, marks=pytest.mark.nightly) for n in range(9, 60))]
)
def test_names_do_not_depend_on_neighbors(run: Run, seed: int) -> None:
    """Result names are unique and the same for a folder, for single files, and in any order."""
    files = make_folder(Path("in"), seed)
    generator = random.Random(seed)  # noqa: S311 - an order, no secret
    short_names = {make_result_name(name) for name in files if make_result_name(name) != name}
    folder_results = ("-r", "--all-files", *KEY)
    run("encrypt in", *folder_results, "-o", "safe")
    results = list_names(Path("safe"))
    assert len(results) == len(files)
    assert short_names <= results
    run("encrypt in", *folder_results, "-o", "safe", "--resume")
    assert list_names(Path("safe")) == results
    shuffled_names = generator.sample(sorted(files), len(files))
    for name in shuffled_names[:2]:  # each file alone, in a folder without other files
        run("encrypt", Path("in", name), "-o", f"one/{Path(name).parent}/", *KEY)
    for folder in {str(Path(name).parent) for name in shuffled_names}:
        some_names = [
            Path("in", name) for name in shuffled_names if str(Path(name).parent) == folder
        ]
        resume = ["--resume"] * (generator.random() < 0.5 or len(list_names(Path("one"))) > 0)
        run("encrypt", *some_names, "-o", f"one/{folder}/", *resume, *KEY)
    assert list_names(Path("one")) == results
    run("decrypt safe -r -o back", *KEY)
    assert {name: Path("back", name).read_bytes() for name in list_names(Path("back"))} == {
        str(Path(name).with_name(make_safe_name(Path(name).name))): content
        for name, content in files.items()
    }


def test_commands_that_undo_drop_what_was_added(tmp_path: Path) -> None:
    """Restoring removes the suffix of the command; a renamed file keeps its complete name."""
    key, new_key = Key(bytes(32)), Key(bytes(range(32)))
    picture = tmp_path / "a.b.PNG"
    picture.write_bytes((PICTURES / "camera.png").read_bytes())
    scrambled_path = scramble_file(picture, None, key).target
    rekeyed_path = rekey_file(scrambled_path, None, key, new_key).target  # type: ignore[arg-type] # a path
    restored_path = unscramble_file(scrambled_path, None, key).target  # type: ignore[arg-type] # a path
    assert [path and path.name for path in (scrambled_path, rekeyed_path, restored_path)] == [
        "a.b.PNG.scrambled.png",
        "a.b.PNG.rekeyed.png",
        "a.b.PNG.restored.png",
    ]


def test_the_first_input_gets_a_name(run: Run) -> None:
    """If two inputs have the same result name, the first one gets it, with any number of jobs."""
    for folder in "abc":
        Path(folder).mkdir()
        Path(folder, "x.png").write_bytes(folder.encode())
    for jobs in "13":
        results = Path(f"out{jobs}")
        result = run("encrypt b a c --all-files -o", results, "--jobs", jobs, *KEY, code=2)
        assert result.err.count(f"another input is written to '{results}/x.png.encrypted.png'") == 2
        assert "'b/x.png'" not in result.err
        run("decrypt", results, "-o", f"back{jobs}", *KEY)
        assert Path(f"back{jobs}", "x.png").read_bytes() == b"b"


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_equal_contents_under_one_sealed_name(run: Run, jobs: str) -> None:
    """Equal files with the same sealed name are restored as one file; others are errors."""
    key = Key.from_file("my.key")
    for folder, content in (("same", b"a"), ("same", b"a"), ("other", b"b"), ("other", b"c")):
        Path(folder).mkdir(exist_ok=True)
        Path("note.txt").write_bytes(content)
        encrypt_file("note.txt", f"{folder}/{len(list_names(Path(folder)))}.png", key)
    for resume in ([], ["--resume"]):
        result = run("decrypt same -o back --jobs", jobs, *resume, *KEY)
        assert "already there, 0 failed" in result.err
        assert list_names(Path("back")) == {"note.txt"}
        assert Path("back", "note.txt").read_bytes() == b"a"
    run("decrypt same -o back", *KEY, code=6)
    failed_result = run("decrypt other -o two --jobs", jobs, *KEY, code=2)
    assert "another input is written to 'two/note.txt' too" in failed_result.err
    assert list_names(Path("two")) == {"note.txt"}


@pytest.mark.parametrize(
    ("modes_and_kept", "failure_count"),
    [
        ((("file", True), ("file", False)), 0),  # the copy finishes first
        ((("file", False), ("file", True)), 0),
        ((("file", True), ("file", True), ("file", False), ("file", True)), 0),
        ((("file", False), ("file", False)), 1),
        ((("file", True), ("file", False), ("file", False)), 1),
        ((("file", True), ("pixels", False)), 1),
        ((("pixels", True), ("file", False)), 1),
    ],
)
def test_copies_are_reported_in_any_order(
    modes_and_kept: tuple[tuple[str, bool], ...], failure_count: int
) -> None:
    """Of several outcomes with one target, at most one may be a written file, in any order."""
    items = [InputItem(Path(str(index))) for index in range(len(modes_and_kept))]
    file, target = EmbeddedFile(name="note.txt", size=1), Path("note.txt")
    reports = [
        FileReport(shape=(1, 1), target=target, kept=is_kept, file=file if mode == "file" else None)
        for mode, is_kept in modes_and_kept
    ]
    outcomes = [
        (index, Outcome(source=str(index), result=report)) for index, report in enumerate(reports)
    ]
    engine = Mock(spec=ThreadEngine)
    engine.run_tasks.return_value = [[outcome] for outcome in outcomes]
    work = RunSettings(recipe=restore, options=DecryptOptions(), secret_options=(), keys=())
    job = Job(work=work, naming=Naming(), items=items)
    summary = _run_several_inputs(job, "decrypted", engine, None, None, {})
    assert (len(summary.failures), summary.count) == (failure_count, len(modes_and_kept))


@pytest.mark.parametrize("name_pair", [("Note.txt", "note.TXT"), ("\u00e9.txt", "e\u0301.txt")])
def test_names_that_a_file_system_does_not_distinguish(
    run: Run, monkeypatch: pytest.MonkeyPatch, name_pair: tuple[str, str]
) -> None:
    """If two result names differ only by case or form, one input is an error, before any write."""
    Path("in").mkdir()
    Path("out").mkdir()
    for name in name_pair:
        Path("in", name).write_text(name, encoding="utf-8")
    monkeypatch.setattr("sudokucrypt.recipes.sinks.ignores_case", Path.is_dir)
    run("encrypt in --all-files -o out", *KEY, code=2, says="another input is written to")
    first_name = min(name_pair)
    assert list_names(Path("out")) == {f"{first_name}.encrypted.png"}

"""Names of results follow from the names of their inputs, whatever is next to them."""

import random
from pathlib import Path
from unittest.mock import Mock

import pytest

from sudokucrypt import Key, encrypt_file, rekey_file, scramble_file, unscramble_file
from sudokucrypt.cli.options import Item
from sudokucrypt.cli.pictures.batch_run import _run_several
from sudokucrypt.cli.pictures.job import Threads
from sudokucrypt.cli.pictures.outcomes import Outcome
from sudokucrypt.images import EmbeddedFile
from sudokucrypt.recipes import FileReport
from sudokucrypt.recipes.sinks import safe_name
from tests.cli.conftest import KEY, PICTURES, Run, names

# Names that one camera, phone, program or joker puts into one folder.
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
    """Fill a folder with some families of names; many files have equal contents."""
    rng = random.Random(seed)  # noqa: S311 - a folder, no secret
    picture = (PICTURES / "camera.png").read_bytes()
    contents = (b"", b"equal", b"other", picture[:2000], picture[:33])
    files: dict[str, bytes] = {}
    for family in rng.sample(FAMILIES, 3):
        folder = rng.choice(FOLDERS)
        for name in rng.sample(family, rng.randrange(1, len(family) + 1)):
            files[str(Path(folder, name))] = rng.choice(contents)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return files


def result_name(name: str) -> str:
    """Return the name of the result, which says everything but the end of a long name."""
    path = Path(name)
    full = f"{path.name}.encrypted.png"
    return str(path.with_name(full)) if len(full.encode()) <= 255 else name


@pytest.mark.parametrize(
    "seed", [*range(9), *(pytest.param(n, marks=pytest.mark.nightly) for n in range(9, 60))]
)
def test_names_do_not_depend_on_neighbors(run: Run, seed: int) -> None:
    """A folder gives one name for each file: at once, again, file by file, and in any order."""
    files = make_folder(Path("in"), seed)
    rng = random.Random(seed)  # noqa: S311 - an order, no secret
    short = {result_name(name) for name in files if result_name(name) != name}
    whole = ("-r", "--all-files", *KEY)
    assert run("encrypt", "in", *whole, "-o", "safe").code == 0
    results = names(Path("safe"))
    assert len(results) == len(files)
    assert short <= results
    assert run("encrypt", "in", *whole, "-o", "safe", "--resume").code == 0
    assert names(Path("safe")) == results
    order = rng.sample(sorted(files), len(files))
    for name in order[:2]:  # each by itself, where nothing is next to it
        assert run("encrypt", Path("in", name), "-o", f"one/{Path(name).parent}/", *KEY).code == 0
    for folder in {str(Path(name).parent) for name in order}:
        some = [Path("in", name) for name in order if str(Path(name).parent) == folder]
        resume = ["--resume"] * (rng.random() < 0.5 or len(names(Path("one"))) > 0)
        assert run("encrypt", *some, "-o", f"one/{folder}/", *resume, *KEY).code == 0
    assert names(Path("one")) == results
    assert run("decrypt", "safe", "-r", "-o", "back", *KEY).code == 0
    assert {name: Path("back", name).read_bytes() for name in names(Path("back"))} == {
        str(Path(name).with_name(safe_name(Path(name).name))): data for name, data in files.items()
    }


def test_commands_that_undo_drop_what_was_added(tmp_path: Path) -> None:
    """Names do not grow; a file that was renamed keeps all of its name."""
    key, other = Key(bytes(32)), Key(bytes(range(32)))
    picture = tmp_path / "a.b.PNG"
    picture.write_bytes((PICTURES / "camera.png").read_bytes())
    made = scramble_file(picture, None, key).target
    changed = rekey_file(made, None, key, other).target  # type: ignore[arg-type] # a path
    restored = unscramble_file(made, None, key).target  # type: ignore[arg-type] # a path
    assert [path and path.name for path in (made, changed, restored)] == [
        "a.b.PNG.scrambled.png",
        "a.b.PNG.rekeyed.png",
        "a.b.PNG.restored.png",
    ]


def test_the_first_input_gets_a_name(run: Run) -> None:
    """Where two inputs lead to one name, the first one has it, with any number of jobs."""
    for folder in "abc":
        Path(folder).mkdir()
        Path(folder, "x.png").write_bytes(folder.encode())
    for jobs in "13":
        out = Path(f"out{jobs}")
        result = run("encrypt", "b", "a", "c", "--all-files", "-o", out, "--jobs", jobs, *KEY)
        assert result.code == 2
        assert result.err.count(f"another input is written to '{out}/x.png.encrypted.png'") == 2
        assert "'b/x.png'" not in result.err
        assert run("decrypt", out, "-o", f"back{jobs}", *KEY).code == 0
        assert Path(f"back{jobs}", "x.png").read_bytes() == b"b"


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_equal_contents_under_one_sealed_name(run: Run, jobs: str) -> None:
    """Copies of one file are restored once, as earlier versions made them; others are errors."""
    key = Key.from_file("my.key")
    for folder, content in (("same", b"a"), ("same", b"a"), ("other", b"b"), ("other", b"c")):
        Path(folder).mkdir(exist_ok=True)
        Path("note.txt").write_bytes(content)
        encrypt_file("note.txt", f"{folder}/{len(names(Path(folder)))}.png", key)
    for resume in ([], ["--resume"]):
        result = run("decrypt", "same", "-o", "back", "--jobs", jobs, *resume, *KEY)
        assert (result.code, names(Path("back"))) == (0, {"note.txt"})
        assert Path("back", "note.txt").read_bytes() == b"a"
        assert "already there, 0 failed" in result.err
    assert run("decrypt", "same", "-o", "back", *KEY).code == 6
    result = run("decrypt", "other", "-o", "two", "--jobs", jobs, *KEY)
    assert result.code == 2
    assert "another input is written to 'two/note.txt' too" in result.err
    assert names(Path("two")) == {"note.txt"}


@pytest.mark.parametrize(
    ("order", "failed"),
    [
        ((("file", True), ("file", False)), 0),  # the copy is reported first
        ((("file", False), ("file", True)), 0),
        ((("file", True), ("file", True), ("file", False), ("file", True)), 0),
        ((("file", False), ("file", False)), 1),
        ((("file", True), ("file", False), ("file", False)), 1),
        ((("file", True), ("pixels", False)), 1),
        ((("pixels", True), ("file", False)), 1),
    ],
)
def test_copies_are_reported_in_any_order(order: tuple[tuple[str, bool], ...], failed: int) -> None:
    """Of outcomes with one target, all may be kept files but one that was written as a file."""
    items = [Item(Path(str(index))) for index in range(len(order))]
    file = EmbeddedFile(name="note.txt", size=1)
    done = [
        (
            index,
            Outcome(
                source=str(index),
                result=FileReport(
                    shape=(1, 1),
                    target=Path("note.txt"),
                    kept=kept,
                    file=file if mode == "file" else None,
                ),
            ),
        )
        for index, (mode, kept) in enumerate(order)
    ]
    engine = Mock(spec=Threads)
    engine.outcomes.return_value = [[each] for each in done]
    summary = _run_several(items, "decrypted", engine, None, None, {})
    assert (len(summary.failures), summary.count) == (failed, len(order))


@pytest.mark.parametrize("pair", [("Note.txt", "note.TXT"), ("\u00e9.txt", "e\u0301.txt")])
def test_names_that_a_file_system_takes_for_one(
    run: Run, monkeypatch: pytest.MonkeyPatch, pair: tuple[str, str]
) -> None:
    """One of them is an error before anything is written for it."""
    Path("in").mkdir()
    Path("out").mkdir()
    for name in pair:
        Path("in", name).write_text(name, encoding="utf-8")
    monkeypatch.setattr("sudokucrypt.recipes.sinks.ignores_case", Path.is_dir)
    result = run("encrypt", "in", "--all-files", "-o", "out", *KEY)
    assert result.code == 2
    assert "another input is written to" in result.err
    first = min(pair)
    assert names(Path("out")) == {f"{first}.encrypted.png"}

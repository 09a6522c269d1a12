"""Every sample runs and says what its README promises."""

import json
import random
import re
import runpy
import shlex
import subprocess
import sys
from contextlib import closing
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from pypdfium2 import PdfDocument

from sudokucrypt import Key, encrypt_bytes, read_header, redactions
from sudokucrypt.cli.program import cli
from sudokucrypt.sudoku import Level, SudokuPuzzle, is_unique, make_puzzle, solve
from tests.reports.test_table_layout import check_environments

SAMPLES = Path(__file__).parent.parent / "samples"


def run(script: str, *arguments: str, cwd: Path, code: int = 0) -> str:
    """What a sample prints; it ends with this exit code."""
    program = ["sh"] if script.endswith(".sh") else [sys.executable, "-W", "error"]
    command = [*program, str(SAMPLES / script), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    assert result.returncode == code, result.stderr
    return result.stdout


def list_commands(sample: str) -> list[str]:
    """The lines to type that the README of a sample shows first."""
    readme = (SAMPLES / sample / "README.md").read_text(encoding="utf-8")
    return readme.partition("```sh\n")[2].partition("```")[0].splitlines()


def run_command(line: str) -> str:
    """What a command of ours prints; it runs in this process, which has imported much already."""
    result = CliRunner().invoke(cli, shlex.split(line)[1:])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize(
    "picture",
    [
        "astronaut.png",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("camera.png", "chelsea.jpg")),
    ],
)
def test_first_picture(tmp_path: Path, picture: str) -> None:
    """The tour restores exactly, shows both errors, and finds each channel uncorrelated."""
    printed = run(
        "first_picture/first_picture.py", str(SAMPLES / "pictures" / picture), cwd=tmp_path
    )
    assert "restored exactly: True" in printed
    after = printed.partition("neighbors after: ")[2].partition("\n")[0].split()
    assert len(after) == (1 if picture == "camera.png" else 3)
    assert all(abs(float(channel)) < 0.03 for channel in after)  # over six standard deviations
    assert "another key: wrong key: the picture needs key" in printed
    assert "one bit: wrong key, or the picture" in printed
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_command_line_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tour restores exactly, by file and by pipe, and another key writes nothing."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    picture = SAMPLES / "pictures" / "astronaut.png"
    run("command_line_tour/tour.sh", str(picture), "tour", cwd=tmp_path)
    plain = np.asarray(Image.open(picture))
    for name in ("restored", "decrypted"):
        assert np.array_equal(np.asarray(Image.open(tmp_path / f"tour/{name}.png")), plain)
    assert not (tmp_path / "tour/wrong.png").exists()


def test_grid_moves_pixels(tmp_path: Path) -> None:
    """Each map keeps what its name says, the inverse restores, and the picture is the sample's."""
    script = "grid_moves_pixels/grid_moves_pixels.py"
    picture = str(SAMPLES / "pictures" / "chelsea.jpg")
    printed = run(script, picture, "result.png", cwd=tmp_path).splitlines()
    assert printed[0].startswith("by row and digit, the middle goes to r5c")
    assert printed[1].startswith("by digit and column, the middle goes to r")
    assert printed[1].endswith("c5")
    assert printed[2].startswith("by block and digit, the middle goes to r5c")  # the fifth box
    assert printed[3] == "restored exactly: True"
    drawn = np.asarray(Image.open(tmp_path / "result.png"))
    assert np.array_equal(drawn, np.asarray(Image.open((SAMPLES / script).with_name("result.png"))))
    assert len((SAMPLES / script).read_text(encoding="utf-8").splitlines()) <= 40


def test_numpy_use(tmp_path: Path) -> None:
    """Every line that the script verifies is true."""
    printed = run("numpy_use/numpy_use.py", "48", cwd=tmp_path)
    assert printed.count("True") == 4
    assert "False" not in printed
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_batch_with_progress(tmp_path: Path) -> None:
    """Every picture gets a result of its own, and one that is protected already stops nothing."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    Image.new("RGB", (9, 7)).save(pictures / "good.png")
    Image.new("L", (5, 5)).save(pictures / "gray.bmp")
    Image.new("RGB", (5, 5)).save(pictures / "photo.jpg")
    Image.new("RGB", (5, 5)).save(pictures / "photo.png")
    (pictures / "bad.png").write_bytes(encrypt_bytes(b"", Key.generate()))
    Key.generate().to_file(tmp_path / "my.key")
    batch = ("batch_with_progress/batch_with_progress.py", "pictures", "safe", "my.key")
    printed = run(*batch, cwd=tmp_path, code=1)
    assert "bad.png: " in printed
    assert "4 encrypted, 0 already there, 1 failed" in printed
    (pictures / "bad.png").unlink()
    assert "0 encrypted, 4 already there" in run(*batch, cwd=tmp_path)


def test_protected_results_are_of_this_version() -> None:
    """The headers of results that samples show can be read, as those of users can."""
    results = {path: path.read_bytes() for path in SAMPLES.glob("*/result.*")}
    redacted = [path for path, data in results.items() if b'{"redaction":' in data]
    assert {path.parent.name for path in redacted} == {"covered_scene", "hidden_faces"}
    assert all(redactions(path).layers for path in redacted)
    held = [path for path in results if b'{"sudokucrypt":' in results[path]]
    held = [path for path in held if path not in redacted]
    assert {path.parent.name for path in held} == {"jpeg_stays_jpeg"}
    for path in held:
        assert read_header(path).key_id


@pytest.mark.slow
def test_hidden_faces(tmp_path: Path) -> None:
    """The face of the astronaut is found, and the very file is restored."""
    picture = str(SAMPLES / "pictures" / "astronaut.png")
    printed = run("hidden_faces/hidden_faces.py", picture, "h.png", "r.png", cwd=tmp_path)
    assert "face at row" in printed
    assert printed.count("True") == 1


def test_covered_scene(tmp_path: Path) -> None:
    """Each key gives back its own areas, both give all but what is gone, and a stranger nothing."""
    picture = SAMPLES / "pictures" / "astronaut.png"
    printed = run("covered_scene/covered_scene.py", str(picture), "p.png", ".", cwd=tmp_path)
    assert "desk: lifted face\nlawyers: lifted badges\nboth: lifted face and badges" in printed
    assert "a stranger: no layer opens" in printed
    held = SAMPLES / "covered_scene" / "result.png"
    names = (picture, tmp_path / "both.png", tmp_path / "p.png", tmp_path / "desk.png", held)
    plain, both, shown, desk, result = (
        np.asarray(Image.open(path).convert("RGB")) for path in names
    )
    changed = (plain != both).any(axis=2)
    assert changed[:150, 178:234].any()
    changed[:150, 178:234] = False
    assert not changed.any()
    assert not shown[34:96, 84:144].any()
    assert np.array_equal(desk[34:96, 84:144], plain[34:96, 84:144])
    assert not desk[168:192, 138:166].any()
    assert np.array_equal(shown, result)


def test_jpeg_stays_jpeg(tmp_path: Path) -> None:
    """A scrambled photo is a JPEG of its size, and survives what changes no coefficient."""
    photo = SAMPLES / "pictures" / "chelsea.jpg"
    printed = run("jpeg_stays_jpeg/jpeg_stays_jpeg.py", str(photo), "hidden.jpg", cwd=tmp_path)
    assert f"the photo: {photo.stat().st_size} bytes" in printed
    assert 0.9 < (tmp_path / "hidden.jpg").stat().st_size / photo.stat().st_size < 1.15
    for name in (tmp_path / "hidden.jpg", SAMPLES / "jpeg_stays_jpeg" / "result.jpg"):
        with Image.open(name) as hidden, Image.open(photo) as plain:
            assert (hidden.format, hidden.size) == ("JPEG", plain.size)
    *_, kept, optimized, again = printed.splitlines()
    assert kept.endswith("the same file is back: True")
    assert optimized.endswith("the same file is back: True")
    assert again.endswith("wrong key, or the picture or its header was changed")


def test_through_a_messenger(tmp_path: Path) -> None:
    """What the messenger shrinks is refused, and what was made for it comes back roughly."""
    picture = str(SAMPLES / "pictures" / "chelsea.jpg")
    script = "through_a_messenger/through_a_messenger.py"
    printed = run(script, picture, "sent.jpg", "restored.png", cwd=tmp_path)
    readme = (SAMPLES / "through_a_messenger/README.md").read_text(encoding="utf-8")
    figures = re.compile(r"\d+\.\d dB")
    assert figures.sub("", printed) in figures.sub("", readme)
    restored, estimated = (float(figure.removesuffix(" dB")) for figure in figures.findall(printed))
    assert 34 < restored < 37
    assert abs(restored - estimated) < 4
    with Image.open(tmp_path / "restored.png") as image:
        assert image.size == (325, 216)


@pytest.mark.slow
def test_private_folder(tmp_path: Path) -> None:
    """Names are sealed and random, and every file opens."""
    (tmp_path / "papers/old").mkdir(parents=True)
    (tmp_path / "papers/letter.txt").write_bytes(b"Dear Ada")
    (tmp_path / "papers/old/letter.txt").write_bytes(b"Dear Charles")
    Image.new("RGB", (30, 20), "red").save(tmp_path / "papers/photo.png")
    Key.generate().to_file(tmp_path / "my.key")
    printed = run("private_folder/private_folder.py", "papers", "safe", "my.key", cwd=tmp_path)
    assert printed.count("  letter.txt ") == 2
    assert printed.count("with a preview") == 1
    assert printed.endswith("opened and found the same: 3 of 3\n")
    assert all(re.fullmatch(r"[0-9a-f]{16}\.png", p.name) for p in (tmp_path / "safe").iterdir())


@pytest.mark.slow
def test_weak_cipher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cipher looks random, reuse of its key stream breaks it, and the report says both."""
    with Image.open(SAMPLES / "pictures" / "camera.png") as image:
        image.resize((48, 48)).save(tmp_path / "small.png")
    monkeypatch.chdir(tmp_path)
    attack, write = (
        line.replace("samples/pictures/camera.png", "small.png").replace("samples", str(SAMPLES))
        for line in list_commands("weak_cipher")
    )
    assert "It breaks cipher (without salt)." in run_command(attack)
    run_command(write)
    assert (tmp_path / "report.html").is_file()
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["key_space_bits"] == 48
    broken = {attack["attack"]: attack["outcome"] for attack in report["attacks"]}
    assert broken["reuse"] == "broken"
    figures = report["pictures"][0]["figures"]
    failed = {name for name, figure in figures.items() if figure["passed"] is False}
    assert failed == {"npcr_same_salt", "uaci_same_salt", "nbcr_same_salt"}
    assert figures["global_entropy"]["passed"]

    cipher = runpy.run_path(str(SAMPLES / "weak_cipher/weak_cipher.py"))["cipher"]
    known, secret, key = np.arange(64, dtype=np.uint8), np.full(64, 7, dtype=np.uint8), bytes(32)
    assert np.array_equal(cipher(secret, key) ^ cipher(known, key) ^ known, secret)


def test_key_on_paper(tmp_path: Path) -> None:
    """The card is one page that others cannot read, and a faulty copy of it gives the key."""
    printed = run("key_on_paper/key_on_paper.py", "card.pdf", cwd=tmp_path)
    result, *mistakes, back = printed.splitlines()
    key_id = result.split()[4]
    assert back == f"key {key_id} is back: True"
    readme = (SAMPLES / "key_on_paper/README.md").read_text(encoding="utf-8")
    assert "\n".join(mistakes) in readme
    assert (tmp_path / "card.pdf").stat().st_mode & 0o777 == 0o600
    with closing(PdfDocument(tmp_path / "card.pdf")) as card:
        assert len(card) == 1
        assert f"key id {key_id}" in card[0].get_textpage().get_text_range()


@pytest.mark.slow
def test_puzzle_book(tmp_path: Path) -> None:
    """Each kind has a page, and all solutions follow."""
    printed = run("puzzle_book/puzzle_book.py", "book.pdf", "2", cwd=tmp_path)
    assert printed == "book.pdf: 16 puzzles on 6 pages\n"
    with closing(PdfDocument(tmp_path / "book.pdf")) as pages:
        texts = [page.get_textpage().get_text_range() for page in pages]
    kinds = ("Sudoku, beginner", "X-Sudoku, easy", "Windoku, easy", "Jigsaw, medium")
    for page, kind in enumerate(kinds):
        assert all(f"No. {4 * page + n}, {kind}" in texts[page] for n in range(1, 5))
    solved = re.findall(r"No\. (\d+)", "\n".join(texts[4:]))
    assert [int(number) for number in solved] == list(range(1, 17))


def test_puzzles_to_play(tmp_path: Path) -> None:
    """The page has seven puzzles, which the seed decides, and an empty board to type one into."""
    printed = run("puzzles_to_play/puzzles_to_play.py", "play.html", "2", cwd=tmp_path)
    assert printed == "play.html: 7 puzzles\n"
    page = (tmp_path / "play.html").read_text(encoding="utf-8")
    assert page.count('<div class="board"') == 8
    assert run("puzzles_to_play/puzzles_to_play.py", "same.html", "2", cwd=tmp_path)
    assert (tmp_path / "same.html").read_text(encoding="utf-8") == page


@pytest.mark.slow
def test_attack_permutation_only(tmp_path: Path) -> None:
    """The map of a fixed context comes back whole, with salt or encryption nothing does."""
    picture = str(SAMPLES / "pictures" / "camera.png")
    script = "attack_permutation_only/attack_permutation_only.py"
    printed = run(script, picture, "result.png", "40", cwd=tmp_path)
    assert printed.count("from 2 chosen images: 1.0000") == 1
    assert printed.count("restored exactly: True") == 1
    assert printed.count("nothing found: ") == 2
    assert np.asarray(Image.open(tmp_path / "result.png")).shape == (3 * 44, 5 * 44)


@pytest.mark.slow
def test_nist_on_key_streams(tmp_path: Path) -> None:
    """Key streams pass, some tests are too short to say so, and both controls fail."""
    printed = run(
        "nist_on_key_streams/nist_on_key_streams.py", "bits.png", "3", "40000", cwd=tmp_path
    )
    streams, periodic, biased = printed.split("control, ")
    assert "frequency                    3 of   3" in streams
    assert "universal                  too short: 40000 bits" in streams
    assert "spectral" in periodic
    assert "frequency" not in periodic.replace("block_frequency", "")
    assert "fails frequency" in biased
    assert np.asarray(Image.open(tmp_path / "bits.png")).shape == (220, 3 * 220)


@pytest.mark.slow
def test_paper_table(tmp_path: Path) -> None:
    """Each scheme has a row of means; what only moves pixels changes one sample of two images."""
    printed = run("paper_table/paper_table.py", "table.md", "48", cwd=tmp_path)
    rows = [[field.strip() for field in line.split("|")[1:-1]] for line in printed.splitlines()]
    names = [row[0] for row in rows[2:]]
    assert names[:3] == ["scramble", "encrypt", "yours"]
    assert "uniform" in names
    npcr = {row[0]: float(row[rows[0].index("NPCR, %")]) for row in rows[2:]}
    assert npcr["yours"] == npcr["uniform"] < 0.1
    assert npcr["encrypt"] > 98
    assert all(row[-1] == "5 of 5" for row in rows[2:])
    assert "## gravel" in (tmp_path / "table.md").read_text(encoding="utf-8")
    check_environments(latex := (tmp_path / "table.tex").read_text(encoding="utf-8"))
    assert "Robustness" in latex


@pytest.mark.slow
def test_sudoku_gallery(tmp_path: Path) -> None:
    """Both pages are drawn, as SVG and as PNG, which are those of the sample."""
    printed = run("sudoku_gallery/sudoku_gallery.py", cwd=tmp_path)
    for name in ("result", "result-samurai"):
        with Image.open(tmp_path / f"{name}.png") as image:
            assert f"{name}.png: {image.width} x {image.height}, " in printed
            shown = np.asarray(Image.open(SAMPLES / "sudoku_gallery" / f"{name}.png"))
            assert np.array_equal(np.asarray(image), shown)
        assert (tmp_path / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_puzzle_research(tmp_path: Path) -> None:
    """The script prints what its README shows, and the solver confirms a share of it."""
    printed = run("puzzle_research/puzzle_research.py", cwd=tmp_path)
    assert printed in (SAMPLES / "puzzle_research/README.md").read_text(encoding="utf-8")
    research = runpy.run_path(str(SAMPLES / "puzzle_research/puzzle_research.py"))
    puzzle = SudokuPuzzle.from_text(research["EXAMPLE"])
    givens, grid = (np.asarray(sheet).reshape(-1) for sheet in (puzzle, solve(puzzle)))
    for cells in research["find_unavoidable_sets"](grid)[::9]:
        opened = grid.copy()
        opened[list(cells)] = 0
        assert not is_unique(SudokuPuzzle(opened))
        opened[cells[0]] = grid[cells[0]]
        assert is_unique(SudokuPuzzle(opened))  # no part of a set is one
    near = research["find_neighbors"](givens)
    assert all(is_unique(SudokuPuzzle(one)) for one in near[::9])
    assert ((near != givens).sum(axis=1) <= 2).all()
    easy = make_puzzle(1, level=Level.EASY)
    sheets = (np.asarray(sheet).reshape(-1) for sheet in (easy.puzzle, easy.solution))
    assert research["find_backdoors"](*sheets) == [()]


@pytest.mark.parametrize(
    ("script", "puzzle", "found"),
    [
        ("nonogram", None, "one"),
        ("nonogram", "1\n1\n\n1\n1\n", "several"),
        ("nonogram", "2\n0\n\n0\n0\n", "no"),
        ("mosaic", None, "one"),
        ("mosaic", "1.\n..\n", "several"),
        ("mosaic", "4.\n.3\n", "no"),
        ("shade_the_cells", None, "one"),
        ("shade_the_cells", "0 0\n0 0\n", "one"),
        ("shade_the_cells", "1\n", "one"),
        ("shade_the_cells", "5 5\n5 5\n", "no"),
        ("shade_the_cells", "2 2\n2 2\n", "several"),
    ],
)
def test_puzzles_by_exact_cover(
    tmp_path: Path, script: str, puzzle: str | None, found: str
) -> None:
    """Two kinds of puzzles are solved: the one that the README shows, and others from a file."""
    arguments = []
    if puzzle is not None:
        (tmp_path / "puzzle.txt").write_text(puzzle, encoding="utf-8")
        arguments = ["puzzle.txt"]
    paths = {
        "nonogram": "nonogram/nonogram.py",
        "mosaic": "mosaic/mosaic.py",
        "shade_the_cells": "shade_the_cells/shade_the_cells.py",
    }
    printed = run(paths[script], *arguments, cwd=tmp_path)
    assert printed.endswith(f"{found} solution{'s' if found == 'several' else ''}\n")
    if puzzle is None:
        assert printed in (SAMPLES / script / "README.md").read_text(encoding="utf-8")


def test_shadings_are_those_of_brute_force() -> None:
    """On small boards the solutions are the shadings in which all sums are right, in both ways."""
    shade = runpy.run_path(str(SAMPLES / "shade_the_cells/shade_the_cells.py"))
    draws = random.Random(1)  # noqa: S311
    counts = set()
    for index in range(120):
        rows, columns = draws.choice([(2, 2), (2, 3), (3, 3), (1, 4)])
        numbers = [[draws.randint(0, 3) for _ in range(columns)] for _ in range(rows)]
        cells = range(rows * columns)
        board = shade["Board"](numbers, add=index % 2 == 0, touching=index % 3 == 0)
        if index % 4 == 1:  # a board that has a solution
            shades = [draws.randint(0, 1) for _ in cells]
            board.numbers = [board.total(cell, shades, {1}) for cell in cells]
        every = map(list, product((1, 0), repeat=rows * columns))
        right = [s for s in every if all(board.total(c, s, {1}) == board.numbers[c] for c in cells)]
        assert sorted(board.solutions()) == sorted(right)
        counts.add(min(2, len(right)))
    assert counts == {0, 1, 2}
    for rule in ({}, {"add": True}, {"touching": True}):
        board = shade["make"](4, 1, **rule)
        assert board.text([0] * 16) == shade["make"](4, 1, **rule).text([0] * 16)
        numbers = [board.numbers[start : start + 4] for start in range(0, 16, 4)]
        assert len(list(shade["Board"](numbers, **{"add": False, **rule}).solutions())) == 1
        assert max(board.numbers) > 0


@pytest.mark.parametrize(
    "source",
    [("1", "6", "7"), ("2", "8", "8"), ("camera.png", "9", "8"), ("chelsea.jpg", "8", "9")],
)
def test_nonograms_are_made(tmp_path: Path, source: tuple[str, ...]) -> None:
    """Each has the solution that is shown, and no other one by exact cover."""
    name, *size = source
    picture = name if name.isdecimal() else str(SAMPLES / "pictures" / name)
    printed = run("making_nonograms/making_nonograms.py", picture, *size, cwd=tmp_path)
    (tmp_path / "puzzle.txt").write_text(printed, encoding="utf-8")
    solved = run("nonogram/nonogram.py", "puzzle.txt", cwd=tmp_path)
    assert solved.endswith("one solution\n")
    shown = [line[2:] for line in printed.splitlines() if line.startswith("# ")]
    assert solved.splitlines()[:-1] == shown


@pytest.mark.slow
def test_file_manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed encrypts and decrypts files of any name, says failures, and goes again."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    key, photo = tmp_path / "m\u00fd key", tmp_path / "-a 'photo'.jpg"
    Key.generate().to_file(key)
    photo.write_bytes((SAMPLES / "pictures" / "chelsea.jpg").read_bytes())
    install = ["sh", str(SAMPLES / "file_manager/install.sh")]
    subprocess.run([*install, "my$key"], check=False, capture_output=True)
    assert not (tmp_path / "data").exists()
    subprocess.run([*install, str(key)], check=True, capture_output=True, cwd=tmp_path)
    menus = {path.name: path for path in tmp_path.glob("data/*/*/*")}
    subprocess.run([menus["Encrypt"], photo.name], check=True, capture_output=True, cwd=tmp_path)
    secret = tmp_path / "-a 'photo'.jpg.encrypted.png"
    photo.unlink()
    subprocess.run([menus["Decrypt"], secret], check=True, capture_output=True)
    back = photo.with_name(f"_{photo.name}")  # no sealed name begins like an option
    assert back.read_bytes() == (SAMPLES / "pictures" / "chelsea.jpg").read_bytes()
    failed = subprocess.run([menus["Decrypt"], key], check=False, capture_output=True, text=True)
    assert failed.returncode == 4
    for menu in ("sudokucrypt.desktop", "sudokucrypt-encrypt.nemo_action"):
        assert f'"{tmp_path}/data/sudokucrypt/file-manager" encrypt %F' in menus[menu].read_text()
    subprocess.run([*install, "--remove"], check=True, capture_output=True)
    assert not [path for path in tmp_path.glob("data/**/*") if path.is_file()]


def test_every_sample_is_explained_and_tested() -> None:
    """Each folder has a README and stands in the list of all, and each script in this file."""
    here = Path(__file__).read_text(encoding="utf-8")
    listed = re.findall(r"\]\((\w+)/\)", (SAMPLES / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(path.name for path in SAMPLES.iterdir() if path.is_dir())
    for folder in map(SAMPLES.joinpath, listed):
        assert (folder / "README.md").is_file()
        for script in (*folder.glob("*.py"), *folder.glob("*.sh")):
            assert f"{folder.name}/{script.name}" in here

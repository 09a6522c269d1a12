"""Every sample runs, and prints what its README shows."""

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
    """Run a sample, check its exit code, and return its output."""
    program = ["sh"] if script.endswith(".sh") else [sys.executable, "-W", "error"]
    command = [*program, str(SAMPLES / script), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    assert result.returncode == code, result.stderr
    return result.stdout


def list_commands(sample: str) -> list[str]:
    """Return the command lines in the first block of the README of a sample."""
    readme = (SAMPLES / sample / "README.md").read_text(encoding="utf-8")
    return readme.partition("```sh\n")[2].partition("```")[0].splitlines()


def run_command(line: str) -> str:
    """Run a command of ours in this process, and return its output."""
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
    """first_picture restores exactly, shows two errors, and prints correlations near 0."""
    printed = run(
        "first_picture/first_picture.py", str(SAMPLES / "pictures" / picture), cwd=tmp_path
    )
    assert "restored exactly: True" in printed
    correlations_after = printed.partition("neighbors after: ")[2].partition("\n")[0].split()
    assert len(correlations_after) == (1 if picture == "camera.png" else 3)
    assert all(
        abs(float(channel)) < 0.03 for channel in correlations_after
    )  # more than six standard deviations
    assert "another key: wrong key: the picture needs key" in printed
    assert "one bit: wrong key, or the picture" in printed
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_command_line_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of the tour restore a file exactly; with another key nothing is written."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    picture = SAMPLES / "pictures" / "astronaut.png"
    run("command_line_tour/tour.sh", str(picture), "tour", cwd=tmp_path)
    plain = np.asarray(Image.open(picture))
    for name in ("restored", "decrypted"):
        assert np.array_equal(np.asarray(Image.open(tmp_path / f"tour/{name}.png")), plain)
    assert not (tmp_path / "tour/wrong.png").exists()


def test_grid_moves_pixels(tmp_path: Path) -> None:
    """grid_moves_pixels: maps keep rows, columns or boxes, and the drawn picture is current."""
    script = "grid_moves_pixels/grid_moves_pixels.py"
    picture = str(SAMPLES / "pictures" / "chelsea.jpg")
    printed = run(script, picture, "result.png", cwd=tmp_path).splitlines()
    assert printed[0].startswith("by row and digit, the middle goes to r5c")
    assert printed[1].startswith("by digit and column, the middle goes to r")
    assert printed[1].endswith("c5")
    assert printed[2].startswith(
        "by block and digit, the middle goes to r5c"
    )  # the box in the middle
    assert printed[3] == "restored exactly: True"
    result_pixels = np.asarray(Image.open(tmp_path / "result.png"))
    assert np.array_equal(
        result_pixels, np.asarray(Image.open((SAMPLES / script).with_name("result.png")))
    )
    assert len((SAMPLES / script).read_text(encoding="utf-8").splitlines()) <= 40


def test_numpy_use(tmp_path: Path) -> None:
    """numpy_use prints True for each of its checks."""
    printed = run("numpy_use/numpy_use.py", "48", cwd=tmp_path)
    assert printed.count("True") == 4
    assert "False" not in printed
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_batch_with_progress(tmp_path: Path) -> None:
    """batch_with_progress makes a result for each picture, and continues after errors."""
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
    """The protected files in samples have headers that this version reads."""
    results = {path: path.read_bytes() for path in SAMPLES.glob("*/result.*")}
    redacted = [path for path, data in results.items() if b'{"redaction":' in data]
    assert {path.parent.name for path in redacted} == {"covered_scene", "hidden_faces"}
    assert all(redactions(path).layers for path in redacted)
    protected_paths = [path for path in results if b'{"sudokucrypt":' in results[path]]
    protected_paths = [path for path in protected_paths if path not in redacted]
    assert {path.parent.name for path in protected_paths} == {"jpeg_stays_jpeg"}
    for path in protected_paths:
        assert read_header(path).key_id


@pytest.mark.slow
def test_hidden_faces(tmp_path: Path) -> None:
    """hidden_faces finds the face of the astronaut, and restores the original file."""
    picture = str(SAMPLES / "pictures" / "astronaut.png")
    printed = run("hidden_faces/hidden_faces.py", picture, "h.png", "r.png", cwd=tmp_path)
    assert "face at row" in printed
    assert printed.count("True") == 1


def test_covered_scene(tmp_path: Path) -> None:
    """covered_scene: each key restores its areas; both keys restore all but the permanent area."""
    picture = SAMPLES / "pictures" / "astronaut.png"
    printed = run("covered_scene/covered_scene.py", str(picture), "p.png", ".", cwd=tmp_path)
    assert "desk: lifted face\nlawyers: lifted badges\nboth: lifted face and badges" in printed
    assert "a stranger: no layer opens" in printed
    protected_path = SAMPLES / "covered_scene" / "result.png"
    names = (
        picture,
        tmp_path / "both.png",
        tmp_path / "p.png",
        tmp_path / "desk.png",
        protected_path,
    )
    plain, covered_twice, restored_part, restored_by_desk, result = (
        np.asarray(Image.open(path).convert("RGB")) for path in names
    )
    changed_pixels = (plain != covered_twice).any(axis=2)
    assert changed_pixels[:150, 178:234].any()
    changed_pixels[:150, 178:234] = False
    assert not changed_pixels.any()
    assert not restored_part[34:96, 84:144].any()
    assert np.array_equal(restored_by_desk[34:96, 84:144], plain[34:96, 84:144])
    assert not restored_by_desk[168:192, 138:166].any()
    assert np.array_equal(restored_part, result)


def test_jpeg_stays_jpeg(tmp_path: Path) -> None:
    """jpeg_stays_jpeg: the result is a JPEG, restored after changes that keep coefficients."""
    photo = SAMPLES / "pictures" / "chelsea.jpg"
    printed = run("jpeg_stays_jpeg/jpeg_stays_jpeg.py", str(photo), "hidden.jpg", cwd=tmp_path)
    assert f"the photo: {photo.stat().st_size} bytes" in printed
    assert 0.9 < (tmp_path / "hidden.jpg").stat().st_size / photo.stat().st_size < 1.15
    for name in (tmp_path / "hidden.jpg", SAMPLES / "jpeg_stays_jpeg" / "result.jpg"):
        with Image.open(name) as protected_image, Image.open(photo) as plain:
            assert (protected_image.format, protected_image.size) == ("JPEG", plain.size)
    *_, kept_line, optimized_line, last_line = printed.splitlines()
    assert kept_line.endswith("the same file is back: True")
    assert optimized_line.endswith("the same file is back: True")
    assert last_line.endswith("wrong key, or the picture or its header was changed")


def test_through_a_messenger(tmp_path: Path) -> None:
    """through_a_messenger: an ordinary result is refused, a robust one restored approximately."""
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
    """private_folder: results have random names, and every file can be opened."""
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
    """weak_cipher passes tests of randomness, but one known picture breaks it."""
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
    measured_values = report["pictures"][0]["figures"]
    failed_metrics = {name for name, figure in measured_values.items() if figure["passed"] is False}
    assert failed_metrics == {"npcr_same_salt", "uaci_same_salt", "nbcr_same_salt"}
    assert measured_values["global_entropy"]["passed"]

    cipher = runpy.run_path(str(SAMPLES / "weak_cipher/weak_cipher.py"))["cipher"]
    known_image, secret, key = (
        np.arange(64, dtype=np.uint8),
        np.full(64, 7, dtype=np.uint8),
        bytes(32),
    )
    assert np.array_equal(cipher(secret, key) ^ cipher(known_image, key) ^ known_image, secret)


def test_key_on_paper(tmp_path: Path) -> None:
    """key_on_paper: a copy of the card with mistakes gives the key."""
    printed = run("key_on_paper/key_on_paper.py", "card.pdf", cwd=tmp_path)
    result, *mistakes, restored_line = printed.splitlines()
    key_id = result.split()[4]
    assert restored_line == f"key {key_id} is back: True"
    readme = (SAMPLES / "key_on_paper/README.md").read_text(encoding="utf-8")
    assert "\n".join(mistakes) in readme
    assert (tmp_path / "card.pdf").stat().st_mode & 0o777 == 0o600
    with closing(PdfDocument(tmp_path / "card.pdf")) as card:
        assert len(card) == 1
        assert f"key id {key_id}" in card[0].get_textpage().get_text_range()


@pytest.mark.slow
def test_puzzle_book(tmp_path: Path) -> None:
    """puzzle_book has a page for each kind, followed by all solutions."""
    printed = run("puzzle_book/puzzle_book.py", "book.pdf", "2", cwd=tmp_path)
    assert printed == "book.pdf: 16 puzzles on 6 pages\n"
    with closing(PdfDocument(tmp_path / "book.pdf")) as pages:
        texts = [page.get_textpage().get_text_range() for page in pages]
    kinds = ("Sudoku, beginner", "X-Sudoku, easy", "Windoku, easy", "Jigsaw, medium")
    for page, kind in enumerate(kinds):
        assert all(f"No. {4 * page + n}, {kind}" in texts[page] for n in range(1, 5))
    solution_numbers = re.findall(r"No\. (\d+)", "\n".join(texts[4:]))
    assert [int(number) for number in solution_numbers] == list(range(1, 17))


def test_puzzles_to_play(tmp_path: Path) -> None:
    """puzzles_to_play writes seven puzzles, which the seed decides, and an empty board."""
    printed = run("puzzles_to_play/puzzles_to_play.py", "play.html", "2", cwd=tmp_path)
    assert printed == "play.html: 7 puzzles\n"
    page = (tmp_path / "play.html").read_text(encoding="utf-8")
    assert page.count('<div class="board"') == 8
    assert run("puzzles_to_play/puzzles_to_play.py", "same.html", "2", cwd=tmp_path)
    assert (tmp_path / "same.html").read_text(encoding="utf-8") == page


@pytest.mark.slow
def test_attack_permutation_only(tmp_path: Path) -> None:
    """attack_permutation_only breaks scrambling under a context, but not salted or encrypted."""
    picture = str(SAMPLES / "pictures" / "camera.png")
    script = "attack_permutation_only/attack_permutation_only.py"
    printed = run(script, picture, "result.png", "40", cwd=tmp_path)
    assert printed.count("from 2 chosen images: 1.0000") == 1
    assert printed.count("restored exactly: True") == 1
    assert printed.count("nothing found: ") == 2
    assert np.asarray(Image.open(tmp_path / "result.png")).shape == (3 * 44, 5 * 44)


@pytest.mark.slow
def test_nist_on_key_streams(tmp_path: Path) -> None:
    """nist_on_key_streams: key streams pass the tests, and both controls fail."""
    printed = run(
        "nist_on_key_streams/nist_on_key_streams.py", "bits.png", "3", "40000", cwd=tmp_path
    )
    streams, periodic_table, biased_table = printed.split("control, ")
    assert "frequency                    3 of   3" in streams
    assert "universal                  too short: 40000 bits" in streams
    assert "spectral" in periodic_table
    assert "frequency" not in periodic_table.replace("block_frequency", "")
    assert "fails frequency" in biased_table
    assert np.asarray(Image.open(tmp_path / "bits.png")).shape == (220, 3 * 220)


@pytest.mark.slow
def test_paper_table(tmp_path: Path) -> None:
    """paper_table has a row of means for each scheme, with the expected NPCR."""
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
    """sudoku_gallery draws the pages of the sample again, as SVG and PNG."""
    printed = run("sudoku_gallery/sudoku_gallery.py", cwd=tmp_path)
    for name in ("result", "result-samurai"):
        with Image.open(tmp_path / f"{name}.png") as image:
            assert f"{name}.png: {image.width} x {image.height}, " in printed
            sample_pixels = np.asarray(Image.open(SAMPLES / "sudoku_gallery" / f"{name}.png"))
            assert np.array_equal(np.asarray(image), sample_pixels)
        assert (tmp_path / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_puzzle_research(tmp_path: Path) -> None:
    """puzzle_research prints what its README shows; the solver confirms some of the results."""
    printed = run("puzzle_research/puzzle_research.py", cwd=tmp_path)
    assert printed in (SAMPLES / "puzzle_research/README.md").read_text(encoding="utf-8")
    research = runpy.run_path(str(SAMPLES / "puzzle_research/puzzle_research.py"))
    puzzle = SudokuPuzzle.from_text(research["EXAMPLE"])
    givens, grid = (np.asarray(sheet).reshape(-1) for sheet in (puzzle, solve(puzzle)))
    for cells in research["find_unavoidable_sets"](grid)[::9]:
        opened_grid = grid.copy()
        opened_grid[list(cells)] = 0
        assert not is_unique(SudokuPuzzle(opened_grid))
        opened_grid[cells[0]] = grid[cells[0]]
        assert is_unique(SudokuPuzzle(opened_grid))  # no proper subset is unavoidable
    neighbors = research["find_neighbors"](givens)
    assert all(is_unique(SudokuPuzzle(neighbor)) for neighbor in neighbors[::9])
    assert ((neighbors != givens).sum(axis=1) <= 2).all()
    easy_puzzle = make_puzzle(1, level=Level.EASY)
    sheets = (np.asarray(sheet).reshape(-1) for sheet in (easy_puzzle.puzzle, easy_puzzle.solution))
    assert research["find_backdoors"](*sheets) == [()]


@pytest.mark.parametrize(
    ("script", "puzzle", "solution_count"),
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
    tmp_path: Path, script: str, puzzle: str | None, solution_count: str
) -> None:
    """mosaic and nonogram solve the puzzle of their README, and puzzles in a file."""
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
    assert printed.endswith(
        f"{solution_count} solution{'s' if solution_count == 'several' else ''}\n"
    )
    if puzzle is None:
        assert printed in (SAMPLES / script / "README.md").read_text(encoding="utf-8")


def test_shadings_are_those_of_brute_force() -> None:
    """shade_the_cells finds the same solutions of small boards as brute force, for all rules."""
    shade = runpy.run_path(str(SAMPLES / "shade_the_cells/shade_the_cells.py"))
    draws = random.Random(1)  # noqa: S311
    counts = set()
    for index in range(120):
        rows, columns = draws.choice([(2, 2), (2, 3), (3, 3), (1, 4)])
        numbers = [[draws.randint(0, 3) for _ in range(columns)] for _ in range(rows)]
        cells = range(rows * columns)
        board = shade["Board"](numbers, add=index % 2 == 0, touching=index % 3 == 0)
        if index % 4 == 1:  # a board with a solution
            shades = [draws.randint(0, 1) for _ in cells]
            board.numbers = [board.total(cell, shades, {1}) for cell in cells]
        all_shadings = map(list, product((1, 0), repeat=rows * columns))
        valid_shadings = [
            s
            for s in all_shadings
            if all(board.total(c, s, {1}) == board.numbers[c] for c in cells)
        ]
        assert sorted(board.find_solutions()) == sorted(valid_shadings)
        counts.add(min(2, len(valid_shadings)))
    assert counts == {0, 1, 2}
    for rules in ({}, {"add": True}, {"touching": True}):
        board = shade["make"](4, 1, **rules)
        assert board.format_shading([0] * 16) == shade["make"](4, 1, **rules).format_shading(
            [0] * 16
        )
        numbers = [board.numbers[start : start + 4] for start in range(0, 16, 4)]
        assert len(list(shade["Board"](numbers, **{"add": False, **rules}).find_solutions())) == 1
        assert max(board.numbers) > 0


@pytest.mark.parametrize(
    "source",
    [("1", "6", "7"), ("2", "8", "8"), ("camera.png", "9", "8"), ("chelsea.jpg", "8", "9")],
)
def test_nonograms_are_made(tmp_path: Path, source: tuple[str, ...]) -> None:
    """making_nonograms prints nonograms whose only solution is the printed one."""
    name, *size = source
    picture = name if name.isdecimal() else str(SAMPLES / "pictures" / name)
    printed = run("making_nonograms/making_nonograms.py", picture, *size, cwd=tmp_path)
    (tmp_path / "puzzle.txt").write_text(printed, encoding="utf-8")
    solver_output = run("nonogram/nonogram.py", "puzzle.txt", cwd=tmp_path)
    assert solver_output.endswith("one solution\n")
    printed_solution = [line[2:] for line in printed.splitlines() if line.startswith("# ")]
    assert solver_output.splitlines()[:-1] == printed_solution


@pytest.mark.slow
def test_file_manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Menu entries for file managers encrypt and decrypt files of any name; they can be removed."""
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
    restored_photo = photo.with_name(
        f"_{photo.name}"
    )  # a sealed name that begins like an option is changed
    assert restored_photo.read_bytes() == (SAMPLES / "pictures" / "chelsea.jpg").read_bytes()
    failed_run = subprocess.run(
        [menus["Decrypt"], key], check=False, capture_output=True, text=True
    )
    assert failed_run.returncode == 4
    for menu in ("sudokucrypt.desktop", "sudokucrypt-encrypt.nemo_action"):
        assert f'"{tmp_path}/data/sudokucrypt/file-manager" encrypt %F' in menus[menu].read_text()
    subprocess.run([*install, "--remove"], check=True, capture_output=True)
    assert not [path for path in tmp_path.glob("data/**/*") if path.is_file()]


def test_every_sample_is_explained_and_tested() -> None:
    """Each sample has a README, a row in the list, and its scripts have a test here."""
    names_in_tests = Path(__file__).read_text(encoding="utf-8")
    listed = re.findall(r"\]\((\w+)/\)", (SAMPLES / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(path.name for path in SAMPLES.iterdir() if path.is_dir())
    for folder in map(SAMPLES.joinpath, listed):
        assert (folder / "README.md").is_file()
        for script in (*folder.glob("*.py"), *folder.glob("*.sh")):
            assert f"{folder.name}/{script.name}" in names_in_tests

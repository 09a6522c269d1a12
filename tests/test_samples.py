"""Every sample runs and says what its README promises."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key
from tests.reports.test_layout import check_environments

SAMPLES = Path(__file__).parent.parent / "samples"


def run(script: str, *arguments: str, cwd: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-W", "error", str(SAMPLES / script), *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


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
    after = printed.partition("neighbours after: ")[2].partition("\n")[0].split()
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
    script = SAMPLES / "command_line_tour/tour.sh"
    result = subprocess.run(
        ["sh", str(script), str(picture), "tour"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    plain = np.asarray(Image.open(picture))
    for name in ("restored", "decrypted"):
        assert np.array_equal(np.asarray(Image.open(tmp_path / f"tour/{name}.png")), plain)
    assert not (tmp_path / "tour/wrong.png").exists()


def test_numpy_use(tmp_path: Path) -> None:
    """Every line that the script verifies is true."""
    printed = run("numpy_use/numpy_use.py", "48", cwd=tmp_path)
    assert printed.count("True") == 4
    assert "False" not in printed
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_batch_with_progress(tmp_path: Path) -> None:
    """Everything is encrypted once, and a picture that was cut is named and stops nothing."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    Image.new("RGB", (9, 7)).save(pictures / "good.png")
    Image.new("L", (5, 5)).save(pictures / "gray.bmp")
    Image.new("RGB", (5, 5)).save(pictures / "photo.jpg")
    (pictures / "bad.png").write_bytes((pictures / "good.png").read_bytes()[:-20])
    Key.generate().to_file(tmp_path / "my.key")
    script = "batch_with_progress/batch_with_progress.py"
    result = subprocess.run(
        [sys.executable, str(SAMPLES / script), "pictures", "safe", "my.key"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    assert "bad.png: " in result.stdout
    assert "3 encrypted, 0 there already, 1 failed" in result.stdout
    (pictures / "bad.png").unlink()
    assert "0 encrypted, 3 there already" in run(script, "pictures", "safe", "my.key", cwd=tmp_path)


@pytest.mark.slow
def test_hidden_faces(tmp_path: Path) -> None:
    """The face of the astronaut is found, and the picture comes back exactly."""
    picture = str(SAMPLES / "pictures" / "astronaut.png")
    printed = run("hidden_faces/hidden_faces.py", picture, "h.png", "r.png", cwd=tmp_path)
    assert "face at row" in printed
    assert printed.count("True") == 2


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
    npcr = {row[0]: float(row[rows[0].index("NPCR")]) for row in rows[2:]}
    assert npcr["yours"] == npcr["uniform"] < 0.001
    assert npcr["encrypt"] > 0.98
    assert all(row[-1] == "5 of 5" for row in rows[2:])
    assert "## gravel" in (tmp_path / "table.md").read_text(encoding="utf-8")
    check_environments(latex := (tmp_path / "table.tex").read_text(encoding="utf-8"))
    assert "Robustness" in latex


@pytest.mark.slow
def test_sudoku_gallery(tmp_path: Path) -> None:
    """Both pages are drawn, as PNG of the size that is printed and as SVG."""
    printed = run("sudoku_gallery/sudoku_gallery.py", "gallery.png", "2", cwd=tmp_path)
    assert len(printed.splitlines()) == 2
    for name in ("gallery", "gallery-samurai"):
        with Image.open(tmp_path / f"{name}.png") as image:
            assert f"{name}.png: {image.width} x {image.height}, " in printed
        assert (tmp_path / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize(
    ("script", "puzzle", "found"),
    [
        ("nonogram", None, "one"),
        ("nonogram", "1\n1\n\n1\n1\n", "several"),
        ("nonogram", "2\n0\n\n0\n0\n", "no"),
        ("shade_the_cells", None, "one"),
        ("shade_the_cells", "1.\n..\n", "several"),
        ("shade_the_cells", "4.\n.3\n", "no"),
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
        "shade_the_cells": "shade_the_cells/shade_the_cells.py",
    }
    printed = run(paths[script], *arguments, cwd=tmp_path)
    assert printed.endswith(f"{found} solution{'s' if found == 'several' else ''}\n")
    if puzzle is None:
        assert printed in (SAMPLES / script / "README.md").read_text(encoding="utf-8")


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
    secret = tmp_path / "-a 'photo'.encrypted.png"
    photo.unlink()
    subprocess.run([menus["Decrypt"], secret], check=True, capture_output=True)
    assert photo.read_bytes() == (SAMPLES / "pictures" / "chelsea.jpg").read_bytes()
    failed = subprocess.run([menus["Decrypt"], key], check=False, capture_output=True, text=True)
    assert failed.returncode == 4
    for menu in ("sudokucrypt.desktop", "sudokucrypt-encrypt.nemo_action"):
        assert f'"{tmp_path}/data/sudokucrypt/file-manager" encrypt %F' in menus[menu].read_text()
    subprocess.run([*install, "--remove"], check=True, capture_output=True)
    assert not [path for path in tmp_path.glob("data/**/*") if path.is_file()]


def test_every_sample_is_explained_and_tested() -> None:
    """Each folder has a README, and each script stands in this file."""
    here = Path(__file__).read_text(encoding="utf-8")
    for folder in SAMPLES.iterdir():
        assert (folder / "README.md").is_file()
        for script in (*folder.glob("*.py"), *folder.glob("*.sh")):
            assert f"{folder.name}/{script.name}" in here

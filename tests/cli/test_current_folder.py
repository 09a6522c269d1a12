"""No process of a command runs code of the current folder, or of the folder of an input."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run, small_pictures

MODULES = ("json", "logging", "multiprocessing", "numpy", "pickle", "site", "sitecustomize", "ssl")
PROGRAM = Path(sys.executable).with_name("sudokucrypt")


def plant(folder: Path) -> None:
    """Put modules there that leave a mark if they are run, and then fail."""
    code = f"open({str(folder.parent / 'ran')!r}, 'a').write(__file__); raise SystemExit(9)\n"
    for name in MODULES:
        (folder / f"{name}.py").write_text(code)


def call(*arguments: str, module: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command as a shell does, without a bound on where modules may come from."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHONSAFE")}
    program = [sys.executable, "-m", "sudokucrypt"] if module else [str(PROGRAM)]
    return subprocess.run(
        [*program, *arguments], capture_output=True, text=True, check=False, env=environment
    )


@pytest.mark.slow
@pytest.mark.parametrize("inside", [True, False], ids=["inside", "beside"])
@pytest.mark.parametrize("way", ["threads", "dask", "dask on one"])
def test_a_folder_of_pictures(
    run: Run, way: str, inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pictures of a folder with such modules are encrypted, and none of the modules is run."""
    del run
    if "dask" in way:
        pytest.importorskip("distributed", reason="it comes with the extra 'dask'")
    root = Path.cwd()
    small_pictures(root / "holiday", 3)
    plant(root / "holiday")
    options = {"threads": [], "dask": ["--dask", "local", "--jobs", "2"]}
    extra = options.get(way, ["--dask", "local", "--jobs", "1"])
    if inside:
        monkeypatch.chdir("holiday")
    key = ["--key", str(root / "my.key")]
    done = call("encrypt", str(root / "holiday"), "-o", str(root / "safe"), *extra, *key)
    assert (done.returncode, "3 encrypted" in done.stderr) == (0, True), done.stderr
    assert not (root / "ran").exists()


@pytest.mark.slow
@pytest.mark.parametrize("module", [False, True])
@pytest.mark.parametrize(
    "command", [("dataset", "--count", "20", "-o", "../x.jsonl"), ("audit", "puzzles.txt")]
)
def test_processes_for_puzzles(
    run: Run, command: tuple[str, ...], module: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes that make or check puzzles run none either, nor does ``python -m``."""
    puzzles = run("sudoku", "puzzle", "--count", "3", "--seed", "1", "--format", "line").out
    Path("in").mkdir()
    plant(Path("in").absolute())
    Path("in", "puzzles.txt").write_text(puzzles)
    monkeypatch.chdir("in")
    jobs = ["--jobs", "2"] if command[0] == "dataset" else []
    done = call("sudoku", *command, *jobs, module=module)
    assert done.returncode == 0, done.stderr
    assert not Path("../ran").exists()


_SCRIPT = """
import sys
from sudokucrypt.workers import Processes
if __name__ == "__main__":
    with Processes(2) as processes:
        print(list(processes.each(abs, [-1, -2, -3])))
"""


@pytest.mark.slow
def test_processes_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program elsewhere that uses our processes runs none of them, and its variables stay."""
    (tmp_path / "in").mkdir()
    plant(tmp_path / "in")
    (tmp_path / "program.py").write_text(_SCRIPT)
    monkeypatch.chdir(tmp_path / "in")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHONSAFE")}
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout == "[1, 2, 3]\n", done.stderr
    assert not (tmp_path / "ran").exists()

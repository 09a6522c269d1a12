"""The tests notice kernels that were built from another text than is there."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from setuptools import Distribution

from sudokucrypt.kernels import building
from tests import build_kernels, conftest

SEARCH_KERNEL, SOLVER_KERNEL = (
    f"sudokucrypt.sudoku._kernels.{name}" for name in ("search", "solver")
)


@pytest.fixture(autouse=True)
def _copy_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the texts be in a scratch folder."""
    for folder in ("sudokucrypt/kernels", "sudokucrypt/sudoku/_kernels"):
        shutil.copytree(
            building.ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.so")
        )
    monkeypatch.setattr(building, "ROOT", tmp_path)
    monkeypatch.setattr(build_kernels, "ROOT", tmp_path)
    monkeypatch.setattr(build_kernels, "KERNEL_NAMES", [SEARCH_KERNEL, SOLVER_KERNEL])


@pytest.mark.parametrize(
    ("changed", "kernels"),
    [
        ("sudokucrypt/kernels/names.pxi", [SEARCH_KERNEL]),
        ("sudokucrypt/sudoku/_kernels/search_plain.py", [SEARCH_KERNEL]),
        ("sudokucrypt/sudoku/_kernels/lanes.h", [SOLVER_KERNEL]),
        ("sudokucrypt/kernels/bits.h", [SEARCH_KERNEL, SOLVER_KERNEL]),
        ("sudokucrypt/sudoku/_kernels/orbits_plain.py", []),
    ],
)
def test_a_changed_text_makes_its_kernels_stale(
    changed: str, kernels: list[str], tmp_path: Path
) -> None:
    """Whatever a kernel includes counts, however deep, and nothing else."""
    for name in (SEARCH_KERNEL, SOLVER_KERNEL):
        built = tmp_path.joinpath(*name.split(".")).with_suffix(".abi3.so")
        built.write_bytes(
            b"\x7fELF..." + building.compute_source_mark(name).encode() + b" by Cython 3\0"
        )
    assert build_kernels.list_stale_kernels() == []
    with (tmp_path / changed).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert build_kernels.list_stale_kernels() == kernels


def test_what_an_earlier_build_left_is_not_packed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder ``build`` that is there adds nothing to a wheel."""
    monkeypatch.chdir(tmp_path)
    Path("one").mkdir()
    Path("one/__init__.py").write_text("", encoding="utf-8")
    left_files = [Path("build/lib", name) for name in ("one/old.py", "sitecustomize.py")]
    for path in left_files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    command = building.BuildModules(Distribution({"packages": ["one"], "script_name": "none"}))
    command.build_lib = "build/lib"
    command.finalize_options()
    command.run()
    assert not any(path.exists() for path in left_files)
    assert Path("build/lib/one/__init__.py").exists()


def test_what_was_not_built_is_not_stale() -> None:
    """Without a compiler the fallbacks are tested."""
    assert build_kernels.list_stale_kernels() == []


def test_the_tests_stop_and_name_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An old kernel ends the run before it begins, unless kernels are not used."""
    built = tmp_path.joinpath(*SOLVER_KERNEL.split(".")).with_suffix(".abi3.so")
    built.write_bytes(b"of another text")
    config = SimpleNamespace(getoption=lambda _: False)
    with pytest.raises(pytest.UsageError, match=r"python -m tests\.build_kernels solver"):
        conftest.pytest_configure(cast("Any", config))
    monkeypatch.setenv("SUDOKUCRYPT_PLAIN", "")  # what is set here is undone
    conftest.pytest_configure(cast("Any", SimpleNamespace(getoption=lambda _: True)))


def test_unknown_kernels_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped name says which there are, and builds nothing."""
    assert build_kernels.main(["finding"]) == 2
    assert "search solver" in capsys.readouterr().out

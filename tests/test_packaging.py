"""What people get who install the package: small kernels, a whole source archive, a page."""

import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_kernel_is_built_without_debug_symbols() -> None:
    """Each .pyx file is a module that is built, and its symbols for debuggers are left out."""
    modules = SETTINGS["tool"]["setuptools"]["ext-modules"]
    sources = {path for module in modules for path in module["sources"]}
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "sudokucrypt").rglob("*.pyx")}
    assert sources == found
    for module in modules:
        assert "-g0" in module["extra-compile-args"], module["name"]


@pytest.mark.filterwarnings("ignore:The setuptools.file_finders:DeprecationWarning")
def test_the_source_archive_holds_what_the_check_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive takes what setuptools-scm finds, which is tracked; unpacked, it has a list."""
    assert any("setuptools-scm" in need for need in SETTINGS["build-system"]["requires"])
    monkeypatch.chdir(ROOT)
    finders = entry_points(group="setuptools.file_finders")
    found = {Path(name).as_posix() for finder in finders for name in finder.load()("")}
    if not (ROOT / ".git").exists():
        listed = ROOT / "sudokucrypt.egg-info" / "SOURCES.txt"
        found = set(listed.read_text(encoding="utf-8").splitlines())
    for folder in ("docs", "samples", "tests/check.py", ".ci/run", "CHANGELOG.md", "CITATION.cff"):
        assert (ROOT / folder).exists()
        assert any(name == folder or name.startswith(f"{folder}/") for name in found), folder


def test_the_page_of_an_index_needs_nothing_beside_it() -> None:
    """Every link and image of the page that indexes show is absolute."""
    text = (ROOT / SETTINGS["project"]["readme"]).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)", text)
    assert targets
    assert all(target.startswith("https://") for target in targets), targets

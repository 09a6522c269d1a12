"""What people get who install the package: small kernels, a whole source archive, a page."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml

from docs import manpage
from sudokucrypt import __version__
from tests import release

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_kernel_is_built_without_debug_symbols_for_every_later_python() -> None:
    """Each .pyx file is a module of the limited API, and symbols for debuggers are left out."""
    modules = SETTINGS["tool"]["setuptools"]["ext-modules"]
    sources = {path for module in modules for path in module["sources"]}
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "sudokucrypt").rglob("*.pyx")}
    assert sources == found
    shared = SETTINGS["tool"]["distutils"]["build_ext"]["shared-utility-qualified-name"]
    assert [module["name"] for module in modules if not module["sources"]] == [shared]
    for module in modules:
        assert "-g0" in module["extra-compile-args"], module["name"]
        assert module["define-macros"] == [["Py_LIMITED_API", "0x030B0000"]], module["name"]
        assert module["py-limited-api"], module["name"]
        assert module["optional"], module["name"]


def test_no_kernel_of_an_earlier_build_hides_a_new_one() -> None:
    """Python prefers name.cpython-311-*.so to name.abi3.so, which replaced it."""
    built = [path for path in (ROOT / "sudokucrypt").rglob("*.so") if ".cpython-" in path.name]
    new = [
        path for path in built if path.with_name(f"{path.name.partition('.')[0]}.abi3.so").exists()
    ]
    assert not new, f"delete them: {new}"


def test_what_a_release_must_not_publish_is_named() -> None:
    """Sources of kernels, strays, missing kernels and files and a large wheel are each a fault."""
    whole = ["sudokucrypt/__init__.py", "sudokucrypt-1.0.0.dist-info/RECORD"]
    whole += ["sudokucrypt-1.0.0.data/"]
    whole += [f"sudokucrypt-1.0.0.data/{name}" for name in sorted(release.DATA)]
    whole += [f"{name.replace('.', '/')}.abi3.so" for name in release.KERNELS]
    assert list(release.wheel_faults(whole, release.MOST_BYTES)) == []
    page = "data/share/man/man1/sudokucrypt.1"
    whole.remove(f"sudokucrypt-1.0.0.data/{page}")
    faults = list(release.wheel_faults(["sudokucrypt/a.pyx", "tests/b.py", *whole[1:-1]], 10**7))
    for fault in (
        "kernel, sudokucrypt/a.pyx",
        "tests/b.py beside",
        f"lacks {page}",
        "lacks sudokucrypt.",
        "10,000,000",
    ):
        assert sum(fault in found for found in faults) == 1, (fault, faults)
    assert len(faults) == 5
    archive = ["sudokucrypt-1.0.0", "sudokucrypt-1.0.0/README.md", "sudokucrypt-1.0.0/PKG-INFO"]
    assert list(release.archive_faults(archive, ["README.md"])) == []
    faults = list(release.archive_faults([*archive, "s/a.so"], ["README.md", "docs/index.md"]))
    assert faults[0] == "the source archive lacks docs/index.md"
    assert faults[1].startswith("the source archive has a.so")


def test_only_what_has_a_home_is_published() -> None:
    """Each address that a published release needs is asked for, and `SECURITY.md` names one."""
    urls = {name: f"https://example.org/{name}" for name in release.URLS}
    whole = {"project": {"urls": urls}}
    cited, policy = "repository-code: https://example.org", f"Write to <{urls['Security']}>."
    assert list(release.publishing_faults(whole, cited, policy)) == []
    for name in release.URLS:
        some = {"project": {"urls": {key: url for key, url in urls.items() if key != name}}}
        (fault,) = release.publishing_faults(some, cited, policy)
        assert fault == f"[project.urls] in pyproject.toml lacks {name}"
    (fault,) = release.publishing_faults(whole, "version: 1\nrepository-code:", policy)
    assert "repository-code" in fault
    (fault,) = release.publishing_faults(whole, cited, "No address yet.")
    assert "SECURITY.md" in fault
    assert len(list(release.publishing_faults({"project": {}}, "", ""))) == len(release.URLS) + 1


def test_one_version_is_released() -> None:
    """Package, citation and the first entry of the changelog name one version, and one date."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (?!Unreleased$)(.+)", changes, re.MULTILINE)
    assert heads[0] == f"{__version__} - {cited['date-released']}"


def test_a_release_is_tried_on_this_python_and_on_none_that_is_missing() -> None:
    """The Python that runs is found without asking; one that nobody has is not found."""
    assert release.find_python("{}.{}".format(*sys.version_info)) == sys.executable
    assert release.find_python("3.99") is None


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


def test_the_manual_page_is_that_of_the_program() -> None:
    """The wheel installs a page that `python -m docs.manpage` would write today."""
    assert SETTINGS["tool"]["setuptools"]["data-files"]["share/man/man1"] == ["docs/sudokucrypt.1"]
    assert manpage.PAGE.read_text(encoding="utf-8") == manpage.manpage(), "run docs.manpage again"


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_the_manual_page_renders_without_a_warning() -> None:
    """groff knows every request in it, and shows options and kept lines as they are."""
    answer = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", str(manpage.PAGE)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    shown = re.sub(r".\x08|\x1b\[\d*m", "", answer.stdout)  # bold
    assert answer.stderr == ""
    assert re.search(r"^ +-k, --key KEY$", shown, re.MULTILINE)
    assert re.search(r"^ +sudokucrypt sudoku solve ", shown, re.MULTILINE)

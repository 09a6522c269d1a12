"""The check, the workflows of CI, the version, and other files around the code."""

import hashlib
import re
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from sudokucrypt import __version__
from sudokucrypt.errors import format_extra_hint
from sudokucrypt.page import page
from tests import check, release
from tests.mutation.engine import list_engine_mutants
from tests.mutation.mutants import list_mutants
from tests.mutation.run import list_equivalent
from tests.test_docs import ROOT


def load_workflow(name: str) -> dict[Any, Any]:
    path = ROOT / ".github" / "workflows" / f"{name}.yml"
    workflow: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return workflow


def test_the_check_fails_where_a_program_that_it_requires_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing program in CHECK_REQUIRES fails the check, instead of skipping tests."""
    monkeypatch.setattr(sys, "argv", ["check.py", "--fast"])
    monkeypatch.setenv("CHECK_REQUIRES", "sh no-such-browser")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a step was run"))
    assert check.main() == 1
    assert "no-such-browser" in capsys.readouterr().out


@pytest.mark.parametrize(("options", "test_runs"), [([], 3), (["--fast"], 1), (["--nightly"], 1)])
def test_each_failing_step_fails_the_check(
    options: list[str], test_runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If any step fails, the check fails; runs of tests list skipped tests."""
    monkeypatch.setattr(sys, "argv", ["check.py", *options])
    monkeypatch.delenv("CHECK_REQUIRES", raising=False)
    steps: list[list[str]] = []
    failing: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        steps.append(command[1:])
        return subprocess.CompletedProcess(command, 3 if command[1:] == failing else 0)

    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda **_: nullcontext("scratch"))
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(check, "measure_branch_shares", lambda _: {"sudokucrypt/keys": 1.0})
    monkeypatch.setattr(check, "list_changed_tests", lambda: ["tests/keys"])
    assert check.main() == 0
    step_names = list(steps)
    assert sum("pytest" in step for step in step_names) == test_runs
    assert ("--fast" in options) == any({*check.PROJECT_TESTS} < {*step} for step in step_names)
    assert all((check.ROOT / guard.partition("::")[0]).exists() for guard in check.PROJECT_TESTS)
    assert all("-rs" in step for step in step_names if "pytest" in step)
    for step in step_names:
        failing[:] = step
        assert check.main() == 3


def test_the_fast_check_tests_what_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast check runs the tests of changed modules, or of the core if nothing has changed."""
    tested_paths: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        lines = tested_paths if "diff" in command else ["LICENSE"]
        return subprocess.CompletedProcess(command, 0, "\n".join(lines))

    monkeypatch.setattr(subprocess, "run", run)
    assert check.list_changed_tests() == check.CORE_TESTS
    for path, test in {
        "sudokucrypt/keys/ring.py": "tests/keys/test_ring.py",
        "sudokucrypt/images/png/file.py": "tests/images",
        "sudokucrypt/registry.py": "tests/test_registry.py",
        "tests/cli/conftest.py": "tests/cli",
        "README.md": "tests/test_docs.py",
        "samples/mosaic/mosaic.py": "tests/test_samples.py",
    }.items():
        tested_paths[:] = [path]
        assert check.list_changed_tests() == [test]
    tested_paths[:] = ['-    "replace": "choose another name, or replace it with --force",']
    assert check.list_changed_tests() == ["tests/cli/test_sessions.py"]


def test_a_package_below_its_floor_fails_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few taken branches in one package fail the check."""
    shares = {"sudokucrypt/keys": 1.0, "sudokucrypt/header": check.MIN_BRANCH_SHARE - 0.001}
    monkeypatch.setattr(check, "measure_branch_shares", lambda _: shares)
    assert check.check_floor(Path("unused"))
    shares["sudokucrypt/header"] = check.MIN_BRANCH_SHARE
    assert not check.check_floor(Path("unused"))


def test_every_supported_python_is_tested() -> None:
    """Workflows, classifiers, wheels and releases name the same versions of Python."""
    classifier = "Programming Language :: Python :: "
    classifiers = release.SETTINGS["project"]["classifiers"]
    promised = [
        line.removeprefix(classifier) for line in classifiers if line.startswith(f"{classifier}3.")
    ]
    assert load_workflow("check")["jobs"]["check"]["strategy"]["matrix"]["python"] == promised
    assert list(release.PYTHONS) == promised
    wheels = release.SETTINGS["tool"]["cibuildwheel"]["build"]
    assert wheels == [f"cp{version.replace('.', '')}-*" for version in promised]
    assert release.find_python("{}.{}".format(*sys.version_info)) == sys.executable
    assert release.find_python("3.99") is None


def test_only_a_tag_publishes_and_only_after_everything_else() -> None:
    """Only one job can publish to the package index; it runs for tags, after all other jobs."""
    jobs = load_workflow("wheels")["jobs"]
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert {*jobs["publish"]["needs"], "publish"} == jobs.keys()


def test_the_published_page_is_that_of_the_command(tmp_path: Path) -> None:
    """The workflow writes the same page as the command without dependencies, and its SHA-256."""
    steps = load_workflow("pages")["jobs"]["page"]["steps"]
    (script,) = [step["run"] for step in steps if "run" in step]
    (tmp_path / "sudokucrypt").symlink_to(ROOT / "sudokucrypt")
    python_function = f'python() {{ {sys.executable} -S "$@"; }}\n'
    result = subprocess.run(
        ["bash", "-euc", python_function + script],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "GITHUB_STEP_SUMMARY": "summary"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (tmp_path / "site/index.html").read_bytes() == page()
    assert result.stdout.startswith(hashlib.sha256(page()).hexdigest())
    assert (tmp_path / "summary").read_text("utf-8") == result.stdout


def test_what_workflows_run_is_pinned() -> None:
    """Actions are pinned by digest, and release tools by hashes of exactly their group."""
    for name in ("check", "wheels", "pages"):
        steps = [step for job in load_workflow(name)["jobs"].values() for step in job["steps"]]
        actions = [step["uses"] for step in steps if "uses" in step]
        assert actions
        assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in actions), actions
        for step in steps:
            if "pip install" in step.get("run", ""):
                assert "--require-hashes -r .github/release-lock.txt" in step["run"]
    lock_file = (ROOT / ".github" / "release-lock.txt").read_text(encoding="utf-8")
    direct_names = re.findall(
        r"^(\S+)==(?:.*\n)(?: .*\n)*? .*sudokucrypt \(pyproject.toml:release", lock_file, re.M
    )
    group = release.SETTINGS["dependency-groups"]["release"]
    assert direct_names == sorted(re.split("[>;]", line)[0] for line in group)
    assert len(re.findall("^[^# ]", lock_file, re.M)) == len(
        re.findall(r"==.*\\\n    --hash=sha256:[0-9a-f]{64}", lock_file)
    )


def test_zizmor_has_nothing_to_say_about_workflows() -> None:
    """zizmor finds no security problem in the workflows."""
    program = Path(sys.executable).with_name("zizmor")
    if not program.exists():
        pytest.skip("zizmor is not installed; it has no wheels for this system")
    subprocess.run([program, "--offline", "--quiet", *check.WORKFLOWS], check=True)


@pytest.mark.programs("actionlint")
def test_actionlint_has_nothing_to_say_about_workflows() -> None:
    """actionlint finds no error in the workflows."""
    subprocess.run(["actionlint", *check.WORKFLOWS], check=True)


def test_one_version_is_released() -> None:
    """Package, citation and the newest section of the changelog have the same version and date."""
    cited_version = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version_headings = re.findall(r"^## (?!Unreleased$)(.+)", changelog, re.MULTILINE)
    assert version_headings[0] == f"{cited_version['version']} - {cited_version['date-released']}"
    assert cited_version["version"] == __version__


def test_hints_name_the_packages_of_extras() -> None:
    """Hints about an extra list the same packages as pyproject.toml."""
    extras = release.SETTINGS["project"]["optional-dependencies"]
    assert {name: format_extra_hint(name) for name in extras} == {
        name: " ".join(["pip install", *(re.split("[<>=]", text)[0] for text in requirements)])
        for name, requirements in extras.items()
    }


def test_no_page_installs_a_name_that_nobody_owns() -> None:
    """No page installs the package from an index, since it is not published yet."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "samples").rglob("*.md")]
    wrong_pages = [
        str(page) for page in pages if "install 'sudokucrypt[" in page.read_text("utf-8")
    ]
    assert wrong_pages == []


def test_lists_of_others_have_their_licenses() -> None:
    """Each file of other authors is listed in a license file of the wheel, with the authors."""
    project = release.SETTINGS["project"]
    texts = [path.read_text("utf-8") for path in ROOT.glob("sudokucrypt/licenses/*.txt")]
    assert project["license"] == "MIT AND CC-BY-3.0 AND Apache-2.0"
    assert "sudokucrypt/licenses/*.txt" in project["license-files"]
    for name, author in (
        ("sudokucrypt/keys/words.txt", "Joseph Bonneau"),
        ("sudokucrypt/cli/keys/common.txt", "Dan Wheeler"),
    ):
        head = (ROOT / name).read_text("utf-8")[:600]
        (text,) = (text for text in texts if name in text)
        assert author in text
        assert author.split()[-1] in head


@pytest.mark.parametrize("name", ["kernel_tests.txt", "long_tests.txt"])
def test_listed_tests_exist(name: str) -> None:
    """Each line of a list of tests names a file, and the beginning of a test in this file."""
    lines = (ROOT / "tests" / name).read_text("utf-8").splitlines()
    ids = [line.partition("::") for line in lines if line.startswith("tests/")]
    assert len(ids) > 50
    texts = {path: (ROOT / path).read_text("utf-8") for path, _, _ in ids}
    wrong_ids = [
        (path, test)
        for path, _, test in ids
        if "def " + re.split(r"[\[*]", test)[0] not in texts[path]
    ]
    assert wrong_ids == []


def test_equivalent_mutants_exist() -> None:
    """Each mutant that is listed as equivalent is a change of a line that there is."""
    equivalent = list_equivalent()
    paths = {name.partition(": ")[0] for name in equivalent}
    names = {
        mutant.name
        for path in paths
        for mutant in (list_engine_mutants if path.endswith(".js") else list_mutants)(ROOT / path)
    }
    assert len(equivalent) > 30
    assert set(equivalent) - names == set()

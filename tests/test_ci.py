"""What a forge runs: the check without skips, and wheels for every system."""

import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import check, release

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name: str) -> dict[Any, Any]:
    """Return a workflow; YAML 1.1 reads its key `on` as true."""
    path = ROOT / ".github" / "workflows" / f"{name}.yml"
    parsed: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return parsed


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in workflow(name)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("name", [path.stem for path in WORKFLOWS])
def test_workflows_may_read_only_and_end(name: str) -> None:
    """A workflow reads what is in the repository, its jobs have a limit, and actions a version."""
    parsed = workflow(name)
    assert parsed["permissions"] == {"contents": "read"}
    assert parsed[True].keys() <= {"push", "pull_request", "workflow_dispatch"}
    for job in parsed["jobs"].values():
        assert job["timeout-minutes"] <= 60
        assert job.get("permissions", {}) in ({}, {"id-token": "write"})
    for step in steps(name):
        assert len({"uses", "run"} & step.keys()) == 1, step
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+", step["uses"]), step


def test_the_check_runs_on_every_python_that_is_promised() -> None:
    """Workflow, classifiers and what a release is tried on name the same versions of Python."""
    matrix = workflow("check")["jobs"]["check"]["strategy"]["matrix"]
    named = "Programming Language :: Python :: "
    classifiers = release.SETTINGS["project"]["classifiers"]
    promised = [one.removeprefix(named) for one in classifiers if one.startswith(f"{named}3.")]
    assert matrix["python"] == promised == list(release.PYTHONS)
    tried = next(step["with"] for step in steps("wheels") if "setup-python" in step.get("uses", ""))
    assert sorted(tried["python-version"].split()) == promised


def test_only_a_tag_publishes_and_only_after_everything_else() -> None:
    """No other job may identify itself to the package index, and this one needs all of them.

    One of them sees to it that addresses are set, where a tag is to be published.
    """
    jobs = workflow("wheels")["jobs"]
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert {*jobs["publish"]["needs"], "publish"} == jobs.keys()
    (built,) = [step["run"] for step in steps("wheels") if "release.py" in step.get("run", "")]
    assert f"${{{{ {jobs['publish']['if']} && '--publish' || '' }}}}" in built


def test_wheels_are_built_as_a_release_builds_them() -> None:
    """cibuildwheel gives the build the option of tests/release.py, and tries compiled kernels."""
    settings = release.SETTINGS["tool"]["cibuildwheel"]
    option, _, value = release.ABI[0].removeprefix("--config-setting=").partition("=")
    assert settings["config-settings"] == {option: value}
    wanted = [f"cp{version.replace('.', '')}-*" for version in release.PYTHONS]
    assert settings["build"] == wanted
    assert any("compiled()" in command for command in settings["test-command"])


def test_workflows_are_of_the_form_that_the_forge_reads() -> None:
    """The schema of workflows accepts them; it knows every key and what stands there."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    command += ["vendor.github-workflows", *map(str, WORKFLOWS)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="there is no actionlint")
def test_actionlint_finds_nothing() -> None:
    """The linter of workflows accepts them."""
    answer = subprocess.run(["actionlint"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


def test_the_check_fails_where_a_program_that_it_requires_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """CI names the programs that it has, so that no test is skipped for want of them."""
    monkeypatch.setattr(sys, "argv", ["check.py", "--fast"])
    monkeypatch.setenv("CHECK_REQUIRES", "sh no-such-browser")
    monkeypatch.setattr(check, "_first_failure", lambda _: pytest.fail("a step was run"))
    assert check.main() == 1
    assert "no-such-browser" in capsys.readouterr().out
    monkeypatch.setenv("CHECK_REQUIRES", "sh")
    monkeypatch.setattr(check, "_first_failure", lambda _: 0)
    assert check.main() == 0


@pytest.mark.parametrize(("options", "wanted"), [([], 2), (["--fast"], 1)])
def test_every_step_counts(
    options: list[str], wanted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever step fails, the check does; runs of the tests end with what they skipped."""
    monkeypatch.setattr(sys, "argv", ["check.py", *options])
    monkeypatch.delenv("CHECK_REQUIRES", raising=False)
    begun: list[list[str]] = []
    failing: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        begun.append(command[1:])
        return subprocess.CompletedProcess(command, 3 if command[1:] == failing else 0)

    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda **_: nullcontext("scratch"))
    monkeypatch.setattr(subprocess, "run", run)
    assert check.main() == 0
    every = list(begun)
    runs = [step for step in every if "pytest" in step]
    assert len(runs) == wanted
    assert all("-rs" in step for step in runs)
    assert any("mypy" in step for step in every)
    for step in every:
        failing[:] = step
        assert check.main() == 3

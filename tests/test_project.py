"""What surrounds the code: the check itself, workflows, releases, and figures."""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

from docs import manpage
from docs.figures.__main__ import FIGURES, main
from sudokucrypt import __version__
from tests import check, release
from tests.test_docs import ROOT

IMAGES = ROOT / "docs" / "images"


def workflow(name: str) -> dict[Any, Any]:
    path = ROOT / ".github" / "workflows" / f"{name}.yml"
    parsed: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return parsed


def test_the_check_fails_where_a_program_that_it_requires_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """CI names the programs that it has, so that no test is skipped for want of them."""
    monkeypatch.setattr(sys, "argv", ["check.py", "--fast"])
    monkeypatch.setenv("CHECK_REQUIRES", "sh no-such-browser")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a step was run"))
    assert check.main() == 1
    assert "no-such-browser" in capsys.readouterr().out


@pytest.mark.parametrize(("options", "test_runs"), [([], 3), (["--fast"], 1), (["--nightly"], 1)])
def test_every_step_counts(
    options: list[str], test_runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever step fails, the check does; runs of the tests end with what they skipped."""
    monkeypatch.setattr(sys, "argv", ["check.py", *options])
    monkeypatch.delenv("CHECK_REQUIRES", raising=False)
    steps: list[list[str]] = []
    failing: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        steps.append(command[1:])
        return subprocess.CompletedProcess(command, 3 if command[1:] == failing else 0)

    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda **_: nullcontext("scratch"))
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(check, "branch_shares", lambda _: {"sudokucrypt/keys": 1.0})
    assert check.main() == 0
    every = list(steps)
    assert sum("pytest" in step for step in every) == test_runs
    assert all("-rs" in step for step in every if "pytest" in step)
    for step in every:
        failing[:] = step
        assert check.main() == 3


def test_a_room_below_its_floor_fails_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """One branch too few in one room is enough, whatever the others have."""
    shares = {"sudokucrypt/keys": 1.0, "sudokucrypt/header": check.FLOOR - 0.001}
    monkeypatch.setattr(check, "branch_shares", lambda _: shares)
    assert check.below_floor(Path("unused"))
    shares["sudokucrypt/header"] = check.FLOOR
    assert not check.below_floor(Path("unused"))


def test_every_python_that_is_promised_is_tried() -> None:
    """Workflow, classifiers, wheels and releases name the same versions of Python."""
    named = "Programming Language :: Python :: "
    classifiers = release.SETTINGS["project"]["classifiers"]
    promised = [line.removeprefix(named) for line in classifiers if line.startswith(f"{named}3.")]
    assert workflow("check")["jobs"]["check"]["strategy"]["matrix"]["python"] == promised
    assert list(release.PYTHONS) == promised
    wheels = release.SETTINGS["tool"]["cibuildwheel"]["build"]
    assert wheels == [f"cp{version.replace('.', '')}-*" for version in promised]
    assert release.find_python("{}.{}".format(*sys.version_info)) == sys.executable
    assert release.find_python("3.99") is None


def test_only_a_tag_publishes_and_only_after_everything_else() -> None:
    """No other job may identify itself to the package index, and this one needs all of them."""
    jobs = workflow("wheels")["jobs"]
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert {*jobs["publish"]["needs"], "publish"} == jobs.keys()


def test_what_workflows_run_is_pinned() -> None:
    """Actions by digest, and tools of releases by the hashes of exactly what their group names."""
    for name in ("check", "wheels"):
        steps = [step for job in workflow(name)["jobs"].values() for step in job["steps"]]
        used = [step["uses"] for step in steps if "uses" in step]
        assert used
        assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in used), used
        for step in steps:
            if "pip install" in step.get("run", ""):
                assert "--require-hashes -r .github/release-lock.txt" in step["run"]
    lock = (ROOT / ".github" / "release-lock.txt").read_text(encoding="utf-8")
    direct = re.findall(
        r"^(\S+)==(?:.*\n)(?: .*\n)*? .*sudokucrypt \(pyproject.toml:release", lock, re.M
    )
    group = release.SETTINGS["dependency-groups"]["release"]
    assert direct == sorted(re.split("[>;]", line)[0] for line in group)
    assert len(re.findall("^[^# ]", lock, re.M)) == len(
        re.findall(r"==.*\\\n    --hash=sha256:[0-9a-f]{64}", lock)
    )


@pytest.mark.parametrize("command", [("zizmor", "--offline", "--quiet"), ("actionlint",)])
def test_linters_have_nothing_to_say_about_workflows(command: tuple[str, ...]) -> None:
    """Neither about what they do, nor about whom they trust."""
    program = shutil.which(command[0], path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"{command[0]} is not installed")
    subprocess.run([program, *command[1:], *check.WORKFLOWS], check=True)


def test_recipes_of_other_packagers_name_what_is_needed() -> None:
    """They have the requirements of pyproject.toml, files that exist, and no mark left."""
    version, url, digest = "1.2.3", "file:///sudokucrypt-1.2.3.tar.gz", "0" * 64
    texts = {
        path.suffix: release.recipe(path.read_text(encoding="utf-8"), version, url, digest)
        for path in release.RECIPES.iterdir()
    }
    assert all("@" not in text.replace("python@", "") for text in texts.values())
    conda = yaml.safe_load(texts[".yaml"])
    assert conda["package"]["version"] == version
    assert conda["source"] == {"url": url, "sha256": digest}
    project, build = release.SETTINGS["project"], release.SETTINGS["build-system"]
    python = f"python{project['requires-python']}"
    needed = {"run": project["dependencies"], "host": [*build["requires"], "pip"]}
    for name, requirements in needed.items():
        listed = [line.replace(" ", "") for line in conda["requirements"][name]]
        assert sorted(listed) == sorted([python, *requirements])
    assert conda["build"]["python"]["entry_points"] == [
        f"{name} = {target}" for name, target in project["scripts"].items()
    ]
    for name in re.findall(r'install "([^"]+)"', texts[".rb"]):
        assert (ROOT / name).is_file(), name
    if ruby := shutil.which("ruby"):
        subprocess.run([ruby, "-wc"], input=texts[".rb"].encode(), check=True)


def test_archives_of_one_commit_are_equal() -> None:
    """Whoever packs a source archive, whenever: names, contents and modes alone count."""

    def packed(order: int, owner: int) -> bytes:
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w:gz") as archive:
            for name in ("a/x.py", "a/run", "a/y.py")[::order]:
                member = tarfile.TarInfo(name)
                member.size, member.mtime, member.uid = len(name), owner, owner
                member.mode = (0o644 | owner % 64) | (0o111 if name == "a/run" else 0)
                archive.addfile(member, io.BytesIO(name.encode()))
        return release.normalized_archive(stream.getvalue(), 1_700_000_000)

    first = packed(1, 0)
    assert first == packed(-1, 16)
    with tarfile.open(fileobj=io.BytesIO(first)) as archive:
        assert [(one.name, one.mode, one.uid, one.mtime) for one in archive] == [
            ("a/run", 0o755, 0, 1_700_000_000),
            ("a/x.py", 0o644, 0, 1_700_000_000),
            ("a/y.py", 0o644, 0, 1_700_000_000),
        ]
        assert archive.extractfile("a/y.py").read() == b"a/y.py"  # type: ignore[union-attr]


def test_what_a_release_must_not_publish_is_named() -> None:
    """Sources of kernels, strays, missing kernels, files and addresses, and a large wheel."""
    whole = ["sudokucrypt/__init__.py", "sudokucrypt-1.0.0.dist-info/RECORD"]
    whole += [f"sudokucrypt-1.0.0.data/{name}" for name in ("", *sorted(release.DATA))]
    whole += [f"{name.replace('.', '/')}.abi3.so" for name in release.KERNELS]
    assert not list(release.wheel_faults(whole, release.MOST_BYTES))
    whole.remove(f"sudokucrypt-1.0.0.data/{(page := 'data/share/man/man1/sudokucrypt.1')}")
    faults = list(release.wheel_faults(["sudokucrypt/a.pyx", "tests/b.py", *whole[1:-1]], 10**7))
    expected = ["kernel, sudokucrypt/a.pyx", "tests/b.py beside", f"lacks {page}"]
    expected += ["lacks sudokucrypt.", "10,000,000"]
    assert len(faults) == len(expected)
    assert all(sum(text in fault for fault in faults) == 1 for text in expected), faults
    archive = ["sudokucrypt-1.0.0", "sudokucrypt-1.0.0/README.md", "sudokucrypt-1.0.0/PKG-INFO"]
    assert not list(release.archive_faults(archive, ["README.md"]))
    faults = list(release.archive_faults([*archive, "s/a.so"], ["README.md", "docs/index.md"]))
    assert faults[0] == "the source archive lacks docs/index.md"
    assert faults[1].startswith("the source archive has a.so")
    assert len(list(release.publishing_faults({"project": {}}, "", ""))) == len(release.URLS) + 1


def test_one_version_is_released() -> None:
    """Package, citation and the first entry of the changelog name one version, and one date."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (?!Unreleased$)(.+)", changes, re.MULTILINE)
    assert heads[0] == f"{cited['version']} - {cited['date-released']}"
    assert cited["version"] == __version__


def test_the_manual_page_is_that_of_the_program() -> None:
    """The wheel installs a page that `python -m docs.manpage` would write today."""
    assert manpage.PAGE.read_text(encoding="utf-8") == manpage.manpage(), "run docs.manpage again"


@pytest.mark.slow
def test_figures_are_those_of_the_code(tmp_path: Path) -> None:
    """Pictures equal those of the documentation up to their labels; diagrams have their words."""
    main(tmp_path)
    assert {path.name for path in IMAGES.iterdir()} == FIGURES.keys()
    for name in FIGURES:
        paths = [folder / name for folder in (tmp_path, IMAGES)]
        if name.endswith(".png"):
            drawn, kept = (np.asarray(Image.open(path), dtype=float) for path in paths)
            assert drawn.shape == kept.shape, name
            assert np.mean(drawn != kept) < 0.02, name
        else:
            roots = [ET.parse(path).getroot() for path in paths]  # noqa: S314 - drawn by us
            words = [{text.strip() for text in root.itertext()} for root in roots]
            assert words[0] == words[1], name

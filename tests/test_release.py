"""Files of a release: recipes for packagers, source archives, and checks of their content."""

import io
import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

from sudokucrypt.kernels.packing import find_commit_time, normalize_archive
from tests import release
from tests.test_docs import ROOT


def test_recipes_of_other_packagers_name_what_is_needed() -> None:
    """Recipes contain the requirements of pyproject.toml, existing files, and no placeholder."""
    version, url, digest = "1.2.3", "file:///sudokucrypt-1.2.3.tar.gz", "0" * 64
    texts = {
        path.suffix: release.fill_recipe(path.read_text(encoding="utf-8"), version, url, digest)
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
        conda_requirements = [line.replace(" ", "") for line in conda["requirements"][name]]
        assert sorted(conda_requirements) == sorted([python, *requirements])
    assert conda["build"]["python"]["entry_points"] == [
        f"{name} = {target}" for name, target in project["scripts"].items()
    ]
    for name in re.findall(r'install "([^"]+)"', texts[".rb"]):
        assert (ROOT / name).is_file(), name


@pytest.mark.programs("ruby")
def test_ruby_reads_the_recipe_for_homebrew() -> None:
    """Ruby accepts the recipe for Homebrew without warnings."""
    (path,) = release.RECIPES.glob("*.rb")
    text = release.fill_recipe(
        path.read_text(encoding="utf-8"), "1.2.3", "file:///a.tar.gz", "0" * 64
    )
    subprocess.run(["ruby", "-wc"], input=text.encode(), check=True)


def test_rattler_build_takes_the_conda_recipe() -> None:
    """rattler-build accepts the conda recipe, and plans one package."""
    rattler = pytest.importorskip("rattler_build", reason="py-rattler-build is not installed")
    template = (release.RECIPES / "recipe.yaml").read_text(encoding="utf-8")
    text = release.fill_recipe(template, "1.2.3", "file:///sudokucrypt-1.2.3.tar.gz", "0" * 64)
    (package,) = rattler.Stage0Recipe.from_yaml(text).render(rattler.VariantConfig())
    assert "package='sudokucrypt', version='1.2.3'" in repr(package)
    assert "host=5, run=7" in repr(package.recipe.requirements)


def test_archives_of_one_commit_are_equal() -> None:
    """A source archive depends only on names, contents and modes, not on owner, order or time."""

    def pack_archive(order: int, owner: int) -> bytes:
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w:gz") as archive:
            for name in ("a/x.py", "a/run", "a/y.py")[::order]:
                member = tarfile.TarInfo(name)
                member.size, member.mtime, member.uid = len(name), owner, owner
                member.mode = (0o644 | owner % 64) | (0o111 if name == "a/run" else 0)
                archive.addfile(member, io.BytesIO(name.encode()))
        return normalize_archive(stream.getvalue(), 1_700_000_000)

    first_archive = pack_archive(1, 0)
    assert first_archive == pack_archive(-1, 16)
    with tarfile.open(fileobj=io.BytesIO(first_archive)) as archive:
        assert [(member.name, member.mode, member.uid, member.mtime) for member in archive] == [
            ("a/run", 0o755, 0, 1_700_000_000),
            ("a/x.py", 0o644, 0, 1_700_000_000),
            ("a/y.py", 0o644, 0, 1_700_000_000),
        ]
        assert archive.extractfile("a/y.py").read() == b"a/y.py"  # type: ignore[union-attr]


def test_the_time_is_that_of_the_commit(tmp_path: Path) -> None:
    """The time of an archive is that of the commit; without git it is in the settings."""
    settings = tmp_path / "pyproject.toml"
    settings.touch()
    os.utime(settings, (1_500_000_000, 1_500_000_000))
    assert find_commit_time(tmp_path) == 1_500_000_000
    (tmp_path / ".git").touch()
    assert find_commit_time(tmp_path) == 1_500_000_000
    (tmp_path / ".git").unlink()
    date = {"GIT_COMMITTER_DATE": "1600000000 +0000", "GIT_CONFIG_GLOBAL": os.devnull}
    for words in ("init -q", "-c user.name=a -c user.email=b commit -qm c --allow-empty"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, env=os.environ | date, check=True)
    assert find_commit_time(tmp_path) == 1_600_000_000


def test_faults_of_release_files() -> None:
    """Kernel sources, stray or missing files, missing addresses and large wheels are reported."""
    complete_names = ["sudokucrypt/__init__.py", "sudokucrypt-1.0.0.dist-info/RECORD"]
    complete_names += [f"sudokucrypt-1.0.0.data/{name}" for name in ("", *sorted(release.DATA))]
    complete_names += [f"{name.replace('.', '/')}.abi3.so" for name in release.MODULES]
    assert not list(release.find_wheel_faults(complete_names, release.MOST_BYTES))
    complete_names.remove(f"sudokucrypt-1.0.0.data/{(page := 'data/share/man/man1/sudokucrypt.1')}")
    faults = list(
        release.find_wheel_faults(["sudokucrypt/a.pyx", "tests/b.py", *complete_names[1:-1]], 10**7)
    )
    expected = ["kernel, sudokucrypt/a.pyx", "tests/b.py beside", f"lacks {page}"]
    expected += ["lacks sudokucrypt.", "10,000,000"]
    assert len(faults) == len(expected)
    assert all(sum(text in fault for fault in faults) == 1 for text in expected), faults
    archive = ["sudokucrypt-1.0.0", "sudokucrypt-1.0.0/README.md", "sudokucrypt-1.0.0/PKG-INFO"]
    assert not list(release.find_archive_faults(archive, ["README.md"]))
    faults = list(release.find_archive_faults([*archive, "s/a.so"], ["README.md", "docs/index.md"]))
    assert faults[0] == "the source archive lacks docs/index.md"
    assert faults[1].startswith("the source archive has a.so")
    assert (
        len(list(release.find_publishing_faults({"project": {}}, "", ""))) == len(release.URLS) + 1
    )

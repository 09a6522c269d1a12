"""Build the files of a release, and test them as users will use them: ``python tests/release.py``.

The source archive and, from it, the wheel are built twice with the same bytes, checked, and
installed in fresh environments: the archive without a C compiler, and the wheel on each installed
Python of `PYTHONS`. There the demonstration runs, and pictures, a file and a Sudoku are processed.
A list of the installed packages (CycloneDX) is written next to the wheel. The script needs git, a C
compiler and the packages of ``.github/release-lock.txt``.
With ``--output``, the files are kept in this folder.
With ``--publish``, nothing is built if addresses are missing that a published release needs.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
sys.path.append(str(ROOT))  # for a run as a script

from sudokucrypt.kernels.building import KERNEL_NAMES, SHARED_MODULE  # noqa: E402
from sudokucrypt.kernels.packing import find_commit_time  # noqa: E402

MODULES = {*KERNEL_NAMES, SHARED_MODULE}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MOST_BYTES = 2_400_000
"""How large the wheel may be: 2 MB of code, data and what `help` shows, and the model of faces."""

NUMBER = "3083955078506516235000"
GRID = "716345928894712563235698741487569132159234876623871459971426385368157294542983617"
DATA = {
    f"data/{folder}/{Path(file).name}"
    for folder, files in SETTINGS["tool"]["setuptools"]["data-files"].items()
    for file in files
}
"""What the wheel installs beside the package: a manual page and completion for shells."""

URLS = ("Documentation", "Security", "Source")
"""What ``[project.urls]`` must name before anything is published."""

RECIPES = ROOT / "docs" / "development" / "packaging"
"""Templates for packagers that are not pip."""

PICTURES = ROOT / "samples" / "pictures"


def main() -> int:
    """Build, check, install and test all files; return 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="keep the archive and the wheel here")
    parser.add_argument(
        "--publish", action="store_true", help="refuse to build what lacks addresses of the project"
    )
    arguments = parser.parse_args()
    output: Path | None = arguments.output
    if arguments.publish and (
        faults := list(find_publishing_faults(SETTINGS, *_read_public_texts()))
    ):
        print(*(f"wrong: {fault}" for fault in faults), sep="\n")
        print("docs/development/release.md says where addresses are set; nothing was built")
        return 1
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-release-") as name:
        scratch = Path(name)
        archive_name, wheel = _build_parts(scratch / "first")
        second_build = _build_parts(scratch / "second")
        with tarfile.open(archive_name) as archive_file:
            faults = [*find_archive_faults(archive_file.getnames(), _list_tracked())]
        with zipfile.ZipFile(wheel) as zipped:
            faults += find_wheel_faults(zipped.namelist(), wheel.stat().st_size)
        for first_path, second_path in zip((archive_name, wheel), second_build, strict=True):
            if first_path.read_bytes() != second_path.read_bytes():
                faults.append(f"two builds of {first_path.name} differ")
        for fault in faults:
            print("wrong:", fault)
        _run_tool("twine", "check", "--strict", str(archive_name), str(wheel))
        for version in PYTHONS:
            if python := find_python(version):
                print(f"the wheel on Python {version} ({python})", flush=True)
                _test_package(python, wheel, scratch, compiled=True)
            else:
                print(f"Python {version} is not found: the wheel is not tried on it")
        print("the source archive without a C compiler", flush=True)
        _test_package(sys.executable, archive_name, scratch, compiled=False)
        materials = _write_bill_of_materials(wheel, scratch)
        for file in (
            archive_name,
            wheel,
            materials,
            *_write_recipes(archive_name, publish=arguments.publish),
        ):
            print(f"{file.stat().st_size:10,} bytes  {file.name}")
            if output:
                output.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, output)
    return 1 if faults else 0


def find_publishing_faults(settings: dict[str, Any], citation: str, policy: str) -> Iterator[str]:
    """Return which addresses are missing in the settings, CITATION.cff and docs/SECURITY.md."""
    urls = settings["project"].get("urls", {})
    for name in URLS:
        if not urls.get(name):
            yield f"[project.urls] in pyproject.toml lacks {name}"
    if not re.search(r"^repository-code: *\S", citation, re.MULTILINE):
        yield "CITATION.cff lacks repository-code"
    contact = urls.get("Security", "")
    if contact.removeprefix("mailto:") not in policy:
        yield f"docs/SECURITY.md does not name {contact}, which [project.urls] calls Security"


def find_wheel_faults(names: Iterable[str], size: int) -> Iterator[str]:
    """Return which files a wheel lacks or must not have, and whether it is too large."""
    result = [name for name in names if not name.endswith("/")]
    for name in result:
        if Path(name).suffix in {".c", ".h", ".pxi", ".pyx"}:
            yield f"the wheel has source code of a kernel, {name}"
        if (
            not re.match(r"sudokucrypt(-[^/]+\.dist-info)?/", name)
            and _strip_data_prefix(name) not in DATA
        ):
            yield f"the wheel installs {name} beside the package"
    for name in sorted(DATA - {_strip_data_prefix(name) for name in result}):
        yield f"the wheel lacks {name}"
    built = {re.sub(r"\.abi3\.(so|pyd)$|\.pyd$", "", name).replace("/", ".") for name in result}
    for kernel in sorted(MODULES - built):
        yield f"the wheel lacks {kernel}"
    if size > MOST_BYTES:
        yield f"the wheel has {size:,} bytes, more than {MOST_BYTES:,}"


def find_archive_faults(names: Iterable[str], tracked_names: Iterable[str]) -> Iterator[str]:
    """Return which tracked files a source archive lacks, and whether it has compiled files."""
    result = {name.partition("/")[2] for name in names}
    for name in sorted(set(tracked_names) - result):
        yield f"the source archive lacks {name}"
    for name in sorted(result - set(tracked_names)):
        if Path(name).suffix in {".c", ".pyc", ".pyd", ".so"}:
            yield f"the source archive has {name}, which is built from it"


def find_python(version: str) -> str | None:
    """Return the path of the Python of a version such as 3.12, or None."""
    if version == "{}.{}".format(*sys.version_info):
        return sys.executable
    # pyenv has a command for each version, which fails unless this variable chooses the version.
    environment = {**_make_environment(), "PYENV_VERSION": version}
    script = "import sys; print(sys.executable, '{}.{}'.format(*sys.version_info), sep='\\n')"
    commands = [[f"python{version}"], ["py", f"-{version}"]]
    if (uv_path := shutil.which("uv")) is not None:
        commands.append(
            [uv_path, "run", "--no-project", "--no-python-downloads", "-p", version, "python"]
        )
    for command in commands:
        if shutil.which(command[0]):
            process = subprocess.run(
                [*command, "-c", script],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            path, _, result = process.stdout.strip().partition("\n")
            if process.returncode == 0 and result == version:
                return path
    return None


def _strip_data_prefix(name: str) -> str:
    """Return the path of a file of a wheel without the name and version of the package."""
    return re.sub(r"^sudokucrypt-[^/]+\.data/", "", name)


def _read_public_texts() -> list[str]:
    return [
        (ROOT / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "docs/SECURITY.md")
    ]


def _build_parts(scratch: Path) -> tuple[Path, Path]:
    """Build the archive, and from it the wheel, which is repaired for other Linux systems.

    The build tools of this environment are used, whose hashes are locked. An isolated environment
    would install the newest tools.
    """
    built = scratch / "built"
    _run_tool("build", "--no-isolation", "--sdist", "--outdir", str(built), str(ROOT))
    archive = next(built.glob("*.tar.gz"))
    with tarfile.open(archive) as archive_file:
        archive_file.extractall(scratch, filter="data")
    source = scratch / archive.name.removesuffix(".tar.gz")
    _run_tool("build", "--no-isolation", "--wheel", "--outdir", str(built), str(source))
    wheel = next(built.glob("*.whl"))
    if sys.platform == "linux":
        repaired = scratch / "repaired"
        _run_tool(
            *("auditwheel", "repair", "-z", "9", "--wheel-dir", str(repaired), str(wheel)),
            SOURCE_DATE_EPOCH=str(find_commit_time(ROOT)),
        )
        wheel = next(repaired.glob("*.whl"))
    return archive, wheel


def fill_recipe(template: str, version: str, url: str, digest: str) -> str:
    """Fill the version, address and hash into the template of a recipe for a packager."""
    for placeholder, text in {"@VERSION@": version, "@URL@": url, "@SHA256@": digest}.items():
        template = template.replace(placeholder, text)
    return template


def _write_recipes(archive: Path, *, publish: bool) -> Iterator[Path]:
    """Write recipes that build the local archive, or with `publish` the published one."""
    version = archive.name.removeprefix("sudokucrypt-").removesuffix(".tar.gz")
    url = archive.as_uri()
    if publish:
        home = SETTINGS["project"]["urls"]["Source"]
        url = f"{home}/releases/download/v{version}/{archive.name}"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    for path in sorted(RECIPES.iterdir()):
        target = archive.with_name(path.name)
        text = fill_recipe(path.read_text(encoding="utf-8"), version, url, digest)
        target.write_text(text, encoding="utf-8")
        yield target


def _write_bill_of_materials(wheel: Path, scratch: Path) -> Path:
    """Write a CycloneDX list of the packages that a wheel installs; return its path."""
    environment = scratch / "materials"
    _run(sys.executable, "-m", "venv", "--without-pip", str(environment), cwd=scratch)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    _run(
        *(sys.executable, "-m", "pip", "--python", str(python), "install", "-q", str(wheel)),
        cwd=scratch,
    )
    path = scratch / f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json"
    _run_tool(
        *("cyclonedx_py", "environment", "--output-reproducible", "--output-file", str(path)),
        *("--pyproject", str(ROOT / "pyproject.toml"), str(python)),
    )
    return path


def _test_package(python: str, package: Path, scratch: Path, *, compiled: bool) -> None:
    """Install a package in a fresh environment, and test it there."""
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        folder = Path(name)
        _run(python, "-m", "venv", str(folder / "venv"), cwd=folder)
        scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        cc = {} if compiled else {"CC": "false"}
        _run(str(scripts / "python"), "-m", "pip", "install", "-q", str(package), cwd=folder, **cc)
        code = "from sudokucrypt.kernels import is_compiled; print(is_compiled())"
        if _run(str(scripts / "python"), "-c", code, cwd=folder).strip() != str(compiled):
            raise SystemExit(f"wrong: compiled kernels were {'not ' * compiled}used")
        _test_program(scripts / "sudokucrypt", folder)


def _test_program(program: Path, folder: Path) -> None:
    """Run the demonstration, protect and restore a file and a picture, and make a grid."""

    def use(*arguments: str) -> str:
        return _run(str(program), *arguments, cwd=folder)

    use("demo")
    use("keygen", "-o", "my.key")
    photo, picture = PICTURES / "chelsea.jpg", PICTURES / "astronaut.png"
    use("encrypt", str(photo), "-o", "secret.png", "--key", "my.key")
    use("decrypt", "secret.png", "-o", "again.jpg", "--key", "my.key")
    if (folder / "again.jpg").read_bytes() != photo.read_bytes():
        raise SystemExit(f"wrong: {photo.name} did not come back")
    use("scramble", str(picture), "-o", "hidden.png", "--key", "my.key")
    use("unscramble", "hidden.png", "-o", "again.png", "--key", "my.key")
    if use("sudoku", "unrank", NUMBER).strip() != GRID:
        raise SystemExit(f"wrong: the grid with number {NUMBER} is another one")
    if (page := use("page").strip()) not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        raise SystemExit(f"wrong: CHANGELOG.md lacks the SHA-256 of the page, {page}")


def _list_tracked() -> list[str]:
    """Return the names of existing files that git tracks."""
    names = _run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    return [name for name in names if (ROOT / name).is_file()]


def _run_tool(module: str, *arguments: str, **variables: str) -> None:
    """Run a tool of the group ``release``; it finds other tools next to this Python."""
    search_path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    _run(sys.executable, "-m", module, *arguments, cwd=ROOT, PATH=search_path, **variables)


def _run(*command: str, cwd: Path, **variables: str) -> str:
    """Return the output of a command; if it fails, exit with the output as message."""
    process = subprocess.run(
        command,
        cwd=cwd,
        env={**_make_environment(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise SystemExit(f"{process.stdout}{process.stderr}wrong: {' '.join(command)} failed")
    return process.stdout


def _make_environment() -> dict[str, str]:
    """Return an environment without settings of the developer."""
    dropped = ("PYTHONPATH", "SUDOKUCRYPT_", "VIRTUAL_ENV")
    return {name: text for name, text in os.environ.items() if not name.startswith(dropped)}


if __name__ == "__main__":
    sys.exit(main())

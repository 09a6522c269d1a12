"""Run the tests of the kernels on builds that check every access.

``python tests/check.py --debug-kernels`` copies the package to a scratch folder, compiles the
kernels there with Cython's bounds checks and the sanitizers of the C compiler (GCC or Clang on
Linux), and runs the tests that use them.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILER = os.environ.get("CC", "cc")
SANITIZERS = "-fsanitize=address,undefined"
DIRECTIVES = ("boundscheck", "wraparound", "initializedcheck", "overflowcheck")


def main() -> int:
    """Build, run, and return pytest's exit code."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-debug-") as folder:
        copy = Path(folder)
        hidden = shutil.ignore_patterns("*.so", "__pycache__")
        for name in ("sudokucrypt", "tests", "samples"):
            shutil.copytree(ROOT / name, copy / name, ignore=hidden)
        shutil.copy(ROOT / "pyproject.toml", copy)
        for extension in settings["tool"]["setuptools"]["ext-modules"]:
            if extension["sources"]:
                _build(copy, extension["sources"])
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-m", "not slow", "tests/bijections", "tests/sudoku"]
        command += ["tests/images/jpeg", "tests/robust", "tests/vectors"]
        return subprocess.run(command, cwd=copy, env=_environment(), check=False).returncode


def _build(copy: Path, sources: list[str]) -> None:
    """Compile a kernel with checks, beside its source in Cython, the first of all."""
    include = sysconfig.get_paths()["include"]
    compiler = [COMPILER, "-g", "-O1", SANITIZERS, "-fno-omit-frame-pointer", "-shared", "-fPIC"]
    module, *loops = sources
    # The deducing kernel takes the lowest bit from sets that may be empty.
    checks = [name for name in DIRECTIVES if name != "overflowcheck" or "deducing" not in module]
    options = [f"-X{name}=True" for name in checks]
    stem = module.removesuffix(".pyx")
    subprocess.run([sys.executable, "-m", "cython", "-3", *options, module], cwd=copy, check=True)
    target = stem + sysconfig.get_config_var("EXT_SUFFIX")
    build = [*compiler, f"-I{include}", f"{stem}.c", *loops, "-o", target]
    subprocess.run(build, cwd=copy, check=True)


def _environment() -> dict[str, str]:
    """Load the sanitizer before Python, which was built without it."""
    find = [COMPILER, "-print-file-name=libasan.so"]
    library = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
    return {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "halt_on_error=1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


if __name__ == "__main__":
    sys.exit(main())

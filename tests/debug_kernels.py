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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))  # when run as a script

from sudokucrypt.kernels.building import (  # noqa: E402
    HEADER_FOLDER,
    KERNEL_NAMES,
    compute_source_mark,
    list_sources,
)

COMPILER = os.environ.get("CC", "cc")
SANITIZERS = "-fsanitize=address,undefined"
UNCHECKED = ("sudokucrypt.sudoku._kernels.deducing",)
DIRECTIVES = ("boundscheck", "wraparound", "initializedcheck", "overflowcheck")


def main() -> int:
    """Build the kernels, run their tests and return pytest's exit code."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-debug-") as folder:
        copy = Path(folder)
        ignore_built_files = shutil.ignore_patterns("*.so", "__pycache__")
        for name in ("docs", "sudokucrypt", "tests", "samples"):
            shutil.copytree(ROOT / name, copy / name, ignore=ignore_built_files)
        shutil.copy(ROOT / "pyproject.toml", copy)
        for name in KERNEL_NAMES:
            _build(copy, name)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-m", "not slow", "tests/bijections", "tests/sudoku"]
        command += ["tests/images/jpeg", "tests/robust", "tests/vectors"]
        return subprocess.run(command, cwd=copy, env=_make_environment(), check=False).returncode


def _build(copy: Path, name: str) -> None:
    """Compile a kernel with checks, next to its Cython source."""
    include = sysconfig.get_paths()["include"]
    compiler = [COMPILER, "-g", "-O1", SANITIZERS, "-fno-omit-frame-pointer", "-shared", "-fPIC"]
    text, *loops = (str(path.relative_to(ROOT)) for path in list_sources(name))
    # Kernels in UNCHECKED take the lowest bit from sets that may be empty.
    sanitizer_options = [
        directive
        for directive in DIRECTIVES
        if directive != "overflowcheck" or name not in UNCHECKED
    ]
    options = [f"-X{directive}=True" for directive in sanitizer_options]
    module_name = text.removesuffix(".pyx")
    subprocess.run([sys.executable, "-m", "cython", "-3", *options, text], cwd=copy, check=True)
    with (copy / f"{module_name}.c").open("a", encoding="utf-8") as file:
        file.write(f'\nconst char sudokucrypt_text[] = "{compute_source_mark(name)}";\n')
    target = module_name + sysconfig.get_config_var("EXT_SUFFIX")
    build = [
        *compiler,
        f"-I{include}",
        f"-I{HEADER_FOLDER}",
        f"{module_name}.c",
        *loops,
        "-o",
        target,
    ]
    subprocess.run(build, cwd=copy, check=True)


def _make_environment() -> dict[str, str]:
    """Return an environment that loads the sanitizer before Python, which was built without it."""
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

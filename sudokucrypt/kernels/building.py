"""Compile the kernels side by side, when the package is built: pyproject.toml says all else.

Cython is not made for threads, and what it writes must not depend on what it wrote before. So each
kernel is translated by a process of its own, and builds of one text are equal. A kernel holds a
digest of its text, by which the tests find one that is older.
"""

import multiprocessing
import os
import re
import subprocess
import sys
from hashlib import sha256
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError

from distutils.command.build_ext import build_ext as compile_only  # isort: skip - setuptools has it

ROOT = Path(__file__).resolve().parents[2]

SHARED = "sudokucrypt._cyutility"
"""What Cython would add to each kernel: it writes this module itself."""

# Python's own flags ask for debug symbols, which make the kernels five times as large: -g0 drops
# them. The limited API of Python 3.11 makes one build serve every later version.
FLAGS = ["-g0", "-DPy_LIMITED_API=0x030B0000"]

# Names of private functions are a twelfth of a kernel; linkers of other systems have other words.
LINKING = ["-s"] if sys.platform == "linux" else []

HEADERS = "sudokucrypt/kernels"
"""Where the headers are that every kernel may name."""

LOOPS = {
    "sudokucrypt.bijections._kernels.passes": ["fused_pass.c", "gathering.c", "tables.c"],
    "sudokucrypt.images.jpeg._kernels.entropy": ["coding.c", "decoding.c"],
    "sudokucrypt.robust._kernels.blocks": ["colors.c", "transform.c"],
}
"""What some kernels have in C, in the folder ``loops`` next to them."""

LEVELS = {
    "sudokucrypt.sudoku._kernels.deducing": "-O3",  # the first, since it takes longest
    SHARED: "-O1",
    "sudokucrypt.bijections._kernels.passes": "-O3",
    "sudokucrypt.sudoku._kernels.search": "-O2",
    "sudokucrypt.sudoku._kernels.numbering": "-O3",
    "sudokucrypt.images.jpeg._kernels.entropy": "-O3",
    "sudokucrypt.sudoku._kernels.solver": "-O3",
    "sudokucrypt.sudoku._kernels.stirring": "-O2",
    "sudokucrypt.sudoku._kernels.canonical": "-O3",
    "sudokucrypt.sudoku._kernels.orbits": "-O2",
    "sudokucrypt.robust._kernels.blocks": "-O3",
    "sudokucrypt.draws._kernels.shuffle": "-O3",
    "sudokucrypt.images.png._kernels.filters": "-O3",
    "sudokucrypt.ciphers._kernels.mantissas": "-O3",
}
"""How far the compiler goes for each module: less where that was measured to be as fast."""

KERNELS = [name for name in LEVELS if name != SHARED]

# Lines of Cython and of C that name another file.
_NAMES_FILE = re.compile(r'^\s*(?:#\s*include|include|cdef extern from)\s+"([^"]+)"', re.MULTILINE)


def list_sources(name: str) -> list[Path]:
    """Return the text of a kernel in Cython, and then its loops in C."""
    text = ROOT.joinpath(*name.split(".")).with_suffix(".pyx")
    return [text, *(text.parent / "loops" / loop for loop in LOOPS.get(name, []))]


def mark(name: str) -> str:
    """Return what a kernel holds that was built from its text as it is: a digest of all files."""
    digest = sha256(f"{name} {LEVELS[name]} {FLAGS} {LINKING}".encode())
    waiting, seen = [] if name == SHARED else list_sources(name), set()
    while waiting:
        path = waiting.pop().resolve()
        if path not in seen and path.exists():  # headers of the system are elsewhere
            seen.add(path)
            text = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(text)
            waiting += [path.parent / other for other in _NAMES_FILE.findall(text.decode())]
    return f"text {digest.hexdigest()}"


class BuildModules(build_py):
    """Copy the modules, and drop what an earlier build left among them: wheels would take it."""

    def run(self) -> None:
        """Copy them into the folder that is packed, which may be there."""
        super().run()
        if self.editable_mode:
            return
        compiled = self.get_finalized_command("build_ext").get_outputs()
        known = {Path(path).resolve() for path in [*self.get_outputs(), *compiled]}
        for path in Path(self.build_lib).rglob("*"):
            if path.is_file() and path.resolve() not in known:
                path.unlink()


class BuildKernels(build_ext):
    """Compile what is not up to date, on all cores that may be used."""

    extensions: list[Extension]

    def finalize_options(self) -> None:
        """Take all modules: pyproject.toml names one, so that builders know of compiled code."""
        if self.distribution.ext_modules and len(self.distribution.ext_modules) == 1:
            self.distribution.ext_modules = extensions()
        super().finalize_options()

    def build_extensions(self) -> None:
        """Build nothing where there is no compiler: the package does without."""
        self.parallel = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else True
        self.extensions = [
            each for each in self.extensions if self.force or not self._is_fresh(each)
        ]
        if self.extensions and not self._can_compile():
            self.warn("no C compiler with the headers of Python: kernels are left out")
            self.extensions = []
        if self.extensions:
            self._translate()
        super().build_extensions()

    def build_extension(self, extension: Extension) -> None:
        """Compile what Cython has written."""
        target = self._get_target(extension)
        if not target.exists():
            raise CompileError(f"Cython could not translate {extension.name}")
        with target.open("a", encoding="utf-8") as file:
            file.write(f'\nconst char sudokucrypt_text[] = "{_get_stamp(extension.name)}";\n')
        extension.export_symbols.append("sudokucrypt_text")
        folder = str(list_sources(extension.name)[0].parent.relative_to(ROOT))
        extension.include_dirs += [folder, HEADERS]
        extension.sources = [str(target), *extension.sources[1:]]
        # Not that of setuptools, in which Cython would translate all in one process.
        compile_only.build_extension(self, extension)

    def _is_fresh(self, extension: Extension) -> bool:
        """Return whether a module is there that was built from what is here."""
        path = Path(self.get_ext_fullpath(extension.name))
        return path.exists() and _get_stamp(extension.name).encode() in path.read_bytes()

    def _get_target(self, extension: Extension) -> Path:
        return Path(self.build_temp, *extension.name.split(".")).with_suffix(".c").resolve()

    def _can_compile(self) -> bool:
        with TemporaryDirectory() as scratch:
            probe = Path(scratch, "probe.c")
            probe.write_text("#include <Python.h>\n", encoding="utf-8")
            try:
                self.compiler.compile([str(probe)], output_dir=scratch)
            except CompileError:
                return False
        return True

    def _translate(self) -> None:
        """Let Cython write the C of all modules, each in a process that translates nothing else."""
        waiting = []
        for extension in self.extensions:
            target = self._get_target(extension)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            if extension.name == SHARED:
                waiting.append(["--generate-shared", str(target)])
            else:
                names = ["--shared", SHARED, "--module-name", extension.name]
                waiting.append([*names, "-o", str(target), extension.sources[0]])
        if not hasattr(os, "fork"):
            for words in waiting:
                subprocess.run([sys.executable, "-m", "cython", "-3", *words], check=False)  # noqa: S603 - our own words
            return
        # What all of them load and read takes longer than most kernels: it is done before.
        with TemporaryDirectory() as scratch:
            warm = Path(scratch, "warm.pyx")
            warm.write_text(_WARM, encoding="utf-8")
            _run_cython(["--shared", SHARED, str(warm)])
        forks = multiprocessing.get_context("fork")
        running: list[Any] = []
        for words in waiting:
            if len(running) == self.parallel:
                wait([process.sentinel for process in running])
                running = [process for process in running if process.is_alive()]
            running.append(forks.Process(target=_run_cython, args=(words,)))
            running[-1].start()
        for process in running:
            process.join()


_WARM = """
def warm(const int[::1] given):
    cdef int[::1] taken = given.copy()
    return taken[0]
"""


def _run_cython(words: list[str]) -> None:
    from Cython.Compiler.Main import main

    before, sys.argv = sys.argv, ["cython", "-3", *words]
    try:
        main(command_line=1)
    finally:
        sys.argv = before


def _get_stamp(name: str) -> str:
    from Cython import __version__ as version

    return f"{mark(name)} by Cython {version}"


def extensions() -> list[Extension]:
    """Return all modules that are compiled."""
    return [
        Extension(
            name,
            [str(path.relative_to(ROOT)) for path in list_sources(name)] if name != SHARED else [],
            extra_compile_args=[level, *FLAGS],
            extra_link_args=LINKING,
            py_limited_api=True,
            optional=True,
        )
        for name, level in LEVELS.items()
    ]

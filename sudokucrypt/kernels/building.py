"""Compile the kernels in parallel when the package is built; pyproject.toml has all other settings.

Cython does not support threads, and its output for one kernel must not depend on an earlier
kernel. So each kernel is translated by a separate process, and builds of the same sources are
equal. A kernel contains a digest of its sources, by which the tests find outdated kernels.
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

from distutils.command.build_ext import build_ext as compile_only  # isort: skip - from setuptools

ROOT = Path(__file__).resolve().parents[2]

SHARED_MODULE = "sudokucrypt._cyutility"
"""The module of utility code that Cython would otherwise add to each kernel."""

# Python's own flags ask for debug symbols, which make the kernels five times as large: -g0 drops
# them. Tables of stack frames make the kernels 5 % larger, and only debuggers and C++ exceptions
# need them. With the limited API of Python 3.11, one build works in every later version, too.
COMPILER_FLAGS = ["-g0", "-fno-asynchronous-unwind-tables", "-DPy_LIMITED_API=0x030B0000"]

# The names of private functions are a twelfth of the size of a kernel, so the linker removes them.
# Linkers of other systems than Linux lack this option.
LINK_FLAGS = ["-s"] if sys.platform == "linux" else []

HEADER_FOLDER = "sudokucrypt/kernels"
"""The folder of the headers that every kernel may include."""

C_SOURCES = {
    "sudokucrypt.bijections._kernels.passes": ["fused_pass.c", "gathering.c", "tables.c"],
    "sudokucrypt.images.jpeg._kernels.entropy": ["coding.c", "decoding.c"],
    "sudokucrypt.robust._kernels.blocks": ["colors.c", "transform.c"],
}
"""The C files of some kernels, in the folder ``loops`` next to them."""

OPTIMIZATION_LEVELS = {
    "sudokucrypt.sudoku._kernels.deducing": "-O2",  # compiled first, since it takes longest
    SHARED_MODULE: "-O1",
    "sudokucrypt.bijections._kernels.passes": "-O3",
    "sudokucrypt.sudoku._kernels.search": "-O2",
    "sudokucrypt.sudoku._kernels.numbering": "-O3",
    "sudokucrypt.images.jpeg._kernels.entropy": "-O3",
    "sudokucrypt.sudoku._kernels.solver": "-O2",
    "sudokucrypt.sudoku._kernels.stirring": "-O2",
    "sudokucrypt.sudoku._kernels.canonical": "-O3",
    "sudokucrypt.sudoku._kernels.orbits": "-O2",
    "sudokucrypt.robust._kernels.blocks": "-O3",
    "sudokucrypt.draws._kernels.shuffle": "-O3",
    "sudokucrypt.images.png._kernels.filters": "-O3",
    "sudokucrypt.ciphers._kernels.mantissas": "-O3",
}
"""The optimization level of each module, in order of compilation.

It is lower where measurements showed a loss of speed of at most 2 %.
"""

KERNEL_NAMES = [name for name in OPTIMIZATION_LEVELS if name != SHARED_MODULE]

# Lines of Cython and C that include another file.
_INCLUDE_LINE = re.compile(
    r'^\s*(?:#\s*include|include|cdef extern from)\s+"([^"]+)"', re.MULTILINE
)


def list_sources(name: str) -> list[Path]:
    """Return the Cython source of a kernel, followed by its C sources."""
    text = ROOT.joinpath(*name.split(".")).with_suffix(".pyx")
    return [text, *(text.parent / "loops" / file_name for file_name in C_SOURCES.get(name, []))]


def compute_source_mark(name: str) -> str:
    """Return the text that marks a kernel built from the current sources: their digest."""
    digest = sha256(f"{name} {OPTIMIZATION_LEVELS[name]} {COMPILER_FLAGS} {LINK_FLAGS}".encode())
    unread_paths, read_paths = [] if name == SHARED_MODULE else list_sources(name), set()
    while unread_paths:
        path = unread_paths.pop().resolve()
        if path not in read_paths and path.exists():  # skips system headers, which are elsewhere
            read_paths.add(path)
            text = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(text)
            unread_paths += [
                path.parent / included_name
                for included_name in _INCLUDE_LINE.findall(text.decode())
            ]
    return f"text {digest.hexdigest()}"


class BuildModules(build_py):
    """Copy the modules, and delete files of an earlier build, to keep them out of wheels."""

    def run(self) -> None:
        """Copy the modules into the build folder, and delete all unknown files there."""
        super().run()
        if self.editable_mode:
            return
        compiled_paths = self.get_finalized_command("build_ext").get_outputs()
        known_paths = {Path(path).resolve() for path in [*self.get_outputs(), *compiled_paths]}
        for path in Path(self.build_lib).rglob("*"):
            if path.is_file() and path.resolve() not in known_paths:
                path.unlink()


class BuildKernels(build_ext):
    """Compile the kernels that are not up to date, on all available cores."""

    extensions: list[Extension]

    def finalize_options(self) -> None:
        """Replace the placeholder module of pyproject.toml by all modules to compile."""
        if self.distribution.ext_modules and len(self.distribution.ext_modules) == 1:
            self.distribution.ext_modules = list_extensions()
        super().finalize_options()

    def build_extensions(self) -> None:
        """Build the outdated kernels if there is a compiler; otherwise, fallbacks are used."""
        self.parallel = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else True
        self.extensions = [
            extension
            for extension in self.extensions
            if self.force or not self._is_up_to_date(extension)
        ]
        if self.extensions and not self._can_compile():
            self.warn("no C compiler with the headers of Python: kernels are left out")
            self.extensions = []
        if self.extensions:
            self._translate_kernels()
        super().build_extensions()

    def build_extension(self, extension: Extension) -> None:
        """Compile the C file that Cython has written."""
        target = self._get_c_file(extension)
        if not target.exists():
            raise CompileError(f"Cython could not translate {extension.name}")
        with target.open("a", encoding="utf-8") as file:
            file.write(
                f'\nconst char sudokucrypt_text[] = "{_make_build_stamp(extension.name)}";\n'
            )
        extension.export_symbols.append("sudokucrypt_text")
        folder = str(list_sources(extension.name)[0].parent.relative_to(ROOT))
        extension.include_dirs += [folder, HEADER_FOLDER]
        extension.sources = [str(target), *extension.sources[1:]]
        # The method of setuptools would translate all kernels by Cython in one process.
        compile_only.build_extension(self, extension)

    def _is_up_to_date(self, extension: Extension) -> bool:
        """Return whether a compiled module exists that was built from the current sources."""
        path = Path(self.get_ext_fullpath(extension.name))
        return path.exists() and _make_build_stamp(extension.name).encode() in path.read_bytes()

    def _get_c_file(self, extension: Extension) -> Path:
        return Path(self.build_temp, *extension.name.split(".")).with_suffix(".c").resolve()

    def _can_compile(self) -> bool:
        with TemporaryDirectory() as scratch_folder:
            probe = Path(scratch_folder, "probe.c")
            probe.write_text("#include <Python.h>\n", encoding="utf-8")
            try:
                self.compiler.compile([str(probe)], output_dir=scratch_folder)
            except CompileError:
                return False
        return True

    def _translate_kernels(self) -> None:
        """Translate all modules to C by Cython, each in a separate process."""
        cython_arguments = []
        for extension in self.extensions:
            target = self._get_c_file(extension)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            if extension.name == SHARED_MODULE:
                cython_arguments.append(["--generate-shared", str(target)])
            else:
                names = ["--shared", SHARED_MODULE, "--module-name", extension.name]
                cython_arguments.append([*names, "-o", str(target), extension.sources[0]])
        if not hasattr(os, "fork"):
            for command in cython_arguments:
                subprocess.run([sys.executable, "-m", "cython", "-3", *command], check=False)  # noqa: S603 - fixed arguments
            return
        # Loading Cython takes longer than translating most kernels, so it is done before forking.
        with TemporaryDirectory() as scratch_folder:
            warmup_file = Path(scratch_folder, "warm.pyx")
            warmup_file.write_text(_WARMUP_SOURCE, encoding="utf-8")
            _run_cython(["--shared", SHARED_MODULE, str(warmup_file)])
        fork_context = multiprocessing.get_context("fork")
        running_processes: list[Any] = []
        for command in cython_arguments:
            if len(running_processes) == self.parallel:
                wait([process.sentinel for process in running_processes])
                running_processes = [process for process in running_processes if process.is_alive()]
            running_processes.append(fork_context.Process(target=_run_cython, args=(command,)))
            running_processes[-1].start()
        for process in running_processes:
            process.join()


_WARMUP_SOURCE = """
def warm(const int[::1] given):
    cdef int[::1] taken = given.copy()
    return taken[0]
"""


def _run_cython(arguments: list[str]) -> None:
    from Cython.Compiler.Main import main

    old_arguments, sys.argv = sys.argv, ["cython", "-3", *arguments]
    try:
        main(command_line=1)
    finally:
        sys.argv = old_arguments


def _make_build_stamp(name: str) -> str:
    from Cython import __version__ as version

    return f"{compute_source_mark(name)} by Cython {version}"


def list_extensions() -> list[Extension]:
    """Return all modules that setuptools compiles."""
    return [
        Extension(
            name,
            [str(path.relative_to(ROOT)) for path in list_sources(name)]
            if name != SHARED_MODULE
            else [],
            extra_compile_args=[level, *COMPILER_FLAGS],
            extra_link_args=LINK_FLAGS,
            py_limited_api=True,
            optional=True,
        )
        for name, level in OPTIMIZATION_LEVELS.items()
    ]

"""Build kernels in place: ``python -m tests.build_kernels [NAME ...]``, by default all.

A name is the last part of the module: ``search``, ``passes``. A kernel that is up to date is not
built again.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Distribution

from sudokucrypt.kernels.building import (
    KERNEL_NAMES,
    ROOT,
    SHARED_MODULE,
    BuildKernels,
    compute_source_mark,
    list_extensions,
)

COMMAND = "python -m tests.build_kernels"


def list_stale_kernels() -> list[str]:
    """Return the kernels that were built from another source text than the current one."""
    return [
        name
        for name in KERNEL_NAMES
        for path in _build_parts(name)
        if compute_source_mark(name).encode() not in path.read_bytes()
    ]


def _build_parts(name: str) -> list[Path]:
    package, _, module_name = name.rpartition(".")
    return [
        path
        for path in sorted(ROOT.joinpath(*package.split(".")).glob(f"{module_name}.*"))
        if path.suffix in {".so", ".pyd"}
    ]


def build(names: list[str]) -> None:
    """Build kernels in place, all of them if none is named."""
    chosen_extensions = [
        each
        for each in list_extensions()
        if not names or each.name == SHARED_MODULE or each.name.rpartition(".")[2] in names
    ]
    distribution = Distribution({"name": "sudokucrypt", "ext_modules": chosen_extensions})
    distribution.cmdclass = {"build_ext": BuildKernels}
    command = distribution.get_command_obj("build_ext")
    with TemporaryDirectory() as scratch:
        command.build_lib, command.build_temp = str(ROOT), scratch
        command.ensure_finalized()
        command.run()


def main(names: list[str]) -> int:
    """Build the named kernels, and print which ones could not be built."""
    known_names = {name.rpartition(".")[2] for name in KERNEL_NAMES}
    if unknown_names := sorted({*names} - known_names):
        print("there is no kernel", *unknown_names, "but there are", *sorted(known_names))
        return 2
    build(names)
    chosen = [name for name in KERNEL_NAMES if not names or name.rpartition(".")[2] in names]
    wrong = [name for name in chosen if not _build_parts(name) or name in list_stale_kernels()]
    if wrong:
        print("not built:", *wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

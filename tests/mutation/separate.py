"""Run a mutant in a process of its own, which loads the mutant in place of its module.

Mutants that change the effects of an import are tried in this way.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutation.mutants import ROOT, Mutant

_VARIABLE = "SUDOKUCRYPT_MUTANT"


class _ChangedModuleLoader(MetaPathFinder, Loader):
    """Load one module from changed source text."""

    def __init__(self, path: Path, source: str) -> None:
        path_parts = path.relative_to(ROOT).with_suffix("").parts
        self._name = ".".join(path_parts).removesuffix(".__init__")
        self._path, self._source = path, source

    def find_spec(self, name: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        folder = [str(self._path.parent)] if self._path.name == "__init__.py" else None
        return spec_from_file_location(
            name, self._path, loader=self, submodule_search_locations=folder
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._source, str(self._path), "exec"), module.__dict__)  # noqa: S102 - ours


class _TestSelection:
    """Leave out the tests of a file that are not asked for."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._names = {test for test in tests if "::" in test}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._names:
            items[:] = [item for item in items if item.nodeid in self._names]


def find_failure(
    mutant: Mutant, scratch: Path, tests: Sequence[str], seconds: float, *, slow: bool = False
) -> str:
    """Return the first failing test, of some tests or of a folder, or an empty text."""
    changed = scratch / f"{os.getpid()}.py"
    changed.write_text(mutant.source, encoding="utf-8")
    command = [sys.executable, "-m", "tests.mutation.separate", *(["--slow"] if slow else [])]
    environment = {**os.environ, _VARIABLE: f"{mutant.path}={changed}"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # looking for plugins takes seconds
    try:
        process = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            input="\n".join(tests),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        # Slow tests may last longer without any fault.
        return "" if slow else f"{tests[0]} and {len(tests) - 1} others: no end"
    if process.returncode == 0:
        return ""
    lines = [line for line in process.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0] if lines else f"{tests[0]}: exit code {process.returncode}"


def _main() -> int:
    """Run the fast or the slow tests among those in the standard input."""
    tests = sys.stdin.read().splitlines()
    path, _, changed = os.environ[_VARIABLE].partition("=")
    sys.meta_path.insert(
        0, _ChangedModuleLoader(ROOT / path, Path(changed).read_text(encoding="utf-8"))
    )
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin"]
    options += ["-m", "slow" if "--slow" in sys.argv else "not slow"]
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    code = int(pytest.main([*options, *files], plugins=[_TestSelection(tests)]))
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


if __name__ == "__main__":
    sys.exit(_main())

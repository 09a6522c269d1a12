"""Mutate the core, and name what no test notices: ``python -m tests.mutation.run``.

A sample of all mutants of the rooms that protect a picture is taken, the same for a seed. Each is
loaded in place of its module in a process of its own, which runs the fast tests of its room, those
of the rooms above, and the slow tests of its room, until one fails. Those that make no difference
are listed, with the reason, in ``equivalent.txt``. It takes an hour and more for 200 on two cores.
"""

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from tests.mutation.mutants import ROOT, Mutant, mutants_of

CORE = ("bijections", "ciphers", "draws", "header", "keys", "recipes", "storage", "workers.py")
ENOUGH = 0.95
LIMIT = 400
"""Seconds for one group of tests; what still runs then is taken for endless."""

_ABOVE = ("vectors/test_vectors.py", "recipes", "vectors", "leaks", "images", "cli")
_VARIABLE = "SUDOKUCRYPT_MUTANT"


class _Changed(MetaPathFinder, Loader):
    """Loads one module from another source than its file."""

    def __init__(self, path: Path, source: str) -> None:
        parts = path.relative_to(ROOT).with_suffix("").parts
        self._name = ".".join(parts).removesuffix(".__init__")
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


def sample(count: int, seed: int, rooms: Sequence[str]) -> list[Mutant]:
    """Return mutants of the rooms, each with the same chance."""
    paths = [path for room in rooms for path in _modules(ROOT / "sudokucrypt" / room)]
    mutants = [mutant for path in paths for mutant in mutants_of(path)]
    return random.Random(seed).sample(mutants, min(count, len(mutants)))  # noqa: S311


def _modules(path: Path) -> Iterator[Path]:
    """Return the modules of a room; twins of kernels are tested against the kernels."""
    result = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    yield from (module for module in result if module.parent.name != "_kernels")


def killer(mutant: Mutant, scratch: Path) -> str:
    """Return the first test that fails, or an empty text."""
    changed = scratch / f"{abs(hash(mutant.name + str(mutant.line)))}.py"
    changed.write_text(mutant.source, encoding="utf-8")
    room = Path(mutant.path).relative_to("sudokucrypt").parts[0].removesuffix(".py")
    own = room if (ROOT / "tests" / room).is_dir() else f"test_{room}.py"
    for group in dict.fromkeys((own, *_ABOVE)):
        if result := _failing(f"tests/{group}", f"{mutant.path}={changed}"):
            return result
    return _failing(f"tests/{own}", f"{mutant.path}={changed}", slow=True)


def _failing(tests: str, variable: str, *, slow: bool = False) -> str:
    command = [sys.executable, "-m", "tests.mutation.run", "--tests", tests]
    command += ["--slow"] if slow else []
    environment = {**os.environ, _VARIABLE: variable, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{tests}: no end"
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0] if lines else f"{tests}: exit code {done.returncode}"


def _run_tests(tests: str, *, slow: bool) -> int:
    """Run the fast or the slow tests with the changed module in place, in this process."""
    import pytest

    path, _, changed = os.environ[_VARIABLE].partition("=")
    sys.meta_path.insert(0, _Changed(ROOT / path, Path(changed).read_text(encoding="utf-8")))
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
    options += ["-m", "slow" if slow else "not slow"]
    code = int(pytest.main([*options, tests]))
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def main() -> int:
    """Run the sample and return how the process ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="+", default=CORE, metavar="ROOM")
    parser.add_argument("--jobs", type=int, default=2, help="mutants that are tried at a time")
    parser.add_argument("--tests", help=argparse.SUPPRESS)
    parser.add_argument("--slow", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tests:
        return _run_tests(options.tests, slow=options.slow)
    from tempfile import TemporaryDirectory

    listed = (Path(__file__).parent / "equivalent.txt").read_text(encoding="utf-8")
    equivalent = {line.partition("  # ")[0] for line in listed.splitlines()}
    chosen = sample(options.count, options.seed, options.rooms)
    mutants = [mutant for mutant in chosen if mutant.name not in equivalent]
    alive = 0
    with TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda mutant: killer(mutant, Path(scratch)), mutants)
        for mutant, result in zip(mutants, answers, strict=True):
            alive += not result
            if not result:
                print(f"ALIVE {mutant.path}:{mutant.line}\n  {mutant.name}", flush=True)
    killed = 1 - alive / len(mutants)
    print(f"{killed:.1%} of {len(mutants)} killed, {len(chosen) - len(mutants)} are equivalent")
    return int(killed < ENOUGH)


if __name__ == "__main__":
    sys.exit(main())

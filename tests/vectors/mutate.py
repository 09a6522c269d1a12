"""Prove that the vectors see: every mutant of the reference disagrees with some vector.

``python -m tests.vectors.mutate`` runs all mutants of `tests.vectors.mutants`, two at a time, and
names those that no vector kills. A mutant is one change in the source of the reference.
Each is loaded in a process of its own, and asked the vectors of its likely killers first.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.vectors.mutants import Mutant, all_mutants

TESTS = Path(__file__).parents[1]
VECTORS = TESTS / "kit" / "vectors"
REFERENCE = TESTS / "kit" / "reference"
PACKAGE = "tests.kit.reference."
LIMIT = 120
"""Seconds after which a mutant that still runs is taken for an endless one."""

KINDS = sorted(path.stem for path in VECTORS.glob("*.json"))
"""The files of vectors."""

UNCHANGED = "unchanged"


class _Changed(MetaPathFinder, Loader):
    """Loads one module of the reference from another source than its file."""

    def __init__(self, module: str, source: str) -> None:
        self._name = PACKAGE + module
        self._source = source

    def find_spec(self, name: str, _path: object, _target: object = None) -> ModuleSpec | None:
        return spec_from_loader(name, self) if name == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._source, self._name, "exec"), module.__dict__)  # noqa: S102 - our own


def mutated(mutant: Mutant) -> str:
    """Return the source of the module with the change; an error if the source has changed there."""
    source = (REFERENCE / f"{mutant.module}.py").read_text(encoding="utf-8")
    count = source.count(mutant.old)
    if count != 1:
        raise LookupError(f"{mutant.name}: its source stands {count} times in {mutant.module}.py")
    return source.replace(mutant.old, mutant.new)


def cases(kinds: Iterable[str], folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the cases of some files, each with its kind, those that take little time first."""
    texts = {kind: (folder / f"{kind}.json").read_text(encoding="ascii") for kind in kinds}
    pairs = [(kind, case) for kind, text in texts.items() for case in json.loads(text)["cases"]]
    return sorted(pairs, key=lambda pair: _cost(pair[1]))


def _cost(case: dict[str, Any]) -> int:
    """Return about the time that a case takes: its size, what is filled in, and what is moved."""
    fill = case.get("fill") or 0
    size = len(str(case)) + (fill if isinstance(fill, int) else sum(fill.values())) // 8
    shapes = [case.get("shape", [case.get("count", 0) if "permutation" in case else 0])]
    shapes += [frame["shape"] for frame in case.get("frames", ())]
    if case.get("what", "picture") != "picture":
        return size
    rounds = case.get("rounds")
    return size + 16 * sum(map(prod, shapes)) * (rounds if isinstance(rounds, int) else 8)


def killer(mutant: Mutant | None, folder: Path, *, likely: bool = False) -> str | None:
    """Return the first vector with which the mutant disagrees, or None.

    The reference must not have been imported before; it is loaded with the change of the mutant,
    unchanged for None. `likely` asks only the likely killers.
    """
    assert not any(name.startswith(PACKAGE) for name in sys.modules)
    if mutant is not None:
        sys.meta_path.insert(0, _Changed(mutant.module, mutated(mutant)))
    try:
        checks = importlib.import_module("tests.kit.replay").CHECKS
    except Exception as error:
        return f"cannot be imported: {error!r}"
    first = [] if mutant is None else mutant.killers.split()
    others = [] if likely else [kind for kind in KINDS if kind not in first]
    for kinds in (first, others):
        for kind, case in cases(kinds, folder):
            try:
                checks[kind](case)
            except Exception as error:
                name = case.get("name") or case.get("label") or str(case)[:60]
                return ascii(f"{kind}, {name}: {type(error).__name__} {error}")[1:-1]
    return None


def killed_by(name: str, folder: Path = VECTORS, *, likely: bool = False) -> str:
    """Return what kills a mutant, or an empty text, in a process of its own."""
    command = [sys.executable, "-m", "tests.vectors.mutate", "--one", name]
    options = ["--vectors", str(folder), *(["--likely"] if likely else [])]
    try:
        done = subprocess.run(
            [*command, *options],
            cwd=TESTS.parent,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=None if name == UNCHANGED else LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no end within {LIMIT} seconds"
    if done.returncode:
        raise LookupError(done.stderr.strip().splitlines()[-1])
    return done.stdout.strip()


def survivors(
    mutants: Sequence[Mutant], folder: Path = VECTORS, *, workers: int = 2, verbose: bool = False
) -> list[str]:
    """Return the names of the mutants that are not as listed: alive, or killed though equivalent.

    An equivalent one is asked only what would kill it if it were another. `verbose` prints what
    kills each.
    """

    def is_as_listed(mutant: Mutant) -> bool:
        text = killed_by(mutant.name, folder, likely=mutant.reason is not None)
        if verbose:
            print(f"{mutant.name}: {text[:120] or '-'}", flush=True)
        return bool(text) == (mutant.reason is None)

    with ThreadPoolExecutor(workers) as pool:
        answers = list(pool.map(is_as_listed, mutants))
    return [mutant.name for mutant, right in zip(mutants, answers, strict=True) if not right]


def main() -> int:
    """Run one mutant or all, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", metavar="NAME", help="only this mutant, in this process")
    parser.add_argument("--likely", action="store_true", help="only its likely killers")
    parser.add_argument("--of", metavar="MODULE", help="only the mutants of this module")
    parser.add_argument("--vectors", type=Path, default=VECTORS, help="folder of the vectors")
    parser.add_argument("-v", action="store_true", help="show what kills each mutant")
    options = parser.parse_args()
    if options.one is not None:
        named = {mutant.name: mutant for mutant in all_mutants()}
        mutant = None if options.one == UNCHANGED else named[options.one]
        print(killer(mutant, options.vectors, likely=options.likely) or "")
        return 0
    text = killed_by(UNCHANGED, options.vectors)
    if text:
        print(f"the unchanged reference disagrees: {text}")
        return 1
    chosen = [mutant for mutant in all_mutants() if options.of in (None, mutant.module)]
    others = survivors(chosen, options.vectors, verbose=options.v)
    print(*others, f"{len(others)} of {len(chosen)} mutants are not as listed", sep="\n")
    return int(bool(others))


if __name__ == "__main__":
    sys.exit(main())

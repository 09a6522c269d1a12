"""Mutate the core, and list the mutants that pass all tests: ``python -m tests.mutation.run``.

A random sample of the mutants of the packages that protect a picture is drawn; a seed always draws
the same one. The fast tests of the packages and of those above run once without a mutant, and which
of them run each line is recorded (`Nearest`). Each mutant then meets the tests that run its line
until one fails; those that pass them all meet the slow tests of their package: in a fork of a
process that has collected the tests (`trials`), or, where the mutant changes the effects of an
import, in a process of its own (`separate`). Mutants that behave as the original does are listed,
with the reason, in ``equivalent.txt``. With ``--engine`` the JavaScript of the page's engine is
mutated instead; Node runs the vectors, and a browser the other tests.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.mutation.engine import find_alive_in_engine, sample_engine
from tests.mutation.mutants import ROOT, Mutant, list_mutants
from tests.mutation.trials import ABOVE, Nearest, Trials, find_tests, record_runs

CORE = (
    *("bijections", "ciphers", "draws", "header.py", "keys", "recipes", "storage.py", "workers.py"),
)
ENOUGH = 0.95


def sample_core(count: int, seed: int, packages: Sequence[str]) -> list[Mutant]:
    """Return a random sample of the packages' mutants, each with the same chance."""
    paths = [path for package in packages for path in _list_modules(ROOT / "sudokucrypt" / package)]
    mutants = [mutant for path in paths for mutant in list_mutants(path)]
    return random.Random(seed).sample(mutants, min(count, len(mutants)))  # noqa: S311


def list_equivalent() -> list[str]:
    """Return the names of mutants that behave as the original does."""
    text = (Path(__file__).parent / "equivalent.txt").read_text(encoding="utf-8")
    # The reason comes last, since code may have comments, too.
    return [line.rpartition("  # ")[0] for line in text.splitlines()]


def _list_modules(path: Path) -> Iterator[Path]:
    """Yield the modules of a package.

    The fallbacks and sources of kernels are left out, since the tests run the compiled kernels.
    """
    result = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    yield from (module for module in result if "_kernels" not in module.parts)


def find_alive(mutants: Sequence[Mutant], tests: Sequence[str], folder: Path, jobs: int) -> int:
    """Print the mutants that no test notices, and return their number."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "coverage").exists():
        record_runs(tests, folder, jobs)
    with TemporaryDirectory() as scratch:
        trials = Trials(
            mutants, Nearest(folder, (mutant.path for mutant in mutants)), jobs, Path(scratch)
        )
        pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests], plugins=[trials])
    return len(trials.alive)


def main() -> int:
    """Run the sample and return the exit code: 0 if enough mutants are killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", nargs="+", default=CORE, metavar="PACKAGE")
    parser.add_argument("--jobs", type=int, default=2, help="mutants that are tried at a time")
    parser.add_argument("--records", type=Path, help="a folder that keeps which test runs a line")
    parser.add_argument("--engine", action="store_true", help="mutate the page's engine instead")
    options = parser.parse_args()
    equivalent = set(list_equivalent())
    if options.engine:
        chosen = sample_engine(options.count, options.seed)
    else:
        chosen = sample_core(options.count, options.seed, options.packages)
    mutants = [mutant for mutant in chosen if mutant.name not in equivalent]
    if options.engine:
        alive = len(find_alive_in_engine(mutants, options.jobs))
    else:
        tests = list(dict.fromkeys((*map(find_tests, options.packages), *ABOVE)))
        with TemporaryDirectory() as scratch:
            alive = find_alive(mutants, tests, options.records or Path(scratch), options.jobs)
    killed = 1 - alive / len(mutants)
    print(f"{killed:.1%} of {len(mutants)} killed, {len(chosen) - len(mutants)} are equivalent")
    return int(killed < ENOUGH)


if __name__ == "__main__":
    sys.exit(main())

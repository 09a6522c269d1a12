"""Mutate the page's engine: change one token of its JavaScript and run its tests."""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.kit.replay import VECTORS
from tests.mutation.mutants import ROOT, Mutant

_ENGINE = Path("sudokucrypt/page/engine")
# All tests of the page but those that build it, which need the files themselves, and no links.
# Tests of single modules in Node come first, since most mutants fail one of these within seconds.
_MODULE_TESTS = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/page/*_modules.py"))
_TESTS = [*_MODULE_TESTS, "tests/page", "--ignore=tests/page/test_assembling.py"]
_TIME_LIMIT = 900.0

_TOKENS = re.compile(
    r"""(?x)
    (?P<skipped> //[^\n]* | /\*.*?\*/ | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
        | `(?:[^`\\]|\\.)*`
        | (?<=[(,=:?]\s) /(?:[^/\\\n\[]|\\.|\[[^\]]*\])+/[a-z]* | => | \+\+ | -- | \.\.\. | \?\. )
    | (?P<number> (?<![\w.$])\d+n?(?![\w.$]) )
    | (?P<word> \b(?:true|false|min|max|some|every)\b )
    | (?P<operator> [-+*/%&|^<>=!?]+ )
    """,
    re.DOTALL,
)
_OTHER_TOKENS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "+": "-", "-": "+",
    "*": "/", "%": "*", "&": "|", "|": "&", "^": "|", "<<": ">>>", ">>": "<<", ">>>": "<<",
    "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "^=": "|=", "!": "", "true": "false",
    "false": "true", "min": "max", "max": "min", "some": "every", "every": "some",
}  # fmt: skip

_RUN_SCRIPT = """
import { readFileSync, readdirSync } from "node:fs";
import { KINDS, replay } from "./tests/page/replay.js";
for (const kind of KINDS) {
  const { cases } = JSON.parse(readFileSync(`${process.argv[2]}/${kind}.json`));
  const result = await replay(kind, cases);
  if (result.failures.length) throw new Error(result.failures[0]);
}
"""


def sample_engine(count: int, seed: int) -> list[Mutant]:
    """Return a random sample of the engine's mutants, each with the same chance."""
    paths = sorted(path for path in (ROOT / _ENGINE).glob("*.js") if path.stem != "core_wasm")
    mutants = [mutant for path in paths for mutant in list_engine_mutants(path)]
    return random.Random(seed).sample(mutants, min(count, len(mutants)))  # noqa: S311


def list_engine_mutants(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of a module, without those that change its imports."""
    text, lines = path.read_text("utf-8"), path.read_text("utf-8").splitlines()
    for match in _TOKENS.finditer(text):
        token = match[0]
        new = str(int(token.rstrip("n")) + 1) + "n" * token.endswith("n") if match["number"] else ""
        new = new or _OTHER_TOKENS.get(token, token)
        line = text.count("\n", 0, match.start())
        if match["skipped"] or new == token or lines[line].startswith("import "):
            continue
        source = text[: match.start()] + new + text[match.end() :]
        name = str(path.relative_to(ROOT))
        changed = source.splitlines()[line].strip()
        yield Mutant(name, line + 1, lines[line].strip(), changed, source)


def find_alive_in_engine(mutants: Sequence[Mutant], jobs: int) -> list[Mutant]:
    """Print and return the mutants that pass both the vectors in Node and the tests in a browser.

    The unchanged engine must pass both.
    """
    assert _is_passing(None), "the engine itself fails"
    remaining = []
    with ThreadPoolExecutor(jobs) as pool:
        for mutant, alive in zip(mutants, pool.map(_is_passing, mutants), strict=True):
            print(".", end="", flush=True)
            if alive:
                remaining.append(mutant)
                print(f"\nALIVE {mutant.path}:{mutant.line}\n  {mutant.name}", flush=True)
    return remaining


def _is_passing(mutant: Mutant | None) -> bool:
    """Return whether a mutant, or the engine itself, agrees with all vectors and passes the fast
    tests of the page."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-mutant-") as name:
        folder = Path(name)
        _link_files(ROOT, folder, _ENGINE.parts)
        shutil.copytree(ROOT / _ENGINE, folder / _ENGINE)
        if mutant is not None:
            (folder / mutant.path).write_text(mutant.source, "utf-8")
        (folder / "package.json").write_text('{"type": "module"}')  # else .js is CommonJS
        (folder / "run.js").write_text(_RUN_SCRIPT)
        node = ["node", "--preserve-symlinks", "run.js", str(VECTORS)]
        pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        return all(
            _is_successful(command, folder)
            for command in (node, [*pytest, "-m", "not nightly", *_TESTS])
        )


def _link_files(source: Path, target: Path, excluded: Sequence[str]) -> None:
    """Link all files of a folder to another folder, except for the folder at a path."""
    excluded_name, *inner_names = excluded
    for path in source.iterdir():
        if path.name != excluded_name:
            (target / path.name).symlink_to(path)
    if inner_names:
        (target / excluded_name).mkdir()
        _link_files(source / excluded_name, target / excluded_name, inner_names)


def _is_successful(command: Sequence[str], folder: Path) -> bool:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        process = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            check=False,
            timeout=_TIME_LIMIT,
        )
    except subprocess.TimeoutExpired:
        return False
    return process.returncode == 0

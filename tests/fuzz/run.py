"""Fuzz one target with atheris: ``python tests/fuzz/run.py png 120 [CORPUS_DIR]``.

``pip install --group fuzz`` brings atheris. Fuzzing starts from the seeds of the target and its
committed corpus; new inputs are kept in CORPUS_DIR. ``--minimize`` then replaces the committed
corpus by the smallest inputs that reach as much as all those in CORPUS_DIR together.
"""

import argparse
import hashlib
import importlib.util
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # when run as a script

from tests.fuzz.targets import NAMES, load_target  # noqa: E402 - see above

MAX_FILES, MAX_LENGTH = 60, 1024
_INSIDE = "import sys; from tests.fuzz.run import fuzz; fuzz(*sys.argv[1:])"


def main() -> int:
    """Fuzz, and return 0 without a finding, 1 with a finding, and 2 if atheris is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=NAMES)
    parser.add_argument("seconds", type=int)
    parser.add_argument("corpus", type=Path, nargs="?", metavar="CORPUS_DIR")
    parser.add_argument("--minimize", action="store_true", help="renew the committed corpus")
    options = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("fuzzing needs atheris: pip install --group fuzz", file=sys.stderr)
        return 2
    target = load_target(options.target)
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-corpus-") as scratch:
        corpus = options.corpus.resolve() if options.corpus else Path(scratch, "corpus")
        corpus.mkdir(parents=True, exist_ok=True)
        _write_inputs(corpus, target.seeds)
        committed = target.corpus
        committed.mkdir(parents=True, exist_ok=True)
        findings = Path(tempfile.mkdtemp(prefix=f"sudokucrypt-{options.target}-"))
        limits = [f"-max_total_time={options.seconds}", f"-max_len={MAX_LENGTH}", "-timeout=20"]
        report = [f"-artifact_prefix={findings}/", "-verbosity=0", "-print_final_stats=1"]
        exit_code = _run_inside(options.target, *limits, *report, corpus, committed)
        if exit_code:
            _print_reproductions(options.target, findings)
            return 1
        findings.rmdir()
        if options.minimize:
            smallest_inputs = Path(scratch, "smallest")
            smallest_inputs.mkdir()
            exit_code = _run_inside(options.target, "-merge=1", smallest_inputs, corpus, committed)
            _replace_corpus(committed, smallest_inputs, target.seeds)
    return exit_code


def fuzz(target: str, *arguments: str) -> None:
    """Let libFuzzer take over this process; libFuzzer starts itself again to merge."""
    import atheris

    with atheris.instrument_imports(include=["sudokucrypt"]):
        check_input = load_target(target).check
    warnings.simplefilter("error")
    atheris.Setup([shlex.join(_build_command(target)), *arguments], check_input)
    atheris.Fuzz()


def _run_inside(target: str, *arguments: str | Path) -> int:
    """Run libFuzzer in a process, which libFuzzer ends, and return the exit code."""
    command = [*_build_command(target), *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _build_command(target: str) -> list[str]:
    return [sys.executable, "-c", _INSIDE, target]


def _write_inputs(folder: Path, inputs: Iterable[bytes]) -> None:
    """Write each input to a file named after the start of its SHA-1."""
    for data in inputs:
        name = hashlib.sha1(data, usedforsecurity=False).hexdigest()[:16]
        (folder / name).write_bytes(data)


def _print_reproductions(target: str, findings: Path) -> None:
    """Print a command that repeats each finding without a fuzzer."""
    for path in sorted(findings.iterdir()):
        code = f"load_target({target!r}).check(Path({str(path)!r}).read_bytes())"
        imports = "from pathlib import Path; from tests.fuzz.targets import load_target"
        print(f'finding: {path}\nreproduce: python -c "{imports}; {code}"', file=sys.stderr)


def _replace_corpus(committed: Path, smallest: Path, seeds: Iterable[bytes]) -> None:
    """Replace the committed files by the smallest ones that are not seeds."""
    for path in committed.iterdir():
        path.unlink()
    inputs = {path.read_bytes() for path in smallest.iterdir()}.difference(seeds)
    _write_inputs(committed, sorted(inputs, key=len)[:MAX_FILES])


if __name__ == "__main__":
    sys.exit(main())

"""The package as it was at a commit, built in a folder of its own, to take turns with today's."""

import io
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

from tests.benchmarks.pictures import ROOT

START = "ffbb42f"
"""Where the kernels began to be made faster."""

_WORKER = """\
import sys
sys.path.insert(0, sys.argv[1])
sys.argv[1:] = sys.argv[2:]
{setup}
for line in sys.stdin:
    run()
    print("done", flush=True)
"""


def checkout(folder: Path, *kernels: str, commit: str = START) -> list[Path] | None:
    """Unpack the package of a commit in a folder, and compile some of its kernels.

    Return the compiled modules, or None where git, a compiler or Cython is missing.
    """
    try:
        packed = _run("git", "archive", commit, "sudokucrypt", cwd=ROOT)
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        return [_built(next(folder.rglob(f"{name}.pyx"))) for name in kernels]
    except (OSError, subprocess.CalledProcessError):
        return None


def _built(source: Path) -> Path:
    """Compile a module beside its source, as the build of the package would."""
    suffix, compiler = sysconfig.get_config_vars("EXT_SUFFIX", "CC")
    target = source.with_suffix(suffix)
    options = ["-O3", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"]
    _run(sys.executable, "-m", "cython", "-3", source.name, cwd=source.parent)
    _run(*compiler.split(), *options, f"{source.stem}.c", "-o", target.name, cwd=source.parent)
    return target


def _run(*command: str, cwd: Path) -> bytes:
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True).stdout


class Worker:
    """A process that imports the package of one folder and does one piece of work when asked.

    Parameters
    ----------
    folder : Path
        Where the package lies.
    setup : str
        Python statements that define ``run()``.
    arguments : str
        What the statements find in ``sys.argv``.
    """

    def __init__(self, folder: Path, setup: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER.format(setup=setup), str(folder), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __call__(self) -> None:
        """Have the work done once, and wait for it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        if self._process.stdout.readline() != "done\n":
            raise AssertionError("the work of the other process failed")

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

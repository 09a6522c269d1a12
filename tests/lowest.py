"""Run the tests of the core with the lowest versions of all dependencies.

``python -m tests.lowest`` makes an environment with exactly the lower bounds in pyproject.toml, of
the package and of its extras, beside the compiled kernels of this tree. A bound that does not work
is a promise that is broken: raise it.
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from venv import EnvBuilder

from tests import check

TESTS = [
    *("tests/keys", "tests/header", "tests/ciphers", "tests/test_draws.py"),
    *("tests/recipes/test_arrays.py", "tests/recipes/test_recipients.py"),
    *("tests/cli/test_terminals.py", "tests/analysis/test_inputs.py"),
    "tests/images/test_adapter.py",
]
_RUNNERS = ("pytest", "hypothesis")  # of the development group


def lowest(requirements: list[str]) -> list[str]:
    """Return requirements of the lower bounds alone: ``numpy==2.0`` for ``numpy>=2.0,<3``."""
    return [re.sub(r">=([^,;]+)[^;]*", r"==\1", text.split(";")[0]) for text in requirements]


def requirements() -> list[str]:
    """Return the lower bounds of the package and its extras, and what runs the tests."""
    settings = tomllib.loads((check.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    listed: list[str] = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        listed += extra
    groups = settings["dependency-groups"]["dev"]
    runners = [text for text in groups if re.split("[>=]", str(text))[0] in _RUNNERS]
    # Tests compare kernels and their texts by it; it is not a dependency of the package.
    return [*lowest([*dict.fromkeys(listed), *runners]), "setuptools>=77"]


def main() -> int:
    """Make the environment, run the tests in it, and return the exit code."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-lowest-") as folder:
        EnvBuilder(with_pip=True).create(folder)
        python = str(Path(folder) / "bin" / "python")
        install = [python, "-m", "pip", "install", "-q", *requirements()]
        subprocess.run(install, cwd=check.ROOT, check=True)
        selected = ["-q", "-p", "no:cacheprovider", "-m", "not slow and not nightly and not long"]
        run = [python, "-m", "pytest", *selected, *TESTS]
        environment = {**os.environ, "PYTHONPATH": str(check.ROOT)}  # also of what tests start
        return subprocess.run(run, cwd=check.ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

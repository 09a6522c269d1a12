"""Run the tests of the core with the lowest allowed versions of all dependencies.

``python -m tests.lowest`` makes an environment with the lower bounds in pyproject.toml, of the
package and of its extras, and uses the compiled kernels of this tree. If a test fails, raise the
lower bound that causes it.
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
_TEST_TOOLS = ("pytest", "hypothesis")  # packages of the development group


def pin_lowest(list_requirements: list[str]) -> list[str]:
    """Return requirements of exactly the lower bounds: ``numpy==2.0`` for ``numpy>=2.0,<3``."""
    return [re.sub(r">=([^,;]+)[^;]*", r"==\1", text.split(";")[0]) for text in list_requirements]


def list_requirements() -> list[str]:
    """Return the lower bounds of the package and its extras, and packages to run tests."""
    settings = tomllib.loads((check.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    requirements: list[str] = [*project["dependencies"]]
    for extra_packages in project["optional-dependencies"].values():
        requirements += extra_packages
    groups = settings["dependency-groups"]["dev"]
    runners = [text for text in groups if re.split("[>=]", str(text))[0] in _TEST_TOOLS]
    # Tests compare kernels with their source by Cython, which is not a dependency of the package.
    return [*pin_lowest([*dict.fromkeys(requirements), *runners]), "setuptools>=77"]


def main() -> int:
    """Make the environment and run the tests in it; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-lowest-") as folder:
        EnvBuilder(with_pip=True).create(folder)
        python = str(Path(folder) / "bin" / "python")
        install = [python, "-m", "pip", "install", "-q", *list_requirements()]
        subprocess.run(install, cwd=check.ROOT, check=True)
        selected = ["-q", "-p", "no:cacheprovider", "-m", "not slow and not nightly and not long"]
        test_command = [python, "-m", "pytest", *selected, *TESTS]
        environment = {
            **os.environ,
            "PYTHONPATH": str(check.ROOT),
        }  # also for programs that tests start
        return subprocess.run(test_command, cwd=check.ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

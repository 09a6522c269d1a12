"""Optional libraries: found when installed, and named when not."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from sudokucrypt.analysis import chi_square_uniformity
from sudokucrypt.analysis.extras import require
from sudokucrypt.errors import UnsupportedError


def test_an_installed_library_is_returned() -> None:
    """What comes back is the module of that name."""
    assert require("scipy.special").__name__ == "scipy.special"


@pytest.mark.parametrize(
    ("module", "package"), [("skimage.metrics", "scikit-image"), ("no_such.part", "no_such")]
)
def test_a_missing_library_names_the_command(
    monkeypatch: pytest.MonkeyPatch, module: str, package: str
) -> None:
    """The error names the package, and the hint the extra that holds it."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnsupportedError, match=f"needs {package}$") as caught:
        require(module)
    assert caught.value.hint == "pip install 'sudokucrypt[analysis]'"


def test_a_metric_without_scipy_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric that needs SciPy raises the same error where it is missing."""
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(UnsupportedError, match="needs scipy"):
        chi_square_uniformity(np.zeros((4, 4), dtype=np.uint8))


def test_the_room_opens_without_the_extra() -> None:
    """Importing the metrics loads no optional library."""
    code = (
        "import sys, sudokucrypt.analysis; "
        "print({'scipy', 'skimage', 'matplotlib', 'jinja2', 'PIL'} & set(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "set()\n"

"""Test the checks of inputs, and errors for missing optional libraries."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import chi_square_uniformity, inputs, ssim
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.typing import AnyArray

SMALL = np.zeros((2, 3), dtype=np.uint8)


def test_levels_fit_the_dtype_and_the_samples() -> None:
    """The default number of levels is that of the dtype, and given levels are kept."""
    levels: Any
    for dtype, levels in (("bool", 2), ("uint8", 256), ("uint16", 65536)):
        array, count = inputs.check_image(np.ones((2, 2, 3), dtype=dtype))
        assert (count, array.dtype.kind, int(array.max())) == (levels, "u", 1)
    assert inputs.check_image(SMALL + 3, levels=4)[1] == 4


def test_pairs_share_shape_and_dtype_of_any_byte_order() -> None:
    """Two images of 16 bits with different byte orders are a pair with equal samples."""
    image = np.arange(6, dtype=np.uint16).reshape(2, 3) * 1000
    one, other, levels = inputs.check_image_pair(image.astype(">u2"), image.astype("<u2"))
    assert (one == other).all()
    assert levels == 65536


def test_permutations_and_sides_are_taken() -> None:
    """Permutations of any integer dtype are accepted; the default shape is one row."""
    assert inputs.check_permutation(np.array([2, 0, 1], dtype=np.uint8)).tolist() == [2, 0, 1]
    assert inputs.check_sides(None, 6) == (1, 6)
    assert inputs.check_sides((3, 2), 6) == (3, 2)


@pytest.mark.parametrize(
    ("module", "package", "measure"),
    [
        ("skimage", "scikit-image", lambda image: ssim(image, image)),
        ("scipy", "scipy", chi_square_uniformity),
    ],
)
def test_a_missing_library_names_the_command(
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    package: str,
    measure: Callable[[AnyArray], object],
) -> None:
    """Without a library, the error of a metric names it, and the hint the command to install it."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnsupportedError, match=f"needs {package}\nhint: ") as error_info:
        measure(np.zeros((16, 16), dtype=np.uint8))
    assert error_info.value.hint == "pip install jinja2 matplotlib scikit-image scipy"


def test_importing_analysis_loads_no_optional_library() -> None:
    """Importing all names of the package loads no optional library; metrics are in order."""
    code = (
        "import sys; from sudokucrypt.analysis import *; [*ATTACKS, *BASELINES]; "
        "print({'scipy', 'skimage', 'matplotlib', 'jinja2', 'PIL'} & set(sys.modules)); "
        "print(*METRICS)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    libraries, names = result.stdout.splitlines()
    assert libraries == "set()"
    order = ["equal_samples", "gray_difference_degree", "displacement", "neighbors_kept", "cycles"]
    assert [name for name in names.split() if name in order] == order

"""What the metrics take and refuse, and optional libraries."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import chi_square_uniformity, inputs, ssim
from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.typing import AnyArray

SMALL = np.zeros((2, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [(4, "u1"), ((2, 2, 2, 2), "u1"), ((0, 4), "u1"), ((2, 2), "f8"), ((2, 2), "i8")],
)
def test_other_arrays_are_no_images(shape: Any, dtype: str) -> None:
    """Other shapes and dtypes are refused, never cast; one channel has two dimensions."""
    with pytest.raises(InvalidImageError):
        inputs.checked_image(np.ones(shape, dtype=dtype))
    with pytest.raises(InvalidImageError) as caught:
        inputs.checked_gray(np.zeros((2, 2, 3), dtype=np.uint8))
    assert "image[..., 0]" in str(caught.value.hint)


def test_levels_fit_the_dtype_and_the_samples() -> None:
    """Levels are an integer from 2 to what the dtype holds, the default, and above all samples."""
    levels: Any
    for dtype, levels in (("bool", 2), ("uint8", 256), ("uint16", 65536)):
        array, count = inputs.checked_image(np.ones((2, 2, 3), dtype=dtype))
        assert (count, array.dtype.kind, int(array.max())) == (levels, "u", 1)
    for levels in (1, 257, 2.0, True):
        with pytest.raises(InvalidParameterError, match=r"2\.\.256"):
            inputs.checked_image(SMALL, levels=levels)
    assert inputs.checked_image(SMALL + 3, levels=4)[1] == 4
    with pytest.raises(InvalidImageError, match=r"4, not in 0\.\.3"):
        inputs.checked_image(SMALL + 4, levels=4)


def test_pairs_share_shape_and_dtype_of_any_byte_order() -> None:
    """Samples of 16 bits mean the same in the byte order of a TIFF and in that of the machine."""
    for unlike in (SMALL.T, SMALL.astype(np.uint16)):
        with pytest.raises(InvalidImageError, match="one shape and dtype"):
            inputs.checked_pair(SMALL, unlike)
    image = np.arange(6, dtype=np.uint16).reshape(2, 3) * 1000
    one, other, levels = inputs.checked_pair(image.astype(">u2"), image.astype("<u2"))
    assert (one == other).all()
    assert levels == 65536


@pytest.mark.parametrize(
    "row", [[0, 0], [0, 2], [-1, 0], [0.0, 1.0], [[0, 1]], [0], [True, False], []]
)
def test_other_rows_are_no_permutations(row: Any) -> None:
    """Each place must occur once, as an integer; the least length can be raised."""
    with pytest.raises(InvalidParameterError):
        inputs.checked_permutation(row)
    assert inputs.checked_permutation(np.array([2, 0, 1], dtype=np.uint8)).tolist() == [2, 0, 1]
    with pytest.raises(InvalidParameterError, match="4 or more"):
        inputs.checked_permutation([2, 0, 1], least=4)


def test_counts_are_positive_and_sides_multiply_to_the_units() -> None:
    """Critical values need a sample and two levels, and a shape all units of the permutation."""
    for samples, levels in ((0, 256), (4, 1)):
        with pytest.raises(InvalidParameterError):
            inputs.checked_counts(samples, levels)
    assert inputs.checked_sides(None, 6) == (1, 6)
    assert inputs.checked_sides((3, 2), 6) == (3, 2)
    for shape in ((2, 2), (0, 6), (-2, -3), (6, 0)):
        with pytest.raises(InvalidParameterError, match="6 units"):
            inputs.checked_sides(shape, 6)


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
    """The error of a metric names the package, and the hint the extra."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnsupportedError, match=f"needs {package}$") as caught:
        measure(np.zeros((16, 16), dtype=np.uint8))
    assert caught.value.hint == "pip install 'sudokucrypt[analysis]'"


def test_the_room_opens_without_the_extra() -> None:
    """Importing all that it offers loads no optional library, and metrics keep their order."""
    code = (
        "import sys; from sudokucrypt.analysis import *; "
        "print({'scipy', 'skimage', 'matplotlib', 'jinja2', 'PIL'} & set(sys.modules)); "
        "print(*METRICS)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    libraries, names = result.stdout.splitlines()
    assert libraries == "set()"
    order = ["equal_samples", "gray_difference_degree", "displacement", "neighbours_kept", "cycles"]
    assert [name for name in names.split() if name in order] == order

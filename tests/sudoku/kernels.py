"""The kernels of the engine and their fallbacks, for tests that compare them."""

from importlib import import_module
from types import ModuleType

import pytest

from sudokucrypt.kernels import load_kernels

_PACKAGE = "sudokucrypt.sudoku._kernels"

COMPILED = not load_kernels(_PACKAGE, "search").__name__.endswith("_plain")
"""Whether the engine runs on compiled kernels."""


def load_kernel_and_fallback(name: str) -> tuple[ModuleType, ModuleType]:
    """Return a compiled kernel and its fallback; skip the test if the kernel is not compiled."""
    kernel = pytest.importorskip(f"{_PACKAGE}.{name}", reason="built where a C compiler is there")
    return kernel, import_module(f"{_PACKAGE}.{name}_plain")

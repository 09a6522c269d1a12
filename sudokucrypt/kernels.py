"""The inner loops: compiled kernels where they could be built, else their plain twins.

A kernel is a module ``NAME.pyx`` in the room that it serves, beside ``NAME_plain.py``, its twin,
which also describes its functions. Both give the same bytes; tests run them against each other.
The environment variable SUDOKUCRYPT_PLAIN chooses the twins even where the kernels are there.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def load_kernels(package: str, name: str) -> ModuleType:
    """Return the kernels of this name in a package, or their plain twin where there are none."""
    if not os.environ.get("SUDOKUCRYPT_PLAIN"):
        try:
            return import_module(f"{package}.{name}")
        except ImportError:
            pass
    return import_module(f"{package}.{name}_plain")


def compiled() -> bool:
    """Tell whether the kernels that move pixels are compiled ones."""
    kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")
    return not kernels.__name__.endswith("_plain")

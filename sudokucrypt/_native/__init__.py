"""The inner loops: compiled kernels where they could be built, else their plain twins.

Each set of kernels is a module ``NAME.pyx`` beside ``NAME_plain.py``, its twin, which also
describes its functions. Both give the same bytes; tests run them against each other. The
environment variable SUDOKUCRYPT_PLAIN chooses the twins even where the kernels are there.
"""

import os
from importlib import import_module
from types import ModuleType

__all__ = ["COMPILED", "load"]


def load(name: str) -> ModuleType:
    """Return the kernels of this name, or their plain twin where there are none."""
    if not os.environ.get("SUDOKUCRYPT_PLAIN"):
        try:
            return import_module(f"sudokucrypt._native.{name}")
        except ImportError:
            pass
    return import_module(f"sudokucrypt._native.{name}_plain")


COMPILED = not load("passes").__name__.endswith("_plain")

"""The inner loops: compiled kernels where they could be built, else their fallbacks.

A kernel is a module ``NAME.pyx`` in the package that it serves. Next to it is its fallback,
``NAME_plain.py``, which gives the same bytes and documents the functions. Most kernels include the
very text of their fallback, with types that `sudokucrypt.kernels.names` says; what uses vectors or
loops in C has a fallback of its own. Tests compare both.
Type checkers see the fallback in both cases, since they cannot read what is compiled::

    if TYPE_CHECKING:
        from package._kernels import name_plain as _kernels
    else:
        _kernels = load_kernels("package._kernels", "name")

The environment variable SUDOKUCRYPT_PLAIN selects the fallbacks even where kernels were built.
"""

import os
from contextlib import suppress
from importlib import import_module
from types import ModuleType


def load_kernels(package: str, name: str) -> ModuleType:
    """Return the compiled kernels of this name in a package, or their fallback."""
    if not os.environ.get("SUDOKUCRYPT_PLAIN"):
        with suppress(ImportError):  # nothing was compiled here
            return import_module(f"{package}.{name}")
    return import_module(f"{package}.{name}_plain")


def compiled() -> bool:
    """Return whether the kernels that move pixels are compiled."""
    kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")
    return not kernels.__name__.endswith("_plain")

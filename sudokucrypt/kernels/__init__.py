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

What is too slow in Python has no fallback: `need_kernels` loads it, and whoever calls it without
compiled kernels learns what to install.

The environment variable SUDOKUCRYPT_PLAIN selects the fallbacks even where kernels were built.
"""

import os
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from sudokucrypt.errors import UnsupportedError


class MissingKernelsError(UnsupportedError):
    """Work that has no fallback, without its compiled kernels."""


def load_kernels(package: str, name: str) -> ModuleType:
    """Return the compiled kernels of this name in a package, or their fallback."""
    return _find_built(package, name) or import_module(f"{package}.{name}_plain")


def need_kernels(package: str, name: str, purpose: str) -> Any:
    """Return the compiled kernels of this name, or what raises an error when it is used.

    Parameters
    ----------
    package, name : str
    purpose : str
        What they are for, in the plural: "... need compiled kernels".
    """
    return _find_built(package, name) or _Missing(purpose)


def is_compiled() -> bool:
    """Return whether the kernels that move pixels are compiled."""
    if os.environ.get("SUDOKUCRYPT_PLAIN"):
        return False
    # They are not loaded: that loads NumPy, and takes longer than all else to print a version.
    return find_spec("sudokucrypt.bijections._kernels.passes") is not None


def _find_built(package: str, name: str) -> ModuleType | None:
    if not os.environ.get("SUDOKUCRYPT_PLAIN"):
        with suppress(ImportError):  # nothing was compiled here
            return import_module(f"{package}.{name}")
    return None


class _Missing:
    """Stands for kernels that are not there."""

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # of tools that look at what an object can do
            raise AttributeError(name)
        hint = "install a C compiler, and then install sudokucrypt again"
        if os.environ.get("SUDOKUCRYPT_PLAIN"):
            hint = "unset the environment variable SUDOKUCRYPT_PLAIN, which keeps them away"
        raise MissingKernelsError(f"{self._purpose} need compiled kernels", hint=hint)

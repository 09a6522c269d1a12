"""The inner loops: compiled kernels where they could be built, otherwise their fallbacks.

A kernel is a module ``NAME.pyx`` in the package that uses it. Next to it is its fallback,
``NAME_plain.py``, which gives the same bytes and documents the functions. Most kernels include the
file of their fallback, with the types of `sudokucrypt.kernels.names`; kernels that use vectors or
loops in C have a separate fallback. Tests compare both.
Type checkers always see the fallback, since they cannot read compiled modules::

    if TYPE_CHECKING:
        from package._kernels import name_plain as _kernels
    else:
        _kernels = load_kernels("package._kernels", "name")

Kernels that would be too slow in Python have no fallback. `load_or_defer_kernels` loads them;
without compiled kernels, calling them raises an error whose hint names the install command.

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
    """A function without fallback was called, and its compiled kernel is missing."""


def load_kernels(package: str, name: str) -> ModuleType:
    """Return the compiled kernel of this name in a package, or its fallback."""
    return _find_built_kernel(package, name) or import_module(f"{package}.{name}_plain")


def load_or_defer_kernels(package: str, name: str, purpose: str) -> Any:
    """Return the compiled kernel of this name, or an object that raises an error when it is used.

    Parameters
    ----------
    package, name : str
        The package of the kernel, and its name there.
    purpose : str
        The subject of the error message "... need compiled kernels", in the plural.
    """
    return _find_built_kernel(package, name) or _MissingKernels(purpose)


def is_compiled() -> bool:
    """Return whether the kernels that move pixels are compiled."""
    if os.environ.get("SUDOKUCRYPT_PLAIN"):
        return False
    # The kernel is not imported, since importing NumPy takes most of the time of short commands.
    return find_spec("sudokucrypt.bijections._kernels.passes") is not None


def _find_built_kernel(package: str, name: str) -> ModuleType | None:
    if not os.environ.get("SUDOKUCRYPT_PLAIN"):
        with suppress(ImportError):  # nothing was compiled here
            return import_module(f"{package}.{name}")
    return None


class _MissingKernels:
    """A placeholder for missing kernels: reading any of its attributes raises an error."""

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # tools look for these attributes on any object
            raise AttributeError(name)
        hint = "install a C compiler, and then install sudokucrypt again"
        if os.environ.get("SUDOKUCRYPT_PLAIN"):
            hint = "unset the environment variable SUDOKUCRYPT_PLAIN, which disables them"
        raise MissingKernelsError(f"{self._purpose} need compiled kernels", hint=hint)

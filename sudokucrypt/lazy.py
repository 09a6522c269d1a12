"""Imports on first use: names of packages, and functions of modules that are seldom needed.

Type checkers cannot follow such an import. Each user therefore imports the same things under ``if
TYPE_CHECKING``, which makes them typed; tests compare the two lists.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # the command line starts here, and `typing` takes a while to import
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(
    package: str, names: Mapping[str, str], *, packages: tuple[str, ...] = ()
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    names : mapping of str to str
        By module, relative to the top package: the public names from it, with spaces between.
    packages : tuple of str
        Packages below it that become attributes, but are not part of ``__all__``.
    """
    top = package.partition(".")[0]
    modules = {name: f"{top}.{module}" for module, line in names.items() for name in line.split()}

    def find(name: str) -> Any:
        if name in packages:
            return import_module(f"{package}.{name}")
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = import_name(modules[name], name)
        # The next access finds it without a call.
        setattr(sys.modules[package], name, value)
        return value

    return sorted(modules), find, lambda: sorted({*vars(sys.modules[package]), *modules, *packages})


def import_name(module: str, name: str) -> Any:
    """Import a module and return one of its names."""
    return getattr(import_module(module), name)


class DeferredModule:
    """A module whose functions can be handed on now; the first call of one imports it.

    Parameters
    ----------
    name : str
        Its full name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: object, **options: object) -> Any:
            return import_name(self._name, name)(*arguments, **options)

        return call

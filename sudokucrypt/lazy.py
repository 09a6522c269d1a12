"""Imports on first use: names of packages, and functions of modules that are seldom needed.

Type checkers cannot follow such an import. The stub of a package, ``__init__.pyi``, tells them and
`lazy_names` where each name is; whoever uses a `DeferredModule` imports it under ``if
TYPE_CHECKING`` too.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # the command line starts here, and `typing` takes a while to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def lazy_names(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package, as its stub lists them.

    The stub is ``__init__.pyi``, which consists of imports: ``from MODULE import NAME as NAME``.
    A package below this one that it names becomes an attribute, but is not part of ``__all__``.
    """
    modules = _listed(package)
    public = sorted(name for name, module in modules.items() if module != package)

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if modules[name] == package:
            return import_module(f"{package}.{name}")
        value = import_name(modules[name], name)
        # The next access finds it without a call.
        setattr(sys.modules[package], name, value)
        return value

    return public, find, lambda: sorted({*vars(sys.modules[package]), *modules})


def _listed(package: str) -> dict[str, str]:
    """Return the module of each name in the stub of a package."""
    spec: Any = sys.modules[package].__spec__
    # By the loader, so that a package in an archive has its names too; word by word, since to parse
    # the stub would take longer than to import what most callers need.
    words = spec.loader.get_data(f"{spec.origin.rpartition('.')[0]}.pyi").decode().split()
    modules: dict[str, str] = {}
    module = ""
    for index, word in enumerate(words[:-1]):
        following = words[index + 1]
        if word == "from":
            module = following
        elif word == "as" and not following.startswith("__"):
            modules[following.rstrip(",")] = module
    return modules


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

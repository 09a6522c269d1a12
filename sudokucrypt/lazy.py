"""Imports on first use: names of packages, and functions of modules that are seldom needed.

Type checkers cannot follow such an import. The stub of a package, ``__init__.pyi``, tells them and
`lazy_names` where each name is; who needs the types of a `DeferredModule` imports it under ``if
TYPE_CHECKING`` too.
"""

from __future__ import annotations

import sys
from functools import partial
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
    modules = _read_stub(package)
    public = sorted([name for name, module in modules.items() if module != package])

    def find(name: str) -> Any:
        if name not in modules:
            raise MissingAttributeError(f"module {package!r}", name, modules.keys)
        if modules[name] == package:
            return import_module(f"{package}.{name}")
        module, own = import_module(modules[name]), vars(sys.modules[package])
        own[name] = getattr(module, name)
        # The next access to this name, or to another of the module, finds it without a call.
        for other, home in modules.items():
            if home == modules[name] and other in vars(module):
                own[other] = vars(module)[other]
        return own[name]

    def list_names() -> list[str]:
        own = [name for name in vars(sys.modules[package]) if name.startswith("__")]
        return sorted({*own, *modules})  # its other parts are private

    return public, find, list_names


def _read_stub(package: str) -> dict[str, str]:
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


def call_name(module: str, name: str, *arguments: object, **options: object) -> Any:
    """Import a module and call one of its functions.

    ``partial(call_name, module, name)`` is a function that can be handed on before that.
    """
    return getattr(import_module(module), name)(*arguments, **options)


class MissingAttributeError(AttributeError):
    """What is asked for is not there; the message names what was probably meant.

    Its arguments are the object, as messages call it, the name, and what lists all names. These are
    listed only when the message is read, since Python itself asks for what may be missing.
    """

    def __str__(self) -> str:
        """Return the message."""
        what, name, list_names = self.args
        meant = call_name("sudokucrypt.suggesting", "meant_by", name, list_names())
        return f"{what} has no attribute {name!r}{f'; use {meant}' if meant else ''}"


class Suggesting(type):
    """The type of classes that say what was meant by an attribute that they or objects lack.

    `HOW` of a class says how an object is made, to anyone who calls it with other arguments.
    """

    HOW = ""

    if not TYPE_CHECKING:  # type checkers know all attributes by themselves

        def __call__(cls, *arguments, **options):
            """Return an object, or raise the error for its arguments with a note."""
            try:
                return super().__call__(*arguments, **options)
            except TypeError as error:
                if cls.HOW and error.__traceback__.tb_next is None:  # none of its code ran
                    error.add_note(f"hint: {cls.HOW}")
                raise

        def __getattr__(cls, name):
            """Raise the error for an attribute of the class."""
            raise MissingAttributeError(f"type object {cls.__name__!r}", name, partial(dir, cls))

        def suggest(cls, name):
            """Raise the error for an attribute of an object: the ``__getattr__`` of the class."""
            raise MissingAttributeError(f"{cls.__name__!r} object", name, partial(dir, cls))


class DeferredModule:
    """A module whose functions can be handed on now; the first call of one imports it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(call_name, self._name, name)

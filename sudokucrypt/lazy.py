"""Import the names of packages, and seldom needed modules, when they are first used.

Type checkers cannot follow such an import. They and `make_lazy_names` read the stub of the package,
``__init__.pyi``, which says in which module each name is. Code that needs the types of a
`DeferredModule` also imports the module under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module

TYPE_CHECKING = False  # every command imports this module, and importing `typing` takes a while
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def make_lazy_names(
    package: str,
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package, made from its stub.

    The stub ``__init__.pyi`` consists of imports: ``from MODULE import NAME as NAME``. Packages
    inside this one that the stub imports become attributes, but are not part of ``__all__``.
    """
    modules = _read_stub(package)
    public_names = sorted([name for name, module in modules.items() if module != package])

    def load_object(name: str) -> Any:
        if name not in modules:
            raise MissingAttributeError(f"module {package!r}", name, modules.keys)
        if modules[name] == package:
            return import_module(f"{package}.{name}")
        module, attributes = import_module(modules[name]), vars(sys.modules[package])
        attributes[name] = getattr(module, name)
        # From now on Python finds this name, and the others of the module, without this function.
        for other_name, module_name in modules.items():
            if module_name == modules[name] and other_name in vars(module):
                attributes[other_name] = vars(module)[other_name]
        return attributes[name]

    def list_names() -> list[str]:
        special_names = [name for name in vars(sys.modules[package]) if name.startswith("__")]
        return sorted({*special_names, *modules})  # all other attributes are private

    return public_names, load_object, list_names


def _read_stub(package: str) -> dict[str, str]:
    """Return the module of each name in the stub of a package."""
    spec: Any = sys.modules[package].__spec__
    # The loader can read a stub from an archive too. Parsing the stub as Python would take longer
    # than importing what most callers need, so it is split into words.
    stub_words = spec.loader.get_data(f"{spec.origin.rpartition('.')[0]}.pyi").decode().split()
    modules: dict[str, str] = {}
    module = ""
    for index, word in enumerate(stub_words[:-1]):
        next_word = stub_words[index + 1]
        if word == "from":
            module = next_word
        elif word == "as" and not next_word.startswith("__"):
            modules[next_word.rstrip(",")] = module
    return modules


def import_object(module: str, name: str) -> Any:
    """Import a module and return one of its names."""
    return getattr(import_module(module), name)


def import_and_call(module: str, name: str, *arguments: object, **options: object) -> Any:
    """Import a module and call one of its functions.

    ``partial(call_name, module, name)`` is a function that imports the module when it is called.
    """
    return getattr(import_module(module), name)(*arguments, **options)


class MissingAttributeError(AttributeError):
    """An attribute does not exist; the message suggests another.

    The arguments of the error are the words for the object, the name, and a function that lists the
    existing names. It is called only when the message is read: Python itself often asks for
    attributes that do not exist.
    """

    def __str__(self) -> str:
        """Return the message."""
        described_object, name, list_names = self.args
        suggestion = import_and_call("sudokucrypt.suggesting", "suggest_name", name, list_names())
        remedy = f"; use {suggestion}" if suggestion else ""
        return f"{described_object} has no attribute {name!r}{remedy}"


class SuggestingType(type):
    """The type of classes whose errors for a missing attribute suggest another one.

    `CONSTRUCTION_HINT` of a class says how an object is made, for the error after a call with wrong
    arguments.
    """

    CONSTRUCTION_HINT = ""

    if not TYPE_CHECKING:  # type checkers know all attributes by themselves

        def __call__(cls, *arguments, **options):
            """Return an object, or raise an error that has a note about the arguments."""
            try:
                return super().__call__(*arguments, **options)
            except TypeError as error:
                # The call itself failed.
                if cls.CONSTRUCTION_HINT and error.__traceback__.tb_next is None:
                    error.add_note(f"hint: {cls.CONSTRUCTION_HINT}")
                raise

        def __getattr__(cls, name):
            """Raise the error for a missing attribute of the class."""
            raise MissingAttributeError(f"type object {cls.__name__!r}", name, partial(dir, cls))

        def suggest(cls, name):
            """Raise the error for a missing attribute of an object.

            The ``__getattr__`` of each class calls it.
            """

            def list_names():
                return [*dir(cls), *cls.__annotations__]  # not all fields are class attributes

            raise MissingAttributeError(f"{cls.__name__!r} object", name, list_names)


class DeferredModule:
    """A module that is imported when one of its functions is first called."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(import_and_call, self._name, name)

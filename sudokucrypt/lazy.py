"""Packages that import what they offer when it is first used, from one list of names.

The list is the ``if TYPE_CHECKING`` block of the package itself, which type checkers need in any
case: each ``from MODULE import NAME as NAME`` there is an offer. A package below, which the block
imports from the package itself, is no part of ``__all__``. The list is read from the compiled code,
which is there even where the source is not.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the command line starts here, and `typing` takes a while to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from typing import Any


def lazy_names(
    spec: ModuleSpec | None, namespace: dict[str, Any]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    spec : ModuleSpec
        Its ``__spec__``.
    namespace : dict
        Its ``globals()``, which keep each name once it was imported.
    """
    find, names = late_names(spec, namespace)
    return find("__all__"), find, names


def late_names(
    spec: ModuleSpec | None, namespace: dict[str, Any]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__``, which knows ``__all__`` too, and ``__dir__``; as `lazy_names`."""
    modules: dict[str, str] = {}

    def find(name: str) -> Any:
        from importlib import import_module

        modules.update(modules or _offers(spec))
        if name == "__all__":
            return sorted(
                name for name, module in modules.items() if module != namespace["__name__"]
            )
        if name not in modules:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        if modules[name] == namespace["__name__"]:  # a package below this one
            return import_module(f"{modules[name]}.{name}")
        namespace[name] = found = getattr(import_module(modules[name]), name)
        return found

    return find, lambda: sorted({*namespace, *_offers(spec)})


def _offers(spec: ModuleSpec | None) -> dict[str, str]:
    """Return the names that a package offers, and the modules that define them."""
    import dis

    if spec is None:
        raise ImportError("only an imported package offers names")
    root = spec.name.partition(".")[0]
    modules: dict[str, str] = {}
    module = ""
    code = spec.loader.get_code(spec.name)  # type: ignore[union-attr]
    for step in dis.get_instructions(code) if code else ():
        if step.opname == "IMPORT_NAME":
            module = step.argval
        elif step.opname == "IMPORT_FROM" and module.partition(".")[0] == root:
            modules[step.argval] = module
    return {name: module for name, module in modules.items() if module != __name__}

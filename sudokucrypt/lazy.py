"""Packages that import what they offer when it is first used, from one list of names.

The list is the ``if TYPE_CHECKING`` block of the package itself, which type checkers need in any
case: each ``from MODULE import NAME as NAME`` there is an offer. A package below, which the block
imports from the package itself, is no part of ``__all__``. The list is read from the compiled code,
which is there even where the source is not.
"""

from __future__ import annotations

import dis
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.abc import InspectLoader
    from importlib.machinery import ModuleSpec


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
    if spec is None:
        raise ImportError("only an imported package offers names")
    root = spec.name.partition(".")[0]
    modules: dict[str, str] = {}
    module = ""
    code = cast("InspectLoader", spec.loader).get_code(spec.name)
    for step in dis.get_instructions(code) if code else ():
        if step.opname == "IMPORT_NAME":
            module = step.argval
        elif step.opname == "IMPORT_FROM" and module.partition(".")[0] == root:
            modules[step.argval] = module
    modules.pop("lazy_names")

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {spec.name!r} has no attribute {name!r}")
        if modules[name] == spec.name:  # a package below this one
            return import_module(f"{spec.name}.{name}")
        namespace[name] = found = getattr(import_module(modules[name]), name)
        return found

    offered = sorted(name for name, module in modules.items() if module != spec.name)
    return offered, find, lambda: sorted({*namespace, *modules})

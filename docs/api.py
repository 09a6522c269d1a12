"""The pages of the Python API: ``python -m docs.api`` writes what docstrings say into them.

A comment ``<!-- api PACKAGE NAMES -->`` in a page names what stands below it, up to the next
``<!-- /api -->``: a list of the names with what each does, or without names what the package says
of itself. Forges show that; the documentation site shows whole docstrings in its place.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = Path(__file__).parent / "reference"
BLOCK = re.compile(r"<!-- api (\S+)(.*?) -->\n.*?<!-- /api -->", re.DOTALL)
_COMMANDS = re.compile(r"<!-- click (\S+) -->.*?<!-- /click -->", re.DOTALL)
_OPTIONS = "```{eval-rst}\n.. click:: \\1\n   :prog: sudokucrypt\n   :nested: full\n```"
_ROOT = Path(__file__).parent.parent
_LONGEST_DEFAULT = 20  # characters


def main() -> None:
    """Write the pages."""
    for path in sorted(FOLDER.glob("api*.md")):
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


def filled(page: str) -> str:
    """Return a page with what its comments name."""
    return BLOCK.sub(lambda block: _filled(block[1], block[2]), page)


def functions() -> list[Any]:
    """Return the functions that the pages name, each once."""
    found: dict[int, Any] = {}
    for path in sorted(FOLDER.glob("api*.md")):
        for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
            package = importlib.import_module(block[1])
            exports = (getattr(package, name) for name in block[2].split())
            found |= {id(export): export for export in exports if inspect.isroutine(export)}
    return list(found.values())


def _filled(package: str, names: str) -> str:
    module = importlib.import_module(package)
    head = f"<!-- api {package}{names} -->\n"
    if not names.split():
        return f"{head}\n{_markdown(inspect.getdoc(module) or '')}\n\n<!-- /api -->"
    items = "".join(_item(module, name) for name in names.split())
    return f"{head}\n{items}\n<!-- /api -->"


def _item(package: ModuleType, name: str) -> str:
    """Return the item of a name: how it is called, where it is, and the first words about it."""
    export = getattr(package, name)
    source, text = _described(export, name)
    summary = " ".join(_markdown(text).partition("\n\n")[0].split())
    link = os.path.relpath(source, FOLDER).replace(os.sep, "/")
    return f"- [`{name}`]({link}){_arguments(export)}: {summary}\n"


def _described(export: Any, name: str) -> tuple[Path, str]:
    """Return the file that defines an export, and its docstring or what follows its assignment."""
    places = _assigned().get(name, [])
    if callable(export) and hasattr(export, "__module__"):
        module = importlib.import_module(export.__module__)
        if getattr(module, name, None) is export:
            places = [*places, (Path(str(module.__file__)), str(inspect.getdoc(export)))]
    for path, text in places:
        dotted = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
        module = importlib.import_module(dotted.removesuffix(".__init__"))
        if getattr(module, name) is export:
            return path, text
    raise LookupError(f"nothing says what {name} is")


@cache
def _assigned() -> dict[str, list[tuple[Path, str]]]:
    """Return the texts that follow assignments, by name, with their files."""
    texts: dict[str, list[tuple[Path, str]]] = {}
    for path in sorted((_ROOT / "sudokucrypt").rglob("*.py")):
        for assignment, after in pairwise(ast.parse(path.read_text(encoding="utf-8")).body):
            match assignment, after:
                case (
                    ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)),
                    ast.Expr(ast.Constant(str(text))),
                ):
                    texts.setdefault(name, []).append((path, inspect.cleandoc(text)))
    return texts


def _arguments(export: Any) -> str:
    """Return the parameters of a function, without types, and with defaults that are short."""
    if not inspect.isroutine(export):
        return ""
    signature = inspect.signature(export)
    parameters = [
        each.replace(annotation=each.empty, default=_default(each.default))
        for each in signature.parameters.values()
    ]
    plain = signature.replace(parameters=parameters, return_annotation=signature.empty)
    return f"`{plain}`"


class _Text(str):
    """A default as it is written."""

    __slots__ = ()
    __repr__ = str.__str__


def _default(value: Any) -> Any:
    empty = inspect.Parameter.empty
    return value if value is empty or len(repr(value)) <= _LONGEST_DEFAULT else _Text("...")


def _markdown(text: str) -> str:
    """Return a docstring as Markdown: code has one backtick, and a described word is an item."""
    text = re.sub(r"``(.+?)``", r"`\1`", inspect.cleandoc(text)).replace("::\n", ":\n")
    return re.sub(r"^(\S.*)\n((?:    .*\n?)+)", _as_item, text, flags=re.MULTILINE)


def _as_item(described: re.Match[str]) -> str:
    return f"- {described[1]}: {' '.join(described[2].split())}\n"


def directives(page: str) -> str:
    """Return a page for Sphinx, with directives where the comments are."""
    page = _COMMANDS.sub(_OPTIONS, page)
    return BLOCK.sub(lambda block: _directive(block[1], block[2].split()), page)


def _directive(package: str, names: list[str]) -> str:
    said = f".. names:: {package}\n\n   {' '.join(names)}"
    if not names:
        said = f".. automodule:: {package}\n   :no-members:"
    return f"```{{eval-rst}}\n{said}\n```"


if __name__ == "__main__":
    main()

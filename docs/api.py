"""Write the pages of the Python API from docstrings: ``python -m docs.api``.

A comment ``<!-- api PACKAGE NAMES -->`` in a page, up to the next ``<!-- /api -->``, is followed by
a list of the names with their summaries, or without names by the docstring of the package. Forges
show this text; the documentation site shows complete docstrings instead.
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
API_BLOCK = re.compile(r"<!-- api (\S+)(.*?) -->\n.*?<!-- /api -->", re.DOTALL)
_COMMANDS = re.compile(r"<!-- click (\S+) -->.*?<!-- /click -->", re.DOTALL)
_OPTIONS = "```{eval-rst}\n.. click:: \\1\n   :prog: sudokucrypt\n   :nested: full\n```"
_ROOT = Path(__file__).parent.parent
_MAX_DEFAULT = 20  # characters of a default in a signature


def main() -> None:
    """Write all pages."""
    for path in sorted(FOLDER.glob("api*.md")):
        path.write_text(fill_page(path.read_text(encoding="utf-8")), encoding="utf-8")


def fill_page(page: str) -> str:
    """Return a page with the content that its comments ask for."""
    return API_BLOCK.sub(lambda block: _fill_block(block[1], block[2]), page)


def list_functions() -> list[Any]:
    """Return each function that the pages name once."""
    exported_functions: dict[int, Any] = {}
    for path in sorted(FOLDER.glob("api*.md")):
        for block in API_BLOCK.finditer(path.read_text(encoding="utf-8")):
            package = importlib.import_module(block[1])
            exports = (getattr(package, name) for name in block[2].split())
            exported_functions |= {
                id(export): export for export in exports if inspect.isroutine(export)
            }
    return list(exported_functions.values())


def _fill_block(package: str, names: str) -> str:
    module = importlib.import_module(package)
    opening = f"<!-- api {package}{names} -->\n"
    if not names.split():
        return f"{opening}\n{_convert_to_markdown(inspect.getdoc(module) or '')}\n\n<!-- /api -->"
    items = "".join(_format_item(module, name) for name in names.split())
    return f"{opening}\n{items}\n<!-- /api -->"


def _format_item(package: ModuleType, name: str) -> str:
    """Return the list item of a name: its signature, a link to its code, and its summary."""
    export = getattr(package, name)
    source, text = _find_description(export, name)
    summary = " ".join(_convert_to_markdown(text).partition("\n\n")[0].split())
    link = os.path.relpath(source, FOLDER).replace(os.sep, "/")
    return f"- [`{name}`]({link}){_format_arguments(export)}: {summary}\n"


def _find_description(export: Any, name: str) -> tuple[Path, str]:
    """Return the file that defines an export, and its docstring or the text after it."""
    source_texts = _list_assignment_texts().get(name, [])
    if callable(export) and hasattr(export, "__module__"):
        module = importlib.import_module(export.__module__)
        if getattr(module, name, None) is export:
            source_texts = [
                *source_texts,
                (Path(str(module.__file__)), str(inspect.getdoc(export))),
            ]
    for path, text in source_texts:
        module_name = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
        module = importlib.import_module(module_name.removesuffix(".__init__"))
        if getattr(module, name) is export:
            return path, text
    raise LookupError(f"nothing says what {name} is")


@cache
def _list_assignment_texts() -> dict[str, list[tuple[Path, str]]]:
    """Return texts after assignments, by name, with their files."""
    texts: dict[str, list[tuple[Path, str]]] = {}
    for path in sorted((_ROOT / "sudokucrypt").rglob("*.py")):
        for assignment, next_statement in pairwise(
            ast.parse(path.read_text(encoding="utf-8")).body
        ):
            match assignment, next_statement:
                case (
                    ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)),
                    ast.Expr(ast.Constant(str(text))),
                ):
                    texts.setdefault(name, []).append((path, inspect.cleandoc(text)))
    return texts


def _format_arguments(export: Any) -> str:
    """Return the parameters of a function without types, and with short defaults."""
    if not inspect.isroutine(export):
        return ""
    signature = inspect.signature(export)
    parameters = [
        parameter.replace(annotation=parameter.empty, default=_format_default(parameter.default))
        for parameter in signature.parameters.values()
    ]
    short_signature = signature.replace(parameters=parameters, return_annotation=signature.empty)
    return f"`{short_signature}`"


class _Text(str):
    """A default as it is written."""

    __slots__ = ()
    __repr__ = str.__str__


def _format_default(value: Any) -> Any:
    empty = inspect.Parameter.empty
    return value if value is empty or len(repr(value)) <= _MAX_DEFAULT else _Text("...")


def _convert_to_markdown(text: str) -> str:
    """Convert a docstring to Markdown: one backtick for code, and list items for terms."""
    text = re.sub(r"``(.+?)``", r"`\1`", inspect.cleandoc(text)).replace("::\n", ":\n")
    return re.sub(r"^(\S.*)\n((?:    .*\n?)+)", _format_term, text, flags=re.MULTILINE)


def _format_term(term: re.Match[str]) -> str:
    return f"- {term[1]}: {' '.join(term[2].split())}\n"


def insert_directives(page: str) -> str:
    """Return a page for Sphinx, with directives in place of the blocks."""
    page = _COMMANDS.sub(_OPTIONS, page)
    return API_BLOCK.sub(lambda block: _make_directive(block[1], block[2].split()), page)


def _make_directive(package: str, names: list[str]) -> str:
    directive = f".. names:: {package}\n\n   {' '.join(names)}"
    if not names:
        directive = f".. automodule:: {package}\n   :no-members:"
    return f"```{{eval-rst}}\n{directive}\n```"


if __name__ == "__main__":
    main()

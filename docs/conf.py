"""Sphinx settings, and a check that the reference has an entry for each public name."""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import TYPE_CHECKING, Any

from sphinx import addnodes
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from docs.api import insert_directives
from sudokucrypt import __version__

if TYPE_CHECKING:
    from types import ModuleType

    from sphinx.application import Sphinx

project = "sudokucrypt"
author = "The sudokucrypt authors"
copyright = "2026, The sudokucrypt authors"  # noqa: A001
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "figures", "package.md"]
html_theme = "furo"
html_title = f"sudokucrypt {release}"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "imported-members": True,
}
napoleon_google_docstring = False
nitpicky = False

PUBLIC = (
    "sudokucrypt",
    "sudokucrypt.analysis",
    "sudokucrypt.analysis.attacks",
    "sudokucrypt.analysis.baselines",
    "sudokucrypt.analysis.randomness",
    "sudokucrypt.bijections",
    "sudokucrypt.cards",
    "sudokucrypt.ciphers",
    "sudokucrypt.images",
    "sudokucrypt.reports",
    "sudokucrypt.robust",
    "sudokucrypt.sudoku",
    "sudokucrypt.sudoku.drawing",
)
"""The packages whose names people import."""


class Names(SphinxDirective):
    """A directive that describes names of a package in the order of the page, grouped by task."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[Any]:
        """Return one entry for each name."""
        package = importlib.import_module(self.arguments[0])
        names = " ".join(self.content).split()
        return self.parse_text_to_nodes("\n\n".join(_make_entry(package, name) for name in names))


def _make_entry(package: ModuleType, name: str) -> str:
    """Return the directive for a name; for a class it includes members inherited from ours."""
    export = getattr(package, name)
    directive = "function" if inspect.isroutine(export) else "data"
    options = ""
    if isinstance(export, type):
        directive = "exception" if issubclass(export, BaseException) else "class"
        foreign_bases = [
            base.__name__ for base in export.mro() if not base.__module__.startswith(project)
        ]
        options = f"\n   :inherited-members: {', '.join(foreign_bases)}"
    return f".. auto{directive}:: {package.__name__}.{name}{options}"


def setup(app: Sphinx) -> None:
    """Connect the functions of this file to the events of Sphinx."""
    _describe_constants()
    app.add_directive("names", Names)
    app.connect("source-read", _put_directives)
    app.connect("autodoc-skip-member", _skip_fields)
    app.connect(
        "autodoc-process-docstring", _protect_colons, priority=400
    )  # must run before Napoleon
    app.connect("doctree-read", _unlink_words)
    app.connect("env-check-consistency", _warn_of_missing_names)


def _put_directives(_: Sphinx, __: str, source: list[str]) -> None:
    """Replace the summaries on pages by directives for complete docstrings."""
    source[0] = insert_directives(source[0])


def _describe_constants() -> None:
    """Give exported constants and types the description that follows their assignment."""
    packages = map(importlib.import_module, PUBLIC)
    exports = [
        (package, name, getattr(package, name)) for package in packages for name in package.__all__
    ]
    documented = {
        name: (module, ModuleAnalyzer.for_module(name).find_attr_docs())
        for name, module in sys.modules.items()
        if name.startswith(project) and str(module.__file__).endswith(".py")
    }
    for package, name, export in exports:
        for module, texts in documented.values():
            if ("", name) in texts and getattr(module, name, None) is export:
                documented[package.__name__][1]["", name] = texts["", name]


def _skip_fields(*event: Any) -> bool | None:
    """Leave out fields of named tuples, which the docstring of the class describes."""
    field = event[3]
    return True if str(getattr(field, "__doc__", "")).startswith("Alias for field") else None


def _protect_colons(*event: Any) -> None:
    """Put an empty comment first, or Napoleon would read text before a colon as a type."""
    _, kind, *_, lines = event
    if kind in {"attribute", "data", "property"}:
        lines[:0] = ["..", ""]


def _unlink_words(_: Sphinx, page: Any) -> None:
    """Remove links from words such as "shape" in the description of a type.

    Sphinx links any name; only names of our classes begin with a capital letter.
    """
    for link in list(page.findall(addnodes.pending_xref)):
        if link.get("reftype") == "class" and link["reftarget"].islower():
            link.replace_self(link.children)


def _warn_of_missing_names(app: Sphinx, _: object) -> None:
    """Print a warning for each public name without an entry; warnings fail the check.

    A name that several packages export needs only one entry.
    """
    objects = app.env.domains.python_domain.objects
    names_by_id: dict[int, list[str]] = {}
    for package in PUBLIC:
        module = importlib.import_module(package)
        for name in module.__all__:
            names_by_id.setdefault(id(getattr(module, name)), []).append(f"{package}.{name}")
    for equal_names in names_by_id.values():
        if equal_names != ["sudokucrypt.__version__"] and objects.keys().isdisjoint(equal_names):
            logging.getLogger(__name__).warning("no entry for %s", " or ".join(equal_names))

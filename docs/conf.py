"""Sphinx settings, and the check that no public name lacks its entry."""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import TYPE_CHECKING, Any

from sphinx import addnodes
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from docs.api import directives
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
    """Describe names of a package in the order that the page gives, which groups them by task."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[Any]:
        """Return one entry for each name."""
        package = importlib.import_module(self.arguments[0])
        names = " ".join(self.content).split()
        return self.parse_text_to_nodes("\n\n".join(_entry(package, name) for name in names))


def _entry(package: ModuleType, name: str) -> str:
    """Return the directive for a name, in which a class has what it inherits from ours."""
    export = getattr(package, name)
    kind = "function" if inspect.isroutine(export) else "data"
    options = ""
    if isinstance(export, type):
        kind = "exception" if issubclass(export, BaseException) else "class"
        foreign = [
            base.__name__ for base in export.mro() if not base.__module__.startswith(project)
        ]
        options = f"\n   :inherited-members: {', '.join(foreign)}"
    return f".. auto{kind}:: {package.__name__}.{name}{options}"


def setup(app: Sphinx) -> None:
    """Find descriptions, mend the types of each page, and look for missing entries at the end."""
    _bring_descriptions()
    app.add_directive("names", Names)
    app.connect("source-read", _put_directives)
    app.connect("autodoc-skip-member", _skip_fields)
    app.connect("autodoc-process-docstring", _keep_colons, priority=400)  # before Napoleon
    app.connect("doctree-read", _unlink_words)
    app.connect("env-check-consistency", _warn_of_missing_names)


def _put_directives(_: Sphinx, __: str, source: list[str]) -> None:
    """Show whole docstrings where pages for forges have their first words."""
    source[0] = directives(source[0])


def _bring_descriptions() -> None:
    """Show a constant or type where it is exported with the text that follows its assignment."""
    packages = map(importlib.import_module, PUBLIC)
    exports = [
        (package, name, getattr(package, name)) for package in packages for name in package.__all__
    ]
    described = {
        name: (module, ModuleAnalyzer.for_module(name).find_attr_docs())
        for name, module in sys.modules.items()
        if name.startswith(project) and str(module.__file__).endswith(".py")
    }
    for package, name, export in exports:
        for module, texts in described.values():
            if ("", name) in texts and getattr(module, name, None) is export:
                described[package.__name__][1]["", name] = texts["", name]


def _skip_fields(*event: Any) -> bool | None:
    """Leave out the fields of named tuples, which their class describes."""
    field = event[3]
    return True if str(getattr(field, "__doc__", "")).startswith("Alias for field") else None


def _keep_colons(*event: Any) -> None:
    """Begin with an empty comment, or Napoleon takes what stands before a colon for a type."""
    _, what, *_, lines = event
    if what in {"attribute", "data", "property"}:
        lines[:0] = ["..", ""]


def _unlink_words(_: Sphinx, page: Any) -> None:
    """Leave words such as "shape" in the description of a type without a link.

    Sphinx looks for anything of that name; classes of ours begin with a capital letter.
    """
    for link in list(page.findall(addnodes.pending_xref)):
        if link.get("reftype") == "class" and link["reftarget"].islower():
            link.replace_self(link.children)


def _warn_of_missing_names(app: Sphinx, _: object) -> None:
    """Warn of every public name that the reference leaves out; warnings fail the check.

    What several packages export needs one entry.
    """
    known = app.env.domains.python_domain.objects
    names: dict[int, list[str]] = {}
    for package in PUBLIC:
        module = importlib.import_module(package)
        for name in module.__all__:
            names.setdefault(id(getattr(module, name)), []).append(f"{package}.{name}")
    for same in names.values():
        if same != ["sudokucrypt.__version__"] and known.keys().isdisjoint(same):
            logging.getLogger(__name__).warning("no entry for %s", " or ".join(same))

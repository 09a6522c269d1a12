"""Sphinx settings, and the check that no public name lacks its entry."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from sphinx.util import logging

from sudokucrypt import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "sudokucrypt"
author = "The sudokucrypt authors"
copyright = "2026, The sudokucrypt authors"  # noqa: A001
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "figures"]
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
    "sudokucrypt.analysis.reports",
    "sudokucrypt.bijections",
    "sudokucrypt.ciphers.insecure",
    "sudokucrypt.images",
    "sudokucrypt.sudoku",
    "sudokucrypt.sudoku.drawing",
)
"""The packages whose names people import."""


def setup(app: Sphinx) -> None:
    """Look for missing entries once all pages have been read."""
    app.connect("env-check-consistency", _warn_of_missing_names)


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

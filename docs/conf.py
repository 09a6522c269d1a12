"""Sphinx settings."""

from sudokucrypt import __version__

project = "sudokucrypt"
author = "The sudokucrypt authors"
copyright = "2026, The sudokucrypt authors"  # noqa: A001
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"sudokucrypt {release}"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
nitpicky = False

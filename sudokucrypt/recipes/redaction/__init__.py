"""Covers that can be lifted later: the areas of a picture, and what they hide, sealed in it."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "recipes.redaction.files": (
        "RedactedLayer Redaction RedactionReport redact_file redactions unredact_file"
    ),
    "recipes.redaction.layers": "Layer",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.recipes.redaction.files import RedactedLayer as RedactedLayer
    from sudokucrypt.recipes.redaction.files import Redaction as Redaction
    from sudokucrypt.recipes.redaction.files import RedactionReport as RedactionReport
    from sudokucrypt.recipes.redaction.files import redact_file as redact_file
    from sudokucrypt.recipes.redaction.files import redactions as redactions
    from sudokucrypt.recipes.redaction.files import unredact_file as unredact_file
    from sudokucrypt.recipes.redaction.layers import Layer as Layer
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)

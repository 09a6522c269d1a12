from sudokucrypt.recipes.redaction.files import RedactedLayer as RedactedLayer
from sudokucrypt.recipes.redaction.files import Redaction as Redaction
from sudokucrypt.recipes.redaction.files import RedactionReport as RedactionReport
from sudokucrypt.recipes.redaction.files import redact_file as redact_file
from sudokucrypt.recipes.redaction.files import redactions as redactions
from sudokucrypt.recipes.redaction.files import unredact_file as unredact_file
from sudokucrypt.recipes.redaction.layers import Layer as Layer

__all__: list[str]

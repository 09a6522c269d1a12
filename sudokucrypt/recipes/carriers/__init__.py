"""Carriers: the forms in which files can be protected, in the order of recognition."""

from sudokucrypt.recipes.carriers.contract import Carrier
from sudokucrypt.recipes.carriers.file import FileCarrier
from sudokucrypt.recipes.carriers.jpeg import JpegCarrier
from sudokucrypt.recipes.carriers.picture import PictureCarrier
from sudokucrypt.recipes.carriers.redacted import RedactionCarrier
from sudokucrypt.recipes.carriers.robust import RobustCarrier

CARRIERS: list[Carrier] = [
    JpegCarrier(),
    FileCarrier(),
    PictureCarrier(),
    RedactionCarrier(),
    RobustCarrier(),
]
"""The first that recognizes an input gets it.

A JPEG that can stay one comes before its bytes and its pixels; what its header seals distinguishes
a file from a picture; what has no header is redacted if it holds layers, and is else searched for
the cells of a robust picture, which takes the most work.
"""


def register_carrier(carrier: Carrier) -> None:
    """Add a carrier for this process; it is asked before all others."""
    CARRIERS.insert(0, carrier)

"""The eight names of a Sudoku cell, the maps between them, and keyed permutations of N units."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "bijections.keyed": "RasterLayout UnitPermutation chosen_rounds permutation",
    "bijections.maps": "bijection compose cycle_type invert order",
    "bijections.representation": "Numbering Representation cells_at names_of",
    "bijections.units": "UnitGroups",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.bijections.keyed import RasterLayout as RasterLayout
    from sudokucrypt.bijections.keyed import UnitPermutation as UnitPermutation
    from sudokucrypt.bijections.keyed import chosen_rounds as chosen_rounds
    from sudokucrypt.bijections.keyed import permutation as permutation
    from sudokucrypt.bijections.maps import bijection as bijection
    from sudokucrypt.bijections.maps import compose as compose
    from sudokucrypt.bijections.maps import cycle_type as cycle_type
    from sudokucrypt.bijections.maps import invert as invert
    from sudokucrypt.bijections.maps import order as order
    from sudokucrypt.bijections.representation import Numbering as Numbering
    from sudokucrypt.bijections.representation import Representation as Representation
    from sudokucrypt.bijections.representation import cells_at as cells_at
    from sudokucrypt.bijections.representation import names_of as names_of
    from sudokucrypt.bijections.units import UnitGroups as UnitGroups
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)

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
from sudokucrypt.bijections.representation import find_cells as find_cells
from sudokucrypt.bijections.representation import name_cells as name_cells
from sudokucrypt.bijections.units import UnitGroups as UnitGroups

__all__: list[str]

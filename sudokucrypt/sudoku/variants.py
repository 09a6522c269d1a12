"""The kinds of Sudoku that are known by name, and how others are added.

A kind is one object: a `VariantKind`. From the registered ones come the flags of the command line,
the words in JSON, the methods that make their sheets and the way they are counted. A package adds
its own by an entry point in the group ``sudokucrypt.variants`` that names a `VariantKind` or a
function from a box to a `Variant`; a program calls `register_variant`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.variant import Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sudokucrypt.sudoku.methods import Method

    Shape = tuple[int, ...]
    Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class VariantKind:
    """A kind of Sudoku.

    Parameters
    ----------
    name : str
        The word for it in JSON.
    title : str
        What messages call its sheets, such as ``X-Sudoku``.
    build : callable
        Returns the variant for a box (p, q), or for the numbers of `takes`.
    help : str, optional
        One line about its flag, such as ``Five overlapping grids.``
    flag : str, optional
        The word of its flag on the command line; by default it has none.
    takes : str, optional
        What its flag takes instead of a box, such as ``A,B,C,D``; one number stands for all.
    square : bool, optional
        Whether the sheet is a square of p * q rows, so that its cells give away its box.
    methods : callable, optional
        Returns the methods that make full sheets, by name, the best first; by default search.
    count : callable, optional
        Returns the number of full sheets; called with the shape and ``progress``. By default
        the solver visits all of them, as far as that ends in minutes.

    Examples
    --------
    >>> VARIANTS["x"].build((2, 3)).name
    'X, 6x6 with 2x3 boxes'
    >>> [name for name, kind in VARIANTS.items() if kind.takes]
    ['array']
    """

    name: str
    title: str
    build: Callable[[Any], Variant]
    help: str = ""
    flag: str | None = None
    takes: str | None = None
    square: bool = True
    methods: Callable[[Any], Mapping[str, Method]] | None = None
    count: Callable[..., int] | None = None

    def methods_for(self, shape: Shape) -> Mapping[str, Method]:
        """Return the methods that make full sheets of a shape."""
        from sudokucrypt.sudoku.methods import search_methods

        return self.methods(shape) if self.methods else search_methods(self.build(shape))

    def count_sheets(self, shape: Shape, *, progress: Progress | None = None) -> int:
        """Return the number of full sheets; `UnsupportedError` if that would take too long."""
        from sudokucrypt.sudoku.counting.totals import count_sheets

        if self.count:
            return self.count(shape, progress=progress)
        return count_sheets(self.build(shape), progress=progress)


_kinds: dict[str, VariantKind] = {}

VARIANTS: Mapping[str, VariantKind] = MappingProxyType(_kinds)
"""The registered kinds by name."""


def register_variant(kind: VariantKind) -> VariantKind:
    """Make a kind known by its name and its flag, and return it.

    Raises
    ------
    InvalidParameterError
        If another kind has this name or flag.
    """
    for other in _kinds.values():
        if kind.name == other.name or (kind.flag and kind.flag == other.flag):
            raise InvalidParameterError(f"there is a kind of Sudoku {kind.name!r} already")
    _kinds[kind.name] = kind
    return kind


def kind_of(value: object, name: str) -> VariantKind:
    """Return a kind for what somebody else defined.

    Parameters
    ----------
    value : VariantKind, Variant, or callable
        A function takes a box and returns a `Variant`.
    name : str
        The name of a kind that brings none.

    Raises
    ------
    InvalidParameterError
        If it is anything else.
    """
    if isinstance(value, VariantKind):
        return value
    if isinstance(value, Variant):
        return VariantKind(name=name, title=value.name, build=lambda _: value, square=False)
    if callable(value):
        return VariantKind(name=name, title=name, build=value)
    raise InvalidParameterError(
        f"{name} is no kind of Sudoku but of type {type(value).__name__}",
        hint="give a VariantKind, a Variant, or a function from a box to a Variant",
    )


def _grid_methods(box: Shape) -> Mapping[str, Method]:
    from sudokucrypt.sudoku.methods import grid_methods

    return grid_methods((box[0], box[1]))


def _array_methods(sides: Shape) -> Mapping[str, Method]:
    from sudokucrypt.sudoku.methods import array_methods

    return array_methods(sides)


def _count(name: str, box: Shape, progress: Progress | None) -> int:
    from sudokucrypt.sudoku.counting import totals

    found: int = getattr(totals, name)(box, progress=progress)
    return found


def _in_rows(box: Shape) -> Shape:
    """Return the box that leaves rows and columns alone."""
    return 1, box[0] * box[1]


register_variant(
    VariantKind(
        name="standard",
        title="grids",
        build=Variant.standard,
        methods=_grid_methods,
        count=lambda box, progress: _count("count_grids", box, progress),
    )
)
register_variant(
    VariantKind(
        name="x",
        title="X-Sudoku",
        flag="x",
        help="X-Sudoku: both diagonals hold every digit.",
        build=Variant.x,
        count=lambda box, progress: _count("count_x_grids", box, progress),
    )
)
register_variant(
    VariantKind(
        name="samurai",
        title="Samurai sheets",
        flag="samurai",
        help="Five overlapping grids.",
        build=Variant.samurai,
        square=False,
        count=lambda box, progress: _count("count_samurai_grids", box, progress),
    )
)
register_variant(
    VariantKind(
        name="latin",
        title="Latin squares",
        flag="latin",
        help="Latin squares: rows and columns alone, as many as the box has cells.",
        build=lambda box: Variant.latin(box[0] * box[1]),
        methods=lambda box: _grid_methods(_in_rows(box)),
        count=lambda box, progress: _count("count_grids", _in_rows(box), progress),
    )
)
register_variant(
    VariantKind(
        name="array",
        title="arrays",
        flag="array",
        takes="A,B,C,D",
        help="An AxB table of CxD rectangles without repetition.",
        build=Variant.array,
        square=False,
        methods=_array_methods,
    )
)


def _load_packages() -> None:
    """Register what other packages bring; one that fails is left out, with a warning."""
    for entry in entry_points(group="sudokucrypt.variants"):
        try:
            register_variant(kind_of(entry.load(), entry.name))
        except Exception as error:
            warnings.warn(f"the Sudoku variant {entry.name!r} is left out: {error}", stacklevel=2)


_load_packages()

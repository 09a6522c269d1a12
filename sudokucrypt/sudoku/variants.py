"""The kinds of Sudoku that are known by name, and how others are added.

A kind is one object: a `VariantKind`. From the registered ones come the flags of the command line,
the words in JSON, the methods that make their sheets and the way they are counted. A package adds
its own by an entry point in the group ``sudokucrypt.variants`` that names a `VariantKind` or a
function from a box to a `Variant`; a program calls `register_variant`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.registry import Registry
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
    help, flag : str, optional
        The word of its flag on the command line, and one line about it; by default it has none.
    takes : str, optional
        What its flag takes instead of a box, such as ``A,B,C,D``; one number stands for all.
    square : bool, optional
        Whether the sheet is a square of p * q rows, so that its cells give away its box.
    methods : callable, optional
        Returns the methods that make full sheets, by name, the best first; by default search.
    count : callable, optional
        Returns the number of full sheets; called with the shape and ``progress``. By default
        the solver visits all of them, as far as that ends in minutes.
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
        return self.methods(shape) if self.methods else _search_methods(self.build(shape))

    def count_sheets(self, shape: Shape, *, progress: Progress | None = None) -> int:
        """Return the number of full sheets; `UnsupportedError` if that would take too long."""
        if self.count:
            return self.count(shape, progress=progress)
        return int(_count_sheets(self.build(shape), progress=progress))


def kind_of(value: object, name: str) -> VariantKind:
    """Return the kind that a value is or defines, by default with this name."""
    if isinstance(value, VariantKind):
        return value
    if isinstance(value, Variant):
        return VariantKind(name=name, title=value.name, build=lambda _: value, square=False)
    if callable(value):
        return VariantKind(name=name, title=name, build=value)
    raise InvalidParameterError(
        f"{name} is not a kind of Sudoku, but of type {type(value).__name__}",
        hint="give a VariantKind, a Variant, or a function from a box to a Variant",
    )


VARIANTS = Registry(
    VariantKind,
    called="a kind of Sudoku",
    group="sudokucrypt.variants",
    adapt=kind_of,
    unique=lambda kind: [f"--{kind.flag}"] if kind.flag else [],
)
"""The registered kinds by name."""


def register_variant(kind: VariantKind) -> VariantKind:
    """Make a kind known and return it; `InvalidParameterError` if its name or flag is taken."""
    return VARIANTS.register(kind)


def _late(module: str, name: str) -> Callable[..., Any]:
    """Return a function of this wing whose module is imported when it is called."""

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"sudokucrypt.sudoku.{module}"), name)(*arguments, **options)

    return call


_grid_methods = _late("methods", "grid_methods")
_search_methods = _late("methods", "search_methods")
_count_sheets = _late("counting.totals", "count_sheets")
_count_grids = _late("counting.totals", "count_grids")

for _kind in (
    VariantKind(
        name="standard",
        title="grids",
        build=Variant.standard,
        methods=_grid_methods,
        count=_count_grids,
    ),
    VariantKind(
        name="x",
        title="X-Sudoku",
        flag="x",
        help="X-Sudoku: both diagonals hold every digit.",
        build=Variant.x,
        count=_late("counting.totals", "count_x_grids"),
    ),
    VariantKind(
        name="samurai",
        title="Samurai sheets",
        flag="samurai",
        help="Five overlapping grids.",
        build=Variant.samurai,
        square=False,
        count=_late("counting.totals", "count_samurai_grids"),
    ),
    VariantKind(
        name="latin",
        title="Latin squares",
        flag="latin",
        help="Latin squares: rows and columns alone, as many as the box has cells.",
        build=lambda box: Variant.latin(prod(box)),
        methods=lambda box: _grid_methods((1, prod(box))),
        count=lambda box, progress: _count_grids((1, prod(box)), progress=progress),
    ),
    VariantKind(
        name="array",
        title="arrays",
        flag="array",
        takes="A,B,C,D",
        help="An AxB table of CxD rectangles without repetition.",
        build=Variant.array,
        square=False,
        methods=_late("methods", "array_methods"),
    ),
):
    register_variant(_kind)

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

from sudokucrypt.errors import InvalidGridError, InvalidParameterError, UnsupportedError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.model.variant import Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sudokucrypt.sudoku.methods import Method
    from sudokucrypt.typing import RandomSource

    Shape = tuple[int, ...] | tuple[str, ...]
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
    aliases : tuple of str, optional
        Other words for the flag, and for the name when JSON is read.
    takes : str, optional
        What its flag takes instead of a box, such as ``A,B,C,D``; one number stands for all.
    square : bool, optional
        Whether the sheet is a square of p * q rows, so that its cells give away its box.
    draw : callable, optional
        Returns a variant for a box and a source of draws, where the kind leaves rules open; `build`
        then takes what settles them, such as the map of a jigsaw.
    methods : callable, optional
        Returns the methods that make full sheets, by name, the best first; by default search.
    count : callable, optional
        Returns the number of full sheets; called with the shape and ``progress``. By default
        the solver visits all of them, as far as that ends in minutes.
    classes : callable, optional
        Returns the number of essentially different full sheets, called in the same way.
    """

    name: str
    title: str
    build: Callable[[Any], Variant]
    help: str = ""
    flag: str | None = None
    aliases: tuple[str, ...] = ()
    takes: str | None = None
    square: bool = True
    draw: Callable[[Any, RandomSource], Variant] | None = None
    methods: Callable[[Any], Mapping[str, Method]] | None = None
    count: Callable[..., int] | None = None
    classes: Callable[..., int] | None = None

    @property
    def flags(self) -> list[str]:
        """Its flags on the command line."""
        return [f"--{word}" for word in (self.flag, *self.aliases) if word]

    def rules(self, shape: Shape) -> Callable[[RandomSource], Variant]:
        """Return what gives the variant of each sheet that is made: a drawn one, or the same."""
        draw = self.draw
        if draw and all(isinstance(side, int) for side in shape):
            return lambda source: draw(shape, source)
        variant = self.build(shape)
        return lambda _: variant

    def methods_for(self, shape: Shape) -> Mapping[str, Method]:
        """Return the methods that make full sheets of a shape."""
        return self.methods(shape) if self.methods else _search_methods(self.rules(shape))

    def count_sheets(self, shape: Shape, *, progress: Progress | None = None) -> int:
        """Return the number of full sheets; `UnsupportedError` if that would take too long."""
        if self.count:
            return self.count(shape, progress=progress)
        return int(_count_sheets(self.build(shape), progress=progress))

    def count_classes(self, shape: Shape, *, progress: Progress | None = None) -> int:
        """Return the number of essentially different full sheets; `UnsupportedError` as above."""
        if self.classes:
            return self.classes(shape, progress=progress)
        raise UnsupportedError(
            f"essentially different {self.title} are not counted",
            hint="ordinary grids and Latin squares are",
        )


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
    unique=lambda kind: kind.flags,
)
"""The registered kinds by name."""


def variant_kind(word: str) -> VariantKind | None:
    """Return the kind of this name or alias, or None."""
    return next((kind for kind in VARIANTS.values() if word in (kind.name, *kind.aliases)), None)


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
_count_classes = _late("counting.classes", "count_classes")

_draw_jigsaw = _late("making.jigsaws", "random_jigsaw")


def _jigsaw(shape: Any) -> Variant:
    """Return the jigsaw of a map; a box does not say its regions."""
    if all(isinstance(side, int) for side in shape):
        raise InvalidGridError(
            "a jigsaw needs its regions", hint="give the map of its regions", hint_key="regions"
        )
    return Variant.jigsaw(shape)


def _random_jigsaw(box: Any, source: RandomSource) -> Variant:
    variant: Variant = _draw_jigsaw(source, order=prod(box))
    return variant


for _kind in (
    VariantKind(
        name="standard",
        title="grids",
        build=Variant.standard,
        methods=_grid_methods,
        count=_count_grids,
        classes=_count_classes,
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
        name="windoku",
        title="Windoku",
        flag="windoku",
        aliases=("hyper",),
        help="Windoku, or Hyper Sudoku: the windows between the boxes hold every digit.",
        build=Variant.windoku,
    ),
    VariantKind(
        name="anti-knight",
        title="anti-knight grids",
        flag="anti-knight",
        help="Cells a knight's move apart differ.",
        build=Variant.anti_knight,
    ),
    VariantKind(
        name="jigsaw",
        title="jigsaws",
        flag="jigsaw",
        help="Jigsaws: random regions in place of boxes.",
        build=_jigsaw,
        draw=_random_jigsaw,
        square=False,
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
        classes=lambda box, progress: _count_classes((1, prod(box)), progress=progress),
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

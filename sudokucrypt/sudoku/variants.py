"""The registered kinds of Sudoku, and how to add others.

A kind is an object of class `VariantKind`. The registered kinds define the flags of the command
line, the names in JSON, and the methods that make and count full grids. A package adds kinds by an
entry point in the group ``sudokucrypt.variants`` for a `VariantKind`, or for a function from a box
to a `Variant`; a program calls `register_variant`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from sudokucrypt.errors import InvalidGridError, InvalidParameterError, UnsupportedError
from sudokucrypt.lazy import DeferredModule
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.model.variant import Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sudokucrypt.sudoku import methods
    from sudokucrypt.sudoku.counting import classes, totals
    from sudokucrypt.sudoku.making import jigsaws
    from sudokucrypt.sudoku.methods import SheetMethod
    from sudokucrypt.sudoku.model import cubes
    from sudokucrypt.typing import Box, ProgressCallback, RandomSource
else:  # deferred: listing the kinds should not load searches and tables
    methods = DeferredModule("sudokucrypt.sudoku.methods")
    classes = DeferredModule("sudokucrypt.sudoku.counting.classes")
    totals = DeferredModule("sudokucrypt.sudoku.counting.totals")
    cubes = DeferredModule("sudokucrypt.sudoku.model.cubes")
    jigsaws = DeferredModule("sudokucrypt.sudoku.making.jigsaws")

# The argument from which a kind builds a variant: a box, sides of an array, or rows of a map.
SheetShape: TypeAlias = tuple[int, ...] | tuple[str, ...]


class SheetCounter(Protocol):
    """A function that counts the full grids of a shape."""

    def __call__(self, shape: Any, /, *, progress: ProgressCallback | None = None) -> int:
        """Return the number of grids; call ``progress`` with the steps done and all steps."""
        ...


@dataclass(frozen=True, kw_only=True)
class VariantKind:
    """A kind of Sudoku."""

    name: str  #: The name in JSON.
    title: str  #: The name in messages, such as ``X-Sudoku``.
    #: Returns the variant for a box (p, q), or for the numbers that `takes` lists.
    build: Callable[[Any], Variant]
    help: str = ""  #: The line about the flag in the help.
    flag: str | None = None  #: The name of the flag on the command line; None for no flag.
    aliases: tuple[str, ...] = ()  #: Other names of the flag, also accepted in JSON.
    #: The argument of the flag if it is not a box, such as ``A,B,C,D``; one number means all four.
    takes: str | None = None
    #: Whether the grid is a square of p * q rows, so that its cells determine its box.
    square: bool = True
    #: Returns a variant for a box and a source of draws, if the kind has random rules; `build` then
    #: takes the rules instead of a box, such as the map of a jigsaw.
    draw: Callable[[Any, RandomSource], Variant] | None = None
    #: Returns the methods that make full grids, by name, the best first; by default search.
    methods: Callable[[Any], Mapping[str, SheetMethod]] | None = None
    #: Returns the number of full grids; called with the shape and ``progress``. By default the
    #: solver visits all grids if that takes only minutes.
    count: SheetCounter | None = None
    #: Returns the number of essentially different full grids, called in the same way.
    classes: SheetCounter | None = None

    @property
    def flags(self) -> list[str]:
        """The flags of the kind on the command line."""
        return [f"--{word}" for word in (self.flag, *self.aliases) if word]

    def rules(self, shape: SheetShape) -> Callable[[RandomSource], Variant]:
        """Return a function that draws a variant for each grid, or always returns the same one."""
        draw = self.draw
        if draw and all(isinstance(side, int) for side in shape):
            return lambda source: draw(shape, source)
        variant = self.build(shape)
        return lambda _: variant

    def methods_for(self, shape: SheetShape) -> Mapping[str, SheetMethod]:
        """Return the methods that make full grids of a shape."""
        if self.methods:
            return self.methods(shape)
        return methods.get_search_methods(self.rules(shape))

    def count_sheets(self, shape: SheetShape, *, progress: ProgressCallback | None = None) -> int:
        """Return the number of full grids; raise `UnsupportedError` if it takes too long."""
        if self.count:
            return self.count(shape, progress=progress)
        return totals.count_sheets(self.build(shape), progress=progress)

    def count_classes(self, shape: SheetShape, *, progress: ProgressCallback | None = None) -> int:
        """Return the number of essentially different full grids, or raise `UnsupportedError`."""
        if self.classes:
            return self.classes(shape, progress=progress)
        raise UnsupportedError(
            f"essentially different {self.title} are not counted",
            hint="ordinary grids and Latin squares are",
        )


def as_kind(value: object, name: str) -> VariantKind:
    """Return `value` if it is a kind, or make a kind from a variant or a function of boxes."""
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


def combine_kinds(kinds: Sequence[VariantKind]) -> VariantKind:
    """Return the kind whose grids satisfy the rules of several kinds.

    Raises `InvalidParameterError` unless all of them add houses to ordinary boxes, like X-Sudoku.

    >>> combine_kinds([VARIANTS["x"], VARIANTS["windoku"]]).build((2, 2)).name
    'X, Windoku, 4x4 with 2x2 boxes'
    """
    for kind in kinds:
        if kind.takes or kind.draw or not kind.square or kind.name == "latin":
            raise InvalidParameterError(f"{kind.title} cannot be combined with other kinds")

    def build_variant(box: Box) -> Variant:
        standard_variant = Variant.standard(box)
        variant = standard_variant
        for kind in reversed(kinds):
            kind_variant = kind.build(box)
            added_houses = [house for house in kind_variant.houses if house not in variant.houses]
            name = kind_variant.name.removesuffix(f", {standard_variant.name}")
            variant = variant.with_houses(name, added_houses, kind_variant.rule)
        return variant

    titles = [kind.title for kind in kinds]
    return VariantKind(
        name="+".join(kind.name for kind in kinds),
        title=f"{', '.join(titles[:-1])} and {titles[-1]} in one",
        build=build_variant,
    )


VARIANTS = Registry(
    VariantKind,
    item_noun="a kind of Sudoku",
    group="sudokucrypt.variants",
    adapt=as_kind,
    get_unique_values=lambda kind: kind.flags,
)
"""The registered kinds by name."""


def find_variant_kind(word: str) -> VariantKind | None:
    """Return the kind for a name or alias, or for several joined by ``+``; None if unknown."""
    if "+" in word:
        kinds = [find_variant_kind(name) for name in word.split("+")]
        known_kinds = [kind for kind in kinds if kind is not None]
        return combine_kinds(known_kinds) if len(known_kinds) == len(kinds) else None
    return next((kind for kind in VARIANTS.values() if word in (kind.name, *kind.aliases)), None)


def register_variant(kind: VariantKind) -> VariantKind:
    """Register a kind and return it.

    Raises `InvalidParameterError` if another kind has its name or flag.

    Parameters
    ----------
    kind : VariantKind
        The kind.
    """
    return VARIANTS.register(kind)


def _make_jigsaw(shape: SheetShape) -> Variant:
    """Return the jigsaw of a map; raise `InvalidGridError` for a box, which has no regions."""
    rows = [row for row in shape if isinstance(row, str)]
    if not rows:
        raise InvalidGridError(
            "a jigsaw needs its regions", hint="give the map of its regions", hint_key="regions"
        )
    return Variant.jigsaw(rows)


def _build_cube_variant(box: Box, build_variant: Callable[[], Variant]) -> Variant:
    """Return a variant with 4x4 faces; raise `InvalidGridError` if another box is requested."""
    if tuple(box) not in ((3, 3), (4, 4)):
        raise InvalidGridError("the faces of a cube have 4x4 cells; leave out the box")
    return build_variant()


def _make_latin_box(box: Box) -> Box:
    """Return the box of one row that makes a Latin square with as many digits as a box."""
    return 1, prod(box)


BUILT_IN_KINDS = (
    VariantKind(
        name="standard",
        title="grids",
        build=Variant.standard,
        methods=methods.get_grid_methods,
        count=totals.count_grids,
        classes=classes.count_classes,
    ),
    VariantKind(
        name="x",
        title="X-Sudoku",
        flag="x",
        help="X-Sudoku: both diagonals hold every digit.",
        build=Variant.x,
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
        name="anti-king",
        title="anti-king grids",
        flag="anti-king",
        help="Cells that touch at a corner differ.",
        build=Variant.anti_king,
    ),
    VariantKind(
        name="disjoint-groups",
        title="grids with disjoint groups",
        flag="disjoint-groups",
        help="Cells in the same place of all boxes hold every digit.",
        build=Variant.disjoint_groups,
    ),
    VariantKind(
        name="jigsaw",
        title="jigsaws",
        flag="jigsaw",
        help="Jigsaws: random regions in place of boxes.",
        build=_make_jigsaw,
        draw=lambda box, source: jigsaws.random_jigsaw(source, order=prod(box)),
        square=False,
    ),
    VariantKind(
        name="samurai",
        title="Samurai sheets",
        flag="samurai",
        help="Five overlapping grids.",
        build=Variant.samurai,
        square=False,
        count=totals.count_samurai_grids,
    ),
    VariantKind(
        name="latin",
        title="Latin squares",
        flag="latin",
        help="Latin squares: rows and columns alone, as many as the box has cells.",
        build=lambda box: Variant.latin(prod(box)),
        methods=lambda box: methods.get_grid_methods(_make_latin_box(box)),
        count=lambda box, progress=None: totals.count_grids(
            _make_latin_box(box), progress=progress
        ),
        classes=lambda box, progress=None: classes.count_classes(
            _make_latin_box(box), progress=progress
        ),
    ),
    VariantKind(
        name="array",
        title="arrays",
        flag="array",
        takes="A,B,C,D",
        help="An AxB table of CxD rectangles without repetition.",
        build=Variant.array,
        square=False,
        methods=methods.get_array_methods,
    ),
    VariantKind(
        name="dion-cube",
        title="Dion cubes",
        flag="dion-cube",
        takes="N",
        help="A cube of planes of NxN boxes, a Sudoku in all three directions; N is 2 or 3.",
        build=lambda sides: cubes.make_dion_cube(*sides),
        square=False,
    ),
    VariantKind(
        name="cube",
        title="cubes",
        flag="cube",
        help="The six 4x4 faces of a cube, and the rings around it.",
        build=lambda box: _build_cube_variant(box, cubes.make_cube_faces),
        square=False,
    ),
    VariantKind(
        name="half-cube",
        title="half cubes",
        flag="half-cube",
        help="The three visible 4x4 faces of a cube.",
        build=lambda box: _build_cube_variant(box, cubes.make_half_cube),
        square=False,
    ),
)
"""The kinds of this package; they are registered before other packages are searched."""

for _kind in BUILT_IN_KINDS:
    register_variant(_kind)

"""Puzzles with constraints: drawn around a full grid, with the givens that one solution needs."""

from collections.abc import Callable, Iterator, Sequence

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.making.puzzles import Made, full_sheets, make_puzzle
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.constraints.contract import neighbors
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.typing import Box, RandomSource

# Small cages and short lines, so that each tells much about few cells.
_LARGEST_CAGE = 4
_LONGEST_LINE = 5
_TRIES_FOR_LINES = 60  # which fill about half of the grid

_Near = Sequence[Sequence[int]]


def make_constrained(
    source: SeedLike = None,
    *,
    kind: str | Sequence[str] = "killer",
    box: Box = (3, 3),
    rules: Variant | None = None,
) -> Made:
    """Make a puzzle with one solution from constraints of a kind, and givens where they need some.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    kind : str or sequence of str, default "killer"
        "killer", cages of the whole grid; the lines "thermometer" and "arrow"; or "kropki", all
        dots between neighbors, where a missing dot says that the digits do not differ by 1 and are
        not in the ratio 1:2. Several kinds are drawn around the same digits.
    box : tuple of int
        Rows and columns of a box of ordinary rules, with up to 16 digits; by default 3x3.
    rules : Variant, optional
        Other rules, in place of a box.

    Raises
    ------
    InvalidParameterError
        If there is no such kind.

    Examples
    --------
    >>> puzzle, solution = make_constrained(1, kind="kropki", box=(2, 2))
    >>> digits, variant = [digit + 1 for digit in solution.givens], puzzle.variant
    >>> all(rule.holds(digits, variant) for rule in variant.constraints)
    True
    """
    source = as_source(source)
    rules = Variant.standard(box) if rules is None else rules
    sheet = constrained_sheet(source, kinds=[kind] if isinstance(kind, str) else kind, rules=rules)
    return make_puzzle(source, sheet=sheet, method="add", minimal=False)


def constrained_sheet(
    source: RandomSource, *, kinds: Sequence[str], rules: Variant
) -> SudokuPuzzle:
    """Return a full grid under constraints of some kinds that were drawn around it.

    `InvalidParameterError` if there is no such maker.
    """
    for kind in kinds:
        if kind not in MAKERS:
            raise InvalidParameterError(
                f"constraints of the kind {kind!r} are not made",
                hint=f"these are: {', '.join(MAKERS)}",
            )
    full = full_sheets(rules, source, 1)[0]
    variant = rules
    for kind in dict.fromkeys(kinds):
        variant = variant.with_constraints(*MAKERS[kind]((full + 1).tolist(), rules, source))
    return SudokuPuzzle.wrap_valid(full, variant)


def _neighbors(variant: Variant, *, corners: bool) -> _Near:
    """Return the cells that touch each cell, at edges or at corners too."""
    at = {position: cell for cell, position in enumerate(variant.cells)}
    steps = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r or c) and (corners or not r * c)]
    return [
        [at[row + r, column + c] for r, c in steps if (row + r, column + c) in at]
        for row, column in variant.cells
    ]


def _killer(digits: Sequence[int], variant: Variant, source: RandomSource) -> Iterator[Constraint]:
    """Yield cages that cover the grid, none with a digit twice, and few of one cell."""
    near = _neighbors(variant, corners=False)
    cage_of: dict[int, list[int]] = {}
    for start in source.permutations([len(digits)]).tolist():
        if start in cage_of:
            continue
        cage, size = [start], 2 + source.below(_LARGEST_CAGE - 1)
        while len(cage) < size:
            around = {cell for inside in cage for cell in near[inside]} - cage_of.keys()
            fitting = sorted(cell for cell in around if _new_in(cage, cell, digits))
            if not fitting:
                break
            cage.append(fitting[source.below(len(fitting))])
        if len(cage) == 1:
            others = (cage_of[cell] for cell in near[start] if cell in cage_of)
            joined = (c for c in others if len(c) < _LARGEST_CAGE and _new_in(c, start, digits))
            cage = next(joined, [])
            cage.append(start)
        cage_of |= dict.fromkeys(cage, cage)
    for cage in {min(cage): cage for cage in cage_of.values()}.values():
        yield Constraint("killer", tuple(sorted(cage)), sum(digits[cell] for cell in cage))


def _new_in(cage: Sequence[int], cell: int, digits: Sequence[int]) -> bool:
    return cell not in cage and all(digits[cell] != digits[other] for other in cage)


def _line(
    near: _Near, free: set[int], source: RandomSource, fits: Callable[[list[int], int], bool]
) -> list[int]:
    """Return a line of free cells, each of which fits after those before it."""
    cells = sorted(free)
    line = [cells[source.below(len(cells))]]
    while len(line) < _LONGEST_LINE:
        fitting = [c for c in near[line[-1]] if c in free and c not in line and fits(line, c)]
        if not fitting:
            break
        line.append(fitting[source.below(len(fitting))])
    return line


def _thermometers(
    digits: Sequence[int], variant: Variant, source: RandomSource
) -> Iterator[Constraint]:
    near, free = _neighbors(variant, corners=True), {*range(len(digits))}
    for _ in range(_TRIES_FOR_LINES if len(digits) > 1 else 0):
        if not free:
            break
        line = _line(near, free, source, lambda line, cell: digits[cell] > digits[line[-1]])
        if len(line) > 2:
            free -= {*line}
            yield Constraint("thermometer", tuple(line))


def _arrows(digits: Sequence[int], variant: Variant, source: RandomSource) -> Iterator[Constraint]:
    near, free = _neighbors(variant, corners=True), {*range(len(digits))}

    def fits(line: list[int], cell: int) -> bool:
        return sum(digits[other] for other in (*line[1:], cell)) <= digits[line[0]]

    for _ in range(_TRIES_FOR_LINES):
        if not free:
            break
        line = _line(near, free, source, fits)
        if len(line) > 2 and digits[line[0]] == sum(digits[cell] for cell in line[1:]):
            free -= {*line}
            yield Constraint("arrow", tuple(line), 1)


def _kropki(digits: Sequence[int], variant: Variant, _: RandomSource) -> Iterator[Constraint]:
    for pair in neighbors(variant):
        low, high = sorted(digits[cell] for cell in pair)
        # Between 1 and 2 either dot is right; white is drawn.
        if high - low == 1:
            yield Constraint("difference", pair, 1)
        elif high == 2 * low:
            yield Constraint("ratio", pair, 2)
    yield Constraint("nonconsecutive")
    yield Constraint("negative-ratio")


# What draws the constraints of each kind around the digits of a full grid.
MAKERS: dict[str, Callable[[Sequence[int], Variant, RandomSource], Iterator[Constraint]]] = {
    "killer": _killer,
    "thermometer": _thermometers,
    "arrow": _arrows,
    "kropki": _kropki,
}

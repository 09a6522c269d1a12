"""Make puzzles with constraints that are drawn to fit a random full grid."""

from collections.abc import Callable, Iterator, Sequence

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.making.puzzles import Made, draw_full_grids, make_puzzle
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.constraints.contract import list_neighbor_pairs
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.typing import Box, RandomSource

# Cages are small and lines are short, so that each strongly restricts its cells.
_MAX_CAGE_SIZE = 4
_MAX_LINE_LENGTH = 5
_LINE_ATTEMPTS = 60  # enough for lines to fill about half of the grid

_NeighborLists = Sequence[Sequence[int]]


def make_constrained(
    source: SeedLike = None,
    *,
    kind: str | Sequence[str] = "killer",
    box: Box = (3, 3),
    rules: Variant | None = None,
) -> Made:
    """Make a puzzle with one solution from constraints of a kind, with givens if they are needed.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    kind : str or sequence of str, default "killer"
        "killer" makes cages that cover the grid, "thermometer" and "arrow" make lines, and "kropki"
        makes all dots between neighbors: without a dot, two digits do not differ by 1 and do not
        have the ratio 1:2. Several kinds are combined in one puzzle.
    box : tuple of int
        Rows and columns of a box of ordinary rules, with up to 16 digits; by default 3x3.
    rules : Variant, optional
        Other rules, instead of a box.

    Raises
    ------
    InvalidParameterError
        If a kind is unknown.

    Examples
    --------
    >>> puzzle, solution = make_constrained(1, kind="kropki", box=(2, 2))
    >>> digits, variant = [digit + 1 for digit in solution.givens], puzzle.variant
    >>> all(rule.holds(digits, variant) for rule in variant.constraints)
    True
    """
    source = as_source(source)
    rules = Variant.standard(box) if rules is None else rules
    sheet = make_constrained_sheet(
        source, kinds=[kind] if isinstance(kind, str) else kind, rules=rules
    )
    return make_puzzle(source, sheet=sheet, method="add", minimal=False)


def make_constrained_sheet(
    source: RandomSource, *, kinds: Sequence[str], rules: Variant
) -> SudokuPuzzle:
    """Return a full grid with constraints of the given kinds that it satisfies.

    Raises `InvalidParameterError` if a kind is unknown.
    """
    for kind in kinds:
        if kind not in CONSTRAINT_MAKERS:
            raise InvalidParameterError(
                f"constraints of the kind {kind!r} are not made",
                hint=f"these are: {', '.join(CONSTRAINT_MAKERS)}",
            )
    solution = draw_full_grids(rules, source, 1)[0]
    variant = rules
    for kind in dict.fromkeys(kinds):
        variant = variant.with_constraints(
            *CONSTRAINT_MAKERS[kind]((solution + 1).tolist(), rules, source)
        )
    return SudokuPuzzle.wrap_valid(solution, variant)


def _list_neighbors(variant: Variant, *, with_corners: bool) -> _NeighborLists:
    """Return for each cell the cells that share an edge or, with `with_corners`, a corner."""
    cell_numbers = {position: cell for cell, position in enumerate(variant.cells)}
    offsets = [
        (r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r or c) and (with_corners or not r * c)
    ]
    return [
        [
            cell_numbers[row + r, column + c]
            for r, c in offsets
            if (row + r, column + c) in cell_numbers
        ]
        for row, column in variant.cells
    ]


def _iterate_cages(
    digits: Sequence[int], variant: Variant, source: RandomSource
) -> Iterator[Constraint]:
    """Yield killer cages of different digits that cover the grid; few cages have only one cell."""
    neighbors = _list_neighbors(variant, with_corners=False)
    cage_by_cell: dict[int, list[int]] = {}
    for start in source.permutations([len(digits)]).tolist():
        if start in cage_by_cell:
            continue
        cage, size = [start], 2 + source.below(_MAX_CAGE_SIZE - 1)
        while len(cage) < size:
            candidates = {
                cell for cage_cell in cage for cell in neighbors[cage_cell]
            } - cage_by_cell.keys()
            addable_cells = sorted(cell for cell in candidates if _can_add_cell(cage, cell, digits))
            if not addable_cells:
                break
            cage.append(addable_cells[source.below(len(addable_cells))])
        if len(cage) == 1:
            neighbor_cages = (
                cage_by_cell[cell] for cell in neighbors[start] if cell in cage_by_cell
            )
            extendable_cages = (
                c
                for c in neighbor_cages
                if len(c) < _MAX_CAGE_SIZE and _can_add_cell(c, start, digits)
            )
            cage = next(extendable_cages, [])
            cage.append(start)
        cage_by_cell |= dict.fromkeys(cage, cage)
    for cage in {min(cage): cage for cage in cage_by_cell.values()}.values():
        yield Constraint("killer", tuple(sorted(cage)), sum(digits[cell] for cell in cage))


def _can_add_cell(cage: Sequence[int], cell: int, digits: Sequence[int]) -> bool:
    return cell not in cage and all(digits[cell] != digits[member] for member in cage)


def _draw_line(
    neighbors: _NeighborLists,
    free_cells: set[int],
    source: RandomSource,
    may_follow: Callable[[list[int], int], bool],
) -> list[int]:
    """Draw a line of free cells; `may_follow` tests whether a cell may be added to a line."""
    cells = sorted(free_cells)
    line = [cells[source.below(len(cells))]]
    while len(line) < _MAX_LINE_LENGTH:
        addable_cells = [
            c
            for c in neighbors[line[-1]]
            if c in free_cells and c not in line and may_follow(line, c)
        ]
        if not addable_cells:
            break
        line.append(addable_cells[source.below(len(addable_cells))])
    return line


def _draw_thermometers(
    digits: Sequence[int], variant: Variant, source: RandomSource
) -> Iterator[Constraint]:
    neighbors, free_cells = _list_neighbors(variant, with_corners=True), {*range(len(digits))}
    for _ in range(_LINE_ATTEMPTS):
        if not free_cells:
            break
        line = _draw_line(
            neighbors, free_cells, source, lambda line, cell: digits[cell] > digits[line[-1]]
        )
        if len(line) > 2:
            free_cells -= {*line}
            yield Constraint("thermometer", tuple(line))


def _choose_arrow_constraints(
    digits: Sequence[int], variant: Variant, source: RandomSource
) -> Iterator[Constraint]:
    neighbors, free_cells = _list_neighbors(variant, with_corners=True), {*range(len(digits))}

    def may_follow(line: list[int], cell: int) -> bool:
        return sum(digits[shaft_cell] for shaft_cell in (*line[1:], cell)) <= digits[line[0]]

    for _ in range(_LINE_ATTEMPTS):
        if not free_cells:
            break
        line = _draw_line(neighbors, free_cells, source, may_follow)
        if len(line) > 2 and digits[line[0]] == sum(digits[cell] for cell in line[1:]):
            free_cells -= {*line}
            yield Constraint("arrow", tuple(line), 1)


def _draw_dots(digits: Sequence[int], variant: Variant, _: RandomSource) -> Iterator[Constraint]:
    for pair in list_neighbor_pairs(variant):
        low_digit, high_digit = sorted(digits[cell] for cell in pair)
        # Digits 1 and 2 differ by 1 and have the ratio 1:2; they get the white dot.
        if high_digit - low_digit == 1:
            yield Constraint("difference", pair, 1)
        elif high_digit == 2 * low_digit:
            yield Constraint("ratio", pair, 2)
    yield Constraint("nonconsecutive")
    yield Constraint("negative-ratio")


# For each kind: the function that draws constraints which fit the digits of a full grid.
CONSTRAINT_MAKERS: dict[
    str, Callable[[Sequence[int], Variant, RandomSource], Iterator[Constraint]]
] = {
    "killer": _iterate_cages,
    "thermometer": _draw_thermometers,
    "arrow": _choose_arrow_constraints,
    "kropki": _draw_dots,
}

"""Specifications of puzzles, attempts to make them, and tests whether givens can be removed.

A judge takes trials, an array of shape (N, cells) with -1 in open cells, and for each trial the
cells that were opened last and their digits, both of shape (N, k). Assuming that the puzzles were
good before these cells were opened, it returns which trials are good.

A pattern decides which cells are given together. Ordinary puzzles with fewer givens than removing
can reach are made by exchanging two givens for one: a minimal puzzle has neighbors with the same
solution and one given at another place, and from some neighbors more givens can be removed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.trace import Grade, can_fill, find_givens_level
from sudokucrypt.sudoku.model.array_interface import OPEN
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.batch import solve_batch
from sudokucrypt.sudoku.solving.solver import begin_search, is_ordinary
from sudokucrypt.typing import CellDigits, IntArray, RandomSource

Position = tuple[int, int]

Pattern: TypeAlias = Literal["half-turn", "quarter-turn", "left-right", "top-bottom", "diagonal"]
"""A symmetry of the places of the givens.

Turns are about the center of the grid; ``left-right`` and ``top-bottom`` name the halves that
mirror each other, and ``diagonal`` mirrors at the diagonal from the top left.
"""

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
"""All patterns, the most usual first."""

# Functions that map a position; they take its row and column, and the last row and column.
_PATTERN_MOVES: dict[Pattern, Callable[[int, int, int, int], Position]] = {
    "half-turn": lambda r, c, bottom, right: (bottom - r, right - c),
    "quarter-turn": lambda r, c, bottom, _: (c, bottom - r),
    "left-right": lambda r, c, _, right: (r, right - c),
    "top-bottom": lambda r, c, bottom, _: (bottom - r, c),
    "diagonal": lambda r, c, *_: (c, r),
}


class CellGroups(NamedTuple):
    """Groups of cells that are givens together, one per row, padded with their first cells."""

    cell_rows: IntArray
    sizes: IntArray


@lru_cache(maxsize=32)
def group_cells(variant: Variant, pattern: Pattern | None) -> CellGroups:
    """Return the groups of cells that a pattern maps to each other; single cells if it is None.

    Raises `InvalidParameterError` if the pattern is unknown or does not fit the grid, such as a
    quarter turn of a grid that is not square.
    """
    if pattern is not None and pattern not in PATTERNS:
        raise InvalidParameterError(
            f"unknown pattern {pattern!r}", hint=f"patterns are {', '.join(PATTERNS)}"
        )
    move = _PATTERN_MOVES[pattern] if pattern else None
    last_row, last_column = (side - 1 for side in variant.shape)
    cell_numbers = {position: cell for cell, position in enumerate(variant.cells)}
    groups: list[list[int]] = []
    grouped_positions: set[Position] = set()
    for position in variant.cells:
        if position in grouped_positions:
            continue
        group = [position]
        while move and (image := move(*group[-1], last_row, last_column)) != position:
            if image not in cell_numbers:
                raise InvalidParameterError(f"{variant.name} has no {pattern} pattern")
            group.append(image)
        grouped_positions.update(group)
        groups.append([cell_numbers[member] for member in group])
    group_size = max(map(len, groups))
    cell_rows = np.array([group + group[:1] * (group_size - len(group)) for group in groups])
    return CellGroups(cell_rows, np.array([len(group) for group in groups]))


# No ordinary puzzle of fewer givens has one solution (McGuire, Tugemann and Civario, 2012).
FEWEST_GIVENS = 17
# Numbers of givens that exchanging reaches within seconds, and that removing rarely reaches.
EXCHANGE_GIVENS_RANGE = range(20, 24)
_MAX_ROUNDS = 30  # after this number of rounds, another grid is more promising
_PAIRS_PER_TRIAL = 40
_MOVED_GIVEN_COUNT = 3  # givens that are tried at another place when no exchange helps


def exchange_givens(
    puzzle: CellDigits, solution: CellDigits, fewest_givens: int, source: RandomSource
) -> CellDigits:
    """Return a puzzle with the same solution and `fewest_givens`, or the fewest givens found."""
    for _ in range(_MAX_ROUNDS):
        cells = np.flatnonzero(puzzle != OPEN)
        if len(cells) <= fewest_givens:
            break
        pairs = np.array(list(combinations(cells.tolist(), 2)))
        pairs = pairs[source.permutations([len(pairs)])]
        # Few pairs are tried at a time, since the first puzzle that works is enough.
        for trial_pairs in np.split(pairs, range(_PAIRS_PER_TRIAL, len(pairs), _PAIRS_PER_TRIAL)):
            unique_puzzles = _find_unique_puzzles(puzzle, solution, trial_pairs)
            if len(unique_puzzles):
                puzzle = unique_puzzles[0]
                break
        else:
            moved_cells = cells[source.permutations([len(cells)])[:_MOVED_GIVEN_COUNT], None]
            unique_puzzles = _find_unique_puzzles(puzzle, solution, moved_cells)
            if len(unique_puzzles):
                puzzle = unique_puzzles[source.below(len(unique_puzzles))]
    return puzzle


def _find_unique_puzzles(
    puzzle: CellDigits, solution: CellDigits, opened_cells: IntArray
) -> CellDigits:
    """Replace the givens in each row of `opened_cells` by one given; return unique puzzles."""
    open_cells = np.flatnonzero(puzzle == OPEN)
    trials = np.tile(puzzle, (len(opened_cells) * len(open_cells), 1))
    rows = np.arange(len(trials))
    trials[rows[:, None], np.repeat(opened_cells, len(open_cells), axis=0)] = OPEN
    cells = np.tile(open_cells, len(opened_cells))
    trials[rows, cells] = solution[cells]
    unique_puzzles: CellDigits = trials[
        solve_batch(trials, first=0, empty=OPEN, threads=1).counts == 1
    ]
    return unique_puzzles


RemovalTest: TypeAlias = Callable[[CellDigits, IntArray, CellDigits], NDArray[np.bool_]]

RemovalMethod: TypeAlias = Literal["remove", "add"]
REMOVAL_METHODS: tuple[RemovalMethod, ...] = get_args(RemovalMethod)

# The limits of nodes of one search; if a search reaches its limit, the given is kept.
_DEFAULT_NODES, _OVERLAPPING_GRID_NODES, _LARGE_GRID_NODES = 1_000_000, 10_000, 500
_CONSTRAINED_GRID_NODES = 100  # a puzzle that needs more is too hard for people
# A longer search for one of many givens would cost more than removing it is worth.
_SECOND_SEARCH_NODES = 10_000
_MAX_SECOND_SEARCH_DIGITS = 16  # with more digits, the second search rarely decides
_MIN_THREADED_PUZZLES = 64  # from this number of puzzles on, threads save time


class NakedSingleTest:
    """A judge of whether each opened cell is a naked single: its peers have all other digits."""

    def __init__(self, variant: Variant) -> None:
        peers = [variant.peers(cell).tolist() for cell in range(len(variant.cells))]
        max_peers = max(map(len, peers))
        # Lists are padded with the index after the last cell, which contains no digit.
        padded_peers = [cells + [len(peers)] * (max_peers - len(cells)) for cells in peers]
        self._peers = np.array(padded_peers, dtype=np.int64).reshape(len(peers), max_peers)
        self._digit_count = variant.digits

    def __call__(
        self, trials: CellDigits, opened_cells: IntArray, digits: CellDigits
    ) -> NDArray[np.bool_]:
        """Return for each trial whether it passes this judge."""
        digit_bits = np.zeros((len(trials), trials.shape[1] + 1), dtype=np.uint64)
        digit_bits[:, :-1] = np.where(trials >= 0, _get_digit_bits(np.maximum(trials, 0)), 0)
        rows = np.arange(len(trials))[:, None, None]
        peer_masks = np.bitwise_or.reduce(digit_bits[rows, self._peers[opened_cells]], axis=2)
        all_digits = np.uint64((1 << self._digit_count) - 1)
        passed_flags: NDArray[np.bool_] = (peer_masks == all_digits ^ _get_digit_bits(digits)).all(
            axis=1
        )
        return passed_flags


@dataclass(frozen=True)
class UniquenessTest:
    """A judge of whether the solution is unique, as far as a limited search can tell.

    With `is_second_search` it uses the stronger search, which takes longer if many cells are open.
    """

    variant: Variant
    is_second_search: bool = False

    def __call__(
        self, trials: CellDigits, opened_cells: IntArray, digits: CellDigits
    ) -> NDArray[np.bool_]:
        """Return for each trial whether it passes this judge."""
        if is_ordinary(self.variant):
            threads = 1 if len(trials) < _MIN_THREADED_PUZZLES else None
            is_unique: NDArray[np.bool_] = (
                solve_batch(trials, first=0, empty=OPEN, threads=threads).counts == 1
            )
            return is_unique
        rows = zip(trials, opened_cells, digits, strict=True)
        return np.array([self._is_only_digit(*row) for row in rows], dtype=bool)

    def _is_only_digit(
        self, trial_puzzle: CellDigits, opened_cells: IntArray, digits: CellDigits
    ) -> bool:
        """Return whether no solution has another digit in a cell that was opened.

        A second solution has another digit in one of these cells. Trying each of these digits is
        far less work than finding the first solution again.
        """
        node_limit = _SECOND_SEARCH_NODES if self.is_second_search else patience(self.variant)
        for cell, digit in zip(opened_cells.tolist(), digits.tolist(), strict=True):
            peer_digits = set(trial_puzzle[self.variant.peers(cell)].tolist())
            for other_digit in range(self.variant.digits):
                if other_digit != digit and other_digit not in peer_digits:
                    trial_digits = trial_puzzle.copy()
                    trial_digits[cell] = other_digit
                    puzzle = SudokuPuzzle.wrap_valid(trial_digits, self.variant)
                    search, empty_buffer = begin_search(
                        puzzle, None, rows=0, is_strong=self.is_second_search
                    )
                    if search.advance(empty_buffer, 1, node_limit) or not search.finished:
                        return False
        return True


@dataclass(frozen=True)
class TechniqueTest:
    """A judge of whether the techniques of a level fill the opened cells.

    It tests first by a search whether the solution is unique, since that is faster.
    """

    variant: Variant
    level: Level
    is_second_search: bool = False

    def __call__(
        self, trials: CellDigits, opened_cells: IntArray, digits: CellDigits
    ) -> NDArray[np.bool_]:
        """Return for each trial whether it passes this judge."""
        passed_flags = UniquenessTest(self.variant, self.is_second_search)(
            trials, opened_cells, digits
        )
        for row in np.flatnonzero(passed_flags).tolist():
            cells = opened_cells[row].tolist()
            passed_flags[row] = can_fill(self.variant, trials[row].tolist(), self.level, cells)
        return passed_flags


def patience(variant: Variant) -> int:
    """Return the node limit of one search: enough to decide up to 9x9, low for larger grids."""
    # On overlapping grids and with more than 9 digits a search may take forever for one given.
    if variant.constraints:
        return _CONSTRAINED_GRID_NODES
    if variant.digits > 9:
        return _LARGE_GRID_NODES
    return _DEFAULT_NODES if len(variant.cells) <= 81 else _OVERLAPPING_GRID_NODES


def _get_digit_bits(digits: CellDigits) -> NDArray[np.uint64]:
    return np.left_shift(np.uint64(1), digits.astype(np.uint64))


@dataclass(frozen=True)
class PuzzleSpec:
    """A specification of puzzles; `make_puzzle` explains the fields."""

    variant: Variant
    groups: CellGroups
    givens: int | range | None
    level: Level | None
    minimal: bool | Literal["each"]
    method: RemovalMethod

    def __post_init__(self) -> None:
        cell_count, givens = len(self.variant.cells), self.givens
        if isinstance(givens, range):
            if not givens or givens.step != 1 or not 0 <= givens[0] <= givens[-1] <= cell_count:
                raise InvalidParameterError(f"a puzzle of {cell_count} cells cannot have {givens}")
            if self.level is None:
                raise InvalidParameterError(
                    "a range of givens needs a level", hint="ask for a number of givens"
                )
        elif givens is not None:
            if not isinstance(givens, int) or not 0 <= givens <= cell_count:
                raise InvalidParameterError(
                    f"a puzzle of {cell_count} cells cannot have {givens!r} givens",
                    hint=f"ask for a whole number up to {cell_count}",
                )
            self._check_givens(givens)
        if self.minimal not in (True, False, "each"):
            raise InvalidParameterError(f"minimal is True, False or 'each', not {self.minimal!r}")
        if self.level is not None and not isinstance(self.level, Level):
            raise InvalidParameterError(
                f"{self.level!r} is not a level", hint="use Level.from_text"
            )
        if self.method not in REMOVAL_METHODS:
            raise InvalidParameterError(
                f"unknown method {self.method!r}", hint=f"methods are {', '.join(REMOVAL_METHODS)}"
            )

    def _check_givens(self, givens: int) -> None:
        """Raise an error if puzzles with this many givens do not exist or are too rare to find."""
        is_ordinary_variant, digits = is_ordinary(self.variant), self.variant.digits
        # If two digits do not occur among the givens, exchanging them in a solution gives a second
        # solution.
        has_full_house = any(len(house.cells) == digits for house in self.variant.houses)
        min_givens = FEWEST_GIVENS if is_ordinary_variant else digits - 1 if has_full_house else 0
        hint = f"ask for {EXCHANGE_GIVENS_RANGE[0] if is_ordinary_variant else min_givens} or more"
        if givens < min_givens:
            raise InvalidParameterError(
                f"{givens} givens are not enough for a single solution: "
                f"{self.variant.name} needs {min_givens} or more",
                hint=hint,
            )
        if is_ordinary_variant and givens < EXCHANGE_GIVENS_RANGE[0]:
            raise UnsupportedError(
                f"puzzles of {FEWEST_GIVENS} to {EXCHANGE_GIVENS_RANGE[0] - 1} givens are too "
                "rare to be "
                "found here",
                hint=hint,
            )

    def attempt_puzzles(
        self, solutions: CellDigits, source: RandomSource
    ) -> tuple[CellDigits, NDArray[np.bool_]]:
        """Make one puzzle per solution; also return whether each meets the specification."""
        group_count = len(self.groups.sizes)
        orders = source.permutations([group_count] * len(solutions)).reshape(-1, group_count)
        # With a level, too many givens are removed first; the level decides which are added again.
        exact_given_count = self.givens if isinstance(self.givens, int) else None
        fewest_givens = (
            exact_given_count if exact_given_count is not None and self.level is None else 0
        )
        # The first part makes a puzzle quickly; the second part tests each remaining given.
        if self.method == "add":
            puzzles = np.array([self.add_givens(solution, source) for solution in solutions])
        else:
            puzzles = solutions.copy()
            remove_givens(
                puzzles,
                self.groups,
                orders,
                NakedSingleTest(self.variant),
                fewest_givens=fewest_givens,
            )
        if self.minimal or self.givens is not None:
            for removal_test in self.make_removal_tests():
                remove_givens(
                    puzzles, self.groups, orders, removal_test, fewest_givens=fewest_givens
                )
        # Exchanges change level and pattern, so they are made only if neither is requested.
        allows_exchange = self.level is None and len(self.groups.sizes) == len(self.variant.cells)
        if (
            exact_given_count is not None
            and exact_given_count in EXCHANGE_GIVENS_RANGE
            and allows_exchange
        ):
            for row in range(len(puzzles) if is_ordinary(self.variant) else 0):
                puzzles[row] = exchange_givens(
                    puzzles[row], solutions[row], exact_given_count, source
                )
        passed_flags = np.array(
            [
                self.add_givens_at_level(*row, source)
                for row in zip(puzzles, solutions, orders, strict=True)
            ]
        )
        if exact_given_count is not None:
            passed_flags &= (puzzles >= 0).sum(axis=1) == exact_given_count
        if self.minimal == "each":
            passed_flags &= [self.is_each_given_needed(puzzle) for puzzle in puzzles]
        return puzzles, passed_flags

    def add_givens_at_level(
        self, puzzle: CellDigits, solution: CellDigits, order: IntArray, source: RandomSource
    ) -> bool:
        """Return whether a puzzle has the level; if so, add the requested givens in place."""
        if self.level is None:
            return True
        if find_givens_level(self.variant, puzzle.tolist()) is not self.level:
            return False
        givens = self.givens
        if givens is not None:
            max_givens = givens if isinstance(givens, int) else givens[source.below(len(givens))]
            self.add_back_givens(puzzle, solution, order, max_givens)
        return True

    def is_each_given_needed(self, puzzle: CellDigits) -> bool:
        """Return whether no single given is redundant."""
        cells = np.flatnonzero(puzzle >= 0)[:, None]
        trials = np.tile(puzzle, (len(cells), 1))
        np.put_along_axis(trials, cells, OPEN, axis=1)
        *_, removal_test = self.make_removal_tests()
        return not removal_test(trials, cells, puzzle[cells]).any()

    def make_removal_tests(self) -> Iterator[RemovalTest]:
        """Yield one or two judges of givens; the second decides what the first leaves open."""
        is_search_limited = patience(self.variant) < _DEFAULT_NODES and not self.variant.constraints
        searches_twice = is_search_limited and self.variant.digits <= _MAX_SECOND_SEARCH_DIGITS
        for is_second_search in (False, True)[: 1 + searches_twice]:
            if self.level is not None and self.level < Level.EXPERT:
                yield TechniqueTest(self.variant, self.level, is_second_search)
            else:
                yield UniquenessTest(self.variant, is_second_search)

    def add_givens(self, solution: CellDigits, source: RandomSource) -> CellDigits:
        """Add givens where another solution differs, until the solution is unique."""
        variant, groups = self.variant, self.groups
        group_by_cell = np.empty(len(solution), dtype=np.int64)
        group_by_cell[groups.cell_rows] = np.arange(len(groups.sizes))[:, None]
        givens = np.full_like(solution, OPEN)
        while True:
            search, other_solutions = begin_search(
                SudokuPuzzle.wrap_valid(givens.copy(), variant), None, rows=2
            )
            count = search.advance(other_solutions, 2, patience(variant))
            difference_flags = (other_solutions[:count] != solution).any(axis=0)
            if not difference_flags.any():
                if search.finished:
                    return givens
                # The search ended before it found a second solution.
                difference_flags = givens == OPEN
            cells = np.flatnonzero(difference_flags)
            cell = cells[source.below(len(cells))]
            member_cells = groups.cell_rows[group_by_cell[cell]]
            givens[member_cells] = solution[member_cells]

    def add_back_givens(
        self, puzzle: CellDigits, solution: CellDigits, order: IntArray, max_givens: int
    ) -> None:
        """Add givens in place as long as the level stays the same, up to `max_givens` givens."""
        for group in order:
            missing_count = max_givens - int((puzzle >= 0).sum())
            member_cells = self.groups.cell_rows[group]
            if puzzle[member_cells[0]] >= 0 or self.groups.sizes[group] > missing_count:
                continue
            trial_puzzle = puzzle.copy()
            trial_puzzle[member_cells] = solution[member_cells]
            if find_givens_level(self.variant, trial_puzzle.tolist()) is self.level:
                puzzle[member_cells] = solution[member_cells]


def remove_givens(
    givens: CellDigits,
    groups: CellGroups,
    orders: IntArray,
    removal_test: RemovalTest,
    *,
    fewest_givens: int = 0,
) -> None:
    """Remove in place each group of givens that a judge finds redundant, to `fewest_givens`.

    `givens`, of shape (N, cells), are good puzzles, and each row of `orders`, of shape (N, groups),
    is the order in which the groups of one puzzle are tried. A given that is needed once remains
    needed when there are fewer givens, so with ``fewest=0`` the puzzles become minimal.
    """
    rows = np.arange(len(givens))
    counts = (givens >= 0).sum(axis=1)
    # All puzzles try their next group together, so that one call of the judge tests many trials.
    for group_numbers in orders.T:
        opened_cells, sizes = groups.cell_rows[group_numbers], groups.sizes[group_numbers]
        is_removable = (givens[rows, opened_cells[:, 0]] >= 0) & (counts - sizes >= fewest_givens)
        active_rows = np.flatnonzero(is_removable)
        if not len(active_rows):
            continue
        opened_cells = opened_cells[active_rows]
        trials = givens[active_rows]
        digits = np.take_along_axis(trials, opened_cells, axis=1)
        np.put_along_axis(trials, opened_cells, -1, axis=1)
        passed_flags = removal_test(trials, opened_cells, digits)
        givens[active_rows[passed_flags]] = trials[passed_flags]
        counts[active_rows[passed_flags]] -= sizes[active_rows[passed_flags]]


LOWEST_RATING, HIGHEST_RATING = Technique.HIDDEN_SINGLE.rating, Technique.TRIAL.rating
"""The lowest and the highest rating."""


def get_rating_bounds(level: Level | None) -> tuple[float, float]:
    """Return the lowest and the highest rating that puzzles of a level can have.

    The techniques of a level solve its puzzles, so no rating is above the hardest of them. A puzzle
    of the level expert needs a technique that no other level includes.
    """
    if not isinstance(level, Level):  # other functions reject invalid levels
        return LOWEST_RATING, HIGHEST_RATING
    if level is Level.EXPERT:
        expert_ratings = (item.rating for item in Technique if Level.of(item) is Level.EXPERT)
        return min(expert_ratings), HIGHEST_RATING
    return LOWEST_RATING, max(item.rating for item in Technique if Level.of(item) <= level)


@dataclass(frozen=True, kw_only=True)
class Difficulty:
    """The requested difficulty; raises `InvalidParameterError` if no puzzle can have it."""

    rating: tuple[float, float] | None = None  # the lowest and the highest rating, from 1.0 to 11.0
    technique: Technique | None = None  # a technique that the solution by hand must use
    level: Level | None = None  # the level of the puzzles, which limits their ratings

    def __post_init__(self) -> None:
        min_rating, max_rating = self.rating or (LOWEST_RATING, HIGHEST_RATING)
        if not LOWEST_RATING <= min_rating <= max_rating <= HIGHEST_RATING:
            raise InvalidParameterError(
                f"ratings are {LOWEST_RATING}..{HIGHEST_RATING}, the lower first, not "
                f"{min_rating}..{max_rating}"
            )
        min_level_rating, max_level_rating = get_rating_bounds(self.level)
        if min_rating > max_level_rating or max_rating < min_level_rating:
            raise InvalidParameterError(
                f"puzzles of the level {self.level and self.level.label} are rated "
                f"{min_level_rating} to {max_level_rating}, not {min_rating}..{max_rating}",
                hint="ask for other ratings, or for no level",
            )
        if self.technique is not None and self.technique.rating > min(max_rating, max_level_rating):
            raise InvalidParameterError(
                f"a step by {self.technique.label} is rated {self.technique.rating} at least, "
                f"so no puzzle that needs it is rated {min(max_rating, max_level_rating)} at most"
            )

    @property
    def needs_rating(self) -> bool:
        """Whether puzzles must be rated to test the difficulty."""
        return self.rating is not None or self.technique is not None

    def accepts(self, grade: Grade) -> bool:
        """Return whether a puzzle with this grade has the difficulty."""
        if self.technique is not None and self.technique not in grade.steps:
            return False
        min_rating, max_rating = self.rating or (LOWEST_RATING, HIGHEST_RATING)
        return round(10 * min_rating) <= round(10 * grade.rating) <= round(10 * max_rating)

"""Read the four grids of a card from a copy that may have empty cells and wrong digits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice, permutations, product
from math import prod

import numpy as np

from sudokucrypt.cards.numbers import GRIDS_PER_CARD, KEY_USE, SHARE_USE, decode_secret
from sudokucrypt.errors import InvalidGridError, InvalidKeyError
from sudokucrypt.keys import Key, KeyShare
from sudokucrypt.sudoku import SudokuPuzzle, Variant, solutions, solve_batch
from sudokucrypt.sudoku.counting.ranking import rank_cells
from sudokucrypt.sudoku.model.array_interface import OPEN, convert_digits, convert_to_integers
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.puzzle import PuzzleLike
from sudokucrypt.sudoku.model.text import read_line
from sudokucrypt.typing import CellDigits

# Cards have only ordinary grids, which people can solve by hand.
_ORDER, _CELL_COUNT = 9, 81
# The maximum number of combinations of four grids that are tried. A wrong combination passes the
# check with probability 2**-34.
_MAX_TRIALS = 1 << 17
_MAX_SOLUTIONS = _MAX_TRIALS // 24  # maximum number of solutions of a copied grid

_COPYING_HINT = (
    "compare each digit with the card; one wrong digit and 20 open cells a grid are repaired; "
    "see docs/howto/lost.md"
)


@dataclass(frozen=True, kw_only=True)
class CardReading:
    """The key on a card, and the mistakes that were corrected in the copy."""

    key: Key  #: The key, whose id is also on the card.
    #: For each of the grids 1, 2, 3 and 4 of the card, the number of its copy, counted from 1.
    order: tuple[int, ...]
    #: For each digit that was wrong, the number of the copy and the cell, such as ``"r1c9"``.
    wrong: tuple[tuple[int, str], ...]
    #: For each row that was shifted by a cell, the number of the copy and the row, such as ``"row
    #: 5"``.
    shifted: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class ShareReading:
    """The key share on a card, and the mistakes that were corrected in the copy."""

    share: KeyShare  #: The share.
    order: tuple[int, ...]  #: The numbers of the copies of the four grids, as in `CardReading`.
    wrong: tuple[tuple[int, str], ...]  #: The digits that were wrong, as in `CardReading`.
    shifted: tuple[tuple[int, str], ...] = ()  #: The rows that were shifted, as in `CardReading`.


@dataclass(frozen=True)
class _Reading:
    """The 32 bytes on a card; other fields are as in `CardReading`."""

    secret: bytes
    order: tuple[int, ...]
    wrong: tuple[tuple[int, str], ...]
    shifted: tuple[tuple[int, str], ...] = ()


def read_card(
    sheets: Sequence[PuzzleLike], *, report: Callable[[str], None] | None = None
) -> CardReading:
    """Return the key that the four copied grids of a card encode, and correct mistakes.

    A copy may have open cells and one wrong digit. So the candidates for each grid are all
    solutions of its copy, and all solutions after changing one digit. All combinations are tried,
    those with the fewest wrong digits first, until the check of one is right. If a copy has no
    candidates, each of its rows is shifted by a cell, which takes longer.

    Raises `InvalidGridError` if a copy does not have 81 cells, and `InvalidKeyError` if there are
    not four, or they encode no key, since too many cells are wrong or open, or they are from
    different cards. No message contains a digit of a grid.

    Parameters
    ----------
    sheets : sequence of str or array_like of shape (9, 9)
        The four copies in any order: solved grids or puzzles, as text or as digits 1..9, with 0
        for open cells. Each may have one wrong digit.
    report : callable, optional
        A function that is called with a sentence before a search that takes a while. By default,
        no function is called.

    Examples
    --------
    >>> from sudokucrypt.cards import card_grids
    >>> key = Key.generate()
    >>> one, two, three, four = card_grids(key)
    >>> reading = read_card([two, one, three, four])
    >>> reading.key == key, reading.order
    (True, (2, 1, 3, 4))
    """
    reading = _read_copies(
        _make_copies(sheets), KEY_USE, report, other_use="a share, and not of a key"
    )
    return CardReading(
        key=Key(reading.secret), order=reading.order, wrong=reading.wrong, shifted=reading.shifted
    )


def read_share_card(
    sheets: Sequence[PuzzleLike], label: str, *, report: Callable[[str], None] | None = None
) -> ShareReading:
    """Return the share of a key that four copied grids and the label of a card encode.

    Corrections and errors are those of `read_card`.

    Parameters
    ----------
    sheets : sequence of str or array_like of shape (9, 9)
        The four copies, as in `read_card`.
    label : str
        The label that is printed on the card, which is `KeyShare.label`.
    report : callable, optional
        A function that is called with a sentence before a search that takes a while. By default,
        no function is called.

    Examples
    --------
    >>> from sudokucrypt.cards import card_grids
    >>> from sudokucrypt.keys import split_key
    >>> first, second = split_key(Key.generate(), shares=2, needed=2)
    >>> read_share_card(card_grids(second), second.label).share == second
    True
    """
    KeyShare.from_label(label, bytes(32))  # report a wrong label before the search
    reading = _read_copies(
        _make_copies(sheets), SHARE_USE, report, other_use="a key, and not of a share"
    )
    share = KeyShare.from_label(label, reading.secret)
    return ShareReading(
        share=share, order=reading.order, wrong=reading.wrong, shifted=reading.shifted
    )


def _make_copies(copied_grids: Sequence[PuzzleLike]) -> "list[_Copy]":
    if len(copied_grids) != GRIDS_PER_CARD:
        raise InvalidKeyError(
            f"a key card has {GRIDS_PER_CARD} grids, not {len(copied_grids)}", hint=_COPYING_HINT
        )
    return [
        _Copy(number, _read_cells(copied_grid))
        for number, copied_grid in enumerate(copied_grids, 1)
    ]


def _read_copies(
    copies: "Sequence[_Copy]",
    key_use: str,
    report: Callable[[str], None] | None,
    *,
    other_use: str,
) -> _Reading:
    """Decode four copied grids as a key or a share, as `key_use` says.

    If they are for the other use, the message of the error contains the text `other_use`.
    """
    if reading := _read_unshifted_copies(copies, key_use):
        return reading
    if _read_unshifted_copies(copies, KEY_USE if key_use == SHARE_USE else SHARE_USE):
        raise InvalidKeyError(
            f"the four grids are those of {other_use}",
            hint="a card of a share has a line that begins with SUDOKUCRYPT-SHARE-LABEL; "
            "give it with the grids of a share",
        )
    unreadable_copies = [
        copy for copy in copies if not (copy.unchanged_solutions or copy.corrected_solutions)
    ]
    if unreadable_copies and report is not None:
        report("no single digit is wrong; trying rows that are shifted by a cell")
    if reading := _read_shifted_copies(copies, unreadable_copies, key_use):
        return reading
    fault_text = "".join(
        f"; grid {copy.number} has {copy.contradiction}" for copy in unreadable_copies
    )
    raise InvalidKeyError(f"the four grids encode no key{fault_text}", hint=_COPYING_HINT)


def _read_unshifted_copies(copies: "Sequence[_Copy]", key_use: str) -> _Reading | None:
    """Return the only reading with the fewest wrong digits, or None."""
    given_order, *other_orders = permutations(range(GRIDS_PER_CARD))
    tried_count = 0
    # Likely mistakes are tried first: few wrong digits before many, and for each number of wrong
    # digits the given order of the grids before other orders.
    for wrong_count in range(GRIDS_PER_CARD + 1):
        for orders in ([given_order], other_orders):
            readings: dict[bytes, _Reading] = {}
            for faulty_copies in combinations(copies, wrong_count):
                if not all(copy in faulty_copies or copy.unchanged_solutions for copy in copies):
                    continue
                candidate_lists = [
                    copy.corrected_solutions if copy in faulty_copies else copy.unchanged_solutions
                    for copy in copies
                ]
                tried_count += len(orders) * prod(map(len, candidate_lists))
                if tried_count > _MAX_TRIALS:
                    raise InvalidKeyError(
                        "too much of the card is open or wrong", hint=_COPYING_HINT
                    )
                readings |= {
                    each.secret: each
                    for each in _iterate_readings(candidate_lists, orders, key_use)
                }
            if len(readings) == 1:
                return next(iter(readings.values()))
    return None


def _read_shifted_copies(
    copies: "Sequence[_Copy]", faulty_copies: "Sequence[_Copy]", key_use: str
) -> _Reading | None:
    """Return the only reading with one row of each faulty copy shifted by a cell, or None."""
    candidate_lists = [
        copy.shifted_solutions if copy in faulty_copies else copy.unchanged_solutions
        for copy in copies
    ]
    if not faulty_copies or 24 * prod(map(len, candidate_lists)) > _MAX_TRIALS:
        return None
    orders = list(permutations(range(GRIDS_PER_CARD)))
    readings = {each.secret: each for each in _iterate_readings(candidate_lists, orders, key_use)}
    if len(readings) != 1:
        return None
    (reading,) = readings.values()
    return replace(reading, wrong=(), shifted=reading.wrong)


def _read_cells(copied_grid: PuzzleLike) -> CellDigits:
    """Return the digits of a copy, counted from 0, with -1 for empty cells; rules are ignored."""
    if isinstance(copied_grid, str):
        digits = np.array(read_line(copied_grid, order=_ORDER).digits, dtype=np.int32)
    else:
        array = convert_to_integers(copied_grid).reshape(-1)
        digits = convert_digits(
            array, _ORDER, lambda cell: get_cell_name(*divmod(cell, _ORDER)), first=1, empty=0
        )
    if len(digits) != _CELL_COUNT:
        raise InvalidGridError(f"a grid of a key card has {_CELL_COUNT} cells, not {len(digits)}")
    return digits


@dataclass(frozen=True, eq=False)
class _Copy:
    """The copy of a grid, and its candidates: possible grid numbers with the assumed mistake."""

    number: int  # the number of the copy, counted from 1
    cells: CellDigits

    @cached_property
    def unchanged_solutions(self) -> list[tuple[int, tuple[int, str] | None]]:
        """The solutions of the copy."""
        grids = np.array(list(islice(_iterate_solutions(self.cells), _MAX_SOLUTIONS + 1)))
        self._require_few_candidates(len(grids))
        return [(number, None) for number in _rank_grids(grids)]

    @cached_property
    def corrected_solutions(self) -> list[tuple[int, tuple[int, str] | None]]:
        """The solutions after changing one digit of the copy."""
        filled_cells = np.flatnonzero(self.cells != OPEN)
        changed_copies = np.tile(self.cells, (len(filled_cells), 1))
        changed_copies[np.arange(len(filled_cells)), filled_cells] = OPEN
        counts = solve_batch(
            changed_copies, first=0, empty=OPEN, limit=_MAX_SOLUTIONS + 1, threads=1
        ).counts
        self._require_few_candidates(int(counts.sum()))
        candidates: list[tuple[int, tuple[int, str] | None]] = []
        for position, trial_cells in zip(
            filled_cells[counts > 0].tolist(), changed_copies[counts > 0], strict=True
        ):
            grids = np.array(list(_iterate_solutions(trial_cells)))
            grids = grids[grids[:, position] != self.cells[position]]
            name = get_cell_name(*divmod(position, _ORDER))
            candidates += [(number, (self.number, name)) for number in _rank_grids(grids)]
        return candidates

    @cached_property
    def shifted_solutions(self) -> list[tuple[int, tuple[int, str] | None]]:
        """The solutions after shifting one row of the copy by a cell, to the left or right."""
        candidates: list[tuple[int, tuple[int, str] | None]] = []
        for row in range(_ORDER):
            for step in (1, -1):
                trial_cells = self.cells.reshape(_ORDER, _ORDER).copy()
                trial_cells[row] = np.roll(trial_cells[row], step)
                trial_cells[row, 0 if step > 0 else -1] = OPEN
                grids = np.array(
                    list(islice(_iterate_solutions(trial_cells.reshape(-1)), _MAX_SOLUTIONS + 1))
                )
                self._require_few_candidates(len(grids))
                if len(grids):
                    fault_location = self.number, f"row {row + 1}"
                    candidates += [(number, fault_location) for number in _rank_grids(grids)]
        return candidates

    @property
    def contradiction(self) -> str:
        """The fault of a copy without solutions: a digit twice in a house, or no solution."""
        cells = self.cells.reshape(_ORDER, _ORDER)
        boxes = cells.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(_ORDER, _ORDER)
        for kind, houses in (("row", cells), ("column", cells.T), ("box", boxes)):
            for index, house in enumerate(houses, 1):
                digits = house[house != OPEN]
                if len(np.unique(digits)) != len(digits):
                    return f"a digit twice in {kind} {index}"
        return "no solution"

    def _require_few_candidates(self, count: int) -> None:
        """Raise an error for too many candidates, one of which might pass the check by chance."""
        if count > _MAX_SOLUTIONS:
            raise InvalidKeyError(
                f"too much of sheet {self.number} is open or wrong", hint=_COPYING_HINT
            )


def _iterate_solutions(cells: CellDigits) -> Iterator[CellDigits]:
    """Yield the solutions of a copy; there are none if it breaks a rule."""
    puzzle = SudokuPuzzle.wrap_valid(cells, Variant.standard())
    return (solution.givens for solution in solutions(puzzle))


def _rank_grids(grids: CellDigits) -> list[int]:
    return rank_cells(grids.reshape(-1, _ORDER, _ORDER))


def _iterate_readings(
    candidate_lists: Sequence[list[tuple[int, tuple[int, str] | None]]],
    orders: Sequence[tuple[int, ...]],
    key_use: str,
) -> Iterator[_Reading]:
    """Yield a reading for each combination of candidates and order that passes the check."""
    for order in orders:
        for candidates in product(*candidate_lists):
            secret = decode_secret([candidates[position][0] for position in order], key_use)
            if secret is not None:
                faults = tuple(fault for _, fault in candidates if fault is not None)
                yield _Reading(secret, tuple(position + 1 for position in order), faults)

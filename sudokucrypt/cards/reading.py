"""Read the four grids of a card as people copy them, with open cells and wrong digits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice, permutations, product
from math import prod

import numpy as np

from sudokucrypt.cards.numbers import GRIDS, KEY_USE, SHARE_USE, decode_secret
from sudokucrypt.errors import InvalidGridError, InvalidKeyError
from sudokucrypt.keys import Key, KeyShare
from sudokucrypt.sudoku import SudokuPuzzle, Variant, solutions, solve_batch
from sudokucrypt.sudoku.counting.ranking import rank_cells
from sudokucrypt.sudoku.model.array_interface import OPEN, convert_digits, convert_to_integers
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.puzzle import PuzzleLike
from sudokucrypt.sudoku.model.text import read_line
from sudokucrypt.typing import CellDigits

# Cards have ordinary grids alone, which a reader solves by hand.
_ORDER, _CELLS = 9, 81
# How many quadruples are tried: each passes the check by chance once in 2**34 times.
_TRIALS = 1 << 17
_MOST = _TRIALS // 24  # grids that one sheet may mean

_HINT = (
    "compare each digit with the card; one wrong digit and 20 open cells a grid are repaired; "
    "see docs/howto/lost.md"
)


@dataclass(frozen=True, kw_only=True)
class CardReading:
    """The key on a card, and what was wrong with the copy."""

    key: Key  #: The key; its id is on the card too.
    #: Which of the four sheets, counted from 1, are the grids 1, 2, 3 and 4 of the card.
    order: tuple[int, ...]
    #: The digits that were wrong: the sheet, counted from 1, and the cell, such as ``"r1c9"``.
    wrong: tuple[tuple[int, str], ...]
    #: The rows that were shifted by a cell: the sheet, and the row, such as ``"row 5"``.
    shifted: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class ShareReading:
    """The share of a key on a card, and what was wrong with the copy, as in `CardReading`."""

    share: KeyShare  #: The share.
    order: tuple[int, ...]  #: Which of the four sheets are the grids 1, 2, 3 and 4 of the card.
    wrong: tuple[tuple[int, str], ...]  #: The digits that were wrong.
    shifted: tuple[tuple[int, str], ...] = ()  #: The rows that were shifted by a cell.


@dataclass(frozen=True)
class _Reading:
    """The 32 bytes on a card, and what was wrong with the copy, as in `CardReading`."""

    secret: bytes
    order: tuple[int, ...]
    wrong: tuple[tuple[int, str], ...]
    shifted: tuple[tuple[int, str], ...] = ()


def read_card(
    sheets: Sequence[PuzzleLike], *, report: Callable[[str], None] | None = None
) -> CardReading:
    """Return the key that four grids encode, and repair what can be repaired.

    Raises `InvalidGridError` if one is not a sheet of 81 cells, and `InvalidKeyError` if they are
    not four, or encode no key: too much is wrong or open, or they are of no card. No message
    repeats a digit of a grid.

    Every sheet may mean its solutions, and those of each sheet that differs from it in one digit.
    All quadruples of these are tried, those with fewer wrong digits first, until the check of one
    holds. The sheets are solved grids, puzzles, or solved grids with open cells, as text or as
    arrays of shape (9, 9) of 1..9 with 0 in open cells; in any order, and with up to one wrong
    digit in each. Of sheets that mean nothing, rows shifted by a cell are tried then, one in each;
    `report` is called with a sentence before, since that takes a while.

    Parameters
    ----------
    sheets : sequence of str or array_like of shape (9, 9)
        The four grids or puzzles, in any order, with up to one wrong digit in each; open cells are
        0.
    report : callable, optional
        Called with a sentence before a search that takes a while. By default nothing is called.

    Examples
    --------
    >>> from sudokucrypt.cards import card_grids
    >>> key = Key.generate()
    >>> one, two, three, four = card_grids(key)
    >>> reading = read_card([two, one, three, four])
    >>> reading.key == key, reading.order
    (True, (2, 1, 3, 4))
    """
    copies = _get_copies(sheets)
    found = _read(copies, KEY_USE, report, of_other="a share, and not of a key")
    return CardReading(
        key=Key(found.secret), order=found.order, wrong=found.wrong, shifted=found.shifted
    )


def read_share_card(
    sheets: Sequence[PuzzleLike], label: str, *, report: Callable[[str], None] | None = None
) -> ShareReading:
    """Return the share of a key on a card: four grids, and the `label` that is printed there.

    The label is `KeyShare.label`. Everything else is as for `read_card`, errors too.

    Parameters
    ----------
    sheets : sequence of str or array_like of shape (9, 9)
        The four grids or puzzles, as `read_card` takes them.
    label : str
        The label that is printed on the card: `KeyShare.label`.
    report : callable, optional
        Called with a sentence before a search that takes a while. By default nothing is called.

    Examples
    --------
    >>> from sudokucrypt.cards import card_grids
    >>> from sudokucrypt.keys import split_key
    >>> first, second = split_key(Key.generate(), shares=2, needed=2)
    >>> read_share_card(card_grids(second), second.label).share == second
    True
    """
    KeyShare.from_label(label, bytes(32))  # before anything that takes long
    found = _read(_get_copies(sheets), SHARE_USE, report, of_other="a key, and not of a share")
    share = KeyShare.from_label(label, found.secret)
    return ShareReading(share=share, order=found.order, wrong=found.wrong, shifted=found.shifted)


def _get_copies(sheets: Sequence[PuzzleLike]) -> "list[_Copy]":
    if len(sheets) != GRIDS:
        raise InvalidKeyError(f"a key card has {GRIDS} grids, not {len(sheets)}", hint=_HINT)
    return [_Copy(number, _read_cells(sheet)) for number, sheet in enumerate(sheets, 1)]


def _read(
    copies: "Sequence[_Copy]",
    use: str,
    report: Callable[[str], None] | None,
    *,
    of_other: str,
) -> _Reading:
    """Return the reading of four grids for a use; an error says if they are for the other use."""
    if found := _read_unshifted(copies, use):
        return found
    if _read_unshifted(copies, KEY_USE if use == SHARE_USE else SHARE_USE):
        raise InvalidKeyError(
            f"the four grids are those of {of_other}",
            hint="a card of a share has a line that begins with SUDOKUCRYPT-SHARE-LABEL: "
            "it belongs to the grids",
        )
    unreadable = [copy for copy in copies if not (copy.solved or copy.corrected)]
    if unreadable and report is not None:
        report("no single digit is wrong; trying rows that are shifted by a cell")
    if found := _read_shifted(copies, unreadable, use):
        return found
    faults = "".join(f"; grid {copy.sheet} has {copy.contradiction}" for copy in unreadable)
    raise InvalidKeyError(f"the four grids encode no key{faults}", hint=_HINT)


def _read_unshifted(copies: "Sequence[_Copy]", use: str) -> _Reading | None:
    """Return the one thing that the sheets encode with the fewest wrong digits, or None."""
    same, *others = permutations(range(GRIDS))
    tried = 0
    # Fewest wrong digits first, in the order of the sheets before any other: the likeliest copy.
    for wrong in range(GRIDS + 1):
        for orders in ([same], others):
            readings: dict[bytes, _Reading] = {}
            for faulty in combinations(copies, wrong):
                if not all(copy in faulty or copy.solved for copy in copies):
                    continue
                pools = [copy.corrected if copy in faulty else copy.solved for copy in copies]
                tried += len(orders) * prod(map(len, pools))
                if tried > _TRIALS:
                    raise InvalidKeyError("too much of the card is open or wrong", hint=_HINT)
                readings |= {each.secret: each for each in _iterate_readings(pools, orders, use)}
            if len(readings) == 1:
                return next(iter(readings.values()))
    return None


def _read_shifted(
    copies: "Sequence[_Copy]", faulty: "Sequence[_Copy]", use: str
) -> _Reading | None:
    """Return the reading with a row of each faulty sheet moved by a cell, or None."""
    pools = [copy.moved if copy in faulty else copy.solved for copy in copies]
    if not faulty or 24 * prod(map(len, pools)) > _TRIALS:
        return None
    orders = list(permutations(range(GRIDS)))
    found = {each.secret: each for each in _iterate_readings(pools, orders, use)}
    if len(found) != 1:
        return None
    (reading,) = found.values()
    return replace(reading, wrong=(), shifted=reading.wrong)


def _read_cells(sheet: PuzzleLike) -> CellDigits:
    """Return digits from 0, and -1 in open cells, whether they obey the rules or not."""
    if isinstance(sheet, str):
        digits = np.array(read_line(sheet, order=_ORDER).digits, dtype=np.int32)
    else:
        array = convert_to_integers(sheet).reshape(-1)
        digits = convert_digits(
            array, _ORDER, lambda cell: get_cell_name(*divmod(cell, _ORDER)), first=1, empty=0
        )
    if len(digits) != _CELLS:
        raise InvalidGridError(f"a grid of a key card has {_CELLS} cells, not {len(digits)}")
    return digits


@dataclass(frozen=True, eq=False)
class _Copy:
    """One sheet, and what it may mean: numbers of grids, and the cell that was wrong."""

    sheet: int
    cells: CellDigits

    @cached_property
    def solved(self) -> list[tuple[int, tuple[int, str] | None]]:
        """Its solutions."""
        grids = np.array(list(islice(_iterate_solutions(self.cells), _MOST + 1)))
        self._require_few(len(grids))
        return [(number, None) for number in _get_numbers(grids)]

    @cached_property
    def corrected(self) -> list[tuple[int, tuple[int, str] | None]]:
        """The solutions of the sheets that differ from it in one digit."""
        filled = np.flatnonzero(self.cells != OPEN)
        trials = np.tile(self.cells, (len(filled), 1))
        trials[np.arange(len(filled)), filled] = OPEN
        counts = solve_batch(trials, first=0, empty=OPEN, limit=_MOST + 1, threads=1).counts
        self._require_few(int(counts.sum()))
        readings: list[tuple[int, tuple[int, str] | None]] = []
        for position, trial in zip(filled[counts > 0].tolist(), trials[counts > 0], strict=True):
            grids = np.array(list(_iterate_solutions(trial)))
            grids = grids[grids[:, position] != self.cells[position]]
            name = get_cell_name(*divmod(position, _ORDER))
            readings += [(number, (self.sheet, name)) for number in _get_numbers(grids)]
        return readings

    @cached_property
    def moved(self) -> list[tuple[int, tuple[int, str] | None]]:
        """The solutions of the sheets in which a row is moved by a cell, to the left or right."""
        readings: list[tuple[int, tuple[int, str] | None]] = []
        for row in range(_ORDER):
            for step in (1, -1):
                trial = self.cells.reshape(_ORDER, _ORDER).copy()
                trial[row] = np.roll(trial[row], step)
                trial[row, 0 if step > 0 else -1] = OPEN
                grids = np.array(list(islice(_iterate_solutions(trial.reshape(-1)), _MOST + 1)))
                self._require_few(len(grids))
                if len(grids):
                    fault = self.sheet, f"row {row + 1}"
                    readings += [(number, fault) for number in _get_numbers(grids)]
        return readings

    @property
    def contradiction(self) -> str:
        """What is wrong with a sheet that means nothing: a row, column or box, or all of it."""
        cells = self.cells.reshape(_ORDER, _ORDER)
        boxes = cells.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(_ORDER, _ORDER)
        for kind, houses in (("row", cells), ("column", cells.T), ("box", boxes)):
            for index, house in enumerate(houses, 1):
                digits = house[house != OPEN]
                if len(np.unique(digits)) != len(digits):
                    return f"a digit twice in {kind} {index}"
        return "no solution"

    def _require_few(self, grids: int) -> None:
        """Refuse what leaves too much open: the check would soon hold by chance."""
        if grids > _MOST:
            raise InvalidKeyError(f"too much of sheet {self.sheet} is open or wrong", hint=_HINT)


def _iterate_solutions(cells: CellDigits) -> Iterator[CellDigits]:
    """Yield the solutions of a sheet; there is none if it breaks a rule."""
    puzzle = SudokuPuzzle.wrap_valid(cells, Variant.standard())
    return (solution.givens for solution in solutions(puzzle))


def _get_numbers(grids: CellDigits) -> list[int]:
    return rank_cells(grids.reshape(-1, _ORDER, _ORDER))


def _iterate_readings(
    pools: Sequence[list[tuple[int, tuple[int, str] | None]]],
    orders: Sequence[tuple[int, ...]],
    use: str,
) -> Iterator[_Reading]:
    """Yield the values that quadruples encode in one of these orders."""
    for order in orders:
        for chosen in product(*pools):
            secret = decode_secret([chosen[position][0] for position in order], use)
            if secret is not None:
                wrong = tuple(fault for _, fault in chosen if fault is not None)
                yield _Reading(secret, tuple(position + 1 for position in order), wrong)

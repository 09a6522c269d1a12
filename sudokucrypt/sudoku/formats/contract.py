"""What a format of puzzles is: how it is recognised, read and written."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant

# Longest text of one puzzle, real ones have some thousand characters, and of many.
MOST_CHARACTERS, MOST_OF_MANY = 2**18, 2**20


class StoredPuzzle(NamedTuple):
    """A puzzle of a file, its pencil marks, and what the file says of it.

    `candidates` has the digits that each cell may hold, bit d for digit d + 1, or is None where
    all are possible. `notes` name what was left out.
    """

    puzzle: SudokuPuzzle
    candidates: tuple[int, ...] | None = None
    title: str = ""
    author: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PuzzleFormat:
    """A format in which people exchange puzzles."""

    name: str  # the word for it on the command line
    title: str  # what messages call it
    # Returns whether a text without white space around it is in this format.
    matches: Callable[[str], bool] = lambda _: False
    # Returns the puzzles of such a text; `InvalidGridError` if it lies.
    read: Callable[[str], Iterable[StoredPuzzle]] | None = None
    # Returns the text of puzzles; `InvalidGridError` for rules that the format does not know.
    write: Callable[[Sequence[StoredPuzzle]], str] | None = None
    single: bool = False  # whether a file holds one puzzle
    raw: bool = False  # whether white space at the ends of the text means something


PUZZLE_FORMATS = Registry(
    PuzzleFormat, called="a format of puzzles", group="sudokucrypt.puzzle_formats"
)
"""The registered formats by name."""


def loaded_json(text: str, title: str, *, most: int = MOST_CHARACTERS) -> Any:
    """Return the value of JSON that is not too long and not nested too deep."""
    if len(text) > most:
        raise InvalidGridError(f"{title} of more than {most} characters is refused")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidGridError(f"the JSON of {title} is damaged") from None


def ordinary(stored: StoredPuzzle, title: str) -> StoredPuzzle:
    """Return an ordinary 9x9 puzzle, or refuse others."""
    variant = stored.puzzle.variant
    if variant.constraints or variant.demands != Variant.standard().demands:
        raise InvalidGridError(
            f"{title} holds ordinary 9x9 puzzles, not {stored.puzzle.variant.name}",
            hint="the format fpuzzles holds other rules",
        )
    return stored


def marked(masks: Sequence[int], placed: Sequence[int] | None = None) -> StoredPuzzle:
    """Return the ordinary puzzle of 81 sets of candidates; a set of one is a placed digit."""
    if 0 in masks:
        raise InvalidGridError(f"cell {masks.index(0) + 1} has no candidate")
    digits = [mask.bit_length() if mask & (mask - 1) == 0 else 0 for mask in masks]
    puzzle = SudokuPuzzle(placed or digits, Variant.standard())
    return StoredPuzzle(puzzle, tuple(masks))


def masks_of(stored: StoredPuzzle) -> tuple[int, ...]:
    """Return the candidates of all cells, those that givens leave where none are stored."""
    if stored.candidates is not None:
        return stored.candidates
    givens, variant = stored.puzzle.givens.tolist(), stored.puzzle.variant
    every = (1 << variant.digits) - 1
    masks = []
    for cell, digit in enumerate(givens):
        seen = {givens[peer] for peer in variant.peers(cell).tolist()}
        left = every & ~sum(1 << other for other in seen if other >= 0)
        masks.append(1 << digit if digit >= 0 else left)
    return tuple(masks)


def narrowed(stored: StoredPuzzle, marks: Sequence[int]) -> StoredPuzzle:
    """Return a puzzle with its pencil marks, where 0 marks none, as far as givens allow.

    `InvalidGridError` if nothing is left of those of a cell.
    """
    if not any(marks):
        return stored
    pairs = zip(masks_of(stored), marks, strict=True)
    kept = tuple(mask & own if own else mask for mask, own in pairs)
    if 0 in kept:
        raise InvalidGridError(f"cell {kept.index(0) + 1} has no candidate left")
    return stored._replace(candidates=kept)

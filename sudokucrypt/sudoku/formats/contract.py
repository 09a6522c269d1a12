"""The contract of puzzle formats: how each is recognized, read and written."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from sudokucrypt.errors import InvalidGridError, UndecidedError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import solutions

# Longest text of one puzzle; real ones have some thousand characters.
MOST_CHARACTERS = 2**18

_LONGEST_TITLE, _LONGEST_RULES = 200, 10_000  # characters
_PATIENCE = 5_000  # nodes, which take much less than a second


class StoredPuzzle(NamedTuple):
    """A puzzle of a file, its pencil marks, and what the file says of it.

    `candidates` has the digits that each cell may hold, bit d for digit d + 1, or is None where
    all are possible. `notes` name what was left out. `rules` are words for players, where they are
    not `usual_rules`. `typed` has the digits, from 1, that a player typed into open cells, and 0
    in other cells; it is empty where there are none.
    """

    puzzle: SudokuPuzzle
    candidates: tuple[int, ...] | None = None
    title: str = ""
    author: str = ""
    notes: tuple[str, ...] = ()
    rules: str = ""
    solution: SudokuPuzzle | None = None
    typed: tuple[int, ...] = ()

    def position(self) -> SudokuPuzzle:
        """Return the puzzle with the digits that were typed; `BrokenRuleError` if they clash."""
        if not self.typed:
            return self.puzzle
        return SudokuPuzzle(
            np.where(self.typed, self.typed, self.puzzle.givens + 1), self.puzzle.variant
        )


@dataclass(frozen=True, kw_only=True)
class PuzzleFormat:
    """A format in which people exchange puzzles."""

    name: str  # the word for it on the command line
    title: str  # what messages call it
    # Returns whether a text without white space around it is in this format.
    matches: Callable[[str], bool] = lambda _: False
    # Returns the parts of such a text, one for each puzzle, with what messages call them.
    split: Callable[[str], Iterable[tuple[str, Any]]] = lambda text: [("puzzle 1", text)]
    # Returns the puzzle of a part; `InvalidGridError` if it lies.
    read: Callable[[Any], StoredPuzzle] | None = None
    # Returns the text of puzzles; `InvalidGridError` for rules that the format does not know.
    write: Callable[[Sequence[StoredPuzzle]], str] | None = None
    single: bool = False  # whether a file holds one puzzle
    typed: bool = False  # whether it tells digits that were typed from givens
    raw: bool = False  # whether white space at the ends of the text means something


PUZZLE_FORMATS = Registry(
    PuzzleFormat, called="a format of puzzles", group="sudokucrypt.puzzle_formats"
)
"""The registered formats by name."""


def number_parts(word: str, parts: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return each part with its name for messages, such as ``line 3``."""
    return [(f"{word} {number}", part) for number, part in enumerate(parts, 1)]


def load_json(text: str, title: str) -> Any:
    """Return the value of JSON that is not too long and not nested too deep."""
    if len(text) > MOST_CHARACTERS:
        raise InvalidGridError(f"{title} of more than {MOST_CHARACTERS} characters is refused")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidGridError(f"the JSON of {title} is damaged") from None


def usual_title(variant: Variant) -> str:
    """Return the title of a puzzle that has none, such as ``Killer Sudoku``."""
    kinds = variant.name.removeprefix("Constraints, ").split(", ")[:-1]
    title = " ".join([*kinds, *dict.fromkeys(it.kind for it in variant.constraints), "Sudoku"])
    return title[:1].upper() + title[1:]


def usual_rules(variant: Variant) -> str:
    """Return the rules in words of a puzzle that has none."""
    return f"Normal sudoku rules apply. {variant.legend}".strip()


def with_words(stored: StoredPuzzle, words: Mapping[str, Any]) -> StoredPuzzle:
    """Return a puzzle with title, author and rules, except for what any such puzzle says."""
    # Half of a character, which JSON can name, is in no file.
    title, author, rules = (
        str(words.get(key) or "").encode("utf-8", "replace").decode()
        for key in ("title", "author", "rules")
    )
    variant = stored.puzzle.variant
    return stored._replace(
        title="" if _is_same(title, usual_title(variant)) else title[:_LONGEST_TITLE],
        author=author[:_LONGEST_TITLE],
        rules="" if _is_same(rules, usual_rules(variant)) else rules[:_LONGEST_RULES],
    )


def _is_same(words: str, others: str) -> bool:
    """Return whether texts have the same words; files have constraints in an order of their own."""
    return sorted(words.lower().split()) == sorted(others.lower().split())


def with_solution(stored: StoredPuzzle, digits: Any) -> StoredPuzzle:
    """Return a puzzle with the solution of a file, if that is one: a list, or one symbol a cell."""
    given, variant = stored.puzzle.givens, stored.puzzle.variant
    cells = [*digits] if isinstance(digits, str | list) and len(digits) == len(given) else []
    if cells and all(type(d) in (int, str) and re.fullmatch("[1-9][0-9]?", str(d)) for d in cells):
        with suppress(InvalidGridError):
            solution = SudokuPuzzle([int(digit) for digit in cells], variant)
            if (solution.givens == given)[given >= 0].all():
                return stored._replace(solution=solution)
    return stored


def find_solution(stored: StoredPuzzle) -> SudokuPuzzle | None:
    """Return the only solution, or None if it is not known and a short search finds none."""
    if stored.solution is None:
        with suppress(UndecidedError):
            found = [*islice(solutions(stored.puzzle, patience=_PATIENCE), 2)]
            return found[0] if len(found) == 1 else None
    return stored.solution


def with_typed(stored: StoredPuzzle, digits: Sequence[int]) -> StoredPuzzle:
    """Return a puzzle with the digits that a player typed, 0 in other cells, and a note."""
    count = sum(map(bool, digits))
    if not count:
        return stored
    words = "1 typed digit is no given" if count == 1 else f"{count} typed digits are no givens"
    note = f"{words} and left out; a hint and the trace begin with {'it' if count == 1 else 'them'}"
    return stored._replace(typed=tuple(digits), notes=(*stored.notes, note))


def ordinary(stored: StoredPuzzle, title: str) -> StoredPuzzle:
    """Return an ordinary 9x9 puzzle, or refuse others."""
    variant = stored.puzzle.variant
    if variant.constraints or variant.house_sets != Variant.standard().house_sets:
        raise InvalidGridError(
            f"{title} holds ordinary 9x9 puzzles, not {stored.puzzle.variant.name}",
            hint="the format fpuzzles holds other rules",
        )
    return stored


def make_marked_puzzle(masks: Sequence[int]) -> StoredPuzzle:
    """Return the ordinary puzzle of 81 sets of candidates; a set of one is a placed digit."""
    if 0 in masks:
        raise InvalidGridError(f"{get_cell_name(*divmod(masks.index(0), 9))} has no candidate")
    digits = [mask.bit_length() if mask & (mask - 1) == 0 else 0 for mask in masks]
    return StoredPuzzle(SudokuPuzzle(digits, Variant.standard()), tuple(masks))


def masks_of(stored: StoredPuzzle) -> tuple[int, ...]:
    """Return the candidates of all cells, those that givens leave where none are stored."""
    if stored.candidates is not None:
        return stored.candidates
    digits, variant = stored.puzzle.givens.tolist(), stored.puzzle.variant
    every = (1 << variant.digits) - 1
    masks = []
    for cell, digit in enumerate(digits):
        seen = {digits[peer] for peer in variant.peers(cell).tolist()}
        left = every & ~sum(1 << other for other in seen if other >= 0)
        masks.append(1 << digit if digit >= 0 else left)
    return tuple(masks)


def add_pencil_marks(stored: StoredPuzzle, marks: Sequence[int]) -> StoredPuzzle:
    """Return a puzzle with its pencil marks, where 0 marks none, as far as givens allow.

    The marks of a cell of which nothing is left are outdated: a note names the cell.
    """
    if not any(marks):
        return stored
    pairs = [*zip(masks_of(stored), marks, strict=True)]
    cells = stored.puzzle.variant.cells
    old = [
        get_cell_name(*cells[at]) for at, (mask, own) in enumerate(pairs) if own and not mask & own
    ]
    note = f"outdated pencil marks are left out: {' '.join(old)}"
    return stored._replace(
        candidates=tuple(mask & own or mask for mask, own in pairs),
        notes=(*stored.notes, note) if old else stored.notes,
    )

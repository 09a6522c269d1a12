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

# The largest number of characters of one puzzle; real puzzles have a few thousand.
MAX_CHARACTERS = 2**18

_MAX_TITLE_LENGTH, _MAX_RULES_LENGTH = 200, 10_000  # characters
_MAX_NODES = 5_000  # nodes of the search for a solution, far less than a second


class StoredPuzzle(NamedTuple):
    """A puzzle of a file, with its pencil marks and metadata.

    `candidates` are the pencil marks of each cell, bit d for digit d + 1, or None without marks.
    `notes` are remarks about content that was ignored. `rules` are sentences for players, unless
    they equal `make_default_rules`. `typed_digits` contains the digits, from 1, that a player
    entered in open cells, and 0 in other cells; it is empty without such digits.
    """

    puzzle: SudokuPuzzle
    candidates: tuple[int, ...] | None = None
    title: str = ""
    author: str = ""
    notes: tuple[str, ...] = ()
    rules: str = ""
    solution: SudokuPuzzle | None = None
    typed_digits: tuple[int, ...] = ()

    def position(self) -> SudokuPuzzle:
        """Return the puzzle with the entered digits; raise `BrokenRuleError` if they clash."""
        if not self.typed_digits:
            return self.puzzle
        return SudokuPuzzle(
            np.where(self.typed_digits, self.typed_digits, self.puzzle.givens + 1),
            self.puzzle.variant,
        )


@dataclass(frozen=True, kw_only=True)
class PuzzleFormat:
    """A format in which people exchange puzzles."""

    name: str  # the name on the command line
    title: str  # the name in messages
    # Returns whether a text without white space around it is in this format.
    matches: Callable[[str], bool] = lambda _: False
    # Returns the parts of a text that matches, one for each puzzle, with their names in messages.
    split: Callable[[str], Iterable[tuple[str, Any]]] = lambda text: [("puzzle 1", text)]
    # Returns the puzzle of a part; raises `InvalidGridError` if it is invalid.
    read: Callable[[Any], StoredPuzzle] | None = None
    # Returns the text of puzzles; raises `InvalidGridError` for rules that the format lacks.
    write: Callable[[Sequence[StoredPuzzle]], str] | None = None
    single: bool = False  # whether a file contains only one puzzle
    typed: bool = False  # whether the format distinguishes entered digits from givens
    raw: bool = False  # whether white space at the ends of the text is significant


PUZZLE_FORMATS = Registry(
    PuzzleFormat, item_noun="a format of puzzles", group="sudokucrypt.puzzle_formats"
)
"""The registered formats by name."""


def label_parts(word: str, parts: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return each part with its name for messages, such as ``line 3``."""
    return [(f"{word} {number}", part) for number, part in enumerate(parts, 1)]


def load_json(text: str, title: str) -> Any:
    """Return the value of a JSON text; raise `InvalidGridError` if it is too long or damaged."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidGridError(f"{title} of more than {MAX_CHARACTERS} characters is refused")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidGridError(f"the JSON of {title} is damaged") from None


def make_default_title(variant: Variant) -> str:
    """Return the default title of a puzzle of a variant, such as ``Killer Sudoku``."""
    kinds = variant.name.removeprefix("Constraints, ").split(", ")[:-1]
    title = " ".join(
        [*kinds, *dict.fromkeys(constraint.kind for constraint in variant.constraints), "Sudoku"]
    )
    return title[:1].upper() + title[1:]


def make_default_rules(variant: Variant) -> str:
    """Return the default sentences of rules of a puzzle of a variant."""
    return f"Normal sudoku rules apply. {variant.legend}".strip()


def add_metadata(stored_puzzle: StoredPuzzle, text_fields: Mapping[str, Any]) -> StoredPuzzle:
    """Return a puzzle with the title, author and rules of `text_fields`, except default texts."""
    # JSON can contain half of a UTF-16 pair, which cannot be written to a file.
    title, author, rules = (
        str(text_fields.get(key) or "").encode("utf-8", "replace").decode()
        for key in ("title", "author", "rules")
    )
    variant = stored_puzzle.puzzle.variant
    return stored_puzzle._replace(
        title=""
        if _has_same_words(title, make_default_title(variant))
        else title[:_MAX_TITLE_LENGTH],
        author=author[:_MAX_TITLE_LENGTH],
        rules=""
        if _has_same_words(rules, make_default_rules(variant))
        else rules[:_MAX_RULES_LENGTH],
    )


def _has_same_words(words: str, other_words: str) -> bool:
    """Return whether two texts consist of the same words, in any order."""
    return sorted(words.lower().split()) == sorted(other_words.lower().split())


def add_solution(stored_puzzle: StoredPuzzle, digits: Any) -> StoredPuzzle:
    """Return a puzzle with the solution from its file (list or text), if the solution is valid."""
    puzzle_givens, variant = stored_puzzle.puzzle.givens, stored_puzzle.puzzle.variant
    values = (
        [*digits] if isinstance(digits, str | list) and len(digits) == len(puzzle_givens) else []
    )
    if values and all(
        type(d) in (int, str) and re.fullmatch("[1-9][0-9]?", str(d)) for d in values
    ):
        with suppress(InvalidGridError):
            solution = SudokuPuzzle([int(digit) for digit in values], variant)
            if (solution.givens == puzzle_givens)[puzzle_givens >= 0].all():
                return stored_puzzle._replace(solution=solution)
    return stored_puzzle


def find_solution(stored_puzzle: StoredPuzzle) -> SudokuPuzzle | None:
    """Return the only solution: the stored one, or one found by a short search, otherwise None."""
    if stored_puzzle.solution is None:
        with suppress(UndecidedError):
            solutions_found = [*islice(solutions(stored_puzzle.puzzle, patience=_MAX_NODES), 2)]
            return solutions_found[0] if len(solutions_found) == 1 else None
    return stored_puzzle.solution


def add_typed_digits(stored_puzzle: StoredPuzzle, digits: Sequence[int]) -> StoredPuzzle:
    """Return a puzzle with a player's digits (0 in other cells), and with a note about them."""
    count = sum(map(bool, digits))
    if not count:
        return stored_puzzle
    digits_text = (
        "1 typed digit is no given" if count == 1 else f"{count} typed digits are no givens"
    )
    note = (
        f"{digits_text} and left out; a hint and the trace begin with "
        f"{'it' if count == 1 else 'them'}"
    )
    return stored_puzzle._replace(typed_digits=tuple(digits), notes=(*stored_puzzle.notes, note))


def require_ordinary_puzzle(stored_puzzle: StoredPuzzle, title: str) -> StoredPuzzle:
    """Return the puzzle if it is an ordinary 9x9 puzzle; otherwise raise `InvalidGridError`."""
    variant = stored_puzzle.puzzle.variant
    if variant.constraints or variant.house_sets != Variant.standard().house_sets:
        raise InvalidGridError(
            f"{title} holds ordinary 9x9 puzzles, not {stored_puzzle.puzzle.variant.name}",
            hint="the format fpuzzles holds other rules",
        )
    return stored_puzzle


def make_marked_puzzle(masks: Sequence[int]) -> StoredPuzzle:
    """Return the ordinary puzzle for 81 candidate sets; a single candidate is a placed digit."""
    if 0 in masks:
        raise InvalidGridError(f"{get_cell_name(*divmod(masks.index(0), 9))} has no candidate")
    digits = [mask.bit_length() if mask & (mask - 1) == 0 else 0 for mask in masks]
    return StoredPuzzle(SudokuPuzzle(digits, Variant.standard()), tuple(masks))


def get_candidates(stored_puzzle: StoredPuzzle) -> tuple[int, ...]:
    """Return the candidates of all cells: the stored ones, or otherwise all that givens allow."""
    if stored_puzzle.candidates is not None:
        return stored_puzzle.candidates
    digits, variant = stored_puzzle.puzzle.givens.tolist(), stored_puzzle.puzzle.variant
    all_digits = (1 << variant.digits) - 1
    masks = []
    for cell, digit in enumerate(digits):
        peer_digits = {digits[peer] for peer in variant.peers(cell).tolist()}
        candidates = all_digits & ~sum(1 << d for d in peer_digits if d >= 0)
        masks.append(1 << digit if digit >= 0 else candidates)
    return tuple(masks)


def add_pencil_marks(stored_puzzle: StoredPuzzle, marks: Sequence[int]) -> StoredPuzzle:
    """Return a puzzle with pencil marks, as far as givens allow them; 0 stands for no marks.

    If givens exclude all marks of a cell, they are ignored, and a note names the cell.
    """
    if not any(marks):
        return stored_puzzle
    mask_pairs = [*zip(get_candidates(stored_puzzle), marks, strict=True)]
    cells = stored_puzzle.puzzle.variant.cells
    outdated_cells = [
        get_cell_name(*cells[cell])
        for cell, (allowed_mask, stored_mask) in enumerate(mask_pairs)
        if stored_mask and not allowed_mask & stored_mask
    ]
    note = f"outdated pencil marks are left out: {' '.join(outdated_cells)}"
    return stored_puzzle._replace(
        candidates=tuple(
            allowed_mask & stored_mask or allowed_mask for allowed_mask, stored_mask in mask_pairs
        ),
        notes=(*stored_puzzle.notes, note) if outdated_cells else stored_puzzle.notes,
    )

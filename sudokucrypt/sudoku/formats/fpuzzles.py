"""Read and write the JSON of f-puzzles, also used in links, and make boards with regions."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import (
    PuzzleFormat,
    StoredPuzzle,
    add_metadata,
    add_pencil_marks,
    add_solution,
    add_typed_digits,
    find_solution,
    make_default_rules,
    make_default_title,
)
from sudokucrypt.sudoku.model.boxes import default_box, get_cell_name, number_regions
from sudokucrypt.sudoku.model.constraints import CONSTRAINTS, Constraint
from sudokucrypt.sudoku.model.constraints.entries import list_cell_names, list_entries, number_cells
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import House, Variant
from sudokucrypt.typing import Box

# Boards of f-puzzles and SudokuPad: squares with boxes or regions, and flags for further rules.

# The largest number of rows, as in f-puzzles, so that a link cannot request a huge board.
MAX_BOARD_ROWS = 16


class FlagRule(NamedTuple):
    """A rule that a flag turns on; the names of its houses begin with `prefix`."""

    title: str
    rule: str
    prefix: str
    build_variant: Callable[[Box], Variant]

    def add_rule_to(self, variant: Variant) -> Variant:
        """Return a square variant with this rule."""
        box = default_box(variant.digits)
        added_houses = [h for h in self.build_variant(box).houses if h.name.startswith(self.prefix)]
        return variant.with_houses(self.title, added_houses, self.rule)


RULES_BY_FLAG = {
    "diagonal-": FlagRule("Falling diagonal", "The falling diagonal holds each digit once.",
                      "diagonal 1", Variant.x),
    "diagonal+": FlagRule("Rising diagonal", "The rising diagonal holds each digit once.",
                      "diagonal 2", Variant.x),
    "antiknight": FlagRule("Anti-knight", Variant.anti_knight().rule, "knight's move",
                       Variant.anti_knight),
    "antiking": FlagRule("Anti-king", Variant.anti_king().rule, "king's move", Variant.anti_king),
    "disjointgroups": FlagRule("Disjoint groups", Variant.disjoint_groups().rule, "disjoint group",
                           Variant.disjoint_groups),
}  # fmt: skip


def make_board_variant(size: int, labels: Sequence[int] | None) -> Variant:
    """Return a square variant with a region for each label, or without regions for None."""
    if labels is None:
        return Variant.latin(size)
    regions = _group_cells(labels)
    for box in (default_box(size), *((p, size // p) for p in range(1, size + 1) if size % p == 0)):
        if regions == _group_cells(number_regions((size, size), box)["box"].reshape(-1).tolist()):
            return Variant.standard(box)
    return Variant.jigsaw(np.array(labels).reshape(size, size))


def _group_cells(labels: Iterable[int]) -> set[frozenset[int]]:
    """Return the sets of cells with equal labels."""
    cells_by_label: dict[int, set[int]] = {}
    for cell, label in enumerate(labels):
        cells_by_label.setdefault(label, set()).add(cell)
    return {frozenset(region) for region in cells_by_label.values()}


# The JSON of f-puzzles, which SudokuPad reads too: sizes up to 16, and the rules of variants.

_IGNORED_KEYS = {
    "size", "title", "author", "ruleset", "grid", "solution", "successMessage", "disabledlogic",
    "truecandidatesoptions",
}  # fmt: skip
_COSMETIC_KEYS = {
    "line", "rectangle", "circle", "text", "cage", "highlight", "fogofwar", "foglight",
    "triggereffect",
}  # fmt: skip
_EXTRA_REGION = "extra region"
# Far more constraints than people use; the limit keeps a link from slowing down the search.
_MAX_CONSTRAINTS = 1024
_NEGATIVE_KEY = "negative"  # the key of a list of keys, each of which is a separate rule


def parse_fpuzzles(fields: Any) -> StoredPuzzle:
    """Return the puzzle in the JSON of f-puzzles."""
    if not isinstance(fields, dict):
        raise InvalidGridError("an f-puzzles puzzle is a JSON object")
    size, grid = fields.get("size"), fields.get("grid")
    if type(size) is not int or not 1 <= size <= MAX_BOARD_ROWS:
        raise InvalidGridError(
            f"f-puzzles have sizes from 1 to {MAX_BOARD_ROWS}, not {str(size)[:20]}"
        )
    rows = grid if isinstance(grid, list) and len(grid) == size else []
    cells = [cell for row in rows if isinstance(row, list) for cell in row]
    is_square = all(isinstance(row, list) and len(row) == size for row in rows) and bool(rows)
    if not is_square or not all(isinstance(cell, dict) for cell in cells):
        raise InvalidGridError(f"the grid of an f-puzzles puzzle of size {size} is damaged")
    if any(cell.get("givenPencilMarks") for cell in cells):
        raise _make_key_error("givenPencilMarks")
    notes = [
        f"{key!r} is left out" for key in sorted(_COSMETIC_KEYS & fields.keys()) if fields[key]
    ]
    variant = _read_variant(fields, cells, size, notes)
    values = [cell.get("value") or 0 for cell in cells]
    for cell, value in enumerate(values):
        if type(value) is not int or not 0 <= value <= size:
            raise InvalidGridError(
                f"{get_cell_name(*divmod(cell, size))} holds {str(value)[:20]!r}, not 1 to {size}"
            )
    givens = [v if c.get("given") is True else 0 for c, v in zip(cells, values, strict=True)]
    stored_puzzle = StoredPuzzle(SudokuPuzzle(givens, variant), notes=tuple(notes))
    stored_puzzle = add_metadata(stored_puzzle, fields | {"rules": fields.get("ruleset")})
    stored_puzzle = add_solution(stored_puzzle, fields.get("solution"))
    stored_puzzle = add_typed_digits(
        stored_puzzle, [v - g for v, g in zip(values, givens, strict=True)]
    )
    pairs = zip(cells, values, strict=True)
    return add_pencil_marks(
        stored_puzzle, [0 if v else _read_marks(c.get("centerPencilMarks"), size) for c, v in pairs]
    )


def _read_marks(marks: object, size: int) -> int:
    """Return the pencil marks of a cell as bits; values that are not digits are ignored."""
    digits = marks if isinstance(marks, list) else [marks]
    return sum(1 << d - 1 for d in range(1, size + 1) if d in digits)


def _make_key_error(key: str) -> InvalidGridError:
    return InvalidGridError(
        f"the f-puzzles constraint {key[:40]!r} is not supported",
        hint="without it the puzzle would be another one",
    )


def _read_variant(
    fields: dict[str, Any], cells: Sequence[dict[str, Any]], size: int, notes: list[str]
) -> Variant:
    """Return the rules, and add notes about empty clues to `notes`."""
    fields = _expand_negatives(fields)
    known_keys = (
        _IGNORED_KEYS
        | _COSMETIC_KEYS
        | RULES_BY_FLAG.keys()
        | _list_constraint_keys()
        | {"extraregion"}
    )
    # Empty lists are ignored: f-puzzles writes them for features that a puzzle lacks.
    for key in sorted(fields.keys() - known_keys):
        if fields[key]:
            raise _make_key_error(key)
    default_labels = number_regions((size, size), default_box(size))["box"].reshape(-1).tolist()
    labels = [
        cell.get("region", default_label)
        for cell, default_label in zip(cells, default_labels, strict=True)
    ]
    if not all(type(label) is int for label in labels):
        raise InvalidGridError("a region of an f-puzzles puzzle is not a number")
    variant = make_board_variant(size, labels)
    for key, flag in RULES_BY_FLAG.items():
        if fields.get(key):
            variant = flag.add_rule_to(variant)
    entries = [
        region_entry
        for region_entry in list_entries(fields.get("extraregion") or [])
        if region_entry.get("cells") != []
    ]
    if entries:
        extra_houses = [
            House(f"{_EXTRA_REGION} {number}", number_cells(entry.get("cells"), size), "tint")
            for number, entry in enumerate(entries, 1)
        ]
        variant = variant.with_houses(
            "Extra regions", extra_houses, "Tinted regions hold each digit at most once."
        )
    constraints = [*_iterate_constraints(fields, size, notes)]
    return variant.with_constraints(*constraints) if constraints else variant


def format_fpuzzles(stored_puzzle: StoredPuzzle) -> str:
    """Return a puzzle as JSON of f-puzzles, with its rules in words and its solution."""
    variant, cells = stored_puzzle.puzzle.variant, stored_puzzle.puzzle.cells
    size = variant.digits
    if variant.shape != (size, size) or len(variant.cells) != size * size or size > MAX_BOARD_ROWS:
        raise InvalidGridError(f"f-puzzles has no boards of {variant.name}")
    grid: list[list[dict[str, Any]]] = [
        [{"value": digit + 1, "given": True} if digit >= 0 else {} for digit in row]
        for row in cells.tolist()
    ]
    for cell, digit in enumerate(stored_puzzle.typed_digits):
        if digit:
            grid[cell // size][cell % size]["value"] = digit
    if stored_puzzle.candidates:
        for cell, mask in enumerate(stored_puzzle.candidates):
            if "value" not in grid[cell // size][cell % size]:
                marks = [n for n in range(1, size + 1) if mask >> n - 1 & 1]
                grid[cell // size][cell % size]["centerPencilMarks"] = marks
    fields: dict[str, Any] = {
        "size": size,
        "title": stored_puzzle.title or make_default_title(variant),
        "author": stored_puzzle.author,
        "ruleset": stored_puzzle.rules or make_default_rules(variant),
        "grid": grid,
        **_write_rules(variant, grid),
    }
    if solution := find_solution(stored_puzzle):
        fields["solution"] = (solution.givens + 1).tolist()
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)


def _write_rules(variant: Variant, grid: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the flags and extra regions of a variant; write regions of a jigsaw to `grid`."""
    size = variant.digits
    box_houses = Variant.standard(default_box(size)).house_sets
    line_houses = Variant.latin(size).house_sets
    regions = [house for house in variant.houses if house.drawn == "border"]
    fields: dict[str, Any] = {}
    extra_regions = []
    if (
        not regions and not box_houses <= variant.house_sets
    ):  # without boxes, rows are used as regions
        regions = [house for house in variant.houses if house.name.startswith("row ")]
    if not box_houses <= variant.house_sets:
        for region, house in enumerate(regions):
            for cell in house.cells:
                grid[cell // size][cell % size]["region"] = region
        if len(regions) != size:
            raise InvalidGridError(f"f-puzzles has no boards of {variant.name}")
    known_houses = {frozenset(house.cells) for house in regions} | box_houses | line_houses
    for house in variant.houses:
        cells = frozenset(house.cells)
        key = next(
            (key for key, flag in RULES_BY_FLAG.items() if house.name.startswith(flag.prefix)), None
        )
        if key and cells in RULES_BY_FLAG[key].build_variant(default_box(size)).house_sets:
            fields[key] = True
        elif house.name.startswith((_EXTRA_REGION, "window")):
            extra_regions.append({"cells": list_cell_names(house.cells, size)})
        elif cells not in known_houses and house.name.split(" ")[0] not in CONSTRAINTS:
            raise InvalidGridError(f"f-puzzles has no rule like {house.name} of {variant.name}")
    fields |= _make_constraint_fields(variant.constraints, size)
    return {**fields, "extraregion": extra_regions} if extra_regions else fields


def _expand_negatives(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a puzzle with each negative constraint under a separate key."""
    names = fields.get(_NEGATIVE_KEY) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidGridError("the negative constraints of an f-puzzles puzzle are damaged")
    other_fields = {key: value for key, value in fields.items() if key != _NEGATIVE_KEY}
    return other_fields | {f"{_NEGATIVE_KEY} {name}": True for name in names}


def _list_constraint_keys() -> set[str]:
    """Return the keys of all constraints, including those of other packages."""
    return {kind.entry.key for kind in CONSTRAINTS.values() if kind.entry}


def _iterate_constraints(
    fields: dict[str, Any], size: int, notes: list[str]
) -> Iterator[Constraint]:
    """Yield the constraints of expanded fields, in the order of kinds and entries.

    An empty clue, such as an arrow without a shaft, becomes a note.
    """
    remaining_count = _MAX_CONSTRAINTS
    for kind in CONSTRAINTS.values():
        empty_clue_count = 0
        if kind.entry and fields.get(kind.entry.key):
            for constraint in kind.entry.read(fields[kind.entry.key], size):
                if not remaining_count:
                    raise InvalidGridError(
                        f"an f-puzzles puzzle has over {_MAX_CONSTRAINTS} constraints"
                    )
                remaining_count -= 1
                if constraint is None:
                    empty_clue_count += 1
                else:
                    yield constraint
            if empty_clue_count:
                notes.append(
                    f"clues of {kind.entry.key!r} that say nothing are left out: {empty_clue_count}"
                )


def _make_constraint_fields(constraints: Sequence[Constraint], size: int) -> dict[str, Any]:
    """Return the f-puzzles fields of constraints; raise `InvalidGridError` if there is none."""
    fields: dict[str, Any] = {}
    negative_keys = []
    for name in dict.fromkeys(constraint.kind for constraint in constraints):
        entry = CONSTRAINTS[name].entry
        matching_constraints = [constraint for constraint in constraints if constraint.kind == name]
        value = entry.write(matching_constraints, size) if entry else None
        if entry is None or value is None:
            raise InvalidGridError(f"f-puzzles cannot express the constraint {name!r}")
        if entry.key.startswith(f"{_NEGATIVE_KEY} "):
            negative_keys.append(entry.key.split(" ")[1])
        else:
            fields[entry.key] = value
    return fields | ({_NEGATIVE_KEY: negative_keys} if negative_keys else {})


def _format_file(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored_puzzle,) = puzzles
    return format_fpuzzles(stored_puzzle) + "\n"


FPUZZLES_FORMAT = PuzzleFormat(
    name="fpuzzles", title="f-puzzles JSON", write=_format_file, single=True, typed=True
)

"""The constraints of f-puzzles: cages, lines and dots, by their keys."""

from collections.abc import Iterator, Sequence
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.cells import cells_of, listed, names_of
from sudokucrypt.sudoku.model.constraints import Constraint

_LINES = {"thermometer": 0, "whispers": 5, "renban": 0, "palindrome": 0}  # and what they default to
# Kropki: a white dot is a difference of 1, a black one a ratio of 2.
_DOTS = {"difference": 1, "ratio": 2}
_SUMS = {"X": 10, "V": 5}
KEYS = {*_LINES, *_DOTS, "killercage", "arrow", "xv", "littlekillersum", "odd", "even",
        "nonconsecutive", "negative"}  # fmt: skip


def constraints_in(fields: dict[str, Any], size: int) -> Iterator[Constraint]:
    """Yield the constraints of a puzzle of f-puzzles, in the order of keys and entries."""
    for key in ("killercage", "littlekillersum"):
        for entry in listed(fields.get(key) or []):
            kind = "killer" if key == "killercage" else "sum"
            yield Constraint(kind, cells_of(entry, size), _number(entry.get("value"), key))
    for entry in listed(fields.get("arrow") or []):
        head = cells_of(entry, size)
        for line in _lines(entry, size):
            yield Constraint("arrow", (*head, *line[1:]), len(head))
    for key, value in _LINES.items():
        for entry in listed(fields.get(key) or []):
            for line in _lines(entry, size):
                yield Constraint(key, line, _number(entry.get("value") or value, key))
    for key in ("odd", "even"):
        for entry in listed(fields.get(key) or []):
            yield Constraint(key, cells_of({"cells": [entry.get("cell")]}, size))
    yield from _dots(fields, size)


def _dots(fields: dict[str, Any], size: int) -> Iterator[Constraint]:
    """Yield dots and XV, and what follows where they are missing."""
    dotted: set[frozenset[int]] = set()
    for key, value in _DOTS.items():
        for entry in listed(fields.get(key) or []):
            pair = cells_of(entry, size)
            dotted.add(frozenset(pair))
            yield Constraint(key, pair, _number(entry.get("value") or value, key))
    negative = fields.get("negative") or []
    if not isinstance(negative, list) or not all(key in ("ratio", "xv") for key in negative):
        raise InvalidGridError("only ratio and xv have negative constraints that are read")
    free = [pair for pair in neighbours(size) if frozenset(pair) not in dotted]
    if fields.get("nonconsecutive"):
        yield from (Constraint("not-difference", pair, 1) for pair in free)
    if "ratio" in negative:
        yield from (Constraint("not-ratio", pair, 2) for pair in free)
    yield from _sums(fields, size, negative="xv" in negative)


def _sums(fields: dict[str, Any], size: int, *, negative: bool) -> Iterator[Constraint]:
    """Yield XV clues, and what follows where they are missing."""
    summed: set[frozenset[int]] = set()
    for entry in listed(fields.get("xv") or []):
        value = entry.get("value")
        if not isinstance(value, str) or value not in _SUMS:
            raise InvalidGridError("an XV clue of f-puzzles is X or V")
        summed.add(frozenset(cells_of(entry, size)))
        yield Constraint("sum", cells_of(entry, size), _SUMS[value])
    for pair in neighbours(size) if negative else ():
        if frozenset(pair) not in summed:
            yield from (Constraint("not-sum", pair, total) for total in (10, 5))


def neighbours(size: int) -> list[tuple[int, int]]:
    """Return the pairs of cells that share an edge."""
    cells = range(size * size)
    beside = [(cell, cell + 1) for cell in cells if (cell + 1) % size]
    return sorted(beside + [(cell, cell + size) for cell in cells[:-size]])


def _number(value: object, key: str) -> int:
    """Return a value that f-puzzles writes as a number or as text; nothing stands for 0."""
    text = str(value) if type(value) in (int, str) else ""
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise InvalidGridError(f"the value {text[:20]!r} of {key!r} is not a number from 0 to 999")
    return int(text)


def _lines(entry: dict[str, Any], size: int) -> Iterator[tuple[int, ...]]:
    lines = entry.get("lines")
    if not isinstance(lines, list):
        raise InvalidGridError("a line of an f-puzzles puzzle is damaged")
    yield from (cells_of({"cells": line}, size) for line in lines)


def _entry(it: Constraint, names: list[str], *, crossed: bool) -> tuple[str, dict[str, Any]]:
    """Return key and entry; with negative XV, sums of two cells are XV clues."""
    value = str(it.value)
    if it.kind == "arrow":
        return "arrow", {"cells": names[: it.value], "lines": [names[it.value - 1 :]]}
    if it.kind in _LINES:
        return it.kind, {"lines": [names], **({"value": value} if it.value else {})}
    if it.kind in ("odd", "even"):
        return it.kind, {"cell": names[0]}
    letter = next((letter for letter, total in _SUMS.items() if total == it.value), None)
    if it.kind == "sum" and crossed and letter and len(names) == 2:
        return "xv", {"cells": names, "value": letter}
    keys = {"killer": "killercage", "sum": "littlekillersum"}
    return keys.get(it.kind, it.kind), {"cells": names, "value": value}


def written_constraints(constraints: Sequence[Constraint], size: int) -> dict[str, Any]:
    """Return constraints by the keys of f-puzzles; `InvalidGridError` if it has none for one."""
    fields: dict[str, Any] = {}
    sums = {it.cells for it in constraints if it.kind == "not-sum"}
    for it in constraints:
        if not it.kind.startswith("not-"):
            key, entry = _entry(it, names_of(it.cells, size), crossed=bool(sums))
            fields.setdefault(key, []).append(entry)
    if any(it.kind == "not-difference" for it in constraints):
        fields["nonconsecutive"] = True
    negative = [key for key, kind in (("ratio", "not-ratio"), ("xv", "not-sum"))
                if any(it.kind == kind for it in constraints)]  # fmt: skip
    if negative:
        fields["negative"] = negative
    # What these fields say must be what was given, as for negative constraints of some pairs alone.
    if {*constraints_in(fields, size)} != {*constraints}:
        raise InvalidGridError("f-puzzles has no words for these constraints")
    return fields

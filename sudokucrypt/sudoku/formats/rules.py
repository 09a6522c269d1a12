"""The constraints of f-puzzles, by the keys that their kinds name."""

from collections.abc import Iterator, Sequence
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints import CONSTRAINTS, Constraint

# Far more than a person sets; a link must not make the search take hours.
_MOST = 1024
_NEGATIVE = "negative"  # a list of keys, each of which is a rule of its own


def expanded(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a puzzle with each negative constraint under a key of its own."""
    names = fields.get(_NEGATIVE) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidGridError("the negative constraints of an f-puzzles puzzle are damaged")
    rest = {key: value for key, value in fields.items() if key != _NEGATIVE}
    return rest | {f"{_NEGATIVE} {name}": True for name in names}


def keys() -> set[str]:
    """Return the keys of constraints, of those from other packages too."""
    return {kind.entry.key for kind in CONSTRAINTS.values() if kind.entry}


def constraints_in(fields: dict[str, Any], size: int, notes: list[str]) -> Iterator[Constraint]:
    """Yield the constraints of expanded fields, in the order of kinds and entries.

    A clue that says nothing, such as an arrow without a shaft, becomes a note.
    """
    left = _MOST
    for kind in CONSTRAINTS.values():
        empty = 0
        if kind.entry and fields.get(kind.entry.key):
            for it in kind.entry.read(fields[kind.entry.key], size):
                if not left:
                    raise InvalidGridError(f"an f-puzzles puzzle has over {_MOST} constraints")
                left -= 1
                if it is None:
                    empty += 1
                else:
                    yield it
            if empty:
                notes.append(f"clues of {kind.entry.key!r} that say nothing are left out: {empty}")


def written_constraints(constraints: Sequence[Constraint], size: int) -> dict[str, Any]:
    """Return constraints by the keys of f-puzzles; `InvalidGridError` if it has none for one."""
    fields: dict[str, Any] = {}
    negative = []
    for name in dict.fromkeys(it.kind for it in constraints):
        entry = CONSTRAINTS[name].entry
        alike = [it for it in constraints if it.kind == name]
        value = entry.write(alike, size) if entry else None
        if entry is None or value is None:
            raise InvalidGridError(f"f-puzzles has no words for the constraint {name!r}")
        if entry.key.startswith(f"{_NEGATIVE} "):
            negative.append(entry.key.split(" ")[1])
        else:
            fields[entry.key] = value
    return fields | ({_NEGATIVE: negative} if negative else {})

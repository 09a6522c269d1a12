"""Mutants of the reference: changes of one place each, which the vectors must be able to see.

They are held as data, by the room of the reference in which the place is. Where a change makes no
difference that a vector could show, `EQUIVALENT` says why.
"""

from __future__ import annotations

from tests.vectors.mutants import (
    equivalent,
    of_descriptions,
    of_draws,
    of_files,
    of_frames,
    of_headers,
    of_keys,
    of_maps,
    of_pictures,
    of_tags,
)
from tests.vectors.mutants.mutant import Mutant

_ROOMS = (
    of_keys,
    of_draws,
    of_maps,
    of_frames,
    of_headers,
    of_tags,
    of_pictures,
    of_descriptions,
    of_files,
)

MUTANTS: tuple[Mutant, ...] = tuple(mutant for room in _ROOMS for mutant in room.MUTANTS)
"""Mutants that some vector must kill."""

EQUIVALENT: tuple[Mutant, ...] = tuple(equivalent.MUTANTS)
"""Mutants that no vector can kill, with the reason."""


def by_name() -> dict[str, Mutant]:
    """Return all mutants by their names, of which no two are equal."""
    found = {mutant.name: mutant for mutant in (*MUTANTS, *EQUIVALENT)}
    assert len(found) == len(MUTANTS) + len(EQUIVALENT)
    return found


__all__ = ["EQUIVALENT", "MUTANTS", "Mutant", "by_name"]

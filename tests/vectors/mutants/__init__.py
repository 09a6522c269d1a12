"""Mutants of the reference: changes of one place each, which the vectors must be able to see.

They are held as data, in one text file for each module of `tests.kit.reference`:

    killers: accept reject

    ## 65 passes
    -d.passes > MAX_PASSES
    +d.passes > MAX_PASSES + 1

The `killers` are the vector files that are asked first for all mutants behind this line. A mutant
has a name, the place behind `-`, which the source has once, and behind `+` what stands there
instead, perhaps nothing. Where it makes no difference that a vector could show, a line
`equivalent: ` below the name says why. All other lines are remarks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent
_FIRST, _ALIKE = "killers: ", "equivalent: "


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A change of one place in the source of a module of `tests.kit.reference`.

    `killers` are names of the vector files that are asked first; `reason` says why no vector can
    show it, and is None for all others.
    """

    name: str
    module: str
    old: str
    new: str
    killers: str
    reason: str | None


def _mutants_of(module: str) -> Iterator[Mutant]:
    """Read the mutants of one module."""
    killers = ""
    text = (FOLDER / f"{module}.txt").read_text(encoding="utf-8")
    for part in text.split("\n## "):
        name, *lines = part.split("\n")
        positions = {sign: [line[1:] for line in lines if line[:1] == sign] for sign in "-+"}
        reasons = [
            line.removeprefix("equivalent: ") for line in lines if line[:12] == "equivalent: "
        ]
        if positions["-"]:
            yield Mutant(
                name=f"{module}: {name}",
                module=module,
                old="\n".join(positions["-"]),
                new="\n".join(positions["+"]),
                killers=killers,
                reason=" ".join(reasons) or None,
            )
        for line in lines:
            if line.startswith(_FIRST):
                killers = line.removeprefix(_FIRST)


@cache
def all_mutants() -> tuple[Mutant, ...]:
    """Return all mutants, those that are equivalent included."""
    modules = sorted(path.stem for path in FOLDER.glob("*.txt"))
    return tuple(mutant for module in modules for mutant in _mutants_of(module))

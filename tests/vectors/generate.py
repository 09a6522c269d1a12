"""Make the golden vectors: ``python -m tests.vectors.generate`` rewrites the JSON files.

The vectors hold their own inputs: each of `MADE` is made again case by case from what stands in
its file. Those of `READ` are pictures and texts that readers accept or reject; they are made from
rows, which name the one thing that is wrong. The tests regenerate both byte for byte; the engine of
the page and the reference, which were written from the specification alone, confirm them. The other
files are data: redactions contain random salts, and `accept_jpegs` and `reject_jpegs` were forged
by a part of the reference that has left.
A new case is its inputs, at the end of a file or of its rows. A vector that is there never changes.
"""

import json
from collections.abc import Callable
from functools import partial

from tests.kit.replay import VECTORS
from tests.vectors import makers
from tests.vectors.cards import cards, shares
from tests.vectors.common import Case
from tests.vectors.header_rows import captions, header_rows
from tests.vectors.rows import made_of_rows

MADE: dict[str, Callable[[Case], Case]] = {
    "keys": makers.keys,
    "draws": makers.draws,
    "grids": makers.grids,
    "layouts": makers.layouts,
    "rounds": makers.rounds,
    "permutations": makers.permutations,
    "images": makers.images,
    "encryptions": makers.encryptions,
    "frames": makers.pictures,
    "segments": makers.segments,
    "robust": makers.robust,
    "jpegs": makers.jpegs,
}
READ: dict[str, Callable[[], list[Case]]] = {
    "accept": partial(made_of_rows, "accept"),
    "reject": partial(made_of_rows, "reject"),
    "accept_pictures": partial(made_of_rows, "accept_pictures"),
    "reject_pictures": partial(made_of_rows, "reject_pictures"),
    "containers": makers.containers,
    "captions": captions,
    "cards": cards,
    "shares": shares,
    "header_rows": header_rows,
}


def make_text(kind: str) -> str:
    """Return the content of one vector file: one case a line."""
    old = json.loads((VECTORS / f"{kind}.json").read_text(encoding="ascii"))
    cases = READ[kind]() if kind in READ else map(MADE[kind], old["cases"])
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    return f'{{"about": {json.dumps(old["about"])},\n "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    for name in (*MADE, *READ):
        (VECTORS / f"{name}.json").write_text(make_text(name), encoding="ascii")

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
from tests.vectors.cards import make_cards, make_shares
from tests.vectors.common import Case
from tests.vectors.header_rows import make_captions, make_header_row_cases
from tests.vectors.rows import make_from_rows

CASE_MAKERS: dict[str, Callable[[Case], Case]] = {
    "keys": makers.make_keys,
    "draws": makers.make_draws,
    "grids": makers.make_grids,
    "layouts": makers.make_layouts,
    "rounds": makers.make_rounds,
    "permutations": makers.make_permutations,
    "images": makers.make_images,
    "encryptions": makers.make_encryptions,
    "frames": makers.make_pictures,
    "segments": makers.make_segments,
    "robust": makers.make_robust,
    "jpegs": makers.make_jpegs,
}
FILE_MAKERS: dict[str, Callable[[], list[Case]]] = {
    "accept": partial(make_from_rows, "accept"),
    "reject": partial(make_from_rows, "reject"),
    "accept_pictures": partial(make_from_rows, "accept_pictures"),
    "reject_pictures": partial(make_from_rows, "reject_pictures"),
    "containers": makers.make_containers,
    "captions": make_captions,
    "cards": make_cards,
    "shares": make_shares,
    "header_rows": make_header_row_cases,
}


def make_text(kind: str) -> str:
    """Return the content of one vector file: one case a line."""
    previous_cases = json.loads((VECTORS / f"{kind}.json").read_text(encoding="ascii"))
    cases = (
        FILE_MAKERS[kind]()
        if kind in FILE_MAKERS
        else map(CASE_MAKERS[kind], previous_cases["cases"])
    )
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    return f'{{"about": {json.dumps(previous_cases["about"])},\n "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    for name in (*CASE_MAKERS, *FILE_MAKERS):
        (VECTORS / f"{name}.json").write_text(make_text(name), encoding="ascii")

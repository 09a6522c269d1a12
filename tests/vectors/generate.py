"""Make the golden vectors: ``python -m tests.vectors.generate`` rewrites the JSON files.

Each file holds cases with the input and what the package made of it. The tests regenerate them
byte for byte, and confirm them by the reference that was written from the specification alone.
Once landed, a vector changes only with a new version of its scheme.
"""

import json
from pathlib import Path

from tests.vectors.accept import accept
from tests.vectors.accept_wholes import accept_pictures
from tests.vectors.containers import containers
from tests.vectors.images import encryptions, images
from tests.vectors.jpegs import jpegs
from tests.vectors.keys import keys
from tests.vectors.reject import reject
from tests.vectors.reject_jpegs import reject_jpegs
from tests.vectors.reject_wholes import reject_pictures
from tests.vectors.robust import robust
from tests.vectors.steps import draws, grids, layouts, permutations, rounds
from tests.vectors.wholes import frames, regions

VECTORS = Path(__file__).parents[1] / "kit" / "vectors"

KINDS = {
    "keys": keys, "draws": draws, "grids": grids, "layouts": layouts, "rounds": rounds,
    "permutations": permutations, "images": images, "encryptions": encryptions, "frames": frames,
    "regions": regions, "accept": accept, "reject": reject, "accept_pictures": accept_pictures,
    "reject_pictures": reject_pictures, "containers": containers, "robust": robust,
    "jpegs": jpegs, "reject_jpegs": reject_jpegs,
}  # fmt: skip


def text_of(kind: str) -> str:
    """Return the content of one vector file: one case a line."""
    make = KINDS[kind]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in make())
    about = json.dumps(f"{make.__doc__} Key 00..1f. Made by tests/vectors/generate.py.")
    return f'{{"about": {about},\n "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    for name in KINDS:
        (VECTORS / f"{name}.json").write_text(text_of(name), encoding="ascii")

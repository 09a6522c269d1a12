"""The plain files of `jpegs` that no usual program writes: what is peculiar about each.

`python -m tests.vectors.jpeg_files` appends those to the vectors whose label is not there yet.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sudokucrypt.images.jpeg import JpegFile, Segment
from sudokucrypt.images.jpeg.huffman import HuffmanTable
from tests.images.jpeg.made import made, scan_segment, with_scan
from tests.kit.replay import VECTORS
from tests.vectors.common import SALT, Case, plain_bytes

FOUR = ((2, 2), (1, 1), (1, 1))
REFINED = (((0,), 0, 0, 0, 0), ((0,), 1, 63, 0, 1), ((0,), 1, 63, 1, 0))
"""One component, whose other coefficients are sent in two scans, the last of which corrects."""


def corrected(*counts: int, breaks: Sequence[int] = ()) -> JpegFile:
    """Return a file of blocks that have so many bits of correction in the last scan each."""
    file = made(8, 8 * len(counts), script=REFINED)
    bits = plain_bytes("bits of correction", 64 * len(counts))
    plane = 2 + np.frombuffer(bits, np.uint8).astype(np.int16).reshape(1, -1, 64) % 2
    for block, count in enumerate(counts):
        plane[0, block, 1 + count :] = 0
    return with_scan(file.with_coefficients([plane]).optimised(), 2, breaks=tuple(breaks))


def refined_means() -> JpegFile:
    """Return a file whose means are sent in one scan, and their last bits in one for each."""
    script = [((0, 1, 2), 0, 0, 0, 1), *(((n,), 0, 0, 1, 0) for n in range(3))]
    script += [((n,), 1, 63, 0, 0) for n in range(3)]
    file = made(17, 17, samplings=FOUR, script=script, share=0.05)
    planes = [np.array(plane) for plane in file.coefficients]
    for index, plane in enumerate(planes):
        down, across = file.frame.components[index].blocks
        plane[..., 0] = np.arange(plane[..., 0].size).reshape(plane.shape[:2]) * 3 - 20
        beyond = np.ones(plane.shape[:2], dtype=bool)
        beyond[:down, :across] = False
        plane[beyond, 0] &= ~1  # the last bit of a filler is not sent
    return file.with_coefficients(planes).optimised()


def coded_zeros() -> bytes:
    """Return a file whose block ends with zeros in threes of sixteen; no code says so otherwise."""
    ac = HuffmanTable(bytes([0, 2, *[0] * 14]), b"\xe1\xf0")
    dc = HuffmanTable(bytes([1, *[0] * 15]), b"\0")
    parts = [part for part in made(8, 8).parts if isinstance(part, Segment) and part.marker != 0xC4]
    tables = Segment(0xC4, dc.to_bytes(0, 0) + ac.to_bytes(1, 0))
    start = b"".join(part.to_bytes() for part in (tables, *parts))
    start += scan_segment((0,), 0, 63, 0, 0).to_bytes()
    # a mean of 0, a coefficient of 1 behind 14 zeros, and three times sixteen zeros
    return b"\xff\xd8" + start + int("0001010101111111", 2).to_bytes(2, "big") + b"\xff\xd9"


def sampled(*samplings: tuple[int, int]) -> JpegFile:
    """Return a file with these samplings, each component in scans of its own."""
    script = [
        ((n,), *band) for n in range(len(samplings)) for band in ((0, 0, 0, 0), (1, 63, 0, 0))
    ]
    return made(17, 9, samplings=samplings, script=script)


FILES: dict[str, Callable[[], JpegFile | bytes]] = {
    "gray, 937 and 938 corrections": lambda: corrected(*[63] * 14, 55, 63, *[63] * 14, 56, 63, 63),
    # The last run has the longest code.
    "gray, a break at which corrections count anew": lambda: corrected(
        *[63] * 40, *[0] * 20, breaks=[15]
    ),
    "colors, means of fillers in part": refined_means,
    "a table without a code": coded_zeros,
    "gray, sampled four times": lambda: made(9, 9, samplings=[(4, 4)]),
    "colors, sampled four times": lambda: sampled((4, 1), (1, 4), (2, 2)),
}


def plain_of(label: str) -> bytes:
    """Return the plain file of a case."""
    file = FILES[label]()
    return file if isinstance(file, bytes) else file.to_bytes()


def main() -> None:
    """Append what is missing; `tests.vectors.generate` fills in the rest of each case."""
    path = VECTORS / "jpegs.json"
    content: Any = json.loads(path.read_text(encoding="ascii"))
    there = {case["label"] for case in content["cases"]}
    for label in FILES:
        if label not in there:
            case: Case = {"label": label, "salt": SALT.hex(), "rounds": None}
            case |= {"regions": None, "runs": None}
            content["cases"].append(case | {"plain": plain_of(label).hex()})
    path.write_text(json.dumps(content), encoding="ascii")


if __name__ == "__main__":
    main()

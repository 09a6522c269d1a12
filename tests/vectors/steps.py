"""The generators of the vectors for single steps: draws, grids, layouts, rounds, whole maps."""

import hashlib
from collections.abc import Sequence

import numpy as np

from sudokucrypt import ParametricGrid, StreamDraws, permutation
from sudokucrypt.bijections import RasterLayout
from sudokucrypt.ciphers import Part
from tests.vectors.chosen import BOUNDS, WORDS, ChosenWords, last_block
from tests.vectors.common import KEY, Case, protection, stream_for

_BOXES = {(2, 2): 4, (3, 3): 4, (4, 4): 4, (2, 3): 2, (2, 4): 2, (3, 4): 2, (5, 9): 1, (16, 16): 2}
"""Boxes, and how many grids of each; those of square boxes may be turned."""

_COUNTS = [
    *(36, 41, 48, 49, 63, 64, 80, 81, 97, 99, 100, 143, 144, 211, 323, 324, 1023, 1024),
    *(3599, 3600, 4096, 4355, 4899, 5183, 5184, 14399, 14400, 65536, 262144, 1048576),
    *(2073600, 8294400, 33177600, 2**31 - 1, 10**12 + 39),
]
"""Around squares of orders, and 5184, whose order 72 has two boxes."""

# Shapes of the frames, how many of their pixels are chosen, unit and size of a block.
_ROUNDS: list[tuple[list[list[int]], list[int] | None, str, int | None]] = [
    *(([shape], None, "pixel", None) for shape in (
        [1024, 1024], [1048576], [1, 1048575], [1048577], [64, 64], [4095], [4096], [1])),
    ([[64, 22, 3]], None, "pixel", None),
    ([[64, 22, 3]], None, "sample", None),
    ([[512, 683, 3]], None, "sample", None),
    *(([shape], None, "block", 2) for shape in (
        [2048, 2049], [2049, 2048], [2048, 2048], [8192, 1], [8193, 1], [1, 8192], [1, 1])),
    ([[3]], None, "block", 9),
    *((shapes, None, "pixel", None) for shapes in (
        [[1024, 1024], [64, 64]], [[64, 64], [1024, 1024]],
        [[1024, 1024], [1, 1]], [[1, 1], [1024, 1024]], [[1024, 1024]] * 12)),
    *(([[1024, 1024]], [chosen], "pixel", None) for chosen in (4095, 4096, 1048575, 1048576, 0)),
    *(([[1024, 1024]] * 2, chosen, "pixel", None) for chosen in ([0, 4096], [4096, 0], [0, 0])),
    ([[64, 64, 3]], [1366], "sample", None),
    ([[64, 64, 3]], [1365], "sample", None),
    ([[64, 64, 3]], [1366], "pixel", None),
]  # fmt: skip

_MAPS: list[tuple[int, int | None, bytes]] = [
    *((count, None, b"") for count in (1, 2, 15, 34, 35, 36, 37, 41, 48, 49, 63, 64)),
    *((count, None, b"\0") for count in (65, 80, 81, 97, 99, 100)),
    *((count, None, b"nonce") for count in (143, 144, 211, 1000, 4095, 4096, 4355)),
    *((count, rounds, bytes(range(16))) for count in (63, 99, 143) for rounds in (1, 2, 5)),
    *((35, rounds, b"") for rounds in (1, 255)),
    *((100, rounds, b"\x00\xff") for rounds in (1, 2, 5)),
    (20449, None, bytes(32)),
    (65536, 1, b"square"),
    (70001, 2, b"prime"),
    (1048576, None, b"the threshold"),
]


def draws() -> list[Case]:
    """Streams, integers below bounds and shuffles; chosen words; the end of a stream."""
    cases = []
    for label in ("a", "b", "rejections"):
        drawn = BOUNDS if label != "rejections" else [3 * 2**30] * 40
        source = StreamDraws(stream_for("draws", label.encode()))
        case: Case = {"label": label, "bounds": drawn}
        case["stream"] = stream_for("draws", label.encode()).read(80).hex()
        case["below"] = [source.below(bound) for bound in drawn]
        case["shuffles"] = [source.permutations([size]).tolist() for size in (1, 2, 5, 16)]
        cases.append(case)
    for bounds, words in WORDS:
        chosen = ChosenWords(words)
        below = [chosen.below(bound) for bound in bounds]
        used = chosen.used()
        cases.append(
            {"label": None, "words": words, "bounds": bounds, "below": below, "used": used}
        )
    stream = last_block(stream_for("draws", b"a")).hex()
    return [*cases, {"label": "a", "block": 2**32 - 1, "stream": stream}]


def grids() -> list[Case]:
    """Tables of drawn grids, and the digits of their first two rows."""
    cases = []
    for (p, q), count in _BOXES.items():
        for number in range(count):
            context = bytes([p, q, number])
            grid = ParametricGrid.random((p, q), StreamDraws(stream_for("grids", context)))
            case: Case = {"box": [p, q], "context": context.hex()}
            for name in ("alpha", "beta", "sigma"):
                case[name] = getattr(grid, name).tolist()
            case["digits"] = [[grid.cell(row, c) for c in range(grid.order)] for row in (0, 1)]
            cases.append(case)
    return cases


def layouts() -> list[Case]:
    """Layouts of counts, small and large ones."""
    cases = []
    for count in _COUNTS:
        layout = RasterLayout.of(count)
        cases.append({"count": count, "box": list(layout.box), "spares": layout.remainder})
    return cases


def rounds() -> list[Case]:
    """Default rounds of pictures, around the numbers of units at which they change."""
    cases = []
    for shapes, chosen, unit, block_size in _ROUNDS:
        counts = [None] * len(shapes) if chosen is None else chosen
        parts = [_part(shape, count) for shape, count in zip(shapes, counts, strict=True)]
        how = protection("scramble-v1", unit=unit, block_size=block_size, salt=None)
        case: Case = {"shapes": shapes, "unit": unit, "block_size": block_size, "chosen": chosen}
        cases.append(case | {"rounds": how.draft(parts, KEY).rounds})
    return cases


def _part(shape: Sequence[int], chosen: int | None) -> Part:
    pixels = np.broadcast_to(np.uint8(0), tuple(shape))
    if chosen is None:
        return Part(pixels=pixels)
    where = np.arange(shape[0] * shape[1]).reshape(shape[:2]) < chosen
    return Part(pixels=pixels, where=where)


def permutations() -> list[Case]:
    """Whole public maps: as numbers when short, else as SHA-256 of 64-bit little-endian ones."""
    cases = []
    for count, chosen, nonce in _MAPS:
        perm = permutation(count, KEY, nonce=nonce, rounds=chosen)
        case: Case = {"count": count, "rounds": chosen, "nonce": nonce.hex()}
        digest = hashlib.sha256(perm.astype("<i8").tobytes()).hexdigest()
        case["permutation"] = perm.tolist() if count <= 100 else f"sha256:{digest}"
        cases.append(case)
    return cases

"""Make the golden vectors: ``python -m tests.vectors.generate`` rewrites the JSON files.

Each file holds cases with the input and what the package made of it. The tests regenerate them
byte for byte, and confirm them by the reference that was written from the specification alone.
Once landed, a vector changes only with a new version of its scheme.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from sudokucrypt import Key, ParametricGrid, StreamDraws, permutation
from sudokucrypt.bijections import RasterLayout
from sudokucrypt.ciphers import SCRAMBLE, ContextScheme
from sudokucrypt.recipes.parts import Protection, protect_image
from tests.vectors.accept import accept
from tests.vectors.accept_wholes import accept_pictures
from tests.vectors.common import KEY, SALT, Case, bytes_or_digest, plain_image
from tests.vectors.encryptions import encryptions
from tests.vectors.reject import reject
from tests.vectors.reject_wholes import reject_pictures
from tests.vectors.wholes import frames, regions

FOLDER = Path(__file__).parent


def keys() -> list[Case]:
    """Text, id and subkeys of keys."""
    secrets = [bytes(32), bytes(range(32)), b"\xff" * 32, bytes(range(0, 256, 8))]
    cases = []
    for secret in secrets:
        key = Key(secret)
        case = {"secret": secret.hex(), "text": key.to_text(), "id": key.id}
        case["tag"] = key.subkey("tag").hex()
        case["permutation"] = key.subkey("permutation", b"\0\1").hex()
        case["context"] = key.subkey("context", b"").hex()
        cases.append(case)
    return cases


def draws() -> list[Case]:
    """Streams, integers below bounds and shuffles."""
    bounds = [1, 2, 3, 10, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 6670903752021072936960, 7]
    cases = []
    for label in ("a", "b", "rejections"):
        drawn = bounds if label != "rejections" else [3 * 2**30] * 40
        source = StreamDraws(KEY.stream("draws", label.encode()))
        case: Case = {"label": label, "bounds": drawn}
        case["stream"] = KEY.stream("draws", label.encode()).read(80).hex()
        case["below"] = [source.below(bound) for bound in drawn]
        case["shuffles"] = [source.permutations([size]).tolist() for size in (1, 2, 5, 16)]
        cases.append(case)
    return cases


def grids() -> list[Case]:
    """Tables of drawn grids, and the digits of their first two rows."""
    cases = []
    for box in [(2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 9), (16, 16)]:
        source = StreamDraws(KEY.stream("grids", bytes(box)))
        grid = ParametricGrid.random(box, source)
        case: Case = {"box": list(box)}
        for name in ("alpha", "beta", "sigma"):
            case[name] = getattr(grid, name).tolist()
        case["digits"] = [[grid.cell(row, c) for c in range(grid.order)] for row in (0, 1)]
        cases.append(case)
    return cases


def layouts() -> list[Case]:
    """Layouts of counts, small and large ones."""
    counts = [36, 41, 63, 64, 97, 143, 211, 224, 4096, 4355, 65536, 262144, 2073600, 8294400]
    cases = []
    for count in [*counts, 33177600, 2**31 - 1, 10**12 + 39]:
        layout = RasterLayout.of(count)
        cases.append(
            {"count": count, "box": list(layout.box), "rows": layout.rows, "tail": layout.tail}
        )
    return cases


def permutations() -> list[Case]:
    """Whole maps: as numbers when short, else as SHA-256 of 64-bit little-endian numbers."""
    wanted: list[tuple[int, int | None, bytes]]
    wanted = [(count, None, b"") for count in (1, 2, 15, 35, 36, 37, 48, 63)]
    wanted += [(count, None, b"nonce") for count in (97, 143, 211, 1000, 4096, 4355)]
    wanted += [(100, rounds, b"\x00\xff") for rounds in (1, 2, 5)]
    wanted += [(20449, None, bytes(32)), (65536, 1, b"square"), (70001, 2, b"prime")]
    cases = []
    for count, rounds, nonce in wanted:
        perm = permutation(count, KEY, nonce=nonce, rounds=rounds)
        case: Case = {"count": count, "rounds": rounds, "nonce": nonce.hex()}
        digest = hashlib.sha256(perm.astype("<i8").tobytes()).hexdigest()
        case["permutation"] = perm.tolist() if count <= 100 else f"sha256:{digest}"
        cases.append(case)
    return cases


def images() -> list[Case]:
    """Whole scrambled images with their headers."""
    wanted: list[Case] = [
        {"shape": [1], "dtype": "uint8"},
        {"shape": [1, 1, 3], "dtype": "float64"},
        {"shape": [40], "dtype": "uint8", "unit": "block", "block_size": 3},
        {"shape": [5, 7], "dtype": "bool"},
        {"shape": [6, 6], "dtype": "uint8"},
        {"shape": [8, 9, 3], "dtype": "uint8"},
        {"shape": [8, 9, 3], "dtype": "uint8", "salt": None},
        {"shape": [8, 9, 3], "dtype": "uint8", "unit": "sample"},
        {"shape": [8, 9, 3], "dtype": "uint8", "rounds": 1},
        {"shape": [10, 11], "dtype": "uint16"},
        {"shape": [10, 11, 2], "dtype": "int64", "unit": "sample"},
        {"shape": [26, 31, 3], "dtype": "uint8", "unit": "block", "block_size": 4},
        {"shape": [48, 64, 4], "dtype": "uint16", "unit": "block", "block_size": 8, "rounds": 2},
        {"shape": [3, 2, 1], "dtype": "uint8", "unit": "block", "block_size": 16},
        {"shape": [64, 64, 3], "dtype": "uint8"},
        {"shape": [200, 150, 3], "dtype": "float32"},
        {"shape": [512, 683, 3], "dtype": "uint8", "rounds": 1},
        {"shape": [12, 13, 3], "dtype": "uint8", "context": "caf\u00e9", "salt": None},
        {
            "shape": [13, 14],
            "dtype": "int32",
            "unit": "block",
            "block_size": 2,
            "context": "e\u0301",
            "salt": None,
        },
    ]
    cases = []
    for number, options in enumerate(wanted):
        case: Case = {"label": f"image {number}", "unit": "pixel", "block_size": None}
        case |= {"rounds": None, "context": None, "salt": SALT.hex()} | options
        image = plain_image(case["label"], case["shape"], case["dtype"])
        result = protect_image(
            image,
            KEY,
            Protection(
                unit=case["unit"],
                block_size=case["block_size"],
                rounds=case["rounds"],
                scheme=SCRAMBLE if case["context"] is None else ContextScheme(case["context"]),
                salt=None if case["salt"] is None else bytes.fromhex(case["salt"]),
            ),
        )
        case["plain"] = bytes_or_digest(image.tobytes())
        case["header"] = result.header.to_bytes().decode()
        case["scrambled"] = bytes_or_digest(result.pixels.tobytes())
        cases.append(case)
    return cases


KINDS = {
    "keys": keys,
    "draws": draws,
    "grids": grids,
    "layouts": layouts,
    "permutations": permutations,
    "images": images,
    "encryptions": encryptions,
    "accept": accept,
    "reject": reject,
    "frames": frames,
    "regions": regions,
    "accept_pictures": accept_pictures,
    "reject_pictures": reject_pictures,
}


def text_of(kind: str) -> str:
    """Return the content of one vector file: one case a line."""
    make = KINDS[kind]
    lines = ",\n".join(f"  {json.dumps(case, ensure_ascii=True)}" for case in make())
    about = json.dumps(f"{make.__doc__} Key 00..1f. Made by tests/vectors/generate.py.")
    return f'{{"about": {about},\n "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    for name in KINDS:
        (FOLDER / f"{name}.json").write_text(text_of(name), encoding="ascii")

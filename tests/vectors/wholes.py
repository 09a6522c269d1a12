"""The generators of the vectors for pictures of several frames, with a meaning, or in parts."""

from __future__ import annotations

from typing import Any

from tests.vectors.common import SALT, Case, bytes_or_digest
from tests.vectors.whole import PICTURES, little, whole

_CONTEXT = "caf\u00e9"
_REGIONS = [[0, 0, 2, 3], [1, 2, 4, 4], [1, 2, 4, 4]]


def _case(name: str, **options: Any) -> Case:
    """Return a case: a picture, what was chosen, and what came of it."""
    choices: Case = {"scheme": "encrypt-v1", "unit": "pixel", "block_size": None, "rounds": None}
    choices |= {"context": None, "salt": SALT.hex(), "regions": None, "runs": None} | options
    if choices["context"] is not None:
        choices |= {"scheme": "scramble-context-v1", "salt": None}
    given = {
        **choices,
        "salt": None if choices["salt"] is None else bytes.fromhex(choices["salt"]),
        "regions": choices["regions"] and tuple(map(tuple, choices["regions"])),
        "runs": choices["runs"] and tuple(choices["runs"]),
    }
    made = whole(name, **given)
    line, _, blobs = (made.extras or b"").partition(b"\n")
    return {
        "label": name,
        **choices,
        "line": None if made.extras is None else line.decode("ascii"),
        "blobs": None if made.extras is None else blobs.hex(),
        "frames": [
            {
                "shape": list(plain.shape),
                "dtype": plain.dtype.name,
                "plain": bytes_or_digest(little(plain)),
                "protected": bytes_or_digest(little(pixels)),
            }
            for plain, pixels in zip(made.plain, made.frames, strict=True)
        ],
        "header": made.header.to_bytes().decode(),
    }


def frames() -> list[Case]:
    """Whole protected pictures of one or more frames with their descriptions and headers."""
    cases = [_case(name) for name in PICTURES]
    cases += [_case(name, scheme="scramble-v1") for name in ("pages", "animation", "sealed")]
    cases += [_case(name, context=_CONTEXT) for name in ("pages", "animation", "two bits")]
    cases += [
        _case("pages", scheme="scramble-v1", unit="sample", salt=None),
        _case("equal", scheme="scramble-v1", unit="block", block_size=2),
        _case("equal", context=_CONTEXT, unit="block", block_size=4, rounds=1),
        _case("equal", salt=None, rounds=3),
    ]
    return cases


def regions() -> list[Case]:
    """Pictures of which only some pixels are protected, with their headers."""
    cases = []
    for scheme in ("encrypt-v1", "scramble-v1"):
        cases += [_case(name, scheme=scheme, regions=_REGIONS) for name in ("plain", "pages")]
        cases += [
            _case("plain", scheme=scheme, runs=[0, 5, 30, 1, 6]),
            _case("plain", scheme=scheme, runs=[42]),
            _case("plain", scheme=scheme, runs=[0, 42]),
            _case("animation", scheme=scheme, regions=[[0, 0, 8, 10]]),
            _case("animation", scheme=scheme, regions=[[7, 9, 1, 1]]),
            _case("animation", scheme=scheme, runs=[3, 40, 20, 17]),
        ]
    cases += [
        _case("pages", scheme="scramble-v1", unit="sample", regions=[[0, 1, 7, 5]], salt=None),
        _case("two bits", regions=[[2, 0, 4, 8]], rounds=255),
        _case("plain", context=_CONTEXT, regions=_REGIONS),
        _case("animation", context=_CONTEXT, unit="sample", runs=[0, 80]),
    ]
    return cases

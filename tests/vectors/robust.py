"""The generator of the vectors for robust pictures: sheets, and what damaged ones give back."""

import numpy as np

from sudokucrypt.robust import scramble_robustly, unscramble_robustly
from sudokucrypt.typing import AnyArray
from tests.vectors.common import KEY, Case, bytes_or_digest, plain_bytes, plain_image

_SHAPES = [(1, 1), (1, 1, 3), (8, 8), (9, 7, 3), (16, 16, 3), (17, 33, 3), (40, 26), (5, 300, 3),
           (64, 80, 3), (97, 161, 3)]  # fmt: skip


def robust() -> list[Case]:
    """Robust pictures: the sheet, and what a sheet with changed low bits is restored to."""
    cases = []
    for number, shape in enumerate(_SHAPES):
        label, salt = f"robust {number}", bytes([number]) * 16
        plain = plain_image(label, shape, "uint8")
        made = scramble_robustly(plain, KEY, salt=salt, profile=7 * number)
        back = unscramble_robustly(damaged(made.samples, label), KEY, made.header)
        case: Case = {"label": label, "shape": list(shape), "salt": salt.hex()}
        case |= {"dtype": "uint8", "plain": _bytes(plain), "profile": 7 * number}
        case |= {"header": made.header.to_bytes().hex()}
        case |= {"sheet": list(made.samples.shape), "samples": _bytes(made.samples)}
        case["restored"] = _bytes(back)
        cases.append(case)
    return cases


def damaged(samples: AnyArray, label: str) -> AnyArray:
    """Return a sheet whose three lowest bits are changed by those of the plain bytes of a label."""
    noise = np.frombuffer(plain_bytes(f"damage of {label}", samples.size), np.uint8)
    return np.asarray(samples ^ (noise & 7).reshape(samples.shape))


def _bytes(samples: AnyArray) -> str:
    return bytes_or_digest(samples.tobytes())

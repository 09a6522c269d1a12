"""What the vectors of robust pictures say, asked of the reference alone."""

from typing import Any

from tests.kit.reference import robust
from tests.kit.replay_parts import SECRET, agree, hex_or_digest, plain_of

Case = dict[str, Any]


def check_robust(case: Case) -> None:
    """Fail unless header, sheet and what comes back from a damaged one are those of the case."""
    plain, (rows, columns, *colors) = plain_of(case), case["shape"]
    size = len(plain) // (rows * columns)
    agree("channels", size, *(colors or [1]))
    pixels = [tuple(plain[i : i + size]) for i in range(0, len(plain), size)]
    picture = [pixels[i : i + columns] for i in range(0, len(pixels), columns)]
    salt = bytes.fromhex(case["salt"])
    header, sheet = robust.scramble(picture, SECRET, salt=salt, profile=case["profile"])
    agree("header", header.hex(), case["header"])
    agree("shape of the sheet", [len(sheet), len(sheet[0])], case["sheet"])
    samples = bytes(sample for row in sheet for sample in row)
    agree("sheet", hex_or_digest(samples), case["samples"])
    noise = _noise(case, len(samples))
    damaged = [sample ^ (byte & 7) for sample, byte in zip(samples, noise, strict=True)]
    wide = len(sheet[0])
    received = [damaged[i : i + wide] for i in range(0, len(damaged), wide)]
    back = robust.restore(received, header, SECRET)
    restored = bytes(sample for row in back for pixel in row for sample in pixel)
    agree("restored", hex_or_digest(restored), case["restored"])


def _noise(case: Case, size: int) -> bytes:
    label = f"damage of {case['label']}"
    return plain_of({"label": label, "shape": [size], "dtype": "uint8", "plain": None})

"""What the vectors of redacted pictures say, asked of the reference alone."""

import struct
import zlib
from typing import Any

from tests.kit.reference import RefusedError, redaction
from tests.kit.replay_jpegs import planes_of
from tests.kit.replay_parts import agree

Case = dict[str, Any]


def check_redaction(case: Case) -> None:
    """Fail unless the reference lifts all layers of a case to the very file."""
    package = redaction.package_in(bytes.fromhex(case["redacted"]))
    agree("lifted file", _lifted(case, package).hex(), case["plain"])


def check_rejected_redaction(case: Case) -> None:
    """Fail unless the reference refuses a package that was changed, or a picture that was."""
    try:
        _lifted(case, bytes.fromhex(case["package"]))
    except (RefusedError, zlib.error, struct.error):
        return
    raise AssertionError("accepted")


def _lifted(case: Case, package: bytes) -> bytes:
    keys = [bytes.fromhex(key) for key in case["keys"]]
    if "coefficients" in case:
        redacted = bytes.fromhex(case["redacted"])
        return redaction.lift_jpeg(redacted, planes_of(case["coefficients"]), keys)
    pixels, size = bytes.fromhex(case["pixels"]), case["sample_bytes"]
    rows, columns = case["canvas"]
    width = len(pixels) // (rows * columns)
    samples = [pixels[at : at + width] for at in range(0, len(pixels), width)]
    return redaction.lift_samples(package, keys, samples, case["head"], size)[0]

"""The vectors of redacted pictures: the package lifts them, or refuses them."""

import numpy as np
import pytest

from sudokucrypt import Key, SudokucryptError
from sudokucrypt.images.attachments import with_attachment
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from tests.images import builders as b
from tests.kit.replay import load
from tests.recipes.redacting import lifted
from tests.vectors.common import Case, faults


def _keys(case: Case) -> list[Key]:
    return [Key(bytes.fromhex(key)) for key in case["keys"]]


def _lift(case: Case) -> None:
    redacted, plain = (bytes.fromhex(case[name]) for name in ("redacted", "plain"))
    assert lifted(redacted, *_keys(case)) == plain
    for key in _keys(case)[: len(case["keys"]) - 1]:
        assert lifted(redacted, key) not in (plain, redacted)


def _lift_second(case: Case) -> None:
    _lift(case)
    redacted = bytes.fromhex(case["redacted"])
    assert open_medium(redacted, "x", None).manner == case["manner"]
    if "partial" in case:
        part = open_medium(lifted(redacted, _keys(case)[0]), "x", None)
        pixels = part.picture.pixels
        little = pixels.astype(pixels.dtype.newbyteorder("<"))
        assert (part.manner, little.tobytes().hex()) == (case["manner"], case["partial"])


def _refuse(case: Case) -> None:
    pixels = np.frombuffer(bytes.fromhex(case["pixels"]), np.uint8).reshape(case["canvas"])
    package = bytes.fromhex(case["package"])
    with pytest.raises(SudokucryptError):
        lifted(with_attachment(b.png_of(pixels), package), *_keys(case))


def _refuse_second(case: Case) -> None:
    with pytest.raises(SudokucryptError):
        lifted(bytes.fromhex(case["redacted"]), *_keys(case))


def test_redactions_are_lifted() -> None:
    """All keys give the very file, and some another one."""
    assert not faults(load("redactions"), _lift)
    assert not faults(load("redactions_v2"), _lift_second)


def test_changed_redactions_are_refused() -> None:
    """Nothing comes of a package or a picture that was changed."""
    assert not faults(load("reject_redactions"), _refuse)
    assert not faults(load("reject_redactions_v2"), _refuse_second)

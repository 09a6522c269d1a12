"""The engine of the page agrees with the package on vectors, and on files that were changed."""

import json
import random
import re
import zlib
from typing import Any

import numpy as np
import pytest

from sudokucrypt import Key, decrypt_bytes, encrypt_bytes, scramble_bytes, unscramble_bytes
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import decode_picture
from tests.images.builders import encoded, noise
from tests.kit.replay import VECTORS
from tests.page.conftest import REPLAY
from tests.reports.browser import BROWSER, Page

pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")
KEY = Key(bytes(range(32)))
KINDS = re.findall(
    r"\b(\w+)(?:: \w+)?,", REPLAY.partition("const CHECKS = {")[2].partition("};")[0]
)
ELSEWHERE = {"cards", "jpegs", "accept_jpegs", "reject_jpegs", "robust"}
"""Vectors of what the page does not do."""

SKIPPED = {"draws": 19, "containers": 58}
"""Cases that the page is not asked: bounds above 2^32, and other containers."""


def test_every_kind_of_vector_is_asked() -> None:
    """A new file of vectors is for the page, or named as one of what it does not do."""
    assert {path.stem for path in VECTORS.glob("*.json")} == {*KINDS} | ELSEWHERE


@pytest.mark.parametrize("kind", KINDS)
def test_vectors(engine: Page, kind: str) -> None:
    """What is accepted and refused, and every byte that is made, are those of the specification."""
    cases = json.loads((VECTORS / f"{kind}.json").read_text(encoding="ascii"))["cases"]
    result = engine.value(f"replay({kind!r}, {json.dumps(cases)})")
    assert result == {"failures": [], "skipped": SKIPPED.get(kind, 0)}


def _restored(engine: Page, data: bytes) -> Any:
    """Return what the page makes of a file, in hexadecimal digits, or none."""
    script = """(async (file, key) => {
        try {
            const secret = await secretOfText(key);
            return hex((await restore(unhex(file), null, [secret])).bytes);
        } catch (error) {
            if (error instanceof Refused) return null;
            throw error;
        }
    })"""
    return engine.value(f"{script}({data.hex()!r}, {KEY.to_text()!r})")


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_changed_files_are_refused_by_both(engine: Page, seed: int) -> None:
    """The page never shows what the package refuses, nor refuses what it restores."""
    chance = random.Random(seed)  # noqa: S311
    plain = encoded(noise(12, 9, 3), "PNG")
    file, pixels = encrypt_bytes(b"a file " * 20, KEY), encrypt_bytes(plain, KEY, as_file=False)
    scrambled = scramble_bytes(plain, KEY)
    for turn in range(2000 if seed else 60):
        made = (file, pixels, scrambled)[turn % 3]
        decrypt = unscramble_bytes if made is scrambled else decrypt_bytes
        changed = bytearray(made)
        for _ in range(chance.randint(0, 2)):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        if chance.random() < 0.1:
            del changed[chance.randrange(len(changed)) :]
        if chance.random() < 0.5:
            repair(changed)
        try:
            expected: bytes | None = decrypt(bytes(changed), KEY)
        except SudokucryptError:
            expected = None
        result = _restored(engine, bytes(changed))
        assert (result is None) == (expected is None), (seed, turn)
        if expected is not None and made is file:
            assert result == expected.hex()
        elif expected is not None:
            shown = decode_picture(bytes.fromhex(result)).pixels
            assert np.array_equal(shown, decode_picture(expected).pixels)


def repair(data: bytearray) -> None:
    """Give the chunks of a PNG right checksums, so that what is in them is looked at."""
    offset = 8
    while offset + 12 <= len(data):
        length = int.from_bytes(data[offset : offset + 4], "big")
        end = offset + 8 + length
        if end + 4 > len(data):
            return
        data[end : end + 4] = zlib.crc32(data[offset + 4 : end]).to_bytes(4, "big")
        offset = end + 4

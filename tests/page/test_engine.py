"""The engine of the page agrees with the package on vectors, and on files that were changed."""

import json
import random
import re
import zlib
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sudokucrypt import Key, decrypt_bytes, encrypt_bytes, scramble_bytes, unscramble_bytes
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import decode_picture
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise
from tests.reports.browser import Page
from tests.vectors.common import write_little

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.programs("chromium")
KEY = Key(bytes(range(32)))
EARLIER = Path(__file__).parents[1] / "data" / "v1_1"
EARLIER_FILES = json.loads((EARLIER / "index.json").read_text(encoding="utf-8"))


def _answer(engine: Page, data: bytes) -> Any:
    """Return what the page makes of a file: hexadecimal digits, and perhaps why it refuses."""
    script = """(async (file, key) => {
        try {
            const [secret] = await secretsOfTexts([key]);
            return [hex((await restore(unhex(file), null, [secret])).bytes), ""];
        } catch (error) {
            if (error instanceof Refused) return [null, error.message];
            throw error;
        }
    })"""
    return engine.value(f"{script}({data.hex()!r}, {KEY.to_text()!r})")


def restore_file(engine: Page, data: bytes) -> Any:
    """Return what the page makes of a file, in hexadecimal digits, or none."""
    return _answer(engine, data)[0]


def _opened_elsewhere(about: dict[str, Any]) -> bool:
    """Whether the page leaves a file to the command line."""
    name = str(about["file"])
    return about["recipe"] == "robust" or (about["recipe"] != "redact" and name.endswith(".tiff"))


@pytest.mark.parametrize("about", EARLIER_FILES, ids=lambda about: about["file"])
def test_files_of_1_1(engine: Page, about: dict[str, Any]) -> None:
    """Stills, files and redactions are opened; what left is refused by the name of its feature."""
    result, message = _answer(engine, (EARLIER / about["file"]).read_bytes())
    if _opened_elsewhere(about):
        wanted = "is not protected" if about["recipe"] == "robust" else "use the command line"
        assert wanted in message
    elif "earlier" in about:
        pattern = "made by an earlier version with .*: restore it with version 1[.]1[.]0"
        assert re.fullmatch(pattern, message)
    elif "sha256" in about:
        assert sha256(bytes.fromhex(result)).hexdigest() == about["sha256"]
    else:
        samples = write_little(decode_picture(bytes.fromhex(result)).pixels)
        assert sha256(samples).hexdigest() == about["sha256_of_samples"]


def test_files_of_every_kind(engine: Page) -> None:
    """What the package makes of 60 PNG files, in all of its modes, is restored alike."""
    names = [name for name in GALLERY if name.endswith(".png")]
    ways: tuple[Callable[[bytes], bytes], ...] = (
        lambda data: encrypt_bytes(data, KEY, as_file=False),
        lambda data: encrypt_bytes(data, KEY, name="a.png", as_file=True, pad=True),
        lambda data: scramble_bytes(data, KEY),
        lambda data: scramble_bytes(data, KEY, unit="block", block_size=4),
        lambda data: scramble_bytes(data, KEY, unit="sample", rounds=1),
    )
    count = 0
    for index, name in enumerate(names * 3):
        data, way = GALLERY[name], index % len(ways)
        try:
            actual = ways[way](data)
        except SudokucryptError:  # pixels are protected of stills only
            continue
        result = bytes.fromhex(restore_file(engine, actual))
        count += 1
        restore = decrypt_bytes if way < 2 else unscramble_bytes
        expected = restore(actual, KEY)
        if way == 1:
            assert result == expected == data, name
        else:
            shown = decode_picture(result).pixels
            assert np.array_equal(shown, decode_picture(expected).pixels), name
    assert count >= 60


def test_files_made_by_the_engine(engine: Page) -> None:
    """The package decrypts 60 files of many sizes, padded or not, to the very bytes and names."""
    script = """(async (size, key) => {
        const [secret] = await secretsOfTexts([key]);
        const bytes = Uint8Array.from({ length: size }, (_, i) => i * i + size);
        const source = { name: `${size}.bin`, type: "", time: null, bytes };
        return hex((await protect(source, secret, { pad: size % 2 === 1 })).bytes);
    })"""
    for size in [*range(40), *(2**power + 3 for power in range(5, 17)), *range(700, 708)]:
        result = bytes.fromhex(engine.value(f"{script}({size}, {KEY.to_text()!r})"))
        assert decrypt_bytes(result, KEY) == bytes((i * i + size) % 256 for i in range(size))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_changed_files_are_refused_by_both(engine: Page, seed: int) -> None:
    """The page never shows what the package refuses, nor refuses what it restores."""
    chance = random.Random(seed)  # noqa: S311
    plain = encode_array(noise(12, 9, 3), "PNG")
    file, pixels = encrypt_bytes(b"a file " * 20, KEY), encrypt_bytes(plain, KEY, as_file=False)
    scrambled = scramble_bytes(plain, KEY)
    for turn in range(2000 if seed else 60):
        actual = (file, pixels, scrambled)[turn % 3]
        decrypt = unscramble_bytes if actual is scrambled else decrypt_bytes
        changed = bytearray(actual)
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
        result = restore_file(engine, bytes(changed))
        assert (result is None) == (expected is None), (seed, turn)
        if expected is not None and actual is file:
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

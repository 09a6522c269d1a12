"""Engine and package agree on files of version 1.1, random files and damaged files."""

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
EARLIER_FOLDER = Path(__file__).parents[1] / "data" / "v1_1"
EARLIER_FILES = json.loads((EARLIER_FOLDER / "index.json").read_text(encoding="utf-8"))


def _restore(engine: Page, data: bytes) -> Any:
    """Return the result of the engine for a file in hexadecimal digits, or its refusal."""
    script = """(async (file, key) => {
        try {
            const [secret] = await readSecrets([key]);
            return [hex((await restore(unhex(file), null, [secret])).bytes), ""];
        } catch (error) {
            if (error instanceof Refused) return [null, error.message];
            throw error;
        }
    })"""
    return engine.value(f"{script}({data.hex()!r}, {KEY.to_text()!r})")


def restore_file(engine: Page, data: bytes) -> Any:
    """Return the restored content of a file in hexadecimal digits, or None."""
    return _restore(engine, data)[0]


def _is_left_to_command_line(about: dict[str, Any]) -> bool:
    """Return whether the page leaves a file of version 1.1 to the command line."""
    name = str(about["file"])
    return about["recipe"] == "robust" or (about["recipe"] != "redact" and name.endswith(".tiff"))


@pytest.mark.parametrize("about", EARLIER_FILES, ids=lambda about: about["file"])
def test_files_of_version_1_1(engine: Page, about: dict[str, Any]) -> None:
    """Files of version 1.1 are restored, or refused by the name of a removed feature."""
    result, message = _restore(engine, (EARLIER_FOLDER / about["file"]).read_bytes())
    if _is_left_to_command_line(about):
        expected_message = (
            "is not protected" if about["recipe"] == "robust" else "use the command line"
        )
        assert expected_message in message
    elif "earlier" in about:
        pattern = "made by an earlier version with .*: restore it with version 1[.]1[.]0"
        assert re.fullmatch(pattern, message)
    elif "sha256" in about:
        assert sha256(bytes.fromhex(result)).hexdigest() == about["sha256"]
    else:
        samples = write_little(decode_picture(bytes.fromhex(result)).pixels)
        assert sha256(samples).hexdigest() == about["sha256_of_samples"]


def test_files_of_every_kind(engine: Page) -> None:
    """Engine and package restore results from 60 PNG files, in all modes, equally."""
    names = [name for name in GALLERY if name.endswith(".png")]
    operations: tuple[Callable[[bytes], bytes], ...] = (
        lambda data: encrypt_bytes(data, KEY, as_file=False),
        lambda data: encrypt_bytes(data, KEY, name="a.png", as_file=True, pad=True),
        lambda data: scramble_bytes(data, KEY),
        lambda data: scramble_bytes(data, KEY, unit="block", block_size=4),
        lambda data: scramble_bytes(data, KEY, unit="sample", rounds=1),
    )
    count = 0
    for index, name in enumerate(names * 3):
        data, operation = GALLERY[name], index % len(operations)
        try:
            actual = operations[operation](data)
        except SudokucryptError:  # only still pictures can be scrambled
            continue
        result = bytes.fromhex(restore_file(engine, actual))
        count += 1
        restore = decrypt_bytes if operation < 2 else unscramble_bytes
        expected = restore(actual, KEY)
        if operation == 1:
            assert result == expected == data, name
        else:
            pixels = decode_picture(result).pixels
            assert np.array_equal(pixels, decode_picture(expected).pixels), name
    assert count >= 60


def test_files_made_by_the_engine(engine: Page) -> None:
    """The package decrypts 60 files of many sizes that the engine encrypted exactly."""
    script = """(async (size, key) => {
        const [secret] = await readSecrets([key]);
        const bytes = Uint8Array.from({ length: size }, (_, i) => i * i + size);
        const source = { name: `${size}.bin`, type: "", time: null, bytes };
        return hex((await protect(source, secret, { pad: size % 2 === 1 })).bytes);
    })"""
    for size in [*range(40), *(2**power + 3 for power in range(5, 17)), *range(700, 708)]:
        result = bytes.fromhex(engine.value(f"{script}({size}, {KEY.to_text()!r})"))
        assert decrypt_bytes(result, KEY) == bytes((i * i + size) % 256 for i in range(size))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_changed_files_are_refused_by_both(engine: Page, seed: int) -> None:
    """The engine restores a file with changed bytes exactly if the package restores it."""
    generator = random.Random(seed)  # noqa: S311
    original = encode_array(noise(12, 9, 3), "PNG")
    file, pixels = encrypt_bytes(b"a file " * 20, KEY), encrypt_bytes(original, KEY, as_file=False)
    scrambled = scramble_bytes(original, KEY)
    for turn in range(2000 if seed else 60):
        actual = (file, pixels, scrambled)[turn % 3]
        decrypt = unscramble_bytes if actual is scrambled else decrypt_bytes
        changed_file = bytearray(actual)
        for _ in range(generator.randint(0, 2)):
            changed_file[generator.randrange(len(changed_file))] ^= 1 << generator.randrange(8)
        if generator.random() < 0.1:
            del changed_file[generator.randrange(len(changed_file)) :]
        if generator.random() < 0.5:
            fix_checksums(changed_file)
        try:
            expected: bytes | None = decrypt(bytes(changed_file), KEY)
        except SudokucryptError:
            expected = None
        result = restore_file(engine, bytes(changed_file))
        assert (result is None) == (expected is None), (seed, turn)
        if expected is not None and actual is file:
            assert result == expected.hex()
        elif expected is not None:
            restored_pixels = decode_picture(bytes.fromhex(result)).pixels
            assert np.array_equal(restored_pixels, decode_picture(expected).pixels)


def fix_checksums(data: bytearray) -> None:
    """Correct the checksums of all chunks of a PNG, so that their content is examined."""
    offset = 8
    while offset + 12 <= len(data):
        length = int.from_bytes(data[offset : offset + 4], "big")
        end = offset + 8 + length
        if end + 4 > len(data):
            return
        data[end : end + 4] = zlib.crc32(data[offset + 4 : end]).to_bytes(4, "big")
        offset = end + 4

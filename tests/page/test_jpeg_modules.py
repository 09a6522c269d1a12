"""The engine's modules for JPEG read, refuse and write the same files as the package."""

import random
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import Metadata
from sudokucrypt.images.jpeg import JpegFile, JpegStructure
from sudokucrypt.images.jpeg.output import encode_visible_file
from sudokucrypt.recipes.carriers.redaction.jpeg_units import reset_fillers
from tests.images.jpeg.corpus import iterate_cjpeg_files, make_smooth, save_image
from tests.images.jpeg.made import PROGRESSION, make_file, read
from tests.page.node import run_node

pytestmark = pytest.mark.programs("node")
_READ_SCRIPT = """
    import { Blocks } from "./engine/jpeg_blocks.js";
    import { readJpeg } from "./engine/jpeg_file.js";
    import { writeJpeg } from "./engine/jpeg_output.js";
    import { fill, makeStructure, readStructure } from "./engine/jpeg_structure.js";
    import { rebuildFile, writeStructure } from "./engine/jpeg_structure.js";
    import { Refused, hex } from "./engine/bytes.js";
    import { createHash } from "node:crypto";
    const digest = (data) => createHash("sha256").update(data).digest("hex").slice(0, 16);
    const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    return argument.map((text) => {
        try {
            const file = Uint8Array.from(Buffer.from(text, "base64"));
            const jpeg = readJpeg(file);
            const blocks = new Blocks(jpeg);
            const planes = jpeg.components.map((component, i) => {
                return digest(bytesOf(blocks.get(component, i)));
            });
            const structure = makeStructure(jpeg, blocks);
            const packed = structure && writeStructure(structure);
            let again = null;
            if (structure) {
                const same = rebuildFile(readStructure(packed, jpeg), blocks);
                again = Buffer.compare(same, file) === 0;
            }
            fill(jpeg, blocks);
            const written = digest(writeJpeg(jpeg, blocks));
            return [planes, packed && hex(packed), again, written];
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            return null;
        }
    });
"""


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _read_by_package(data: bytes) -> Any:
    """Return digests of coefficients, the structure, whether it is exact, and the written file."""
    try:
        file = read(data)
    except SudokucryptError:
        return None
    if not file.complete:
        return None
    structure = JpegStructure.of_file(data, file)
    planes = [_digest(plane.astype("<i2").tobytes()) for plane in file.coefficients]
    packed = None if structure is None else structure.to_bytes()
    return [planes, packed and packed.hex(), True if packed else None, _write(file)]


def _write(file: JpegFile) -> str:
    planes = reset_fillers(file, file.coefficients)
    return _digest(encode_visible_file(file.with_coefficients(planes), Metadata()))


def _list_files() -> dict[str, bytes]:
    """Return small files of all samplings, kinds of scans and restart intervals."""
    files = {name: data for name, data in iterate_cjpeg_files() if len(data) < 3000}
    samplings = [((1, 1),), ((2, 2), (1, 1), (1, 1)), ((1, 2), (2, 1), (1, 1)), ((2, 1),) * 4]
    for rows, columns in ((1, 1), (9, 17), (33, 40)):
        for number, sampling in enumerate(samplings):
            for restart in (0, 1, 3):
                name = f"made {rows}x{columns} {number} {restart}"
                files[name] = make_file(rows, columns, sampling, restart=restart).to_bytes()
        files[f"progressive {rows}"] = make_file(rows, columns, script=PROGRESSION).to_bytes()
    files["photo"] = save_image(make_smooth(31, 33), progressive=True, comment=b"text")
    return files


def _compare(files: list[bytes]) -> int:
    """Return how many files both read; fail where they disagree."""
    actual: Any = run_node(_READ_SCRIPT, [b64encode(data).decode() for data in files])
    for data, result in zip(files, actual, strict=True):
        assert result == _read_by_package(data), data.hex()
    return sum(result is not None for result in actual)


def test_files_are_read_and_written_equally() -> None:
    """Engine and package give equal coefficients, structures, restored files and new files."""
    files = list(_list_files().values())
    assert _compare(files) == len(files) - 3  # those with a scan less lack bits


def test_stray_bytes_after_the_last_block() -> None:
    """Both take at most 64 bytes that mean nothing before the end, filling bytes not counted."""
    file = make_file(9, 17, ((1, 1),)).to_bytes()
    end = len(file) - 2
    files = [
        file[:end] + stray * count + fill + file[end:]
        for stray in (b"\x01", b"\x55")
        for fill in (b"", b"\xff" * 9)
        for count in (0, 1, 63, 64, 65, 66)
    ]
    assert _compare(files) == 2 * 2 * 4


def _insert(file: bytes, kind: int, body: bytes) -> bytes:
    """Return a file with another segment after its first two bytes."""
    return b"%b\xff%c%b%b%b" % (file[:2], kind, (len(body) + 2).to_bytes(2, "big"), body, file[2:])


def test_tables_of_codes_that_are_full() -> None:
    """A table of codes leaves the code of only ones unused, whatever the lengths of its codes."""
    file = make_file(9, 17, ((1, 1),)).to_bytes()
    files = []
    for counts in ([1], [2], [3], [1, 1], [1, 2], [0, 3], [0, 4], [0] * 15 + [255], [1] * 16):
        lengths = bytes(counts).ljust(16, b"\0")
        files.append(_insert(file, 0xC4, b"\x03" + lengths + bytes(sum(counts))))
    files.append(_insert(file, 0xC4, b"\x03" + bytes([1] * 15 + [2]) + bytes(17)))
    assert _compare(files) == 5


def test_the_most_tables_of_steps_in_a_segment() -> None:
    """A segment holds at most four tables of 16 bits, and no byte more."""
    file = make_file(9, 17, ((1, 1),)).to_bytes()
    small, large = b"\x03" + b"\x01" * 64, b"\x13" + b"\0\x01" * 64
    bodies = (
        small,
        large,
        4 * large,
        3 * large + small,
        7 * small,
        8 * small,
        5 * large,
        large[:-1],
    )
    assert _compare([_insert(file, 0xDB, body) for body in bodies]) == 5


def test_damaged_files_are_refused_equally() -> None:
    """Files with changed, missing or added bytes, mostly before their samples, are read equally."""
    generator = random.Random(7)  # noqa: S311
    originals = sorted(_list_files().values(), key=len)[:40]
    files = []
    for _ in range(600):
        data = bytearray(generator.choice(originals))
        head = data.index(b"\xff\xda") + 14
        for _ in range(generator.randint(1, 2)):
            position = generator.randrange(
                2, min(len(data), head if generator.random() < 0.8 else 10**9)
            )
            action = generator.random()
            if action < 0.5:
                data[position] ^= 1 << generator.randrange(8)
            elif action < 0.8:
                data[position] = generator.choice((0, 1, 2, 3, 4, 5, 0xFF, 0xD0, 0xD9))
            elif action < 0.9:
                del data[position]
            else:
                data.insert(position, generator.choice((0, 0xFF)))
        files.append(bytes(data))
    assert 100 < _compare(files) < 500

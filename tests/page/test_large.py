"""Large files through the engine: little memory, two passes over the input, and no wrong output."""

import os
import random
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import Key, decrypt_bytes, decrypt_file, encrypt_bytes, encrypt_file
from tests.page.node import run_node

pytestmark = pytest.mark.programs("node")
KEY = Key(bytes(range(32)))
SCRIPT = Path(__file__).with_name("large.js").read_text(encoding="utf-8")
MEBIBYTE = 2**20
WRONG_KEY_MESSAGE = "the key or passphrase is wrong, or the file was altered"
CHANGED_FILE_MESSAGE = "the file was changed while it was read; choose it again"


def _run_engine(task: str, source: Path, target: Path, **options: object) -> Any:
    """Return the answer of the engine about a file that it reads, and one that it writes."""
    argument = {"work": task, "source": str(source), "target": str(target), "key": KEY.to_text()}
    return run_node(SCRIPT, argument | options)


def _write_random_file(path: Path, size: int) -> bytes:
    data = random.Random(size).randbytes(size)  # noqa: S311
    path.write_bytes(data)
    return data


def _require_round_trips(folder: Path, size: int, most: int) -> None:
    """Check that package and engine restore each other's files of a size in little memory."""
    plain_file, page_file, package_file, restored_file = (
        folder / name for name in ("a.bin", "ours.png", "theirs.png", "back")
    )
    with plain_file.open("wb") as file:
        for offset in range(0, size, MEBIBYTE):
            file.write(os.urandom(min(MEBIBYTE, size - offset)))
    result = _run_engine("protect", plain_file, page_file, name="a.bin")
    assert (result["fault"], result["made"]["name"]) == (None, "a.bin.encrypted.png")
    assert result["written"] == page_file.stat().st_size
    encrypt_file(plain_file, package_file, KEY)
    results = [result]
    for source in (page_file, package_file):
        results.append(_run_engine("open", source, restored_file))
        assert results[-1]["fault"] is None
        assert results[-1]["made"]["name"] == "a.bin"
        assert _equal_files(plain_file, restored_file)
        restored_file.unlink()
    decrypt_file(page_file, restored_file, KEY)
    assert _equal_files(plain_file, restored_file)
    assert max(result["most"] for result in results) < most, results


def _equal_files(first_path: Path, second_path: Path) -> bool:
    if first_path.stat().st_size != second_path.stat().st_size:
        return False
    with first_path.open("rb") as first_stream, second_path.open("rb") as second_stream:
        while piece := first_stream.read(MEBIBYTE):
            if piece != second_stream.read(MEBIBYTE):
                return False
    return True


@pytest.mark.parametrize(
    ("size", "most"),
    [
        (20 * MEBIBYTE + 5, 250),
        pytest.param(10**9, 400, marks=pytest.mark.nightly),
    ],
)
def test_files_are_restored_both_ways(tmp_path: Path, size: int, most: int) -> None:
    """Files of 20 MB and 1 GB take at most 150 MiB of memory, including 50 MiB of Node."""
    _require_round_trips(tmp_path, size, most)


@pytest.mark.parametrize(
    "size",
    [MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE, 8 * MEBIBYTE, 8 * MEBIBYTE + 18, 16 * MEBIBYTE - 900],
)
def test_sizes_at_limits(tmp_path: Path, size: int) -> None:
    """Files whose last segment or piece is full, or has a few bytes, are restored."""
    source, target, restored_file = tmp_path / "a.bin", tmp_path / "a.png", tmp_path / "back"
    data = _write_random_file(source, size)
    options = {"pad": size % 3 == 0}
    result = _run_engine("protect", source, target, options=options)
    assert result["fault"] is None
    assert decrypt_bytes(target.read_bytes(), KEY) == data
    assert _run_engine("open", target, restored_file)["fault"] is None
    assert restored_file.read_bytes() == data


def test_other_files_are_left_to_restore(tmp_path: Path) -> None:
    """Files without segments, other programs' pictures and JPEG files are left to `restore`."""
    source, target = tmp_path / "a.bin", tmp_path / "a.png"
    _write_random_file(source, 1000)
    assert "at most 1 MiB" in _run_engine("protect", source, target)["fault"]
    for data in (encrypt_bytes(b"x" * 1000, KEY), b"\xff\xd8\xff", b"", b"\x89PNG"):
        target.write_bytes(data)
        result = _run_engine("open", target, tmp_path / "back")
        assert (result["fault"], result["made"], result["written"]) == (None, None, 0)


def test_changed_files_are_refused_before_a_byte_is_written(tmp_path: Path) -> None:
    """Changed, cut, extended and reordered files write no byte."""
    source, target, changed_path = tmp_path / "a.bin", tmp_path / "a.png", tmp_path / "changed.png"
    _write_random_file(source, 2 * MEBIBYTE + 99)
    assert _run_engine("protect", source, target)["fault"] is None
    output = target.read_bytes()
    first = output.index(b"IDAT") + 100
    positions = [20, 60, 400, first, first + MEBIBYTE, len(output) - 500, len(output) - 14]
    variants = [flip_byte(output, offset) for offset in positions]
    variants += [
        output[:offset] for offset in (9, 40, 300, first, len(output) - 12, len(output) - 1)
    ]
    for number, data in enumerate(variants):
        changed_path.write_bytes(data)
        result = _run_engine("open", changed_path, tmp_path / "back")
        assert result["written"] == 0, number
        assert result["fault"] is not None or result["made"] is None, number


def flip_byte(data: bytes, offset: int) -> bytes:
    return data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :]


def test_inputs_that_change_while_they_are_read(tmp_path: Path) -> None:
    """If the input changes between two passes, no changed segment is encrypted or written."""
    source, target, restored_file = tmp_path / "a.bin", tmp_path / "a.png", tmp_path / "back"
    _write_random_file(source, 10 * MEBIBYTE)
    result = _run_engine("protect", source, target)
    assert result["fault"] is None
    content = source.read_bytes()
    read_count = result["counted"]
    for offset, byte in ((5, content[5] ^ 1), (9 * MEBIBYTE, content[9 * MEBIBYTE] ^ 1), (3, None)):
        source.write_bytes(content)
        changes = {"read": read_count // 2 + 1, "at": offset, "byte": byte}
        result = _run_engine("protect", source, tmp_path / "b.png", changes=changes)
        assert result["fault"] == CHANGED_FILE_MESSAGE
        assert result["written"] < MEBIBYTE or offset == 9 * MEBIBYTE
    output = target.read_bytes()
    open_result = _run_engine("open", target, restored_file)
    for offset, byte in ((6 * MEBIBYTE, output[6 * MEBIBYTE] ^ 1), (9, None)):
        target.write_bytes(output)
        changes = {"read": open_result["verified"] + 3, "at": offset, "byte": byte}
        result = _run_engine("open", target, restored_file, changes=changes)
        assert result["fault"] is not None
        assert content.startswith(restored_file.read_bytes())


def test_a_sink_that_fails(tmp_path: Path) -> None:
    """The error of a failing output is reported when encrypting and decrypting."""
    source, target = tmp_path / "a.bin", tmp_path / "a.png"
    _write_random_file(source, 2 * MEBIBYTE)
    assert _run_engine("protect", source, target, room=MEBIBYTE)["fault"] == "the disk is full"
    assert _run_engine("protect", source, target)["fault"] is None
    assert _run_engine("open", target, tmp_path / "back", room=9)["fault"] == "the disk is full"


def test_blobs_are_read_and_made() -> None:
    """A browser file is read, a vanished one is reported, and only a complete result is a blob."""
    script = """
    import { Refused, sameBytes } from "./engine/bytes.js";
    import { readSecrets } from "./engine/keys.js";
    import { toBlob, openLarge, protectLarge, makeSource } from "./engine/large.js";
    const [secret] = await readSecrets([argument]);
    const bytes = Uint8Array.from({ length: 1100000 }, (_, i) => i * i);
    const source = { name: "a", type: "text/plain", time: 5n, ...makeSource(new Blob([bytes])) };
    const blob = await toBlob((write) => protectLarge(source, secret, {}, write));
    const opened = await openLarge(makeSource(blob), null, [secret]);
    const back = await toBlob((write) => opened.writeTo(write));
    const same = sameBytes(new Uint8Array(await back.arrayBuffer()), bytes);
    const { name, type, picture, notes } = opened;
    const failing = (error) => {
        return { size: 9, slice: () => ({ arrayBuffer: () => Promise.reject(error) }) };
    };
    const told = async (error) => {
        try {
            await openLarge(makeSource(failing(error)), null, [secret]);
        } catch (fault) {
            return [fault instanceof Refused, fault.message];
        }
    };
    const gone = await told(new DOMException("x", "NotFoundError"));
    const other = await told(new TypeError("y"));
    const broken = await toBlob(() => { throw new Error("z"); }).catch((e) => e.message);
    return { same, name, type, time: String(opened.time), picture, notes, gone, other, broken };
    """
    assert run_node(script, KEY.to_text()) == {
        "same": True, "name": "a", "type": "text/plain", "time": "5", "picture": False, "notes": [],
        "gone": [True, "the file cannot be read any more; choose it again"],
        "other": [False, "y"], "broken": "z",
    }  # fmt: skip


def test_a_browser_without_space() -> None:
    """If the browser has no space for a result, at its start or its end, a message says so."""
    script = """
    import { Refused } from "./engine/bytes.js";
    import { toBlob } from "./engine/large.js";
    const found = [];
    for (const room of argument) {
      globalThis.Response = class {
        constructor(stream) { this.stream = stream; }
        async blob() {
          const reader = this.stream.getReader();
          for (let i = 0; i < room && !(await reader.read()).done; i++);
          const full = new TypeError("Failed to fetch");
          await reader.cancel(full);
          throw full;
        }
      };
      const produce = async (write) => {
        for (let i = 0; i < 3; i++) await write(new Uint8Array(9));
      };
      found.push(await toBlob(produce).catch((e) => e instanceof Refused && e.message));
    }
    return found;
    """
    messages = run_node(script, [0, 1, 3, 9])
    assert isinstance(messages, list)
    assert all("no room for the result" in str(message) for message in messages), messages

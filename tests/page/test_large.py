"""Files of any size through the engine: little memory, two readings, and nothing wrong written."""

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
WRONG = "the key or passphrase is wrong, or the file was altered"
CHANGED = "the file was changed while it was read; choose it again"


def _run(work: str, source: Path, target: Path, **more: object) -> Any:
    """Return what the engine says of a file that it reads, and one that it writes."""
    given = {"work": work, "source": str(source), "target": str(target), "key": KEY.to_text()}
    return run_node(SCRIPT, given | more)


def _write(path: Path, size: int) -> bytes:
    data = random.Random(size).randbytes(size)  # noqa: S311
    path.write_bytes(data)
    return data


def _both_ways(folder: Path, size: int, most: int) -> None:
    """What either makes of a file of a size, the other one restores; memory stays flat."""
    plain, ours, theirs, back = (
        folder / name for name in ("a.bin", "ours.png", "theirs.png", "back")
    )
    with plain.open("wb") as file:
        for start in range(0, size, MEBIBYTE):
            file.write(os.urandom(min(MEBIBYTE, size - start)))
    made = _run("protect", plain, ours, name="a.bin")
    assert (made["fault"], made["made"]["name"]) == (None, "a.bin.encrypted.png")
    assert made["written"] == ours.stat().st_size
    encrypt_file(plain, theirs, KEY)
    results = [made]
    for source in (ours, theirs):
        results.append(_run("open", source, back))
        assert results[-1]["fault"] is None
        assert results[-1]["made"]["name"] == "a.bin"
        assert _same(plain, back)
        back.unlink()
    decrypt_file(ours, back, KEY)
    assert _same(plain, back)
    assert max(result["most"] for result in results) < most, results


def _same(one: Path, other: Path) -> bool:
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while piece := first.read(MEBIBYTE):
            if piece != second.read(MEBIBYTE):
                return False
    return True


@pytest.mark.parametrize(
    ("size", "most"),
    [
        (20 * MEBIBYTE + 5, 250),
        pytest.param(10**9, 400, marks=pytest.mark.nightly),
    ],
)
def test_files_go_both_ways(tmp_path: Path, size: int, most: int) -> None:
    """20 MB and 1 GB in at most 150 MiB of the whole process, of which Node takes
    50."""
    _both_ways(tmp_path, size, most)


@pytest.mark.parametrize(
    "size",
    [MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE, 8 * MEBIBYTE, 8 * MEBIBYTE + 18, 16 * MEBIBYTE - 900],
)
def test_edges(tmp_path: Path, size: int) -> None:
    """Segments and pieces that are just full, or have a few bytes."""
    source, target, back = tmp_path / "a.bin", tmp_path / "a.png", tmp_path / "back"
    data = _write(source, size)
    options = {"pad": size % 3 == 0}
    made = _run("protect", source, target, options=options)
    assert made["fault"] is None
    assert decrypt_bytes(target.read_bytes(), KEY) == data
    assert _run("open", target, back)["fault"] is None
    assert back.read_bytes() == data


def test_small_files_are_left_to_the_whole(tmp_path: Path) -> None:
    """A file without segments, another program's picture and a JPEG are for `restore`."""
    source, target = tmp_path / "a.bin", tmp_path / "a.png"
    _write(source, 1000)
    assert "at most 1 MiB" in _run("protect", source, target)["fault"]
    for data in (encrypt_bytes(b"x" * 1000, KEY), b"\xff\xd8\xff", b"", b"\x89PNG"):
        target.write_bytes(data)
        result = _run("open", target, tmp_path / "back")
        assert (result["fault"], result["made"], result["written"]) == (None, None, 0)


def test_changed_files_are_refused_before_a_byte_is_written(tmp_path: Path) -> None:
    """Bits, cuts, what is added, exchanged segments and wrong checksums."""
    source, target, changed = tmp_path / "a.bin", tmp_path / "a.png", tmp_path / "changed.png"
    _write(source, 2 * MEBIBYTE + 99)
    assert _run("protect", source, target)["fault"] is None
    whole = target.read_bytes()
    first = whole.index(b"IDAT") + 100
    places = [20, 60, 400, first, first + MEBIBYTE, len(whole) - 500, len(whole) - 14]
    variants = [flip_byte(whole, at) for at in places]
    variants += [whole[:at] for at in (9, 40, 300, first, len(whole) - 12, len(whole) - 1)]
    for number, data in enumerate(variants):
        changed.write_bytes(data)
        result = _run("open", changed, tmp_path / "back")
        assert result["written"] == 0, number
        assert result["fault"] is not None or result["made"] is None, number


def flip_byte(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def test_inputs_that_change_while_they_are_read(tmp_path: Path) -> None:
    """No changed segment is masked, and none is given out."""
    source, target, back = tmp_path / "a.bin", tmp_path / "a.png", tmp_path / "back"
    _write(source, 10 * MEBIBYTE)
    whole = _run("protect", source, target)
    assert whole["fault"] is None
    plain = source.read_bytes()
    reads = whole["counted"]
    for at, byte in ((5, plain[5] ^ 1), (9 * MEBIBYTE, plain[9 * MEBIBYTE] ^ 1), (3, None)):
        source.write_bytes(plain)
        changes = {"read": reads // 2 + 1, "at": at, "byte": byte}
        result = _run("protect", source, tmp_path / "b.png", changes=changes)
        assert result["fault"] == CHANGED
        assert result["written"] < MEBIBYTE or at == 9 * MEBIBYTE
    protected = target.read_bytes()
    opened = _run("open", target, back)
    for at, byte in ((6 * MEBIBYTE, protected[6 * MEBIBYTE] ^ 1), (9, None)):
        target.write_bytes(protected)
        changes = {"read": opened["verified"] + 3, "at": at, "byte": byte}
        result = _run("open", target, back, changes=changes)
        assert result["fault"] is not None
        assert plain.startswith(back.read_bytes())


def test_a_sink_that_fails(tmp_path: Path) -> None:
    """Its error is told as it is, both ways."""
    source, target = tmp_path / "a.bin", tmp_path / "a.png"
    _write(source, 2 * MEBIBYTE)
    assert _run("protect", source, target, room=MEBIBYTE)["fault"] == "the disk is full"
    assert _run("protect", source, target)["fault"] is None
    assert _run("open", target, tmp_path / "back", room=9)["fault"] == "the disk is full"


def test_blobs_are_read_and_made() -> None:
    """A browser's file is a source, one that went is told so, and a result is a blob or nothing."""
    script = """
    import { Refused, sameBytes } from "./engine/bytes.js";
    import { secretsOfTexts } from "./engine/keys.js";
    import { blobOf, openLarge, protectLarge, sourceOf } from "./engine/large.js";
    const [secret] = await secretsOfTexts([argument]);
    const bytes = Uint8Array.from({ length: 1100000 }, (_, i) => i * i);
    const source = { name: "a", type: "text/plain", time: 5n, ...sourceOf(new Blob([bytes])) };
    const blob = await blobOf((write) => protectLarge(source, secret, {}, write));
    const opened = await openLarge(sourceOf(blob), null, [secret]);
    const back = await blobOf((write) => opened.writeTo(write));
    const same = sameBytes(new Uint8Array(await back.arrayBuffer()), bytes);
    const { name, type, picture, notes } = opened;
    const failing = (error) => {
        return { size: 9, slice: () => ({ arrayBuffer: () => Promise.reject(error) }) };
    };
    const told = async (error) => {
        try {
            await openLarge(sourceOf(failing(error)), null, [secret]);
        } catch (fault) {
            return [fault instanceof Refused, fault.message];
        }
    };
    const gone = await told(new DOMException("x", "NotFoundError"));
    const other = await told(new TypeError("y"));
    const broken = await blobOf(() => { throw new Error("z"); }).catch((error) => error.message);
    return { same, name, type, time: String(opened.time), picture, notes, gone, other, broken };
    """
    assert run_node(script, KEY.to_text()) == {
        "same": True, "name": "a", "type": "text/plain", "time": "5", "picture": False, "notes": [],
        "gone": [True, "the file cannot be read any more; choose it again"],
        "other": [False, "y"], "broken": "z",
    }  # fmt: skip


def test_a_browser_without_room() -> None:
    """Where a browser can keep no more of a result, early or at its end, it is said in words."""
    script = """
    import { Refused } from "./engine/bytes.js";
    import { blobOf } from "./engine/large.js";
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
      found.push(await blobOf(produce).catch((error) => error instanceof Refused && error.message));
    }
    return found;
    """
    found = run_node(script, [0, 1, 3, 9])
    assert isinstance(found, list)
    assert all("no room for the result" in str(message) for message in found), found

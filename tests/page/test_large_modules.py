"""The engine's module for large files reads and writes in pieces what the package does at once."""

import hashlib
import struct
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from sudokucrypt import Identity, Key, decrypt_bytes, encrypt_bytes
from sudokucrypt.header import Header
from sudokucrypt.images.description import EmbeddedFile
from sudokucrypt.recipes.sealed import picture_key
from tests.images.builders import make_png_chunk
from tests.page.node import run_node

pytestmark = pytest.mark.programs("node")
_KEY = Key(bytes(range(32)))
_MEBIBYTE, _PIECE = 2**20, 2**23
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANGED = "the file was changed while it was read; choose it again"
_WRONG = "the key or passphrase is wrong, or the file was altered"
_CUT_OFF = "the PNG is damaged: it is cut off"
_WRONG_SUM = "the PNG is damaged: a checksum is wrong"
_WEBP = b"RIFF\4\0\0\0WEBP"
_SCRIPT = """
    import { base64, concat, hex, Refused, unbase64 } from "./engine/bytes.js";
    import { sha256 } from "./engine/hashing.js";
    import { openLarge, protectLarge } from "./engine/large.js";
    import { makeDraft, makeFields, protect } from "./engine/engine.js";
    import { describeFile } from "./engine/files.js";
    import { protectFrame } from "./engine/pictures.js";
    import { protectPng } from "./engine/png_writer.js";
    crypto.getRandomValues = (array) => array.fill(5);
    const secret = { kind: "key", bytes: Uint8Array.from({ length: 32 }, (_, i) => i) };
    const results = [];
    let kept = new Uint8Array(0);
    const makeContent = (size) => {
        if (kept.length < size) {
            kept = new Uint8Array(size);
            for (let i = 0; i < size; i++) kept[i] = i * i + (i >> 8);
        }
        return kept.slice(0, size);
    };
    const makeSource = (bytes, { read, place, left = null } = {}) => {
        let count = 0;
        return {
            size: bytes.length,
            read: async (start, end) => {
                if (count++ === read) bytes[place] ^= 1;
                const cut = count > read && left !== null;
                return bytes.slice(start, cut ? Math.min(left, end) : end);
            },
            counted: () => count,
        };
    };
    const attempt = async (run) => {
        try {
            return { fault: null, ...(await run()) };
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            return { fault: error.message };
        }
    };
"""
_PROTECT = """
    for (const { size, options: given, changes } of argument) {
        const options = { ...given, preview: given.preview ? unbase64(given.preview) : null };
        const content = makeContent(size);
        const about = { name: "a.bin", type: "application/x-a", time: 1n };
        const [written, reports] = [[], []];
        const report = (...values) => reports.push(values);
        const source = { ...about, ...makeSource(content.slice(), changes) };
        const result = await attempt(async () => {
            const made = await protectLarge(source, secret, options, async (bytes) => {
                written.push(bytes.slice());
            }, report);
            const all = await protect({ ...about, bytes: content }, secret, options);
            return {
                name: made.name, secret: hex(made.secret.bytes), kind: made.secret.kind,
                digests: made.digests.map(hex), reads: source.counted(),
                file: base64(concat(written)), whole: hex(all.secret.bytes),
            };
        });
        const length = written.reduce((sum, each) => sum + each.length, 0);
        results.push({ ...result, reports, length });
    }
    return results;
"""
_OPEN = """
    const base = unbase64(argument.base);
    for (const { start, middle, end, changes = null, sidecar = null } of argument.cases) {
        const tail = base.subarray(base.length - end);
        const file = concat([base.subarray(0, start), unbase64(middle), tail]);
        const first = makeSource(file);
        const [written, reports] = [[], []];
        const report = (...values) => reports.push(values);
        const beside = sidecar && unbase64(sidecar);
        const result = await attempt(async () => {
            const opened = await openLarge(first, beside, [secret], report);
            if (opened === null) return { opened: null };
            const { writeTo, digests, preview, time, ...about } = opened;
            if (changes) Object.assign(first, makeSource(file, changes));
            const later = await attempt(() => {
                return writeTo(async (bytes) => { written.push(bytes.slice()); }, report);
            });
            const known = { time: time && String(time), preview: preview && base64(preview) };
            const found = { ...about, ...known, digests: digests.map(hex) };
            return { opened: found, later: later.fault };
        });
        const sum = hex(await sha256(concat(written)));
        results.push({ ...result, reports, sum, lengths: written.map(({ length }) => length) });
    }
    return results;
"""


def _make_content(size: int) -> bytes:
    places = np.arange(size)
    return (places * places + (places >> 8)).astype(np.uint8).tobytes()


def _count_room(size: int) -> int:
    rows, columns = EmbeddedFile(name="a", size=size).shape
    return rows * columns


def _list_digests(data: bytes) -> list[str]:
    pieces = (data[start : start + _MEBIBYTE] for start in range(0, len(data), _MEBIBYTE))
    return [hashlib.sha256(piece).hexdigest() for piece in pieces]


def _list_reports(stages: Iterable[str], room: int) -> list[list[object]]:
    ends = [*range(_PIECE, room, _PIECE), room]
    return [[stage, end, room] for stage in stages for end in ends]


def _split_png(data: bytes) -> list[tuple[bytes, bytes]]:
    """Return kinds and bodies of chunks."""
    chunks, at = [], 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        assert data[at : at + 12 + length] == make_png_chunk(*chunks[-1])
        at += 12 + length
    return chunks


def _join(*chunks: bytes) -> bytes:
    return _SIGNATURE + b"".join(chunks)


def _get_samples(data: bytes) -> bytes:
    return b"".join(body for kind, body in _split_png(data) if kind == b"IDAT")


def test_large_files_are_written_in_pieces() -> None:
    """A file in pieces is the picture that the package restores, and opens with its own secret."""
    owner = Identity(bytes(range(1, 33)))
    room = _count_room(_PIECE)
    assert room > _PIECE
    rows: list[tuple[int, dict[str, Any]]] = [
        (1048434, {}), (1048435, {}), (_PIECE, {}), (room, {}),
        (_MEBIBYTE, {"preview": b64encode(_WEBP.ljust(800_000, b"\0")).decode()}),
        (1500001, {"pad": True, "preview": b64encode(_WEBP).decode(),
                   "recipients": [owner.recipient.to_text()]}),
    ]  # fmt: skip
    cases = [{"size": size, "options": options} for size, options in rows]
    results: Any = run_node(_SCRIPT + _PROTECT, cases)
    assert results[0] == {
        "fault": "a file of at most 1 MiB is encrypted as a whole", "reports": [], "length": 0,
    }  # fmt: skip
    for (size, options), result in list(zip(rows, results, strict=True))[1:]:
        data, content = b64decode(result["file"]), _make_content(size)
        chunks = _split_png(data)
        assert decrypt_bytes(data, owner if options.get("recipients") else _KEY) == content
        header = Header.from_bytes(next(b for k, b in chunks if k == b"iTXt").split(b"\0" * 5)[1])
        assert result["kind"] == "picture"
        assert result["secret"] == result["whole"] == picture_key(_KEY, header).to_bytes().hex()
        padded = int(np.prod(header.shape))
        assert (padded > _count_room(size)) == (size == 1500001), size
        assert result["digests"] == _list_digests(content.ljust(padded, b"\0"))
        assert result["reports"] == _list_reports(("digest", "protect"), padded)
        assert result["reads"] == 2 * -(-size // _PIECE)
        assert [kind for kind, _ in chunks[:2]] == [b"IHDR", b"iTXt"]
        assert [kind for kind, _ in chunks[2:]] == [b"IDAT"] * (len(chunks) - 3) + [b"IEND"]
        assert (result["name"], result["length"]) == ("a.bin.encrypted.png", len(data))
        lines = -(-padded // _PIECE)  # chunks: the pieces, and the header below
        assert len(chunks) - 3 == lines + (size != _MEBIBYTE)  # one that is not too long


def test_files_that_change_before_they_are_written() -> None:
    """A file that is changed or cut between the readings gives no piece of the changed content."""
    size = _PIECE + _MEBIBYTE + 9
    rows: list[tuple[dict[str, int], int]] = [
        ({"read": 2, "place": 0}, 0), ({"read": 2, "place": _PIECE - 1}, 0),
        ({"read": 3, "place": _PIECE}, 1), ({"read": 3, "place": size - 1}, 1),
        ({"read": 3, "place": 5 * _MEBIBYTE}, 2), ({"read": 2, "place": size - 1}, 1),
        ({"read": 1, "place": 0, "left": size - 1}, 0), ({"read": 0, "place": 0, "left": 9}, 0),
        ({"read": 3, "place": 0, "left": size - 1}, 1),
    ]  # fmt: skip
    cases = [{"size": size, "options": {}, "changes": changes} for changes, _ in rows]
    results: Any = run_node(_SCRIPT + _PROTECT, cases)
    for (changes, count), result in zip(rows, results, strict=True):
        assert result["fault"] == (_CHANGED if count < 2 else None), changes
        assert result["length"] // _PIECE == min(count, 1), changes


class _Variants:
    """Files that have most bytes of a base in common, and what is expected of the engine."""

    def __init__(self, base: bytes) -> None:
        self.base, self.cases, self.expected = base, list[Any](), list[Any]()

    def add(self, data: bytes, expected: object, **more: Any) -> None:
        """Add a file, and the result, its refusal, or None where it is left to others."""
        least = min(len(self.base), len(data))
        start = self._count_equal(self.base[:least], data[:least])
        rest = least - start
        end = self._count_equal(self.base[::-1][:rest], data[::-1][:rest])
        middle = b64encode(data[start : len(data) - end]).decode()
        self.cases.append({"start": start, "middle": middle, "end": end, **more})
        self.expected.append(expected)

    @staticmethod
    def _count_equal(one: bytes, other: bytes) -> int:
        same = np.frombuffer(one, np.uint8) == np.frombuffer(other, np.uint8)
        return len(same) if same.all() else int(same.argmin())

    def run(self) -> list[Any]:
        """Compare results with those expected, and return them."""
        argument = {"base": b64encode(self.base).decode(), "cases": self.cases}
        results: Any = run_node(_SCRIPT + _OPEN, argument)
        for number, (result, wanted) in enumerate(zip(results, self.expected, strict=True)):
            actual = result["fault"] or result["opened"]
            assert actual == wanted, (number, actual)
        return list(results)


def _stored(lines: bytes, *lengths: int) -> bytes:
    """Return a zlib stream of stored blocks of these lengths, and then of the longest."""
    parts, at, sizes = [b"\x78\x01"], 0, list(lengths)
    while at < len(lines) or sizes:
        size = min(sizes.pop(0) if sizes else 65535, len(lines) - at)
        last = at + size == len(lines) and not sizes
        parts.append(struct.pack("<BHH", last, size, size ^ 65535) + lines[at : at + size])
        at += size
    return b"".join(parts) + struct.pack(">I", zlib.adler32(lines))


def _chunk_samples(stream: bytes, *lengths: int) -> list[bytes]:
    """Return IDAT chunks of these lengths, and one of the rest."""
    chunks, at = [], 0
    for length in lengths:
        chunks.append(make_png_chunk(b"IDAT", stream[at : at + length]))
        at += length
    return [*chunks, make_png_chunk(b"IDAT", stream[at:])]


_SIZE = 1100001
_CONTENT = _make_content(_SIZE)
_OPENED = {
    "name": "b.bin", "type": "application/octet-stream", "size": _SIZE, "picture": False,
    "notes": [], "time": None, "preview": None,
}  # fmt: skip


def _open_content() -> tuple[bytes, bytes, bytes, bytes, dict[str, Any]]:
    """Return a file of the package, its first chunks and its lines, and what it gives."""
    data = encrypt_bytes(_CONTENT, _KEY, name="b.bin", as_file=True)
    chunks = _split_png(data)
    head, text = (make_png_chunk(*chunk) for chunk in chunks[:2])
    lines = zlib.decompress(_get_samples(data))
    room = _count_room(_SIZE)
    opened = {**_OPENED, "digests": _list_digests(_CONTENT.ljust(room, b"\0"))}
    return data, head, text, lines, opened


def _flip(data: bytes, place: int, bit: int = 1) -> bytes:
    place %= len(data)
    return data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]


_END = make_png_chunk(b"IEND")


def test_large_files_of_any_layout() -> None:
    """Samples in any chunks and stored blocks are read, and the progress and the pieces told."""
    data, head, text, lines, opened = _open_content()
    columns = int.from_bytes(head[8:12], "big")
    room = _count_room(_SIZE)
    stream = _stored(lines)
    variants = _Variants(data)
    variants.add(data, opened)
    variants.add(_join(head, text, *_chunk_samples(stream), _END), opened)
    variants.add(_join(head, text, *_chunk_samples(stream, 0, 1, 0, 2, 3, 1, 70000), _END), opened)
    variants.add(_join(head, text, *_chunk_samples(stream, len(stream) - 1, 1), _END), opened)
    odd = _stored(lines, 1, columns, 1, 0, columns + 1, 7)
    variants.add(_join(head, text, *_chunk_samples(odd), _END), opened)
    bare = lines[: room // columns * (columns + 1)]
    lower = head[:8] + struct.pack(">II", columns, room // columns) + head[16:-4]
    lower = make_png_chunk(b"IHDR", lower[8:])
    variants.add(_join(lower, text, *_chunk_samples(_stored(bare)), _END), opened)
    for less in range(-1, 10):  # the head of the chunk lies at the end of what is read for heads
        more = make_png_chunk(b"tEXt", bytes(65536 - 33 + 8 - 12 - less))
        variants.add(_join(head, more, text, *_chunk_samples(stream), _END), opened)
    sidecar = _split_png(data)[1][1].split(b"\0" * 5)[1] + b"\n"
    parts = _join(head, *_chunk_samples(stream), _END)
    variants.add(parts, opened, sidecar=b64encode(sidecar).decode())
    for result in variants.run():
        assert result["later"] is None
        assert result["sum"] == hashlib.sha256(_CONTENT).hexdigest()
        assert result["lengths"] == [_SIZE]
        assert result["reports"] == _list_reports(("verify", "restore"), room)


def test_files_that_are_left_to_restore() -> None:
    """Other layouts, filters, compression and other samples are left to the whole reading."""
    data, head, text, lines, _ = _open_content()
    columns, rows = struct.unpack(">II", head[8:16])
    chunks = _chunk_samples(_stored(lines))
    variants = _Variants(data)

    def add_head(**changes: int) -> None:
        fields = {"columns": columns, "rows": rows, "depth": 8, "color": 0, "a": 0, "b": 0,
                  "interlace": 0} | changes  # fmt: skip
        other = make_png_chunk(b"IHDR", struct.pack(">IIBBBBB", *fields.values()))
        variants.add(_join(other, text, *chunks, _END), None)

    for changes in ({"columns": columns + 1}, {"rows": rows + 1}, {"rows": rows - 1}, {"depth": 16},
                    {"color": 4}, {"interlace": 1}, {"depth": 4},
                    {"rows": _count_room(_SIZE) // columns - 1}):  # fmt: skip
        add_head(**changes)
    for kind in (b"tRNS", b"suRd", b"acTL"):
        variants.add(_join(head, text, make_png_chunk(kind, b"\0\0"), *chunks, _END), None)
    variants.add(_join(head, *chunks, _END), None)  # no header
    for place in (0, columns + 1, len(lines) - columns - 1):
        other = _stored(_flip(lines, place))
        variants.add(_join(head, text, *_chunk_samples(other), _END), None)
    streams = [
        _flip(_stored(lines), 2, 2), _stored(lines + b"\0"), _stored(lines + bytes(columns + 1)),
        _stored(lines[:-1]), _stored(lines[: -columns - 1]), _stored(lines[:-columns]),
        _stored(lines) + b"\0", _stored(lines)[:-1], _flip(_stored(lines), -1),
        _flip(_stored(lines), 0), _flip(_stored(lines), 5),
    ]  # fmt: skip
    for stream in streams:
        variants.add(_join(head, text, *_chunk_samples(stream), _END), None)
    small = encrypt_bytes(b"x" * 999, _KEY)
    for other in (small, b"", b"\x89PNG", _SIGNATURE[:7], b"\xff\xd8\xff", _flip(data, 0)):
        variants.add(other, None)
    assert all(result["lengths"] == [] for result in variants.run())


def test_large_files_that_are_refused() -> None:
    """Damaged chunks, rows and samples are refused before a byte is written."""
    data, head, text, lines, _ = _open_content()
    columns = int.from_bytes(head[8:12], "big")
    stream = _stored(lines)
    chunks = _chunk_samples(stream, 9, 70000)
    variants = _Variants(data)
    for length in (8, 9, 15, 16, 40, len(data) - 4, len(data) - 12, len(data) - 13, len(data) - 1):
        variants.add(data[:length], _CUT_OFF)
    for number in range(3):
        for place in (-1, -4):
            other = [*chunks]
            other[number] = _flip(other[number], place)
            variants.add(_join(head, text, *other, _END), _WRONG_SUM)
    for other_head in (_flip(head, -1), _flip(head, 9)):
        variants.add(_join(other_head, text, *chunks, _END), _WRONG_SUM)
    apart = [*chunks[:2], make_png_chunk(b"tEXt"), *chunks[2:]]
    variants.add(_join(head, text, *apart, _END), "the PNG is damaged: its samples are apart")
    below = "the header in the picture is another than the one below it"
    rows = _count_room(_SIZE) // columns
    for place, message in ((1, _WRONG), (columns, _WRONG), (-1, below),
                           (rows * (columns + 1) + 1, below), (rows * (columns + 1) - 1, _WRONG),
                           ):  # fmt: skip
        changed = _stored(_flip(lines, place))
        variants.add(_join(head, text, *_chunk_samples(changed), _END), message)
    for result in variants.run():
        assert result["lengths"] == []


def test_files_that_change_before_they_are_restored() -> None:
    """If a file is changed after it was verified, nothing that is changed is written."""
    _, head, text, lines, opened = _open_content()
    columns = int.from_bytes(head[8:12], "big")
    file = _join(head, text, *_chunk_samples(_stored(lines)), _END)
    start = file.index(b"IDAT") + 4 + 2 + 5
    variants = _Variants(file)
    places = (start, start + columns + 1, start + 1, start + 99, len(file) - 13, len(file) - 21)
    for place in places:
        variants.add(file, opened, changes={"read": 0, "place": place})
    variants.add(file, opened, changes={"read": 0, "place": 0, "left": start + 500})
    variants.add(file, opened, changes={"read": 0, "place": 0})  # nobody reads the start again
    results = variants.run()
    below = "the header in the picture is another than the one below it"
    faults = [_CHANGED, _CHANGED, _CHANGED, _CHANGED, _WRONG_SUM, below, _CHANGED, None]
    assert [result["later"] for result in results] == faults
    written = [[], [], [], [], [_SIZE], [_SIZE], [], [_SIZE]]
    assert [result["lengths"] for result in results] == written


_LIMITS_SCRIPT = """
    import { Refused, utf8, zeros, makeView } from "./engine/bytes.js";
    import { openLarge } from "./engine/large.js";
    import { PNG_SIGNATURE } from "./engine/png_reader.js";
    const results = [];
    for (const { lengths, kind, end } of argument) {
        const size = lengths.reduce((sum, length) => sum + 12 + length, 8);
        const file = zeros(size + (end ? 12 : 0));
        const view = makeView(file);
        const letters = makeView(utf8(kind)).getUint32(0);
        file.set(PNG_SIGNATURE);
        let at = 8;
        for (const length of lengths) {
            view.setUint32(at, length);
            view.setUint32(at + 4, letters);
            at += 12 + length;
        }
        if (end) file.set(utf8("IEND"), at + 4);
        let most = 0;
        const read = async (start, end) => {
            most = Math.max(most, end - start);
            return file.subarray(start, end);
        };
        const made = await openLarge({ size: file.length, read }, null, []).catch((error) => {
            return error instanceof Refused && error.message;
        });
        results.push([made, most]);
    }
    return results;
"""


def test_most_chunks_and_most_other_bytes() -> None:
    """Files with more than 64 MiB or 2^20 chunks beside the samples are left to others."""
    most, count = 2**26, 2**20 - 4
    cases = [
        {"lengths": [most], "kind": "tEXt", "end": True},
        {"lengths": [most + 1], "kind": "tEXt", "end": True},
        {"lengths": [most - 5, 5], "kind": "tEXt", "end": True},
        {"lengths": [most - 5, 6], "kind": "tEXt", "end": True},
        {"lengths": [0] * count, "kind": "IDAT", "end": False},
        {"lengths": [0] * (count + 1), "kind": "IDAT", "end": False},
    ]
    results: Any = run_node(_LIMITS_SCRIPT, cases)
    assert [made for made, _ in results] == [_WRONG_SUM, None, _WRONG_SUM, None, _CUT_OFF, None]
    assert [length for _, length in results[4:]] == [65536, 65536]


def test_padding_that_is_not_zero() -> None:
    """Bytes behind a file are zero in all its pieces, or the authentic file is refused."""
    script = """
        for (const { size, places } of argument) {
            const preview = unbase64("UklGRgQAAABXRUJQ");
            const about = { name: "a", size, type: "a/b", time: 7n };
            const { shape, description } = describeFile(about, { pad: true, preview });
            const data = new Uint8Array(shape[0] * shape[1]);
            for (const place of places) data[place < 0 ? data.length + place : place] = 1;
            const fields = makeFields(await makeDraft(secret, [], () => {}), shape, description);
            const frame = { shape, dtype: "uint8", data };
            const header = await protectFrame(frame, fields, secret.bytes);
            const lengths = [];
            results.push(await attempt(async () => {
                const source = makeSource(protectPng(frame, header));
                const { writeTo, preview, type, time } = await openLarge(source, null, [secret]);
                await writeTo(async (bytes) => { lengths.push(bytes.length); });
                const found = { preview: base64(preview), type, time: String(time) };
                return { lengths, ...found, room: data.length };
            }));
        }
        return results;
    """
    size = 8300000
    cases = [(size, []), (size, [size - 1]), (size, [size]), (size, [-1]), (size, [_PIECE]),
             (size, [_PIECE - 1]), (_PIECE, [_PIECE - 1]), (_PIECE + 9, [_PIECE + 8]),
             (_PIECE + 9, [_PIECE + 9])]  # fmt: skip
    results: Any = run_node(
        _SCRIPT + script, [{"size": size, "places": places} for size, places in cases]
    )
    for (size, places), result in zip(cases, results, strict=True):
        if any(place < 0 or place >= size for place in places):
            assert result == {"fault": "samples behind the file are not zero"}
            continue
        assert result["room"] > _PIECE
        assert (result["type"], result["time"]) == ("a/b", "7")
        assert b64decode(result["preview"]) == _WEBP
        ends = [min(size - start, _PIECE) for start in range(0, size, _PIECE)]
        assert result["lengths"] == ends

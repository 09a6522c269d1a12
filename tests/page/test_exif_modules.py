"""The engine's modules read metadata as the package does, and describe how pictures are shown."""

import hashlib
import itertools
import struct
import zlib
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from sudokucrypt.images import measure_png_costs
from sudokucrypt.images.orientation import read_orientation
from tests.images.builders import build_png, make_png_chunk, make_png_noise
from tests.page.node import call, run_calls, run_node

pytestmark = pytest.mark.programs("node")
_ORIENTATION, _EXIF, _PLACE, _PROGRAMS = 274, 34665, 34853, 40965
# An orientation of two numbers, which the package takes for one.
_TWO_NUMBERS = [struct.pack(f"{order}HHI", _ORIENTATION, 3, 2) for order in "<>"]


def _make_directory(order: str, *entries: tuple[int, int, int, int], following: int = 0) -> bytes:
    """Return a directory of tags, types, counts and values or positions."""
    parts = [struct.pack(f"{order}H", len(entries))]
    for tag, kind, count, value in entries:
        short = kind == 3 and count == 1
        form = f"{order}HHI" + ("HH" if short else "I")
        parts.append(struct.pack(form, tag, kind, count, value, *[0] * short))
    return b"".join([*parts, struct.pack(f"{order}I", following)])


def _make_block(order: str, *directories: bytes, start: int = 8) -> bytes:
    magic = b"II*\0" if order == "<" else b"MM\0*"
    return magic + struct.pack(f"{order}I", start) + b"".join(directories)


def _list_blocks() -> Iterator[bytes]:
    """Yield EXIF blocks with orientations of all types and counts, at places up to each end."""
    for order in "<>":
        for value in (*range(11), 255, 256, 65535):
            yield _make_block(order, _make_directory(order, (_ORIENTATION, 3, 1, value)))
        for kind, count in itertools.product((*range(15), 128, 129, 130), (0, 1, 2, 4, 5)):
            yield _make_block(order, _make_directory(order, (_ORIENTATION, kind, count, 6)))
            other = (_ORIENTATION, 3, 1, 6), (999, kind, count, 8)
            yield _make_block(order, _make_directory(order, *other))
            for tag in (_EXIF, _PLACE):
                entries = (_ORIENTATION, 3, 1, 6), (tag, kind, count, 8)
                yield _make_block(order, _make_directory(order, *entries))
        same = (_ORIENTATION, 3, 1, 5)
        yield _make_block(order, _make_directory(order, (_ORIENTATION, 3, 1, 3), same))
        yield _make_block(order, _make_directory(order, (_ORIENTATION, 4, 1, 3), same))
        for kind, count in itertools.product((1, 2, 3, 4, 5, 12, 13), range(1, 9)):
            for place in (0, 8, 31, 32, 33, 34, 36, 38, 39, 40):
                entries = same, (999, kind, count, place)
                yield _make_block(order, _make_directory(order, *entries))
        for start in (0, 1, 4, 7, 8, 9, 20, 26, 27, 2**31, 2**32 - 1):
            yield _make_block(order, _make_directory(order, same), start=start)
        for following in (0, 8, 9, 2**32 - 1):
            yield _make_block(order, _make_directory(order, same, following=following))
        yield from _list_branches(order)
        whole = _make_block(order, _make_directory(order, same, (999, 4, 1, 0)))
        yield from (whole[:length] for length in range(len(whole)))
        yield whole + b"more"
    yield b"II\0*" + bytes(30)
    yield b"Exif\0\0" + _make_block("<", _make_directory("<", (_ORIENTATION, 3, 1, 6)))


def _list_branches(order: str) -> Iterator[bytes]:
    """Yield blocks with directories in directories, which overlap, are twice there or nowhere."""
    same = (_ORIENTATION, 3, 1, 5)
    inner, empty = _make_directory(order, (999, 3, 1, 7)), _make_directory(order)
    size = 8 + len(_make_directory(order, same, (_EXIF, 4, 1, 0)))
    for place in (0, 8, size - 1, size, size + 1, size + len(inner) - 6, 2**32 - 1):
        for tag in (_EXIF, _PLACE, _PROGRAMS):
            outer = _make_directory(order, same, (tag, 4, 1, place))
            yield _make_block(order, outer, inner)
            deeper = _make_directory(order, (_PROGRAMS, 4, 1, place))
            yield _make_block(order, _make_directory(order, same, (tag, 4, 1, size)), deeper, empty)
    outer = _make_directory(order, same, (_EXIF, 4, 1, size), (_EXIF, 4, 1, size))
    yield _make_block(order, outer, inner)
    for count in (1, 2, 9, 30):
        outer = _make_directory(order, same, (_EXIF, 4, 1, 8 + 42), (_PLACE, 4, 1, 8 + 42))
        entries = [(tag, 3, 1, 0) for tag in range(count)]
        yield _make_block(order, outer, _make_directory(order, *entries))
        deep = _make_directory(order, *entries, (_PROGRAMS, 4, 1, 8 + 42))
        yield _make_block(order, outer, deep)


def test_orientations_in_exif() -> None:
    """The orientation is the one that the package reads, in blocks of any form."""
    generator = Random(8)  # noqa: S311
    blocks = [*_list_blocks()]
    for block in blocks[::29]:
        for place, byte in itertools.product(range(4, len(block)), (0, 1, 3, 8, 13, 255)):
            blocks.append(block[:place] + bytes([byte]) + block[place + 1 :])
    blocks += [bytes(generator.choices(range(9), k=40)) for _ in range(20)]
    blocks = [block for block in blocks if not any(each in block for each in _TWO_NUMBERS)]
    results = run_calls(call("orientation.readOrientation", block) for block in blocks)
    for block, result in zip(blocks, results, strict=True):
        assert result == read_orientation(block), block
    assert {*results} == {*range(1, 9)}
    assert run_calls([call("orientation.readOrientation", None)]) == [1]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest() if data else "-"


def test_metadata_of_pngs() -> None:
    """The first valid chunk of each kind counts, profiles and resolutions before the samples."""
    little, big = b"II*\0more", b"MM\0*MORE"
    xmp = b"XML:com.adobe.xmp\0\0\0\0\0"
    icc = zlib.compress(b"a profile")
    density = struct.pack(">IIB", 2, 3, 1)
    most = 2**31 - 1
    rows: list[tuple[list[tuple[str, bytes]], dict[str, object]]] = [
        ([], {}), ([("eXIf", little)], {"exif": little}), ([("eXIf", big)], {"exif": big}),
        ([("eXIf", little[:7])], {}), ([("eXIf", b"II\0*more")], {}),
        ([("eXIf", b"MM*\0more")], {}), ([("eXIf", b"x" * 8), ("eXIf", little), ("eXIf", big)],
                                         {"exif": little}),
        ([("IDAT", b""), ("eXIf", little)], {"exif": little}), ([("exif", little)], {}),
        ([("iTXt", xmp + b"one"), ("iTXt", xmp + b"two")], {"xmp": b"one"}),
        ([("iTXt", xmp)], {"xmp": b""}), ([("iTXt", xmp[:-1] + b"\1x")], {}),
        ([("tEXt", xmp + b"one")], {}), ([("IDAT", b""), ("iTXt", xmp + b"a")], {"xmp": b"a"}),
        ([("iCCP", b"n\0\0" + icc)], {"icc": b"a profile"}), ([("iCCP", b"\0\0" + icc)], {}),
        ([("iCCP", b"n" * 79 + b"\0\0" + icc)], {"icc": b"a profile"}),
        ([("iCCP", b"n" * 80 + b"\0\0" + icc)], {}), ([("iCCP", b"n\0\1" + icc)], {}),
        ([("iCCP", b"n\0\0" + icc[:-1])], {}), ([("iCCP", b"n")], {}), ([("iCCP", b"n\0")], {}),
        ([("iCCP", b"n\0\0x"), ("iCCP", b"m\0\0" + icc)], {"icc": b"a profile"}),
        ([("IDAT", b""), ("iCCP", b"n\0\0" + icc)], {}),
        ([("pHYs", density)], {"resolution": ["2", "3", "meter"]}),
        ([("pHYs", density[:-1] + b"\0")], {"resolution": ["2", "3", None]}),
        ([("pHYs", density[:-1] + b"\2")], {}), ([("pHYs", density[:-1])], {}),
        ([("pHYs", density + b"\0")], {}), ([("IDAT", b""), ("pHYs", density)], {}),
        ([("pHYs", bytes(9)), ("pHYs", density)], {"resolution": ["2", "3", "meter"]}),
    ]  # fmt: skip
    for sides in itertools.product((0, 1, most, 2**31), repeat=2):
        known: dict[str, object] = {"resolution": [*map(str, sides), None]}
        body = struct.pack(">II", *sides) + b"\0"
        rows.append(([("pHYs", body)], {} if {0, 2**31} & {*sides} else known))
    calls = []
    for chunks, _ in rows:
        given = [{"kind": kind, "body": body} for kind, body in chunks]
        calls.append(call("manner.readPngMetadata", given))
    results = run_calls(calls)
    for (chunks, wanted), result in zip(rows, results, strict=True):
        known = {name: value for name, value in result.items() if value is not None}
        assert known == wanted, chunks
    described, expected = [], []
    for result in results:
        resolution = result.get("resolution")
        shown = "-" if resolution is None else ",".join(each or "-" for each in resolution)
        described.append(call("manner.describePngManner", result))
        sums = [_hash(result.get(name) or b"") for name in ("exif", "icc")]
        expected.append(" ".join(["samples", *sums, shown]))
    assert run_calls(described) == expected


def test_metadata_of_jpegs() -> None:
    """Pieces of a profile are joined in their order if all are there, and Exif in any."""
    mark = b"ICC_PROFILE\0"

    def piece(number: int, count: int, body: bytes, marker: int = 0xE2) -> tuple[int, bytes]:
        return marker, mark + bytes([number, count]) + body

    exif, jfif = b"Exif\0\0II*\0", b"JFIF\0" + bytes(9)
    rows: list[tuple[list[tuple[int, bytes]], bytes, bytes | None]] = [
        ([], b"", b""), ([(0xE1, exif)], b"II*\0", b""), ([(0xE2, exif)], b"", b""),
        ([(0xE1, exif), (0xE1, b"Exif\0\0more")], b"II*\0more", b""),
        ([(0xE1, exif[:6])], b"", b""),
        ([(0xE1, exif[1:])], b"", b""), ([piece(1, 1, b"one")], b"", b"one"),
        ([piece(1, 1, b"")], b"", b""),
        ([piece(1, 2, b"one"), piece(2, 2, b"two")], b"", b"onetwo"),
        ([piece(2, 2, b"two"), piece(1, 2, b"one")], b"", b"onetwo"),
        ([piece(3, 3, b"3"), piece(1, 3, b"1"), piece(2, 3, b"2")], b"", b"123"),
        ([piece(2, 3, b"2"), piece(3, 3, b"3"), piece(1, 3, b"1")], b"", b"123"),
        ([piece(i, 12, bytes([i])) for i in (*range(12, 6, -1), *range(1, 7))], b"",
         bytes(range(1, 13))),
        ([piece(1, 2, b"one")], b"", None), ([piece(2, 2, b"two")], b"", None),
        ([piece(1, 1, b"one"), piece(2, 2, b"two")], b"", None), ([piece(0, 1, b"")], b"", None),
        ([piece(1, 2, b"one"), piece(1, 2, b"two")], b"", None),
        ([piece(1, 1, b"one", 0xE1)], b"", b""), ([(0xE2, mark), piece(1, 1, b"one")], b"", b"one"),
        ([(0xE2, mark + b"\1"), piece(1, 1, b"one")], b"", b"one"),
        ([(0xE0, jfif), (0xEE, b"Adobe" + bytes(6) + b"\2"), (0xE1, exif)], b"II*\0", b""),
        ([(0xE0, jfif[:-1]), (0xEE, b"Adobe" + bytes(6))], b"", b""),
        ([(0xEE, b"Adobe" + bytes(7)), (0xEE, b"Adobe" + bytes(6) + b"\1")], b"", b""),
        ([(0xEE, b"Adobe" + bytes(6)), (0xEE, b"Adobe" + bytes(6) + b"\1")], b"", b""),
        ([(0xE1, jfif), (0xEF, b"Adobe" + bytes(7)), (0xDB, b"tables")], b"", b""),
        *(([(marker, b"x" * 300), (marker, b"y")], b"", b"") for marker in
          (0xBF, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xDA, 0xDB, 0xDC, 0xDD, 0xDE)),
        ([(0xDA, b"1"), (0xC0, b"2"), (0xDD, b"3"), (0xDA, b"4")], b"", b""),
    ]  # fmt: skip
    read, described, lines = [], [], []
    for segments, metadata, profile in rows:
        given = [{"marker": marker, "body": body} for marker, body in segments]
        read.append(call("manner.readJpegMetadata", given))
        described.append(call("manner.describeJpegManner", given))
        has_jfif = any(m == 0xE0 and b[:5] == b"JFIF\0" and len(b) >= 14 for m, b in segments)
        adobe = [b[11] for m, b in segments if m == 0xEE and b[:5] == b"Adobe" and len(b) >= 12]
        heads = b"".join(
            struct.pack(">BBH", 255, m, len(b) + 2) + b
            for m, b in segments
            if m in (0xC0, 0xC1, 0xC2, 0xDD, 0xDA)
        )
        words = [_hash(metadata), _hash(profile or b""), "JFIF" if has_jfif else "-"]
        lines.append(" ".join(["jpeg", *words, f"{adobe[0]}" if adobe else "-", _hash(heads)]))
    assert run_calls(read) == [{"exif": exif, "icc": icc} for _, exif, icc in rows]
    assert run_calls(described) == lines


def test_costs_at_ends_of_pieces() -> None:
    """Bytes of lines are counted up to the end, wherever a piece of the file ends."""
    files = []
    for rows, columns in [(1, length) for length in range(1005, 1024)] + [(40, 60), (300, 200)]:
        lines = b"".join(b"\0" + row.tobytes() for row in make_png_noise(rows, columns, 0, 8))
        chunks = [make_png_chunk(b"tEXt", b"a\0" + bytes(columns))] * (columns % 3)
        files.append(build_png(columns, rows, lines, chunks_before=chunks))
        stored = make_png_chunk(b"IDAT", zlib.compress(lines, 0))
        head = files[-1][: files[-1].index(b"IDAT") - 4]
        files.append(head + stored + make_png_chunk(b"IEND"))
        pieces = [make_png_chunk(b"IDAT", zlib.compress(lines, 9)[at : at + 700])
                  for at in range(0, len(lines), 700)]  # fmt: skip
        files.append(head + b"".join(pieces) + make_png_chunk(b"IEND"))
    results = run_calls(call("costs.measurePng", file) for file in files)
    for file, actual in zip(files, results, strict=True):
        expected = measure_png_costs(file)
        assert expected.lines is not None
        assert actual["lines"] == pytest.approx(expected.lines.tolist(), abs=1e-6)
        assert (actual["others"], actual["inflated"]) == (expected.other_bytes, expected.inflated)


_CANVAS_SCRIPT = """
    import { decodeFrame } from "./engine/drawing.js";
    import { growMemory, useMemory } from "./engine/core.js";
    const images = [];
    const close = () => images.push("closed");
    globalThis.ImageData = class {
        constructor(data, ...sides) { Object.assign(this, { data, sides }); }
    };
    globalThis.createImageBitmap = async () => ({ width: 2, height: 1, close });
    globalThis.OffscreenCanvas = class {
        constructor(...sides) { images.push(sides); }
        getContext() {
            return {
                putImageData: (image, ...at) => {
                    this.image = image;
                    images.push([[...image.data], image.sides, at]);
                },
                drawImage: (_, ...box) => images.push(box),
                getImageData: (...box) => {
                    images.push(box);
                    return { data: this.image?.data ?? new Uint8ClampedArray(8) };
                },
            };
        }
    };
    await decodeFrame(new Uint8Array(1));
    const grown = argument.map(([has, end]) => {
        let buffer = new ArrayBuffer(has);
        const pages = [];
        const grow = (count) => {
            pages.push(count);
            buffer = new ArrayBuffer(has + 65536 * count);
        };
        const bytes = growMemory({ memory: { get buffer() { return buffer; }, grow } }, end);
        return [pages, bytes.length];
    });
    const cores = [];
    for (const size of [100, 2 ** 24 + 9, 100, 100]) {
        cores.push(useMemory(size, (core, memory) => [core, memory.length]));
    }
    const same = cores.slice(1).map(([core], i) => core === cores[i][0]);
    return { images, grown, sizes: cores.map(([, size]) => size), same };
"""


def test_drawings_and_memory() -> None:
    """All samples of a canvas are tried before a picture is read, and memory grows as needed."""
    page = 65536
    cases = [(page, end) for end in (0, 1, page, page + 1, 2 * page, 2 * page + 1)]
    result: Any = run_node(_CANVAS_SCRIPT, cases)
    grown = [[[max(0, -(-(end - has) // page))], max(has, -(-end // page) * page)]
             for has, end in cases]  # fmt: skip
    assert result["grown"] == grown
    assert result["sizes"] == [100, 2**24 + 9, 100, 100]
    # One core serves all calls that need little; one that has grown is used no more.
    assert result["same"] == [True, False, True]
    square, tested, read, *later = result["images"]
    assert (square, read) == ([16, 16], [0, 0, 16, 16])
    samples, sides, place = tested
    values = [255 if i % 4 == 3 else min(i * 7, 255) for i in range(1024)]
    assert (samples, sides, place) == (values, [16, 16], [0, 0])
    assert later == [[2, 1], [0, 0, 2, 1], [0, 0, 2, 1], "closed"]

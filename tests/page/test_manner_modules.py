"""The engine's modules describe how pictures are shown, and measure and draw them."""

import hashlib
import itertools
import struct
import zlib
from typing import Any

import numpy as np
import pytest

from sudokucrypt.images import measure_png_costs
from tests.images.builders import build_png, make_png_chunk, make_png_noise, noise
from tests.page.node import call, run_calls, run_node

pytestmark = pytest.mark.programs("node")


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
    mixed = np.zeros((12000, 997), np.uint8)  # so large that its pieces are longer than 256 bytes
    mixed[::2] = noise(6000, 997, 1)
    files.append(build_png(997, 12000, b"".join(b"\0" + row.tobytes() for row in mixed)))
    results = run_calls(call("costs.measurePng", file) for file in files)
    for file, actual in zip(files, results, strict=True):
        expected = measure_png_costs(file)
        assert expected.lines is not None
        assert actual["lines"] == pytest.approx(expected.lines.tolist(), abs=1e-6)
        assert (actual["others"], actual["inflated"]) == (
            expected.other_bytes,
            expected.inflated_bytes,
        )


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

"""The engine's modules for PNG and zlib give the samples and refusals that the format requires."""

import itertools
import random
import struct
import zlib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sudokucrypt.images import Picture, decode_picture, measure_png_costs
from sudokucrypt.typing import AnyArray
from tests.images.builders import (
    PNG_MODES,
    build_png,
    make_png,
    make_png_chunk,
    make_png_noise,
    make_png_stream,
    noise,
)
from tests.page.node import Call, Refusal, call, make_frame, run_calls, run_node

pytestmark = pytest.mark.programs("node")
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PALETTE = make_png_chunk(b"PLTE", bytes(i * 7 % 256 for i in range(768)))
_LIMIT = 2**28


def _damaged(what: str) -> Refusal:
    return Refusal(f"the PNG is damaged: {what}")


_CUT_OFF, _UNKNOWN_MODE = (
    _damaged("it is cut off"),
    _damaged("its IHDR chunk names an unknown mode"),
)
_UNKNOWN_METHOD = _damaged("it names an unknown method")
_NO_SAMPLES, _NO_PALETTE = (
    _damaged("it has no samples"),
    _damaged("its palette is missing, or none"),
)
_NOT_INFLATED = Refusal("the picture is damaged: its samples cannot be inflated")
_TOO_FEW = Refusal("the picture is damaged: it has too few samples")
_TOO_MANY = Refusal("the picture is damaged: it has too many samples")


def _read(data: bytes, limit: int = _LIMIT) -> Call:
    return call("png_reader.readPng", call("png_reader.readChunks", data), limit)


def _show(data: bytes) -> Call:
    return call("png_reader.showFrame", _read(data))


def _paint(data: bytes) -> dict[str, Any]:
    return make_frame(decode_picture(data).pixels)


def _join(*chunks: bytes) -> bytes:
    return _SIGNATURE + b"".join((*chunks, make_png_chunk(b"IEND")))


def _make_head(**changes: int) -> bytes:
    """Return the IHDR chunk of a gray picture of 2 by 3 pixels, or of another one."""
    fields = {"columns": 3, "rows": 2, "depth": 8, "color": 0, "compression": 0, "filter": 0,
              "interlace": 0} | changes  # fmt: skip
    return make_png_chunk(b"IHDR", struct.pack(">IIBBBBB", *fields.values()))


_SAMPLES = make_png_chunk(b"IDAT", zlib.compress(b"\0abc\0def"))


def test_samples_of_every_mode() -> None:
    """All colors, depths and filters, interlaced or not, give samples in odd and tiny sizes."""
    calls, expected = [], []
    sizes = [(1, 1), (1, 9), (9, 1), (2, 3), (5, 5), (13, 17)]
    for (color, bits), interlace, (rows, columns) in itertools.product(PNG_MODES, (0, 1), sizes):
        pixels = make_png_noise(rows, columns, color, bits)
        stream = make_png_stream(pixels, color, bits, interlace=interlace, kinds=(4, 3, 1, 2, 0))
        chunks = (_PALETTE,) if color == 3 else ()
        data = build_png(
            columns, rows, stream, bits=bits, color=color, interlace=interlace, chunks_before=chunks
        )
        calls.append(call(".frame", _read(data)))
        expected.append(make_frame(pixels))
    assert run_calls(calls) == expected


def test_shown_samples() -> None:
    """Palettes, opacity, transparent colors and few bits are shown as by the package."""
    files = []
    for color, bits in PNG_MODES:
        pixels = make_png_noise(6, 7, color, bits)
        stream = make_png_stream(pixels, color, bits, kinds=(2, 4))
        clear = pixels.reshape(-1, *pixels.shape[2:])[3]
        value = struct.pack(f">{clear.size}H", *np.atleast_1d(clear).astype(int).tolist())
        values = [b"", value, value[:-1], value + b"\0", value[:-1] + bytes([value[-1] ^ 1])]
        values += [bytes([value[0] ^ 0x80]) + value[1:], value[:-2] + b"\xff\xff"]
        if color == 3:
            values = [b"", b"\x05", bytes(range(0, 256, 128)), bytes(256), bytes(257), b"\x80" * 9]
        for body in values:
            transparent = make_png_chunk(b"tRNS", body) if body else b""
            for before in (_PALETTE + transparent, transparent + _PALETTE, transparent):
                if color in (2, 6) or (color == 3) == (_PALETTE in before):
                    chunks = (before,)
                    files += [build_png(7, 6, stream, bits=bits, color=color, chunks_before=chunks)]
    assert len(files) > 100
    assert run_calls(map(_show, files)) == list(map(_paint, files))


def test_pieces_and_places_of_chunks() -> None:
    """Chunks in pieces, out of place, of other kinds, or missing are read or refused."""
    body = zlib.compress(b"\0abc\0def")
    pieces = [make_png_chunk(b"IDAT", body[start : start + 3]) for start in range(0, len(body), 3)]
    text = make_png_chunk(b"tEXt", b"a\0b")
    frame = make_frame(np.frombuffer(b"abcdef", dtype=np.uint8).reshape(2, 3))
    no_head = _damaged("it does not begin with an IHDR chunk")
    gray, palette = _make_head(), _make_head(color=3)
    rows: dict[bytes, object] = {
        _join(gray, *pieces): frame,
        _join(gray, text, *pieces, text): frame,
        _join(gray, _PALETTE, *pieces): frame,
        _join(gray, *pieces) + b"more": frame,
        _join(gray, *pieces[:2], text, *pieces[2:]): _damaged("its samples are apart"),
        _join(gray, make_png_chunk(b"Text"), *pieces): _damaged("it has an unknown chunk"),
        _join(gray, make_png_chunk(b"text"), *pieces): frame,
        _join(gray): _NO_SAMPLES,
        _join(): no_head,
        _join(*pieces): no_head,
        _join(text, gray, *pieces): no_head,
        _join(make_png_chunk(b"IHDR", gray[8:-5]), *pieces): no_head,
        _join(make_png_chunk(b"IHDR", gray[8:-4] + b"\0"), *pieces): no_head,
        _join(palette, *pieces): _NO_PALETTE,
        _join(palette, *pieces, _PALETTE): _NO_PALETTE,
        _join(palette, _PALETTE, _PALETTE, *pieces): _NO_PALETTE,
        _join(palette, make_png_chunk(b"PLTE"), *pieces): _NO_PALETTE,
        _join(palette, make_png_chunk(b"PLTE", bytes(4)), *pieces): _NO_PALETTE,
        _join(palette, make_png_chunk(b"PLTE", bytes(771)), *pieces): _NO_PALETTE,
        _join(palette, make_png_chunk(b"PLTE", bytes(3)), *pieces): frame,
        _SIGNATURE[:-1] + b"\r" + _join(gray, *pieces)[8:]: Refusal("this is no PNG"),
        b"": Refusal("this is no PNG"),
        _join(gray, *pieces)[:-1]: _CUT_OFF,
        _join(gray, *pieces)[:-12]: _CUT_OFF,
        _join(gray, *pieces)[:-13]: _CUT_OFF,
        _SIGNATURE: _CUT_OFF,
        _SIGNATURE + b"\xff\xff\xff\xf0IDAT0000": _CUT_OFF,
        _join(gray, *pieces)[:-1] + b"\0": _damaged("a checksum is wrong"),
        _join(gray, pieces[0][:-1] + b"\0", *pieces[1:]): _damaged("a checksum is wrong"),
    }
    calls = [call(".frame", _read(data)) for data in rows]
    assert run_calls(calls) == list(rows.values())


def test_sizes_and_modes_of_heads() -> None:
    """Unknown modes and methods, no pixels, and more samples than the limit are refused."""
    depths = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
    calls, expected = [], []
    for color, depth in itertools.product(range(8), range(18)):
        calls.append(call("png_reader.readLayout", [
            {"kind": "IHDR", "body": _make_head(color=color, depth=depth)[8:-4]}
        ]))  # fmt: skip
        layout = {"rows": 2, "columns": 3, "depth": depth, "color": color, "interlaced": False,
                  "channels": {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(color)}  # fmt: skip
        expected.append(layout if depth in depths.get(color, ()) else _UNKNOWN_MODE)
    for changes, message in (
        ({"compression": 1}, _UNKNOWN_METHOD),
        ({"filter": 1}, _UNKNOWN_METHOD),
        ({"interlace": 2}, _UNKNOWN_METHOD),
        ({"rows": 0}, _damaged("it has no pixels")),
        ({"columns": 0}, _damaged("it has no pixels")),
    ):
        calls.append(_read(_join(_make_head(**changes), _SAMPLES)))
        expected.append(message)
    large = Refusal("the picture is larger than this page opens; use the command line")
    sizes = [(color, depth) for color, all_depths in depths.items() for depth in all_depths]
    for color, depth in sizes:
        pixels = make_png_noise(2, 3, color, depth)
        stream = make_png_stream(pixels, color, depth)
        data = build_png(3, 2, stream, bits=depth, color=color, chunks_before=(_PALETTE,))
        size = 6 * {0: 1, 2: 3, 3: 4, 4: 2, 6: 4}[color] * (2 if depth == 16 else 1)
        calls += [call(".frame", _read(data, size)), _read(data, size - 1)]
        expected += [make_frame(pixels), large]
    assert run_calls(calls) == expected


def test_damaged_samples() -> None:
    """Too few or many samples, unknown filters and damaged streams are refused."""
    lines = b"\1abc\2def"
    packed, stored = zlib.compress(lines), zlib.compress(lines, 0)
    samples = {
        **dict.fromkeys((packed, stored, zlib.compress(lines, 9)), None),
        zlib.compress(lines[:-1]): _TOO_FEW,
        zlib.compress(lines + b"g"): _TOO_MANY,
        zlib.compress(lines[:-1], 0): _TOO_FEW,
        zlib.compress(lines + b"g", 0): _TOO_MANY,
        zlib.compress(b"\5abc\0def"): _damaged("it has an unknown filter"),
        zlib.compress(b"\4abc\5def"): _damaged("it has an unknown filter"),
        packed[:-1]: _NOT_INFLATED,
        packed[:-1] + b"\0": _NOT_INFLATED,
        stored[:-1]: _NOT_INFLATED,
        packed[:-6]: _NOT_INFLATED,
        b"": _NOT_INFLATED,
        b"\x78\x02" + packed[2:]: _NOT_INFLATED,
        stored[:-1] + bytes([stored[-1] ^ 1]): _NOT_INFLATED,
        stored[:5] + bytes([stored[5] ^ 1]) + stored[6:]: _NOT_INFLATED,
        stored[:6] + bytes([stored[6] ^ 1]) + stored[7:]: _NOT_INFLATED,
        b"\x79\x01" + stored[2:]: _NOT_INFLATED,
        b"\x88\x1c" + stored[2:]: _NOT_INFLATED,
        b"\x78\x20" + stored[2:]: _NOT_INFLATED,
        stored[:2] + b"\3" + stored[3:]: _NOT_INFLATED,
    }
    head = _make_head()
    calls = [call(".frame", _read(_join(head, make_png_chunk(b"IDAT", body)))) for body in samples]
    frame = make_frame(np.array([[97, 195, 38], [197, 40, 140]], dtype=np.uint8))
    assert run_calls(calls) == [frame if error is None else error for error in samples.values()]


def _store(data: bytes, size: int) -> bytes:
    """Return a zlib stream of stored blocks of a size."""
    blocks = [data[start : start + size] for start in range(0, len(data), size)] or [b""]
    stream = b"".join(
        struct.pack("<BHH", index == len(blocks) - 1, len(block), len(block) ^ 0xFFFF) + block
        for index, block in enumerate(blocks)
    )
    return b"\x78\x01" + stream + struct.pack(">I", zlib.adler32(data))


_STORED_SCRIPT = """
    import { StoredReader, StoredWriter, storeBytes, storedSize } from "./engine/zlib.js";
    import { crc32, adler32 } from "./engine/checksums.js";
    import { concat, hex, unhex, zeros } from "./engine/bytes.js";
    const read = [];
    for (const [text, step] of argument.streams) {
        const [data, reader, parts] = [unhex(text), new StoredReader(), []];
        for (let at = 0; at < data.length; at += step) {
            parts.push(...reader.read(data.subarray(at, at + step)));
        }
        read.push([hex(concat(parts)), reader.whole]);
    }
    const written = argument.sizes.map((size) => {
        const data = zeros(size).map((_, i) => i * i + (i >> 7));
        const writer = new StoredWriter(size, zeros(storedSize(size)));
        const parts = [];
        for (let at = 0; at < size || at === 0; at += 50000) {
            writer.add(data.subarray(at, at + 50000));
            parts.push(hex(writer.take()));
        }
        const sums = [crc32(data), adler32(data)];
        return [parts.join(""), hex(storeBytes(data)), storedSize(size), ...sums];
    });
    return { read, written };
"""


def test_stored_streams() -> None:
    """Streams without compression are read from pieces of any length, and written."""
    data = bytes(i * i % 251 for i in range(300))
    whole = _store(data, 100)
    streams: list[tuple[bytes, bytes, bool]] = [
        (whole, data, True),
        (_store(data, 7), data, True),
        (_store(b"", 1), b"", True),
        (whole[:-1], data, False),
        (whole + b"\0", data, False),
        (whole[:-1] + bytes([whole[-1] ^ 1]), data, False),
        (b"\x78\x02" + whole[2:], b"", False),
        (b"\x08\x1d" + whole[2:], data, True),  # a window of 256 bytes
        (b"\x58\x09" + whole[2:], data, True),
        (b"\x88\x1c" + whole[2:], b"", False),
        (b"\x77\x0a" + whole[2:], b"", False),
        (b"\x78\x20" + whole[2:], b"", False),  # a dictionary
        (whole[:2] + b"\2" + whole[3:], b"", False),
        (whole[:4] + b"\1" + whole[5:], b"", False),
        (whole[:2], b"", False),
        (whole[:5], b"", False),
    ]
    steps = (1, 2, 3, 64, 1000)
    sizes = (0, 1, 65534, 65535, 65536, 131070, 131071)
    argument = {
        "streams": [(stream.hex(), step) for stream, _, _ in streams for step in steps],
        "sizes": sizes,
    }
    result: Any = run_node(_STORED_SCRIPT, argument)
    assert result["read"] == [[out.hex(), is_whole] for _, out, is_whole in streams for _ in steps]
    for size, actual in zip(sizes, result["written"], strict=True):
        content = bytes((i * i + (i >> 7)) & 255 for i in range(size))
        stream = _store(content, 65535)
        assert actual[:3] == [stream.hex(), stream.hex(), len(stream)], size
        assert actual[3:] == [zlib.crc32(content), zlib.adler32(content)]


def _iterate_deflated() -> Iterator[tuple[bytes, bytes]]:
    """Yield content and streams of all kinds of blocks, with short and long matches."""
    generator = random.Random(3)  # noqa: S311
    texts = [b"", b"a", b"abc" * 100, bytes(1000), bytes(range(256)) * 3]
    texts += [bytes(generator.choices(b"abcdefgh", k=3000)), generator.randbytes(700)]
    part = generator.randbytes(300)
    texts.append(
        b"".join(part[: generator.randint(3, 258)] + generator.randbytes(9) for _ in range(99))
    )
    texts.append(b"".join(
        part[:length] + generator.randbytes(distance) + part[:length]
        for length, distance in zip(range(3, 270, 3), range(1, 9000, 100), strict=False)
    ))  # fmt: skip
    texts.append(bytes(generator.choices(range(256), [2 ** (-i / 14) for i in range(256)], k=9000)))
    for text in texts:
        for level, strategy in ((0, 0), (9, 0), (1, 0), (9, 4), (9, 2), (9, 3)):
            packer = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
            half = packer.compress(text[:1000]) + packer.flush(zlib.Z_FULL_FLUSH)
            yield text, half + packer.compress(text[1000:]) + packer.flush()


def test_inflating_at_once() -> None:
    """Streams of all kinds of blocks are inflated, and damaged ones are not."""
    pairs = list(_iterate_deflated())
    calls = [call("inflating.inflateNow", stream) for _, stream in pairs]
    assert run_calls(calls) == [text for text, _ in pairs]
    damaged = [zlib.compress(b"abcdef")[:-5], b"\x78\x9c\x06\xff\xff\xff", b"\x78\x9c"]
    packer = zlib.compressobj()
    damaged.append(packer.compress(bytes(9)) + packer.flush(zlib.Z_FULL_FLUSH))  # no last block
    refused = run_calls(call("inflating.inflateNow", stream) for stream in damaged)
    assert refused == [_NOT_INFLATED] * 4


def test_costs_of_lines() -> None:
    """The bytes of each line of a PNG are those that the package measures."""
    files = []
    for rows, columns, color, bits in (
        (70, 90, 2, 8),
        (9, 5, 0, 1),
        (150, 100, 6, 16),
        (1, 1, 0, 8),
    ):
        pixels = make_png_noise(rows, columns, color, bits)
        pixels[rows // 3 :] = pixels[0]
        stream = make_png_stream(pixels, color, bits, kinds=(1, 2, 0))
        for interlace, before in ((0, ()), (1, ()), *((0, kinds) for kinds in (
            (b"eXIf",), (b"zTXt",), (b"tEXt",), (b"tEXt", b"zTXt"),
        ))):  # fmt: skip
            lines = make_png_stream(pixels, color, bits, interlace=interlace)
            files.append(build_png(
                columns, rows, lines if interlace else stream, bits=bits, color=color,
                interlace=interlace,
                chunks_before=tuple(make_png_chunk(kind, b"12345678") for kind in before),
            ))  # fmt: skip
    data, head = zlib.compress(bytes(range(250)) * 40), _make_head(rows=40, columns=249)
    files.append(
        _join(
            head, *(make_png_chunk(b"IDAT", data[at : at + 99]) for at in range(0, len(data), 99))
        )
    )
    results = run_calls(call("costs.measurePng", file) for file in files)
    for file, actual in zip(files, results, strict=True):
        expected = measure_png_costs(file)
        assert actual["others"] == expected.other_bytes
        assert actual["inflated"] == expected.inflated_bytes
        assert actual["metadata"] == expected.metadata
        assert (actual["lines"] is None) == (expected.lines is None)
        if expected.lines is not None:
            assert actual["lines"] == pytest.approx(expected.lines.tolist(), abs=1e-6)


def test_written_pictures() -> None:
    """Pictures of every mode are written with their metadata, and read by the package."""
    icc, exif, xmp = b"not a profile" * 9, b"II*\0\x08\0\0\0\0\0\0\0\0\0", b"<x:xmpmeta/>"
    metadatas: list[dict[str, Any]] = [
        {},
        {"exif": exif, "xmp": xmp, "icc": icc},
        {"resolution": ["72", "300/7", "inch"]},
        {"resolution": ["5000", "7/3", "meter"]},
        {"resolution": ["3", "4", None]},
    ]
    bodies = [b"", b"", struct.pack(">IIB", 2835, 1687, 1), struct.pack(">IIB", 5000, 2, 1),
              struct.pack(">IIB", 3, 4, 0)]  # fmt: skip
    calls, expected = [], []
    for metadata, density in zip(metadatas, bodies, strict=True):
        for channels, dtype in itertools.product((1, 2, 3, 4), ("uint8", "uint16", "bool")):
            if dtype == "bool" and channels > 1:
                continue
            pixels = noise(5, 9, channels, "uint16" if dtype == "uint16" else "uint8")
            pixels = pixels > 127 if dtype == "bool" else pixels
            frame = make_frame(pixels)
            plain = call("png_writer.writePlain", frame, {"metadata": metadata})
            calls += [plain, call("png_writer.compressPng", plain)]
            expected.append((pixels, metadata, density))
    results = run_calls(calls)
    for index, (pixels, metadata, density) in enumerate(expected):
        for data in results[2 * index : 2 * index + 2]:
            _require_written(data, pixels, metadata, density)
        assert len(results[2 * index + 1]) <= len(results[2 * index]) + 30


def _require_written(
    data: bytes, pixels: AnyArray, metadata: dict[str, Any], density: bytes
) -> None:
    picture: Picture = decode_picture(data)
    assert picture.pixels.dtype == pixels.dtype
    assert np.array_equal(picture.pixels, pixels)
    assert picture.metadata.exif == metadata.get("exif")
    assert picture.metadata.icc == metadata.get("icc")
    assert picture.metadata.xmp == metadata.get("xmp")
    assert (b"pHYs" + density in data) == bool(density)
    assert (b"pHYs" in data) == bool(density)
    kinds, at = [], 8
    while at < len(data):
        kinds.append(data[at + 4 : at + 8])
        at += 12 + int.from_bytes(data[at : at + 4])
    names = [kind for kind, name in ((b"iCCP", "icc"), (b"eXIf", "exif"), (b"pHYs", "resolution"),
             (b"iTXt", "xmp")) if name in metadata]  # fmt: skip
    assert kinds == [b"IHDR", *names, b"IDAT", b"IEND"]


def test_filters_of_written_pictures() -> None:
    """Restored pictures have the filter Up, protected ones and bits have none."""
    frames = [make_frame(noise(3, 4, 1)), make_frame(noise(3, 4, 3, "uint16")),
              make_frame(noise(3, 11, 1) > 99)]  # fmt: skip
    calls = [call("png_writer.writePlain", frame) for frame in frames]
    calls += [call("png_writer.protectPng", frame, b"{}") for frame in frames]
    filters = []
    for data, line in zip(run_calls(calls), (5, 25, 3) * 2, strict=True):
        start = data.index(b"IDAT")
        size = int.from_bytes(data[start - 4 : start])
        filters.append(list(zlib.decompress(data[start + 4 : start + 4 + size])[::line]))
    assert filters == [[0, 2, 2], [0, 2, 2], [0] * 3, [0] * 3, [0] * 3, [0] * 3]


def test_metadata_of_chunks() -> None:
    """The first valid chunk of each kind counts, and is at its place; the package agrees."""
    profile = b"profile" * 40
    exif = [
        b"II*\0\x08\0\0\0\0\0",
        b"MM\0*\0\0\0\x08\0\0",
        b"II*\0\x08\0\0",
        b"II\0*\0\0\0\x08\0\0",
    ]
    density = struct.Struct(">IIB")
    bodies = {
        b"eXIf": [*exif, b""],
        b"iCCP": [
            b"a\0\0" + zlib.compress(profile),
            b"b\0\0" + zlib.compress(b"other"),
            b"\0\0" + zlib.compress(profile),
            b"a" * 79 + b"\0\0" + zlib.compress(profile),
            b"a" * 80 + b"\0\0" + zlib.compress(profile),
            b"a\0\1" + zlib.compress(profile),
            b"a\0\0damaged",
            b"a",
            b"a\0\0" + zlib.compress(b""),
        ],
        b"pHYs": [
            density.pack(1, 2, 0),
            density.pack(2835, 1, 1),
            density.pack(1, 1, 2),
            density.pack(0, 1, 1),
            density.pack(1, 0, 0),
            density.pack(2**31 - 1, 1, 0),
            density.pack(2**31, 1, 0),
            density.pack(1, 2**31, 1),
            density.pack(1, 2, 1) + b"\0",
            density.pack(1, 2, 1)[:-1],
        ],
        b"iTXt": [
            b"XML:com.adobe.xmp\0\0\0\0\0<x/>",
            b"XML:com.adobe.xmp\0\0\0\0\0<y/>",
            b"XML:com.adobe.xmp\0\0\0e\0\0<z/>",
        ],
    }
    generator = random.Random(1)  # noqa: S311
    files = [
        [make_png_chunk(kind, body)] for kind, all_bodies in bodies.items() for body in all_bodies
    ]
    for _ in range(150):
        kinds = generator.choices(list(bodies), k=generator.randint(2, 4))
        files.append([make_png_chunk(kind, generator.choice(bodies[kind])) for kind in kinds])
    files += [[*chunks[:-1], b"", chunks[-1]] for chunks in files]  # one behind the samples
    calls, expected = [], []
    for chunks in files:
        at = chunks.index(b"") if b"" in chunks else len(chunks)
        data = _join(_make_head(), *chunks[:at], _SAMPLES, *chunks[at + 1 :])
        metadata = decode_picture(data).metadata
        calls.append(call("manner.readPngMetadata", call("png_reader.readChunks", data)))
        wanted: dict[str, Any] = {"exif": metadata.exif, "icc": metadata.icc, "xmp": metadata.xmp}
        if metadata.resolution is not None:
            sides = metadata.resolution.columns, metadata.resolution.rows
            unit = metadata.resolution.unit
            wanted["resolution"] = [*(str(Fraction(side)) for side in sides), unit]
        expected.append({name: value for name, value in wanted.items() if value is not None})
    for actual, wanted in zip(run_calls(calls), expected, strict=True):
        assert {name: value for name, value in actual.items() if value is not None} == wanted


def test_headers_in_chunks() -> None:
    """A header is in one chunk of plain text; other forms are refused."""
    start, line = b"sudokucrypt\0\0\0\0\0", b'{"sudokucrypt":1}'
    other, none = "the header in the picture has another form", "the header in the picture is none"
    rows: list[tuple[tuple[bytes, ...], object]] = [
        ((), None),
        ((start + line,), line),
        ((start + line, start + line), Refusal("the picture holds two headers")),
        ((b"sudokucrypt\0\1\0\0\0" + line,), Refusal(other)),
        ((b"sudokucrypt\0\0\0e\0\0" + line,), Refusal(other)),
        ((b"sudokucrypt\0\0\0\0",), Refusal(other)),
        ((start + line[1:],), Refusal(none)),
        ((start + line + b"\x1f",), Refusal(none)),
        ((start + line + b"\x7f",), Refusal(none)),
        ((start + line + b" ~",), line + b" ~"),
        ((b"Sudokucrypt\0\0\0\0\0" + line,), None),
    ]
    calls = []
    for bodies, _ in rows:
        data = make_png(
            noise(2, 3, 1), chunks_before=[make_png_chunk(b"iTXt", body) for body in bodies]
        )
        calls.append(call("png_reader.findPngHeader", call("png_reader.readChunks", data)))
    assert run_calls(calls) == [expected for _, expected in rows]

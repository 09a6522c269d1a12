"""The engine's modules write, read, draw and move frames as the package does."""

import base64
import hashlib
import itertools
import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pytest

from sudokucrypt import Numbering, Representation, SudokuGrid, bijection, invert
from sudokucrypt.bijections import UnitGroups, chosen_rounds
from sudokucrypt.bijections.keyed import UnitPermutation
from sudokucrypt.draws import StreamDraws
from sudokucrypt.images import Picture
from sudokucrypt.images.header_rows import (
    make_header_rows,
    remove_caption_rows,
    remove_header_rows,
)
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers
from tests.images.builders import (
    make_png_chunk,
    noise,
)
from tests.page.node import Call, Refusal, call, make_frame, run_calls, run_node, to_text

pytestmark = pytest.mark.programs("node")


_SHAPES = [(6, 40), (3, 700), (1, 1), (40, 3), (6, 40, 2), (6, 40, 3), (3, 11, 3), (5, 13, 4)]


def test_written_header_rows() -> None:
    """Header rows of frames of all modes and both depths are those of the package."""
    calls: list[Call] = []
    expected: list[object] = []
    headers = [b"", b"{}", b"x" * 15, b"x" * 16, b"x" * 17, b"x" * 96, b"x" * 97, b"\xff" * 700]
    for shape, dtype, header in itertools.product(_SHAPES, ("uint8", "uint16"), headers):
        pixels = noise(shape[0], shape[1], (*shape, 1)[2], dtype)
        frame = make_frame(pixels)
        below = make_header_rows(Picture.plain(pixels, header=header))
        calls.append(call("rows.addRows", frame, header))
        expected.append(make_frame(np.concatenate([pixels, below])))
    bits = noise(3, 40, 1).astype(bool)
    calls.append(call("rows.addRows", make_frame(bits), b"{}"))
    expected.append(make_frame(bits))
    assert run_calls(calls) == expected


def test_limits_of_header_rows() -> None:
    """Rows of the longest header and of the largest picture are written, and no larger ones."""
    longest, line = bytes(2**20), 2**13
    calls = []
    for header, shape in (
        (longest, [1, line]), (longest + b"x", [1, line]),
        (b"x" * (line - 24), [2**14 - 1, line]), (b"x" * (line - 23), [2**14 - 1, line]),
        (b"x" * (line - 24), [2**14, line]),
        (b"x" * (3 * line - 24), [2**14 - 1, line, 3]),
        (b"x" * (3 * line - 23), [2**14 - 1, line, 3]),
        (b"x" * (3 * line - 24), [2**14 - 1, line, 4]),
        (b"x" * (3 * line - 23), [2**14 - 1, line, 4]),
        (b"x" * (line - 24), [2**14 - 1, line, 2]),
        (b"x" * (line - 23), [2**14 - 1, line, 2]),
    ):  # fmt: skip
        frame = {"shape": shape, "dtype": "uint8"}
        calls.append(call(".length", call("rows.makeRows", header, frame)))
    sizes = [-(-(2**20 + 24) // line) * line, 0, line, 0, 0, 3 * line, 0, 3 * line, 0, line, 0]
    assert run_calls(calls) == sizes


_STREAM = hashlib.shake_256(b"sudokucrypt/v1/header rows").digest(16)


def _change_tail(pixels: AnyArray, place: int, value: int) -> AnyArray:
    """Return samples of 8 bits with another byte at a place of the tail in header rows."""
    changed = pixels.copy()
    channels = (*pixels.shape, 1)[2]
    colors = changed.reshape(-1, channels)[:, : 1 if channels < 3 else 3]
    pixel, color = divmod(colors.size - 16 + place, colors.shape[1])
    colors[pixel, color] = value ^ _STREAM[place]
    return changed


def _convert(pixels: AnyArray) -> Iterator[AnyArray]:
    """Yield samples in the modes and depths in which other programs may write them."""
    channels = (*pixels.shape, 1)[2]
    planes = pixels.reshape(*pixels.shape[:2], channels)
    opaque = np.full_like(planes[..., :1], np.iinfo(pixels.dtype).max)
    colors = planes[..., : 1 if channels < 3 else 3]
    colors = colors if channels > 2 else np.repeat(colors, 3, axis=2)
    alpha = planes[..., -1:] if channels % 2 == 0 else opaque
    for changed in (pixels, colors, np.concatenate([colors, alpha], axis=2),
                    np.concatenate([colors, opaque], axis=2), colors[..., 0],
                    np.concatenate([colors[..., :1], alpha], axis=2)):  # fmt: skip
        yield changed
        yield (changed.astype(np.uint16) * 257) if changed.dtype == np.uint8 else changed
        yield (changed >> 8).astype(np.uint8) if changed.dtype == np.uint16 else changed


def _read_rows_by_package(pixels: AnyArray) -> object:
    picture = remove_header_rows(Picture.plain(pixels))
    if not picture.header_rows:
        return None
    return {"header": picture.header, "frame": make_frame(picture.pixels)}


def test_read_header_rows() -> None:
    """Header rows are found in other modes and depths; damaged ones are none, as in the package."""
    frames = []
    for shape, dtype in itertools.product(_SHAPES, ("uint8", "uint16")):
        pixels = noise(shape[0], shape[1], (*shape, 1)[2], dtype)
        below = make_header_rows(Picture.plain(pixels, header=b"{%s}" % (b"x" * 70)))
        written = np.concatenate([pixels, below])
        frames += [*_convert(written), below, np.concatenate([pixels[-1:], below]), written[:-1]]
        if dtype == "uint8":
            for place in range(16):
                for value in (*range(6), 8, 15, 16, 17, 32, 255):
                    frames.append(_change_tail(written, place, value))
            changed = written.copy()
            changed[len(pixels)] ^= 1
            frames += [changed]
    frames += [noise(1, 3, 1), noise(16, 1, 1), noise(15, 1, 1), noise(1, 16, 1)]
    for length in (15, 16, 17):  # the tail alone, or with too little above it
        frames.append(written.reshape(-1, 4)[-length:].reshape(length, 1, 4))
    expected = [_read_rows_by_package(pixels) for pixels in frames]
    assert 100 < sum(result is not None for result in expected) < len(frames) - 100
    assert run_calls(call("rows.readRows", make_frame(pixels)) for pixels in frames) == expected


def test_captions_above_frames() -> None:
    """Rows of black and white above a picture are removed, unless they are too many or gray."""
    calls: list[Call] = []
    expected: list[object] = []
    generator = np.random.default_rng(8)
    for shape, dtype in itertools.product(((3, 6), (3, 6, 2), (3, 6, 4)), ("uint8", "uint16")):
        highest = np.iinfo(np.dtype(dtype)).max
        pixels = noise(3, 6, (*shape, 1)[2], dtype)
        for count in (0, 1, 4, 5, 6):
            above = (generator.integers(0, 2, (count, *shape[1:])) * highest).astype(dtype)
            captions = [above]
            for value in (1, 128, highest - 1, highest >> 1, 255, 256, highest ^ 255):
                for place in (0, above.size // 2, -1):
                    captions.append(above.copy())
                    if count:
                        captions[-1].reshape(-1)[place] = value & highest
            for caption, rows in itertools.product(captions, (3, 2, 4)):
                whole = np.concatenate([caption, pixels])
                calls.append(call("rows.removeCaption", make_frame(whole), [rows, *shape[1:]]))
                expected.append(make_frame(remove_caption_rows(whole, rows)))
    bits = np.ones((4, 6), bool)
    calls.append(call("rows.removeCaption", make_frame(bits), [3, 6]))
    expected.append(make_frame(remove_caption_rows(bits, 3)))
    assert run_calls(calls) == expected


_PREVIEW_SCRIPT = """
    import { decodeFrame, makeEncoder, makePreview } from "./engine/drawing.js";
    import { base64 } from "./engine/bytes.js";
    const results = [];
    for (const { size, pixels, lengths } of argument.previews) {
        const asked = [];
        const code = async (side, quality) => {
            asked.push([side, quality]);
            const length = lengths[asked.length - 1];
            return length === null ? null : new Uint8Array(length);
        };
        const made = await makePreview(size, pixels === null ? null : { pixels, code });
        results.push([asked, made && made.length]);
    }
    const drawn = [];
    const log = (name) => (...values) => drawn.push([name, ...values]);
    globalThis.ImageData = class { constructor(data) { this.data = data; } };
    globalThis.OffscreenCanvas = class {
        constructor(columns, rows) {
            drawn.push(["canvas", columns, rows]);
            Object.assign(this, { columns, rows, noise: globalThis.noise });
        }
        getContext() {
            return {
                canvas: this,
                fillRect: log("fill"),
                drawImage: (_, ...box) => log("draw")(...box),
                putImageData: (image) => (this.image = image),
                getImageData: (left, top, columns, rows) => {
                    const drawn = new Uint8ClampedArray(columns * rows * 4).fill(7);
                    const add = (sample, i) => (i === this.noise ? sample ^ 1 : sample);
                    return { data: (this.image?.data ?? drawn).map(add) };
                },
            };
        }
        async convertToBlob({ type, quality }) {
            drawn.push([type, quality]);
            return new Blob(["x"], { type: globalThis.lacks ? "image/png" : type });
        }
    };
    const encoded = [];
    for (const [width, height, side, lacks] of argument.sizes) {
        Object.assign(globalThis, { lacks, noise: -1 });
        globalThis.createImageBitmap = async () => ({ width, height, close: log("close") });
        drawn.length = 0;
        const encoder = await makeEncoder(new Uint8Array(1));
        const made = encoder && (await encoder.code(side, 75));
        encoded.push([encoder && encoder.pixels, made && made.length, structuredClone(drawn)]);
    }
    const frames = [];
    for (const [width, height, noise] of argument.frames) {
        globalThis.noise = noise;
        globalThis.createImageBitmap = async () => {
            if (width < 0) throw new Error("none");
            return { width, height, close() {} };
        };
        try {
            const frame = await decodeFrame(new Uint8Array(1));
            frames.push([frame.shape, frame.dtype, frame.data.length, frame.data[0]]);
        } catch (error) {
            frames.push(error.message);
        }
    }
    return { results, encoded, frames };
"""


def test_previews() -> None:
    """Previews have the sides and qualities of the package, and the best that fits is taken."""
    sides = [[320, 75], [256, 65], [192, 55], [128, 45], [96, 40]]
    previews: list[tuple[Any, ...]] = []
    for size in (10**6, 10**7):
        room = (size // 100 - 2800 - math.isqrt(8 * size)) * 3 // 8
        over, fits = room + 1, max(room, 0)
        for count in range(5):
            previews.append((size, 10**6, [over] * count + [fits], count + 1, fits))
            previews.append((size, 10**6, [over] * count + [None], count + 1, None))
        previews += [(size, 10**6, [over] * 5, 5, over), (size, 10**6 - 1, [], 0, None),
                     (size, None, [], 0, None), (size, 10**9, [fits], 1, fits)]  # fmt: skip
    sizes = [(4000, 3000, 320, False, 320, 240), (3000, 4000, 96, False, 72, 96),
             (100, 50, 320, False, 100, 50), (5000, 1, 128, False, 128, 1),
             (1, 5000, 128, False, 1, 128), (1000, 997, 96, True, 96, 96),
             (321, 160, 320, False, 320, 160), (2**14, 2**13, 96, False, 96, 48)]  # fmt: skip
    none = "this browser cannot show the picture; use the command line"
    hides = "this browser hides what pictures show from pages; use another one, or the command line"
    frames = [(5, 3, -1, [[3, 5, 4], "uint8", 60, 7]), (-1, 3, -1, none),
              (2**14, 2**13 + 1, -1, none), (5, 3, 0, hides), (5, 3, 1023, hides)]  # fmt: skip
    argument = {
        "previews": [{"size": size, "pixels": pixels, "lengths": lengths}
                     for size, pixels, lengths, *_ in previews],
        "sizes": [[*size[:4]] for size in sizes] + [[2**14, 2**13 + 1, 96, False]],
        "frames": [[*frame[:3]] for frame in frames],
    }  # fmt: skip
    result: Any = run_node(_PREVIEW_SCRIPT, argument)
    assert result["results"] == [[sides[:count], made] for *_, count, made in previews]
    encoded = []
    for width, height, _, lacks, columns, rows in sizes:
        box = [0, 0, columns, rows]
        steps = [["canvas", columns, rows], ["fill", *box], ["draw", *box], ["image/webp", 0.75]]
        encoded.append([width * height, None if lacks else 1, steps])
    assert result["encoded"] == [*encoded, [None, None, []]]
    assert result["frames"] == [frame[3] for frame in frames]


def _build_stored(pixels: AnyArray, *chunks: bytes, kind: int) -> bytes:
    """Return a PNG with stored samples, whose lines but for the first have a filter."""
    rows, columns = pixels.shape[:2]
    channels = (*pixels.shape, 1)[2]
    lines = np.packbits(pixels, axis=1) if pixels.dtype == bool else pixels.reshape(rows, -1)
    flat = lines.astype(lines.dtype.newbyteorder(">")).view(np.uint8).reshape(rows, -1)
    if kind:
        flat = flat - np.concatenate([flat[:1] * 0, flat[:-1]])
    stream = b"".join(bytes([kind if row else 0]) + line.tobytes() for row, line in enumerate(flat))
    bits = 1 if pixels.dtype == bool else 8 * pixels.dtype.itemsize
    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", columns, rows, bits, color, 0, 0, 0)
    body = make_png_chunk(b"IDAT", zlib.compress(stream, 0))
    parts = (make_png_chunk(b"IHDR", head), *chunks, body, make_png_chunk(b"IEND"))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_written_pngs() -> None:
    """Protected and restored pictures are written with these very bytes."""
    calls: list[Call] = []
    expected: list[object] = []
    density = make_png_chunk(b"pHYs", struct.pack(">IIB", 3, 5, 1))
    about = {"metadata": {"resolution": ["3", "5", "meter"]}}
    header = b'{"sudokucrypt":1}'
    for shape in ((1, 1), (5, 9), (9, 5, 2), (3, 4, 3), (4, 3, 4), (7, 8), (2, 17)):
        for dtype in ("uint8", "uint16", "bool"):
            if dtype == "bool" and len(shape) > 2:
                continue
            pixels = noise(shape[0], shape[1], (*shape, 1)[2])
            pixels = noise(shape[0], shape[1], (*shape, 1)[2], "uint16") if dtype == "uint16" else (
                pixels > 127 if dtype == "bool" else pixels
            )  # fmt: skip
            frame, up = make_frame(pixels), 0 if dtype == "bool" else 2
            calls.append(call("png_writer.writePlain", frame))
            expected.append(_build_stored(pixels, kind=up))
            calls.append(call("png_writer.writePlain", frame, about))
            expected.append(_build_stored(pixels, density, kind=up))
            text = make_png_chunk(b"iTXt", b"sudokucrypt\0\0\0\0\0" + header)
            calls.append(call("png_writer.protectPng", frame, header))
            expected.append(_build_stored(pixels, text, kind=0))
    refused = Refusal("the page saves no pictures of this kind; use the command line")
    calls.append(call("png_writer.writePlain", {**frame, "dtype": "float32"}))
    calls.append(call("png_writer.writePlain", frame, {"mode": "cmyk"}))
    assert run_calls(calls) == [*expected, refused, refused]


class _Words:
    """The bytes of a simple sequence of words, which the scripts generate, too."""

    def __init__(self, seed: int) -> None:
        self._word = seed

    def read(self, length: int, /) -> bytes:
        """Return the next bytes, of whole words."""
        assert length % 4 == 0
        words = []
        for _ in range(length // 4):
            self._word = (self._word * 1664525 + 1013904223) % 2**32
            words.append(self._word)
        return struct.pack(f"<{len(words)}I", *words)


_GRID = "123456789456789123789123456231674895875912364694538217317265948542897631968341572"


_UNITS_SCRIPT = """
    import { base64, unbase64, zeros } from "./engine/bytes.js";
    import { computePlaces, listPlaces, makeCellMap, NAMES, numberCells } from "./engine/maps.js";
    import { permuteUnits } from "./engine/permutation.js";
    import { moveUnits } from "./engine/units.js";
    const makeWords = (seed) => {
        let word = seed;
        return { next: () => (word = (Math.imul(word, 1664525) + 1013904223) >>> 0) };
    };
    const moved = argument.permutations.map(({ count, size, rounds }) => {
        const data = zeros(count * size).map((_, i) => i * i + (i >> 4));
        const reports = [];
        permuteUnits(data, size, rounds, makeWords(7), false, (...values) => reports.push(values));
        const result = base64(data);
        permuteUnits(data, size, rounds, makeWords(7), true);
        return [result, data.every((byte, i) => byte === ((i * i + (i >> 4)) & 255)), reports];
    });
    const images = [];
    for (const { data: text, shape, sampleBytes, header } of argument.images) {
        const [data, names] = [unbase64(text), []];
        const wordsOf = async (name) => {
            names.push(name);
            return makeWords(names.length);
        };
        await moveUnits(data, shape, sampleBytes, header, wordsOf, false);
        const [result, used] = [base64(data), names.splice(0)];
        await moveUnits(data, shape, sampleBytes, header, wordsOf, true);
        images.push([result, used, base64(data) === text]);
    }
    const places = argument.squares.map(([count, rounds]) => {
        return computePlaces(count, rounds, makeWords(3)).map((order) => [...order]);
    });
    const numbers = numberCells(Int32Array.from(argument.digits));
    const maps = NAMES.map((from) => NAMES.map((to) => [...makeCellMap(numbers, from, to)]));
    return { moved, images, places, maps, names: NAMES, listed: [...listPlaces(5)] };
"""


def _move_by_package(count: int, rounds: int, seed: int) -> AnyArray:
    """Return the indexes of the units that the package moves to each place."""
    indexes = np.arange(count)
    with Workers(1) as workers:
        UnitPermutation(count, rounds, StreamDraws(_Words(seed))).apply(indexes, indexes, workers)
    return indexes


def test_moved_units() -> None:
    """Units of all sizes and groups are moved as by the package, and back."""
    counts = (1, 2, 3, 34, 35, 36, 37, 41, 48, 49, 50, 63, 64, 65, 81, 99, 100, 143, 144, 150,
              225, 400, 625, 1000)  # fmt: skip
    permutations = [
        {"count": count, "size": size, "rounds": rounds}
        for count, (size, rounds) in itertools.product(counts, ((1, 1), (2, 2), (3, 1), (8, 3)))
    ]
    images: list[tuple[AnyArray, Any, int | None]] = []
    shapes: tuple[tuple[int, ...], ...] = (
        (9,),
        (70,),
        (1, 1),
        (5, 7),
        (12, 13),
        (13, 12, 3),
        (16, 24),
        (6, 9, 2),
        (30, 31, 4),
    )
    for shape, dtype in itertools.product(shapes, ("uint8", "uint16")):
        pixels = noise(shape[0], (*shape, 1)[1], (*shape, 1, 1)[2], dtype).reshape(shape)
        for unit, block in (("pixel", None), ("sample", None), ("block", 1), ("block", 2),
                            ("block", 4), ("block", 5), ("block", 16)):  # fmt: skip
            if len(shape) > 1 or unit != "block":
                images.append((pixels, unit, block))
    squares = ((36, 1), (64, 2), (144, 3), (225, 1))
    result: Any = run_node(_UNITS_SCRIPT, {
        "permutations": permutations, "squares": squares, "digits": [*map(int, _GRID)],
        "images": [{
            "data": to_text(pixels.tobytes()), "shape": pixels.shape,
            "sampleBytes": pixels.itemsize,
            "header": {"unit": unit, "blockSize": block, "rounds": 2},
        } for pixels, unit, block in images],
    })  # fmt: skip
    for case, (text, is_undone, reports) in zip(permutations, result["moved"], strict=True):
        count, size, rounds = case["count"], case["size"], case["rounds"]
        data = np.arange(count * size)
        units = (data * data + (data >> 4)).astype(np.uint8).reshape(count, size)
        wanted = units[_move_by_package(count, rounds, 7)]
        assert base64.b64decode(text) == wanted.tobytes(), case
        assert is_undone
        steps = range(1, 3 * rounds + 1) if count >= 36 else ()
        assert reports == [[step, 3 * rounds] for step in steps]
    for (pixels, unit, block), (text, names, is_undone) in zip(
        images, result["images"], strict=True
    ):
        target, groups = pixels.copy(), UnitGroups(pixels.shape, unit, block)
        for seed, (_, source, moved) in enumerate(groups.pairs(pixels, target), 1):
            moved[:] = source[_move_by_package(len(source), 2, seed)]
        assert base64.b64decode(text) == target.tobytes(), (pixels.shape, unit, block)
        assert names == [*groups.counts]
        assert is_undone
    for (count, rounds), places in zip(squares, result["places"], strict=True):
        assert places[0] == [*range(count)]
        assert places[-1] == invert(_move_by_package(count, rounds, 3)).tolist()
        assert len(places) == 3 * rounds + 1
    representations = [
        Representation(tuple(
            {"box": "block", "place": "grid"}.get(word, word) for word in name.split(", ")
        ))
        for name in result["names"]
    ]  # fmt: skip
    assert {*representations} == {*Representation}
    grid = SudokuGrid.from_text(_GRID)
    expected = [
        [bijection(grid, source, target, numbering=Numbering.ROW_MAJOR).tolist()
         for target in representations] for source in representations
    ]  # fmt: skip
    assert result["maps"] == expected
    assert result["listed"] == [0, 1, 2, 3, 4]


def test_default_rounds_and_groups() -> None:
    """Rounds and groups are those of the package at each limit."""
    calls: list[Call] = []
    expected: list[object] = []
    for count in (1, 4095, 4096, 4097, 2**20 - 1, 2**20, 2**20 + 1, 2**26):
        calls += [call("units.defaultRounds", [count]), call("units.defaultRounds", [2**30, count])]
        expected += [chosen_rounds(None, count)] * 2
    calls += [call("units.defaultRounds", []), call("units.segmentRounds")]
    expected += [4, 3]
    sides = (1, 2, 3, 4, 5, 8)
    for rows, columns, block in itertools.product(sides, sides, (1, 2, 3, 4, 9)):
        shape = (rows, columns)
        calls.append(call("units.countUnits", shape, "block", block))
        expected.append([[*pair] for pair in UnitGroups(shape, "block", block).counts.items()])
    units: tuple[Literal["pixel", "sample"], ...] = ("pixel", "sample")
    for shape_, unit in itertools.product(((7,), (3, 5), (3, 5, 4)), units):
        calls.append(call("units.countUnits", shape_, unit, None))
        expected.append([[*pair] for pair in UnitGroups(shape_, unit).counts.items()])
    assert run_calls(calls) == expected


def test_scaled_samples() -> None:
    """Samples of fewer than 8 bits become samples of 8 bits, and places in a palette its colors."""
    calls: list[Call] = []
    expected: list[object] = []
    for depth in (1, 2, 4, 8, 16):
        steps = np.arange(2**depth if depth < 8 else 256, dtype=f"uint{max(depth, 8)}")[None]
        picture = {"frame": make_frame(steps), "depth": depth, "colors": None, "alphas": b""}
        calls.append(call("rows.scale", picture))
        scaled = steps if depth >= 8 else (steps * (255 // (2**depth - 1))).astype(np.uint8)
        expected.append(make_frame(scaled))
    colors = bytes(range(100, 112))
    for depth, alphas in itertools.product((2, 8), (b"", b"\1\2")):
        frame = {"shape": [1, 4], "dtype": "uint8", "data": bytes((3, 0, 1, 2))}
        picture = {"frame": frame, "depth": depth, "colors": colors, "alphas": alphas}
        calls.append(call("rows.scale", picture))
        opacity = [bytes([each]) for each in alphas.ljust(4, b"\xff")] if alphas else [b""] * 4
        pixels = [colors[3 * place : 3 * place + 3] + opacity[place] for place in (3, 0, 1, 2)]
        shape = [1, 4, 3 + bool(alphas)]
        expected.append({"shape": shape, "dtype": "uint8", "data": b"".join(pixels)})
    assert run_calls(calls) == expected

"""The engine's modules for areas, covers and media give what the package gives."""

import base64
import itertools
import random
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError, SudokucryptError
from sudokucrypt.images import decode_picture
from sudokucrypt.images.orientation import TURNS, write_orientation
from sudokucrypt.recipes import jpegs
from sudokucrypt.recipes.carriers.redaction.areas import Area
from sudokucrypt.recipes.carriers.redaction.covers import (
    fill_smoothly,
    normalize_cover,
    parse_color,
)
from sudokucrypt.recipes.carriers.redaction.medium import Medium
from sudokucrypt.recipes.carriers.redaction.samples import SampleMedium
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from tests.images.builders import (
    PNG_MODES,
    build_png,
    make_png,
    make_png_chunk,
    make_png_noise,
    make_png_stream,
    noise,
    save_image,
)
from tests.images.jpeg.made import make_file
from tests.images.profiles import SRGB
from tests.page.node import Call, Refusal, call, make_frame, run_calls, run_node, to_text

pytestmark = pytest.mark.programs("node")


_NO_FIT = Refusal("the covered areas do not fit the picture")


def _encode_runs(*numbers: int) -> str:
    return to_text(bytes(numbers))


def _mask_by_package(field: Any, canvas: tuple[int, int]) -> object:
    try:
        area = Area.from_field(field, canvas)
        return area.mask().tobytes() if area.field == field else _NO_FIT
    except (SudokucryptError, ValueError, TypeError):
        return _NO_FIT


def test_areas_in_fields() -> None:
    """Rectangles and runs select the pixels of the package, up to each edge, or are refused."""
    small, line = (5, 7), (130, 131)
    fields: list[tuple[Any, tuple[int, int]]] = [
        *(([[row, column, rows, columns]], small)
          for row, column, rows, columns in itertools.product(
              (-1, 0, 2, 4, 5), (-1, 0, 3, 6, 7), (0, 1, 3, 5, 6), (0, 1, 4, 7, 8))),
        ([[0, 0, 5, 7]] * 4, small),
        ([[0, 0, 5, 7]] * 4 + [[0, 0, 1, 1]], small),
        ([[0, 0, 5, 7]] * 3 + [[0, 0, 1, 1]], small),
        ([[1, 1, 1, 2], [3, 4, 2, 3]], small),
        ([[1, 1, 1, 2], [3, 4, 2, 4]], small),
        ([[3, 4, 2, 4], [1, 1, 1, 2]], small),
        ([], small),
        ([[1, 1, 1]], small),
        ([[1, 1, 1, 1, 1]], small),
        ([[1, 1, 1.5, 1]], small),
        ([[1.5, 1, 1, 1]], small),
        ([["1", 1, 1, 1]], small),
        ([[1, None, 1, 1]], small),
        ([1, 1, 1, 1], small),
        ([[1, 1, 1, 1], 1], small),
        *((_encode_runs(*runs), small) for runs in (
            (35,), (0, 35), (1, 34), (34, 1), (3, 4, 5, 6, 17), (0, 1, 34), (1,) * 35,
            (36,), (34,), (0,), (1, 0, 34), (0, 0, 35), (1, 34, 0), (0, 34), (3, 4, 5, 6, 18),
            (), (163,), (35, 163), (163, 0), (128, 35), (0, 163, 0), (128, 128, 0, 35))),
        *((_encode_runs(*runs), line) for runs in (
            (0x86, 0x85, 1), (0, 0x86, 0x85, 1), (127, 0x87, 0x84, 1), (128, 1, 0x86, 0x84, 1),
            (129, 1, 1, 0x84, 0x84, 1), (0x80, 0x80, 1, 0x86, 5), (0x86, 0x85, 2),
            (0x87, 0x85, 1), (0x85, 0x85, 1), (0x86, 0x85, 0x81, 0), (0x86, 0x85, 0x81))),
        ("", (0, 7)),
        ("Iw=", small),
        ("Ix==", small),
        ("Iw", small),
    ]  # fmt: skip
    expected = [_mask_by_package(field, canvas) for field, canvas in fields]
    expected[-2:] = [_NO_FIT, _NO_FIT]  # forms of base64 that no writer gives
    assert 150 < expected.count(_NO_FIT) < len(expected) - 50
    results = run_calls([call("areas.maskArea", field, canvas) for field, canvas in fields])
    for (field, _), actual, wanted in zip(fields, results, expected, strict=True):
        assert actual == wanted or (wanted == _NO_FIT and actual == Refusal("no base64")), field


def test_owners_and_written_areas() -> None:
    """The first of overlapping areas owns a pixel; areas are written as by the package."""
    areas: list[Any] = [[[0, 0, 2, 2]], [[1, 1, 3, 3], [4, 6, 1, 1]], _encode_runs(10, 8, 17),
                        [[0, 0, 5, 7]]]  # fmt: skip
    orders = [*itertools.permutations(areas, 3), ()]
    calls: list[Call] = []
    expected: list[object] = []
    for order in orders:
        owners = np.zeros(35, dtype=np.uint8)
        for number in range(len(order), 0, -1):
            owners[Area.from_field(order[number - 1], (5, 7)).mask().reshape(-1)] = number
        calls.append(call("areas.findOwners", order, (5, 7)))
        expected.append(owners.tobytes())
    generator = random.Random(2)  # noqa: S311
    spots = [(row, column, 1, 1) for row, column in itertools.product(range(40), range(40))]
    for canvas, regions in (
        ((40, 40), spots[:1024]), ((40, 40), spots[:1025]), ((40, 40), spots[1:1026]),
        ((40, 40), [*spots[::2], *spots[:300]]), ((40, 40), generator.sample(spots, 1100)),
        ((200, 300), [(3, 4, 150, 250)] * 1025), ((200, 300), [(0, 0, 200, 300)] * 5),
        ((300, 128), [(2, 1, 1, 1)] * 1025), ((300, 128), [(128, 0, 128, 128)] * 1025),
        ((5, 7), [(0, 0, 5, 7)] * 4), ((5, 7), [*[(0, 0, 5, 7)] * 4, (1, 1, 1, 1)]),
        ((5, 7), [(1, 2, 3, 3)]), ((5, 7), [(4, 6, 1, 1)] * 141), ((5, 7), [(0, 0, 1, 1)] * 140),
        ((5, 7), [(1, 2, 3, 4), (2, 0, 1, 7), (4, 4, 1, 1)] * 20), ((5, 7), []), ((300, 128), []),
    ):  # fmt: skip
        selection = Selection.from_areas(canvas, regions, None, allow_none=True)
        assert selection is not None
        calls.append(call("areas.encodeArea", regions, canvas))
        expected.append(Area.from_selection(selection).field)
    assert run_calls(calls) == expected


def _fill_by_engine(values: Any, hidden: Any) -> Call:
    floats = values.astype(float).reshape(-1).tolist()
    return call("covers.fillSmoothly", floats, hidden.tobytes(), values.shape)


def test_smooth_covers() -> None:
    """The smooth fill of 1 to 4 channels has the very numbers of the package, at every edge."""
    generator = np.random.default_rng(4)
    calls, expected = [], []
    shapes = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (1, 9), (9, 1), (5, 7), (8, 8), (13, 6)]
    for (rows, columns), channels in itertools.product(shapes, (1, 2, 3, 4)):
        values = generator.integers(0, 65536, (rows, columns, channels)).astype(np.float64)
        masks = [np.zeros((rows, columns), bool), np.ones((rows, columns), bool)]
        for row, column in ((0, 0), (0, -1), (-1, 0), (-1, -1), (rows // 2, columns // 2)):
            masks += [masks[0].copy(), masks[1].copy()]
            masks[-2][row, column], masks[-1][row, column] = True, False
        masks += [generator.random((rows, columns)) < share for share in (0.2, 0.6, 0.9)]
        for hidden in masks:
            calls.append(_fill_by_engine(values, hidden))
            expected.append(fill_smoothly(values, hidden).reshape(-1).tolist())
    assert run_calls(calls) == expected


def test_components_of_colors() -> None:
    """The components of a JPEG show a color as luma and differences, or as it is."""
    calls: list[Call] = []
    expected: list[Any] = []
    rgb, ycc, cmyk, gray = [82, 71, 66], [1, 2, 3], [1, 2, 3, 4], [1]
    for color in ((0, 0, 0), (255, 255, 255), (10, 200, 30), (250, 3, 77), (1, 2, 3)):
        luma, inverse = _convert_to_luma(*color), [255 - value for value in color]
        for names, jfif, adobe, wanted in (
            (gray, True, None, luma[:1]), (gray, False, 0, luma[:1]),
            (ycc, False, None, luma), (rgb, False, None, [*color]), (rgb, True, None, luma),
            (ycc, False, 0, [*color]), (ycc, True, 0, luma), (rgb, False, 1, luma),
            (rgb, False, 0, [*color]), (ycc, False, 1, luma), (rgb, True, 0, luma),
            ([82, 71, 67], False, None, luma), ([66, 71, 82], False, None, luma),
            (cmyk, False, 2, [*_convert_to_luma(*inverse), 255]), (cmyk, False, 0, [*color, 255]),
            (cmyk, True, None, [*color, 255]), (cmyk, False, 1, [*color, 255]),
        ):  # fmt: skip
            signs = {"jfif": jfif, "adobe": adobe}
            calls.append(call("covers.convertToComponents", color, names, signs))
            expected.append(wanted)
    assert run_calls(calls) == expected


def _convert_to_luma(red: int, green: int, blue: int) -> list[float]:
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return [luma, 128 + 0.564 * (blue - luma), 128 + 0.713 * (red - luma)]


def test_colors_of_covers() -> None:
    """Names and colors of covers, and samples that show them, are those of the package."""
    texts = ["black", "white", "gray", "#ff8800", "#FF8800", "#abcdef", "surroundings", "",
             "#ff880", "#ff88000", "ff8800", "#ff880g", " #ff8800", "#ff8800\n", "Black", "red",
             "SURROUNDINGS",
             "x#ff8800"]  # fmt: skip
    refused = Refusal("a cover is black, white, gray, a color such as #ff8800, or surroundings")
    expected: list[object] = []
    for text in texts:
        try:
            expected.append(normalize_cover(text))
        except InvalidParameterError:
            expected.append(refused)
    calls = [call("covers.normalizeCover", text) for text in texts]
    generator = random.Random(1)  # noqa: S311
    colors = ["#000000", "#ffffff", "#808080", "#010203", "#ff0000", "#00ff00", "#0000ff"]
    colors += [f"#{generator.randrange(2**24):06x}" for _ in range(40)]
    for color in colors:
        calls.append(call("covers.parseCover", color))
        expected.append([*parse_color(color)])
        for channels, dtype in itertools.product((1, 2, 3, 4), ("uint8", "uint16", "bool")):
            largest = {"uint8": 255, "uint16": 65535, "bool": 1}[dtype]
            shape = (1, 1) if channels == 1 else (1, 1, channels)
            if dtype == "bool" and channels > 1:
                continue
            medium = SampleMedium.from_pixels(np.zeros(shape, dtype=dtype))
            whole = np.ones((1, 1), bool)
            painted = medium.cover(whole, color, whole).picture.pixels
            calls.append(call("covers.convertToSamples", parse_color(color), channels, largest))
            expected.append(painted.reshape(-1).astype(int).tolist())
    assert run_calls(calls) == expected


_MEDIA_SCRIPT = """
    import { base64, hex, Refused, unbase64, zeros } from "./engine/bytes.js";
    import { Coefficients, Samples } from "./engine/media.js";
    const open = ({ kind, file: text }) => {
        const file = unbase64(text);
        return kind === "jpeg" ? new Coefficients(file) : Samples.open(file, 2 ** 28);
    };
    const results = [];
    for (const { owners: text, covers, rectangles, ...source } of argument) {
        const owners = unbase64(text);
        const medium = await open(source);
        const structure = medium.structure();
        const result = {
            canvas: medium.canvas,
            kind: medium.kind,
            orientation: medium.orientation,
            manner: await medium.manner(),
            digest: hex(await medium.digest(owners)),
            sizes: [0, 1, 2, 3].map((number) => medium.size(owners, number)),
            taken: [0, 1, 2, 3].map((number) => base64(medium.take(owners, number))),
            rounded: rectangles.map((rectangle) => medium.rounded(rectangle)),
            structure: structure && [base64(structure.body), structure.least],
            covered: [],
            same: [],
        };
        for (const cover of covers) {
            const other = await open(source);
            const is = (condition) => owners.map((owner) => (condition(owner) ? 1 : 0));
            other.cover(is((owner) => owner === 1), cover, is((owner) => owner > 0));
            result.covered.push(base64(await other.toBytes()));
            const different = other.shows(medium) || medium.shows(other);
            other.give(owners, 1, medium.take(owners, 1));
            result.same.push([different, other.shows(medium), medium.shows(other)]);
        }
        if (structure) result.whole = base64(medium.whole(structure.body));
        results.push(result);
    }
    return results;
"""


_COVERS = ("#000000", "#ff8001", "surroundings")


def _compare_media(media: Sequence[tuple[bytes, Medium]]) -> list[tuple[Any, list[Medium]]]:
    """Check what the engine says of files; return its results, and the package's covered media."""
    generator = np.random.default_rng(12)
    cases, expected, covered = [], [], []
    for file, medium in media:
        canvas = medium.canvas
        owners, regions = np.zeros(canvas, np.uint8), []
        for number in (3, 2, 1, 1):
            row, column = (int(generator.integers(side)) for side in canvas)
            rows, columns = canvas[0] - row, canvas[1] - column
            region = (row, column, -(-rows // number), -(-columns // (4 - number)))
            regions.append(region)
            selection = Selection.from_areas(canvas, [region], None)
            assert selection is not None
            owners[medium.enlarge_to_units(selection).mask] = number
        masks, rounded = [owners == number for number in range(4)], []
        for region in regions:
            selection = Selection.from_areas(canvas, [region], None)
            assert selection is not None
            places = np.argwhere(medium.enlarge_to_units(selection).mask)
            low, high = places.min(0).tolist(), places.max(0).tolist()
            rounded.append([*low, high[0] - low[0] + 1, high[1] - low[1] + 1])
        structure = medium.find_structure(file)
        wanted = {
            "canvas": [*canvas],
            "kind": medium.kind,
            "orientation": next(key for key, turn in TURNS.items() if turn == medium.turn),
            "manner": medium.display_settings,
            "digest": medium.digest(owners > 0).hex(),
            "sizes": [medium.size(mask) for mask in masks],
            "taken": [to_text(medium.extract(mask)) for mask in masks],
            "rounded": rounded,
            "structure": structure and [to_text(structure[0]), structure[1]],
        }
        if structure is not None:
            wanted["whole"] = to_text(file)
        others = [medium.cover(masks[1], cover, owners > 0) for cover in _COVERS]
        changed = [not other.has_same_samples(medium) for other in others]
        wanted["same"] = [[not change, True, True] for change in changed]
        assert any(changed)
        expected.append(wanted)
        covered.append(others)
        cases.append({
            "kind": medium.kind, "file": to_text(file), "covers": _COVERS,
            "owners": to_text(owners.tobytes()), "rectangles": regions,
        })  # fmt: skip
    results: Any = run_node(_MEDIA_SCRIPT, cases)
    for result, wanted in zip(results, expected, strict=True):
        assert {key: result[key] for key in wanted} == wanted
    return list(zip(results, covered, strict=True))


def test_samples_of_pngs() -> None:
    """Samples are digested, taken, covered and given back as by the package, in every mode."""
    files = []
    for (color, bits), interlace in itertools.product(PNG_MODES, (0, 1)):
        pixels = make_png_noise(7, 11, color, bits)
        lines = make_png_stream(pixels, color, bits, interlace=interlace, kinds=(0, 2, 4))
        chunks = [make_png_chunk(b"eXIf", write_orientation(6) or b"")]
        chunks += [make_png_chunk(b"pHYs", struct.pack(">IIB", 2835, 3000, interlace))]
        if color == 3:
            chunks = [make_png_chunk(b"PLTE", bytes(range(3 << bits)) if bits < 8 else bytes(768))]
            chunks += [make_png_chunk(b"tRNS", b"\xff\x80")] * interlace
        elif color in (0, 2) and interlace:
            chunks += [make_png_chunk(b"tRNS", struct.pack(">H", 1) * (1 + color))]
        files.append(build_png(
            11, 7, lines, bits=bits, color=color, interlace=interlace, chunks_before=chunks
        ))  # fmt: skip
    icc = b"name\0\0" + zlib.compress(SRGB)
    shapes = ((1, 1, 1), (1, 5, 3), (5, 1, 2), (16, 16, 4))
    files += [make_png(noise(*shape), chunks_before=[make_png_chunk(b"iCCP", icc)])
              for shape in shapes]  # fmt: skip
    media = [(file, SampleMedium.from_file(file, "", 2**20)) for file in files]
    for result, covered in _compare_media(media):
        for text, medium in zip(result["covered"], covered, strict=True):
            ours = decode_picture(base64.b64decode(text))
            theirs = decode_picture(medium.to_bytes())
            assert np.array_equal(ours.pixels, theirs.pixels)
            assert (ours.pixels.dtype, ours.metadata) == (theirs.pixels.dtype, theirs.metadata)


def test_coefficients_of_jpegs() -> None:
    """Coefficients are digested, taken, covered and given back as by the package."""
    from sudokucrypt.recipes.carriers.redaction.jpeg import JpegMedium

    exif = b"Exif\0\0" + (write_orientation(8) or b"")
    options: list[dict[str, Any]] = [
        {}, {"exif": exif}, {"subsampling": 1, "icc_profile": SRGB}, {"progressive": True},
        {"subsampling": 0, "quality": 97}, {"restart_marker_blocks": 2}, {"quality": 3},
    ]  # fmt: skip
    files = [
        make_file(20, 27, samplings=samplings, restart=restart).to_bytes()
        for samplings, restart in (
            (((2, 1), (1, 2), (1, 1)), 0), (((4, 1), (1, 1), (1, 1)), 5), (((1, 1),), 3),
            (((2, 2), (1, 1), (1, 1), (2, 2)), 0), (((1, 1), (2, 2), (1, 2)), 0),
        )
    ]  # fmt: skip
    for channels, mode in ((1, "L"), (3, "RGB"), (4, "CMYK")):
        smooth = np.cumsum(noise(33, 50, channels), axis=1, dtype=np.uint8) // 3
        files += [save_image(smooth, "JPEG", mode, **each) for each in options]
        files += [
            save_image(smooth[:8, :17], "JPEG", mode),
            save_image(smooth[:1, :1], "JPEG", mode),
        ]
    media: list[tuple[bytes, Medium]] = []
    for file in files:
        parsed = jpegs.read_changeable_jpeg(file, name="", max_pixels=2**20)
        media.append((file, JpegMedium(parsed)))
    for result, covered in _compare_media(media):
        expected = [to_text(medium.to_bytes()) for medium in covered]
        assert result["covered"] == expected


def test_samples_of_version_1() -> None:
    """Layers of version 1 refer to the samples in a PNG, which are not always written again."""
    calls: list[Call] = []
    expected: list[object] = []
    for (color, bits), clear in itertools.product(PNG_MODES, (False, True)):
        lines = make_png_stream(make_png_noise(4, 5, color, bits), color, bits)
        chunks = [make_png_chunk(b"PLTE", bytes(range(251)) + bytes(517))] if color == 3 else []
        if clear and color in (0, 2, 3):
            chunks.append(make_png_chunk(b"tRNS", b"\0\1" * {0: 1, 2: 3, 3: 5}[color]))
        file = build_png(5, 4, lines, bits=bits, color=color, chunks_before=chunks)
        medium = SampleMedium.from_legacy_png(file, "", 2**20)
        opened = call("media.Samples.open", file, 2**20, 1)
        calls += [call(".frame", opened), call(".earlier", opened)]
        expected += [make_frame(medium.picture.pixels), medium.has_legacy_samples]
    assert True in expected
    assert run_calls(calls) == expected

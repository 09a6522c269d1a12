"""The engine's modules for redactions give what the package gives, or refuse the same input."""

import base64
import dataclasses
import hashlib
import itertools
import json
import math
import random
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import xor
from typing import Any, Literal

import numpy as np
import pytest

from sudokucrypt import Key, Layer, Numbering, Representation, SudokuGrid, bijection, invert
from sudokucrypt.bijections import UnitGroups, chosen_rounds
from sudokucrypt.bijections.keyed import UnitPermutation
from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import InvalidParameterError, SudokucryptError
from sudokucrypt.images import Metadata, Picture, Resolution, cleartext_copy, decode_picture
from sudokucrypt.images.attachments import find_attachment
from sudokucrypt.images.cleartext import copy_profile
from sudokucrypt.images.header_rows import (
    make_header_rows,
    without_caption_rows,
    without_header_rows,
)
from sudokucrypt.images.orientation import TURNS, write_orientation
from sudokucrypt.recipes import jpegs
from sudokucrypt.recipes.carriers.redaction.areas import Area, merge_areas
from sudokucrypt.recipes.carriers.redaction.covering import (
    RedactionPlan,
    plan_redaction,
    select_areas,
)
from sudokucrypt.recipes.carriers.redaction.covers import (
    normalize_cover,
    parse_color,
    smooth_fill,
)
from sudokucrypt.recipes.carriers.redaction.layers import (
    Binding,
    LayerContent,
    make_padded_rest,
    make_rest,
)
from sudokucrypt.recipes.carriers.redaction.lifting import OpenedRedaction
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.medium import Medium
from sudokucrypt.recipes.carriers.redaction.package import Package
from sudokucrypt.recipes.carriers.redaction.samples import SampleMedium
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers
from tests.images.builders import (
    PNG_MODES,
    build_png,
    make_png,
    make_png_chunk,
    make_png_lines,
    make_png_noise,
    make_png_stream,
    noise,
    save_image,
)
from tests.images.jpeg.made import make_file
from tests.images.profiles import SRGB, assemble_profile, read_tags
from tests.page.node import Call, Refusal, call, run_calls, run_node

pytestmark = pytest.mark.programs("node")
_NO_FIT = Refusal("the covered areas do not fit the picture")


def _encode_runs(*numbers: int) -> str:
    return base64.b64encode(bytes(numbers)).decode()


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
            expected.append(smooth_fill(values, hidden).reshape(-1).tolist())
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


def test_turns_of_rectangles() -> None:
    """Rectangles and sides are turned back for each orientation, which is written alike."""
    calls: list[Call] = []
    expected: list[object] = []
    for orientation, turn in TURNS.items():
        calls.append(call("orientation.writeOrientation", orientation))
        expected.append(write_orientation(orientation))
        for stored in ((30, 40), (1, 9), (7, 3)):
            shown = turn.upright_shape(stored)
            calls.append(call("orientation.turnSides", stored, orientation))
            expected.append([*shown])
            rows, columns = shown
            for region in ((0, 0, 1, 1), (0, 0, rows, columns), (rows - 1, columns - 1, 1, 1),
                           (rows // 2, columns // 3, (rows + 1) // 3, columns // 2)):  # fmt: skip
                calls.append(call("orientation.unturnRectangle", region, orientation, stored))
                expected.append([*turn.locate_stored(region, shown)])
    assert run_calls(calls) == expected


def _make_frame(pixels: AnyArray) -> dict[str, Any]:
    """Return a frame of the engine: samples in C order, each lowest byte first."""
    data = pixels.astype(pixels.dtype.newbyteorder("<")).tobytes()
    return {"shape": list(pixels.shape), "dtype": str(pixels.dtype), "data": data}


_SHAPES = [(6, 40), (3, 700), (1, 1), (40, 3), (6, 40, 2), (6, 40, 3), (3, 11, 3), (5, 13, 4)]


def test_written_header_rows() -> None:
    """Header rows of frames of all modes and both depths are those of the package."""
    calls: list[Call] = []
    expected: list[object] = []
    headers = [b"", b"{}", b"x" * 15, b"x" * 16, b"x" * 17, b"x" * 96, b"x" * 97, b"\xff" * 700]
    for shape, dtype, header in itertools.product(_SHAPES, ("uint8", "uint16"), headers):
        pixels = noise(shape[0], shape[1], (*shape, 1)[2], dtype)
        frame = _make_frame(pixels)
        below = make_header_rows(Picture.plain(pixels, header=header))
        calls.append(call("rows.addRows", frame, header))
        expected.append(_make_frame(np.concatenate([pixels, below])))
    bits = noise(3, 40, 1).astype(bool)
    calls.append(call("rows.addRows", _make_frame(bits), b"{}"))
    expected.append(_make_frame(bits))
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
    picture = without_header_rows(Picture.plain(pixels))
    if not picture.header_rows:
        return None
    return {"header": picture.header, "frame": _make_frame(picture.pixels)}


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
    assert run_calls(call("rows.readRows", _make_frame(pixels)) for pixels in frames) == expected


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
                calls.append(call("rows.removeCaption", _make_frame(whole), [rows, *shape[1:]]))
                expected.append(_make_frame(without_caption_rows(whole, rows)))
    bits = np.ones((4, 6), bool)
    calls.append(call("rows.removeCaption", _make_frame(bits), [3, 6]))
    expected.append(_make_frame(without_caption_rows(bits, 3)))
    assert run_calls(calls) == expected


_RGB_CURVES, _COLORANTS = (b"rTRC", b"gTRC", b"bTRC"), (b"rXYZ", b"gXYZ", b"bXYZ")
_TAGS = read_tags(SRGB)


def _make_profile(tags: Mapping[bytes, bytes], kind: bytes = b"RGB ") -> bytes:
    data = assemble_profile(tags)
    return data[:16] + kind + data[20:]


def _make_parameters(kind: int, *numbers: float) -> bytes:
    fixed = struct.pack(f">{len(numbers)}i", *(round(number * 65536) for number in numbers))
    return b"para" + bytes(5) + bytes([kind, 0, 0]) + fixed


def _make_points(*values: int) -> bytes:
    return b"curv" + bytes(4) + struct.pack(f">I{len(values)}H", len(values), *values)


def _list_usual_profiles() -> list[bytes]:
    """Return the profiles that the package writes: one for each usual color space."""
    gamma = _make_parameters(0, 2.2)
    profiles = [SRGB]
    for colorants, curve in (
        ((0.5151, 0.2412, -0.0011, 0.292, 0.6922, 0.0419, 0.1571, 0.0666, 0.7841), None),
        ((0.6097, 0.3111, 0.0195, 0.2053, 0.6257, 0.0609, 0.1492, 0.0632, 0.7446), gamma),
        ((0.7977, 0.288, 0, 0.1352, 0.7119, 0, 0.0313, 0.0001, 0.8249), _make_parameters(0, 1.8)),
    ):
        values = [b"XYZ " + _make_parameters(0, *colorants[start : start + 3])[4:8]
                  + _make_parameters(0, *colorants[start : start + 3])[12:]
                  for start in (0, 3, 6)]  # fmt: skip
        curves = {} if curve is None else dict.fromkeys(_RGB_CURVES, curve)
        tags = {**_TAGS, **dict(zip(_COLORANTS, values, strict=True)), **curves}
        profiles.append(_make_profile(tags))
    grays = (gamma, _make_parameters(0, 1.8), _TAGS[b"rTRC"])
    profiles += [_make_profile({b"kTRC": curve}, b"GRAY") for curve in grays]
    usual = [copy_profile(profile) for profile in profiles]
    assert len({*usual}) == 7
    return [profile for profile in usual if profile is not None]


def _list_curves() -> list[bytes]:
    srgb = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    curves = [_make_parameters(3, *srgb), _make_parameters(3, *srgb, 0), b"", b"para", b"curv",
              _make_parameters(3, *srgb[:4]), _make_parameters(0, 2.4, 1), _make_parameters(0),
              _make_parameters(1, *srgb[:3]), _make_parameters(2, *srgb[:4]), b"none" + bytes(12),
              _make_parameters(4, *srgb, 0, 0), _make_parameters(3, *srgb) + b"\0",
              _make_parameters(3, *srgb)[:-1], b"curv" + bytes(8), b"curv" + bytes(7),
              _make_points(0x0233) + b"\0", _make_points(0x0233)[:-1],
              b"curv" + bytes(4) + struct.pack(">IH", 2, 0x0233)]  # fmt: skip
    curves += [_make_parameters(0, gamma / 2000) for gamma in range(3580, 4440, 10)]
    curves += [_make_points(gamma) for gamma in range(440, 580, 2)]
    for place, step in itertools.product(range(5), (-0.02, -0.005, -0.001, 0.001, 0.005, 0.02)):
        numbers = [*srgb]
        numbers[place] += step
        curves.append(_make_parameters(3, *numbers))
    for exact in (srgb, (1.8,), (2.2,), (2 + 51 / 256,)):
        for count in (2, 3, 17, 32, 33, 34, 65, 256):
            inputs = np.linspace(0, 1, count)
            powers = inputs ** exact[0]
            if len(exact) > 1:
                powers = (np.maximum(inputs + 0.055, 0) / 1.055) ** 2.4
                powers = np.where(inputs < 0.04045, inputs / 12.92, powers)
            points = np.rint(powers * 65535).astype(int)
            curves.append(_make_points(*points))
            for place in (0, 1, count // 2, count - 2, count - 1):
                for step in (-200, -160, 160, 200):
                    changed = points.copy()
                    changed[place] += step
                    curves.append(_make_points(*changed.clip(0, 65535)))
    return curves


def _change_tags() -> Iterator[bytes]:
    """Yield profiles with tags that are missing, of other kinds, or of other numbers."""
    for curve in _list_curves():
        yield _make_profile({b"kTRC": curve}, b"GRAY")
        yield _make_profile({**_TAGS, **dict.fromkeys(_RGB_CURVES, curve)})
    for name in (*_RGB_CURVES, *_COLORANTS):
        yield _make_profile({each: _TAGS[each] for each in _TAGS if each != name})
        for other in (b"", _TAGS[name][:-1], _TAGS[name] + b"\0", b"none" + _TAGS[name][4:],
                      _make_parameters(0, 2.2), _TAGS[name] + bytes(4)):  # fmt: skip
            yield _make_profile({**_TAGS, name: other})
    for count in (*range(84, 97), 99, 100, 101):
        private = {b"x%03d" % i: b"data" for i in range(count - len(_TAGS))}
        yield _make_profile({**_TAGS, **private})
    yield _make_profile({**_TAGS, b"A2B0": b""})
    yield _make_profile({**_TAGS, b"A2B1": b""})


def _change_profiles(usual: Sequence[bytes]) -> Iterator[bytes]:
    """Yield usual profiles with other colorants, kinds or bytes, and those that are cut off."""
    for profile, name, place in itertools.product(usual[:4], _COLORANTS, range(3)):
        tags = read_tags(profile)
        for step in (-199, -195, 195, 199):
            numbers = [*struct.unpack(">3i", tags[name][8:])]
            numbers[place] += step
            value = tags[name][:8] + struct.pack(">3i", *numbers)
            yield _make_profile({**tags, name: value})
    for profile in (usual[2], usual[4]):
        for name in (b"GRAY", b"RGB ", b"CMYK", b"Lab "):
            yield _make_profile(read_tags(profile), name)
        for length in range(120, len(profile), 7):
            yield profile[:length]
        places = (*range(36, 132), *range(132, len(profile), 9))
        for place, byte in itertools.product(places, (b"\0", b"\1", b"\xff")):
            yield profile[:place] + byte + profile[place + 1 :]


def test_color_profiles() -> None:
    """Profiles of usual color spaces are rewritten as by the package, and no others."""
    usual = _list_usual_profiles()
    profiles = [*usual, SRGB, b"", *_change_tags(), *_change_profiles(usual)]
    expected = [copy_profile(profile) for profile in profiles]
    assert {*expected} == {None, *usual}
    calls = [call(".icc", call("cleartext.pickCleartext", {"icc": each})) for each in profiles]
    for profile, actual, wanted in zip(profiles, run_calls(calls), expected, strict=True):
        assert actual == wanted, profile.hex()


def test_the_longest_profile() -> None:
    """A profile of the greatest length is rewritten, and a longer one is not."""
    longest = SRGB.ljust(4 * 2**20, b"\0")
    calls = [call(".icc", call("cleartext.pickCleartext", {"icc": profile}))
             for profile in (longest, longest + b"\0")]  # fmt: skip
    assert run_calls(calls) == [copy_profile(SRGB), None]
    assert copy_profile(longest + b"\0") is None


def test_cleartext_copies() -> None:
    """Orientations, resolutions and rounded numbers in the clear are those of the package."""
    calls: list[Call] = []
    expected: list[object] = []
    sides = (0, 1, 72, 10**6 - 1, 10**6, 10**6 + 1, 2**31 - 1)
    units: tuple[Literal["meter"] | None, ...] = (None, "meter")
    for columns, rows, unit in itertools.product(sides, sides, units):
        resolution = Resolution(columns=Fraction(columns), rows=Fraction(rows), unit=unit)
        copy = cleartext_copy(Metadata(resolution=resolution)).resolution
        pair = [str(columns), str(rows), unit]
        calls.append(call(".resolution", call("cleartext.pickCleartext", {"resolution": pair})))
        expected.append(None if copy is None else pair)
    for orientation in range(1, 9):
        exif = write_orientation(orientation)
        calls.append(call("cleartext.pickCleartext", {"exif": exif, "icc": None}))
        expected.append({"exif": exif, "icc": None, "resolution": None})
    for number in (0, 0.5, 1.5, 2.5, 0.49, 0.51, 1.49, 1.51, -0.5, -1.5, -2.5, -0.49, -0.51, -7):
        calls.append(call("cleartext.roundToEven", number))
        expected.append(round(number))
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
            owners[medium.round_out(selection).mask] = number
        masks, rounded = [owners == number for number in range(4)], []
        for region in regions:
            selection = Selection.from_areas(canvas, [region], None)
            assert selection is not None
            places = np.argwhere(medium.round_out(selection).mask)
            low, high = places.min(0).tolist(), places.max(0).tolist()
            rounded.append([*low, high[0] - low[0] + 1, high[1] - low[1] + 1])
        structure = medium.structure(file)
        wanted = {
            "canvas": [*canvas],
            "kind": medium.kind,
            "orientation": next(key for key, turn in TURNS.items() if turn == medium.turn),
            "manner": medium.display_settings,
            "digest": medium.digest(owners > 0).hex(),
            "sizes": [medium.size(mask) for mask in masks],
            "taken": [base64.b64encode(medium.extract(mask)).decode() for mask in masks],
            "rounded": rounded,
            "structure": structure and [base64.b64encode(structure[0]).decode(), structure[1]],
        }
        if structure is not None:
            wanted["whole"] = base64.b64encode(file).decode()
        others = [medium.cover(masks[1], cover, owners > 0) for cover in _COVERS]
        changed = [not other.has_same_samples(medium) for other in others]
        wanted["same"] = [[not change, True, True] for change in changed]
        assert any(changed)
        expected.append(wanted)
        covered.append(others)
        cases.append({
            "kind": medium.kind, "file": base64.b64encode(file).decode(), "covers": _COVERS,
            "owners": base64.b64encode(owners.tobytes()).decode(), "rectangles": regions,
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
        parsed = jpegs.read_changeable(file, name="", max_pixels=2**20)
        media.append((file, JpegMedium(parsed)))
    for result, covered in _compare_media(media):
        expected = [base64.b64encode(medium.to_bytes()).decode() for medium in covered]
        assert result["covered"] == expected


_REDACTING_SCRIPT = """
    import { base64, Refused, unbase64 } from "./engine/bytes.js";
    import { attachPackage, redact } from "./engine/redact.js";
    import { findPackage, lift } from "./engine/redaction.js";
    const results = [];
    const attempt = async (run) => {
        try {
            return await run();
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            return { refused: error.message };
        }
    };
    for (const { file, data, layers, cover, opened, limit = 2 ** 28, frame = null } of argument) {
        const decode = frame && (async () => ({ ...frame, data: unbase64(frame.data) }));
        results.push(await attempt(async () => {
            const picture = unbase64(file);
            if (layers) {
                const seal = async (content) => content; // so that it can be compared
                const made = await redact(picture, layers, { cover, limit, decode }, seal);
                return [base64(made.bytes), base64(made.lifted)];
            }
            const parts = data === undefined ? findPackage(picture) : unbase64(data);
            let [number, key] = [0, null];
            const open = async (part, secrets) => {
                if (secrets !== null) key = base64(secrets[0].bytes);
                return secrets !== null || opened.includes(number++) ? part : null;
            };
            const result = await lift(picture, parts, limit, open, attachPackage);
            return { ...result, key, bytes: result.bytes && base64(result.bytes) };
        }));
    }
    return results;
"""


def _to_text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _make_case(file: bytes, *layers: dict[str, Any], cover: str = "black", **more: Any) -> Any:
    return {"file": _to_text(file), "layers": layers, "cover": cover, **more}


def _layer(*areas: tuple[int, int, int, int], **fields: Any) -> dict[str, Any]:
    return {"areas": areas, **fields}


def _select(case: Any, file: bytes) -> RedactionPlan:
    """Return what the package plans for the layers that the engine gets."""
    key = Key(bytes(32))
    layers = [
        Layer(
            None if layer.get("permanent") else key,
            layer["areas"],
            name=layer.get("name", ""),
            metadata=layer.get("metadata", False),
        )
        for layer in case["layers"]
    ]
    medium = open_medium(file, "", 2**24)
    selections = select_areas(layers, medium, allow_none=True)
    return plan_redaction(file, medium, selections, cover=case["cover"], name="", max_pixels=2**24)


def _remove_package(data: bytes) -> bytes:
    """Return a PNG without its layers."""
    package = find_attachment(data)
    assert package is not None
    return data.replace(make_png_chunk(b"suRd", package), b"")


def _check_layers(plan: RedactionPlan, data: bytes) -> Package:
    """Check the package that the engine writes, without encryption, by the plan for the same."""
    package = Package.from_bytes(find_attachment(data) or b"")
    index, planned = package.index(2**24), plan.index
    assert planned is not None
    fields, wanted = (json.loads(each.to_line()) for each in (index, planned))
    assert {**fields, "id": None} == {**wanted, "id": None}
    shown = data if plan.medium.kind == "jpeg" else _remove_package(data)
    medium, hidden_mask = open_medium(shown, "", 2**24), merge_areas(index.canvas, index.layers)
    covered = plan.medium.cover(hidden_mask, index.cover, hidden_mask | plan.removed)
    assert medium.has_same_samples(covered)
    binding = Binding.from_picture(package.line, medium, hidden_mask)
    shares = []
    for number, mask in enumerate(index.masks()):
        part = package.layers[number]
        content = LayerContent.from_bytes(number, part, binding, plan.medium.size(mask))
        assert content.pixels == plan.medium.extract(mask)
        assert content.name == plan.layers[number].name
        assert content.to_bytes(number, binding) == part
        shares.append(content.key_share)
    assert len({*shares}) == len(shares)
    size = sum(plan.medium.size(mask) for mask in index.masks())
    rest = make_rest(plan.data, plan.medium)
    sealed = make_padded_rest(plan.data, rest, binding.index, shown, hidden_mask, size)
    assert package.rest == sealed
    return package


def _list_png_cases() -> list[Any]:
    """Return layers for PNG files, whose rest has many lengths."""
    small = make_png(noise(24, 31, 3), chunks_before=[
        make_png_chunk(b"eXIf", write_orientation(6) or b""), make_png_chunk(b"tEXt", b"a\0b" * 500)
    ])  # fmt: skip
    gray = make_png(noise(40, 120, 1))
    one, two = (1, 2, 3, 4), (3, 1, 9, 12)
    cases = [
        _make_case(small, _layer(one)),
        _make_case(small, _layer(one, two), _layer(two, name="x" * 100), cover="#FF8800"),
        _make_case(small, _layer(one, permanent=True), _layer(two), cover="surroundings"),
        _make_case(small, _layer(two), _layer(one, permanent=True), _layer((9, 9, 5, 5))),
        _make_case(small, _layer(one, two, permanent=True), cover="gray"),
        _make_case(small, _layer(metadata=True, name="\xe9\U0001f600")),
        _make_case(small, _layer(one), _layer(metadata=True), cover="white"),
        _make_case(small, _layer((0, 0, 31, 24))),
        _make_case(gray, _layer((2, 3, 31, 115))),
        _make_case(gray, _layer((2, 3, 31, 115), (0, 0, 1, 1))),
        _make_case(gray, _layer((0, 0, 40, 120), cover="surroundings")),
        _make_case(gray, *[_layer((0, 0, 1, 1))] * 64),
    ]
    flat = np.zeros((200, 400, 3), np.uint8)
    flat[::3, ::7], flat[:, :50] = 40, np.arange(50)[:, None]
    lines = make_png_lines(flat)
    text = make_png_chunk(b"zTXt", b"a\0\0" + zlib.compress(b"b"))
    for level, strategy in ((0, 0), (1, 2), (6, 0)):
        packer = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
        body = packer.compress(lines) + packer.flush()
        for chunks in ([], [text], [make_png_chunk(b"tEXt", bytes(1000))] * 70):
            start = b"\x89PNG\r\n\x1a\n" + make_png_chunk(
                b"IHDR", struct.pack(">IIBBBBB", 400, 200, 8, 2, 0, 0, 0)
            )
            file = start + b"".join(chunks) + make_png_chunk(b"IDAT", body[:500])
            file += make_png_chunk(b"IDAT", body[500:]) + make_png_chunk(b"IEND")
            areas = [(0, 0, 1, 1), (199, 399, 1, 1), (0, 5, 200, 40), (30, 30, 100, 9)]
            if chunks != [text]:
                areas = areas[3:]
            cases += [_make_case(file, _layer(area)) for area in areas]
    noisy = make_png_noise(60, 90, 2, 8)
    for interlace in (0, 1):
        stream = make_png_stream(noisy, 2, 8, interlace=interlace, kinds=(1,))
        file = build_png(90, 60, stream, bits=8, color=2, interlace=interlace)
        cases.append(_make_case(file, _layer((0, 0, 9, 9)), _layer((5, 5, 30, 30))))
    return cases


def _lift_all(redacted: Sequence[tuple[bytes, bytes]]) -> None:
    """Check that covers are lifted one by one, and together, as by the package."""
    cases, expected = [], []
    for data, lifted in redacted:
        package = Package.from_bytes(find_attachment(data) or b"")
        index, count = package.index(2**24), len(package.layers)
        for opened in {(), (0,), (count - 1,), (*range(count),)}:
            cases.append({"file": _to_text(data), "opened": opened})
            contents = {number: package.layers[number] for number in opened}
            result = OpenedRedaction(
                medium=open_medium(data, "", 2**24), index=index, package=package,
                contents=contents, threads=1,
            )  # fmt: skip
            whole = len(opened) == count
            wanted = lifted if whole else result.lift()[0] if opened else None
            texts = (package.layers[n][131:][: package.layers[n][130]].decode() for n in opened)
            names = [text or f"{n + 1}" for n, text in zip(opened, texts, strict=True)]
            shares = [int.from_bytes(part[96:128]) for part in package.layers]
            key = _to_text(reduce(xor, shares).to_bytes(32)) if whole else None
            about = {"lifted": names, "layers": count, "whole": whole, "version": 2, "key": key}
            expected.append((about, wanted))
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    for result, (about, wanted) in zip(results, expected, strict=True):
        data = result.pop("bytes")
        assert result == about
        if wanted is None or about["whole"]:
            assert data == (None if wanted is None else _to_text(wanted))
            continue
        actual = base64.b64decode(data)
        assert find_attachment(actual) == find_attachment(wanted)
        ours, theirs = (open_medium(each, "", 2**24) for each in (actual, wanted))
        assert ours.has_same_samples(theirs)
        assert ours.display_settings == theirs.display_settings


def _redact_all(cases: Sequence[Any]) -> list[tuple[bytes, bytes]]:
    """Check redacted files by the package; return those with layers, and what these give."""
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    redacted = []
    for case, result in zip(cases, results, strict=True):
        data, lifted = map(base64.b64decode, result)
        plan = _select(case, base64.b64decode(case["file"]))
        if not any(layer.get("permanent") for layer in case["layers"]):
            assert lifted == plan.data
        medium = open_medium(lifted, "", 2**24)
        assert medium.has_same_samples(plan.medium)
        assert medium.display_settings == plan.medium.display_settings
        plan = dataclasses.replace(plan, data=lifted, medium=medium)
        if plan.index is None:
            assert data == lifted
        else:
            _check_layers(plan, data)
            redacted.append((data, lifted))
    return redacted


def test_redacted_pngs() -> None:
    """Layers and rest of a PNG have the contents and lengths of the package, and are lifted."""
    _lift_all(_redact_all(_list_png_cases())[:12])


def test_redacted_jpegs_without_encryption() -> None:
    """Layers and rest of a JPEG have the contents and lengths of the package, and are lifted."""
    smooth = np.cumsum(noise(33, 50, 3), axis=1, dtype=np.uint8) // 3
    usual = save_image(smooth, "JPEG", exif=b"Exif\0\0" + (write_orientation(6) or b""))
    full = save_image(smooth, "JPEG", subsampling=0, comment=b"x" * 30000)
    cmyk = save_image(noise(20, 30, 4), "JPEG", "CMYK")
    large = save_image(np.tile(smooth, (9, 9, 1)), "JPEG", quality=95)
    one, two = (1, 2, 3, 4), (3, 1, 9, 12)
    _lift_all(_redact_all([
        _make_case(usual, _layer(one), _layer(two, name="two")),
        _make_case(usual, _layer(one, two, (2, 3, 1, 1)), cover="surroundings"),
        _make_case(full, _layer(one, permanent=True), _layer(two), cover="#ff8800"),
        _make_case(cmyk, _layer(one), _layer(two), cover="#ff8800"),
        _make_case(full, _layer(one, (2, 3, 1, 1)), _layer(metadata=True)),
        _make_case(large, _layer((0, 0, 290, 440)), _layer(two)),
    ]))  # fmt: skip


def _join_package(index: Any, lengths: Any, *parts: bytes, feed: bytes = b"\n") -> bytes:
    lines = [each if isinstance(each, bytes) else json.dumps(each, separators=(",", ":")).encode()
             for each in (index, lengths)]  # fmt: skip
    return feed.join([*lines, b"".join(parts)])


_DAMAGED = "the layers of the redaction are damaged"


def test_the_most_rectangles_of_a_package() -> None:
    """A package has at most 65536 rectangles; the command line also reads a few more."""
    cases = []
    for count in (2**15, 2**15 + 1):
        index = {"redaction": 2, "id": "0" * 32, "medium": "samples", "canvas": [9, 9],
                 "cover": "#000000", "layers": [[[1, 1, 1, 1]] * 2**15],
                 "permanent": [[1, 1, 1, 1]] * count}  # fmt: skip
        data = _join_package(index, [0, 0])
        cases.append({"file": "", "data": _to_text(data), "opened": ()})
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    assert [result.get("refused") for result in results] == [None, _DAMAGED]


_SHOWN = (
    "how the picture is shown was changed: its orientation, its colors or its scans; "
    "all keys together give the original file"
)
_OTHER = "a layer is of another picture, or the picture was edited outside the covered areas"
_REST = "the rest of the picture was changed"
_OUTSIDE = "an area does not lie in the picture"
_NO_NAME = "the name of a layer is one line of at most 100 characters"


def test_layers_that_are_refused() -> None:
    """Areas, names and numbers of layers are taken up to each limit, and refused behind it."""
    file = make_png(noise(24, 31, 1))
    turned = make_png(noise(24, 31, 1), chunks_before=[
        make_png_chunk(b"eXIf", write_orientation(6) or b"")
    ])  # fmt: skip
    one = (1, 2, 3, 4)
    many = [(row, column, 1, 1) for row, column in itertools.product(range(24), range(31))]
    many = (many * 2)[:1024]
    rows: list[tuple[Any, str | None]] = [
        (_make_case(file), "no area was chosen"),
        (_make_case(file, _layer()), "a layer has no areas"),
        (_make_case(file, _layer(one), _layer()), "a layer has no areas"),
        (_make_case(file, *[_layer(one)] * 64, _layer(one, permanent=True)), None),
        (_make_case(file, *[_layer(one)] * 65), "a picture has at most 64 layers"),
        (_make_case(file, _layer(one, name="\U0001f600" * 100)), None),
        (_make_case(file, _layer(one, name="x" * 101)), _NO_NAME),
        (_make_case(file, _layer(one, name="x\ny")), _NO_NAME),
        (_make_case(file, _layer(one), cover="red"),
         "a cover is black, white, gray, a color such as #ff8800, or surroundings"),
        (_make_case(b"GIF89a", _layer(one)),
         "the page covers areas of JPEG and PNG pictures; use the command line"),
        (_make_case(file, *[_layer(*many)] * 64), None),
        (_make_case(file, *[_layer(*many)] * 64, _layer(one, permanent=True)),
         "there are too many areas"),
        (_make_case(file, _layer(one), limit=24 * 31), None),
        (_make_case(file, _layer(one), limit=24 * 31 - 1),
         "the picture is larger than this page opens; use the command line"),
    ]  # fmt: skip
    for area in ((0, 0, 24, 31), (23, 30, 1, 1), (0, 30, 24, 1), (23, 0, 1, 31)):
        rows.append((_make_case(file, _layer(area)), None))
        row, column, height, width = area
        rows.append((_make_case(turned, _layer((column, row, width, height))), None))
        for change in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)):
            row, column, height, width = map(sum, zip(area, change, strict=True))
            rows.append((_make_case(file, _layer((row, column, height, width))), _OUTSIDE))
            rows.append((_make_case(turned, _layer((column, row, width, height))), _OUTSIDE))
    wrong = ((-1, 2, 3, 4), (1, -1, 3, 4), (1, 2, 0, 4), (1, 2, 3, 0), (1, 2, 3),
                   (1, 2, 3, 4, 5), (1.5, 2, 3, 4), (1, 2, 3, 4.5), (1, 2, -1, 4),
             (1, 2, 3, -1))  # fmt: skip
    rows += [(_make_case(file, {"areas": [values]}), _OUTSIDE) for values in wrong]
    results: Any = run_node(_REDACTING_SCRIPT, [case for case, _ in rows])
    for (case, wanted), result in zip(rows, results, strict=True):
        actual = result["refused"] if isinstance(result, dict) else None
        assert actual == wanted, case["layers"][:2]


def _change(data: bytes, place: int, value: int | None = None) -> bytes:
    """Return bytes with another one at a place."""
    other = data[place] ^ 1 if value is None else value
    return data[:place] + bytes([other]) + data[place + 1 :]


def test_changed_layers() -> None:
    """Each changed field of a layer or of the rest is refused, and no other change."""
    file = make_png(noise(24, 31, 1))
    made: Any = run_node(_REDACTING_SCRIPT, [
        _make_case(file, _layer((1, 2, 3, 4), name="x"), _layer((9, 9, 2, 2))),
        _make_case(file, _layer((1, 2, 3, 4), name="x")),
    ])  # fmt: skip
    cases, expected = [], []
    for redacted, _ in made:
        data = base64.b64decode(redacted)
        package = Package.from_bytes(find_attachment(data) or b"")
        shown = _remove_package(data)
        partial = len(package.layers) > 1
        layer, rest = package.layers[0], package.rest
        layers: list[tuple[bytes, str | None]] = [
            (layer, None), (_change(layer, 0), _OTHER), (_change(layer, 31), _OTHER),
            (_change(layer, 32), _OTHER), (_change(layer, 63), _OTHER),
            (_change(layer, 64), _SHOWN if partial else None),
            (_change(layer, 95), _SHOWN if partial else None),
            (_change(layer, 96), None), (_change(layer, 127), None),
            (_change(layer, 128, 0), _OTHER), (_change(layer, 128, 2), _OTHER),
            (_change(_change(layer, 129, 1), 130, 144), None),
            (_change(_change(layer, 129, 1), 130, 145), _OTHER), (_change(layer, 129, 2), _OTHER),
            (layer + bytes(256), _OTHER), (layer[:-1], _OTHER), (layer + b"\0", _OTHER),
            (layer[:-256], _OTHER), (_change(layer, 531 + 12), None),
        ]  # fmt: skip
        for changed, wanted in layers:
            parts = [changed, *package.layers[1:], rest]
            text = _join_package(package.line, [*map(len, parts)], *parts)
            cases.append({"file": _to_text(shown), "data": _to_text(text), "opened": (0,)})
            expected.append(wanted)
    length = len(file)
    rests: list[tuple[bytes, str | None]] = [
        (rest, None), (_change(rest, 0), _REST), (_change(rest, 31), _REST),
        (_change(rest, 32), _REST), (_change(rest, 63), _REST), (_change(rest, 72), _REST),
        (_change(rest, 64, 83), "the rest of the picture has no form that this page knows"),
        (_change(rest, 73), _REST), (_change(rest, 73 + length - 1), _REST),
        (_change(rest, 73 + length), None), (rest[:73], _OTHER), (rest[:72], _OTHER),
        (rest[: 73 + length], None), (rest[: 72 + length], _OTHER), (_change(rest, 65), _OTHER),
    ]  # fmt: skip
    for changed, wanted in rests:
        parts = [*package.layers, changed]
        text = _join_package(package.line, [*map(len, parts)], *parts)
        cases.append({"file": _to_text(shown), "data": _to_text(text), "opened": (0,)})
        expected.append(wanted)
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    assert [result.get("refused") for result in results] == expected


def test_layers_of_version_1() -> None:
    """A layer of version 1 has a line with its name before its pixels; other forms are refused."""
    pixels = noise(9, 11, 1)
    file = make_png(pixels)
    line = json.dumps(
        {"redaction": 1, "id": "0" * 32, "medium": "samples", "canvas": [9, 11],
         "cover": "#000000", "layers": [[[1, 2, 3, 4]]]}, separators=(",", ":"),
    ).encode()  # fmt: skip
    digest = hashlib.sha256(line).digest()
    medium = SampleMedium.from_legacy_png(file, "", 2**20)
    hidden_mask = Area.from_field([[1, 2, 3, 4]], (9, 11)).mask()
    visible, hidden = medium.digest(hidden_mask), zlib.compress(medium.extract(hidden_mask))
    rest = digest + hashlib.sha256(file).digest() + b"F"
    packed = zlib.compress(file)
    whole = rest + struct.pack(">Q", len(packed)) + packed

    def layer(body: bytes, more: int = 0, end: bytes = b"") -> bytes:
        return (
            digest + visible + bytes(range(32)) + struct.pack(">Q", len(body) + more) + body + end
        )

    short, long = (zlib.compress(bytes(size)) for size in (11, 13))
    rows: list[tuple[bytes, bytes, str | None, str]] = [
        (layer(b"a name\n" + hidden), whole, "a name", ""),
        (layer(b"\n" + hidden), whole, "1", ""),
        (layer(b"x\n" + hidden, end=bytes(99)), whole, "x", ""),
        (layer(b"x\n" + hidden), whole + bytes(99), "x", ""),
        (layer(b"x" + hidden.replace(b"\n", b"x")), whole, None, _OTHER),
        (layer(b"x\n" + hidden, 1), whole, None, _OTHER),
        (layer(b"x\n" + hidden, 256), whole, None, _OTHER),
        (layer(b"x\n" + hidden)[:103], whole, None, _OTHER),
        (layer(b"x\n" + short), whole, None, ""),
        (layer(b"x\n" + long), whole, None, ""),
        (layer(b"x\n" + hidden[:-1]), whole, None, ""),
        (layer(b"x\n" + hidden), whole[:-1], None, _OTHER),
        (layer(b"x\n" + hidden), rest + struct.pack(">Q", len(file)) + file, None, ""),
        (layer(b"x\n" + hidden), _change(whole, 0), None, _REST),
        (layer(b"x\n" + hidden), _change(whole, 32), None, _REST),
    ]
    cases = []
    for content, content_of_rest, _, _ in rows:
        parts = (content, content_of_rest)
        data = _join_package(line, [*map(len, parts)], *parts)
        cases.append({"file": _to_text(file), "data": _to_text(data), "opened": (0,)})
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    for result, (*_, name, message) in zip(results, rows, strict=True):
        if name is None:
            assert message in result["refused"]
        else:
            key = _to_text(bytes(range(32)))
            assert result == {"lifted": [name], "layers": 1, "whole": True, "version": 1,
                              "key": key, "bytes": _to_text(file)}  # fmt: skip


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
            frame, up = _make_frame(pixels), 0 if dtype == "bool" else 2
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


def test_pictures_that_the_browser_decodes() -> None:
    """Other pictures are covered as the browser shows them, in a rest of a likely length."""
    pixels = noise(40, 50, 4)
    frame = {**_make_frame(pixels), "data": _to_text(pixels.tobytes())}
    layer = _layer((0, 0, 30, 45))
    arithmetic = save_image(pixels[..., 0], "JPEG").replace(b"\xff\xc0", b"\xff\xc9")
    lossy = [b"RIFF....WEBP", b"\0\0\0 ftypheic", arithmetic]
    other = [b"GIF89a", b"....RIFF", b"ftyp", b"\xff\xd7", b".\xff\xd8"]
    files = [(start + bytes(extra), start in lossy)
             for start in lossy + other for extra in (0, 40000)]  # fmt: skip
    for length in (2**14, 2**15, 2**16):
        files += [(b"GIF89a".ljust(length - 73 + more, b"x"), False) for more in (0, 1)]
    cases = [_make_case(file, layer, frame=frame) for file, _ in files]
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    size = 4 * 30 * 45
    for (file, is_lossy), (redacted, lifted) in zip(files, results, strict=True):
        assert base64.b64decode(lifted) == file
        data = base64.b64decode(redacted)
        shown = _remove_package(data)
        covered = pixels.copy()
        covered[:30, :45] = 0, 0, 0, 255
        assert np.array_equal(decode_picture(shown).pixels, covered)
        rest = Package.from_bytes(find_attachment(data) or b"").rest
        likely = len(shown) // 4 + size // 2 if is_lossy else 4 * len(shown) + 3 * size // 2
        length = max(2**14, 1 << likely.bit_length())
        while length < 73 + len(file):
            length *= 2
        assert (len(rest), rest[64:65]) == (length, b"F")
        assert rest[73:] == file.ljust(length - 73, b"\0")
    refused: Any = run_node(_REDACTING_SCRIPT, [_make_case(lossy[2], layer)])
    assert "JPEG" in refused[0]["refused"]


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
            "data": _to_text(pixels.tobytes()), "shape": pixels.shape,
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


def test_packages_in_files() -> None:
    """Layers are found in their chunk or segments, which must be complete and in order."""

    def piece(number: int, count: int, body: bytes, marker: int = 0xEB) -> bytes:
        content = b"sudokucrypt redaction\0" + struct.pack(">HH", number, count) + body
        return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content

    jpeg, png = save_image(noise(8, 8, 1), "JPEG"), make_png(noise(2, 3, 1))
    other = b"\xff\xeb\0\x06more"
    chunk, text = make_png_chunk(b"suRd", b"layers"), make_png_chunk(b"tEXt", b"a\0suRd")
    incomplete = Refusal("the layers of the redaction are incomplete")
    rows: list[tuple[bytes, object]] = [
        (jpeg, None),
        (jpeg[:2] + piece(0, 1, b"one") + jpeg[2:], b"one"),
        (jpeg[:2] + piece(0, 2, b"one") + piece(1, 2, b"two") + jpeg[2:], b"onetwo"),
        (jpeg[:2] + piece(0, 2, b"one") + other + piece(1, 2, b"two") + jpeg[2:], b"onetwo"),
        (jpeg[:2] + other + jpeg[2:], None),
        (jpeg[:2] + piece(0, 1, b"one", 0xEA) + jpeg[2:], None),
        (jpeg[:2] + piece(1, 2, b"two") + piece(0, 2, b"one") + jpeg[2:], incomplete),
        (jpeg[:2] + piece(0, 2, b"one") + jpeg[2:], incomplete),
        (jpeg[:2] + piece(0, 1, b"one") * 2 + jpeg[2:], incomplete),
        (jpeg[:2] + piece(1, 1, b"one") + jpeg[2:], incomplete),
        (jpeg[:2] + piece(256, 1, b"one") + jpeg[2:], incomplete),
        (jpeg[:2] + piece(0, 257, b"one") + jpeg[2:], incomplete),
        (jpeg[:2] + b"".join(piece(i, 258, bytes([i & 255])) for i in range(258)) + jpeg[2:],
         bytes(i & 255 for i in range(258))),
        (png, None),
        (png[:-12] + chunk + png[-12:], b"layers"),
        (png[:-12] + chunk, b"layers"),
        (png[:-12] + make_png_chunk(b"suRd"), b""),
        (png[:-12] + text + png[-12:], None),
        (png[:8] + chunk + png[8:], b"layers"),
        (png[:-1], None),
        (b"GIF89a" + chunk, None),
        (b"", None),
    ]  # fmt: skip
    calls = [call("redaction.findPackage", data) for data, _ in rows]
    assert run_calls(calls) == [wanted for _, wanted in rows]


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
        expected += [_make_frame(medium.picture.pixels), medium.legacy_samples]
    assert True in expected
    assert run_calls(calls) == expected

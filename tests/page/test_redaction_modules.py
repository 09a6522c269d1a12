"""The engine's modules redact and lift as the package does, or refuse the same input."""

import base64
import dataclasses
import hashlib
import itertools
import json
import struct
import zlib
from collections.abc import Sequence
from functools import reduce
from operator import xor
from typing import Any

import numpy as np
import pytest

from sudokucrypt import Key, Layer
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import decode_picture
from sudokucrypt.images.attachments import find_attachment
from sudokucrypt.images.orientation import write_orientation
from sudokucrypt.recipes.carriers.redaction.areas import Area, merge_areas
from sudokucrypt.recipes.carriers.redaction.covering import (
    RedactionPlan,
    plan_redaction,
    select_areas,
)
from sudokucrypt.recipes.carriers.redaction.layers import (
    Binding,
    LayerContent,
    make_restoration_data,
    pack_restoration_data,
)
from sudokucrypt.recipes.carriers.redaction.lifting import OpenedRedaction
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import Package
from sudokucrypt.recipes.carriers.redaction.samples import SampleMedium
from tests.images.builders import (
    build_png,
    make_png,
    make_png_chunk,
    make_png_lines,
    make_png_noise,
    make_png_stream,
    noise,
    save_image,
)
from tests.page.node import Refusal, call, make_frame, run_calls, run_node, to_text

pytestmark = pytest.mark.programs("node")


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


def _make_case(file: bytes, *layers: dict[str, Any], cover: str = "black", **more: Any) -> Any:
    return {"file": to_text(file), "layers": layers, "cover": cover, **more}


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
    covered = plan.medium.cover(hidden_mask, index.cover, hidden_mask | plan.removed_mask)
    assert medium.has_same_samples(covered)
    binding = Binding.from_picture(package.line, medium, hidden_mask)
    shares = []
    for number, mask in enumerate(index.iterate_masks()):
        part = package.layers[number]
        content = LayerContent.from_bytes(number, part, binding, plan.medium.size(mask))
        assert content.pixels == plan.medium.extract(mask)
        assert content.name == plan.layers[number].name
        assert content.to_bytes(number, binding) == part
        shares.append(content.key_share)
    assert len({*shares}) == len(shares)
    size = sum(plan.medium.size(mask) for mask in index.iterate_masks())
    rest = make_restoration_data(plan.data, plan.medium)
    sealed = pack_restoration_data(plan.data, rest, binding.index_digest, shown, hidden_mask, size)
    assert package.sealed_restoration_data == sealed
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
    for rows, free, last in ((64, 4, 64), (64, 3, 64), (65, 4, 65), (64, 4, 54), (64, 3, 54)):
        # As many lines as an estimate needs, or one less, are free, or far from those that are not.
        pixels = np.concatenate([flat[:54], noise(rows - 54, 400, 3)])
        part = make_png_lines(pixels)
        packed, stored = (make_png_chunk(b"IDAT", zlib.compress(part, level)) for level in (-1, 0))
        file = make_png(pixels).replace(packed, stored)
        cases.append(_make_case(file, _layer((free, 0, last - free, 1))))
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
            cases.append({"file": to_text(data), "opened": opened})
            contents = {number: package.layers[number] for number in opened}
            result = OpenedRedaction(
                medium=open_medium(data, "", 2**24), index=index, package=package,
                contents=contents, threads=1,
            )  # fmt: skip
            whole = len(opened) == count
            wanted = lifted if whole else result.lift_covers()[0] if opened else None
            texts = (package.layers[n][131:][: package.layers[n][130]].decode() for n in opened)
            names = [text or f"{n + 1}" for n, text in zip(opened, texts, strict=True)]
            shares = [int.from_bytes(part[96:128]) for part in package.layers]
            key = to_text(reduce(xor, shares).to_bytes(32)) if whole else None
            about = {"lifted": names, "layers": count, "whole": whole, "version": 2, "key": key}
            expected.append((about, wanted))
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    for result, (about, wanted) in zip(results, expected, strict=True):
        data = result.pop("bytes")
        assert result == about
        if wanted is None or about["whole"]:
            assert data == (None if wanted is None else to_text(wanted))
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


def _list_packages() -> list[bytes]:
    """Return packages of which one field each has another value."""
    index: dict[str, Any] = {
        "redaction": 2, "id": "00" * 16, "medium": "samples", "canvas": [24, 31],
        "cover": "#000000", "layers": [[[1, 2, 3, 4]]],
    }  # fmt: skip
    usual = _join_package(index, [2, 3], b"abcde")
    packages = [usual, usual + b"f", usual[:-1], usual[:-6], usual[:-13], b"", b"\n", b"\n\n"]
    values: dict[str, Sequence[Any]] = {
        "id": (
            "0" * 31, "0" * 33, "0" * 31 + "g", "A" * 32, "", None, 5, ["0" * 32],
            "0123456789abcdef" * 2,
        ),
        "medium": ("jpeg", "png", "", None, 5, ["jpeg"]),
        "redaction": (0, 1, 3, -2, "2", None, 2.5, [2]),
        "canvas": (
            [2**20, 2**11], [2**20, 2**11 + 1], [2**28, 8], [2**28 + 1, 8],
        ),
        "cover": (
            "#123456", "#0f9faf", "surroundings", "black", "#00000", "#0000000", "#00000g", "", 5,
            None, "#FFFFFF", "x#000000", "Surroundings", "surroundings ",
        ),
        "layers": ([], None, {}, "x", 5, [[[1, 2, 3, 4]]] * 2),
        "permanent": ([[1, 2, 3, 4]], None),
        "more": (1,),
    }  # fmt: skip
    for name, others in values.items():
        packages += [_join_package({**index, name: other}, [2, 3], b"abcde") for other in others]
    for name, value in index.items():
        less = {key: value for key, value in index.items() if key != name}
        packages.append(_join_package(less, [2, 3], b"abcde"))
        packages.append(_join_package({**less, name: value}, [2, 3], b"abcde"))
    for count, change in itertools.product((1, 2, 63, 64, 65), (-1, 0, 1)):
        layers = {**index, "layers": [[[1, 2, 3, 4]]] * count}
        packages.append(
            _join_package(layers, [1] * (count + 1 + change), bytes(count + 1 + change))
        )
    canvas = {**index, "canvas": [2**20, 2**10]}
    for count in (2, 3):
        layers = {**canvas, "layers": [[[1, 2, 3, 4]]] * count}
        packages.append(_join_package(layers, [0] * (count + 1)))
    for count in (2**15, 2**15 + 100):
        areas = {**index, "canvas": [400, 400], "layers": [[[1, 1, 1, 1]] * count]}
        areas["permanent"] = [[1, 1, 1, 1]] * 2**15
        packages.append(_join_package(areas, [0, 0]))
    for lengths in ([5, 0], [0, 5], [6, -1], [2, 2, 1], [5], [], [2.5, 2.5], ["2", 3], [2, None],
                    {"0": 5}, 5, [2, 4], [1, 3], b"[2, 3]", b"[2,3] ", b"[2,3", b""):  # fmt: skip
        packages.append(_join_package(index, lengths, b"abcde"))
    packages.append(_join_package(index, [2, 3], b"abcde", feed=b"\r"))
    packages.append(b" " + usual)
    packages.append(usual.replace(b'"id":', b'"id": '))
    packages.append(usual.replace(b"samples", b"s\xc3\xa4mples"))
    return packages


def _parse_by_package(data: bytes) -> object:
    try:
        package = Package.from_bytes(data)
        index = package.index(2**31)
    except SudokucryptError as error:
        return {"refused": str(error)}
    layers = len(index.layers)
    about = {"lifted": [], "layers": layers, "whole": False, "version": index.version, "key": None}
    return {**about, "bytes": None}


_DAMAGED = "the layers of the redaction are damaged"


_NEWER = "the layers were written by a newer version"


def test_packages_with_a_wrong_field() -> None:
    """Packages are read, or refused with the message of the package, in each field and limit."""
    packages = _list_packages()
    cases = [{"file": "", "data": to_text(data), "opened": ()} for data in packages]
    expected = [_parse_by_package(data) for data in packages]
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    also = ({"refused": "layers: not ASCII JSON"}, {"refused": _NEWER})
    for data, actual, wanted in zip(packages, results, expected, strict=True):
        assert actual == wanted or (wanted == {"refused": _DAMAGED} and actual in also), data[:300]
    assert {"refused": _DAMAGED} in results
    assert {"refused": _NEWER} in expected


def test_the_most_rectangles_of_a_package() -> None:
    """A package has at most 65536 rectangles; the command line also reads a few more."""
    cases = []
    for count in (2**15, 2**15 + 1):
        index = {"redaction": 2, "id": "0" * 32, "medium": "samples", "canvas": [9, 9],
                 "cover": "#000000", "layers": [[[1, 1, 1, 1]] * 2**15],
                 "permanent": [[1, 1, 1, 1]] * count}  # fmt: skip
        data = _join_package(index, [0, 0])
        cases.append({"file": "", "data": to_text(data), "opened": ()})
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    assert [result.get("refused") for result in results] == [None, _DAMAGED]


_SHOWN = (
    "the display settings were changed: the orientation, the colors or the scans; "
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
        layer, rest = package.layers[0], package.sealed_restoration_data
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
            cases.append({"file": to_text(shown), "data": to_text(text), "opened": (0,)})
            expected.append(wanted)
    length = len(file)
    rests: list[tuple[bytes, str | None]] = [
        (rest, None), (_change(rest, 0), _REST), (_change(rest, 31), _REST),
        (_change(rest, 32), _REST), (_change(rest, 63), _REST), (_change(rest, 72), _REST),
        (_change(rest, 64, 83), "the rest of the picture has no form that this page knows"),
        (_change(rest, 73), _REST), (_change(rest, 73 + length - 1), _REST),
        (_change(rest, 73 + length), None), (rest[:73], _OTHER), (rest[:72], _OTHER),
        (rest[: 73 + length], None), (rest[: 72 + length], _OTHER), (_change(rest, 65), _OTHER),
        (rest[:32] + hashlib.sha256().digest() + b"F" + bytes(8), None),
    ]  # fmt: skip
    for changed, wanted in rests:
        parts = [*package.layers, changed]
        text = _join_package(package.line, [*map(len, parts)], *parts)
        cases.append({"file": to_text(shown), "data": to_text(text), "opened": (0,)})
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
        cases.append({"file": to_text(file), "data": to_text(data), "opened": (0,)})
    results: Any = run_node(_REDACTING_SCRIPT, cases)
    for result, (*_, name, message) in zip(results, rows, strict=True):
        if name is None:
            assert message in result["refused"]
        else:
            key = to_text(bytes(range(32)))
            assert result == {"lifted": [name], "layers": 1, "whole": True, "version": 1,
                              "key": key, "bytes": to_text(file)}  # fmt: skip


def test_pictures_that_the_browser_decodes() -> None:
    """Other pictures are covered as the browser shows them, in a rest of a likely length."""
    pixels = noise(40, 50, 4)
    frame = {**make_frame(pixels), "data": to_text(pixels.tobytes())}
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
        rest = Package.from_bytes(find_attachment(data) or b"").sealed_restoration_data
        likely = len(shown) // 4 + size // 2 if is_lossy else 4 * len(shown) + 3 * size // 2
        length = max(2**14, 1 << likely.bit_length())
        while length < 73 + len(file):
            length *= 2
        assert (len(rest), rest[64:65]) == (length, b"F")
        assert rest[73:] == file.ljust(length - 73, b"\0")
    refused: Any = run_node(_REDACTING_SCRIPT, [_make_case(lossy[2], layer)])
    assert "JPEG" in refused[0]["refused"]


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

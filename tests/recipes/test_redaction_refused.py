"""Redacted pictures with edits, layers of other pictures, or invalid packages are refused."""

import base64
import hashlib
import io
import json
import secrets
import struct
import zlib
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    KeyRing,
    Layer,
    SudokucryptError,
    UnsupportedError,
    decrypt_file,
    encrypt_bytes,
    redact_file,
    redactions,
    rekey_file,
    scramble_file,
    unredact_file,
)
from sudokucrypt.errors import ImageTooLargeError
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.images.attachments import add_attachment, find_attachment
from sudokucrypt.images.driver import Source
from sudokucrypt.images.png.file import walk_chunks
from sudokucrypt.recipes import inspect_file
from sudokucrypt.recipes.carriers.redaction import covering
from sudokucrypt.recipes.carriers.redaction import layers as contents
from sudokucrypt.recipes.carriers.redaction.areas import Area, count_pixels
from sudokucrypt.recipes.carriers.redaction.layers import (
    Binding,
    LayerContent,
    combine_shares,
    rebuild_original,
    seal,
)
from sudokucrypt.recipes.carriers.redaction.masks import pack_mask
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import (
    MAX_LAYERS,
    MAX_MASKED_PIXELS,
    Index,
    Package,
)
from sudokucrypt.typing import Region
from tests.images import builders as b
from tests.recipes.memory import run_on_bytes
from tests.recipes.redacting import (
    AREAS,
    KEYS,
    draw_scene,
    lift_covers,
    make_layers,
    read_package,
    redact_bytes,
    save_scene,
)
from tests.spies import watch_memory


def _change_last_sample(png: bytes) -> bytes:
    """Return a PNG of one IDAT chunk in which the last sample differs."""
    start = png.index(b"IDAT")
    end = start + 4 + int.from_bytes(png[start - 4 : start], "big")
    lines = bytearray(zlib.decompress(png[start + 4 : end]))
    lines[-1] ^= 1
    chunk = b.make_png_chunk(b"IDAT", zlib.compress(lines))
    return png[: start - 4] + chunk + png[end + 4 :]


@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_edits_and_foreign_layers_are_refused(file_format: str) -> None:
    """An edit outside the areas, layers of another picture, and missing layers are refused."""
    data = save_scene(file_format, lossless=True)
    redacted = [redact_bytes(data, make_layers(2)) for _ in range(2)]
    first, second = map(read_package, redacted)
    without_layers = redact_bytes(data, [Layer(None, (*AREAS[0], *AREAS[1]))])

    def pack_layers(line: bytes, layers: Sequence[bytes], sealed_rest: bytes) -> bytes:
        return add_attachment(without_layers, Package(line, tuple(layers), sealed_rest).to_bytes())

    assert (
        lift_covers(pack_layers(first.line, first.layers, first.sealed_restoration_data), *KEYS)
        == data
    )
    with pytest.raises(
        DecryptionError, match="it belongs to another picture, or the areas were changed"
    ):
        lift_covers(pack_layers(first.line, second.layers, first.sealed_restoration_data), *KEYS)
    with_other_rest = pack_layers(first.line, first.layers, second.sealed_restoration_data)
    with pytest.raises(DecryptionError, match="the rest of the file was changed"):
        lift_covers(with_other_rest, *KEYS)
    with pytest.raises(DecryptionError, match="the rest of the file was changed"):
        run_on_bytes(rekey_file, with_other_rest, KeyRing(KEYS), KEYS[2])
    changed = pack_layers(
        first.line,
        [_change_last_sample(first.layers[0]), first.layers[1]],
        first.sealed_restoration_data,
    )
    with pytest.raises(DecryptionError, match="layer 1 was changed"):
        lift_covers(changed, *KEYS[:1])
    lift_covers(changed, *KEYS[1:])
    for keys in (KEYS, KEYS[:1], KEYS[1:]):
        with pytest.raises(DecryptionError, match="it has the number of another layer"):
            lift_covers(
                pack_layers(first.line, first.layers[::-1], first.sealed_restoration_data), *keys
            )
    with pytest.raises(FormatError):
        lift_covers(pack_layers(first.line, first.layers[:1], first.sealed_restoration_data), *KEYS)
    with pytest.raises(DecryptionError, match="areas were changed"):
        lift_covers(
            pack_layers(
                first.line.replace(b"#000000", b"#ffffff"),
                first.layers,
                first.sealed_restoration_data,
            ),
            *KEYS,
        )
    with pytest.raises(InvalidImageError, match="holds no layers"):
        lift_covers(without_layers, *KEYS)
    with pytest.raises(DecryptionError, match="no layer opens"):
        lift_covers(redacted[0], KEYS[2])
    with pytest.raises(InvalidKeyError, match="not str"):
        lift_covers(redacted[0], *KEYS, "a key")  # type: ignore[arg-type]
    pixels = np.asarray(Image.open(io.BytesIO(without_layers)).convert("RGB")).copy()
    pixels[70, 70] ^= 255
    edited = b.save_image(pixels, file_format, lossless=True)
    with pytest.raises(DecryptionError, match="edited outside the covered areas"):
        lift_covers(add_attachment(edited, first.to_bytes()), *KEYS)


def test_ragged_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mask whose index would be too long to be read is refused when redacting.

    So are too many rectangles, of which those that are removed for good count, too.
    """
    data, layers = save_scene("PNG"), [Layer(KEYS[0], mask=b.noise(93, 117, 1) > 127)]
    length = len(read_package(redact_bytes(data, layers)).line)
    rectangles = [Layer(KEYS[0], AREAS[0]), Layer(None, AREAS[1])]
    count = len(AREAS[0]) + len(AREAS[1])
    for name, limit, case in (
        ("MAX_INDEX_BYTES", length, layers),
        ("MAX_RECTANGLES", count, rectangles),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(covering, name, limit)
            redact_bytes(data, case)
            patch.setattr(covering, name, limit - 1)
            with pytest.raises(InvalidParameterError, match="the areas are too complex to store"):
                redact_bytes(data, case)


def test_invalid_redactions() -> None:
    """Areas outside the picture, unknown covers, animations and redacted files are refused."""
    data = save_scene("PNG", "RGB")
    with pytest.raises(InvalidParameterError, match="does not lie in a picture"):
        redact_bytes(data, [Layer(KEYS[0], [(90, 0, 10, 10)])])
    with pytest.raises(InvalidParameterError, match="a cover is"):
        redact_bytes(data, make_layers(1), cover="blur")
    with pytest.raises(InvalidParameterError, match="no areas"):
        redact_bytes(data, [Layer(KEYS[0])])
    with pytest.raises(InvalidParameterError, match="layers are a list of Layer"):
        redact_bytes(data, [*make_layers(1), AREAS[1]])  # type: ignore[list-item] # tested
    redact_bytes(data, [Layer(KEYS[0], AREAS[0], name="a" * 100)] + [Layer(None, AREAS[1])] * 64)
    area = [(0, 0, 1, 1)]
    many = [Layer(KEYS[0], area)] * MAX_LAYERS
    assert len(read_package(redact_bytes(data, many)).layers) == MAX_LAYERS
    for layers in ([], [*many, Layer(KEYS[0], area)]):
        with pytest.raises(InvalidParameterError, match="1 to 64 layers"):
            redact_bytes(data, layers)
    never_called = Layer(KEYS[0], lambda _: pytest.fail("keys are checked before areas are found"))
    with pytest.raises(InvalidKeyError, match="cannot protect any"):
        redact_bytes(data, [never_called, Layer(KeyRing(KEYS), AREAS[0])])  # type: ignore[arg-type]
    for name in ("a" * 101, "a\nb"):
        with pytest.raises(InvalidParameterError, match="the name of a layer is one line"):
            redact_bytes(data, [Layer(KEYS[0], AREAS[0], name=name)])
    with pytest.raises(UnsupportedError, match="redacted already"):
        redact_bytes(redact_bytes(data, make_layers(1)), make_layers(1))
    buffer = io.BytesIO()
    draw_scene().save(buffer, "GIF", save_all=True, append_images=[draw_scene(1)])
    with pytest.raises(UnsupportedError, match="an animation"):
        redact_bytes(buffer.getvalue(), make_layers(1))


@pytest.mark.parametrize(
    "package",
    [
        b"",
        b"\n",
        b"{}\n[]\n",
        b"[]\n[0]\n",
        b"{\n[1]\nx",
        b'{"redaction":3}\n[0,0]\n',
        b'{"redaction":true}\n[0,0]\n',
        b'{"redaction":1,"id":"","medium":"samples","canvas":[93,117]}\n[0,0]\n',
        b"[" * 9999 + b"\n[0]\n",
        b"{}\n[true]\n",
        b"{}\n[-1]\n",
    ],
)
def test_hostile_packages(package: bytes) -> None:
    """Packages with an invalid index or invalid lengths raise FormatError."""
    with pytest.raises(FormatError):
        lift_covers(add_attachment(save_scene("PNG", "RGB"), package), KEYS[0])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("canvas", [2**31, 2**31]),
        ("canvas", [True, 117]),
        ("canvas", [93, 117.0]),
        ("canvas", [93.0, 117]),
        ("canvas", [0, 117]),
        ("canvas", [1e999, 4]),
        ("cover", 5),
        ("layers", [[[0, 0, 93, 117]] * 4 + [[0, 0, 1, 1]]]),
        ("layers", [[[0, 0, 0, 9], [0, 0, 1, 1]]]),
        ("layers", [[[0, 0, 9, 0], [0, 0, 1, 1]]]),
        ("layers", [[[0, 0, -9, -9]]]),
        ("layers", [[[-1, 0, 9, 9]]]),
        ("layers", [[[0, -1, 9, 9]]]),
        ("layers", [[[0, 110, 9, 9]]]),
        ("layers", [[[90, 0, 9, 9]]]),
        ("layers", ["AAAA"]),
        ("layers", [[[0.5, 0, 8, 8]]]),
        ("layers", [[]]),
        ("layers", None),
        ("id", 7),
        ("medium", ["jpeg"]),
        ("layers", [[[0, 0, 1, 1]] * 2**16] * 2),
        ("layers", {str(n): 0 for n in range(9)}),
        ("redaction", 3),
        ("redaction", True),
        ("redaction", 2.0),
    ],
)
def test_hostile_indexes(field: str, value: object) -> None:
    """An index with a field of a wrong type, value or version is refused."""
    with pytest.raises(FormatError, match="newer version" if value == 3 else None):
        _lift_with_index(field, value)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("redaction", 1, "areas were changed"),
        ("layers", [[[0, 0, 93, 117]] * 4], "areas were changed"),
        ("layers", [[[92, 116, 1, 1]]], "areas were changed"),
        ("medium", "jpeg", "resized or converted"),
        ("canvas", [93, 118], "resized or converted"),
    ],
)
def test_valid_indexes_of_other_pictures(field: str, value: object, message: str) -> None:
    """An index at the limits of what is valid is read, and found to be of another picture."""
    with pytest.raises(DecryptionError, match=message):
        _lift_with_index(field, value)


def _lift_with_index(field: str, value: object) -> None:
    """Lift the cover of a picture in whose index a field was changed."""
    plain = save_scene("PNG", "RGB")
    line, _, parts = (find_attachment(redact_bytes(plain, make_layers(1))) or b"").partition(b"\n")
    changed = json.dumps(json.loads(line) | {field: value}, separators=(",", ":")).encode()
    lift_covers(add_attachment(plain, changed + b"\n" + parts), KEYS[0])


def test_many_layers_of_a_large_picture_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index with more layers than masks can be made of is refused, and so is writing one."""
    area = Area(canvas=(11_000, 11_000), regions=(Region(0, 0, 1, 1),))
    index = Index(
        id=bytes(16),
        medium="samples",
        canvas=(11_000, 11_000),
        cover="#000000",
        layers=(area,) * 18,
    )
    with pytest.raises(FormatError, match="damaged"):
        Index.from_line(index.to_line(), max_pixels=MAX_PIXELS)
    fewer = replace(index, layers=index.layers[:17])
    package = "sudokucrypt.recipes.carriers.redaction.package"
    for limit in (MAX_MASKED_PIXELS, 17 * 11_000**2):
        monkeypatch.setattr(f"{package}.MAX_MASKED_PIXELS", limit)
        assert len(Index.from_line(fewer.to_line(), max_pixels=MAX_PIXELS).layers) == 17
    small = Area(canvas=(100, 100), regions=area.regions)
    for count in (MAX_LAYERS, MAX_LAYERS + 1):
        line = replace(index, canvas=(100, 100), layers=(small,) * count).to_line()
        with pytest.raises(FormatError) if count > MAX_LAYERS else nullcontext():
            assert len(Index.from_line(line, max_pixels=MAX_PIXELS).layers) == count
    for most_pixels in (9_999, 10_000):
        with nullcontext() if most_pixels == 10_000 else pytest.raises(FormatError):
            small_index = replace(index, canvas=(100, 100), layers=(small,))
            assert Index.from_line(small_index.to_line(), max_pixels=most_pixels).layers == (small,)
    most = replace(index, canvas=(100, 100), layers=(small,) * MAX_LAYERS, permanent=small)
    for limit in (MAX_LAYERS + 1, MAX_LAYERS):
        monkeypatch.setattr(f"{package}.MAX_RECTANGLES", limit)
        with nullcontext() if limit > MAX_LAYERS else pytest.raises(FormatError):
            Index.from_line(most.to_line(), max_pixels=MAX_PIXELS)
    monkeypatch.setattr(covering, "MAX_MASKED_PIXELS", 2 * 93 * 117)
    redact_bytes(save_scene("PNG", "RGB"), make_layers(2))
    monkeypatch.setattr(covering, "MAX_MASKED_PIXELS", 93 * 117)
    with pytest.raises(InvalidParameterError, match="at most 1 layers, not 2"):
        redact_bytes(save_scene("PNG", "RGB"), make_layers(2))


_INDEX, _VISIBLE_DIGEST, _DISPLAY_DIGEST = bytes(32), bytes(range(32)), bytes([5] * 32)
_BINDING = Binding(
    index_digest=_INDEX, visible_digest=_VISIBLE_DIGEST, display_digest=_DISPLAY_DIGEST
)
_BINDING_V1 = Binding(index_digest=_INDEX, visible_digest=_VISIBLE_DIGEST, display_digest=None)
_NO_LAYER = "it is not the layer of a redaction"


@pytest.mark.parametrize(
    ("layer_head", "message"),
    [
        (b"short", _NO_LAYER),
        (_VISIBLE_DIGEST + _VISIBLE_DIGEST + bytes(39), _NO_LAYER),
        (
            _VISIBLE_DIGEST + _VISIBLE_DIGEST + bytes(40),
            "it belongs to another picture, or the areas were changed",
        ),
        (_INDEX + _INDEX + bytes(40), "edited outside"),
        (_INDEX + _VISIBLE_DIGEST + bytes(32) + bytes([0] * 7 + [9]), _NO_LAYER),
        (_INDEX + _VISIBLE_DIGEST + bytes(32) + bytes([0] * 7 + [9]) + b"name\nxyz", _NO_LAYER),
        (_INDEX + _VISIBLE_DIGEST + bytes(40), _NO_LAYER),
    ],
)
def test_layers_of_version_1_of_other_pictures(layer_head: bytes, message: str) -> None:
    """Sealed contents that are no layer of version 1 of this picture are refused."""
    with pytest.raises(DecryptionError, match=message):
        LayerContent.from_bytes_v1(0, layer_head, _BINDING_V1, 9)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"short", _NO_LAYER),
        (bytes(530), _NO_LAYER),
        (
            _VISIBLE_DIGEST * 3 + bytes(435),
            "it belongs to another picture, or the areas were changed",
        ),
        (
            _VISIBLE_DIGEST * 3 + bytes(4000),
            "it belongs to another picture, or the areas were changed",
        ),
        (_INDEX + _INDEX + _DISPLAY_DIGEST + bytes(4000), "edited outside"),
        (_INDEX + _VISIBLE_DIGEST + _INDEX + bytes(4000), "the display settings were changed"),
        (_INDEX + _VISIBLE_DIGEST + _DISPLAY_DIGEST + bytes(32) + b"\1" + bytes(3966), _NO_LAYER),
        (_INDEX + _VISIBLE_DIGEST + _DISPLAY_DIGEST + bytes(32) + b"\1" + bytes(4223), _NO_LAYER),
        (
            _INDEX + _VISIBLE_DIGEST + _DISPLAY_DIGEST + bytes(32) + b"\1\1\x91" + bytes(3965),
            _NO_LAYER,
        ),
        (
            _INDEX + _VISIBLE_DIGEST + _DISPLAY_DIGEST + bytes(32) + b"\2" + bytes(3967),
            "it has the number of another layer",
        ),
    ],
)
def test_layers_of_other_pictures(content: bytes, message: str) -> None:
    """Layers with wrong digests, names of more than 400 bytes or wrong lengths are refused.

    A valid layer is read as it was written.
    """
    with pytest.raises(DecryptionError, match=message):
        LayerContent.from_bytes(0, content, _BINDING, 9)
    layer = LayerContent(key_share=bytes(32), name="\N{FOX FACE}" * 100, pixels=b"123456789")
    encoded = layer.to_bytes(0, _BINDING)
    assert LayerContent.from_bytes(0, encoded, _BINDING, 9) == layer
    assert len(encoded) == 4096


def test_pixels_of_version_1_of_another_length() -> None:
    """Pixels that inflate to more or fewer bytes than expected are refused."""
    layer_head = _INDEX + _VISIBLE_DIGEST + bytes(32)
    for count in (8, 10, 10**8):
        body = b"name\n" + zlib.compress(bytes(count))
        content = layer_head + len(body).to_bytes(8) + body
        with pytest.raises(DecryptionError):
            LayerContent.from_bytes_v1(0, content, _BINDING_V1, 9)
        assert LayerContent.from_bytes_v1(0, content, _BINDING_V1, count).name == "name"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "rest",
    [
        b"",
        bytes(73) + b"no zlib",
        _INDEX + bytes(32) + b"F" + bytes(7) + b"\7no zlib",
        bytes(64) + b"F" + bytes(7) + b"\x09" + zlib.compress(b"x"),
        bytes(32) + hashlib.sha256(b"").digest() + b"F" + bytes([255] * 8),
        _INDEX + hashlib.sha256(b"x").digest() + b"F" + bytes(7) + b"\2x",
    ],
)
def test_invalid_rests(rest: bytes, version: int) -> None:
    """A rest that is truncated, damaged, or of another picture is refused, but no empty file."""
    medium = open_medium(save_scene("PNG", "RGB"), "x", None)
    with pytest.raises(DecryptionError):
        rebuild_original(rest, medium, _INDEX, version)
    empty = _INDEX + hashlib.sha256(b"").digest() + b"F" + bytes(8)
    assert rebuild_original(empty, medium, _INDEX, 2) == b""


# Hostile redacted files take little memory before a key opens a part of them.


SIDE = 11_585
MIB = 2**20


def _make_flat(rows: int, columns: int) -> bytes:
    """Return a black gray PNG of any size in a few bytes."""
    engine = zlib.compressobj(9)
    lines = bytes(64 * (columns + 1))
    blocks = [engine.compress(lines) for _ in range(rows // 64)]
    stream = b"".join([*blocks, engine.compress(bytes(rows % 64 * (columns + 1))), engine.flush()])
    return b.build_png(columns, rows, stream)


def _claim_areas(
    picture: bytes, canvas: tuple[int, int], layers: list[Any], **fields: Any
) -> bytes:
    """Attach an index with these areas, and layers for another key, to a picture."""
    index = {"redaction": 2, "id": "00" * 16, "medium": "samples", "canvas": list(canvas)}
    index |= {"cover": "#000000", "layers": layers, **fields}
    line = json.dumps(index, separators=(",", ":")).encode()
    sealed_layer = seal(bytes(4096), Key(bytes([9] * 32)), 1)
    return add_attachment(
        picture, Package(line, (sealed_layer,) * len(layers), sealed_layer).to_bytes()
    )


def _lift_from(stream: io.BytesIO) -> None:
    """Lift covers with a key that opens none."""
    unredact_file(stream, io.BytesIO(), KEYS[0])


def _measure_peak(data: bytes) -> int:
    """Return the peak of memory while a file is inspected, and opened with a wrong key."""
    calls: list[Callable[[], object]] = [
        lambda: redactions(io.BytesIO(data)),
        lambda: inspect_file(io.BytesIO(data)),
        lambda: inspect_file(io.BytesIO(data), KEYS[0]),
        lambda: _lift_from(io.BytesIO(data)),
        lambda: decrypt_file(io.BytesIO(data), io.BytesIO(), KEYS[0]),
    ]
    with watch_memory() as memory:
        for call in calls:
            with suppress(FormatError, DecryptionError):
                call()
    return memory.peak


WHOLE_CANVAS = [[0, 0, SIDE, SIDE]]


@pytest.mark.parametrize("version", [1, 2])
def test_a_false_canvas_takes_no_memory(version: int) -> None:
    """A picture of one pixel whose index claims 16 layers of 134 megapixels is refused."""
    data = _claim_areas(_make_flat(1, 1), (SIDE, SIDE), [WHOLE_CANVAS] * 16, redaction=version)
    calls: tuple[Callable[..., object], ...] = (redactions, inspect_file, _lift_from)
    for call in calls:
        with pytest.raises(DecryptionError, match="resized or converted"):
            call(io.BytesIO(data))
    assert _measure_peak(data) < 4 * MIB


def test_a_large_flat_picture_costs_little() -> None:
    """A large picture is not decoded, and no mask is made, before a key opens a layer."""
    columns = [[0, 99 * index, SIDE, 1] for index in range(100)]
    layers = [WHOLE_CANVAS, columns] * 2
    data = _claim_areas(_make_flat(SIDE, SIDE), (SIDE, SIDE), layers, permanent=WHOLE_CANVAS)
    assert _measure_peak(data) < 40 * MIB
    redaction = redactions(io.BytesIO(data))
    assert [layer.pixels for layer in redaction.layers] == [SIDE**2, 0, 0, 0]
    assert redaction.permanent == SIDE**2


@pytest.mark.slow
def test_long_indexes_cost_little() -> None:
    """Ragged masks, many rectangles and JSON of 16 MB take only a few times their length."""
    runs = bytes([1]) * 1_499_999
    last = SIDE**2 - len(runs)
    runs += bytes([last % 128 + 128, last // 128 % 128 + 128, last // 2**14 % 128 + 128])
    runs += bytes([last // 2**21])
    mask = base64.b64encode(runs).decode()
    picture = _make_flat(SIDE, SIDE)
    assert _measure_peak(_claim_areas(picture, (SIDE, SIDE), [mask] * 2)) < 100 * MIB
    fields: list[Any] = [
        [[[0, 0, 1, 1]] * 500_000],
        [[[]] * 1_000_000],
        [{str(n): 0 for n in range(300_000)}],
        [0] * 2_000_000,
    ]
    for field in fields:
        data = _claim_areas(_make_flat(1, 1), (1, 1), [field])
        assert _measure_peak(data) < 300 * MIB


def test_pixels_are_counted_without_masks() -> None:
    """`count_pixels` returns, for random rectangles and runs, the counts of their masks."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        canvas = int(rng.integers(1, 40)), int(rng.integers(1, 40))
        areas = []
        for _ in range(rng.integers(1, 6)):
            mask = rng.random(canvas) < rng.random()
            row, column = int(rng.integers(canvas[0])), int(rng.integers(canvas[1]))
            rows = int(rng.integers(1, canvas[0] - row, endpoint=True))
            box = Region(row, column, rows, canvas[1] - column)
            areas.append(
                Area(canvas=canvas, regions=None, runs=pack_mask(mask))
                if rng.random() < 0.5
                else Area(canvas=canvas, regions=(box, Region(0, 0, 1, 1)))
            )
        index = Index(
            id=bytes(16), medium="samples", canvas=canvas, cover="#000000", layers=tuple(areas)
        )
        assert count_pixels(areas) == [int(mask.sum()) for mask in index.iterate_masks()]
        size = int(rng.integers(1, 9))
        for area in areas:
            assert np.array_equal(np.concatenate(list(area.iterate_strips(size))), area.mask())
    with pytest.raises(FormatError, match="does not fit"):
        count_pixels([Area(canvas=(2, 2), regions=None, runs=b"\1\2\1\1")])


GRAY_PNG = b.make_png(np.zeros((1, 2), np.uint8))


def _make_case(
    version: int, body: bytes, digest: bytes = bytes(32), picture: bytes = GRAY_PNG
) -> bytes:
    """Return a PNG of two pixels, redacted for the first key; its rest has this body."""
    canvas = 1, 2
    area = Area(canvas=canvas, regions=(Region(0, 0, 1, 1),))
    index = Index(
        id=bytes(16), medium="samples", canvas=canvas, cover="#000000", layers=(area,),
        version=version,
    )  # fmt: skip
    line, share = index.to_line(), secrets.token_bytes(32)
    medium = open_medium(picture, "x", None, is_legacy=version == 1)
    binding = contents.Binding.from_picture(line, medium, area.mask())
    layer = contents.LayerContent(key_share=share, name="x", pixels=b"\0").to_bytes(0, binding)
    if version == 1:
        old = b"x\n" + zlib.compress(b"\0")
        layer = (
            binding.index_digest
            + binding.visible_digest
            + share
            + struct.pack(">Q", len(old))
            + old
        )
    rest = binding.index_digest + digest + b"F" + struct.pack(">Q", len(body)) + body
    sealed_parts = seal(layer, KEYS[0], 1), seal(rest, combine_shares([share]), 1)
    return add_attachment(picture, Package(line, sealed_parts[:1], sealed_parts[1]).to_bytes())


def test_a_rest_that_inflates_is_refused() -> None:
    """A rest of version 1 that inflates to more than 64 MiB and 16 bytes a pixel is refused.

    In version 2, the rest is not inflated.
    """
    limit = 64 * MIB + 16 * 2
    for size, message in ((limit, None), (limit + 1, "rest of the file was changed")):
        content = bytes(size)
        digest = hashlib.sha256(content).digest()
        data = _make_case(1, zlib.compress(content, 9), digest=digest)
        if message is None:
            assert len(run_on_bytes(unredact_file, data, KEYS[0])) == limit
            continue
        with pytest.raises(DecryptionError, match=message):
            run_on_bytes(unredact_file, data, KEYS[0])
    compressed = zlib.compress(bytes(limit), 9)
    data = _make_case(2, compressed, digest=hashlib.sha256(compressed).digest())
    assert run_on_bytes(unredact_file, data, KEYS[0]) == compressed


def test_samples_of_4_bits_of_version_1_are_lifted_together() -> None:
    """A PNG of 4 bits is restored from its layers of version 1, which cannot be covered again."""
    picture = b.build_png(2, 1, b"\0\x0f", bits=4)
    digest = hashlib.sha256(b"the original").digest()
    data = _make_case(1, zlib.compress(b"the original"), digest, picture)
    assert lift_covers(data, KEYS[0]) == b"the original"
    with pytest.raises(UnsupportedError, match="only all covers of this picture can be lifted"):
        run_on_bytes(rekey_file, data, KEYS[0], KEYS[2])


def test_a_layer_that_inflates_is_refused() -> None:
    """A layer whose PNG has more samples than bytes is reported as damaged."""
    data = redact_bytes(save_scene("PNG"), [Layer(KEYS[0], [(0, 0, 9, 9)])])
    package = read_package(data)
    chunks = list(walk_chunks(Source(seal(bytes(2 * MIB), KEYS[0], 1), "x", 0)))
    lines = zlib.decompress(b"".join(bytes(body) for kind, body in chunks if kind == b"IDAT"))
    flat = b.make_png_chunk(b"IDAT", zlib.compress(bytes(len(lines)), 9))
    head, text = (b.make_png_chunk(kind, bytes(body)) for kind, body in chunks[:2])
    short = b"".join([b"\x89PNG\r\n\x1a\n", head, text, flat, b.make_png_chunk(b"IEND", b"")])
    assert len(short) < 20_000
    hostile = Package(package.line, (short,), package.sealed_restoration_data).to_bytes()
    without_layers = redact_bytes(save_scene("PNG"), [Layer(None, [(0, 0, 9, 9)])])
    with pytest.raises(FormatError, match="layer 1 is damaged"):
        run_on_bytes(unredact_file, add_attachment(without_layers, hostile), KEYS[0])


def test_the_limits_of_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with an index and lengths of the longest allowed length is read, but no longer.

    It is read whatever its index is; reading an empty index is an error. Lengths that go back and
    forth do not multiply the memory.
    """
    monkeypatch.setattr("sudokucrypt.recipes.carriers.redaction.package.MAX_INDEX_BYTES", 7)
    for data, is_valid in (
        (b"\n[5,4]\nlayerrest", True),
        (b"\n[5,4]\nlayerrest.", False),
        (b"\n[5,4]\nlayerres", False),
        (b"\n[5, 4]\nlayerrest", False),
        (b"1234567\n[" + b"0," * 2046 + b"0]\n", True),
        (b"12345678\n[0,0]\n", False),
        (b"\n[" + b"0," * 2047 + b"0]\n", False),
    ):
        with nullcontext() if is_valid else pytest.raises(FormatError, match="damaged"):
            assert Package.from_bytes(data).to_bytes() == data
    lengths = json.dumps([10**6, -(10**6)] * 50).encode()
    with watch_memory() as memory, pytest.raises(FormatError, match="damaged"):
        Package.from_bytes(b"{}\n" + lengths + b"\n" + bytes(10**6))
    assert memory.peak < 10**7
    package = Package(b"", (b"layer",), b"rest")
    with pytest.raises(FormatError, match="damaged"):
        package.index(100)


def test_a_layer_that_is_no_file_is_refused() -> None:
    """A sealed picture of pixels, one that is not sealed, or one of a new version is no layer."""
    data = save_scene("PNG")
    package = read_package(redact_bytes(data, [Layer(KEYS[0], [(0, 0, 9, 9)])]))
    without_layers = redact_bytes(data, [Layer(None, [(0, 0, 9, 9)])])
    sealed = encrypt_bytes(data, KEYS[0], as_file=False)
    chunks = walk_chunks(Source(package.layers[0], "x", 0))
    newer = b"\x89PNG\r\n\x1a\n" + b"".join(
        b.make_png_chunk(kind, bytes(body).replace(b'"sudokucrypt":1', b'"sudokucrypt":9'))
        for kind, body in chunks
    )
    for layer, message in (
        (sealed, "layer 1 was changed"),
        (data, "layer 1 is damaged"),
        (newer, "this header's version is not known"),
    ):
        hostile = Package(package.line, (layer,), package.sealed_restoration_data).to_bytes()
        with pytest.raises(SudokucryptError, match=message):
            run_on_bytes(unredact_file, add_attachment(without_layers, hostile), KEYS[0])


def test_a_jpeg_with_too_many_coefficients_does_not_become_a_png() -> None:
    """`redact_file` and `scramble_file` refuse a JPEG above `max_pixels` with the same message."""
    data = b.save_image(b.noise(2000, 2500, 3), "JPEG", subsampling=0)
    messages = []
    calls: list[tuple[Any, Any]] = [
        (redact_file, [Layer(KEYS[0], [(0, 0, 9, 9)])]),
        (scramble_file, KEYS[0]),
    ]
    for call, secret in calls:
        with pytest.raises(ImageTooLargeError, match="bytes of coefficients") as error_info:
            run_on_bytes(call, data, secret, max_pixels=5_000_000)
        messages.append(str(error_info.value))
        assert error_info.value.hint_key == "max_pixels"
        assert run_on_bytes(call, data, secret, max_pixels=14_000_000).startswith(b"\xff\xd8")
    assert messages[0] == messages[1]

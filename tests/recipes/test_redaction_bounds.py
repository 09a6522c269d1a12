"""What a stranger's redacted file claims costs little before a key opens a part of it."""

import base64
import hashlib
import io
import json
import secrets
import struct
import tracemalloc
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Key,
    Layer,
    decrypt_file,
    redact_file,
    redactions,
    scramble_file,
    unredact_file,
)
from sudokucrypt.errors import ImageTooLargeError
from sudokucrypt.images.attachments import with_attachment
from sudokucrypt.images.driver import Source
from sudokucrypt.images.png.file import walk_chunks
from sudokucrypt.recipes import inspect_file
from sudokucrypt.recipes.carriers.redaction import layers as contents
from sudokucrypt.recipes.carriers.redaction.areas import Area, count_pixels
from sudokucrypt.recipes.carriers.redaction.layers import combine_shares, seal
from sudokucrypt.recipes.carriers.redaction.masks import pack_mask
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import Index, Package
from sudokucrypt.typing import Region
from tests.images import builders as b
from tests.recipes.memory import result_of
from tests.recipes.redacting import KEYS, package_of, redact_bytes, saved

if TYPE_CHECKING:
    from collections.abc import Callable

SIDE = 11_585
MIB = 2**20


def _flat(rows: int, columns: int) -> bytes:
    """A gray PNG of any size in a few bytes."""
    engine = zlib.compressobj(9)
    lines = bytes(64 * (columns + 1))
    parts = [engine.compress(lines) for _ in range(rows // 64)]
    packed = b"".join([*parts, engine.compress(bytes(rows % 64 * (columns + 1))), engine.flush()])
    return b.png(columns, rows, packed)


def _claiming(picture: bytes, canvas: tuple[int, int], layers: list[Any], **more: Any) -> bytes:
    """A picture with an index that claims areas on a canvas, and layers for another key."""
    fields = {"redaction": 2, "id": "00" * 16, "medium": "samples", "canvas": list(canvas)}
    fields |= {"cover": "#000000", "layers": layers, **more}
    line = json.dumps(fields, separators=(",", ":")).encode()
    part = seal(bytes(4096), Key(bytes([9] * 32)), 1)
    return with_attachment(picture, Package(line, (part,) * len(layers), part).to_bytes())


def _peak(data: bytes) -> int:
    """Return the most memory that is taken while a file is looked at, and tried with a key."""
    tracemalloc.start()
    try:
        calls: list[Callable[[], object]] = [
            lambda: redactions(io.BytesIO(data)),
            lambda: inspect_file(io.BytesIO(data)),
            lambda: inspect_file(io.BytesIO(data), KEYS[0]),
            lambda: unredact_file(io.BytesIO(data), io.BytesIO(), KEYS[0]),
            lambda: decrypt_file(io.BytesIO(data), io.BytesIO(), KEYS[0]),
        ]
        for call in calls:
            try:
                call()
            except (FormatError, DecryptionError):
                continue
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


WHOLE = [[0, 0, SIDE, SIDE]]


@pytest.mark.parametrize("version", [1, 2])
def test_a_canvas_that_is_not_there_costs_nothing(version: int) -> None:
    """A picture of one pixel whose index claims 16 layers of 134 megapixels is refused."""
    data = _claiming(_flat(1, 1), (SIDE, SIDE), [WHOLE] * 16, redaction=version)
    looks: tuple[Callable[..., object], ...] = (redactions, inspect_file)
    for call in looks:
        with pytest.raises(DecryptionError, match="resized or converted"):
            call(io.BytesIO(data))
    assert _peak(data) < 4 * MIB


def test_a_large_flat_picture_costs_little() -> None:
    """It is not decoded, nor are masks made of its layers, before a key opens one."""
    tall = [[0, 99 * n, SIDE, 1] for n in range(100)]
    data = _claiming(_flat(SIDE, SIDE), (SIDE, SIDE), [WHOLE, tall] * 2, permanent=WHOLE)
    assert _peak(data) < 40 * MIB
    redaction = redactions(io.BytesIO(data))
    assert [layer.pixels for layer in redaction.layers] == [SIDE**2, 0, 0, 0]
    assert redaction.permanent == SIDE**2


@pytest.mark.slow
def test_long_indexes_cost_little() -> None:
    """Ragged masks, many rectangles and JSON of 16 MB take a few times their length."""
    runs = bytes([1]) * 1_499_999
    left = SIDE**2 - len(runs)
    runs += bytes([left % 128 + 128, left // 128 % 128 + 128, left // 2**14 % 128 + 128])
    runs += bytes([left // 2**21])
    mask = base64.b64encode(runs).decode()
    picture = _flat(SIDE, SIDE)
    assert _peak(_claiming(picture, (SIDE, SIDE), [mask] * 2)) < 100 * MIB
    fields: list[Any] = [
        [[[0, 0, 1, 1]] * 500_000],
        [[[]] * 1_000_000],
        [{str(n): 0 for n in range(300_000)}],
        [0] * 2_000_000,
    ]
    for field in fields:
        data = _claiming(_flat(1, 1), (1, 1), [field])
        assert _peak(data) < 300 * MIB


def test_pixels_are_counted_as_masks_count_them() -> None:
    """Counts of rectangles and runs are those of their pixels, each for the first that has it."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        canvas = int(rng.integers(1, 40)), int(rng.integers(1, 40))
        areas = []
        for _ in range(rng.integers(1, 6)):
            mask = rng.random(canvas) < rng.random()
            row, column = int(rng.integers(canvas[0])), int(rng.integers(canvas[1]))
            box = Region(row, column, canvas[0] - row, canvas[1] - column)
            areas.append(
                Area(canvas=canvas, regions=None, runs=pack_mask(mask))
                if rng.random() < 0.5
                else Area(canvas=canvas, regions=(box, Region(0, 0, 1, 1)))
            )
        index = Index(
            id=bytes(16), medium="samples", canvas=canvas, cover="#000000", layers=tuple(areas)
        )
        assert count_pixels(areas) == [int(mask.sum()) for mask in index.masks()]
        size = int(rng.integers(1, 9))
        for area in areas:
            assert np.array_equal(np.concatenate(list(area.strips(size))), area.mask())
    with pytest.raises(FormatError, match="does not fit"):
        count_pixels([Area(canvas=(2, 2), regions=None, runs=b"\1\2\1\1")])


def _make_case(version: int, body: bytes, kind: bytes = b"F", digest: bytes = bytes(32)) -> bytes:
    """A redacted PNG by a stranger with any rest, for the first key."""
    picture, canvas = b.png_of(np.zeros((1, 2), np.uint8)), (1, 2)
    area = Area(canvas=canvas, regions=(Region(0, 0, 1, 1),))
    index = Index(
        id=bytes(16), medium="samples", canvas=canvas, cover="#000000", layers=(area,),
        version=version,
    )  # fmt: skip
    line, medium, share = index.to_line(), open_medium(picture, "x", None), secrets.token_bytes(32)
    binding = contents.Binding.of(line, medium, area.mask())
    layer = contents.LayerContent(share=share, name="x", pixels=b"\0").to_bytes(0, binding)
    if version == 1:
        old = b"x\n" + zlib.compress(b"\0")
        layer = binding.index + binding.visible + share + struct.pack(">Q", len(old)) + old
    rest = binding.index + digest + kind + struct.pack(">Q", len(body)) + body
    parts = seal(layer, KEYS[0], 1), seal(rest, combine_shares([share]), 1)
    return with_attachment(picture, Package(line, parts[:1], parts[1]).to_bytes())


def test_a_rest_that_inflates_is_refused() -> None:
    """Version 1 may have 64 MiB and 16 bytes for each pixel; in version 2 nothing inflates."""
    limit = 64 * MIB + 16 * 2
    for size, message in ((limit, None), (limit + 1, "rest of the file was changed")):
        content = bytes(size)
        digest = hashlib.sha256(content).digest()
        data = _make_case(1, zlib.compress(content, 9), digest=digest)
        if message is None:
            assert len(result_of(unredact_file, data, KEYS[0])) == limit
            continue
        with pytest.raises(DecryptionError, match=message):
            result_of(unredact_file, data, KEYS[0])
    packed = zlib.compress(bytes(limit), 9)
    data = _make_case(2, packed, digest=hashlib.sha256(packed).digest())
    assert result_of(unredact_file, data, KEYS[0]) == packed


def test_a_layer_that_inflates_is_refused() -> None:
    """A sealed part whose PNG claims more samples than it has bytes is damage."""
    data = redact_bytes(saved("PNG"), [Layer(KEYS[0], [(0, 0, 9, 9)])])
    package = package_of(data)
    chunks = list(walk_chunks(Source(seal(bytes(2 * MIB), KEYS[0], 1), "x", 0)))
    lines = zlib.decompress(b"".join(bytes(body) for kind, body in chunks if kind == b"IDAT"))
    flat = b.png_chunk(b"IDAT", zlib.compress(bytes(len(lines)), 9))
    head, text = (b.png_chunk(kind, bytes(body)) for kind, body in chunks[:2])
    short = b"".join([b"\x89PNG\r\n\x1a\n", head, text, flat, b.png_chunk(b"IEND", b"")])
    assert len(short) < 20_000
    hostile = Package(package.line, (short,), package.rest).to_bytes()
    shown = redact_bytes(saved("PNG"), [Layer(None, [(0, 0, 9, 9)])])
    with pytest.raises(FormatError, match="layer 1 is damaged"):
        result_of(unredact_file, with_attachment(shown, hostile), KEYS[0])


def test_a_jpeg_with_too_many_coefficients_stays_none_of_a_png() -> None:
    """It is refused as `scramble_file` refuses it, and says which limit to raise."""
    buffer = io.BytesIO()
    Image.fromarray(b.noise(2000, 2500, 3)).save(buffer, "JPEG", subsampling=0)
    data = buffer.getvalue()
    messages = []
    calls: list[tuple[Any, Any]] = [
        (redact_file, [Layer(KEYS[0], [(0, 0, 9, 9)])]),
        (scramble_file, KEYS[0]),
    ]
    for call, what in calls:
        with pytest.raises(ImageTooLargeError, match="bytes of coefficients") as raised:
            result_of(call, data, what, max_pixels=5_000_000)
        messages.append(str(raised.value))
        assert raised.value.hint_key == "max_pixels"
        assert result_of(call, data, what, max_pixels=14_000_000).startswith(b"\xff\xd8")
    assert messages[0] == messages[1]

"""Edits, layers of other pictures, and packages that are none: refused, with the reason."""

import io
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidKeyError,
    InvalidParameterError,
    Layer,
    SudokucryptError,
    UnsupportedError,
    decrypt_file,
)
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.images.attachments import attachment, with_attachment
from sudokucrypt.recipes.carriers.redaction import covering
from sudokucrypt.recipes.carriers.redaction.layers import LayerContent, whole_file
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import Index, Package
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from tests.images import builders as b
from tests.recipes.redacting import KEYS, lifted, package_of, redacted, saved, scene

AREAS = [(5, 7, 20, 33), (60, 90, 11, 9)], [(20, 30, 30, 20), (0, 80, 1, 37), (85, 0, 8, 8)]


def _layers(count: int) -> list[Layer]:
    return [Layer(KEYS[n], AREAS[n], name=f"layer {n}") for n in range(count)]


@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_edits_and_strange_layers_are_refused(file_format: str) -> None:
    """An edit outside the areas, layers of others, and layers that are missing: refused."""
    data = saved(file_format, lossless=True)
    one, two = (redacted(data, _layers(2)) for _ in range(2))
    first, second = (package_of(each) for each in (one, two))
    bare = redacted(data, [Layer(None, (*AREAS[0], *AREAS[1]))])

    def packed(line: bytes, layers: Sequence[bytes], rest: bytes) -> bytes:
        return with_attachment(bare, Package(line, tuple(layers), rest).to_bytes())

    assert lifted(packed(first.line, first.layers, first.rest), *KEYS) == data
    with pytest.raises(DecryptionError, match="that of another picture"):
        lifted(packed(first.line, second.layers, first.rest), *KEYS)
    with pytest.raises(DecryptionError, match="the rest of the file was changed"):
        lifted(packed(first.line, first.layers, second.rest), *KEYS)
    with pytest.raises(SudokucryptError):
        lifted(packed(first.line, first.layers[::-1], first.rest), *KEYS)
    with pytest.raises(FormatError):
        lifted(packed(first.line, first.layers[:1], first.rest), *KEYS)
    with pytest.raises(DecryptionError, match="areas were changed"):
        lifted(packed(first.line.replace(b"#000000", b"#ffffff"), first.layers, first.rest), *KEYS)
    with pytest.raises(InvalidImageError, match="holds no layers"):
        lifted(bare, *KEYS)
    with pytest.raises(DecryptionError, match="no layer opens"):
        lifted(one, KEYS[2])
    with pytest.raises(InvalidKeyError, match="not str"):
        lifted(one, "a key")  # type: ignore[arg-type]
    pixels = np.asarray(Image.open(io.BytesIO(bare)).convert("RGB")).copy()
    pixels[70, 70] ^= 255
    edited = b.saved(pixels, file_format, lossless=True)
    with pytest.raises(DecryptionError, match="edited outside the covered areas"):
        lifted(with_attachment(edited, first.to_bytes()), *KEYS)


@pytest.mark.parametrize("count", [60, pytest.param(2500, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("file_format", "mode"), [("JPEG", "L"), ("PNG", "1")])
def test_changed_bytes_never_give_another_file(file_format: str, mode: str, count: int) -> None:
    """With a byte changed, or the end cut off, lifting fails or gives the very file."""
    data = saved(file_format, mode)
    covered, generator = redacted(data, _layers(1)), np.random.default_rng(count)
    refused = 0
    for _ in range(count):
        changed = bytearray(covered)
        position = int(generator.integers(len(changed)))
        changed[position] ^= int(generator.integers(1, 256))
        if generator.random() < 0.1:
            del changed[position:]
        try:
            assert lifted(bytes(changed), KEYS[0]) == data
        except SudokucryptError:
            refused += 1
    assert refused > count / 2


def test_ragged_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mask that no reader would take is refused when it is given."""
    data, layers = saved("PNG"), [Layer(KEYS[0], mask=b.noise(93, 117, 1) > 127)]
    length = len(package_of(redacted(data, layers)).line)
    monkeypatch.setattr(covering, "LONGEST_INDEX", length)
    redacted(data, layers)
    monkeypatch.setattr(covering, "LONGEST_INDEX", length - 1)
    with pytest.raises(InvalidParameterError, match="too ragged"):
        redacted(data, layers)


def test_what_cannot_be_redacted() -> None:
    """Areas beside the picture, unknown covers, animations and redacted files are refused."""
    data = saved("PNG", "RGB")
    with pytest.raises(InvalidParameterError, match="does not lie in a picture"):
        redacted(data, [Layer(KEYS[0], [(90, 0, 10, 10)])])
    with pytest.raises(InvalidParameterError, match="a cover is"):
        redacted(data, _layers(1), cover="blur")
    with pytest.raises(InvalidParameterError, match="no areas"):
        redacted(data, [Layer(KEYS[0])])
    with pytest.raises(InvalidParameterError, match="1 to 64 layers"):
        redacted(data, [])
    with pytest.raises(InvalidParameterError, match="the name of a layer is one line"):
        redacted(data, [Layer(KEYS[0], AREAS[0], name="a" * 101)])
    with pytest.raises(UnsupportedError, match="redacted already"):
        redacted(redacted(data, _layers(1)), _layers(1))
    buffer = io.BytesIO()
    scene().save(buffer, "GIF", save_all=True, append_images=[scene(1)])
    with pytest.raises(UnsupportedError, match="an animation"):
        redacted(buffer.getvalue(), _layers(1))


@pytest.mark.parametrize(
    "package",
    [
        b"",
        b"\n",
        b"{}\n[]\n",
        b"[]\n[0]\n",
        b"{\n[1]\nx",
        b'{"redaction":2}\n[0,0]\n',
        b'{"redaction":1,"id":"","medium":"samples","canvas":[93,117]}\n[0,0]\n',
        b"[" * 9999 + b"\n[0]\n",
        b"{}\n[true]\n",
        b"{}\n[-1]\n",
    ],
)
def test_hostile_packages(package: bytes) -> None:
    """Bytes that are no index are refused as such."""
    with pytest.raises(FormatError):
        lifted(with_attachment(saved("PNG", "RGB"), package), KEYS[0])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("canvas", [2**31, 2**31]),
        ("canvas", [True, 117]),
        ("canvas", [1e999, 4]),
        ("cover", 5),
        ("layers", [[[0, 0, 93, 117]] * 9999]),
        ("layers", [[[-1, 0, 9, 9]]]),
        ("layers", ["AAAA"]),
        ("layers", [[[0.5, 0, 8, 8]]]),
        ("layers", [[]]),
        ("layers", None),
        ("id", 7),
        ("medium", ["jpeg"]),
        ("redaction", 2),
    ],
)
def test_hostile_indexes(field: str, value: object) -> None:
    """An index with a field of another kind or version is refused, and costs nothing."""
    bare, covered = saved("PNG", "RGB"), redacted(saved("PNG", "RGB"), _layers(1))
    line, _, others = (attachment(covered) or b"").partition(b"\n")
    changed = json.dumps(json.loads(line) | {field: value}, separators=(",", ":")).encode()
    with pytest.raises(FormatError, match="newer version" if field == "redaction" else None):
        lifted(with_attachment(bare, changed + b"\n" + others), KEYS[0])


def test_many_layers_of_a_large_picture_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mask of each would take a stranger's index long to look at; writers refuse them, too."""
    area = Selection.chosen((11_000, 11_000), [(0, 0, 1, 1)], None)
    assert area is not None
    index = Index(
        id=bytes(16),
        medium="samples",
        canvas=(11_000, 11_000),
        cover="#000000",
        layers=(area,) * 18,
    )
    with pytest.raises(FormatError, match="damaged"):
        Index.of_line(index.to_line(), max_pixels=MAX_PIXELS)
    fewer = replace(index, layers=index.layers[:17])
    assert len(Index.of_line(fewer.to_line(), max_pixels=MAX_PIXELS).layers) == 17
    monkeypatch.setattr(covering, "MOST_MASKED", 93 * 117)
    with pytest.raises(InvalidParameterError, match="at most 1 layers, not 2"):
        redacted(saved("PNG", "RGB"), _layers(2))


_LINE, _VISIBLE = bytes(32), bytes(range(32))


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"short", "it is not the layer of a redaction"),
        (_VISIBLE + _VISIBLE + bytes(40), "that of another picture"),
        (_LINE + _LINE + bytes(40), "edited outside"),
        (_LINE + _VISIBLE + bytes(32) + bytes([0] * 7 + [9]), "it is not the layer of a redaction"),
        (_LINE + _VISIBLE + bytes(40), "it is not the layer of a redaction"),
    ],
)
def test_layers_that_belong_to_nothing(head: bytes, reason: str) -> None:
    """What was sealed as a file, but is no layer of this picture, is refused with the reason."""
    with pytest.raises(DecryptionError, match=reason):
        LayerContent.of_bytes(0, head, index=_LINE, visible=_VISIBLE)


@pytest.mark.parametrize(
    "rest",
    [b"", bytes(73) + b"no zlib", bytes(64) + b"F" + bytes(7) + b"\x09" + zlib.compress(b"x")],
)
def test_rests_that_belong_to_nothing(rest: bytes) -> None:
    """What all layers share is refused if it is cut off, damaged, or another picture's."""
    medium = open_medium(saved("PNG", "RGB"), "x", None)
    with pytest.raises(DecryptionError):
        whole_file(rest, medium, _VISIBLE)


def test_a_lifted_file_that_exists_is_compared(tmp_path: Path) -> None:
    """Resuming keeps the same bytes, and refuses others."""
    covered, target = tmp_path / "covered.png", tmp_path / "lifted.png"
    covered.write_bytes(redacted(saved("PNG", "RGB"), _layers(1)))
    for _ in range(2):
        decrypt_file(covered, target, KEYS[0], resume=True)
        assert target.read_bytes() == saved("PNG", "RGB")
    target.write_bytes(b"another")
    with pytest.raises(SudokucryptError, match="bytes differ"):
        decrypt_file(covered, target, KEYS[0], resume=True)

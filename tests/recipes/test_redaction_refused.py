"""Edits, layers of other pictures, and packages that are none: refused, with the reason."""

import hashlib
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
from sudokucrypt.recipes.carriers.redaction.areas import Area
from sudokucrypt.recipes.carriers.redaction.layers import Binding, LayerContent, whole_file
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import Index, Package
from sudokucrypt.typing import Region
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
    for keys in (KEYS, KEYS[:1], KEYS[1:]):
        with pytest.raises(DecryptionError, match="it is another layer"):
            lifted(packed(first.line, first.layers[::-1], first.rest), *keys)
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
        b'{"redaction":3}\n[0,0]\n',
        b'{"redaction":true}\n[0,0]\n',
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
        ("layers", [[[0, 0, 1, 1]] * 2**16] * 2),
        ("layers", {str(n): 0 for n in range(9)}),
        ("redaction", 3),
        ("redaction", True),
        ("redaction", 2.0),
        ("redaction", 1),
    ],
)
def test_hostile_indexes(field: str, value: object) -> None:
    """An index with a field of another kind or version is refused, and costs nothing."""
    bare, covered = saved("PNG", "RGB"), redacted(saved("PNG", "RGB"), _layers(1))
    line, _, others = (attachment(covered) or b"").partition(b"\n")
    changed = json.dumps(json.loads(line) | {field: value}, separators=(",", ":")).encode()
    message = "newer version" if value == 3 else None
    # A layer of version 2 is none of version 1: its index is another one.
    kind = DecryptionError if (field, type(value), value) == ("redaction", int, 1) else FormatError
    with pytest.raises(kind, match=message):
        lifted(with_attachment(bare, changed + b"\n" + others), KEYS[0])


def test_many_layers_of_a_large_picture_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mask of each would take a stranger's index long to look at; writers refuse them, too."""
    area = Area(canvas=(11_000, 11_000), regions=(Region(0, 0, 1, 1),))
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


_LINE, _VISIBLE, _SHOWN = bytes(32), bytes(range(32)), bytes([5] * 32)
_BINDING = Binding(index=_LINE, visible=_VISIBLE, shown=_SHOWN)
_FIRST = Binding(index=_LINE, visible=_VISIBLE, shown=None)
_NONE = "it is not the layer of a redaction"


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"short", _NONE),
        (_VISIBLE + _VISIBLE + bytes(40), "that of another picture"),
        (_LINE + _LINE + bytes(40), "edited outside"),
        (_LINE + _VISIBLE + bytes(32) + bytes([0] * 7 + [9]), _NONE),
        (_LINE + _VISIBLE + bytes(40), _NONE),
    ],
)
def test_layers_of_version_1_that_belong_to_nothing(head: bytes, reason: str) -> None:
    """What was sealed as a file, but is no layer of this picture, is refused with the reason."""
    with pytest.raises(DecryptionError, match=reason):
        LayerContent.of_first_bytes(0, head, _FIRST, 9)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"short", _NONE),
        (_VISIBLE * 3 + bytes(4000), "that of another picture"),
        (_LINE + _LINE + _SHOWN + bytes(4000), "edited outside"),
        (_LINE + _VISIBLE + _LINE + bytes(4000), "how the picture is shown was changed"),
        (_LINE + _VISIBLE + _SHOWN + bytes(32) + b"\1" + bytes(3966), _NONE),
        (_LINE + _VISIBLE + _SHOWN + bytes(32) + b"\1" + bytes(4223), _NONE),
        (_LINE + _VISIBLE + _SHOWN + bytes(32) + b"\1\1\x91" + bytes(3965), _NONE),
        (_LINE + _VISIBLE + _SHOWN + bytes(32) + b"\2" + bytes(3967), "it is another layer"),
    ],
)
def test_layers_that_belong_to_nothing(content: bytes, reason: str) -> None:
    """Other digests, names of more than 400 bytes and other lengths are refused."""
    with pytest.raises(DecryptionError, match=reason):
        LayerContent.of_bytes(0, content, _BINDING, 9)
    whole = LayerContent(share=bytes(32), name="ß" * 100, pixels=b"123456789").to_bytes(0, _BINDING)
    read = LayerContent.of_bytes(0, whole, _BINDING, 9)
    assert (len(whole), read.name, read.pixels) == (4096, "ß" * 100, b"123456789")


def test_pixels_of_version_1_of_another_length() -> None:
    """Pixels that inflate to more or fewer bytes than their area has are refused."""
    head = _LINE + _VISIBLE + bytes(32)
    for count in (8, 10, 10**8):
        body = b"name\n" + zlib.compress(bytes(count))
        content = head + len(body).to_bytes(8) + body
        with pytest.raises(DecryptionError):
            LayerContent.of_first_bytes(0, content, _FIRST, 9)
        assert LayerContent.of_first_bytes(0, content, _FIRST, count).name == "name"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "rest",
    [
        b"",
        bytes(73) + b"no zlib",
        bytes(64) + b"F" + bytes(7) + b"\x09" + zlib.compress(b"x"),
        bytes(32) + hashlib.sha256(b"").digest() + b"F" + bytes([255] * 8),
        _LINE + hashlib.sha256(b"x").digest() + b"F" + bytes(7) + b"\2x",
    ],
)
def test_rests_that_belong_to_nothing(rest: bytes, version: int) -> None:
    """What all layers share is refused if it is cut off, damaged, or another picture's."""
    medium = open_medium(saved("PNG", "RGB"), "x", None)
    with pytest.raises(DecryptionError):
        whole_file(rest, medium, _LINE, version)


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

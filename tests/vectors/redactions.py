"""Make the vectors of redactions of version 2: ``python -m tests.vectors.redactions``.

They hold random salts and the output of a zlib, so that they are not made again by tests: what was
written once is what readers are compared with. Those of version 1 were made by release 1.1.
"""

import io
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key, Layer, SudokucryptError
from sudokucrypt.images.attachments import with_attachment
from sudokucrypt.images.jpeg import read_coefficients
from sudokucrypt.recipes.carriers.redaction.layers import combined, seal, unseal
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import Package
from tests.images import builders as b
from tests.images.jpeg.made import made
from tests.kit.replay import VECTORS
from tests.recipes.redacting import lifted, package_of, redacted
from tests.vectors.common import Case

KEYS = tuple(Key(bytes([number]) * 32) for number in (1, 2))
ONE, TWO = [(1, 2, 5, 6)], [(3, 4, 6, 9), (12, 0, 1, 17)]
_MASK = np.add.outer(np.arange(13), np.arange(17)) % 5 == 0
LAYERS = {
    "one layer": [Layer(KEYS[0], ONE, name="one")],
    "two layers that overlap": [Layer(KEYS[0], ONE), Layer(KEYS[1], TWO, name="zwölf")],
    "a mask": [Layer(KEYS[0], mask=_MASK)],
    "a layer, and an area for good": [Layer(None, ONE), Layer(KEYS[1], TWO)],
}
_TWO = LAYERS["two layers that overlap"]
_EXIF, _OTHER_EXIF = (
    b"II*\0\x08\0\0\0\1\0" + struct.pack("<HHIHHI", 0x112, 3, 1, orientation, 0, 0)
    for orientation in (6, 3)
)


def _saved(kind: str, mode: str = "RGB", **options: Any) -> bytes:
    """A file of 13 rows of 17 pixels with a resolution."""
    pixels, buffer = b.noise(13, 17, {"RGB": 3, "RGBA": 4, "CMYK": 4}[mode]), io.BytesIO()
    Image.fromarray(pixels, mode).save(buffer, kind, dpi=(72, 72), **options)
    return buffer.getvalue()


def sources() -> dict[str, tuple[bytes, list[Layer]]]:
    """The files that are redacted, and their layers."""
    files = {
        "PNG, gray": b.png_of(b.noise(13, 17, 1)),
        "PNG, rgb": _saved("PNG"),
        "JPEG, 1 component": made(13, 17, ((1, 1),)).to_bytes(),
        "JPEG, 3 components": made(13, 17, ((2, 2), (1, 1), (1, 1))).to_bytes(),
    }
    found = {
        f"{name}, {kind}": (data, layers)
        for name, data in files.items()
        for kind, layers in LAYERS.items()
    }
    bits = np.indices((13, 17)).sum(axis=0) % 3 == 0
    found["PNG, deep"] = b.png_of(b.noise(13, 17, 4, "uint16")), _TWO
    found["PNG, bits"] = b.encoded(bits, "PNG"), _TWO
    found["PNG, turned"] = _saved("PNG", exif=_EXIF), _TWO
    found["PNG, rgba"] = _saved("PNG", "RGBA"), _TWO
    found["JPEG, a tail"] = made(13, 17).to_bytes() + bytes(99), _TWO
    found["JPEG, progressive"] = _saved("JPEG", progressive=True), _TWO
    found["JPEG, turned"] = _saved("JPEG", exif=b"Exif\0\0" + _EXIF), _TWO
    found["JPEG, restarts"] = _saved("JPEG", restart_marker_blocks=1), _TWO
    found["JPEG, RGB"] = _saved("JPEG", keep_rgb=True), _TWO
    found["JPEG, CMYK"] = _saved("JPEG", "CMYK"), _TWO
    return found


def _case(label: str, hidden: bytes, layers: list[Layer], plain: bytes | None = None) -> Case:
    """A case of a redacted file: what all keys give, and what is shown with the first alone."""
    keys = [layer.key for layer in layers if isinstance(layer.key, Key)]
    medium = open_medium(hidden, "the picture", None)
    case: Case = {
        "label": label,
        "keys": [key.to_bytes().hex() for key in keys],
        "manner": medium.manner,
        "plain": (lifted(hidden, *keys) if plain is None else plain).hex(),
        "redacted": hidden.hex(),
    }
    if len(keys) > 1 and medium.kind == "samples":
        part = open_medium(lifted(hidden, keys[0]), "the picture", None)
        pixels = part.picture.pixels
        case["partial"] = pixels.astype(pixels.dtype.newbyteorder("<")).tobytes().hex()
    return case


def _accepted() -> Iterator[Case]:
    for label, (data, layers) in sources().items():
        yield _case(label, redacted(data, layers), layers)
    hidden = redacted(_saved("PNG"), _TWO)
    for name, kind, body in (
        ("a gamma that one key drops", b"gAMA", struct.pack(">I", 99999)),
        ("a comment that one key drops", b"tEXt", b"Comment\0hello"),
    ):
        yield _case(f"PNG, {name}", _inserted(hidden, kind, body), _TWO)
    hidden = redacted(_saved("PNG", exif=_EXIF), _TWO)
    second = _inserted(hidden, b"eXIf", _OTHER_EXIF)
    yield _case("PNG, a second Exif block that does not count", second, _TWO)
    hidden = redacted(_saved("JPEG"), _TWO)
    comment = b"\xff\xfe\0\7hello"
    yield _case("JPEG, a comment", hidden[:2] + comment + hidden[2:], _TWO)


def _inserted(data: bytes, kind: bytes, body: bytes, *, first: bool = False) -> bytes:
    """A PNG with one more chunk, before all of its other metadata or before its samples."""
    at = 33 if first else data.index(b"IDAT") - 4
    return data[:at] + b.png_chunk(kind, body) + data[at:]


def _marked(data: bytes, marker: int, body: bytes) -> bytes:
    segment = bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body
    return data[:2] + segment + data[2:]


def _replaced(data: bytes, package: Package) -> bytes:
    """A PNG with other layers."""
    return with_attachment(_bare(data), package.to_bytes())


def _changed_parts() -> Iterator[tuple[str, list[Key], bytes]]:
    """Layers, rests and indexes in which one thing is wrong, sealed with the right keys."""
    data = redacted(_saved("PNG"), _TWO)
    package, other = package_of(data), package_of(redacted(_saved("PNG"), _TWO))
    keys = list(KEYS)

    def given(name: str, changed: Package, which: list[Key] | None = None) -> Any:
        return name, which or keys, _replaced(data, changed)

    layers, line = package.layers, package.line
    yield given("layers in another order", replace(package, layers=layers[::-1]))
    yield given("layers in another order, one key", replace(package, layers=layers[::-1]), keys[:1])
    yield given("a layer of another picture", replace(package, layers=(other.layers[0], layers[1])))
    yield given("the rest of another picture", replace(package, rest=other.rest))
    yield given("the index of another picture", replace(package, line=other.line))
    for name, old, new in (
        ("another cover", b"#000000", b"#000001"),
        ("version 1", b'"redaction":2', b'"redaction":1'),
        ("version 3", b'"redaction":2', b'"redaction":3'),
        ("another area", b"[1,2,5,6]", b"[1,2,5,7]"),
        ("a space in the index", b",", b", "),
        ("another canvas", b"[13,17]", b"[17,13]"),
    ):
        yield given(name, replace(package, line=line.replace(old, new, 1)))
    yield given("a bit of a layer", replace(package, layers=(_flipped(layers[0]), layers[1])))
    yield given("a bit of the rest", replace(package, rest=_flipped(package.rest)))

    contents = [unseal(part, key, None) for part, key in zip(layers, keys, strict=True)]
    changes: list[tuple[str, Callable[[bytes], bytes], int]] = [
        ("a layer with another digest of the index", lambda each: _other(each, 0), 2),
        ("a layer with another digest of what is visible", lambda each: _other(each, 32), 2),
        ("one layer with another digest of how it is shown", lambda each: _other(each, 64), 1),
        ("a layer with another share", lambda each: _other(each, 96), 2),
        ("a layer with another number", lambda each: _other(each, 128), 1),
        ("a name of 401 bytes", lambda each: each[:129] + b"\1\x91" + each[131:], 1),
        ("a layer of 256 bytes more", lambda each: each + bytes(256), 1),
        ("a layer of 256 bytes less", lambda each: each[:-256], 1),
        ("a layer of few bytes", lambda each: each[:100], 1),
    ]
    for name, edit, count in changes:
        changed = seal(edit(contents[0]), keys[0], None), layers[1]
        yield given(name, replace(package, layers=changed), keys[:count])
    share = combined(content[96:128] for content in contents)
    rest = unseal(package.rest, share, None)
    length = int.from_bytes(rest[65:73])
    packed = zlib.compress(rest[73 : 73 + length])
    for name, content in (
        ("a rest with another digest of the index", _other(rest, 0)),
        ("a rest with another digest of the file", _other(rest, 32)),
        ("a rest that is a structure", rest[:64] + b"S" + rest[65:]),
        ("a rest that claims more bytes than it has", rest[:65] + b"\0\0\0\1" + rest[69:]),
        ("a rest of one byte less", rest[:65] + (length - 1).to_bytes(8) + rest[73:]),
        ("a rest of zlib data", rest[:65] + len(packed).to_bytes(8) + packed),
        ("a rest of few bytes", rest[:70]),
    ):
        yield given(name, replace(package, rest=seal(content, share, None)))
    whole = package.to_bytes()
    for name, attached in (("a byte more", whole + b"\0"), ("a byte less", whole[:-1])):
        yield name, keys, with_attachment(_bare(data), attached)


def _bare(data: bytes) -> bytes:
    """Return a redacted PNG without its layers."""
    at = data.index(b"suRd") - 4
    end = at + 12 + int.from_bytes(data[at : at + 4])
    return data[:at] + data[end:]


def _other(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _flipped(png: bytes) -> bytes:
    return _other(png, len(png) // 2)  # among the samples, whose checksum no reader has to check


def _changed_pictures() -> Iterator[tuple[str, list[Key], bytes]]:
    """Pictures that are shown in another way, for one of two keys, and a visible pixel."""
    one, both = list(KEYS[:1]), list(KEYS)
    png, jpeg = (
        redacted(b.png_of(b.noise(13, 17, 3)), _TWO),
        redacted(_saved("JPEG", subsampling=0), _TWO),
    )
    profile = b"x\0\0" + zlib.compress(bytes(200))
    for name, kind, body in (
        ("an orientation", b"eXIf", _EXIF),
        ("a profile", b"iCCP", profile),
        ("a resolution", b"pHYs", struct.pack(">IIB", 1, 2, 0)),
    ):
        yield f"PNG, {name}, one key", one, _inserted(png, kind, body)
    yield "PNG, a transparent color", both, _inserted(png, b"tRNS", bytes(6))
    turned = redacted(_saved("PNG", exif=_EXIF), _TWO)
    yield "PNG, another orientation first", one, _inserted(turned, b"eXIf", _OTHER_EXIF, first=True)
    pixels = open_medium(png, "the picture", None).picture.pixels.copy()
    pixels[0, 0] ^= 1
    shown = b.png_of(pixels)
    yield "PNG, a visible pixel", both, with_attachment(shown, package_of(png).to_bytes())
    for name, marker, body in (
        ("Adobe's transform", 0xEE, b"Adobe\0\x64\0\0\0\0\0"),
        ("an orientation", 0xE1, b"Exif\0\0" + _EXIF),
        ("a profile", 0xE2, b"ICC_PROFILE\0\1\1" + bytes(200)),
    ):
        yield f"JPEG, {name}, one key", one, _marked(jpeg, marker, body)
    start = jpeg.index(b"\xff\xe0")
    end = start + 2 + int.from_bytes(jpeg[start + 2 : start + 4])
    yield "JPEG, no JFIF, one key", one, jpeg[:start] + jpeg[end:]
    renamed = bytearray(jpeg)
    frame, scan = jpeg.rindex(b"\xff\xc0"), jpeg.rindex(b"\xff\xda")
    for n, letter in enumerate(b"RGB"):
        renamed[frame + 10 + 3 * n] = renamed[scan + 5 + 2 * n] = letter
    yield "JPEG, other names of components, one key", one, bytes(renamed)
    file = read_coefficients(jpeg, max_pixels=10**6)
    planes = [np.array(plane) for plane in file.coefficients]
    planes[0][0, 2, 1] += 1  # in the only visible unit
    edited = file.with_coefficients(planes).optimised().to_bytes()
    yield "JPEG, a visible coefficient", both, edited


def _rejected() -> Iterator[Case]:
    for label, keys, data in (*_changed_parts(), *_changed_pictures()):
        with pytest.raises(SudokucryptError):
            lifted(data, *keys)
        secrets = [key.to_bytes().hex() for key in keys]
        yield {"label": label, "keys": secrets, "redacted": data.hex()}


def main() -> None:
    """Write both files."""
    abouts = {
        "redactions_v2": ("Redacted PNG and JPEG files, version 2, that keys lift.", _accepted),
        "reject_redactions_v2": (
            "Redacted files, version 2, that readers refuse.",
            _rejected,
        ),
    }
    for kind, (about, cases) in abouts.items():
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases())
        text = f'{{"about": {json.dumps(about)},\n "cases": [\n{lines}\n]}}\n'
        (VECTORS / f"{kind}.json").write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()

"""Make the vectors of redacted pictures: ``python -m tests.vectors.redactions`` writes them anew.

They hold random salts and the output of a zlib, so that they are not made again by tests: what was
written once is what readers are compared with.
"""

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from PIL import Image

from sudokucrypt import Key, Layer
from sudokucrypt.images.jpeg import read_coefficients
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


def _accepted() -> Iterator[Case]:
    pngs = {"gray": b.noise(13, 17, 1), "rgb": b.noise(13, 17, 3)}
    for name, layers in LAYERS.items():
        for mode, pixels in pngs.items():
            yield _of_png(f"PNG, {mode}, {name}", pixels, mode, layers)
    yield _of_png("PNG, deep", b.noise(13, 17, 4, "uint16"), "rgba", LAYERS["one layer"])
    for samplings in (((1, 1),), ((2, 2), (1, 1), (1, 1))):
        for name, layers in LAYERS.items():
            data = made(13, 17, samplings).to_bytes()
            yield _of_jpeg(f"JPEG, {len(samplings)} components, {name}", data, layers)
    yield _of_jpeg("JPEG, a tail", made(13, 17).to_bytes() + bytes(99), LAYERS["one layer"])


def _of_png(label: str, pixels: Any, mode: str, layers: list[Layer]) -> Case:
    data = b.png_of(pixels)
    hidden = redacted(data, layers)
    shown = pixels if "deep" in label else np.asarray(Image.open(io.BytesIO(hidden)))
    if "deep" in label:  # which Pillow reads with 8 bits
        shown = pixels.copy()
        shown[1:6, 2:8] = 0, 0, 0, 65535
    return {
        **_case(label, data, hidden, layers),
        "canvas": list(pixels.shape[:2]),
        "sample_bytes": pixels.dtype.itemsize,
        "head": f"samples {mode} {pixels.dtype} {pixels.shape}",
        "pixels": shown.astype(shown.dtype.newbyteorder("<")).tobytes().hex(),
    }


def _of_jpeg(label: str, data: bytes, layers: list[Layer]) -> Case:
    hidden = redacted(data, layers, cover="surroundings")
    planes = read_coefficients(hidden, max_pixels=10**6).coefficients
    blocks = [plane.astype("<i2").tobytes().hex() for plane in planes]
    return {**_case(label, data, hidden, layers), "coefficients": blocks}


def _case(label: str, data: bytes, hidden: bytes, layers: list[Layer]) -> Case:
    keys = [layer.key for layer in layers if isinstance(layer.key, Key)]
    plain = lifted(hidden, *keys)
    assert plain == data or len(keys) < len(layers)  # what never held the area that is gone
    secrets = [key.to_bytes().hex() for key in keys]
    return {"label": label, "keys": secrets, "plain": plain.hex(), "redacted": hidden.hex()}


_Edit = Callable[[Package, Package], bytes]
EDITS: dict[str, _Edit] = {
    "layers in another order": lambda one, _: _joined(one.line, one.layers[::-1], one.rest),
    "a layer of another picture": lambda one, two: _joined(
        one.line, (two.layers[0], one.layers[1]), one.rest
    ),
    "the rest of another picture": lambda one, two: _joined(one.line, one.layers, two.rest),
    "the index of another picture": lambda one, two: _joined(two.line, one.layers, one.rest),
    "another cover": lambda one, _: _joined(
        one.line.replace(b"#000000", b"#000001"), one.layers, one.rest
    ),
    "a layer less": lambda one, _: _joined(one.line, one.layers[:1], one.rest),
    "a byte more": lambda one, _: one.to_bytes() + b"\0",
    "a byte less": lambda one, _: one.to_bytes()[:-1],
    "a space in the index": lambda one, _: one.to_bytes().replace(b",", b", ", 1),
    "a bit of a layer": lambda one, _: _joined(
        one.line, (_flipped(one.layers[0]), one.layers[1]), one.rest
    ),
    "a bit of the rest": lambda one, _: _joined(one.line, one.layers, _flipped(one.rest)),
    "nothing": lambda _one, _two: b"",
}


def _joined(line: bytes, layers: tuple[bytes, ...], rest: bytes) -> bytes:
    return Package(line, layers, rest).to_bytes()


def _flipped(png: bytes) -> bytes:
    at = len(png) // 2  # among the samples, whose checksum no reader has to check
    return png[:at] + bytes([png[at] ^ 1]) + png[at + 1 :]


def _rejected() -> Iterator[Case]:
    pixels = b.noise(13, 17, 1)
    layers = LAYERS["two layers that overlap"]
    one, two = (_of_png("", pixels, "gray", layers) for _ in range(2))
    packages = [package_of(bytes.fromhex(case["redacted"])) for case in (one, two)]
    same = {name: one[name] for name in ("keys", "canvas", "sample_bytes", "head")}
    for name, edit in EDITS.items():
        yield {"label": name, **same, "pixels": one["pixels"], "package": edit(*packages).hex()}
    shown = bytearray.fromhex(one["pixels"])
    shown[0] ^= 1
    whole = packages[0].to_bytes().hex()
    yield {"label": "a visible pixel", **same, "pixels": shown.hex(), "package": whole}


def main() -> None:
    """Write both files."""
    abouts = {
        "redactions": ("Redacted PNG and JPEG files that all keys lift.", _accepted),
        "reject_redactions": ("Packages and pictures that a reader must refuse.", _rejected),
    }
    for kind, (about, cases) in abouts.items():
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases())
        text = f'{{"about": {json.dumps(about)},\n "cases": [\n{lines}\n]}}\n'
        (VECTORS / f"{kind}.json").write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()

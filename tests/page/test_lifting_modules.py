"""The engine lifts layers of the picture at hand, up to the limits of an index."""

import hashlib
import json
from typing import Any

import pytest

from tests.images.builders import make_png, noise, save_image
from tests.page.node import run_node, to_text

pytestmark = pytest.mark.programs("node")
_DAMAGED = "the layers of the redaction are damaged"
_OTHER = "a layer is of another picture, or the picture was edited outside the covered areas"
_RESIZED = "the picture is another than its layers are of: resized?"
_INDEX = {
    "redaction": 2, "id": "0" * 32, "medium": "samples", "canvas": [9, 11], "cover": "#000000",
    "layers": [[[1, 2, 3, 4]]],
}  # fmt: skip


def _write(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def test_pictures_of_another_medium_or_size() -> None:
    """Layers suit a picture of their medium and size only, whatever else is wrong."""
    script = """
        import { Refused, unbase64 } from "./engine/bytes.js";
        import { lift } from "./engine/redaction.js";
        const results = [];
        for (const [file, data] of argument) {
            try {
                await lift(unbase64(file), unbase64(data), 2 ** 20, (layer) => layer);
            } catch (error) {
                results.push(error instanceof Refused && error.message);
            }
        }
        return results;
    """
    png, jpeg = make_png(noise(9, 11, 1)), save_image(noise(9, 11, 1), "JPEG")
    rows = [
        (png, "samples", [9, 11], _OTHER),
        (png, "samples", [9, 12], _RESIZED),
        (png, "samples", [11, 9], _RESIZED),
        (png, "jpeg", [9, 11], _RESIZED),
        (png, "jpeg", [9, 12], _RESIZED),
        (jpeg, "jpeg", [9, 11], _OTHER),
        (jpeg, "samples", [9, 11], _RESIZED),
    ]
    cases = []
    for file, medium, canvas, _ in rows:
        line = _write({**_INDEX, "medium": medium, "canvas": canvas})
        layer = hashlib.sha256(line).digest() + bytes(4096 - 32)
        data = b"\n".join([line, _write([len(layer), 0]), layer])
        cases.append((to_text(file), to_text(data)))
    assert run_node(script, cases) == [wanted for *_, wanted in rows]


def test_the_longest_index() -> None:
    """An index has at most 16 MiB; one of so many bytes may be no JSON."""
    script = """
        import { lift } from "./engine/redaction.js";
        const results = [];
        for (const length of argument) {
            const data = new Uint8Array(length + 2).fill(200);
            data.fill(10, length);
            results.push(await lift(null, data, 1, null).catch(({ message }) => message));
        }
        return results;
    """
    assert run_node(script, [2**24, 2**24 + 1]) == ["layers: not ASCII JSON", _DAMAGED]


def test_lengths_of_the_rest_of_decoded_pictures() -> None:
    """The rest of a picture that the browser decodes has the power of two above a likely length."""
    script = """
        import { utf8 } from "./engine/bytes.js";
        import { findPackage } from "./engine/redaction.js";
        import { redact } from "./engine/redact.js";
        const results = [];
        for (const { file, columns, covered } of argument) {
            let number = 1; // of a generator of noise, which is not compressed
            const next = () => (number = (number * 48271) % 2147483647) >> 8;
            const data = Uint8Array.from({ length: 100 * columns }, next);
            const decode = () => ({ shape: [100, columns], dtype: "uint8", data });
            const sealed = [];
            const seal = (content) => sealed.push(content.length) && content;
            const layers = [{ areas: [[0, 0, 100, covered]] }];
            const { bytes } = await redact(utf8(file), layers, { limit: 2 ** 20, decode }, seal);
            results.push([bytes.length - findPackage(bytes).length - 12, sealed.at(-1)]);
        }
        return results;
    """
    rows = [("RIFF", 600, 1), ("RIFF", 700, 1), ("RIFF", 600, 120), ("GIF89a", 75, 1)]
    rows += [("GIF89a", columns, columns // 2) for columns in (70, 114, 120)]
    cases = [
        {"file": file, "columns": columns, "covered": covered} for file, columns, covered in rows
    ]
    results: Any = run_node(script, cases)
    lengths = []
    for (file, _, covered), (shown, length) in zip(rows, results, strict=True):
        size = 100 * covered
        likely = shown // 4 + size // 2 if file == "RIFF" else 4 * shown + 3 * size // 2
        assert length == max(2**14, 1 << likely.bit_length()), (file, covered)
        lengths.append(length)
    assert lengths == [2**14, 2**15, 2**15, 2**15, 2**15, 2**15, 2**16]


def test_covers_that_were_drawn_on() -> None:
    """If some layers are lifted, the other covers are drawn again, whatever was drawn on them."""
    script = """
        import { base64, unbase64 } from "./engine/bytes.js";
        import { Coefficients, Samples } from "./engine/media.js";
        import { attachPackage, redact } from "./engine/redact.js";
        import { findPackage, lift } from "./engine/redaction.js";
        const results = [];
        for (const [text, cover, permanent] of argument) {
            const layers = [{ areas: [[0, 0, 8, 8]] }, { areas: [[8, 16, 8, 8]] }];
            layers.push({ areas: [[16, 0, 8, 8]], permanent });
            const options = { cover, limit: 2 ** 20 };
            const { bytes } = await redact(unbase64(text), layers, options, (content) => content);
            const data = findPackage(bytes);
            const isJpeg = bytes[0] === 0xff;
            const medium = isJpeg ? new Coefficients(bytes) : await Samples.open(bytes, 2 ** 20);
            const other = new Uint8Array(24 * 24);
            for (let row = 8; row < 16; row++) other.fill(1, 24 * row + 16, 24 * row + 24);
            medium.cover(other, "#12ab56", other);
            const drawn = attachPackage(await medium.toBytes(), data);
            const lifted = [];
            for (const file of [bytes, drawn]) {
                let number = 0;
                const open = (layer) => (number++ === 0 ? layer : null);
                const result = await lift(file, data, 2 ** 20, open, (shown) => shown);
                lifted.push(base64(result.bytes));
            }
            results.push([base64(bytes) === base64(drawn), lifted[0] === lifted[1]]);
        }
        return results;
    """
    pixels = noise(24, 24, 1)
    files = [make_png(pixels), save_image(pixels, "JPEG")]
    cases = [(to_text(file), cover, permanent) for file in files
             for cover in ("#000000", "surroundings") for permanent in (True, False)]  # fmt: skip
    assert run_node(script, cases) == [[False, True]] * 8

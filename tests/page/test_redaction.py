"""The page lifts the covers of redacted PNG and JPEG files, and refuses what was edited."""

import io
from base64 import b64decode, b64encode
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Identity, Key, Layer, Passphrase, redact_file
from sudokucrypt.errors import SudokucryptError
from tests.images.builders import encoded, noise
from tests.page.conftest import Opened
from tests.recipes.redacting import lift_covers as restored
from tests.recipes.redacting import redact_bytes
from tests.reports.browser import Page

pytestmark = pytest.mark.programs("chromium")
KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
AREAS = [(5, 6, 17, 19)], [(34, 40, 9, 12), (50, 0, 3, 3)]
_LIFT = """(async (file, beside, keys) => {
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    try {
        const secrets = await secretsOfTexts(keys);
        const side = beside === null ? null : bytes(beside);
        const { bytes: lifted, notes, type } = await restore(bytes(file), side, secrets);
        return { lifted: base64(lifted), notes, type };
    } catch (error) {
        if (error instanceof Refused) return error.message;
        throw error;
    }
})"""


def _photo() -> Image.Image:
    rows, columns = np.indices((61, 77))
    samples = np.stack([rows * 4, columns * 3, rows + columns], axis=2).astype(np.uint8)
    samples[10:30, 10:40] = noise(20, 30, 3)
    return Image.fromarray(samples)


def _saved(mode: str, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    _photo().convert(mode).save(buffer, kind, **options)
    return buffer.getvalue()


FILES = {
    "rgb.png": _saved("RGB", "PNG"),
    "rgba.png": _saved("RGBA", "PNG"),
    "gray.png": _saved("L", "PNG"),
    "bilevel.png": _saved("1", "PNG"),
    "palette.png": _saved("P", "PNG"),
    "deep.png": encoded(noise(61, 77, 3, "uint16"), "PNG"),
    "usual.jpg": _saved("RGB", "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"),
    "full.jpg": _saved("RGB", "JPEG", subsampling=0, quality=95),
    "half.jpg": _saved("RGB", "JPEG", subsampling=1),
    "gray.jpg": _saved("L", "JPEG"),
    "cmyk.jpg": _saved("CMYK", "JPEG"),
    "progressive.jpg": _saved("RGB", "JPEG", progressive=True),
    "restarts.jpg": _saved("RGB", "JPEG", restart_marker_blocks=3),
    "optimized.jpg": _saved("RGB", "JPEG", optimize=True, quality=30),
}


def lifted(engine: Page, data: bytes, *keys: Key, beside: bytes | None = None) -> Any:
    """Return what the page lifts: type, notes and bytes, or the message of its refusal."""
    side = "null" if beside is None else repr(b64encode(beside).decode())
    texts = [key.to_text() for key in keys]
    result = engine.value(f"{_LIFT}({b64encode(data).decode()!r}, {side}, {texts})")
    return result if isinstance(result, str) else {**result, "lifted": b64decode(result["lifted"])}


@pytest.mark.parametrize("name", FILES)
def test_all_layers_give_the_very_file(engine: Page, name: str) -> None:
    """Layers in any order, with any cover; metadata and encoding come back, too."""
    layers = [Layer(key, area) for key, area in zip((KEY, OTHER), AREAS, strict=True)]
    for cover in ("black", "surroundings"):
        data = redact_bytes(FILES[name], layers, cover=cover)
        result = lifted(engine, data, OTHER, KEY)
        assert result["lifted"] == FILES[name]
        assert result["notes"] == ["lifted: 1, 2"]
        assert result["type"] == f"image/{'jpeg' if name.endswith('jpg') else 'png'}"
        assert lifted(engine, data, Key(bytes([1] * 32))) == (
            "the key or passphrase lifts no layer of this picture"
        )


@pytest.mark.parametrize("name", FILES)
def test_some_layers_leave_the_others_covered(engine: Page, name: str) -> None:
    """Outside of the other areas the picture is the one that the package lifts; in them is none."""
    layers = [Layer(KEY, AREAS[0], name="faces"), Layer(OTHER, AREAS[1])]
    data = redact_bytes(FILES[name], layers)
    result = lifted(engine, data, KEY)
    assert result["notes"][0] == "lifted: faces"
    shown, expected = (
        np.asarray(Image.open(io.BytesIO(each)).convert("RGB"))
        for each in (result["lifted"], restored(data, KEY))
    )
    covered = np.zeros(shown.shape[:2], dtype=bool)
    # Units of 16 pixels, and what decoders smooth beyond them.
    whole, more = (16, 2) if name.endswith("jpg") else (1, 0)
    for row, column, rows, columns in AREAS[1]:
        top, left = row // whole * whole, column // whole * whole
        end, right = -(-(row + rows) // whole) * whole, -(-(column + columns) // whole) * whole
        covered[max(0, top - more) : end + more, max(0, left - more) : right + more] = True
        inside = shown[row : row + rows, column : column + columns].reshape(-1, 3)
        assert np.ptp(inside.astype(int), axis=0).max() <= (3 if whole > 1 else 0)
    assert np.array_equal(shown[~covered], expected[~covered])


@pytest.mark.parametrize("name", ["rgb.png", "usual.jpg"])
def test_what_was_edited_is_refused(engine: Page, name: str) -> None:
    """An edit outside, layers of another picture, and changed bytes: as the package does."""
    layers = [Layer(KEY, AREAS[0])]
    data, other = redact_bytes(FILES[name], layers), redact_bytes(FILES[name], layers)
    beside = _package(data)
    edited = "a layer is of another picture, or the picture was edited outside the covered areas"
    changed = Image.open(io.BytesIO(data))
    changed.putpixel((60, 50), (1, 2, 3))
    buffer = io.BytesIO()
    options = {} if name.endswith("png") else {"quality": "keep"}
    changed.save(buffer, changed.format, **options)
    assert lifted(engine, buffer.getvalue(), KEY, beside=beside) == edited
    line, feed, _ = beside.partition(b"\n")
    swapped = line + feed + _package(other).partition(b"\n")[2]
    assert lifted(engine, data, KEY, beside=swapped) in (
        edited, "the layers of the redaction are damaged",
    )  # fmt: skip
    generator = np.random.default_rng(0)
    for _ in range(150):
        broken = bytearray(data)
        for position in generator.integers(2, len(broken), generator.integers(1, 3)):
            broken[position] ^= 1 << int(generator.integers(8))
        if generator.random() < 0.2:
            del broken[int(generator.integers(len(broken))) :]
        result = lifted(engine, bytes(broken), KEY)
        try:
            expected = restored(bytes(broken), KEY)
        except SudokucryptError:
            assert isinstance(result, str), broken
        else:
            assert result["lifted"] == expected


@pytest.mark.parametrize("name", ["rgb.png", "gray.png", "usual.jpg", "cmyk.jpg"])
def test_a_layer_may_have_no_pixel(engine: Page, name: str) -> None:
    """One that seals only metadata is lifted, and counts for the whole file like any other."""
    for cover in ("black", "surroundings"):
        bare = redact_bytes(FILES[name], [Layer(KEY, metadata=True)], cover=cover)
        assert lifted(engine, bare, KEY)["lifted"] == FILES[name]
        layers = [Layer(OTHER, AREAS[0]), Layer(KEY, metadata=True)]
        both = redact_bytes(FILES[name], layers, cover=cover)
        assert lifted(engine, both, OTHER, KEY)["lifted"] == FILES[name]
        assert lifted(engine, both, KEY)["notes"][0] == "lifted: 2"
        assert restored(both, KEY) == both


def test_layers_for_others_and_in_a_file_of_their_own(opened: Opened, tmp_path: Any) -> None:
    """Several key files, a passphrase, an identity and a sidecar work in the page itself."""
    identity, words = Identity.generate(), Passphrase("six words that nobody knows")
    (tmp_path / "photo.jpg").write_bytes(FILES["usual.jpg"])
    (tmp_path / "a.key").write_text(KEY.to_file_text())
    (tmp_path / "me.txt").write_text(identity.to_file_text())
    layers = [
        Layer(KEY, AREAS[0]),
        Layer(identity.recipient, AREAS[1]),
        Layer(words, [(48, 60, 8, 8)]),
    ]
    covered = tmp_path / "covered.jpg"
    redact_file(tmp_path / "photo.jpg", covered, layers, sidecar=True)
    opened.choose("files", [covered, tmp_path / "covered.jpg.redaction"])
    opened.choose("key-file", [tmp_path / "a.key", tmp_path / "me.txt"])
    assert opened.run() == (["covered.jpg.unredacted.jpg"], [])
    notes = opened.texts("#cards .note")
    assert "1 of 3 layers stay covered" in notes[0]
    opened.enter("passphrase", "six words that nobody knows")
    assert opened.run() == (["covered.jpg.unredacted.jpg"], [])
    assert opened.save().read_bytes() == FILES["usual.jpg"]
    assert opened.shown("#cards img") == 77


def _package(data: bytes) -> bytes:
    """Return the package in a redacted file."""
    from sudokucrypt.images.attachments import attachment

    package = attachment(data, "a picture")
    assert package is not None
    return package

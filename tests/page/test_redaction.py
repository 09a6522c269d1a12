"""The engine lifts covers of redacted PNG and JPEG files, and refuses edited files."""

import io
from base64 import b64decode, b64encode
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Identity, Key, Layer, Passphrase, redact_file
from sudokucrypt.errors import SudokucryptError
from tests.images.builders import encode_array, noise
from tests.page.conftest import Driver
from tests.recipes.redacting import lift_covers as restored
from tests.recipes.redacting import redact_bytes
from tests.reports.browser import Page

pytestmark = pytest.mark.programs("chromium")
KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
AREAS = [(5, 6, 17, 19)], [(34, 40, 9, 12), (50, 0, 3, 3)]
_LIFT_SCRIPT = """(async (file, beside, keys) => {
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    try {
        const secrets = await readSecrets(keys);
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


def save_picture(mode: str, file_format: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    _photo().convert(mode).save(buffer, file_format, **options)
    return buffer.getvalue()


FILES = {
    "rgb.png": save_picture("RGB", "PNG"),
    "rgba.png": save_picture("RGBA", "PNG"),
    "gray.png": save_picture("L", "PNG"),
    "bilevel.png": save_picture("1", "PNG"),
    "palette.png": save_picture("P", "PNG"),
    "deep.png": encode_array(noise(61, 77, 3, "uint16"), "PNG"),
    "usual.jpg": save_picture("RGB", "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"),
    "full.jpg": save_picture("RGB", "JPEG", subsampling=0, quality=95),
    "half.jpg": save_picture("RGB", "JPEG", subsampling=1),
    "gray.jpg": save_picture("L", "JPEG"),
    "cmyk.jpg": save_picture("CMYK", "JPEG"),
    "progressive.jpg": save_picture("RGB", "JPEG", progressive=True),
    "restarts.jpg": save_picture("RGB", "JPEG", restart_marker_blocks=3),
    "optimized.jpg": save_picture("RGB", "JPEG", optimize=True, quality=30),
}


def lift_layers(engine: Page, data: bytes, *keys: Key, sidecar: bytes | None = None) -> Any:
    """Return the type, notes and bytes of the lifted file, or the message of its refusal."""
    sidecar_code = "null" if sidecar is None else repr(b64encode(sidecar).decode())
    texts = [key.to_text() for key in keys]
    result = engine.value(f"{_LIFT_SCRIPT}({b64encode(data).decode()!r}, {sidecar_code}, {texts})")
    return result if isinstance(result, str) else {**result, "lifted": b64decode(result["lifted"])}


@pytest.mark.parametrize("name", FILES)
def test_all_layers_restore_the_file(engine: Page, name: str) -> None:
    """Lifting all layers, in any order and with any cover, restores the original file."""
    layers = [Layer(key, area) for key, area in zip((KEY, OTHER), AREAS, strict=True)]
    for cover in ("black", "surroundings"):
        redacted_file = redact_bytes(FILES[name], layers, cover=cover)
        result = lift_layers(engine, redacted_file, OTHER, KEY)
        assert result["lifted"] == FILES[name]
        assert result["notes"] == ["lifted: 1, 2"]
        assert result["type"] == f"image/{'jpeg' if name.endswith('jpg') else 'png'}"
        assert lift_layers(engine, redacted_file, Key(bytes([1] * 32))) == (
            "the key or passphrase lifts no layer of this picture"
        )


@pytest.mark.parametrize("name", FILES)
def test_some_layers_leave_the_others_covered(engine: Page, name: str) -> None:
    """Lifting one layer gives the picture of the package, in which other areas stay covered."""
    layers = [Layer(KEY, AREAS[0], name="faces"), Layer(OTHER, AREAS[1])]
    redacted_file = redact_bytes(FILES[name], layers)
    result = lift_layers(engine, redacted_file, KEY)
    assert result["notes"][0] == "lifted: faces"
    pixels, expected = (
        np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))
        for content in (result["lifted"], restored(redacted_file, KEY))
    )
    is_covered = np.zeros(pixels.shape[:2], dtype=bool)
    # Areas grow to units of 16 pixels, and decoders smooth pixels beyond them.
    unit, margin = (16, 2) if name.endswith("jpg") else (1, 0)
    for row, column, rows, columns in AREAS[1]:
        top, left = row // unit * unit, column // unit * unit
        bottom, right = (
            -(-(row + rows) // unit) * unit,
            -(-(column + columns) // unit) * unit,
        )
        is_covered[
            max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin
        ] = True
        inner_pixels = pixels[row : row + rows, column : column + columns].reshape(-1, 3)
        assert np.ptp(inner_pixels.astype(int), axis=0).max() <= (3 if unit > 1 else 0)
    assert np.array_equal(pixels[~is_covered], expected[~is_covered])


@pytest.mark.parametrize("name", ["rgb.png", "usual.jpg"])
def test_edited_files_are_refused(engine: Page, name: str) -> None:
    """Edits outside of the areas, other layers and changed bytes are refused."""
    layers = [Layer(KEY, AREAS[0])]
    redacted_file, other_file = redact_bytes(FILES[name], layers), redact_bytes(FILES[name], layers)
    sidecar = _extract_layers(redacted_file)
    edited = "a layer is of another picture, or the picture was edited outside the covered areas"
    edited_image = Image.open(io.BytesIO(redacted_file))
    edited_image.putpixel((60, 50), (1, 2, 3))
    buffer = io.BytesIO()
    options = {} if name.endswith("png") else {"quality": "keep"}
    edited_image.save(buffer, edited_image.format, **options)
    assert lift_layers(engine, buffer.getvalue(), KEY, sidecar=sidecar) == edited
    line, feed, _ = sidecar.partition(b"\n")
    swapped = line + feed + _extract_layers(other_file).partition(b"\n")[2]
    assert lift_layers(engine, redacted_file, KEY, sidecar=swapped) in (
        edited, "the layers of the redaction are damaged",
    )  # fmt: skip
    generator = np.random.default_rng(0)
    for _ in range(150):
        damaged_file = bytearray(redacted_file)
        for position in generator.integers(2, len(damaged_file), generator.integers(1, 3)):
            damaged_file[position] ^= 1 << int(generator.integers(8))
        if generator.random() < 0.2:
            del damaged_file[int(generator.integers(len(damaged_file))) :]
        result = lift_layers(engine, bytes(damaged_file), KEY)
        try:
            expected = restored(bytes(damaged_file), KEY)
        except SudokucryptError:
            assert isinstance(result, str), damaged_file
        else:
            assert result["lifted"] == expected


@pytest.mark.parametrize("name", ["rgb.png", "gray.png", "usual.jpg", "cmyk.jpg"])
def test_a_layer_may_have_no_pixel(engine: Page, name: str) -> None:
    """A layer with only metadata is lifted, and is needed to restore the original file."""
    for cover in ("black", "surroundings"):
        metadata_only = redact_bytes(FILES[name], [Layer(KEY, metadata=True)], cover=cover)
        assert lift_layers(engine, metadata_only, KEY)["lifted"] == FILES[name]
        layers = [Layer(OTHER, AREAS[0]), Layer(KEY, metadata=True)]
        with_both_layers = redact_bytes(FILES[name], layers, cover=cover)
        assert lift_layers(engine, with_both_layers, OTHER, KEY)["lifted"] == FILES[name]
        assert lift_layers(engine, with_both_layers, KEY)["notes"][0] == "lifted: 2"
        assert restored(with_both_layers, KEY) == with_both_layers


def test_layers_with_other_secrets(driver: Driver, tmp_path: Any) -> None:
    """In the page, several key files, a passphrase, an identity and a sidecar lift layers."""
    identity, words = Identity.generate(), Passphrase("six words that nobody knows")
    (tmp_path / "photo.jpg").write_bytes(FILES["usual.jpg"])
    (tmp_path / "a.key").write_text(KEY.to_file_text())
    (tmp_path / "me.txt").write_text(identity.to_file_text())
    layers = [
        Layer(KEY, AREAS[0]),
        Layer(identity.recipient, AREAS[1]),
        Layer(words, [(48, 60, 8, 8)]),
    ]
    redacted_path = tmp_path / "covered.jpg"
    redact_file(tmp_path / "photo.jpg", redacted_path, layers, sidecar=True)
    driver.choose("files", [redacted_path, tmp_path / "covered.jpg.redaction"])
    driver.choose("key-file", [tmp_path / "a.key", tmp_path / "me.txt"])
    assert driver.run() == (["covered.jpg.unredacted.jpg"], [])
    notes = driver.get_texts("#cards .note")
    assert "1 of 3 layers stay covered" in notes[0]
    driver.enter("passphrase", "six words that nobody knows")
    assert driver.run() == (["covered.jpg.unredacted.jpg"], [])
    assert driver.save().read_bytes() == FILES["usual.jpg"]
    assert driver.measure("#cards img") == 77


def _extract_layers(data: bytes) -> bytes:
    """Return the attachment with the layers of a redacted file."""
    from sudokucrypt.images.attachments import find_attachment

    package = find_attachment(data, "a picture")
    assert package is not None
    return package

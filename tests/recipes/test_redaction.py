"""Redacted pictures are restored exactly, and hide all covered pixels until then."""

import io
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    KeyRing,
    Layer,
    Passphrase,
    UnsupportedError,
    decrypt_file,
    redact,
    redact_file,
    redactions,
    rekey_file,
    unredact,
    unredact_file,
)
from sudokucrypt.images import Picture, Turn, decode_picture, encode_picture
from sudokucrypt.images.attachments import add_attachment, find_attachment
from sudokucrypt.recipes import inspect_file, open_file
from sudokucrypt.recipes.carriers.redaction.covers import fill_smoothly
from sudokucrypt.recipes.carriers.redaction.jpeg import JpegMedium
from sudokucrypt.recipes.carriers.redaction.layers import seal, unseal
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import Package
from sudokucrypt.recipes.carriers.redaction.samples import SampleMedium
from sudokucrypt.recipes.redaction_info import is_redacted
from sudokucrypt.typing import AnyArray, RegionLike
from tests import programs
from tests.images import builders as b
from tests.leaks.finder import Finder
from tests.leaks.hiding_places import PLACES, list_cases
from tests.recipes.redacting import (
    AREAS,
    COLUMNS,
    KEYS,
    ROWS,
    draw_layers,
    draw_scene,
    lift_covers,
    list_makers,
    make_file,
    make_layers,
    read_package,
    redact_bytes,
    save_scene,
)

_SEVERAL_PICTURES = "only one still picture"
REFUSED = {
    "other PNG, animation": _SEVERAL_PICTURES,
    "other TIFF, pages": _SEVERAL_PICTURES,
    "other WebP, animation": _SEVERAL_PICTURES,
    "other TIFF, group3": "compression 3",
    "other TIFF, group4": "compression 4",
    "other TIFF, 12 bits": "12-bit samples",
    "other TIFF, YCbCr": "YCbCr colors",
    "other TIFF, CMYK-JPEG": "not gray or RGB",
}
"""Files that cannot be redacted, with a part of the error message."""

TOO_LARGE = "other GIF, two"  # claims a huge screen
STILLS = [name for name in list_makers() if name not in (*REFUSED, TOO_LARGE)]
QUICK_STILLS = STILLS[::13]


def _find_secrets(data: bytes, secrets: Sequence[bytes]) -> list[str]:
    """Return leaks in a redacted file; sealed layers, which are PNGs of noise, do not count."""
    return [leak for leak in Finder(secrets).find(data) if leak != "file: a picture, PNG"]


def _show_pixels(data: bytes) -> AnyArray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


def _make_masks(data: bytes, turn: Turn) -> list[AnyArray]:
    """Return a mask of the stored pixels of each layer, from the public facts about it."""
    redaction = redactions(io.BytesIO(data))
    masked_before, masks = np.zeros(redaction.canvas, dtype=bool), []
    for layer in redaction.layers:
        mask = np.zeros(redaction.canvas, dtype=bool)
        for row, column, rows, columns in layer.regions or ():
            mask[row : row + rows, column : column + columns] = True
        mask &= ~masked_before
        masked_before |= mask
        masks.append(turn.turn_back(mask))
    return masks


@pytest.mark.parametrize(
    "cover", ["black", pytest.param("surroundings", marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK_STILLS else pytest.mark.slow) for n in STILLS]
)
def test_layers_are_lifted(name: str, cover: str) -> None:
    """All keys restore the file exactly; one key leaves exactly the other areas covered."""
    data = make_file(name)
    plain = open_medium(data, name, None)
    if isinstance(plain, SampleMedium):
        plain = plain.convert_for_png()
    layers = draw_layers(name, plain.turn.get_upright_shape(plain.canvas))
    covered = redact_bytes(data, layers, cover=cover)
    assert lift_covers(covered, *KEYS) == data
    masks, redacted = _make_masks(covered, plain.turn), open_medium(covered, name, None)
    hidden_mask = np.logical_or.reduce(masks)
    assert redacted.digest(hidden_mask) == plain.digest(hidden_mask)
    if cover == "black":
        _require_flat(redacted, hidden_mask)
    for index in range(len(layers) * (len(layers) > 1)):
        partly_lifted = lift_covers(covered, KEYS[index])
        still_hidden = hidden_mask & ~masks[index]
        medium = open_medium(partly_lifted, name, None)
        assert medium.digest(still_hidden) == plain.digest(still_hidden)
        assert medium.digest(~still_hidden) == redacted.digest(~still_hidden)
        assert lift_covers(partly_lifted, *KEYS) == data


def _require_flat(medium: object, hidden: AnyArray) -> None:
    """Fail unless all hidden samples, or the means of hidden blocks, have one value."""
    if isinstance(medium, SampleMedium):
        assert len(np.unique(medium.still_picture.pixels[hidden], axis=0)) == 1
        return
    assert isinstance(medium, JpegMedium)
    for plane, inside in zip(medium.file.coefficients, medium._select_blocks(hidden), strict=True):
        assert not plane[inside][:, 1:].any()
        assert len(np.unique(plane[inside][:, 0])) <= 1


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint32"])
def test_extremes_under_a_cover_reveal_nothing(dtype: str) -> None:
    """The conversion of other sample types to 8 bits does not depend on covered samples."""
    pixels = np.arange(40 * 50).reshape(40, 50).astype(dtype)
    pixels = pixels / 2000 if dtype == "float32" else pixels
    if dtype == "float32":
        pixels[30, :5] = -1, 2, np.nan, np.inf, -np.inf
    redacted = []
    for hidden_value in (1, 30_000):
        pixels[5:9, 7:17] = hidden_value
        data = encode_picture(Picture.plain(pixels), "TIFF")
        covered = redact_bytes(data, [Layer(KEYS[0], [(5, 7, 4, 10)])])
        assert lift_covers(covered, KEYS[0]) == data
        redacted.append(decode_picture(covered).pixels)
    first_data, second_data = redacted
    assert np.array_equal(first_data, second_data)
    lowest, highest = (0, 1) if dtype == "float32" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    shares = (np.nan_to_num(pixels[20:].astype(float)) - lowest) / (highest - lowest)
    assert np.abs(first_data[20:] - np.clip(shares, 0, 1) * 255).max() <= 0.5


def test_indices_beyond_a_palette_are_black() -> None:
    """Indexes beyond the end of a palette are shown as Pillow shows them."""
    indices = np.arange(64, dtype=np.uint8).reshape(8, 8)
    data = b.build_gif(b.make_gif_image(indices), palette=b"\xff\x80\0" * 4)
    medium = open_medium(data, "GIF", None)
    assert isinstance(medium, SampleMedium)
    assert np.array_equal(medium.still_picture.pixels, _show_pixels(data)[..., :3])


def test_nan_is_restored() -> None:
    """An array of floats with NaN is redacted and restored."""
    pixels = np.full((20, 20), np.nan, dtype=np.float32)
    pixels[5:15] = 0.5
    result = redact(pixels, [(3, 4, 5, 6)], KEYS[0])
    restored = unredact(result.pixels, result.layers, KEYS[0])
    assert np.array_equal(restored, pixels, equal_nan=True)


def test_there_are_many_files() -> None:
    """The tests redact more than 120 files of different kinds."""
    assert len(STILLS) > 120


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_cannot_become_a_png_are_refused(name: str) -> None:
    """The error for animations, pages and unsupported samples names them and hints at `encrypt`."""
    with pytest.raises(UnsupportedError, match=REFUSED[name]) as error_info:
        redact_bytes(make_file(name), make_layers(1))
    assert "'encrypt'" in str(error_info.value.hint)


def test_screens_that_are_too_large_are_refused() -> None:
    """A GIF of two small pictures on a screen of 4 gigapixels is refused for its size."""
    with pytest.raises(InvalidImageError, match="claims 65535 rows of 65535 pixels"):
        redact_bytes(make_file(TOO_LARGE), make_layers(1))


@pytest.mark.parametrize("name", [name for name in STILLS if name.startswith("JPEG, 3")])
def test_jpegs_grow_by_their_layers(name: str) -> None:
    """A redacted JPEG is longer than the file by its layers and a rest of 16 or 128 KiB."""
    data = make_file(name)
    covered = redact_bytes(data, draw_layers(name, (65, 50)))
    package = read_package(covered)
    assert len(covered) <= len(data) + len(package.to_bytes()) + 1000
    least_growth = 2**17 if b"Exif" in data else 2**14
    assert least_growth < len(package.sealed_restoration_data) < least_growth + 3000


@pytest.mark.parametrize("cover", ["black", "surroundings"])
@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "GIF", "TIFF", "WEBP"])
def test_covers_reveal_nothing(file_format: str, cover: str, tmp_path: Path) -> None:
    """Pictures that differ only inside the areas give the same redacted file and index."""
    outputs = []
    for seed in (1, 2):
        pixels = np.asarray(draw_scene()) // 64 * 64
        pixels[16:48, 32:80] = np.random.default_rng(seed).integers(0, 9, (32, 48, 3)) * 14 * seed
        image = Image.fromarray(pixels)
        if file_format == "GIF":  # an adaptive palette would change pixels outside the areas
            image = image.convert("P", dither=Image.Dither.NONE, palette=Image.Palette.WEB)
        source = io.BytesIO()
        image.save(source, file_format, subsampling=2, quality=90, lossless=True)
        source.seek(0)
        layers = [Layer(KEYS[0], [(16, 32, 32, 48)])]
        target = tmp_path / ("out.jpeg" if file_format == "JPEG" else "out.png")
        redact_file(source, target, layers, cover=cover, sidecar=True, replace=True)
        sealed = Package.from_bytes(target.with_name(f"{target.name}.redaction").read_bytes())
        index = json.loads(sealed.line)
        outputs.append((target.read_bytes(), {**index, "id": ""}))
    assert outputs[0] == outputs[1]


_FEW_PLACES = ("jpeg-exif-thumbnail", "png-exif-thumbnail", "gif-comment")


def _mark_place(index: int, name: str) -> tuple[pytest.MarkDecorator, ...]:
    """Mark most places as slow or nightly, since tests of encryption cover all places."""
    if name in _FEW_PLACES:
        return ()
    return (pytest.mark.nightly if index % 4 else pytest.mark.slow,)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=_mark_place(index, name)) for index, name in enumerate(PLACES)],
)
def test_no_preview_stays_in_a_redacted_file(name: str) -> None:
    """A preview in any place of a file is not in the redacted file, and is restored by all keys."""
    case = list_cases()[name]
    try:
        covered = redact_bytes(case.data, [Layer(KEYS[0], [(8, 8, 16, 16)])])
    except UnsupportedError:  # several pages
        return
    assert _find_secrets(covered, case.secrets) == []
    permanent = redact_bytes(case.data, [Layer(None, [(8, 8, 16, 16)])])
    assert Finder(case.secrets).find(permanent) == []
    assert lift_covers(covered, KEYS[0]) == case.data


@pytest.mark.parametrize("cover", ["black", "surroundings"])
@pytest.mark.parametrize("file_format", ["PNG", "TIFF", "WEBP"])
def test_no_covered_samples_stay(file_format: str, cover: str) -> None:
    """No row of covered samples is anywhere in the redacted file, in any encoding."""
    pixels = b.noise(64, 64, 3)
    data = b.save_image(pixels, file_format, lossless=True)
    covered = redact_bytes(data, [Layer(KEYS[0], [(8, 8, 40, 40)])], cover=cover)
    secrets = tuple(row.tobytes() for row in pixels[8:48, 8:48])
    assert _find_secrets(covered, secrets) == []
    permanent = redact_bytes(data, [Layer(None, [(8, 8, 40, 40)])], cover=cover)
    assert Finder(secrets).find(permanent) == []
    hidden_pixels = decode_picture(covered).pixels[8:48, 8:48]
    assert (hidden_pixels == 0).all() or cover != "black"


@pytest.mark.parametrize(
    "color_space",
    ["L", "YCbCr", "YCbCr without JFIF", "RGB", "RGB of Adobe", "YCbCr named RGB", "CMYK", "YCCK"],
)
def test_covers_of_jpegs_have_their_color(color_space: str) -> None:
    """Pillow shows the color of a cover in a JPEG of any color space.

    The means of blocks are those of JFIF, or of red, green and blue, and CMYK is without black.
    """
    mode = {"YCbC": "RGB", "YCCK": "CMYK"}.get(color_space[:4], color_space[:4].strip())
    data = save_scene("JPEG", mode, quality=100, keep_rgb=color_space.startswith("RGB"))
    names = {
        "RGB of Adobe": [
            (b"R\x11\0G\x11\0B\x11", b"\1\x11\0\2\x11\0\3\x11"),
            (b"R\0G\0B", b"\1\0\2\0\3"),
        ],
        "YCbCr named RGB": [
            (b"\1\x22\0\2\x11\1\3", b"R\x22\0G\x11\1B"),
            (b"\1\0\2\x11\3", b"R\0G\x11B"),
        ],
    }
    for before, after in names.get(color_space, []):
        assert before in data
        data = data.replace(before, after)
    if color_space == "YCbCr without JFIF":
        data = data[:2] + data[20:]
    if color_space == "YCCK":
        data = data.replace(b"Adobe\0d\0\0\0\0\0", b"Adobe\0d\0\0\0\0\2")
    covered = redact_bytes(data, [Layer(KEYS[0], [(16, 16, 32, 32)])], cover="#e02880")
    color = np.array([0xE0, 0x28, 0x80])
    jfif = np.array([[0.299, 0.587, 0.114], [-0.1687, -0.3313, 0.5], [0.5, -0.4187, -0.0813]])
    luma, inverted = (jfif @ each + [0, 128, 128] for each in (color, 255 - color))
    samples = {"L": luma, "YCbC": luma, "YCCK": [*inverted, 255]}.get(
        color_space[:4], [*color, 255]
    )
    medium = open_medium(covered, "x", None)
    assert isinstance(medium, JpegMedium)
    for plane, sample in zip(medium.file.coefficients, samples, strict=False):
        assert abs(plane[2, 2, 0] / 8 + 128 - sample) < 0.2
    shown = samples[:1] if mode == "L" else color
    assert np.abs(_show_pixels(covered)[20:44, 20:44, :3] - shown).max() <= 2


def test_permanent_areas_are_gone() -> None:
    """Areas of a layer without key, and all metadata, cannot be restored by the other layers."""
    data = save_scene("JPEG", "RGB")
    covered = redact_bytes(data, [Layer(None, AREAS[0]), Layer(KEYS[1], AREAS[1])])
    assert len(json.loads(read_package(covered).line)["permanent"]) == len(AREAS[0])
    lifted = lift_covers(covered, KEYS[1])
    assert lifted != data
    assert _show_pixels(lifted)[8:16, 16:32, :3].max() <= 1
    assert b"Exif" not in lifted
    assert find_attachment(redact_bytes(data, [Layer(None, AREAS[0])])) is None


@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_covers_do_not_change_when_others_are_lifted(file_format: str) -> None:
    """Other covers from the surroundings become those that were written, even if they were edited.

    Areas next to them are gone for good.
    """
    areas = [[(16, 16, 32, 32)], [(16, 48, 32, 32)], [(48, 16, 32, 32)]]
    layers = [Layer(key, area) for key, area in zip((*KEYS[:2], None), areas, strict=True)]
    covered = redact_bytes(save_scene(file_format), layers, cover="surroundings")
    mask = np.zeros((ROWS, COLUMNS), dtype=bool)
    mask[16:48, 16:48] = True
    lifted = lift_covers(covered, KEYS[0])
    media = [open_medium(data, "x", None) for data in (covered, lifted)]
    for area_mask, is_equal in ((mask, True), (~mask, False)):
        digests = {medium.digest(area_mask) for medium in media}
        assert (len(digests) == 1) == is_equal
    other_mask = np.zeros_like(mask)
    other_mask[16:48, 48:80] = True
    edited = media[0].cover(other_mask, "#ff0000", other_mask).to_bytes()
    assert lift_covers(add_attachment(edited, read_package(covered).to_bytes()), KEYS[0]) == lifted


def test_passphrases_names_and_sidecars(tmp_path: Path) -> None:
    """Layers with a passphrase, a function, a mask and a name are written to a sidecar.

    Their public facts can be read without a key, and their covers can be lifted.
    """
    source, target = tmp_path / "in.jpg", tmp_path / "out.jpg"
    source.write_bytes(save_scene("JPEG", "RGB"))
    secret = Passphrase("correct horse battery staple")

    def find_areas(picture: Picture) -> tuple[RegionLike, ...]:
        assert picture.pixels.shape == (ROWS, COLUMNS, 3)
        return AREAS[0]

    mask = np.eye(ROWS, COLUMNS) > 0
    layers = [Layer(secret, find_areas, name="faces"), Layer(KEYS[1], mask=mask)]
    redact_file(source, target, layers, sidecar=True)
    assert find_attachment(target.read_bytes()) is None
    assert [is_redacted(target), is_redacted(target, sidecar=False)] == [True, False]
    result = redactions(target)
    assert [layer.key_id for layer in result.layers] == [None, KEYS[1].id]
    assert result.layers[0].regions == ((0, 0, 32, 48), (48, 80, 32, 32))
    assert b"faces" not in (tmp_path / "out.jpg.redaction").read_bytes()
    report = unredact_file(target, tmp_path / "back.jpg", secret)
    assert (report.mode, report.layers, report.lifted) == ("areas", 2, ("faces",))
    report = unredact_file(target, tmp_path / "whole.jpg", secret, KEYS[1])
    assert report.lifted == ("faces", "2")
    assert (tmp_path / "whole.jpg").read_bytes() == source.read_bytes()


def test_arrays() -> None:
    """Arrays of all shapes and types of pictures are covered with one color, and restored."""
    red, green, blue = np.array([0x40, 0x60, 0xA0]) / 255
    gray = 0.299 * red + 0.587 * green + 0.114 * blue
    colors: dict[tuple[int, ...], list[float]] = {
        (20, 30): [gray],
        (20, 30, 1): [gray],
        (20, 30, 2): [gray, 1],
        (20, 30, 3): [red, green, blue],
        (20, 30, 4): [red, green, blue, 1],
    }
    for dtype in ("bool", "uint8", "uint16", "int32", "float32", "float64", ">u2"):
        for shape, color in colors.items():
            image = b.noise(20, 30, len(color)).reshape(shape)
            image = (image > 99 if dtype == "bool" else image).astype(dtype)
            result = redact(image, [(3, 4, 5, 6)], KEYS[0], cover="#4060a0")
            assert (result.pixels.shape, result.pixels.dtype) == (shape, image.dtype)
            samples = np.array(color)
            if image.dtype.kind != "f":
                samples = np.rint(samples * (1 if dtype == "bool" else np.iinfo(dtype).max))
            covered_pixels = result.pixels[3:8, 4:10].reshape(30, -1)
            assert np.allclose(covered_pixels, samples, rtol=1e-7, atol=0)
            assert np.array_equal(unredact(result.pixels, result.layers, *KEYS), image)
    with pytest.raises(DecryptionError, match="no layer opens"):
        unredact(result.pixels, result.layers, KEYS[1])
    with pytest.raises(InvalidParameterError, match="layers are bytes, not RedactedImage"):
        unredact(result.pixels, result, KEYS[0])  # type: ignore[arg-type] # that is what is tested
    assert redact(image, None, KEYS[0], mask=np.eye(20, 30) > 0).layers


def test_other_functions_take_redacted_pictures(tmp_path: Path) -> None:
    """`decrypt_file`, `open_file`, `inspect_file` and `rekey_file` take redacted pictures."""
    plain, redacted, lifted = tmp_path / "a.png", tmp_path / "b.png", tmp_path / "c.png"
    plain.write_bytes(save_scene("PNG"))
    redact_file(plain, redacted, make_layers(2))
    decrypt_file(redacted, lifted, KeyRing(KEYS))
    assert lifted.read_bytes() == plain.read_bytes()
    assert open_file(redacted, KeyRing(KEYS)).content == plain.read_bytes()
    assert open_file(redacted, KEYS[0]).name == "b.png"
    record = inspect_file(redacted, KEYS[0]).record
    assert record is not None
    partly_lifted = decode_picture(lift_covers(redacted.read_bytes(), KEYS[0]))
    assert np.array_equal(record.picture.pixels, partly_lifted.pixels)
    redaction = inspect_file(redacted).redaction
    assert redaction == redactions(redacted) == inspect_file(redacted, KEYS[0]).redaction
    with pytest.raises(DecryptionError, match="no layer opens"):
        inspect_file(redacted, KEYS[2])
    rekey_file(redacted, tmp_path / "d.png", KEYS[0], KEYS[2])
    with pytest.raises(DecryptionError, match="no layer opens"):
        decrypt_file(tmp_path / "d.png", tmp_path / "e.png", KEYS[0])
    unredact_file(tmp_path / "d.png", tmp_path / "e.png", *KEYS[1:])
    assert (tmp_path / "e.png").read_bytes() == plain.read_bytes()


def test_transparent_colors(tmp_path: Path) -> None:
    """PNGs with any transparent color are restored; a missing sidecar and a stream are refused."""
    for color in (draw_scene().getpixel((0, 0)), draw_scene().getpixel((40, 10)), (1, 2, 3)):
        data = save_scene("PNG", transparency=color)
        covered = redact_bytes(data, make_layers(1))
        assert lift_covers(covered, KEYS[0]) == data
    (tmp_path / "in.png").write_bytes(covered)
    with pytest.raises(FormatError, match="cannot read the layers"):
        unredact_file(tmp_path / "in.png", None, KEYS[0], sidecar=tmp_path / "missing")
    with pytest.raises(InvalidParameterError, match="a stream has no sidecar"):
        redact_file(io.BytesIO(save_scene("PNG", "L")), io.BytesIO(), make_layers(1), sidecar=True)


@pytest.mark.parametrize(
    "decoder",
    [
        *("pillow", "imagecodecs", "opencv", "jpegxl"),
        *(
            pytest.param(each, marks=pytest.mark.programs(each))
            for each in ("djpeg", "imagemagick")
        ),
    ],
)
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_other_programs_show_the_cover(decoder: str, mode: str) -> None:
    """Each decoder reads a redacted JPEG, and shows black in the covered area."""
    options = {"progressive": True, "subsampling": 2, "restart_marker_blocks": 3}
    data = redact_bytes(
        save_scene("JPEG", mode, **(options if mode == "RGB" else {})), make_layers(1)
    )
    if decoder == "imagecodecs":
        shown_pixels = imagecodecs.jpeg8_decode(data)
    elif decoder == "opencv":
        cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")
        shown_pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    elif decoder == "jpegxl":  # has its own reader of coefficients
        shown_pixels = imagecodecs.jpegxl_decode(imagecodecs.jpegxl_encode_jpeg(data))
    else:
        if decoder != "pillow":
            command = [str(programs.find_program(decoder))]
            command += [] if decoder == "djpeg" else ["-", "png:-"]
            data = subprocess.run(command, input=data, capture_output=True, check=True).stdout
        shown_pixels = np.asarray(Image.open(io.BytesIO(data)))
    assert shown_pixels.shape[:2] == (ROWS, COLUMNS)
    assert shown_pixels[10:22, 12:36].max() <= 1
    assert shown_pixels[10:22, 60:100].max() > 50


def test_layers_have_no_media_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """The media type of a layer is not detected, which would take a tenth of the start of a run."""
    monkeypatch.setattr("sudokucrypt.images.media_type", None)
    layer = unseal(seal(b"GIF89a", KEYS[0], 1), KEYS[0], 1)
    assert layer == b"GIF89a"


def test_what_no_jpeg_has_is_refused() -> None:
    """Coefficients of over 10 bits and a structure of none, from hostile layers, are errors."""
    medium, mask = open_medium(save_scene("JPEG"), "x", None), np.ones((ROWS, COLUMNS), dtype=bool)
    with pytest.raises(DecryptionError):
        medium.uncover(mask, b"\x7f" * medium.size(mask))
    with pytest.raises(DecryptionError):
        medium.rebuild_file(b"no structure")


def test_smooth_fill_depends_only_on_visible_values() -> None:
    """`fill_smoothly` continues a flat area, and does not depend on the values that it replaces."""
    hidden_mask = np.zeros((13, 9), dtype=bool)
    hidden_mask[3:12, 2:8] = True
    values = np.random.default_rng(0).random((13, 9, 2))
    changed = np.where(hidden_mask[..., None], 7.0, values)
    assert np.array_equal(fill_smoothly(values, hidden_mask), fill_smoothly(changed, hidden_mask))
    assert (fill_smoothly(np.full((13, 9, 1), 5.0), hidden_mask) == 5.0).all()
    for dtype, expected in (("uint8", 1), ("float64", 2 / 3)):
        image = np.array([[0, 1], [1, 0]], dtype=dtype)
        assert redact(image, [(0, 0, 1, 1)], KEYS[0], cover="surroundings").pixels[0, 0] == expected
    ramp, part = np.arange(24.0).reshape(4, 6, 1), np.zeros((4, 6), dtype=bool)
    part[2:, 2:4] = part[0, 5] = part[0, :2] = part[1, 0] = True
    filled = fill_smoothly(ramp, part)[..., 0]
    assert filled[0, 5] == (4 + 10 + 11) / 3
    assert (filled[:2, :2] == 7).all()
    assert (filled[2:, 2:4] == (7 + 5.5 + 15.5) / 3).all()
    assert np.array_equal(fill_smoothly(values, np.zeros_like(hidden_mask)), values)
    assert not fill_smoothly(values, np.ones_like(hidden_mask)).any()

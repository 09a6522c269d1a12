"""Covers can be lifted to the very file, hide everything until then, and notice every change."""

import io
import json
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable, Sequence
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
    Key,
    Layer,
    Passphrase,
    SudokucryptError,
    UnsupportedError,
    redact_file,
    redactions,
    unredact_file,
)
from sudokucrypt.images import decode_picture
from sudokucrypt.images.attachments import attachment, with_attachment
from sudokucrypt.images.jpeg import read_coefficients
from sudokucrypt.recipes.carriers.redaction.covers import smooth_fill
from sudokucrypt.recipes.carriers.redaction.layers import LayerContent, whole_file
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import Package
from sudokucrypt.typing import AnyArray, Region
from tests.images import builders as b
from tests.images import samples
from tests.kit.reference import redaction as reference
from tests.leaks.finder import Finder
from tests.leaks.hiding_places import PLACES, cases

KEYS = tuple(Key(bytes([number]) * 32) for number in range(1, 4))
ROWS, COLUMNS = 93, 117
AREAS: tuple[tuple[Region, ...], ...] = (
    ((5, 7, 20, 33), (60, 90, 11, 9)),
    ((20, 30, 30, 20), (0, 80, 1, 37), (85, 0, 8, 8), (70, 40, 9, 9)),
    (
        (48, 64, 16, 16),
        (92, 116, 1, 1),
        (30, 100, 7, 7),
        (32, 60, 5, 5),
        (50, 0, 9, 3),
        (9, 70, 2, 2),
    ),
)


def _scene(seed: int = 0) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 15, 3), dtype=np.uint8)
    return Image.fromarray(pixels).resize((COLUMNS, ROWS), Image.Resampling.BICUBIC)


def _saved(file_format: str, mode: str = "RGB", **options: object) -> Callable[[], bytes]:
    def save() -> bytes:
        image = _scene()
        wide = mode == "I;16"
        buffer = io.BytesIO()
        (image.convert("L").convert(mode) if wide else image.convert(mode)).save(
            buffer, file_format, **options
        )
        return buffer.getvalue()

    return save


FILES: dict[str, Callable[[], bytes]] = {
    f"jpeg-{mode}-{kind}-{sampling}-{restarts}": _saved(
        "JPEG", mode, progressive=kind == "progressive", optimize=kind == "optimised",
        subsampling=sampling, restart_marker_blocks=restarts, exif=b"Exif\0\0II*\0\x08\0\0\0\0\0",
    )
    for mode in ("L", "RGB", "CMYK")
    for kind in ("baseline", "progressive", "optimised")
    for sampling in (0, 1, 2)
    for restarts in (0, 3)
} | {
    f"{name.lower()}-{mode}": _saved(name, mode, **options)
    for name, modes, options in (
        ("PNG", ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"), {}),
        ("TIFF", ("1", "L", "P", "RGB", "RGBA", "CMYK", "I;16"), {}),
        ("WEBP", ("RGB", "RGBA"), {"lossless": True}),
        ("GIF", ("L", "P", "RGB"), {}),
        ("BMP", ("L", "RGB"), {}),
    )
    for mode in modes
} | {
    "webp-lossy": _saved("WEBP"),
    "png-2-bits": lambda: b.png(COLUMNS, ROWS, (b"\0" + bytes(range(30))) * ROWS, bits=2),
    "png-rgb-16": lambda: b.png_of(b.noise(ROWS, COLUMNS, 3, "uint16")),
    "jpeg-arithmetic-free-tail": lambda: _saved("JPEG")() + b"data behind the end",
}  # fmt: skip
QUICK = (
    "jpeg-RGB-progressive-2-3",
    "jpeg-CMYK-baseline-0-0",
    "png-P",
    "tiff-RGB",
    "gif-P",
    "webp-lossy",
)


def _redacted(data: bytes, layers: Sequence[Layer], **options: object) -> bytes:
    target = io.BytesIO()
    redact_file(io.BytesIO(data), target, layers, **options)  # type: ignore[arg-type]
    return target.getvalue()


def _lifted(data: bytes, *keys: Key | Passphrase) -> bytes:
    target = io.BytesIO()
    unredact_file(io.BytesIO(data), target, *keys)
    return target.getvalue()


def _layers(count: int) -> list[Layer]:
    return [Layer(KEYS[n], AREAS[n], name=f"layer {n}") for n in range(count)]


def _found(data: bytes, secrets: Sequence[bytes]) -> list[str]:
    """What is found in a redacted file, except that its sealed layers are pictures of noise."""
    return [each for each in Finder(secrets).find(data) if each != "file: a picture, PNG"]


def _pixels(data: bytes) -> AnyArray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in FILES if n not in QUICK)]
)
def test_all_layers_give_the_very_file(name: str, layers: int) -> None:
    """All keys give the very file; some leave exactly the other areas covered."""
    data = FILES[name]()
    for cover in ("black", "surroundings"):
        covered = _redacted(data, _layers(layers), cover=cover)
        assert _lifted(covered, *KEYS) == data
        if layers == 1:
            continue
        partly = _lifted(covered, KEYS[1])
        assert _lifted(partly, *KEYS) == data
        before, after = _pixels(covered).astype(int), _pixels(partly).astype(int)
        inside = np.zeros((ROWS, COLUMNS), dtype=bool)
        for row, column, rows, columns in AREAS[1]:  # whole units, and chroma smoothed beyond
            wide = 18 if name.startswith("jpeg") else 0
            inside[
                max(0, row - wide) : row + rows + wide,
                max(0, column - wide) : column + columns + wide,
            ] = True
        assert (before == after)[~inside].all()
        assert (before != after)[inside].any()


def test_heif_becomes_png_and_comes_back() -> None:
    """A format that is only read is redacted as another one, and the very file is sealed."""
    data = samples.heif("cropped")
    covered = _redacted(data, [Layer(KEYS[0], [(0, 0, 1, 1)])])
    assert covered.startswith(b"\x89PNG")
    assert _lifted(covered, KEYS[0]) == data


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_jpegs_keep_all_other_coefficients(mode: str) -> None:
    """Outside of covered units coefficients are the same; inside only the mean is left."""
    data = FILES[f"jpeg-{mode}-progressive-0-3"]()
    covered = _redacted(data, _layers(1))
    old, new = (read_coefficients(each, max_pixels=10**6) for each in (data, covered))
    for before, after in zip(old.coefficients, new.coefficients, strict=True):
        inside = np.zeros(before.shape[:2], dtype=bool)
        inside[0:4, 0:5] = inside[7:9, 11:13] = True  # the blocks of both areas
        assert (before == after)[~inside].all()
        assert not after[inside][:, 1:].any()
        assert len(np.unique(after[inside][:, 0])) == 1
    seen = np.asarray(Image.open(io.BytesIO(covered)).convert("RGB"))
    assert seen[8:24, 12:40].max() <= 1
    assert (
        len(covered)
        < len(data) + sum(map(len, Package.of_bytes(attachment(covered) or b"").layers)) + 3000
    )


@pytest.mark.parametrize("name", ["jpeg-RGB-baseline-2-0", "png-RGB", "tiff-L", "webp-RGB"])
def test_covers_tell_nothing_of_what_they_hide(name: str) -> None:
    """Equal pictures with different contents in the areas differ in what is sealed alone."""
    file_format = name.split("-", maxsplit=1)[0].upper()
    outputs = []
    for seed in (1, 2):
        pixels = np.asarray(_scene()).copy()
        pixels[16:48, 32:80] = np.random.default_rng(seed).integers(0, 256, (32, 48, 3)) // seed
        buffer = io.BytesIO()
        image = Image.fromarray(pixels)
        image.save(buffer, file_format, subsampling=2, quality=90, lossless=True)
        covered = _redacted(buffer.getvalue(), [Layer(KEYS[0], [(16, 32, 32, 48)])])
        package = Package.of_bytes(attachment(covered) or b"")
        line = re.sub(rb'"id":"[0-9a-f]{32}"', b"", package.line)
        outputs.append((line, covered.replace(package.to_bytes(), b"")))
        if file_format == "JPEG":  # the package is in numbered segments
            file = read_coefficients(covered, max_pixels=10**6)
            parts = [each for each in file.parts if getattr(each, "marker", 0) != 0xEB]
            outputs[-1] = (
                line,
                [str(part) for part in parts],
                [c.tobytes() for c in file.coefficients],
            )  # type: ignore[assignment]
        elif file_format == "PNG":
            outputs[-1] = (line, re.sub(rb"....suRd....", b"", outputs[-1][1], flags=re.S))
        else:
            outputs[-1] = (line, decode_picture(covered).pixels.tobytes())
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    "name",
    [
        "jpeg-exif-thumbnail", "png-exif-thumbnail", "gif-comment",
        *(pytest.param(name, marks=pytest.mark.slow) for name in PLACES
          if name not in ("jpeg-exif-thumbnail", "png-exif-thumbnail", "gif-comment")),
    ],
)  # fmt: skip
def test_no_preview_stays_beside_a_cover(name: str) -> None:
    """Nothing of a preview is in a redacted file, wherever it hides; with all keys it is back."""
    case = cases()[name]
    try:
        covered = _redacted(case.data, [Layer(KEYS[0], [(8, 8, 16, 16)])])
    except UnsupportedError:  # several pages
        return
    assert _found(covered, case.secrets) == []
    permanent = _redacted(case.data, [Layer(None, [(8, 8, 16, 16)])])
    assert Finder(case.secrets).find(permanent) == []
    assert _lifted(covered, KEYS[0]) == case.data


@pytest.mark.parametrize("cover", ["black", "surroundings"])
@pytest.mark.parametrize("file_format", ["PNG", "TIFF", "WEBP"])
def test_no_covered_samples_stay(file_format: str, cover: str) -> None:
    """No 16 bytes of what is covered are anywhere in the file, in any code."""
    pixels = b.noise(64, 64, 3)
    data = b.saved(pixels, file_format, lossless=True)
    covered = _redacted(data, [Layer(KEYS[0], [(8, 8, 40, 40)])], cover=cover)
    secrets = tuple(row.tobytes() for row in pixels[8:48, 8:48])
    assert _found(covered, secrets) == []
    permanent = _redacted(data, [Layer(None, [(8, 8, 40, 40)])], cover=cover)
    assert Finder(secrets).find(permanent) == []
    hidden = decode_picture(covered).pixels[8:48, 8:48]
    assert (hidden == 0).all() or cover != "black"


def test_permanent_areas_are_gone() -> None:
    """A layer without key seals nothing: lifting all others leaves it, and no metadata, behind."""
    data = FILES["jpeg-RGB-baseline-2-0"]()
    covered = _redacted(data, [Layer(None, AREAS[0]), Layer(KEYS[1], AREAS[1])])
    back = _lifted(covered, KEYS[1])
    assert back != data
    assert _pixels(back)[8:16, 16:32, :3].max() <= 1
    assert b"Exif" not in back
    assert attachment(_redacted(data, [Layer(None, AREAS[0])])) is None


@pytest.mark.parametrize("name", ["jpeg-RGB-baseline-2-0", "png-RGB", "webp-RGB"])
def test_edits_and_strange_layers_are_refused(name: str) -> None:
    """An edit outside the areas, layers of others, and layers that are missing: refused."""
    data = FILES[name]()
    one, two = (_redacted(data, _layers(2)) for _ in range(2))
    first, second = (Package.of_bytes(attachment(each) or b"") for each in (one, two))
    bare = _redacted(data, [Layer(None, (*AREAS[0], *AREAS[1]))])

    def packed(line: bytes, layers: Sequence[bytes], rest: bytes) -> bytes:
        return with_attachment(bare, Package(line, tuple(layers), rest).to_bytes())

    assert _lifted(packed(first.line, first.layers, first.rest), *KEYS) == data
    with pytest.raises(DecryptionError, match="that of another picture"):
        _lifted(packed(first.line, second.layers, first.rest), *KEYS)
    with pytest.raises(DecryptionError, match="the rest of the file was changed"):
        _lifted(packed(first.line, first.layers, second.rest), *KEYS)
    with pytest.raises(SudokucryptError):
        _lifted(packed(first.line, first.layers[::-1], first.rest), *KEYS)
    with pytest.raises(FormatError):
        _lifted(packed(first.line, first.layers[:1], first.rest), *KEYS)
    with pytest.raises(DecryptionError, match="areas were changed"):
        _lifted(packed(first.line.replace(b"#000000", b"#ffffff"), first.layers, first.rest), *KEYS)
    with pytest.raises(InvalidImageError, match="holds no layers"):
        _lifted(bare, *KEYS)
    with pytest.raises(DecryptionError, match="no layer opens"):
        _lifted(one, KEYS[2])
    pixels = np.asarray(Image.open(io.BytesIO(bare)).convert("RGB")).copy()
    pixels[70, 70] ^= 255
    edited = b.saved(pixels, name.split("-", maxsplit=1)[0].upper(), lossless=True)
    with pytest.raises(DecryptionError, match="edited outside the covered areas"):
        _lifted(with_attachment(edited, first.to_bytes()), *KEYS)


@pytest.mark.parametrize("count", [60, pytest.param(2500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["jpeg-L-progressive-2-0", "png-1"])
def test_changed_bytes_never_give_another_file(name: str, count: int) -> None:
    """With a byte changed, or the end cut off, lifting fails or gives the very file."""
    data = FILES[name]()
    covered, generator = _redacted(data, _layers(1)), np.random.default_rng(count)
    refused = 0
    for _ in range(count):
        changed = bytearray(covered)
        position = int(generator.integers(len(changed)))
        changed[position] ^= int(generator.integers(1, 256))
        if generator.random() < 0.1:
            del changed[position:]
        try:
            assert _lifted(bytes(changed), KEYS[0]) == data
        except SudokucryptError:
            refused += 1
    assert refused > count / 2


def test_passphrases_names_and_sidecars(tmp_path: Path) -> None:
    """A layer takes any key; a sidecar holds the layers; anybody sees what is covered."""
    source, target = tmp_path / "in.jpg", tmp_path / "out.jpg"
    source.write_bytes(FILES["jpeg-RGB-baseline-2-0"]())
    secret = Passphrase("correct horse battery staple")
    layers = [Layer(secret, AREAS[0], name="faces"), Layer(KEYS[1], mask=np.eye(ROWS, COLUMNS) > 0)]
    redact_file(source, target, layers, sidecar=True)
    assert attachment(target.read_bytes()) is None
    found = redactions(target)
    assert [layer.key_id for layer in found.layers] == [None, KEYS[1].id]
    assert found.layers[0].regions == ((0, 0, 32, 48), (48, 80, 32, 32))
    assert b"faces" not in (tmp_path / "out.jpg.redaction").read_bytes()
    report = unredact_file(target, tmp_path / "back.jpg", secret)
    assert (report.layers, report.lifted) == (2, ("faces",))
    report = unredact_file(target, tmp_path / "whole.jpg", secret, KEYS[1])
    assert report.lifted == ("faces", "2")
    assert (tmp_path / "whole.jpg").read_bytes() == source.read_bytes()


def test_what_cannot_be_redacted() -> None:
    """Areas beside the picture, unknown covers, animations and redacted files are refused."""
    data = FILES["png-RGB"]()
    with pytest.raises(InvalidParameterError, match="does not lie in a picture"):
        _redacted(data, [Layer(KEYS[0], [(90, 0, 10, 10)])])
    with pytest.raises(InvalidParameterError, match="a cover is"):
        _redacted(data, _layers(1), cover="blur")
    with pytest.raises(InvalidParameterError, match="no areas"):
        _redacted(data, [Layer(KEYS[0])])
    with pytest.raises(InvalidParameterError, match="1 to 64 layers"):
        _redacted(data, [])
    with pytest.raises(UnsupportedError, match="redacted already"):
        _redacted(_redacted(data, _layers(1)), _layers(1))
    buffer = io.BytesIO()
    _scene().save(buffer, "GIF", save_all=True, append_images=[_scene(1)])
    with pytest.raises(UnsupportedError, match="several frames"):
        _redacted(buffer.getvalue(), _layers(1))


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
        _lifted(with_attachment(FILES["png-RGB"](), package), KEYS[0])


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
    ],
)
def test_hostile_indexes(field: str, value: object) -> None:
    """An index with a field of another kind is refused, and costs nothing."""
    bare, covered = FILES["png-RGB"](), _redacted(FILES["png-RGB"](), _layers(1))
    line, _, others = (attachment(covered) or b"").partition(b"\n")
    changed = json.dumps(json.loads(line) | {field: value}, separators=(",", ":")).encode()
    with pytest.raises(FormatError):
        _lifted(with_attachment(bare, changed + b"\n" + others), KEYS[0])


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
    medium = open_medium(FILES["png-RGB"](), "x", None)
    with pytest.raises(DecryptionError):
        whole_file(rest, medium, _VISIBLE)


def test_colors_that_are_not_seen(tmp_path: Path) -> None:
    """A transparent color stays if it shows nothing of what is covered, and the file comes back."""
    scene = _scene()
    for color in (scene.getpixel((0, 0)), scene.getpixel((40, 10)), (1, 2, 3)):
        buffer = io.BytesIO()
        scene.save(buffer, "PNG", transparency=color)
        covered = _redacted(buffer.getvalue(), _layers(1))
        assert _lifted(covered, KEYS[0]) == buffer.getvalue()
    (tmp_path / "in.png").write_bytes(covered)
    with pytest.raises(FormatError, match="cannot read the layers"):
        unredact_file(tmp_path / "in.png", None, KEYS[0], sidecar=tmp_path / "missing")
    with pytest.raises(InvalidParameterError, match="a stream has no sidecar"):
        redact_file(io.BytesIO(FILES["png-L"]()), io.BytesIO(), _layers(1), sidecar=True)


@pytest.mark.parametrize("decoder", ["pillow", "imagecodecs", "djpeg", "convert"])
@pytest.mark.parametrize("name", ["jpeg-RGB-progressive-2-3", "jpeg-L-baseline-0-0"])
def test_other_programs_show_the_cover(decoder: str, name: str) -> None:
    """Every decoder reads a redacted JPEG, and shows black where it is covered."""
    data = _redacted(FILES[name](), _layers(1))
    if decoder == "imagecodecs":
        seen = imagecodecs.jpeg8_decode(data)
    else:
        if decoder != "pillow":
            program = shutil.which(decoder)
            if program is None:
                pytest.skip(f"{decoder} is not installed")
            command = [program] if decoder == "djpeg" else [program, "-", "png:-"]
            data = subprocess.run(command, input=data, capture_output=True, check=True).stdout
        seen = np.asarray(Image.open(io.BytesIO(data)))
    assert seen.shape[:2] == (ROWS, COLUMNS)
    assert seen[10:22, 12:36].max() <= 1
    assert seen[10:22, 60:100].max() > 50


def test_smooth_fill_knows_only_what_is_visible() -> None:
    """A fill continues what is flat, and does not depend on what it replaces."""
    hidden = np.zeros((13, 9), dtype=bool)
    hidden[3:12, 2:8] = True
    values = np.random.default_rng(0).random((13, 9, 2))
    other = np.where(hidden[..., None], 7.0, values)
    assert np.array_equal(smooth_fill(values, hidden), smooth_fill(other, hidden))
    assert (smooth_fill(np.full((13, 9, 1), 5.0), hidden) == 5.0).all()
    assert np.array_equal(smooth_fill(values, np.zeros_like(hidden)), values)
    assert not smooth_fill(values, np.ones_like(hidden)).any()


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_a_second_implementation_lifts_the_same(mode: str) -> None:
    """The reference, written from the specification alone, lifts JPEG and PNG to the very file."""
    keys = [bytes([number]) * 32 for number in (1, 2)]
    regions = [[(5, 7, 9, 9), (30, 20, 4, 4)], [(8, 8, 12, 20)]]
    layers = [Layer(Key(key), each) for key, each in zip(keys, regions, strict=True)]
    image = _scene().resize((45, 39)).convert(mode)
    for file_format in ("PNG", "JPEG"):
        buffer = io.BytesIO()
        image.save(buffer, file_format)
        data, covered = buffer.getvalue(), _redacted(buffer.getvalue(), layers)
        if file_format == "JPEG":
            file = read_coefficients(covered, max_pixels=10**6)
            planes = [plane.reshape(-1, 64).tolist() for plane in file.coefficients]
            assert reference.lift_jpeg(covered, planes, keys) == data
            continue
        pixels = np.asarray(Image.open(io.BytesIO(covered)))
        samples_at_hand = [pixel.tobytes() for pixel in pixels.reshape(39 * 45, -1)]
        head = f"samples {mode.lower().replace('l', 'gray')} uint8 {pixels.shape}"
        package = reference.package_in(covered)
        back, shown = reference.lift_samples(package, keys, samples_at_hand, head)
        assert back == data
        assert b"".join(shown) == image.tobytes()

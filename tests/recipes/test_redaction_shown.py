"""Layers authenticate display settings, and lengths reveal nothing of covered pixels."""

import io
import struct
import zlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import product
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image, ImageCms, ImageDraw

from sudokucrypt import (
    DecryptionError,
    Key,
    KeyRing,
    Layer,
    SudokucryptError,
    rekey_file,
    unredact_file,
)
from sudokucrypt.images import decode_picture
from sudokucrypt.images.jpeg import JpegFile, make_dummy_mask, read_coefficients
from sudokucrypt.images.orientation import read_orientation
from sudokucrypt.images.png.costs import PngCosts
from sudokucrypt.recipes.carriers.redaction import layers as contents
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.typing import AnyArray
from tests.images import builders as b
from tests.kit.replay import load
from tests.recipes.memory import run_on_bytes, save_image
from tests.recipes.redacting import KEYS, lift_covers, read_package, redact_bytes, save_scene

LAYERS = [Layer(KEYS[0], [(0, 0, 16, 16)], name="one"), Layer(KEYS[1], [(64, 64, 16, 16)])]
BombError = Image.DecompressionBombError
_RandomGenerator = np.random.Generator
Edit = Callable[[bytes, _RandomGenerator], bytes]


def _make_exif(orientation: int) -> bytes:
    return b"Exif\0\0II*\0\x08\0\0\0\1\0" + struct.pack("<HHIHHI", 0x112, 3, 1, orientation, 0, 0)


_PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@cache
def make_sources() -> dict[str, bytes]:
    """Return files of many kinds, some with metadata that redacting keeps visible."""
    metadata: dict[str, Any] = {"exif": _make_exif(6), "icc_profile": _PROFILE, "dpi": (300, 300)}
    return {
        "baseline": save_scene("JPEG", quality=85, **metadata),
        "progressive": save_scene("JPEG", progressive=True, **metadata),
        "restarts": save_scene("JPEG", restart_marker_blocks=3, subsampling=0),
        "gray": save_scene("JPEG", "L"),
        "CMYK": save_scene("JPEG", "CMYK"),
        "RGB": save_scene("JPEG", keep_rgb=True),
        "PNG": save_scene("PNG", exif=_make_exif(8)[6:], icc_profile=_PROFILE, dpi=(72, 72)),
        "PNG, RGBA": save_scene("PNG", "RGBA"),
        "PNG, gray": save_scene("PNG", "L", dpi=(1, 1)),
        "PNG, deep": b.encode_array(b.noise(93, 117, 3, "uint16"), "PNG"),
        "PNG, bits": save_scene("PNG", "1"),
    }


PNGS = [name for name in make_sources() if name.startswith("PNG")]


@cache
def cover_source(name: str) -> tuple[bytes, bytes]:
    """Return a redacted file, and the file in which the first key has lifted its layer."""
    data = redact_bytes(make_sources()[name], LAYERS, cover="#20c040")
    partly_lifted = lift_covers(data, KEYS[0])
    assert lift_covers(partly_lifted, KEYS[0]) == partly_lifted
    assert lift_covers(partly_lifted, *KEYS) == make_sources()[name]
    return data, partly_lifted


def _find_segments(data: bytes) -> list[tuple[int, int]]:
    """Return start and end of each segment of a JPEG up to the head of its first scan."""
    segments, start = [], 2
    while data[start + 1] != 0xDA:
        end = start + 2 + int.from_bytes(data[start + 2 : start + 4], "big")
        segments.append((start, end))
        start = end
    return [*segments, (start, start + 2 + int.from_bytes(data[start + 2 : start + 4], "big"))]


def _add_segment(data: bytes, rng: _RandomGenerator) -> bytes:
    bodies = [
        (0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([rng.integers(3)])),
        (0xE1, _make_exif(int(rng.integers(1, 9)))),
        (0xE0, b"JFIF\0\1\1" + bytes(rng.integers(0, 3, 5).tolist()) + b"\0\0"),
        (0xE2, b"ICC_PROFILE\0\1\1" + _PROFILE),
        (0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>"),
        (0xDD, bytes([0, rng.integers(9)])),
        (0xFE, b"a comment"),
        (0xED, b"Photoshop 3.0\0"),
    ]
    marker, body = bodies[rng.integers(len(bodies))]
    position, _ = _find_segments(data)[rng.integers(len(_find_segments(data)))]
    fill_bytes = b"\xff" * int(rng.integers(2))
    segment = fill_bytes + bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body
    return data[:position] + segment + data[position:]


def _remove_segment(data: bytes, rng: _RandomGenerator) -> bytes:
    start, end = _find_segments(data)[rng.integers(len(_find_segments(data)) - 1)]
    return data[:start] + data[end:]


def _change_head(data: bytes, rng: _RandomGenerator) -> bytes:
    """Change bytes of a segment that is neither a table of codes nor a package of layers."""
    segments = [pair for pair in _find_segments(data) if data[pair[0] + 1] not in (0xC4, 0xEB)]
    start, end = segments[rng.integers(len(segments))]
    changed = bytearray(data)
    for position in rng.integers(start, end, rng.integers(1, 3)):
        changed[position] = int(rng.integers(256))
    return bytes(changed)


def _rename_components(data: bytes, rng: _RandomGenerator) -> bytes:
    changed = bytearray(data)
    names = [b"RGB", b"\0\1\2", b'\1"\2'][rng.integers(3)]
    for start, _ in _find_segments(data):
        if data[start + 1] in (0xC0, 0xC2, 0xDA):
            first_byte, step = (start + 10, 3) if data[start + 1] != 0xDA else (start + 5, 2)
            for index in range(min(3, data[first_byte - 1])):
                changed[first_byte + step * index] = names[index]
    return bytes(changed)


def _change_fillers(data: bytes, rng: _RandomGenerator) -> bytes:
    """Change filler blocks, which only complete units, and which no viewer shows."""
    file = read_coefficients(data, max_pixels=10**6)
    planes = [np.array(plane) for plane in file.coefficients]
    for index, (plane, component) in enumerate(zip(planes, file.frame.components, strict=True)):
        if file.count_sent_coefficients(index):
            plane[make_dummy_mask(component), 0] = rng.integers(-9, 9)
    return _write_file(file, planes)


def _write_file(file: JpegFile, planes: list[AnyArray]) -> bytes:
    return file.with_coefficients(planes).optimize().to_bytes()


def _change_codes(data: bytes, rng: _RandomGenerator) -> bytes:
    del rng
    file = read_coefficients(data, max_pixels=10**6)
    return _write_file(file, list(file.coefficients)) + b"trailing bytes"


def _find_chunks(data: bytes) -> list[tuple[int, int]]:
    chunks, position = [], 8
    while position < len(data):
        chunk_end = position + 12 + int.from_bytes(data[position : position + 4], "big")
        chunks.append((position, chunk_end))
        position = chunk_end
    return chunks


def _add_chunk(data: bytes, rng: _RandomGenerator) -> bytes:
    chunks = [
        (b"gAMA", struct.pack(">I", int(rng.integers(1, 10**6)))),
        (b"cHRM", rng.bytes(32)),
        (b"sRGB", b"\0"),
        (b"iCCP", b"x\0\0" + zlib.compress(_PROFILE)),
        (b"iCCP", b"x\0\0" + zlib.compress(_PROFILE[:-1])),
        (b"pHYs", struct.pack(">IIB", int(rng.integers(1, 5)), 1, int(rng.integers(2)))),
        (b"eXIf", _make_exif(int(rng.integers(1, 9)))[6:]),
        (b"tRNS", bytes(rng.integers(0, 2, 2).tolist())),
        (b"tRNS", bytes(6)),
        (b"bKGD", bytes(6)),
        (b"PLTE", bytes(range(30))),
        (b"tEXt", b"Comment\0hello"),
        (b"cICP", bytes([9, 16, 0, 1])),
        (b"acTL", struct.pack(">II", 1, 0)),
        (b"iTXt", b'sudokucrypt\0\0\0\0\0{"sudokucrypt":1}'),
        (b"abCd", b"unknown"),
    ]
    kind, body = chunks[rng.integers(len(chunks))]
    position, _ = _find_chunks(data)[rng.integers(1, len(_find_chunks(data)))]
    return data[:position] + b.make_png_chunk(kind, body) + data[position:]


def _choose_chunk(data: bytes, rng: _RandomGenerator) -> tuple[int, int]:
    """Return start and end of a random chunk that is not the package of layers."""
    chunks = [(s, e) for s, e in _find_chunks(data) if data[s + 4 : s + 8] != b"suRd"]
    return chunks[rng.integers(len(chunks))]


def _remove_chunk(data: bytes, rng: _RandomGenerator) -> bytes:
    start, end = _choose_chunk(data, rng)
    return data[:start] + data[end:]


def _change_chunk(data: bytes, rng: _RandomGenerator) -> bytes:
    """Change bytes of a chunk, and correct its checksum."""
    start, end = _choose_chunk(data, rng)
    body = bytearray(data[start + 8 : end - 4])
    for _ in range(rng.integers(1, 3) if body else 0):
        body[rng.integers(len(body))] = int(rng.integers(256))
    return data[:start] + b.make_png_chunk(data[start + 4 : start + 8], bytes(body)) + data[end:]


def _save_with_pillow(data: bytes, rng: _RandomGenerator) -> bytes:
    """Save a redacted PNG with Pillow, perhaps in another mode, and attach its layers."""
    opened_image = Image.open(io.BytesIO(data))
    modes = [opened_image.mode, "P", "RGB", "RGBA", "L", "LA"]
    image = opened_image.convert(modes[rng.integers(len(modes))])
    if rng.integers(2):
        image.info = {}
    saved = save_image(image, "PNG", compress_level=int(rng.integers(10)))
    return saved[:-12] + b.make_png_chunk(b"suRd", read_package(data).to_bytes()) + saved[-12:]


EDITS: dict[str, list[Edit]] = {
    "JPEG": [
        _add_segment, _add_segment, _remove_segment, _change_head, _rename_components,
        _change_fillers, _change_codes,
    ],
    "PNG": [_add_chunk, _add_chunk, _remove_chunk, _change_chunk, _save_with_pillow],
}  # fmt: skip


@pytest.mark.parametrize("count", [40, pytest.param(700, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", make_sources())
def test_changed_metadata_do_not_affect_results(name: str, count: int) -> None:
    """Lifting a redacted file after random edits gives the same result as before, or an error."""
    (data, partly_lifted), rng = cover_source(name), np.random.default_rng(count)
    edits = EDITS["PNG" if name in PNGS else "JPEG"]
    lifted = 0
    for _ in range(count):
        changed = data
        for _ in range(rng.integers(1, 3)):
            try:
                changed = edits[rng.integers(len(edits))](changed, rng)
            except (SudokucryptError, IndexError, ValueError, OSError, BombError, UserWarning):
                break  # the first edit left no valid picture
        for keys, expected in ((KEYS[:1], partly_lifted), (KEYS, make_sources()[name])):
            try:
                result = lift_covers(changed, *keys)
            except SudokucryptError:
                continue
            assert result == expected
            lifted += 1
    assert count / 10 < lifted < 2 * count


@pytest.mark.parametrize("name", make_sources())
def test_a_picture_that_was_turned(name: str) -> None:
    """If a program changed the orientation, all keys restore the original file exactly.

    Lifting with one key, and `rekey_file`, raise an error that says so.
    """
    data, _ = cover_source(name)
    if name in PNGS:
        split = _find_chunks(data)[0][1]
        turned = data[:split] + b.make_png_chunk(b"eXIf", _make_exif(3)[6:]) + data[split:]
    else:
        body = _make_exif(3)
        turned = data[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + data[2:]
    assert lift_covers(turned, *KEYS) == make_sources()[name]
    with pytest.raises(DecryptionError, match="the display settings were changed"):
        lift_covers(turned, KEYS[0])
    for key in (KEYS[0], KeyRing(KEYS)):
        with pytest.raises(DecryptionError, match="the display settings were changed"):
            run_on_bytes(rekey_file, turned, key, KEYS[2])


@pytest.mark.parametrize("name", ["baseline", "PNG"])
def test_orientation_and_profile_stay_visible(name: str) -> None:
    """Redacted, partly lifted and rekeyed files have orientation and profile of the original."""
    expected = {"baseline": 6, "PNG": 8}[name]
    data, partly_lifted = cover_source(name)
    rekeyed = run_on_bytes(rekey_file, data, KEYS[0], KEYS[2])
    for file in (data, partly_lifted, rekeyed, lift_covers(rekeyed, KEYS[2])):
        image = Image.open(io.BytesIO(file))
        assert read_orientation(image.info["exif"].removeprefix(b"Exif\0\0")) == expected
        assert image.info["icc_profile"]
    assert lift_covers(rekeyed, KEYS[1], KEYS[2]) == make_sources()[name]


def test_version_1_is_lifted_with_its_number() -> None:
    """The report on lifting a picture of version 1 has its version; version 2 is written."""
    for case in load("redactions"):
        keys = [Key(bytes.fromhex(key)) for key in case["keys"]]
        data = io.BytesIO(bytes.fromhex(case["redacted"]))
        report = unredact_file(data, io.BytesIO(), *keys)
        assert (report.version, report.covered) == (1, ())
        if len(keys) > 1:
            data.seek(0)
            report = unredact_file(data, io.BytesIO(), keys[0])
            assert (report.version, report.covered) == (1, (2,))
    assert b'{"redaction":2,' in cover_source("PNG")[0]


# The length of a redacted file does not depend on covered pixels: files that differ only there.


_ROWS, _COLUMNS = 240, 320
#: Column, row, columns and rows of a line of text, and of a larger part.
SMALL_AREA, LARGE_AREA = (200, 100, 64, 16), (48, 48, 200, 140)


def _draw_scene(seed: int) -> Image.Image:
    """Return an image like a screenshot for odd seeds, and like a photograph for even ones."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        image = Image.new("RGB", (_COLUMNS, _ROWS), (245, 245, 245))
        for line in range(14):
            text = f"Statement line {line}: paid {line * 977 + seed} EUR to {line * seed * 7919:08}"
            ImageDraw.Draw(image).text((8, 8 + 16 * line), text, fill=(20, 20, 20))
        return image
    soft = rng.integers(0, 256, (8, 10, 3), dtype=np.uint8)
    image = Image.fromarray(soft).resize((_COLUMNS, _ROWS), Image.Resampling.BICUBIC)
    noisy = np.asarray(image).astype(int) + rng.integers(-6, 7, (_ROWS, _COLUMNS, 3))
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))


def _draw_hidden(seed: int, kind: int, box: tuple[int, int, int, int]) -> Image.Image:
    """Return the scene with a white box that is empty (0), has text (1) or noise (2)."""
    image, (column, row, columns, rows) = _draw_scene(seed), box
    draw = ImageDraw.Draw(image)
    draw.rectangle((column, row, column + columns - 1, row + rows - 1), fill=(255, 255, 255))
    if kind == 1:
        draw.text((column + 2, row + 2), f"PIN {seed * 37 % 9999}", fill=(0, 0, 0))
    if kind == 2:
        noise = np.random.default_rng(seed).integers(0, 256, (rows, columns, 3), dtype=np.uint8)
        image.paste(Image.fromarray(noise), (column, row))
    return image


def _make_thumbnail(image: Image.Image) -> bytes:
    """Return an Exif block with a thumbnail of the image."""
    thumbnail = save_image(image.resize((160, 120)), "JPEG", quality=85)
    first = struct.pack("<HHHIHHI", 1, 0x112, 3, 1, 1, 0, 26)
    second = struct.pack("<HHHIIHHIII", 2, 0x201, 4, 1, 56, 0x202, 4, 1, len(thumbnail), 0)
    return b"II*\0\x08\0\0\0" + first + second + thumbnail


def _make_png(image: Image.Image, level: int, strategy: int, kind: int) -> bytes:
    """Return a PNG like those of other programs: one kind of filter, and chunks of 8 KiB."""
    pixels = np.asarray(image)
    row_above = np.concatenate([np.zeros_like(pixels[:1]), pixels[:-1]])
    lines = (pixels - row_above if kind == 2 else pixels).reshape(_ROWS, -1)
    engine = zlib.compressobj(level, strategy=strategy)
    filtered = b"".join(bytes([kind]) + line.tobytes() for line in lines)
    compressed = engine.compress(filtered) + engine.flush()
    compressed_pieces = [compressed[n : n + 8192] for n in range(0, len(compressed), 8192)]
    idat_chunks = [b.make_png_chunk(b"IDAT", piece) for piece in compressed_pieces]
    head = b.make_png_chunk(b"IHDR", struct.pack(">IIBBBBB", _COLUMNS, _ROWS, 8, 2, 0, 0, 0))
    return b"".join([b"\x89PNG\r\n\x1a\n", head, *idat_chunks, b.make_png_chunk(b"IEND", b"")])


def _list_kinds() -> dict[str, Callable[[Image.Image], bytes]]:
    kinds: dict[str, Callable[[Image.Image], bytes]] = {
        "JPEG, baseline": lambda image: save_image(image, "JPEG", quality=90),
        "JPEG, optimized": lambda image: save_image(image, "JPEG", quality=90, optimize=True),
        "JPEG, progressive": lambda image: save_image(image, "JPEG", progressive=True),
        "JPEG, thumbnail": lambda image: save_image(
            image, "JPEG", optimize=True, exif=b"Exif\0\0" + _make_thumbnail(image)
        ),
        "PNG, thumbnail": lambda image: save_image(image, "PNG", exif=_make_thumbnail(image)),
        "PNG, interlaced": lambda image: b.build_png(
            _COLUMNS,
            _ROWS,
            b.make_png_stream(np.asarray(image), 2, 8, interlace=1, kinds=range(5)),
            bits=8, color=2, interlace=1,
        ),
    }  # fmt: skip
    for level in range(10):
        kinds[f"PNG, Pillow, {level}"] = partial(
            save_image, file_format="PNG", compress_level=level
        )
    for level, strategy, kind in product((1, 6, 9), range(5), (0, 2)):
        name = f"PNG, {level} {strategy} {kind}"
        kinds[name] = partial(_make_png, level=level, strategy=strategy, kind=kind)
    return kinds


def _list_lossless() -> dict[str, Callable[[Image.Image], bytes]]:
    return {
        "WebP, lossless": partial(save_image, file_format="WEBP", lossless=True),
        "TIFF": partial(save_image, file_format="TIFF"),
        "TIFF, LZW": partial(save_image, file_format="TIFF", compression="tiff_lzw"),
        "TIFF, deflate": partial(save_image, file_format="TIFF", compression="tiff_adobe_deflate"),
        "BMP": partial(save_image, file_format="BMP"),
    }


def _list_lossy() -> dict[str, Callable[[Image.Image], bytes]]:
    return {
        "AVIF": lambda image: imagecodecs.avif_encode(np.asarray(image), level=60, speed=10),
        "WebP": partial(save_image, file_format="WEBP", quality=80),
    }


LOSSY_KINDS = _list_lossy()
KINDS = {**_list_kinds(), **_list_lossless(), **LOSSY_KINDS}
QUICK_KINDS = (
    *("JPEG, optimized", "JPEG, thumbnail", "PNG, thumbnail", "PNG, Pillow, 6", "PNG, 9 2 0"),
    "TIFF, LZW",
)
UNUSUAL_KINDS = [
    f"PNG, {level} {how} {kind}" for level, how, kind in product((1, 6, 9), (2, 3), (0, 2))
]
"""Kinds that programs do not write by default, such as runs without filters: 38 of 40 pass."""


def _find_different(make: Callable[[Image.Image], bytes], seeds: range) -> list[tuple[int, ...]]:
    """Return seed and lengths of each pair of redacted files with different lengths."""
    different: list[tuple[int, ...]] = []
    for box in (SMALL_AREA, LARGE_AREA):
        column, row, columns, rows = box
        area = (row - 8, column - 8, rows + 16, columns + 16)
        for seed in seeds:
            rests, files = [], []
            for kind in (seed % 3, (seed + 1) % 3):
                data = make(_draw_hidden(seed, kind, box))
                covered = redact_bytes(data, [Layer(KEYS[0], [area])])
                assert lift_covers(covered, KEYS[0]) == data
                rests.append(len(read_package(covered).sealed_restoration_data))
                files.append(len(covered))
            # With a lossy codec, the covered pixels affect visible ones around the box.
            if rests[0] != rests[1] or (files[0] != files[1] and make not in LOSSY_KINDS.values()):
                different.append((seed, *rests, *files))
    return different


@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK_KINDS else pytest.mark.slow) for n in KINDS]
)
def test_files_have_one_length(name: str, count: int) -> None:
    """Redacted files of each kind have the same length whatever a small or large box hides.

    The length of PNG and JPEG depends on visible pixels; other formats are padded to powers of two.
    """
    different = _find_different(KINDS[name], range(1, 1 + count))
    assert len(different) <= (max(1, count // 10) if name in UNUSUAL_KINDS else 0)


@pytest.mark.parametrize("box", [SMALL_AREA, LARGE_AREA])
def test_a_palette_does_not_show(box: tuple[int, int, int, int]) -> None:
    """A PNG with a palette becomes as long as one whose covered pixels have too many colors."""
    column, row, columns, rows = box
    image = Image.new("RGB", (_COLUMNS, _ROWS), (240, 245, 255))
    for top in range(8, _ROWS, 16):
        ImageDraw.Draw(image).text((8, top), f"Line {top} paid {top * 977} EUR", fill=(20, 40, 160))
    flat = save_image(image.quantize(256), "PNG")
    image.paste(Image.fromarray(b.noise(rows, columns, 3)), (column, row))
    layers = [Layer(KEYS[0], [(row, column, rows, columns)])]
    lengths = {len(redact_bytes(data, layers)) for data in (flat, save_image(image, "PNG"))}
    assert len(lengths) == 1


def test_a_well_compressed_png_stays_small() -> None:
    """A PNG that is compressed well is not padded to the length of its samples."""
    ramp = np.add.outer(np.arange(600), np.arange(900)).astype(np.uint8)
    covered = redact_bytes(
        save_image(Image.fromarray(ramp), "PNG"), [Layer(KEYS[0], [(0, 0, 8, 8)])]
    )
    assert len(covered) < ramp.size // 4


def test_parts_have_the_length_of_their_areas() -> None:
    """The content of a layer is as long as head and pixels, in steps of 256 bytes from 4 KiB."""
    for side, expected in ((8, 4096), (64, 13_056), (100, 30_720)):
        data = b.make_png(b.noise(128, 128, 3))
        part = read_package(redact_bytes(data, [Layer(KEYS[0], [(0, 0, side, side)])])).layers[0]
        assert len(contents.unseal(part, KEYS[0], 1)) == expected <= len(part) < expected + 2000
        assert not decode_picture(part).header_rows
        assert expected == -(-max(4096, 531 + 3 * side * side) // 256) * 256


def test_the_structure_of_a_jpeg_has_a_usual_length() -> None:
    """The rest of a JPEG has 16 KiB, or 128 KiB with an Exif block, as the format says."""
    cases: list[tuple[dict[str, Any], int]] = [({}, 2**14), ({"exif": Image.Exif()}, 2**17)]
    for options, expected in cases:
        data = b.save_image(b.noise(64, 64, 3), "JPEG", **options)
        kind, _, length = contents.make_restoration_data(data, open_medium(data, "x", None))
        assert (kind, length) == (b"S", expected)


def test_a_png_with_trailing_bytes_is_restored() -> None:
    """A PNG with long trailing bytes is restored."""
    data = save_image(_draw_scene(1), "PNG") + bytes(70_000)
    covered = redact_bytes(data, [Layer(KEYS[0], [(0, 0, 16, 16)])])
    assert lift_covers(covered, KEYS[0]) == data
    assert contents.make_restoration_data(data, open_medium(data, "x", None)) == (b"F", data, None)


def _measure_rest(
    data: bytes, redacted: bytes, hidden: AnyArray | None = None, *, size: int, body: bytes = b""
) -> int:
    """Return the length of the padded rest of a file whose covered pixels have `size` bytes."""
    mask = np.zeros((1, 1), dtype=bool) if hidden is None else hidden
    return len(
        contents.pack_restoration_data(data, (b"F", body, None), bytes(32), redacted, mask, size)
    )


@pytest.mark.parametrize(
    ("data", "visible", "covered", "exponent"),
    [
        *((b"BM", *case) for case in ((0, 0, 14), (4095, 2, 14), (4096, 0, 15))),
        *((b"BM", *case) for case in ((8191, 2, 15), (8191, 3, 16), (8192, 0, 16))),
        *((b"\xff\xd8\xff", *case) for case in ((0, 0, 14), (65_535, 1, 14), (65_535, 2, 15))),
        *((b"\xff\xd8\xff", *case) for case in ((65_536, 0, 15), (3, 32_769, 15))),
    ],
)
def test_rests_have_the_specified_lengths(
    data: bytes, visible: int, covered: int, exponent: int
) -> None:
    """The rest has a power of two above 4 V + 3/2 R, or with loss V/4 + R/2, and fits its body."""
    redacted, length = bytes(visible), 2**exponent
    assert _measure_rest(data, redacted, size=covered) == length
    for count, expected in ((length, length), (length + 1, 2 * length), (3 * length, 4 * length)):
        body = bytes(count - 73)
        assert _measure_rest(data, redacted, size=covered, body=body) == expected


def _build_wide_png(rows: int, noisy_row: int | None = None, **options: Any) -> bytes:
    """Return a PNG with lines of 16 KiB with 500 bytes of noise each, and one of noise alone."""
    pixels = np.zeros((rows, 2**14 - 1), dtype=np.uint8)
    pixels[:, :500] = b.noise(rows, 500, 1)
    if noisy_row is not None:
        pixels[noisy_row] = b.noise(1, 2**14 - 1, 1)
    return b.make_png(pixels, **options)


@pytest.mark.parametrize(
    ("rows", "hidden_rows", "noisy_row", "factor"),
    [
        (16, [], None, 4),
        (16, [0], 0, 4),
        (16, [0], 1, 4),
        (16, [0], 2, 4),
        (16, [0], 3, 16),
        (16, [1], 0, 16),
        (16, [0, 3, 6, 9, 12], 1, 4),
        (16, [0, 3, 6, 9, 12], 15, 64),
        (16, [0, 3, 6, 9, 12, 15], 1, 16),
        (16, range(15), 15, 64),
        (17, range(16), 16, 4),
    ],
)
def test_the_rest_of_a_png_has_the_specified_length(
    rows: int, hidden_rows: Sequence[int], noisy_row: int | None, factor: int
) -> None:
    """Lines tell how well a PNG is compressed, except those within 32 KiB after covered pixels.

    With too few other lines, all without covered pixels count, or none.
    """
    data, redacted = _build_wide_png(rows, noisy_row), _build_wide_png(rows)
    hidden, size = np.zeros((rows, 2**14 - 1), dtype=bool), 1000
    hidden[hidden_rows, 7] = True
    samples = min(factor * len(redacted) + size, rows * 2**14) * 129 // 128
    expected = -(-(samples + 1024) // 256) * 256
    assert _measure_rest(data, redacted, hidden, size=size) == expected


@pytest.mark.parametrize(("cost", "factor"), [(3.0, 4), (2.9, 16), (0.75, 16), (0.1, 256)])
def test_the_factor_of_a_png_is_the_least_that_is_enough(
    cost: float, factor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The factor times the bytes of lines of the redacted PNG is at least 3/2 of those before."""
    data, redacted = b"\x89PNG", bytes(800)
    costs = {data: 8.0, redacted: cost}

    def measure(png: bytes) -> PngCosts:
        lines = np.array([costs[png]])
        return PngCosts(other_bytes=50, lines=lines, inflated_bytes=10**9, metadata=False)

    monkeypatch.setattr(contents, "measure_png_costs", measure)
    samples = (factor * len(redacted) + 10**6) * 129 // 128
    assert _measure_rest(data, redacted, size=10**6) == -(-(samples + 1024) // 256) * 256


@pytest.mark.parametrize(
    ("kind", "length", "others"),
    [
        (b"tEXt", 0, 2**10),
        (b"tEXt", 967, 2**10),
        (b"tEXt", 968, 2**11),
        (b"zTXt", 0, 2**16),
        (b"eXIf", 2**16 - 57, 2**16),
        (b"eXIf", 2**16 - 56, 2**17),
    ],
)
def test_metadata_of_a_png_have_a_usual_length(kind: bytes, length: int, others: int) -> None:
    """The bytes of other chunks count as a power of two from 1 KiB, or from 64 KiB with EXIF."""
    data = _build_wide_png(16, chunks_before=[b.make_png_chunk(kind, bytes(length))])
    redacted, hidden = _build_wide_png(16), np.zeros((16, 2**14 - 1), dtype=bool)
    expected = -(-(4 * len(redacted) * 129 // 128 + others) // 256) * 256
    assert _measure_rest(data, redacted, hidden, size=0) == expected

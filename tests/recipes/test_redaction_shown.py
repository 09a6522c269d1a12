"""How a picture is shown is bound to its layers: what one key lifts depends on nothing else."""

import io
import struct
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

from sudokucrypt import DecryptionError, Key, Layer, SudokucryptError, rekey_file, unredact_file
from sudokucrypt.images.jpeg import JpegFile, dummy_positions, read_coefficients
from sudokucrypt.images.orientation import read_orientation
from sudokucrypt.typing import AnyArray
from tests.images import builders as b
from tests.kit.replay import load
from tests.recipes.memory import result_of
from tests.recipes.redacting import KEYS, lift_covers, package_of, redact_bytes, saved

LAYERS = [Layer(KEYS[0], [(0, 0, 16, 16)], name="one"), Layer(KEYS[1], [(64, 64, 16, 16)])]
Bomb = Image.DecompressionBombError
_RNG = np.random.Generator
Edit = Callable[[bytes, _RNG], bytes]


def _exif(orientation: int) -> bytes:
    return b"Exif\0\0II*\0\x08\0\0\0\1\0" + struct.pack("<HHIHHI", 0x112, 3, 1, orientation, 0, 0)


_PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@cache
def sources() -> dict[str, bytes]:
    """Files of many kinds with metadata that are written anew."""
    usual: dict[str, Any] = {"exif": _exif(6), "icc_profile": _PROFILE, "dpi": (300, 300)}
    return {
        "baseline": saved("JPEG", quality=85, **usual),
        "progressive": saved("JPEG", progressive=True, **usual),
        "restarts": saved("JPEG", restart_marker_blocks=3, subsampling=0),
        "gray": saved("JPEG", "L"),
        "CMYK": saved("JPEG", "CMYK"),
        "RGB": saved("JPEG", keep_rgb=True),
        "PNG": saved("PNG", exif=_exif(8)[6:], icc_profile=_PROFILE, dpi=(72, 72)),
        "PNG, RGBA": saved("PNG", "RGBA"),
        "PNG, gray": saved("PNG", "L", dpi=(1, 1)),
        "PNG, deep": b.encoded(b.noise(93, 117, 3, "uint16"), "PNG"),
        "PNG, bits": saved("PNG", "1"),
    }


PNGS = [name for name in sources() if name.startswith("PNG")]


@cache
def cover_source(name: str) -> tuple[bytes, bytes]:
    """A redacted file, and what the first key makes of it."""
    data = redact_bytes(sources()[name], LAYERS, cover="#20c040")
    part = lift_covers(data, KEYS[0])
    assert lift_covers(part, KEYS[0]) == part
    assert lift_covers(part, *KEYS) == sources()[name]
    return data, part


def _segments(data: bytes) -> list[tuple[int, int]]:
    """Where each segment before the first scan, and its head, begins and ends."""
    found, start = [], 2
    while data[start + 1] != 0xDA:
        end = start + 2 + int.from_bytes(data[start + 2 : start + 4], "big")
        found.append((start, end))
        start = end
    return [*found, (start, start + 2 + int.from_bytes(data[start + 2 : start + 4], "big"))]


def _added_segment(data: bytes, rng: _RNG) -> bytes:
    bodies = [
        (0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([rng.integers(3)])),
        (0xE1, _exif(int(rng.integers(1, 9)))),
        (0xE0, b"JFIF\0\1\1" + bytes(rng.integers(0, 3, 5).tolist()) + b"\0\0"),
        (0xE2, b"ICC_PROFILE\0\1\1" + _PROFILE),
        (0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>"),
        (0xDD, bytes([0, rng.integers(9)])),
        (0xFE, b"a comment"),
        (0xED, b"Photoshop 3.0\0"),
    ]
    marker, body = bodies[rng.integers(len(bodies))]
    start, _ = _segments(data)[rng.integers(len(_segments(data)))]
    fill = b"\xff" * int(rng.integers(2))
    segment = fill + bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body
    return data[:start] + segment + data[start:]


def _removed_segment(data: bytes, rng: _RNG) -> bytes:
    start, end = _segments(data)[rng.integers(len(_segments(data)) - 1)]
    return data[:start] + data[end:]


def _changed_head(data: bytes, rng: _RNG) -> bytes:
    """Change bytes of a segment that is neither a table of codes nor one of ours."""
    own = [each for each in _segments(data) if data[each[0] + 1] not in (0xC4, 0xEB)]
    start, end = own[rng.integers(len(own))]
    changed = bytearray(data)
    for position in rng.integers(start, end, rng.integers(1, 3)):
        changed[position] = int(rng.integers(256))
    return bytes(changed)


def _renamed_components(data: bytes, rng: _RNG) -> bytes:
    changed = bytearray(data)
    names = [b"RGB", b"\0\1\2", b'\1"\2'][rng.integers(3)]
    for start, _ in _segments(data):
        if data[start + 1] in (0xC0, 0xC2, 0xDA):
            first, step = (start + 10, 3) if data[start + 1] != 0xDA else (start + 5, 2)
            for n in range(min(3, data[first - 1])):
                changed[first + step * n] = names[n]
    return bytes(changed)


def _other_fillers(data: bytes, rng: _RNG) -> bytes:
    """Change what no viewer shows: blocks that only complete units."""
    file = read_coefficients(data, max_pixels=10**6)
    planes = [np.array(plane) for plane in file.coefficients]
    for index, (plane, part) in enumerate(zip(planes, file.frame.components, strict=True)):
        if file.sent_beyond(index):
            plane[dummy_positions(part), 0] = rng.integers(-9, 9)
    return _write_file(file, planes)


def _write_file(file: JpegFile, planes: list[AnyArray]) -> bytes:
    return file.with_coefficients(planes).optimize().to_bytes()


def _other_codes(data: bytes, rng: _RNG) -> bytes:
    del rng
    file = read_coefficients(data, max_pixels=10**6)
    return _write_file(file, list(file.coefficients)) + b"behind the end"


def _chunks(data: bytes) -> list[tuple[int, int]]:
    found, start = [], 8
    while start < len(data):
        end = start + 12 + int.from_bytes(data[start : start + 4], "big")
        found.append((start, end))
        start = end
    return found


def _added_chunk(data: bytes, rng: _RNG) -> bytes:
    chunks = [
        (b"gAMA", struct.pack(">I", int(rng.integers(1, 10**6)))),
        (b"cHRM", rng.bytes(32)),
        (b"sRGB", b"\0"),
        (b"iCCP", b"x\0\0" + zlib.compress(_PROFILE)),
        (b"iCCP", b"x\0\0" + zlib.compress(_PROFILE[:-1])),
        (b"pHYs", struct.pack(">IIB", int(rng.integers(1, 5)), 1, int(rng.integers(2)))),
        (b"eXIf", _exif(int(rng.integers(1, 9)))[6:]),
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
    start, _ = _chunks(data)[rng.integers(1, len(_chunks(data)))]
    return data[:start] + b.png_chunk(kind, body) + data[start:]


def _removed_chunk(data: bytes, rng: _RNG) -> bytes:
    own = [each for each in _chunks(data) if data[each[0] + 4 : each[0] + 8] != b"suRd"]
    start, end = own[rng.integers(len(own))]
    return data[:start] + data[end:]


def _changed_chunk(data: bytes, rng: _RNG) -> bytes:
    """Change bytes of a chunk, whose checksum then is right."""
    own = [each for each in _chunks(data) if data[each[0] + 4 : each[0] + 8] != b"suRd"]
    start, end = own[rng.integers(len(own))]
    body = bytearray(data[start + 8 : end - 4])
    for _ in range(rng.integers(1, 3) if body else 0):
        body[rng.integers(len(body))] = int(rng.integers(256))
    return data[:start] + b.png_chunk(data[start + 4 : start + 8], bytes(body)) + data[end:]


def _saved_again(data: bytes, rng: _RNG) -> bytes:
    """Save it as another program does, perhaps in another mode, with the layers."""
    opened = Image.open(io.BytesIO(data))
    modes = [opened.mode, "P", "RGB", "RGBA", "L", "LA"]
    buffer = io.BytesIO()
    image = opened.convert(modes[rng.integers(len(modes))])
    if rng.integers(2):
        image.info = {}
    image.save(buffer, "PNG", compress_level=int(rng.integers(10)))
    shown = buffer.getvalue()
    return shown[:-12] + b.png_chunk(b"suRd", package_of(data).to_bytes()) + shown[-12:]


EDITS: dict[str, list[Edit]] = {
    "JPEG": [
        _added_segment, _added_segment, _removed_segment, _changed_head, _renamed_components,
        _other_fillers, _other_codes,
    ],
    "PNG": [_added_chunk, _added_chunk, _removed_chunk, _changed_chunk, _saved_again],
}  # fmt: skip


@pytest.mark.parametrize("count", [40, pytest.param(700, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", sources())
def test_changes_of_what_shows_give_nothing_new(name: str, count: int) -> None:
    """One key gives what the unchanged file gives, all keys the original; or both are refused."""
    (data, part), rng = cover_source(name), np.random.default_rng(count)
    edits = EDITS["PNG" if name in PNGS else "JPEG"]
    taken = 0
    for _ in range(count):
        changed = data
        for _ in range(rng.integers(1, 3)):
            try:
                changed = edits[rng.integers(len(edits))](changed, rng)
            except (SudokucryptError, IndexError, ValueError, OSError, Bomb, UserWarning):
                break  # the first change left no picture
        for keys, expected in ((KEYS[:1], part), (KEYS, sources()[name])):
            try:
                result = lift_covers(changed, *keys)
            except SudokucryptError:
                continue
            assert result == expected
            taken += 1
    assert count / 10 < taken < 2 * count


@pytest.mark.parametrize("name", sources())
def test_a_picture_that_was_turned(name: str) -> None:
    """All keys give back the very file; one key says what was changed, as does `rekey_file`."""
    data, _ = cover_source(name)
    if name in PNGS:
        end = _chunks(data)[0][1]
        turned = data[:end] + b.png_chunk(b"eXIf", _exif(3)[6:]) + data[end:]
    else:
        body = _exif(3)
        turned = data[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + data[2:]
    assert lift_covers(turned, *KEYS) == sources()[name]
    with pytest.raises(DecryptionError, match="how the picture is shown was changed"):
        lift_covers(turned, KEYS[0])
    with pytest.raises(DecryptionError, match="how the picture is shown was changed"):
        result_of(rekey_file, turned, KEYS[0], KEYS[2])


@pytest.mark.parametrize("name", ["baseline", "PNG"])
def test_what_is_written_anew(name: str) -> None:
    """Orientation and profile are those of the original in the redacted file and in parts of it."""
    expected = {"baseline": 6, "PNG": 8}[name]
    data, part = cover_source(name)
    again = result_of(rekey_file, data, KEYS[0], KEYS[2])
    for each in (data, part, again, lift_covers(again, KEYS[2])):
        image = Image.open(io.BytesIO(each))
        assert read_orientation(image.info["exif"].removeprefix(b"Exif\0\0")) == expected
        assert image.info["icc_profile"]
    assert lift_covers(again, KEYS[1], KEYS[2]) == sources()[name]


def test_version_1_is_lifted_with_its_number() -> None:
    """The report says that version 1 is at hand; nothing of the first version is written."""
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

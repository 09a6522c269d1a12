"""Files of very many small parts, whose number is limited since each part costs time."""

import struct
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from sudokucrypt import Key, decrypt_file, encrypt_file
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images import decode_picture
from sudokucrypt.images.driver import get_part_limit
from sudokucrypt.recipes import inspect_file
from sudokucrypt.recipes.redaction_info import is_redacted
from tests.images.builders import encode_array, noise, save_image

KEY = Key(bytes(32))
JPEG = save_image(noise(16, 16, 3), "JPEG")
PNG = encode_array(noise(16, 16, 3), "PNG")
GIF = save_image(noise(16, 16, 1), "GIF")
WEBP = save_image(noise(16, 16, 3), "WEBP")
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"
JXL = b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl \0\0\0\0jxl "
JP2 = b"\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0\0\0jp2 "
MANY_PARTS = 20_000


def _make_chunk(kind: bytes) -> bytes:
    return bytes(4) + kind + struct.pack(">I", zlib.crc32(kind))


def _make_box(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", 8 + len(body)) + kind + body


def _build_heic(*boxes: bytes) -> bytes:
    return HEIC + _make_box(b"meta", bytes(4) + b"".join(boxes))


def _make_iloc(count: int) -> bytes:
    """Return an iloc box of `count` items of 65,535 extents each, whose numbers take no bytes."""
    entries = b"".join(struct.pack(">IHHH", item, 0, 0, 0) for item in range(count))
    return _make_box(b"iloc", b"\2\0\0\0\0\0" + struct.pack(">I", count) + entries)


def _build_gif(blocks: bytes) -> bytes:
    image_start = GIF.index(b"\x2c", 13 + 3 * 2 ** ((GIF[10] & 7) + 1))
    return GIF[:image_start] + blocks + GIF[image_start:]


def _build_webp(chunks: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(WEBP) - 8 + len(chunks)) + WEBP[8:] + chunks


def _build_jpeg(marker: int) -> bytes:
    return JPEG[:2] + bytes([255, marker, 0, 2]) * MANY_PARTS + JPEG[2:]


def _build_png(kind: bytes) -> bytes:
    return PNG[:33] + _make_chunk(kind) * MANY_PARTS + PNG[33:]


# Files of very many parts, and the name of their parts in messages.
FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    **{
        f"JPEG, {marker:02x}": (partial(_build_jpeg, marker), "segments")
        for marker in (0xE1, 0xE2, 0xE4, 0xEB, 0xFE, 0xDB, 0xC4)
    },
    "JPEG, behind the scan": (
        lambda: JPEG[:-2] + b"\xff\xfe\0\2" * MANY_PARTS + JPEG[-2:],
        "segments",
    ),
    "JPEG, scans": (lambda: JPEG[:-2] + b"\xff\xda\0\2" * MANY_PARTS + JPEG[-2:], "segments"),
    "JPEG, fill": (lambda: JPEG[:2] + b"\xff" * MANY_PARTS + JPEG[2:], "fill bytes"),
    **{
        f"PNG, {kind.decode()}": (partial(_build_png, kind), "chunks")
        for kind in (b"tEXt", b"iTXt", b"IDAT", b"suRd", b"eXIf", b"prIv")
    },
    "GIF, extensions": (lambda: _build_gif(b"\x21\xfe\0" * MANY_PARTS), "blocks"),
    "GIF, blocks of one byte": (
        lambda: _build_gif(b"\x21\xfe" + b"\1a" * MANY_PARTS + b"\0"),
        "blocks",
    ),
    "WebP": (lambda: _build_webp((b"ABCD" + bytes(4)) * MANY_PARTS), "chunks"),
    "HEIF": (lambda: HEIC + _make_box(b"free") * MANY_PARTS, "boxes"),
    "HEIF, meta": (lambda: _build_heic(_make_box(b"free") * MANY_PARTS), "boxes"),
    "HEIF, places": (lambda: _build_heic(_make_iloc(300_000)), "entries of items"),
    "JPEG XL": (lambda: JXL + _make_box(b"free") * MANY_PARTS, "boxes"),
    "JPEG 2000": (lambda: JP2 + _make_box(b"free") * MANY_PARTS, "boxes"),
}


@pytest.mark.parametrize("name", FILES)
def test_too_many_parts_are_refused(tmp_path: Path, name: str) -> None:
    """Files of too many parts are refused as pictures, and can be encrypted as files."""
    make_file, part_count = FILES[name]
    path = tmp_path / "in.bin"
    path.write_bytes(data := make_file())
    with pytest.raises(InvalidImageError, match=f"has more than [0-9]+ {part_count}"):
        decode_picture(data)
    with pytest.raises(InvalidImageError, match="has more than"):
        inspect_file(path)
    if name.startswith(("JPEG, ", "PNG")) and "behind" not in name and "scans" not in name:
        with pytest.raises(InvalidImageError, match="has more than"):
            is_redacted(path)
    for preview in (None, True):
        protected, restored = tmp_path / f"{preview}.png", tmp_path / f"{preview}.bin"
        encrypt_file(path, protected, KEY, as_file=True, preview=preview)
        decrypt_file(protected, restored, KEY)
        assert restored.read_bytes() == data


def test_usual_numbers_of_parts_are_read() -> None:
    """PNG and JPEG files with the small chunks and segments of usual programs are read."""
    assert get_part_limit(500 << 20) > (500 << 20) // (8 << 10)
    assert get_part_limit(4 << 30) > (4 << 30) // (8 << 10)
    body = zlib.compress(b"".join(b"\0" + bytes(48) for _ in range(16)), 0)
    small_chunks = b"".join(
        struct.pack(">I", 1) + kind + struct.pack(">I", zlib.crc32(kind))
        for kind in (b"IDAT" + body[n : n + 1] for n in range(len(body)))
    )
    file_of_many_chunks = PNG[:33] + small_chunks + _make_chunk(b"IDAT") * 15_000 + PNG[-12:]
    assert decode_picture(file_of_many_chunks).pixels.shape == (16, 16, 3)
    segment = b"\xff\xe2\xff\xff" + bytes(65533)
    assert decode_picture(JPEG[:2] + segment * 600 + JPEG[2:]).pixels.shape == (16, 16, 3)

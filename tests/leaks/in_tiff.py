"""TIFF files with a preview that is hidden in tags, other directories, or unreferenced bytes."""

import base64
import struct
from collections.abc import Iterator

from tests.images.builders import build_tiff, noise
from tests.leaks.blocks import (
    PROFILE_WITH_PREVIEW,
    build_exif,
    build_layer,
    build_profile,
    build_resource,
    build_thumbnail_packet,
)
from tests.leaks.previews import JPEG, MAIN, RAW, SAMPLES, Case, hide_preview

_TYPE_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 7: 1}


def list_cases() -> Iterator[Case]:
    """Yield all TIFF files with a hidden preview."""
    yield from _hide_in_tags()
    yield from _in_directories()


def _hide_in_tags() -> Iterator[Case]:
    def case(place_name: str, tag: int, kind: int, body: bytes) -> Case:
        data = build_tiff(pixels=MAIN, more_tags=[(tag, kind, body)])
        return hide_preview(f"tiff-{place_name}", data)

    yield case("photoshop-1036", 34377, 1, build_resource(1036, JPEG.data))
    yield case("photoshop-1033", 34377, 7, build_resource(1033, JPEG.data))
    yield case("samples-layers", 37724, 7, build_layer(RAW))
    yield case("samples-layers-undefined", 37724, 1, build_layer(RAW))
    yield case("iptc", 33723, 7, b"\x1c\2\xca" + struct.pack(">H", len(JPEG.data)) + JPEG.data)
    yield case("maker-note-of-page", 37500, 7, JPEG.data)
    yield case("raw-preview", 50740, 7, JPEG.data)
    yield case("unknown-tag", 65000, 7, JPEG.data)
    yield case("samples-unknown-tag", 65001, 1, RAW)
    yield case("print-matching", 50341, 7, JPEG.data)
    yield case("imagej", 50839, 1, JPEG.data)
    yield case("xmp-thumbnails", 700, 1, build_thumbnail_packet(JPEG.data))
    yield case("icc-private-tag", 34675, 7, PROFILE_WITH_PREVIEW)
    yield case("icc-end", 34675, 7, build_profile(end=JPEG.data))
    for tag in (269, 270, 305, 315, 33432):
        yield case(f"text-{tag}", tag, 2, base64.b64encode(JPEG.data) + b"\0")
    yield case("samples-text", 315, 2, RAW)
    yield case("samples-rating", 18246, 7, RAW)
    yield case("samples-title", 40091, 1, RAW[:900])
    yield case("samples-reference", 532, 7, RAW)


def _in_directories() -> Iterator[Case]:
    for kind, tag in (("reduced", 254), ("old-reduced", 255)):
        number = 1 if tag == 254 else 2
        plain = build_tiff(pixels=MAIN)
        with_page = _append_directory(plain, {tag: number}, following=True)
        yield hide_preview(f"tiff-{kind}-page", with_page, SAMPLES)
        with_branch = _append_directory(
            build_tiff({330: (4, [1])}, pixels=MAIN), {tag: number}, following=False
        )
        yield hide_preview(f"tiff-{kind}-sub-directory", with_branch, SAMPLES)
    # Most programs do not mark a page with a thumbnail as a preview.
    unmarked = _append_directory(build_tiff(pixels=MAIN), {}, following=True)
    yield hide_preview("tiff-unmarked-page", unmarked, SAMPLES)
    directory_start, count = _locate_entries(plain := build_tiff(pixels=MAIN))
    end, position = directory_start + 2 + 12 * count, len(plain) + len(plain) % 2
    stored = JPEG.data + bytes(len(JPEG.data) % 2)
    values = {259: 6, 513: position, 514: len(JPEG.data)}
    lines = (struct.pack("<HHII", tag, 4, 1, value) for tag, value in values.items())
    directory = struct.pack("<H", 3) + b"".join(lines) + bytes(4)
    with_second_page = plain[:end] + struct.pack("<I", position + len(stored)) + plain[end + 4 :]
    yield hide_preview(
        "tiff-camera-thumbnail", with_second_page.ljust(position, b"\0") + stored + directory
    )
    second = _append_directory(build_tiff(pixels=MAIN), {}, following=True, unknown=JPEG.data)
    yield hide_preview("tiff-second-page", second)
    yield hide_preview(
        "tiff-mask", _append_directory(build_tiff(pixels=MAIN), {254: 4}, following=True), SAMPLES
    )
    plain = build_tiff({513: (4, [1]), 514: (4, [len(JPEG.data)])}, pixels=MAIN)
    yield hide_preview("tiff-interchange", _replace_value(plain, 513, len(plain)) + JPEG.data)
    yield hide_preview("tiff-trailing", build_tiff(pixels=MAIN) + JPEG.data)
    for name, block in (
        ("maker-note", build_exif(photo=[(37500, 7, JPEG.data)])),
        ("unknown-tag", build_exif(photo=[(60000, 7, JPEG.data)])),
        ("comment", build_exif(photo=[(37510, 7, JPEG.data)])),
    ):
        yield hide_preview(f"tiff-exif-{name}", _append_exif_directory(block))


def _locate_entries(data: bytes) -> tuple[int, int]:
    """Return the position of the first directory, and the number of its entries."""
    directory_start = int.from_bytes(data[4:8], "little")
    return directory_start, int.from_bytes(data[directory_start : directory_start + 2], "little")


def _replace_value(data: bytes, tag: int, value: int) -> bytes:
    """Return the file with another value of a tag that has one number."""
    directory_start, count = _locate_entries(data)
    for entry in range(directory_start + 2, directory_start + 2 + 12 * count, 12):
        if int.from_bytes(data[entry : entry + 2], "little") == tag:
            return data[: entry + 8] + struct.pack("<I", value) + data[entry + 12 :]
    raise LookupError(tag)


def _append_directory(
    data: bytes, numbers: dict[int, int], *, following: bool, unknown: bytes = b""
) -> bytes:
    """Return the file with a directory of a small picture, as next page or below tag 330."""
    data += bytes(len(data) % 2)
    samples = (
        noise(24, 32, 1).tobytes() if unknown else RAW
    )  # an unmarked page is kept as a picture, and is no secret
    padded = samples + unknown + bytes(len(unknown) % 2)
    position = len(data) + len(padded)
    tags = {256: 32, 257: 24, 258: 8, 259: 1, 262: 1, 273: len(data), 277: 1, 278: 24}
    tags |= {279: 24 * 32} | numbers
    lines = b"".join(struct.pack("<HHII", t, 4, 1, value) for t, value in sorted(tags.items()))
    if unknown:
        lines += struct.pack("<HHII", 65000, 7, len(unknown), len(data) + len(samples))
    directory = struct.pack("<H", len(lines) // 12) + lines + bytes(4)
    if not following:
        return _replace_value(data, 330, position) + padded + directory
    directory_start, count = _locate_entries(data)
    end = directory_start + 2 + 12 * count
    return data[:end] + struct.pack("<I", position) + data[end + 4 :] + padded + directory


def _append_exif_directory(block: bytes) -> bytes:
    """Return the file with the EXIF directory of a block, with all its offsets corrected."""
    (photograph_fields,) = struct.unpack("<I", _read_value(block, 34665))
    data = build_tiff({34665: (4, [1])}, pixels=MAIN)
    data += bytes(len(data) % 2)
    data = _replace_value(data, 34665, len(data) + photograph_fields)
    moved_block = bytearray(block)
    (count,) = struct.unpack_from("<H", block, photograph_fields)
    for entry in range(photograph_fields + 2, photograph_fields + 2 + 12 * count, 12):
        _, kind, number, value = struct.unpack_from("<HHII", block, entry)
        if number * _TYPE_SIZES.get(kind, 8) > 4:
            struct.pack_into("<I", moved_block, entry + 8, value + len(data))
    return data + bytes(moved_block)


def _read_value(data: bytes, tag: int) -> bytes:
    directory_start, count = _locate_entries(data)
    for entry in range(directory_start + 2, directory_start + 2 + 12 * count, 12):
        if int.from_bytes(data[entry : entry + 2], "little") == tag:
            return data[entry + 8 : entry + 12]
    raise LookupError(tag)

"""Metadata added to a protected file, and hidden previews, never reach an output."""

import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    FileReport,
    Key,
    Layer,
    UnsupportedError,
    decrypt_file,
    encrypt_file,
    redact_file,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import Metadata, Picture, decode_picture, lost_metadata
from sudokucrypt.images.cleartext import rewrite_profile
from sudokucrypt.images.tiff.directory import ExifBlock
from tests.images import builders as b
from tests.images.builders import make_png, make_png_chunk, make_png_text, noise
from tests.images.profiles import SRGB
from tests.leaks.blocks import build_exif, build_packet
from tests.leaks.finder import Finder
from tests.leaks.hiding_places import PLACES, list_cases
from tests.leaks.previews import MAIN_NUMBERS, RAW
from tests.recipes.memory import run_on_bytes

MARK = b"FORGED by a stranger"
"""Stands in every addition that has room for it."""

_EXIF = build_exif(file=[(315, 2, MARK + b"\0")])
_XMP = build_packet(f"<xmp:Label>{MARK.decode()}</xmp:Label>")
_PROFILE = SRGB[:-8] + MARK[:8]
_TYPE_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 13: 4}


def make_png_addition(
    kind: bytes, body: bytes, *, after_samples: bool = False
) -> Callable[[bytes], bytes]:
    """Return a function that adds a chunk before or after the samples of a PNG."""

    def add(data: bytes) -> bytes:
        position = len(data) - 12 if after_samples else data.index(b"IDAT") - 4
        return data[:position] + make_png_chunk(kind, body) + data[position:]

    return add


def _make_tiff_addition(
    tag: int, kind: int, body: bytes, *, appended_data: bool = False
) -> Callable[[bytes], bytes]:
    """Return a function that copies the first directory to the end, with a new or changed tag."""

    def add(data: bytes) -> bytes:
        (directory_start,) = struct.unpack_from("<I", data, 4)
        (count,) = struct.unpack_from("<H", data, directory_start)
        lines = {
            struct.unpack_from("<H", data, entry)[0]: data[entry : entry + 12]
            for entry in range(directory_start + 2, directory_start + 2 + 12 * count, 12)
        }
        following = data[directory_start + 2 + 12 * count : directory_start + 6 + 12 * count]
        value = body
        if appended_data and tag in lines:
            number, position = struct.unpack_from("<II", lines[tag], 4)
            value = data[position : position + number] + body
        data += bytes(len(data) % 2)
        stored_value = struct.pack("<I", len(data)) if len(value) > 4 else value.ljust(4, b"\0")
        data += value + bytes(len(value) % 2) if len(value) > 4 else b""
        lines[tag] = struct.pack("<HHI", tag, kind, len(value) // _TYPE_SIZES[kind]) + stored_value
        directory = struct.pack("<H", len(lines)) + b"".join(lines[t] for t in sorted(lines))
        return data[:4] + struct.pack("<I", len(data)) + data[8:] + directory + following

    return add


_COMPRESSED_NAME = zlib.compress(MARK)
PNG_ADDITIONS: dict[str, Callable[[bytes], bytes]] = {
    "eXIf": make_png_addition(b"eXIf", _EXIF),
    "eXIf behind": make_png_addition(b"eXIf", _EXIF, after_samples=True),
    "XMP": make_png_addition(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + _XMP),
    "tEXt": make_png_addition(b"tEXt", b"Comment\0" + MARK),
    "tEXt behind": make_png_addition(b"tEXt", b"Title\0" + MARK, after_samples=True),
    "zTXt": make_png_addition(b"zTXt", b"Comment\0\0" + _COMPRESSED_NAME),
    "iTXt": make_png_addition(b"iTXt", b"Comment\0\0\0\0\0" + MARK),
    "iTXt compressed": make_png_addition(b"iTXt", b"Comment\0\1\0\0\0" + _COMPRESSED_NAME),
    "gAMA": make_png_addition(b"gAMA", struct.pack(">I", 100000)),
    "cHRM": make_png_addition(b"cHRM", struct.pack(">8I", *range(1, 9))),
    "sRGB": make_png_addition(
        b"sRGB", b"\x09"
    ),  # an invalid rendering intent, since the four valid ones are ignored
    "iCCP": make_png_addition(b"iCCP", b"forged\0\0" + zlib.compress(_PROFILE)),
    "pHYs": make_png_addition(b"pHYs", struct.pack(">IIB", 1234, 4321, 1)),
    "bKGD": make_png_addition(b"bKGD", struct.pack(">3H", 1, 2, 3)),
    "sPLT": make_png_addition(b"sPLT", MARK + b"\0\x08" + bytes(6)),
    "tIME": make_png_addition(b"tIME", b"\x07\xea\1\1\1\1\1"),
    "sBIT": make_png_addition(b"sBIT", b"\5\6\5"),
    "cICP": make_png_addition(b"cICP", b"\x09\x10\0\1"),
    "private": make_png_addition(b"prVt", MARK),
    "text wrapped as a profile": make_png_addition(
        b"tEXt", b"Raw profile type iptc\0\niptc\n 1\n00\n" + MARK
    ),
    "behind the end": lambda data: data + MARK,
}
PNG_MEANING: dict[str, Callable[[bytes], bytes]] = {
    "tRNS": make_png_addition(b"tRNS", struct.pack(">3H", 1, 2, 3)),
    "PLTE": make_png_addition(b"PLTE", bytes(range(30))),
}
"""Chunks that change how the samples look."""

TIFF_ADDITIONS: dict[str, Callable[[bytes], bytes]] = {
    "270 appended": _make_tiff_addition(270, 2, MARK + b"\0", appended_data=True),
    "269": _make_tiff_addition(269, 2, MARK + b"\0"),
    "274": _make_tiff_addition(274, 3, struct.pack("<H", 3)),
    "282": _make_tiff_addition(282, 5, struct.pack("<II", 1234, 7)),
    "305": _make_tiff_addition(305, 2, MARK + b"\0"),
    "315": _make_tiff_addition(315, 2, MARK + b"\0"),
    "700": _make_tiff_addition(700, 1, _XMP), "33432": _make_tiff_addition(33432, 2, MARK + b"\0"),
    "33723": _make_tiff_addition(33723, 7, b"\x1c\2\x78\0\x14" + MARK),
    "34377": _make_tiff_addition(34377, 1, b"8BIM\4\4\0\0\0\0\0\x14" + MARK),
    "34675": _make_tiff_addition(34675, 7, _PROFILE),
    "37724": _make_tiff_addition(37724, 7, b"Adobe Photoshop Document Data ExifBlock\0" + MARK),
    "40091": _make_tiff_addition(40091, 1, MARK.decode().encode("utf-16-le")),
    "65000": _make_tiff_addition(65000, 7, MARK),
}  # fmt: skip
ADDITIONS = {"PNG": PNG_ADDITIONS, "TIFF": TIFF_ADDITIONS}


def make_text_chunk(keyword: str, text: bytes) -> bytes:
    """Return a text chunk of the owner, for the original file."""
    return make_png_text(b"tEXt", keyword, text)


# Additions to a protected file do not reach the restored or rekeyed file.


KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))
OPERATIONS: dict[str, Any] = {
    "encrypt": (partial(encrypt_file, as_file=False), decrypt_file),
    "scramble": (scramble_file, unscramble_file),
}
_OWNER_TEXT = b"TRUE words of the owner"


@cache
def _make_original() -> bytes:
    """Return a file with metadata of its owner."""
    block = build_exif(file=[(272, 2, _OWNER_TEXT + b"\0")])
    pixels = noise(24, 20, 3)
    text = make_text_chunk("Title", _OWNER_TEXT)
    return make_png(pixels, chunks_before=[make_png_chunk(b"eXIf", block), text])


@cache
def _protect_picture(file_format: str, operation: str, metadata: str) -> bytes:
    """Return the original file, protected."""
    options = {"format": file_format, "metadata": metadata, "rounds": 1}
    return run_on_bytes(OPERATIONS[operation][0], _make_original(), KEY, **options)


def _restore_plain(data: bytes, operation: str, key: Key = KEY) -> tuple[bytes, tuple[str, ...]]:
    target = io.BytesIO()
    report = OPERATIONS[operation][1](io.BytesIO(data), target, key)
    return target.getvalue(), report.dropped


def _rekey(data: bytes) -> bytes:
    return run_on_bytes(rekey_file, data, KEY, OTHER_KEY)


_METADATA_OPTIONS = ("seal", "strip")
_ADDITION_CASES = [
    pytest.param(file_format, addition, operation, metadata, marks=[] if turn else pytest.mark.slow)
    for file_format, additions in ADDITIONS.items()
    for number, addition in enumerate(additions)
    for operation in OPERATIONS
    for metadata in _METADATA_OPTIONS
    for turn in (
        number % 8 == 0
        and operation == "encrypt"
        and metadata == _METADATA_OPTIONS[number // 8 % 2],
    )
]


@pytest.mark.parametrize(("file_format", "addition", "operation", "metadata"), _ADDITION_CASES)
def test_additions(file_format: str, addition: str, operation: str, metadata: str) -> None:
    """With an addition, the restored file is unchanged, and a note names more than before.

    Rekeying writes nothing of the addition, and nothing readable that was encrypted.
    """
    clean = _protect_picture(file_format, operation, metadata)
    changed_file = ADDITIONS[file_format][addition](clean)
    assert changed_file != clean
    expected, dropped_names = _restore_plain(clean, operation)
    result, changed_notes = _restore_plain(changed_file, operation)
    assert result == expected
    assert set(changed_notes) > set(dropped_names)
    picture_before, picture_after = decode_picture(clean), decode_picture(_rekey(changed_file))
    assert picture_after.metadata == picture_before.metadata
    assert MARK not in _rekey(changed_file)
    assert _OWNER_TEXT not in _rekey(changed_file)
    assert not picture_after.metadata
    assert _restore_plain(_rekey(changed_file), operation, OTHER_KEY)[0] == expected


@pytest.mark.parametrize(("operation", "metadata"), [("encrypt", "seal"), ("scramble", "strip")])
@pytest.mark.parametrize("addition", PNG_MEANING)
def test_chunks_about_the_samples(addition: str, operation: str, metadata: str) -> None:
    """An added transparent color or palette does not reach the restored or rekeyed file."""
    clean = _protect_picture("PNG", operation, metadata)
    changed_file = PNG_MEANING[addition](clean)
    assert _restore_plain(changed_file, operation)[0] == _restore_plain(clean, operation)[0]
    rekeyed_picture = decode_picture(_rekey(changed_file))
    assert rekeyed_picture.mode == decode_picture(clean).mode
    assert rekeyed_picture.metadata == decode_picture(clean).metadata


@pytest.mark.parametrize("file_format", ADDITIONS)
def test_all_additions_together(file_format: str) -> None:
    """With all additions at once, none reaches the restored file."""
    for operation in OPERATIONS:
        clean = _protect_picture(file_format, operation, "seal")
        changed_file = clean
        for add in ADDITIONS[file_format].values():
            changed_file = add(changed_file)
        assert _restore_plain(changed_file, operation)[0] == _restore_plain(clean, operation)[0]
        assert MARK not in _rekey(changed_file)


# No part of a hidden preview is readable in any protected file.


FORMATS = ("PNG", "TIFF", "JPEG")
AREAS = [(8, 8, 16, 16), (30, 40, 9, 11)]
METADATA_CHOICES = ("seal", "strip")

# One of each kind of file for fast runs. Daily runs test one operation for each, nightly ones both.
_QUICK_CASES = (
    ("jpeg-exif-thumbnail", "encrypt"), ("jpeg-icc-private-tag", "scramble"),
    ("tiff-photoshop-1036", "encrypt"), ("tiff-unmarked-page", "scramble"),
    ("png-exif-thumbnail", "encrypt"), ("gif-application", "scramble"),
)  # fmt: skip
_ALL_CASES = [
    *_QUICK_CASES,
    *(
        pytest.param(name, operation, marks=pytest.mark.nightly if other else pytest.mark.slow)
        for index, name in enumerate(PLACES)
        for other, operation in enumerate((*OPERATIONS, *OPERATIONS)[index % 2 :][:2])
        if (name, operation) not in _QUICK_CASES
    ),
]


def make_outputs(
    data: bytes,
    protect: Callable[..., FileReport],
    *,
    formats: tuple[str, ...] = FORMATS,
    **options: Any,
) -> dict[str, bytes]:
    """Return the outputs for a file, by format.

    Formats that cannot contain the picture are only tried if no other can. There is no output if
    the
    picture is refused. One round is faster than many, and protects metadata equally.
    """
    result: dict[str, bytes] = {}
    holds_more = False
    for file_format in dict.fromkeys((*formats, *FORMATS)):
        if result and file_format not in formats:
            break
        target = io.BytesIO()
        try:
            protect(io.BytesIO(data), target, KEY, format=file_format, rounds=1, **options)
        except UnsupportedError as error:
            holds_more |= "encrypt" in str(error.hint)
            continue
        result[file_format] = target.getvalue()
    assert result or holds_more
    return result


@pytest.mark.parametrize(("name", "operation"), _ALL_CASES)
def test_nothing_leaks(name: str, operation: str) -> None:
    """No secret is found in any output: metadata kept or stripped, any format, rekeyed or not."""
    case, (protect, _) = list_cases()[name], OPERATIONS[operation]
    finder = Finder(case.secrets)
    for metadata in METADATA_CHOICES:
        for file_format, data in make_outputs(case.data, protect, metadata=metadata).items():
            thorough = metadata == "strip"
            assert finder.find(data, thorough=thorough) == [], (metadata, file_format)
            target = run_on_bytes(rekey_file, data, KEY, OTHER_KEY)
            assert finder.find(target, thorough=False) == []
    as_file = partial(encrypt_file, as_file=True, preview=True)
    for data in make_outputs(case.data, as_file, formats=FORMATS).values():
        assert finder.find(data, thorough=False) == []


@pytest.mark.parametrize(("name", "operation"), _ALL_CASES)
def test_metadata_are_restored(name: str, operation: str) -> None:
    """Encrypted metadata are restored exactly, if the restored format can contain them."""
    case, (protect, restore) = list_cases()[name], OPERATIONS[operation]
    for metadata in METADATA_CHOICES:
        for protected_data in make_outputs(case.data, protect, metadata=metadata).values():
            target = run_on_bytes(restore, protected_data, KEY)
            restored = decode_picture(target)
            if (
                restored.format == "JPEG" and metadata != "strip"
            ):  # the restored file is the original file
                assert target == case.data
                continue
            plain = decode_picture(case.data)
            assert (plain.pixels == restored.pixels).all()
            if metadata == "strip":
                assert not restored.metadata
            else:
                _require_equal_metadata(plain, restored.metadata, restored.format)


def _require_equal_metadata(expected: Picture, actual: Metadata, file_format: str) -> None:
    metadata, lost = expected.metadata, lost_metadata(expected, file_format)
    for field, name in (("icc", "color profile"), ("xmp", "XMP")):
        if name not in lost:
            assert getattr(actual, field) == getattr(metadata, field) or file_format == "TIFF"
    if metadata.exif is None or "EXIF" in lost:
        return
    if file_format != "TIFF":
        assert actual.exif == metadata.exif
        return
    block_before, block_after = ExifBlock.parse(metadata.exif), ExifBlock.parse(actual.exif or b"")
    assert block_before is not None
    assert block_after is not None
    assert block_before.tree.branches == block_after.tree.branches


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "name", ["jpeg-exif-thumbnail", "tiff-exif-maker-note", "jpeg-xmp-thumbnails"]
)
def test_viewers_see_no_metadata(name: str, operation: str) -> None:
    """No metadata of a protected picture can be read, except its resolution."""
    for metadata in METADATA_CHOICES:
        protect = OPERATIONS[operation][0]
        for data in make_outputs(list_cases()[name].data, protect, metadata=metadata).values():
            assert replace(decode_picture(data).metadata, resolution=None) == Metadata()


_ORIENTATION = b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0"
_VISIBLE_METADATA = {
    "exif": Metadata(exif=_ORIENTATION),
    "icc": Metadata(icc=rewrite_profile(SRGB)),
    None: Metadata(),
}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("jpeg-exif-thumbnail", "exif"),
        ("jpeg-exif-maker-note", "exif"),
        ("tiff-exif-maker-note", None),  # without an orientation
        ("jpeg-xmp-thumbnails", None),
        ("jpeg-icc-private-tag", "icc"),
    ],
)
def test_redacted_pictures_show_cleartext_metadata(name: str, field: str | None) -> None:
    """Of a redacted picture, only a rewritten orientation and color profile can be read."""
    data = run_on_bytes(redact_file, list_cases()[name].data, [Layer(KEY, AREAS[:1])])
    assert replace(decode_picture(data).metadata, resolution=None) == _VISIBLE_METADATA[field]


def _list_color_files() -> dict[str, bytes]:
    """Return files whose colors are in palettes, backgrounds and transparent values."""
    blocks = [
        b.make_gif_control(7, flags=1, transparent=3),
        b.make_gif_image(MAIN_NUMBERS, palette=RAW[768:1536]),
    ]
    animation = b.build_gif(*blocks, *blocks, columns=64, rows=48, palette=RAW[:768], background=9)
    color_map = np.frombuffer(RAW[:1536], dtype="<u2").tolist()
    tags = {262: (3, [3]), 320: (3, color_map)}
    chunks = [b.make_png_chunk(b"PLTE", RAW[:768]), b.make_png_chunk(b"tRNS", RAW[800:1056])]
    lines = b.make_png_lines(MAIN_NUMBERS)
    return {
        "gif": animation,
        "tiff": b.build_tiff(tags, pixels=MAIN_NUMBERS),
        "png": b.build_png(
            64, 48, lines, color=3, chunks_before=[*chunks, b.make_png_chunk(b"hIST", RAW[:512])]
        ),
        "bmp": b.build_bmp(
            8,
            MAIN_NUMBERS[::-1].tobytes(),
            columns=64,
            rows=48,
            extra=_append_zero_bytes(RAW[:768]),
        ),
    }


def _append_zero_bytes(colors: bytes) -> bytes:
    """Red, green and blue with a fourth byte each."""
    return b"".join(colors[i : i + 3] + b"\0" for i in range(0, len(colors), 3))


@pytest.mark.parametrize(
    "name", ["gif", "png", *(pytest.param(n, marks=pytest.mark.slow) for n in ("tiff", "bmp"))]
)
def test_colors_of_encrypted_pictures(name: str) -> None:
    """No palette, background or transparent color is found in an encrypted picture."""
    data = _list_color_files()[name]
    for metadata in METADATA_CHOICES:
        for file_format, stored in make_outputs(data, encrypt_file, metadata=metadata).items():
            assert Finder([RAW, _append_zero_bytes(RAW[:768])]).find(stored) == [], file_format


def test_the_true_metadata_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the cleartext copy were the original metadata, the finder would report them."""
    monkeypatch.setattr("sudokucrypt.images.cleartext.cleartext_copy", lambda metadata: metadata)
    case = list_cases()["png-xmp-thumbnails"]
    assert Finder(case.secrets).find(run_on_bytes(redact_file, case.data, [Layer(KEY, AREAS)]))


@pytest.mark.parametrize("name", ["jpeg-exif-thumbnail", "png-text", "webp-exif-maker-note"])
def test_sidecars(name: str, tmp_path: Path) -> None:
    """No secret is found in any written file: picture, sidecar or others."""
    case = list_cases()[name]
    (tmp_path / f"in{case.suffix}").write_bytes(case.data)
    for operation, (protect, _) in OPERATIONS.items():
        folder = tmp_path / operation
        folder.mkdir()

        def target(suffix: str, _: str | None, folder: Path = folder) -> Path:
            return folder / f"out{suffix}"

        protect(tmp_path / f"in{case.suffix}", target, KEY, sidecar=True)
        written_files = list(folder.iterdir())
        assert len(written_files) == 2
        for path in written_files:
            assert Finder(case.secrets).find(path.read_bytes()) == []

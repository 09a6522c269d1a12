"""Nothing of a preview comes out of protecting, wherever it hides and whatever is written.

Every output is searched for 16 bytes in a row of the preview's file or samples, and for decodable
pictures other than the protected one, at any offset and in any code.
"""

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
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
from sudokucrypt.images.cleartext import cleartext_profile
from sudokucrypt.images.tiff.directory import Block
from tests.images import builders as b
from tests.images.profiles import SRGB
from tests.leaks.finder import Finder
from tests.leaks.hiding_places import PLACES, cases
from tests.leaks.previews import MAIN_NUMBERS, RAW
from tests.recipes.memory import result_of

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
FORMATS = ("PNG", "TIFF", "JPEG")
AREAS = [(8, 8, 16, 16), (30, 40, 9, 11)]
OPERATIONS: dict[str, tuple[Callable[..., FileReport], Callable[..., FileReport]]] = {
    "encrypt": (partial(encrypt_file, as_file=False), decrypt_file),
    "scramble": (scramble_file, unscramble_file),
}
CHOICES = ("seal", "strip")

# One of each kind of file, for the fast run. Each place meets one operation daily, both nightly.
_QUICK = (
    ("jpeg-exif-thumbnail", "encrypt"), ("jpeg-icc-private-tag", "scramble"),
    ("tiff-photoshop-1036", "encrypt"), ("tiff-unmarked-page", "scramble"),
    ("png-exif-thumbnail", "encrypt"), ("gif-application", "scramble"),
)  # fmt: skip
_ALL = [
    *_QUICK,
    *(
        pytest.param(name, operation, marks=pytest.mark.nightly if other else pytest.mark.slow)
        for index, name in enumerate(PLACES)
        for other, operation in enumerate((*OPERATIONS, *OPERATIONS)[index % 2 :][:2])
        if (name, operation) not in _QUICK
    ),
]


def outputs(
    data: bytes,
    protect: Callable[..., FileReport],
    *,
    formats: tuple[str, ...] = FORMATS,
    **options: Any,
) -> dict[str, bytes]:
    """What comes of a file in the formats that can hold it, of others only if none of these can.

    Nothing comes of one that is refused because only its file would be kept. One round is
    quicker than many, and hides metadata no worse.
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


@pytest.mark.parametrize(("name", "operation"), _ALL)
def test_nothing_leaks(name: str, operation: str) -> None:
    """Sealed or stripped, in any format, rekeyed or not: nothing."""
    case, (protect, _) = cases()[name], OPERATIONS[operation]
    finder = Finder(case.secrets)
    for metadata in CHOICES:
        for file_format, data in outputs(case.data, protect, metadata=metadata).items():
            thorough = metadata == "strip"
            assert finder.find(data, thorough=thorough) == [], (metadata, file_format)
            target = result_of(rekey_file, data, KEY, OTHER)
            assert finder.find(target, thorough=False) == []
    as_file = partial(encrypt_file, as_file=True, preview=True)
    for data in outputs(case.data, as_file, formats=FORMATS).values():
        assert finder.find(data, thorough=False) == []


@pytest.mark.parametrize(("name", "operation"), _ALL)
def test_metadata_come_back(name: str, operation: str) -> None:
    """What was sealed comes back exactly, as far as the restored format holds it, or not at all."""
    case, (protect, restore) = cases()[name], OPERATIONS[operation]
    for metadata in CHOICES:
        for stored in outputs(case.data, protect, metadata=metadata).values():
            target = result_of(restore, stored, KEY)
            restored = decode_picture(target)
            if restored.format == "JPEG" and metadata != "strip":  # which is the very file
                assert target == case.data
                continue
            plain = decode_picture(case.data)
            assert (plain.pixels == restored.pixels).all()
            if metadata == "strip":
                assert not restored.metadata
            else:
                _require_same(plain, restored.metadata, restored.format)


def _require_same(before: Picture, after: Metadata, file_format: str) -> None:
    metadata, lost = before.metadata, lost_metadata(before, file_format)
    for field, name in (("icc", "color profile"), ("xmp", "XMP")):
        if name not in lost:
            assert getattr(after, field) == getattr(metadata, field) or file_format == "TIFF"
    if metadata.exif is None or "EXIF" in lost:
        return
    if file_format != "TIFF":
        assert after.exif == metadata.exif
        return
    old, new = Block.parse(metadata.exif), Block.parse(after.exif or b"")
    assert old is not None
    assert new is not None
    assert old.tree.branches == new.tree.branches


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "name", ["jpeg-exif-thumbnail", "tiff-exif-maker-note", "jpeg-xmp-thumbnails"]
)
def test_viewers_see_no_metadata(name: str, operation: str) -> None:
    """No metadata of a protected picture can be read, but how densely it is printed."""
    for metadata in CHOICES:
        protect = OPERATIONS[operation][0]
        for data in outputs(cases()[name].data, protect, metadata=metadata).values():
            assert replace(decode_picture(data).metadata, resolution=None) == Metadata()


_ORIENTATION = b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0"
_SHOWN = {
    "exif": Metadata(exif=_ORIENTATION),
    "icc": Metadata(icc=cleartext_profile(SRGB)),
    None: Metadata(),
}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("jpeg-exif-thumbnail", "exif"),
        ("jpeg-exif-maker-note", "exif"),
        ("tiff-exif-maker-note", None),  # which says nothing of orientation
        ("jpeg-xmp-thumbnails", None),
        ("jpeg-icc-private-tag", "icc"),
    ],
)
def test_viewers_see_how_to_show_a_redacted_picture(name: str, field: str | None) -> None:
    """Orientation and profile of a redacted picture can be read, written anew, and no more."""
    data = result_of(redact_file, cases()[name].data, [Layer(KEY, AREAS[:1])])
    assert replace(decode_picture(data).metadata, resolution=None) == _SHOWN[field]


def _with_meaning() -> dict[str, bytes]:
    """Files whose colors are in palettes, backgrounds and transparent values."""
    blocks = [
        b.gif_control(7, flags=1, transparent=3),
        b.gif_image(MAIN_NUMBERS, palette=RAW[768:1536]),
    ]
    animation = b.gif(*blocks, *blocks, columns=64, rows=48, palette=RAW[:768], background=9)
    color_map = np.frombuffer(RAW[:1536], dtype="<u2").tolist()
    tags = {262: (3, [3]), 320: (3, color_map)}
    chunks = [b.png_chunk(b"PLTE", RAW[:768]), b.png_chunk(b"tRNS", RAW[800:1056])]
    lines = b.png_lines(MAIN_NUMBERS)
    return {
        "gif": animation,
        "tiff": b.tiff(tags, pixels=MAIN_NUMBERS),
        "png": b.png(64, 48, lines, color=3, before=[*chunks, b.png_chunk(b"hIST", RAW[:512])]),
        "bmp": b.bmp(
            8, MAIN_NUMBERS[::-1].tobytes(), columns=64, rows=48, extra=_of_four(RAW[:768])
        ),
    }


def _of_four(colors: bytes) -> bytes:
    """Red, green and blue with a fourth byte each."""
    return b"".join(colors[i : i + 3] + b"\0" for i in range(0, len(colors), 3))


@pytest.mark.parametrize(
    "name", ["gif", "png", *(pytest.param(n, marks=pytest.mark.slow) for n in ("tiff", "bmp"))]
)
def test_colors_of_encrypted_pictures(name: str) -> None:
    """Palettes, backgrounds and transparent colors of a picture that is encrypted as a whole."""
    data = _with_meaning()[name]
    for metadata in CHOICES:
        for file_format, stored in outputs(data, encrypt_file, metadata=metadata).items():
            assert Finder([RAW, _of_four(RAW[:768])]).find(stored) == [], file_format


def test_the_true_metadata_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """If viewers got the true metadata in place of the copy, these tests would tell."""
    monkeypatch.setattr("sudokucrypt.images.cleartext.cleartext_copy", lambda metadata: metadata)
    case = cases()["png-xmp-thumbnails"]
    assert Finder(case.secrets).find(result_of(redact_file, case.data, [Layer(KEY, AREAS)]))


@pytest.mark.parametrize("name", ["jpeg-exif-thumbnail", "png-text", "webp-exif-maker-note"])
def test_sidecars(name: str, tmp_path: Path) -> None:
    """Nothing is found in any file that is written: picture, sidecar or others."""
    case = cases()[name]
    (tmp_path / f"in{case.suffix}").write_bytes(case.data)
    for operation, (protect, _) in OPERATIONS.items():
        folder = tmp_path / operation
        folder.mkdir()

        def target(suffix: str, _: str | None, folder: Path = folder) -> Path:
            return folder / f"out{suffix}"

        protect(tmp_path / f"in{case.suffix}", target, KEY, sidecar=True)
        written = list(folder.iterdir())
        assert len(written) == 2
        for path in written:
            assert Finder(case.secrets).find(path.read_bytes()) == []

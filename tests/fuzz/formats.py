"""Fuzz picture files of all formats: a decoded picture survives encoding and describing."""

import struct
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import (
    Metadata,
    Picture,
    PictureRecord,
    decode_picture,
    default_format,
    describe,
    encode_picture,
    find_unsupported_reason,
    lost_metadata,
    parse_description,
)
from tests.fuzz.oracle import watch_output
from tests.fuzz.targets import Target, list_seeds
from tests.images.builders import list_picture_fields

_MAX_PIXELS: Final = 4096


def check_files(files: Iterable[bytes]) -> None:
    """Decode files; encode, describe and compare the pictures in them."""
    for data in files:
        with watch_output():
            try:
                picture = decode_picture(data, max_pixels=_MAX_PIXELS)
            except SudokucryptError:
                continue
            _check_encoding(picture)
            _check_describing(picture)


def _check_encoding(picture: Picture) -> None:
    kind = default_format(picture)
    assert find_unsupported_reason(picture, kind) is None
    if lost_metadata(picture, kind) or picture.format != kind:  # where resolutions are rounded
        picture = replace(picture, metadata=Metadata())
    decoded_picture = decode_picture(encode_picture(picture, kind), max_pixels=_MAX_PIXELS)
    assert _find_meaning(decoded_picture) == _find_meaning(picture), "the meaning is lost"
    assert decoded_picture.header == picture.header, "the header is lost"


def _check_describing(picture: Picture) -> None:
    """Check that samples alone get back the metadata in the description."""
    extras = describe(PictureRecord(picture=picture))
    reduced = replace(picture.reset_mode(), metadata=Metadata())
    restored = reduced if extras is None else parse_description(reduced.pixels, extras).picture
    assert _find_meaning(restored) == _find_meaning(picture), "the description is another"
    turned_picture = replace(picture, pixels=np.flip(picture.pixels))
    assert describe(PictureRecord(picture=turned_picture)) == extras, "samples are described"


def _find_meaning(picture: Picture) -> dict[str, Any]:
    """Return the parts of a picture that do not depend on its file format."""
    kept_picture = replace(picture, format="", header=None, header_rows=False, dropped=())
    return list_picture_fields(kept_picture)


def _check(data: bytes, *, starts: tuple[bytes, ...]) -> None:
    """Check a file that begins as files of the format do, so that a fuzzer stays with the
    format."""
    if data.startswith(starts):
        check_files([data])


def _check_webp(data: bytes) -> None:
    """Check a WebP unchanged, and with its length field corrected."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        check_files({data, data[:4] + struct.pack("<I", len(data) - 8) + data[8:]})


_STARTS: Final = {"tiff": (b"II", b"MM"), "gif": (b"GIF8",), "bmp": (b"BM",), "flat": (b"",)}
TARGETS: Final = (
    *(Target(name, list_seeds(name), partial(_check, starts=s)) for name, s in _STARTS.items()),
    Target("webp", list_seeds("webp"), _check_webp),
)
"""`flat` are JPEG 2000, ICO, PPM, PSD, QOI and TGA: files of one flat picture."""

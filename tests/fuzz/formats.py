"""Picture files of all formats: what is decoded survives encoding and describing."""

import struct
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import (
    Metadata,
    Picture,
    PictureRecord,
    decode_picture,
    default_format,
    describe,
    described,
    encode_picture,
    unsupported_metadata,
    unsupported_reason,
)
from tests.fuzz.oracle import watched
from tests.fuzz.targets import Target, seeds_of
from tests.images.builders import meaning

_MAX_PIXELS: Final = 4096
_WRITTEN: Final = ("PNG", "TIFF", "WebP", "GIF")


def check_files(files: Iterable[bytes]) -> None:
    """Decode files; encode, describe and compare what they hold."""
    for data in files:
        with watched():
            try:
                picture = decode_picture(data, max_pixels=_MAX_PIXELS)
            except SudokucryptError:
                continue
            _check_encoding(picture)
            _check_describing(picture)


def _check_encoding(picture: Picture) -> None:
    kept, own = default_format(picture), picture.format
    if own != kept and own in _WRITTEN and unsupported_reason(picture, own) is None:
        kept = own
    if reason := unsupported_reason(picture, kept):
        # The reader lets a canvas pass that the specification of WebP forbids.
        assert reason.startswith("a canvas of 4294967296 pixels"), f"no format holds {reason}"
        return
    rest = [
        unsupported_metadata(frame, kept, header=picture.header is not None)
        for frame in picture.frames
    ]
    if any(rest) or (own in _WRITTEN and own != kept):  # where resolutions are rounded
        picture = _silent(picture)
    again = decode_picture(encode_picture(picture, kept), max_pixels=_MAX_PIXELS)
    assert meaning(again) == meaning(picture), "the meaning is lost"
    assert again.animation == picture.animation, "the animation is lost"
    assert again.header == picture.header, "the header is lost"


def _check_describing(picture: Picture) -> None:
    """As many bare frames get back what the description says."""
    extras = describe(PictureRecord(picture=picture))
    stored = _silent(picture.samples_only())
    back = stored if extras is None else described(stored.frames, extras).picture
    assert meaning(back) == meaning(picture), "the description is another"
    assert back.animation == picture.animation, "the described animation is another"
    turned = picture.with_pixels([np.flip(frame.pixels) for frame in picture.frames])
    assert describe(PictureRecord(picture=turned)) == extras, "samples are described"


def _silent(picture: Picture) -> Picture:
    return replace(
        picture,
        frames=tuple(replace(frame, metadata=Metadata()) for frame in picture.frames),
    )


def _check(data: bytes, *, starts: tuple[bytes, ...]) -> None:
    """Check a file that begins as those of its format, so that a fuzzer stays with this one."""
    if data.startswith(starts):
        check_files([data])


def _check_webp(data: bytes) -> None:
    """Check a WebP as it is and with the length of its file put right."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        check_files({data, data[:4] + struct.pack("<I", len(data) - 8) + data[8:]})


_STARTS: Final = {"tiff": (b"II", b"MM"), "gif": (b"GIF8",), "bmp": (b"BM",), "flat": (b"",)}
TARGETS: Final = (
    *(Target(name, seeds_of(name), partial(_check, starts=s)) for name, s in _STARTS.items()),
    Target("webp", seeds_of("webp"), _check_webp),
)
"""`flat` are JPEG 2000, ICO, PPM, PSD, QOI and TGA: files of one flat picture."""

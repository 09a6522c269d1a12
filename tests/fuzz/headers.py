"""Fuzz headers, alone and as sidecar files: a parsed header serializes to the same bytes."""

from dataclasses import replace
from typing import Any, Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.header import Header, make_sidecar, parse_sidecar
from sudokucrypt.images import (
    Metadata,
    Picture,
    PictureRecord,
    blank_samples,
    describe,
    parse_description,
)
from sudokucrypt.images.picture import Mode
from tests.fuzz.oracle import watch_output
from tests.fuzz.targets import Target
from tests.images.builders import noise
from tests.images.profiles import SRGB

_WHOLE = Header(
    scheme="scramble-v1", unit="pixel", rounds=2, shape=(3, 4), dtype="uint8", key_id="0" * 8
)
_LARGEST = Header(
    scheme="encrypt-v1",
    unit="sample",
    rounds=255,
    shape=(2**31 - 1, 1, 4),
    dtype="float64",
    key_id="89abcdef",
    kdf="argon2id:m=65536,t=3,p=4:" + "0f" * 16,
    salt=bytes(16),
    tag=bytes(range(32)),
    header_mac=bytes(range(32, 64)),
)
_SEALED: dict[str, Any] = {"salt": bytes(16), "tag": bytes(32), "header_mac": bytes(32)}
_HEADERS = (
    replace(_WHOLE, encrypted_metadata=b'{"format":""}\n', **_SEALED),
    _WHOLE,
    _LARGEST,
    replace(_LARGEST, scheme="other-v9", unit="block", block_size=8, shape=(7,), kdf=None),
)
_WRITTEN = [header.to_bytes() for header in _HEADERS]
_STRANGE = [
    _WHOLE.to_bytes().replace(b":1,", b":2,", 1),
    _WHOLE.to_bytes().replace(b",", b", "),
    _WHOLE.to_bytes().replace(b',"key_id"', b',"regions":[[0,0,3,4]],"key_id"'),
    _WHOLE.to_bytes().replace(b',"key_id"', b',"mask":"AgMH","key_id"'),
    b'{"sudokucrypt":1}',
    b"[" * 300,
    b"",
]


def check_header(data: bytes) -> None:
    """Parse and serialize a header."""
    with watch_output():
        try:
            header = Header.from_bytes(data)
        except SudokucryptError:
            return
        assert header.to_bytes() == data, "a header has two forms"
        assert Header.from_bytes(header.to_bytes()) == header


def check_sidecar(data: bytes) -> None:
    """Parse and serialize a sidecar."""
    with watch_output():
        try:
            parsed = parse_sidecar(data)
        except SudokucryptError:
            return
        assert make_sidecar(parsed) == data, "a sidecar has two forms"


_SEEDS = [*_WRITTEN, *_STRANGE]


# A description that is read is written with the same bytes, except for longer padding.


_MODES: Final[dict[Mode, int]] = {"rgb": 3, "rgba": 4, "cmyk": 4, "gray-alpha": 2}
_RECORDS = (
    PictureRecord(
        picture=Picture(pixels=noise(5, 4, channels), mode=mode, metadata=metadata, format="TIFF")
    )
    for mode, channels in _MODES.items()
    for metadata in (Metadata(), Metadata(icc=SRGB), Metadata(xmp=b"<x/>", exif=b"II*\0"))
)
_EXTRAS = [extras for extras in map(describe, _RECORDS) if extras is not None]


def check_description(data: bytes) -> None:
    """Read and write a description, unchanged and with its padding corrected."""
    unpadded = data.rstrip(b"\0")
    for extras in {data, unpadded + bytes(-len(unpadded) % 256)}:
        with watch_output():
            try:
                record = parse_description(blank_samples(extras), extras)
            except SudokucryptError:
                continue
            if any(vars(record.earlier).values()):
                continue
            rewritten = describe(record)
            assert rewritten is not None, "what needs no description has one"
            assert extras == rewritten.ljust(len(extras), b"\0"), "a description has two forms"


TARGETS: Final = (
    Target("header", _SEEDS, check_header),
    Target(
        "sidecar",
        [
            *(seed + b"\n" for seed in _SEEDS),
            *(_WRITTEN[0] + end for end in (b"", b"\r\n", b"\n\n")),
        ],
        check_sidecar,
    ),
    Target("description", _EXTRAS, check_description),
)

"""Descriptions of pictures: what is read is written again as it was, but for longer padding."""

from typing import Final

from sudokucrypt.errors import SudokucryptError
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

_MODES: Final[dict[Mode, int]] = {"rgb": 3, "rgba": 4, "cmyk": 4, "gray-alpha": 2}
_RECORDS = (
    PictureRecord(
        picture=Picture(pixels=noise(5, 4, channels), mode=mode, metadata=metadata, format="TIFF")
    )
    for mode, channels in _MODES.items()
    for metadata in (Metadata(), Metadata(icc=SRGB), Metadata(xmp=b"<x/>", exif=b"II*\0"))
)
_SEEDS = [extras for extras in map(describe, _RECORDS) if extras is not None]


def check(data: bytes) -> None:
    """Read and write a description, as it is and with its padding put right."""
    bare = data.rstrip(b"\0")
    for extras in {data, bare + bytes(-len(bare) % 256)}:
        with watch_output():
            try:
                record = parse_description(blank_samples(extras), extras)
            except SudokucryptError:
                continue
            if any(vars(record.earlier).values()):
                continue
            again = describe(record)
            assert again is not None, "what needs no description has one"
            assert extras == again.ljust(len(extras), b"\0"), "a description has two forms"


TARGETS: Final = (Target("description", _SEEDS, check),)

"""Image files: an array of exact samples on one side, the bytes of a file on the other."""

from sudokucrypt.images.description import (
    READABLE_FIELDS,
    Described,
    EnclosedFile,
    describe,
    described,
    enclose,
    released,
)
from sudokucrypt.images.driver import Driver, Writer
from sudokucrypt.images.metadata import Metadata, Resolution
from sudokucrypt.images.orientation import Turn, turn_of
from sudokucrypt.images.painting import paint
from sudokucrypt.images.picture import Animation, Frame, Palette, Picture, Showing
from sudokucrypt.images.preview import previews
from sudokucrypt.images.read import (
    FILE_LIMIT,
    MAX_PIXELS,
    decode_picture,
    may_be_picture,
    read_picture,
)
from sudokucrypt.images.readable import readable_copy
from sudokucrypt.images.registry import (
    driver_of,
    drivers,
    readable_formats,
    register_driver,
    writable_formats,
)
from sudokucrypt.images.write import (
    default_format,
    encode_picture,
    leftover,
    obstacle,
    output_format,
    picture_parts,
    readable_metadata,
    suffix_of,
)

__all__ = [
    "FILE_LIMIT",
    "MAX_PIXELS",
    "READABLE_FIELDS",
    "Animation",
    "Described",
    "Driver",
    "EnclosedFile",
    "Frame",
    "Metadata",
    "Palette",
    "Picture",
    "Resolution",
    "Showing",
    "Turn",
    "Writer",
    "decode_picture",
    "default_format",
    "describe",
    "described",
    "driver_of",
    "drivers",
    "enclose",
    "encode_picture",
    "leftover",
    "may_be_picture",
    "obstacle",
    "output_format",
    "paint",
    "picture_parts",
    "previews",
    "read_picture",
    "readable_copy",
    "readable_formats",
    "readable_metadata",
    "register_driver",
    "released",
    "suffix_of",
    "turn_of",
    "writable_formats",
]

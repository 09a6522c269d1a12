"""Image files: an array of exact samples on one side, the bytes of a file on the other."""

from sudokucrypt.images.description import describe, dress
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
from sudokucrypt.images.write import (
    default_format,
    encode_picture,
    leftover,
    obstacle,
    output_format,
    picture_parts,
    suffix_of,
)

__all__ = [
    "FILE_LIMIT",
    "MAX_PIXELS",
    "Animation",
    "Frame",
    "Metadata",
    "Palette",
    "Picture",
    "Resolution",
    "Showing",
    "Turn",
    "decode_picture",
    "default_format",
    "describe",
    "dress",
    "encode_picture",
    "leftover",
    "may_be_picture",
    "obstacle",
    "output_format",
    "paint",
    "picture_parts",
    "previews",
    "read_picture",
    "suffix_of",
    "turn_of",
]

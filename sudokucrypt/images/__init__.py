"""Image files: an array of exact samples on one side, the bytes of a file on the other."""

from sudokucrypt.images.description import describe, dress
from sudokucrypt.images.metadata import Metadata, Resolution
from sudokucrypt.images.painting import paint
from sudokucrypt.images.picture import Animation, Frame, Palette, Picture, Showing
from sudokucrypt.images.preview import previews
from sudokucrypt.images.read import FILE_LIMIT, MAX_PIXELS, decode_picture, is_picture, read_picture
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
    "decode_picture",
    "default_format",
    "describe",
    "dress",
    "encode_picture",
    "is_picture",
    "leftover",
    "obstacle",
    "output_format",
    "paint",
    "picture_parts",
    "previews",
    "read_picture",
    "suffix_of",
]

"""Image files: an array of exact samples on one side, the bytes of a file on the other."""

from sudokucrypt.images.picture import Picture
from sudokucrypt.images.read import decode_picture, read_picture
from sudokucrypt.images.write import encode_picture, output_format, picture_parts

__all__ = [
    "Picture",
    "decode_picture",
    "encode_picture",
    "output_format",
    "picture_parts",
    "read_picture",
]

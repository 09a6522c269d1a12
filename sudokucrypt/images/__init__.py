"""Image files: an array of exact samples on one side, the bytes of a file on the other."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "images.cleartext": "cleartext_copy",
    "images.description.reading": "blank_frames described",
    "images.description.writing": (
        "CLEARTEXT_FIELDS EmbeddedFile PictureRecord describe embed extract kept_name padded_size"
    ),
    "images.driver": "Driver Writer",
    "images.files": (
        "FILE_LIMIT MAX_PIXELS cleartext_metadata decode_picture default_format encode_picture "
        "header_of output_format picture_parts read_file read_file_status read_picture "
        "suffix_of unsupported_metadata unsupported_reason"
    ),
    "images.header_rows": "header_row_count",
    "images.jpeg.file": "header_in_jpeg",
    "images.kinds": (
        "coded_lossily glance may_be_picture may_have_header_rows media_type stored_header "
        "stored_shape"
    ),
    "images.orientation": "Turn turn_of",
    "images.pages": "without_reduced_copies",
    "images.picture": "Animation Frame FrameControl Metadata Palette Picture Resolution",
    "images.registry": (
        "driver_of drivers known_format readable_formats register_driver writable_formats"
    ),
    "images.thumbnails": "paint previews reduced thumbnail",
    "images.transcoding": "jpeg_bytes luma resized shown",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.images.cleartext import cleartext_copy as cleartext_copy
    from sudokucrypt.images.description.reading import blank_frames as blank_frames
    from sudokucrypt.images.description.reading import described as described
    from sudokucrypt.images.description.writing import CLEARTEXT_FIELDS as CLEARTEXT_FIELDS
    from sudokucrypt.images.description.writing import EmbeddedFile as EmbeddedFile
    from sudokucrypt.images.description.writing import PictureRecord as PictureRecord
    from sudokucrypt.images.description.writing import describe as describe
    from sudokucrypt.images.description.writing import embed as embed
    from sudokucrypt.images.description.writing import extract as extract
    from sudokucrypt.images.description.writing import kept_name as kept_name
    from sudokucrypt.images.description.writing import padded_size as padded_size
    from sudokucrypt.images.driver import Driver as Driver
    from sudokucrypt.images.driver import Writer as Writer
    from sudokucrypt.images.files import FILE_LIMIT as FILE_LIMIT
    from sudokucrypt.images.files import MAX_PIXELS as MAX_PIXELS
    from sudokucrypt.images.files import cleartext_metadata as cleartext_metadata
    from sudokucrypt.images.files import decode_picture as decode_picture
    from sudokucrypt.images.files import default_format as default_format
    from sudokucrypt.images.files import encode_picture as encode_picture
    from sudokucrypt.images.files import header_of as header_of
    from sudokucrypt.images.files import output_format as output_format
    from sudokucrypt.images.files import picture_parts as picture_parts
    from sudokucrypt.images.files import read_file as read_file
    from sudokucrypt.images.files import read_file_status as read_file_status
    from sudokucrypt.images.files import read_picture as read_picture
    from sudokucrypt.images.files import suffix_of as suffix_of
    from sudokucrypt.images.files import unsupported_metadata as unsupported_metadata
    from sudokucrypt.images.files import unsupported_reason as unsupported_reason
    from sudokucrypt.images.header_rows import header_row_count as header_row_count
    from sudokucrypt.images.jpeg.file import header_in_jpeg as header_in_jpeg
    from sudokucrypt.images.kinds import coded_lossily as coded_lossily
    from sudokucrypt.images.kinds import glance as glance
    from sudokucrypt.images.kinds import may_be_picture as may_be_picture
    from sudokucrypt.images.kinds import may_have_header_rows as may_have_header_rows
    from sudokucrypt.images.kinds import media_type as media_type
    from sudokucrypt.images.kinds import stored_header as stored_header
    from sudokucrypt.images.kinds import stored_shape as stored_shape
    from sudokucrypt.images.orientation import Turn as Turn
    from sudokucrypt.images.orientation import turn_of as turn_of
    from sudokucrypt.images.pages import without_reduced_copies as without_reduced_copies
    from sudokucrypt.images.picture import Animation as Animation
    from sudokucrypt.images.picture import Frame as Frame
    from sudokucrypt.images.picture import FrameControl as FrameControl
    from sudokucrypt.images.picture import Metadata as Metadata
    from sudokucrypt.images.picture import Palette as Palette
    from sudokucrypt.images.picture import Picture as Picture
    from sudokucrypt.images.picture import Resolution as Resolution
    from sudokucrypt.images.registry import driver_of as driver_of
    from sudokucrypt.images.registry import drivers as drivers
    from sudokucrypt.images.registry import known_format as known_format
    from sudokucrypt.images.registry import readable_formats as readable_formats
    from sudokucrypt.images.registry import register_driver as register_driver
    from sudokucrypt.images.registry import writable_formats as writable_formats
    from sudokucrypt.images.thumbnails import paint as paint
    from sudokucrypt.images.thumbnails import previews as previews
    from sudokucrypt.images.thumbnails import reduced as reduced
    from sudokucrypt.images.thumbnails import thumbnail as thumbnail
    from sudokucrypt.images.transcoding import jpeg_bytes as jpeg_bytes
    from sudokucrypt.images.transcoding import luma as luma
    from sudokucrypt.images.transcoding import resized as resized
    from sudokucrypt.images.transcoding import shown as shown
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)

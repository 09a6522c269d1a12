from sudokucrypt.images.jpeg.blocks import ZIGZAG as ZIGZAG
from sudokucrypt.images.jpeg.coefficients import JpegFile as JpegFile
from sudokucrypt.images.jpeg.dummy_blocks import make_dummy_mask as make_dummy_mask
from sudokucrypt.images.jpeg.dummy_blocks import replace_dummies as replace_dummies
from sudokucrypt.images.jpeg.file import MAX_BODY_BYTES as MAX_BODY_BYTES
from sudokucrypt.images.jpeg.file import Segment as Segment
from sudokucrypt.images.jpeg.file import walk_segments as walk_segments
from sudokucrypt.images.jpeg.frame import Component as Component
from sudokucrypt.images.jpeg.frame import JpegFrame as JpegFrame
from sudokucrypt.images.jpeg.output import encode_scrambled_file as encode_scrambled_file
from sudokucrypt.images.jpeg.output import encode_visible_file as encode_visible_file
from sudokucrypt.images.jpeg.output import list_needed_parts as list_needed_parts
from sudokucrypt.images.jpeg.output import make_quantizer_segment as make_quantizer_segment
from sudokucrypt.images.jpeg.output import name_added_segments as name_added_segments
from sudokucrypt.images.jpeg.output import read_color_segments as read_color_segments
from sudokucrypt.images.jpeg.output import read_file_metadata as read_file_metadata
from sudokucrypt.images.jpeg.output import remove_metadata as remove_metadata
from sudokucrypt.images.jpeg.reading import read_coefficients as read_coefficients
from sudokucrypt.images.jpeg.scans import Scan as Scan
from sudokucrypt.images.jpeg.structure import JpegStructure as JpegStructure

__all__: list[str]

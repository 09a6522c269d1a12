from sudokucrypt.images.jpeg.blocks import ZIGZAG as ZIGZAG
from sudokucrypt.images.jpeg.coefficients import JpegFile as JpegFile
from sudokucrypt.images.jpeg.dummy_blocks import dummy_positions as dummy_positions
from sudokucrypt.images.jpeg.dummy_blocks import make_usual as make_usual
from sudokucrypt.images.jpeg.file import LONGEST_BODY as LONGEST_BODY
from sudokucrypt.images.jpeg.file import Segment as Segment
from sudokucrypt.images.jpeg.file import walk_segments as walk_segments
from sudokucrypt.images.jpeg.frame import Component as Component
from sudokucrypt.images.jpeg.frame import JpegFrame as JpegFrame
from sudokucrypt.images.jpeg.output import added_parts as added_parts
from sudokucrypt.images.jpeg.output import color_signs as color_signs
from sudokucrypt.images.jpeg.output import metadata_of as metadata_of
from sudokucrypt.images.jpeg.output import needed_parts as needed_parts
from sudokucrypt.images.jpeg.output import output_file as output_file
from sudokucrypt.images.jpeg.output import quantizer_segment as quantizer_segment
from sudokucrypt.images.jpeg.output import shown_file as shown_file
from sudokucrypt.images.jpeg.output import without_metadata as without_metadata
from sudokucrypt.images.jpeg.reading import read_coefficients as read_coefficients
from sudokucrypt.images.jpeg.scans import Scan as Scan
from sudokucrypt.images.jpeg.structure import JpegStructure as JpegStructure

__all__: list[str]

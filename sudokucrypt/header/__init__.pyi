from sudokucrypt.header.header import HEADER_LIMIT as HEADER_LIMIT
from sudokucrypt.header.header import SEGMENT as SEGMENT
from sudokucrypt.header.header import SEGMENT_UNIT as SEGMENT_UNIT
from sudokucrypt.header.header import Header as Header
from sudokucrypt.header.header import parse_sidecar as parse_sidecar
from sudokucrypt.header.header import sidecar_bytes as sidecar_bytes
from sudokucrypt.header.header import sidecar_name as sidecar_name

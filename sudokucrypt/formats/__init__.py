"""The header: what a scrambled image says about itself, as canonical text."""

from sudokucrypt.formats.header import HEADER_LIMIT, Header
from sudokucrypt.formats.mask import pack_mask, unpack_mask
from sudokucrypt.formats.sidecar import parse_sidecar, sidecar_bytes, sidecar_name

__all__ = [
    "HEADER_LIMIT",
    "Header",
    "pack_mask",
    "parse_sidecar",
    "sidecar_bytes",
    "sidecar_name",
    "unpack_mask",
]

"""The header: what a scrambled image says about itself, as canonical text."""

from sudokucrypt.header.header import (
    HEADER_LIMIT,
    Header,
    parse_sidecar,
    sidecar_bytes,
    sidecar_name,
)
from sudokucrypt.header.mask import pack_mask, unpack_mask

__all__ = [
    "HEADER_LIMIT",
    "Header",
    "pack_mask",
    "parse_sidecar",
    "sidecar_bytes",
    "sidecar_name",
    "unpack_mask",
]

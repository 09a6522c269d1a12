"""The sidecar: the header in a file of its own, for pictures that lose what they carry."""

from __future__ import annotations

from sudokucrypt.errors import FormatError
from sudokucrypt.header.header import Header

_SUFFIX = ".sudokucrypt.json"


def sidecar_name(name: str) -> str:
    """Return the name of the sidecar of a picture file: its whole name and a suffix."""
    return name + _SUFFIX


def sidecar_bytes(header: Header) -> bytes:
    """Return the content of a sidecar: the header and a line end."""
    return header.to_bytes() + b"\n"


def parse_sidecar(data: bytes) -> Header:
    """Return the header in a sidecar; `FormatError` if it is anything else."""
    if not data.endswith(b"\n"):
        raise FormatError("the sidecar is cut short: its line end is missing")
    return Header.from_bytes(data[:-1])

"""The stills of the vectors by name: their samples, and the line and blobs that describe them.

They are data in `rows/gallery.json`, so that neither the package nor the page makes them.
"""

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path

from tests.kit.reference.header import SAMPLE_BYTES
from tests.vectors.common import Case, make_plain_bytes

PADDED_TO = 256


@dataclass(frozen=True, kw_only=True)
class Still:
    """Samples in C order, lowest byte first, and their description in plain extras or None."""

    shape: tuple[int, ...]
    dtype: str
    data: bytes
    line: str | None
    blobs: bytes

    @property
    def extras(self) -> bytes | None:
        """The extras with as little padding as possible."""
        return None if self.line is None else pad_text(self.line, self.blobs)


def pad_text(line: str, blobs: bytes) -> bytes:
    """Return a line, its blobs and the padding that a writer adds."""
    unpadded = line.encode("utf-8") + b"\n" + blobs
    return unpadded + bytes(-len(unpadded) % PADDED_TO)


def _make_still(about: Case) -> Still:
    shape, dtype = tuple(about["shape"]), about["dtype"]
    length = prod(shape) * SAMPLE_BYTES[dtype]
    data = make_plain_bytes(about["stream"], about.get("size", length)).ljust(length, b"\0")
    if dtype == "bool":
        data = bytes(byte & 1 for byte in data)
    line, blobs = about.get("line"), bytes.fromhex(about.get("blobs", ""))
    return Still(shape=shape, dtype=dtype, data=data, line=line, blobs=blobs)


def _read_stills() -> dict[str, Still]:
    text = (Path(__file__).parent / "rows" / "gallery.json").read_text(encoding="ascii")
    return {name: _make_still(about) for name, about in json.loads(text)["pictures"].items()}


STILLS = _read_stills()
"""Stills by name."""

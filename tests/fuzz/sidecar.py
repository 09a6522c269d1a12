"""Sidecar files: what parses serialises back to the same bytes."""

from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.header import parse_sidecar, sidecar_bytes
from tests.fuzz import header
from tests.fuzz.oracle import watched

TARGET: Final = "sidecar"

SEEDS: Final = [
    *(seed + b"\n" for seed in header.SEEDS),
    header.SEEDS[0],
    header.SEEDS[0] + b"\r\n",
    header.SEEDS[0] + b"\n\n",
]


def check(data: bytes) -> None:
    """Parse and serialise a sidecar."""
    with watched():
        try:
            parsed = parse_sidecar(data)
        except SudokucryptError:
            return
        assert sidecar_bytes(parsed) == data, "a sidecar has two forms"

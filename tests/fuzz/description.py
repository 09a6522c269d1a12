"""Descriptions of pictures: what is read is written again as it was, but for longer padding."""

from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import (
    describe,
    described,
)
from tests.fuzz.oracle import watched
from tests.fuzz.targets import Target
from tests.vectors.gallery import STILLS
from tests.vectors.readers import samples_for

_SEEDS = [still.extras for still in STILLS.values() if still.extras is not None]


def check(data: bytes) -> None:
    """Read and write a description, as it is and with its padding put right."""
    bare = data.rstrip(b"\0")
    for extras in {data, bare + bytes(-len(bare) % 256)}:
        with watched():
            try:
                record = described(samples_for(line), extras)
            except SudokucryptError:
                continue
            if any(vars(record.earlier).values()):
                continue
            again = describe(record)
            assert again is not None, "what needs no description has one"
            assert extras == again.ljust(len(extras), b"\0"), "a description has two forms"


TARGETS: Final = (Target("description", _SEEDS, check),)

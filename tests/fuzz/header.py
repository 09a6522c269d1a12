"""Headers: what parses serialises back to the same bytes."""

from dataclasses import replace
from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.header import Header
from tests.fuzz.oracle import watched

TARGET: Final = "header"

_HEADERS = (
    Header(
        scheme="scramble-v1", unit="pixel", rounds=2, shape=(3, 4), dtype="uint8", key_id="0" * 8
    ),
    Header(
        scheme="encrypt-v1", unit="sample", rounds=255, shape=(2**31 - 1, 1, 4), dtype="float64",
        key_id="89abcdef", kdf="argon2id:m=65536,t=3,p=4:" + "0f" * 16, salt=bytes(16),
        tag=bytes(range(32)), header_mac=bytes(range(32, 64)),
    ),
    Header(
        scheme="other-v9", unit="block", block_size=8, rounds=1, shape=(7,), dtype="bool",
        key_id="01234567", salt=b"\xff" * 16, tag=b"\xff" * 32, header_mac=b"\xff" * 32,
    ),
)  # fmt: skip

_WHOLE = _HEADERS[0]
_PARTS = (
    replace(_WHOLE, regions=((0, 0, 3, 4), (2, 1, 1, 2))),
    replace(_WHOLE, mask=b"\2\3\7"),
    replace(
        _WHOLE,
        mask=b"\x0c",
        encrypted_metadata=b'{"format":""}\n',
        salt=bytes(16),
        tag=bytes(32),
        header_mac=bytes(32),
    ),
)

SEEDS: Final = [
    *(header.to_bytes() for header in _PARTS), *(header.to_bytes() for header in _HEADERS),
    _HEADERS[0].to_bytes().replace(b":1,", b":2,", 1), _HEADERS[0].to_bytes().replace(b",", b", "),
    b'{"sudokucrypt":1}', b"[" * 300, b"",
]  # fmt: skip


def check(data: bytes) -> None:
    """Parse and serialise a header."""
    with watched():
        try:
            header = Header.from_bytes(data)
        except SudokucryptError:
            return
        assert header.to_bytes() == data, "a header has two forms"
        assert Header.from_bytes(header.to_bytes()) == header

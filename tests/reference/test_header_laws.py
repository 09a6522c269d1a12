"""Laws that headers keep in the reference program."""

import pytest

from tests.reference import RefusedError
from tests.reference import header as headers
from tests.reference.scheme import scramble_bytes

KEY = bytes(range(32))
SALT = bytes(range(16))


def refused(data: bytes) -> bool:
    try:
        headers.read(data)
    except RefusedError:
        return True
    return False


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"sudokucrypt":1', b'"sudokucrypt":2'),
        (b'"sudokucrypt":1', b'"sudokucrypt":true'),
        (b'"sudokucrypt":1,', b""),
        (b'"rounds":2', b'"rounds":2.0'),
        (b'"rounds":2', b'"rounds":0'),
        (b'"rounds":2', b'"rounds":256'),
        (b'"rounds":2', b'"rounds":2,"rounds":2'),
        (b'"rounds":2', b'"rounds": 2'),
        (b'"rounds":2', b'"extra":1,"rounds":2'),
        (b'"rounds":2', b'"block_size":2,"rounds":2'),
        (b'"shape":[8,5]', b'"shape":[8,0]'),
        (b'"shape":[8,5]', b'"shape":[2147483648]'),
        (b'"shape":[8,5]', b'"shape":[1,2,3,4]'),
        (b'"shape":[8,5]', b'"shape":' + b"[" * 60_000),
        (b'"unit":"pixel"', b'"unit":"block"'),
        (b'"dtype":"uint8"', b'"dtype":"<u1"'),
        (b'"dtype":"uint8"', b'"dtype":"uint\\u0038"'),
        (b'"salt":"0001', b'"salt":"00'),
        (b'0e0f"', b'0E0F"'),
        (b"scramble-v1", b"scramble-context-v1"),
        (b"}", b"}\n"),
        (b"}", b"}" + b" " * 70_000),
    ],
)
def test_header_refused(old: bytes, new: bytes) -> None:
    """A header that differs from what a writer writes is refused."""
    _, header = scramble_bytes(
        bytes(40), shape=(8, 5), dtype="uint8", unit="pixel", rounds=2, key=KEY, salt=SALT
    )
    assert not refused(header)
    assert old in header
    assert refused(header.replace(old, new))


@pytest.mark.parametrize("missing", ["salt", "tag", "seal"])
def test_header_without_tag_refused(missing: str) -> None:
    """A header of scramble-v1 without salt, tag or seal is refused."""
    _, header = scramble_bytes(
        bytes(40), shape=(8, 5), dtype="uint8", unit="pixel", rounds=2, key=KEY
    )
    assert refused(headers.write(headers.read(header).without(missing)))

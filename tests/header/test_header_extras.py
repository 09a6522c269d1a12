"""The fields regions, mask and extras: one form, firm limits, and no hostile value is let in."""

import json
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    FormatError,
    Header,
    Key,
    UnsupportedError,
    UnsupportedVersionError,
)
from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, Part
from sudokucrypt.header import HEADER_LIMIT
from sudokucrypt.workers import Workers
from tests.header.test_header import CASES, ORDER
from tests.header.test_header import written as in_order

PLAIN = Header(
    scheme="encrypt-v1",
    unit="pixel",
    rounds=8,
    shape=(6, 7),
    dtype="uint8",
    key_id="01234567",
    salt=bytes(16),
    tag=bytes(32),
    header_mac=bytes(32),
)
BARE_LIMIT = 65536
MAX_SIDE = 2**31 - 1


def written(**fields: Any) -> bytes:
    """The header with these fields, each in its place."""
    values = json.loads(PLAIN.to_bytes()) | fields
    return in_order({name: values[name] for name in ORDER if name in values})


@pytest.mark.parametrize("value", CASES["regions out of range"])
def test_regions_out_of_range_are_named(value: Any) -> None:
    """Anything but rectangles of at least one pixel is a FormatError that names the field."""
    with pytest.raises(FormatError, match=r"regions|canonical"):
        Header.from_bytes(written(regions=value))


@pytest.mark.parametrize("name", ["mask", "extras"])
@pytest.mark.parametrize("value", CASES["other base64"])
def test_only_canonical_base64_is_read(name: str, value: Any) -> None:
    """Base64 without padding, with spare bits, line ends, other letters or no byte is refused."""
    with pytest.raises(FormatError, match=f"{name}|canonical|JSON"):
        Header.from_bytes(written(**{name: value}))
    with pytest.raises(FormatError):
        Header.from_bytes(written(**{name: "Kg=="}).replace(b'"Kg==', b'"\\u004bg=='))


def test_one_selection_at_most() -> None:
    """Regions beside a mask, and either with blocks or in one row, are refused, read or made."""
    rectangle = ((0, 0, 1, 1),)
    with pytest.raises(FormatError, match="mask"):
        replace(PLAIN, regions=rectangle, mask=b"*")
    with pytest.raises(FormatError, match="mask"):
        Header.from_bytes(written(regions=[[0, 0, 1, 1]], mask="Kg=="))
    for selection in ({"regions": rectangle}, {"mask": b"*"}):
        with pytest.raises(FormatError, match="unit"):
            replace(PLAIN, unit="block", block_size=2, **selection)
        with pytest.raises(FormatError, match="shape"):
            replace(PLAIN, shape=(42,), **selection)


@pytest.mark.parametrize("empty", [{"regions": ()}, {"mask": b""}, {"encrypted_metadata": b""}])
def test_empty_fields_are_left_out(empty: dict[str, Any]) -> None:
    """A field without content is no field."""
    with pytest.raises(FormatError, match=r"regions|mask|extras"):
        replace(PLAIN, **empty)


@pytest.mark.parametrize("name", ["regions", "mask", "extras"])
def test_order_and_names(name: str) -> None:
    """The new fields have one place, stand there once, and have no other spelling."""
    value = [[0, 0, 1, 1]] if name == "regions" else "Kg=="
    data = written(**{name: value})
    field = f',"{name}":'.encode() + json.dumps(value, separators=(",", ":")).encode()
    assert Header.from_bytes(data).to_bytes() == data
    assert data.count(field) == 1
    without = data.replace(field, b"")
    for place in range(len(without) + 1):
        moved = without[:place] + field + without[place:]
        if moved != data:
            with pytest.raises(FormatError):
                Header.from_bytes(moved)
    with pytest.raises(FormatError):
        Header.from_bytes(data.replace(field, field * 2))
    with pytest.raises(UnsupportedVersionError):
        Header.from_bytes(data.replace(name.encode(), name.encode().title()))


def test_the_text_of_a_field_is_no_field() -> None:
    """What looks like a bulky field inside of another is not taken for it."""
    inner = '"extras":"Kg=="'
    for name in ("scheme", "key_id", "dtype"):
        with pytest.raises(FormatError):
            Header.from_bytes(written(**{name: inner}))
        with pytest.raises(FormatError):
            Header.from_bytes(written(**{name: {"extras": "Kg=="}}))
    with pytest.raises(FormatError):
        Header.from_bytes(b'{"sudokucrypt":1,"shape":[{"mask":"Kg=="}]}')


@pytest.mark.slow
def test_limits_of_a_header() -> None:
    """Long extras are read up to the limit; without them a header has at most 65536 bytes."""
    room = HEADER_LIMIT - len(replace(PLAIN, encrypted_metadata=b"123").to_bytes())
    longest = replace(PLAIN, encrypted_metadata=bytes(3 + room // 4 * 3))
    data = longest.to_bytes()
    assert HEADER_LIMIT - 4 < len(data) <= HEADER_LIMIT
    assert Header.from_bytes(data) == longest
    with pytest.raises(UnsupportedError, match="longer"):
        replace(longest, encrypted_metadata=bytes(6 + room // 4 * 3)).to_bytes()
    with pytest.raises(FormatError, match=str(HEADER_LIMIT)):
        Header.from_bytes(data.replace(b"AAAA", b"AAAA" * 2, 1))

    count = (BARE_LIMIT + 1 - len(PLAIN.to_bytes()) - len(',"regions":[]')) // len("[0,0,1,1],")
    many = replace(PLAIN, regions=((0, 0, 1, 1),) * count)
    assert Header.from_bytes(many.to_bytes()) == many
    more = replace(PLAIN, regions=((0, 0, 1, 1),) * (count + 1))
    with pytest.raises(UnsupportedError, match="longer"):
        more.to_bytes()
    with pytest.raises(FormatError, match=str(BARE_LIMIT)):
        Header.from_bytes(many.to_bytes().replace(b"[0,0,1,1]", b"[0,0,1,1],[0,0,1,1]", 1))
    beside = replace(PLAIN, regions=((0, 0, 1, 1),) * (count - 2), encrypted_metadata=bytes(10**5))
    assert Header.from_bytes(beside.to_bytes()) == beside


def test_nothing_is_protected_under_a_header_that_nobody_could_read() -> None:
    """Extras that do not fit into a header are refused before there is a protected picture."""
    draft = replace(
        PLAIN, salt=None, tag=None, header_mac=None, encrypted_metadata=bytes(25 * 2**20)
    )
    part = Part(pixels=np.zeros(PLAIN.shape, dtype=np.uint8))
    for scheme in (ENCRYPT, SCRAMBLE):
        with Workers(1) as workers, pytest.raises(UnsupportedError, match="longer"):
            scheme.protect([part], Key(bytes(32)), draft, workers)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * HEADER_LIMIT,
        b'{"sudokucrypt":1,"regions":' + b"[" * 10**6,
        b'{"sudokucrypt":1,"regions":[' + b"[0,0,1,1]," * 10**6,
        b'{"sudokucrypt":1,"extras":' + b"1" * 10**7 + b"}",
        b'{"sudokucrypt":1,"extras":"' + b"\\u0041" * 10**6 + b'"}',
        b'{"sudokucrypt":1,' + b'"extras":"AAAA",' * 10**5 + b'"mask":""}',
        b'{"sudokucrypt":1,"x":{' + b'"mask":"",' * 10**5 + b"}}",
    ],
)
def test_hostile_headers_take_no_memory(data: bytes) -> None:
    """Long nonsense in place of the long texts is refused, in little more memory than its own."""
    tracemalloc.start()
    try:
        with pytest.raises(FormatError):
            Header.from_bytes(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * len(data) + 2**20


@pytest.mark.parametrize(
    ("attribute", "name"), [("encrypted_metadata", "extras"), ("mask", "mask")]
)
def test_long_fields_have_one_form(attribute: str, name: str) -> None:
    """One that stands apart from its colon, as no writer puts it, is refused."""
    fields: dict[str, Any] = {attribute: b"long"}
    line = replace(PLAIN, **fields).to_bytes()
    for other in (b'": ""', b'": "bG9uZw=="', b'":"!"'):
        with pytest.raises(FormatError, match=name):
            Header.from_bytes(line.replace(b'":"bG9uZw=="', other))


@pytest.mark.parametrize("name", ["salt", "tag", "header_mac"])
def test_salt_tag_and_seal_have_one_length(name: str) -> None:
    """A header is not even made with another one."""
    value = getattr(PLAIN, name)
    for other in (b"", value[:-1], value + b"\0"):
        fields: dict[str, Any] = {name: other}
        with pytest.raises(FormatError, match=r"salt|tag|seal"):
            replace(PLAIN, **fields)

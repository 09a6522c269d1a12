"""The header has a canonical form: each parsed header is written as the same bytes."""

import json
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import FormatError, Header, Key, UnsupportedError, UnsupportedVersionError
from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, Part
from sudokucrypt.header import HEADER_LIMIT, get_sidecar_name, make_sidecar, parse_sidecar
from sudokucrypt.workers import Workers
from tests.spies import watch_memory

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))

FIELDS: dict[str, Any] = {
    "sudokucrypt": 1,
    "scheme": "scramble-v1",
    "unit": "block",
    "block_size": 8,
    "rounds": 2,
    "shape": [3, 4],
    "dtype": "uint8",
    "key_id": "01234567",
    "kdf": "scrypt:m=2,t=1,p=1:" + "0f" * 16,
    "salt": "00" * 16,
    "tag": "ff" * 32,
    "seal": "0f" * 32,
}


ORDER = (
    *("sudokucrypt", "scheme", "unit", "block_size", "rounds", "shape", "dtype", "key_id"),
    *("kdf", "salt", "extras", "tag", "seal"),
)
DTYPES = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64"),
)


def write_fields(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode()


sides = st.integers(1, 2**31 - 1)
SEALED = {
    "salt": st.binary(min_size=16, max_size=16),
    "tag": st.binary(min_size=32, max_size=32),
    "header_mac": st.binary(min_size=32, max_size=32),
}
UNSEALED: st.SearchStrategy[dict[str, Any]] = st.just({})
headers = st.builds(
    lambda sealed, **fields: Header(**sealed, **fields),
    sealed=UNSEALED | st.fixed_dictionaries(SEALED, optional={"kdf": st.just(FIELDS["kdf"])}),
    shape=st.lists(sides, min_size=1, max_size=3).map(tuple),
    scheme=st.sampled_from(["scramble-v1", "encrypt-v1", "other-v9"]),
    unit=st.sampled_from(["pixel", "sample"]),
    rounds=st.integers(1, 255),
    dtype=st.sampled_from(DTYPES),
    key_id=st.binary(min_size=4, max_size=4).map(bytes.hex),
    encrypted_metadata=st.none() | st.binary(min_size=1, max_size=99),
)


def encode_value(value: object, name: str) -> object:
    """Return the value of a field as it is written in JSON."""
    if isinstance(value, bytes):
        return b64encode(value).decode() if name == "extras" else value.hex()
    return value


def test_only_arrays_have_a_context() -> None:
    """A header with a context is read; one with metadata, of a file of version 1.1, is refused."""
    header = Header(
        scheme="scramble-context-v1",
        unit="pixel",
        rounds=2,
        shape=(3, 4),
        dtype="uint8",
        key_id="01234567",
    )
    assert Header.from_bytes(header.to_bytes()) == header
    file_header = replace(header, encrypted_metadata=bytes(256))
    with pytest.raises(UnsupportedVersionError, match="with a context: restore it with version"):
        Header.from_bytes(file_header.to_bytes())


@given(headers)
def test_headers_round_trip(header: Header) -> None:
    """A header is equal after writing and parsing, also in a sidecar, as canonical JSON."""
    data = header.to_bytes()
    assert Header.from_bytes(data) == header
    assert parse_sidecar(make_sidecar(header)) == header
    attributes = {"extras": "encrypted_metadata", "seal": "header_mac"}
    fields = {
        name: encode_value(getattr(header, attributes.get(name, name)), name) for name in ORDER[1:]
    }
    present = {name: value for name, value in fields.items() if value is not None}
    assert data == write_fields({"sudokucrypt": 1, **present})


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_form_is_the_specified_one(dtype: str) -> None:
    """A header with all fields in the specified order is read and written, for each sample type."""
    data = write_fields(FIELDS | {"dtype": dtype})
    assert Header.from_bytes(data).to_bytes() == data


@given(headers, st.data())
def test_a_changed_byte_is_refused_or_another_header(header: Header, data: st.DataObject) -> None:
    """A changed byte gives an error, or a header that is written as exactly these bytes."""
    original = header.to_bytes()
    position = data.draw(st.integers(0, len(original) - 1))
    changed = bytearray(original)
    changed[position] ^= data.draw(st.integers(1, 255))
    try:
        parsed = Header.from_bytes(bytes(changed))
    except FormatError:
        return
    assert parsed.to_bytes() == bytes(changed)
    assert parsed != header


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(data: bytes) -> None:
    """Random bytes raise FormatError, and no other exception."""
    for parse in (Header.from_bytes, parse_sidecar):
        with pytest.raises(FormatError):
            parse(data)


@pytest.mark.parametrize(
    "absent",
    [
        {"salt"},
        {"tag"},
        {"seal"},
        {"salt", "tag"},
        {"salt", "seal"},
        {"tag", "seal"},
        {"salt", "tag", "seal"},
    ],
)
def test_salt_tag_and_seal_need_each_other(absent: set[str]) -> None:
    """A header must have salt, tag and seal or none of them; a derivation needs all three."""
    fields = {name: value for name, value in FIELDS.items() if name not in absent}
    with pytest.raises(FormatError, match="missing"):
        Header.from_bytes(write_fields(fields))
    if len(absent) == 3:
        del fields["kdf"]
        assert Header.from_bytes(write_fields(fields)).header_mac is None
    else:
        with pytest.raises(FormatError, match="missing"):
            Header.from_bytes(write_fields(fields | {"kdf": None}))


def test_drafts_lack_salt_tag_or_seal() -> None:
    """Salt, then tag, then seal are added to a draft; drafts in another order are refused."""
    complete_fields = Header.from_bytes(write_fields(FIELDS))
    draft_fields: tuple[dict[str, Any], ...] = (
        {"header_mac": None},
        {"header_mac": None, "tag": None},
        {"header_mac": None, "tag": None, "kdf": None, "salt": None},
    )
    for draft in draft_fields:
        header = replace(complete_fields, **draft)
        for name, value in draft.items():
            assert getattr(header, name) == value
        values = {name: getattr(complete_fields, name) for name in draft if name != "kdf"}
        completed = header.complete(**values)
        assert completed == replace(complete_fields, kdf=header.kdf)
        assert completed.to_bytes() == replace(complete_fields, kdf=header.kdf).to_bytes()
        assert header == replace(complete_fields, **draft)
    invalid: tuple[dict[str, Any], ...] = (
        {"salt": None},
        {"tag": None},
        {"header_mac": None, "tag": None, "salt": None},  # together with a derivation
    )
    for fields in invalid:
        with pytest.raises(FormatError, match="missing"):
            replace(complete_fields, **fields)


@pytest.mark.parametrize(
    ("attribute", "value", "name"),
    [
        ("salt", bytes(15), "salt"),
        ("tag", bytes(31), "tag"),
        ("header_mac", bytes(33), "seal"),
        ("encrypted_metadata", b"", "extras"),
    ],
)
def test_completed_fields_are_checked(attribute: str, value: bytes, name: str) -> None:
    """`complete` refuses fields of a wrong length, and a seal without a tag."""
    with pytest.raises(FormatError, match=name):
        Header.from_bytes(write_fields(FIELDS)).complete(**{attribute: value})
    draft = replace(Header.from_bytes(write_fields(FIELDS)), header_mac=None, tag=None)
    with pytest.raises(FormatError, match="tag"):
        draft.complete(header_mac=bytes(32))


def test_the_seal_covers_all_other_fields() -> None:
    """`sealed_bytes` returns the bytes of the header without the field `seal`."""
    header = Header.from_bytes(write_fields(FIELDS))
    without_seal = header.to_bytes().replace(f',"seal":"{FIELDS["seal"]}"'.encode(), b"")
    assert header.sealed_bytes() == without_seal
    assert replace(header, header_mac=None).sealed_bytes() == without_seal


def test_sidecar_needs_its_line_end() -> None:
    """A sidecar without its line end, or with another byte in its place, is refused."""
    data = make_sidecar(Header.from_bytes(write_fields(FIELDS)))
    with pytest.raises(FormatError, match="line end"):
        parse_sidecar(data[:-1])
    for last_byte in {*range(256)} - {ord("\n")}:
        with pytest.raises(FormatError, match="line end"):
            parse_sidecar(data[:-1] + bytes([last_byte]))
    assert get_sidecar_name("a.png") == "a.png.sudokucrypt.json"


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
FIELDS_LIMIT = 65536


def change_fields(**fields: Any) -> bytes:
    """Return the plain header with these fields in their specified order."""
    values = json.loads(PLAIN.to_bytes()) | fields
    return write_fields({name: values[name] for name in ORDER if name in values})


def insert_field(name: str, value: object) -> bytes:
    """Return the plain header with one more field before its `key_id`."""
    field = write_fields({name: value})[1:-1]
    return PLAIN.to_bytes().replace(b'"key_id"', field + b',"key_id"')


REFUSED: list[tuple[bytes, str]] = [
    *(
        (write_fields(FIELDS | change), next(iter(change)))
        for change in CASES["fields out of range"]
    ),
    *(
        (write_fields({key: value for key, value in FIELDS.items() if key != name}), name)
        for name in ("scheme", "unit", "block_size", "rounds", "shape", "dtype", "key_id")
    ),
    *((change_fields(extras=value), "extras|canonical|JSON") for value in CASES["other base64"]),
    # Spaces, another order, a repeated field, other spellings.
    (change_fields(extras="Kg==").replace(b'"Kg==', b'"\\u004bg=='), "."),
    (json.dumps(FIELDS).encode(), "."),
    (write_fields(FIELDS) + b" ", "."),
    (write_fields(dict(reversed(FIELDS.items()))), "."),
    (write_fields(FIELDS)[:-1] + b',"tag":"' + b"ff" * 32 + b'"}', "not JSON"),
    (write_fields(FIELDS)[:-1] + b',"seal":"' + b"0f" * 32 + b'"}', "not JSON"),
    (write_fields(FIELDS).replace(b'rounds":2', b'rounds":2e0'), "."),
    (write_fields(FIELDS).replace(b"uint8", b"uint\\u0038"), "."),
    (b"[" * 5000, "."),
    (b'{"sudokucrypt":1' + b"0" * 5000 + b"}", "."),
    (b" " * (HEADER_LIMIT + 1), "."),
    (b"[]", "."),
    (b"1", "."),
    (b"", "."),
]


@pytest.mark.parametrize(("data", "message"), REFUSED)
def test_invalid_headers_are_refused(data: bytes, message: str) -> None:
    """Headers with missing or wrong fields, or not in canonical form, are refused."""
    with pytest.raises(FormatError, match=message.replace("sudokucrypt", "version")):
        Header.from_bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (write_fields(FIELDS | {"sudokucrypt": 2}), ""),
        (write_fields(FIELDS | {"colour": []}), ""),
        (insert_field("regions", [[0, 0, 1, 1]]), "regions"),
        (insert_field("regions", None), "regions"),
        (insert_field("mask", "Kg=="), "a mask"),
        (insert_field("mask", "AAAA" * 10**6), "a mask"),
        (insert_field("mask", 7), "a mask"),
    ],
)
def test_headers_of_other_versions_are_refused(data: bytes, message: str) -> None:
    """A newer version, an unknown field and a field of earlier versions raise their own error."""
    expected = f"^made by an earlier version with {message}: restore it with version 1.1.0$"
    with pytest.raises(UnsupportedVersionError, match=expected if message else "."):
        Header.from_bytes(data)


def test_empty_fields_are_refused() -> None:
    """A header with empty metadata is refused."""
    with pytest.raises(FormatError, match="extras"):
        replace(PLAIN, encrypted_metadata=b"")


def test_order_and_names() -> None:
    """A header with a field in another place, twice, or in another spelling is refused."""
    data, field = change_fields(extras="Kg=="), b',"extras":"Kg=="'
    assert Header.from_bytes(data).to_bytes() == data
    assert data.count(field) == 1
    data_without_field = data.replace(field, b"")
    for position in range(len(data_without_field) + 1):
        moved_data = data_without_field[:position] + field + data_without_field[position:]
        if moved_data != data:
            with pytest.raises(FormatError):
                Header.from_bytes(moved_data)
    with pytest.raises(FormatError):
        Header.from_bytes(data.replace(field, field * 2))
    with pytest.raises(UnsupportedVersionError):
        Header.from_bytes(data.replace(b"extras", b"Extras"))


def test_the_text_of_a_field_is_no_field() -> None:
    """Text like `"extras":"Kg=="` inside another field is not mistaken for that field."""
    inner_text = '"extras":"Kg=="'
    for name in ("scheme", "key_id", "dtype"):
        with pytest.raises(FormatError):
            Header.from_bytes(change_fields(**{name: inner_text}))
        with pytest.raises(FormatError):
            Header.from_bytes(change_fields(**{name: {"extras": "Kg=="}}))
    with pytest.raises(FormatError):
        Header.from_bytes(b'{"sudokucrypt":1,"shape":[{"recipients":"Kg=="}]}')


def test_the_longest_header_is_parsed() -> None:
    """The reason for refusing bytes is their length only above HEADER_LIMIT."""
    for length, is_too_long in ((HEADER_LIMIT, False), (HEADER_LIMIT + 1, True)):
        with pytest.raises(FormatError) as error_info:
            Header.from_bytes(b" " * length)
        assert (str(HEADER_LIMIT) in str(error_info.value)) == is_too_long


@pytest.mark.parametrize(("length", "is_too_long"), [(65536, False), (65537, True)])
def test_the_longest_fields_are_parsed(length: int, is_too_long: bool) -> None:
    """The reason for refusing fields is their length only above 64 KiB, without long texts."""
    long_texts = b'{"recipients":"","extras":""}'
    with pytest.raises(FormatError, match="longer than 65536" if is_too_long else "missing"):
        Header.from_bytes(long_texts.replace(b'""', b'"AAAA"').ljust(length + 8))


def test_the_longest_header_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A header is written up to the length up to which it is read."""
    header = replace(PLAIN, encrypted_metadata=bytes(FIELDS_LIMIT))
    length = len(header.to_bytes())
    monkeypatch.setattr("sudokucrypt.header.HEADER_LIMIT", length)
    assert Header.from_bytes(header.to_bytes()) == header
    monkeypatch.setattr("sudokucrypt.header.HEADER_LIMIT", length - 1)
    with pytest.raises(UnsupportedError, match="too long to be read again"):
        header.to_bytes()


@pytest.mark.parametrize("length", [0, 1, 65536, 65537])
def test_lengths_of_recipients(length: int) -> None:
    """The age file in a header has 1 to 65536 bytes."""
    if length in (1, 65536):
        header = replace(PLAIN, recipients=bytes(length))
        assert Header.from_bytes(header.to_bytes()) == header
        return
    with pytest.raises(FormatError, match="recipients"):
        replace(PLAIN, recipients=bytes(length))


def test_the_longest_side() -> None:
    """A side has at most 2**31 - 1 pixels."""
    wide = replace(PLAIN, shape=(1, 2**31 - 1))
    assert Header.from_bytes(wide.to_bytes()) == wide
    with pytest.raises(FormatError, match="shape"):
        Header.from_bytes(wide.to_bytes().replace(b"2147483647", b"2147483648"))


@pytest.mark.slow
def test_limits_of_a_header() -> None:
    """A header may be as long as HEADER_LIMIT, and without metadata at most 65536 bytes."""
    available = HEADER_LIMIT - len(replace(PLAIN, encrypted_metadata=b"123").to_bytes())
    longest = replace(PLAIN, encrypted_metadata=bytes(3 + available // 4 * 3))
    data = longest.to_bytes()
    assert HEADER_LIMIT - 4 < len(data) <= HEADER_LIMIT
    assert Header.from_bytes(data) == longest
    with pytest.raises(UnsupportedError, match="too long"):
        replace(longest, encrypted_metadata=bytes(6 + available // 4 * 3)).to_bytes()
    with pytest.raises(FormatError, match=str(HEADER_LIMIT)):
        Header.from_bytes(data.replace(b"AAAA", b"AAAA" * 2, 1))
    with pytest.raises(FormatError, match=str(FIELDS_LIMIT)):
        Header.from_bytes(PLAIN.to_bytes()[:-1] + b',"x":"' + b"x" * FIELDS_LIMIT + b'"}')


def test_too_long_metadata_are_refused_when_protecting() -> None:
    """Protecting with metadata that do not fit into a header is refused."""
    draft_header = replace(
        PLAIN, salt=None, tag=None, header_mac=None, encrypted_metadata=bytes(25 * 2**20)
    )
    part = Part(pixels=np.zeros(PLAIN.shape, dtype=np.uint8))
    for scheme in (ENCRYPT, SCRAMBLE):
        with Workers(1) as workers, pytest.raises(UnsupportedError, match="too long"):
            scheme.protect([part], Key(bytes(32)), draft_header, workers)


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
    """Long invalid headers are refused, and take at most twice their size of memory."""
    with watch_memory() as memory, pytest.raises(FormatError):
        Header.from_bytes(data)
    assert memory.peak < 2 * len(data) + 2**20


def test_long_fields_have_one_form() -> None:
    """A long field after a space, or with invalid base64, is refused."""
    line = replace(PLAIN, encrypted_metadata=b"long").to_bytes()
    for value in (b'": ""', b'": "bG9uZw=="', b'":"!"', b'":"bG9uZw"', b'":"bG9u=Zw=="'):
        with pytest.raises(FormatError, match="extras"):
            Header.from_bytes(line.replace(b'":"bG9uZw=="', value))


@pytest.mark.parametrize("name", ["salt", "tag", "header_mac"])
def test_salt_tag_and_seal_have_one_length(name: str) -> None:
    """A `Header` with a salt, tag or seal of another length cannot be constructed."""
    value = getattr(PLAIN, name)
    for wrong_value in (b"", value[:-1], value + b"\0"):
        fields: dict[str, Any] = {name: wrong_value}
        with pytest.raises(FormatError, match=r"salt|tag|seal"):
            replace(PLAIN, **fields)

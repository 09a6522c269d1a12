"""Whatever bit of a file was changed, the error is one of a table, and nothing is restored."""

import logging
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

import sudokucrypt
from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    InvalidImageError,
    Key,
    Passphrase,
    SudokucryptError,
    UnsupportedError,
    decrypt_bytes,
    decrypt_file,
    encrypt_bytes,
    encrypt_file,
)
from tests.test_docs import ROOT

KEY = Key(bytes(range(32)))
TABLE = (DecryptionError, FormatError, InvalidImageError, UnsupportedError)


def test_the_table_names_the_errors() -> None:
    """The page lists exactly the classes that the tests below allow, and some of their kinds."""
    text = (ROOT / "docs/reference/results.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`(\w+Error)`", text.partition("## Which error")[2]))
    for name in names - {"SudokucryptError"}:
        assert issubclass(getattr(sudokucrypt.errors, name), TABLE), name
    assert {each.__name__ for each in TABLE} <= names


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 7])
def test_each_changed_byte_gives_an_error_of_the_table(step: int) -> None:
    """A changed byte of the file raises one of them; one behind a right checksum is decryption."""
    sealed = encrypt_bytes(b"three words here", KEY)
    for index in range(0, len(sealed), step):
        changed = bytearray(sealed)
        changed[index] ^= 1 << index % 8
        with pytest.raises(TABLE):
            decrypt_bytes(bytes(changed), KEY)
        with pytest.raises(TABLE):
            decrypt_bytes(sealed[:index], KEY)


def test_changes_that_no_checksum_shows() -> None:
    """Samples that were changed raise `DecryptionError`, and so does the header's tag."""
    sealed = encrypt_bytes(bytes(3000), KEY, header_rows=False)
    start = sealed.index(b"IDAT")
    length = int.from_bytes(sealed[start - 4 : start], "big")
    samples = bytearray(zlib.decompress(sealed[start + 4 : start + 4 + length]))
    samples[50] ^= 1
    body = b"IDAT" + zlib.compress(bytes(samples))
    chunk = (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
    changed = sealed[: start - 4] + chunk + sealed[start + 8 + length :]
    with pytest.raises(DecryptionError):
        decrypt_bytes(changed, KEY)


def test_changed_headers() -> None:
    """Each changed character of a header raises an error of the table."""
    result = sudokucrypt.encrypt(np.arange(60, dtype=np.uint8).reshape(6, 10), KEY)
    text = result.header.to_bytes()
    for index in range(len(text)):
        changed = text[:index] + bytes([text[index] ^ 1]) + text[index + 1 :]
        with pytest.raises(TABLE):
            sudokucrypt.decrypt(result.pixels, KEY, Header.from_bytes(changed))


def test_results_are_logged_without_secrets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The logger of the package names results and inputs, and no key, passphrase or content."""
    source, sealed, again = (tmp_path / name for name in ("a.txt", "a.png", "b.txt"))
    source.write_text("the content", encoding="utf-8")
    words = Passphrase("lend trace april dove gulf iron")
    with caplog.at_level(logging.INFO, logger="sudokucrypt"):
        encrypt_file(source, sealed, KEY)
        decrypt_file(sealed, again, KEY)
        encrypt_file(source, sealed, KEY, resume=True)
        assert decrypt_bytes(encrypt_bytes(b"more", words), words) == b"more"
        with pytest.raises(SudokucryptError):
            decrypt_file(sealed, again, Key(bytes(32)), replace=True)
    lines = [record.getMessage() for record in caplog.records]
    assert {record.name for record in caplog.records} == {"sudokucrypt"}
    assert lines[0].startswith(f"wrote '{sealed}', ")
    assert lines[1].startswith(f"wrote '{again}', 11 bytes, made of '{sealed}'")
    assert lines[2] == f"kept '{sealed}', made of '{source}'"
    encrypt_bytes(b"x", KEY, name="a\nb")
    assert not any("\n" in record.getMessage() for record in caplog.records)
    for secret in (KEY.to_text(), "lend", "content", KEY.to_bytes().hex()):
        assert not any(secret in line for line in lines)

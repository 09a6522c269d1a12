"""What callers rely on: a table of the errors of changed files, and one line for each result."""

import logging
import re
from pathlib import Path

import pytest

import sudokucrypt
from sudokucrypt import (
    Key,
    Passphrase,
    SudokucryptError,
    decrypt_bytes,
    decrypt_file,
    encrypt_bytes,
    encrypt_file,
)
from tests.test_docs import ROOT
from tests.test_manipulations import TABLE

KEY = Key(bytes(range(32)))


def test_the_table_names_the_errors() -> None:
    """The page lists exactly the classes that `test_manipulations` allows, and some kinds."""
    text = (ROOT / "docs/reference/results.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`(\w+Error)`", text.partition("## Which error")[2]))
    for name in names - {"SudokucryptError"}:
        assert issubclass(getattr(sudokucrypt.errors, name), TABLE), name
    assert {each.__name__ for each in TABLE} <= names


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

"""Fuzz key files, locked or not: each key that is read belongs to exactly one text."""

from contextlib import suppress
from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.keys import (
    Identity,
    Key,
    KeyDerivation,
    Passphrase,
    PictureKey,
    is_locked,
    read_key,
    unlock,
)
from sudokucrypt.keys.texts import decode_bech32, encode_bech32, list_content_lines
from tests.fuzz.oracle import watch_output
from tests.fuzz.targets import Target, list_seeds
from tests.kit.reference.bech32 import CHARSET, CHECKSUM_LENGTH, encode

_MAX_MEMORY, _MAX_PASSES = 64, 1  # KiB and passes over it: each check stays quick
KEY: Final = Key(bytes(range(32)))
PASSPHRASE: Final = Passphrase("fuzz")
"""What the locked seeds hold, and what they are locked with."""


def check(data: bytes) -> None:
    """Read a key file, unchanged and with the checksum of its last line corrected."""
    text = data.decode("utf-8", "surrogateescape")
    for content in {text, _repair_checksum(text)}:
        with watch_output():
            _check_key(content)
            _check_locked(content)


def _check_key(text: str) -> None:
    read_keys: list[Key | PictureKey | Identity] = []
    for kind in (Key, PictureKey, Identity):
        with suppress(SudokucryptError):
            read_keys.append(kind.from_text(text))
    try:
        key = read_key(text)
    except SudokucryptError:
        assert not read_keys, "a key is of no kind"
        return
    assert read_keys == [key], "a key is of two kinds"
    assert not is_locked(text), "a key is locked and not locked"
    assert read_key(key.to_text()) == key, "a key is lost"
    assert [key.to_text()] == [line.upper() for line in list_content_lines(text)], (
        "a key has two texts"
    )


def _check_locked(text: str) -> None:
    try:
        derivation = KeyDerivation.from_text(list_content_lines(text)[0])
        if derivation.memory > _MAX_MEMORY or derivation.iterations > _MAX_PASSES:
            return
    except (SudokucryptError, IndexError):
        derivation = None
    try:
        key = unlock(text, PASSPHRASE)
    except SudokucryptError:
        return
    assert is_locked(text), "a key that is not locked was unlocked"
    assert key == KEY, "another key was sealed than the one that comes out"
    line, texts = list_content_lines(text)
    assert derivation is not None
    assert derivation.to_text() == line, "a derivation has two texts"
    assert encode_bech32(*decode_bech32(texts)).upper() == texts.upper(), "a seal has two texts"


def _repair_checksum(text: str) -> str:
    """Return the text with a correct checksum, which a fuzzer would never find by chance."""
    prefix_part, separator, data = text.rstrip().rpartition("1")
    prefix = prefix_part[max(prefix_part.rfind("\n"), prefix_part.rfind("\t")) + 1 :]
    groups = [CHARSET.find(symbol) for symbol in data.lower()[:-CHECKSUM_LENGTH]]
    if not separator or not prefix.isascii() or -1 in groups:
        return text
    data_words = encode(prefix.lower(), groups)
    return prefix_part.removesuffix(prefix) + (data_words if data.islower() else data_words.upper())


TARGETS: Final = (Target("key", list_seeds("key"), check),)

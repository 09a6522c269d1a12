"""Key files, locked or not: a key that is read is the key of exactly one text."""

from contextlib import suppress
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.keys import (
    Key,
    KeyDerivation,
    Passphrase,
    PictureKey,
    bech32,
    is_locked,
    read_key,
    unlock,
)
from sudokucrypt.keys.secret import content_lines, derive
from tests.fuzz.oracle import watched
from tests.kit.reference.bech32 import CHARSET, CHECKSUM_LENGTH, encode

TARGET: Final = "key"

_MAX_MEMORY, _MAX_PASSES = 64, 1  # KiB and passes over it: each check stays quick
_KEY = Key(bytes(range(32)))
_PASSPHRASE = Passphrase("fuzz")


def _locked(derivation: KeyDerivation) -> str:
    """What `lock` writes, without its random salt and the time."""
    line = derivation.to_text()
    cipher = ChaCha20Poly1305(derive(derivation.derive(_PASSPHRASE).to_bytes(), "lock"))
    sealed = cipher.encrypt(bytes(12), _KEY.to_bytes(), line.encode())
    return f"# locked\n{line}\n{bech32.encode('sudokucrypt-locked-key-', sealed).upper()}\n"


_LOCKED = _locked(KeyDerivation("scrypt", 2, 1, 1, bytes(16)))
_TEXTS = (
    _KEY.to_text(), _KEY.to_text().lower(),
    f"\ufeff# sudokucrypt key\r\n# key id: {_KEY.id}\r\n\t{_KEY.to_text()} \r\n",
    f"{_KEY.to_text()}\n{_KEY.to_text()}\n", _KEY.to_text().replace("K", "\u212a", 1),
    _LOCKED.replace("KEY", "\u212aEY", 1), PictureKey(bytes(range(32))).to_text(),
    f"# of one picture\n{PictureKey(bytes(32)).to_text().lower()}",
    bech32.encode("sudokucrypt-key-", bytes(31)), bech32.encode("age-secret-key-", bytes(32)),
    _LOCKED, _locked(KeyDerivation("scrypt", 16, 1, 2, b"\xff" * 16)).lower(),
    _LOCKED.replace("scrypt:m=2", "argon2id:m=8"), _LOCKED.replace("m=2,t=1", "m=65536,t=3"), "",
)  # fmt: skip
SEEDS: Final = [text.encode() for text in _TEXTS]


def check(data: bytes) -> None:
    """Read a key file, as it is and with the checksum of its last line put right."""
    text = data.decode("utf-8", "surrogateescape")
    for content in {text, _repaired(text)}:
        with watched():
            _check_key(content)
            _check_locked(content)


def _check_key(text: str) -> None:
    found: list[Key | PictureKey] = []
    for kind in (Key, PictureKey):
        with suppress(SudokucryptError):
            found.append(kind.from_text(text))
    try:
        key = read_key(text)
    except SudokucryptError:
        assert not found, "a key is of no kind"
        return
    assert found == [key], "a key is of two kinds"
    assert not is_locked(text), "a key is locked and not locked"
    assert read_key(key.to_text()) == key, "a key is lost"
    assert [key.to_text()] == [line.upper() for line in content_lines(text)], "a key has two texts"


def _check_locked(text: str) -> None:
    try:
        derivation = KeyDerivation.from_text(content_lines(text)[0])
        if derivation.memory > _MAX_MEMORY or derivation.iterations > _MAX_PASSES:
            return
    except (SudokucryptError, IndexError):
        derivation = None
    try:
        key = unlock(text, _PASSPHRASE)
    except SudokucryptError:
        return
    assert is_locked(text), "a key that is not locked was unlocked"
    assert key == _KEY, "another key was sealed than the one that comes out"
    line, words = content_lines(text)
    assert derivation is not None
    assert derivation.to_text() == line, "a derivation has two texts"
    assert bech32.encode(*bech32.decode(words)).upper() == words.upper(), "a seal has two texts"


def _repaired(text: str) -> str:
    """Return the text with a right checksum, which a fuzzer would never find by chance."""
    head, separator, data = text.rstrip().rpartition("1")
    prefix = head[max(head.rfind("\n"), head.rfind("\t")) + 1 :]
    groups = [CHARSET.find(symbol) for symbol in data.lower()[:-CHECKSUM_LENGTH]]
    if not separator or not prefix.isascii() or -1 in groups:
        return text
    words = encode(prefix.lower(), groups)
    return head.removesuffix(prefix) + (words if data.islower() else words.upper())

"""The generator of the vectors that every reader must accept."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from sudokucrypt import Key, KeyDerivation, Passphrase
from tests.vectors.common import KEY, Case
from tests.vectors.pictures import (
    ARGON2ID,
    CONTEXT,
    KDF_SALT,
    PASSPHRASE,
    SCRYPT,
    Picture,
    context_picture,
    key_case,
    locked_file,
    picture,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

Named = tuple[str, Case]
_DTYPES = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")
_DERIVATIONS = (
    "argon2id:m=8,t=1,p=1",
    "argon2id:m=15,t=2,p=1",
    "argon2id:m=16,t=1,p=2",
    "argon2id:m=31,t=3,p=3",
    "scrypt:m=2,t=1,p=1",
    "scrypt:m=64,t=1,p=3",
)


def _accepted(name: str, whole: Picture, **changes: str | None) -> Named:
    return name, whole.case(**changes) | {"plain": whole.plain.hex()}


def _pictures() -> Iterator[Named]:
    for dtype in (*_DTYPES, "float16", "float32", "float64"):
        yield _accepted(f"encrypted {dtype}", picture(dtype=dtype, shape=(3, 2)))
    for shape in ((1,), (1, 1), (35,), (36,), (37,), (5, 1, 4), (2, 41)):
        name = "x".join(map(str, shape))
        yield _accepted(f"encrypted image of shape {name}", picture(shape=shape))
    for rounds in (1, 255):
        yield _accepted(f"{rounds} rounds", picture(rounds=rounds))
    yield _accepted("encrypted without salt", picture(salt=None))
    scrambled = "scramble-v1"
    yield _accepted("scrambled pixels", picture(scheme=scrambled))
    yield _accepted("scrambled without salt", picture(scheme=scrambled, salt=None))
    yield _accepted("scrambled samples", picture(scheme=scrambled, unit="sample"))
    for size in (1, 2, 65535):
        whole = picture(scheme=scrambled, unit="block", block_size=size)
        yield _accepted(f"scrambled blocks of {size}", whole)


def _passphrases() -> Iterator[Named]:
    for text in _DERIVATIONS:
        yield _accepted(f"passphrase by {text}", picture(kdf=f"{text}:{KDF_SALT}"))
    whole = picture(kdf=SCRYPT)
    decomposed = unicodedata.normalize("NFD", PASSPHRASE)
    yield _accepted("passphrase in form D", whole, passphrase=decomposed)
    derived = KeyDerivation.from_text(SCRYPT).derive(Passphrase(PASSPHRASE)).to_text()
    yield _accepted("the derived key for its passphrase", whole, passphrase=None, key=derived)
    scrambled = picture(scheme="scramble-v1", kdf=ARGON2ID)
    yield _accepted("scrambled under a passphrase", scrambled)


def _contexts() -> Iterator[Named]:
    whole = context_picture()
    yield _accepted("context with header", whole)
    yield _accepted("context without header", whole, header=None)
    decomposed = unicodedata.normalize("NFD", CONTEXT)
    yield _accepted("context in form D", whole, context=decomposed)
    yield _accepted("context with spaces around", picture(context=f" {CONTEXT}\n"))


def _keys() -> Iterator[Named]:
    text = KEY.to_text()
    for name, content in {
        "the text alone": text,
        "lower case": text.lower(),
        "a file with one line": f"{text}\n",
        "comments and empty lines": f"# a key\n\n{text}\n#\n\n",
        "byte order mark": f"\ufeff{text}\n",
        "carriage returns, spaces and tabs": f"# a key\r\n \t{text}\t \r\n",
    }.items():
        yield f"key: {name}", key_case(content) | {"secret": KEY.to_bytes().hex()}
    for byte in (0, 255):
        secret = bytes([byte]) * 32
        yield f"key of bytes {byte}", key_case(Key(secret).to_text()) | {"secret": secret.hex()}


def _locked_keys() -> Iterator[Named]:
    whole = locked_file()
    for name, content in {
        "scrypt": whole,
        "argon2id": locked_file(ARGON2ID),
        "comments and empty lines": "# locked\n\n" + whole.replace("\n", "\n# more\n"),
        "byte order mark": "\ufeff" + whole,
        "carriage returns, spaces and tabs": whole.replace("\n", " \t\r\n\t"),
        "lower case": whole.lower(),
    }.items():
        case = key_case(content, PASSPHRASE) | {"secret": KEY.to_bytes().hex()}
        yield f"locked key: {name}", case


def accept() -> list[Case]:
    """Pictures and keys that every reader must accept."""
    makers = (_pictures, _passphrases, _contexts, _keys, _locked_keys)
    return [{"name": name, **case} for make in makers for name, case in make()]

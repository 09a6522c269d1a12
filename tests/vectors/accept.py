"""The generator of the vectors that every reader must accept: pictures of one image."""

import unicodedata
from collections.abc import Iterator

from sudokucrypt import KeyDerivation, Passphrase
from tests.vectors import cases_headers, cases_lines, cases_opened, cases_texts
from tests.vectors.common import Case, Named
from tests.vectors.images import KDF_SALT
from tests.vectors.pictures import (
    ARGON2ID,
    CONTEXT,
    PASSPHRASE,
    SCRYPT,
    Picture,
    context_picture,
    picture,
)

_SCRAMBLED = "scramble-v1"
_DERIVATIONS = (
    "argon2id:m=8,t=1,p=1", "argon2id:m=15,t=2,p=1", "argon2id:m=16,t=1,p=2",
    "argon2id:m=31,t=3,p=3", "scrypt:m=2,t=1,p=1", "scrypt:m=64,t=1,p=3",
)  # fmt: skip
_TEXTS = {
    "spaces around": " spaces ",
    "letters of compatibility": "\ufb01le \u00b2 \u212b",
    "a letter beyond 16 bits": "\U0001f9e9",
    "line ends": "\n\r\n\u2028",
    "a byte order mark": "\ufeffcaf\u00e9",
}
"""Passphrases and contexts of which nothing is trimmed and nothing is folded."""


def _accepted(name: str, whole: Picture, **changes: str | None) -> Named:
    return name, whole.case(**changes) | {"plain": whole.plain.hex()}


def _pictures() -> Iterator[Named]:
    for rounds in (1, 255):
        yield _accepted(f"{rounds} rounds", picture(rounds=rounds))
    yield _accepted("encrypted with a salt of its own", picture(salt=None))
    yield _accepted("scrambled pixels", picture(scheme=_SCRAMBLED))
    yield _accepted("scrambled with a salt of its own", picture(scheme=_SCRAMBLED, salt=None))
    yield _accepted("scrambled samples", picture(scheme=_SCRAMBLED, unit="sample"))
    for size in (1, 2, 65535):
        whole = picture(scheme=_SCRAMBLED, unit="block", block_size=size)
        yield _accepted(f"scrambled blocks of {size}", whole)


def _picture_keys() -> Iterator[Named]:
    for name, whole in {
        "encrypted": picture(),
        "scrambled": picture(scheme=_SCRAMBLED),
        "scrambled blocks": picture(scheme=_SCRAMBLED, unit="block", block_size=2),
        "a salt of its own": picture(salt=None),
        "under a passphrase": picture(kdf=SCRYPT),
    }.items():
        own = {"key": None, "passphrase": None, "picture_key": whole.own_key()}
        yield _accepted(f"picture key: {name}", whole, **own)
    own = {"key": None, "picture_key": picture().own_key().lower()}
    yield _accepted("picture key in lower case", picture(), **own)


def _passphrases() -> Iterator[Named]:
    for text in _DERIVATIONS:
        yield _accepted(f"passphrase by {text}", picture(kdf=f"{text}:{KDF_SALT}"))
    whole = picture(kdf=SCRYPT)
    decomposed = unicodedata.normalize("NFD", PASSPHRASE)
    yield _accepted("passphrase in form D", whole, passphrase=decomposed)
    derived = KeyDerivation.from_text(SCRYPT).derive(Passphrase(PASSPHRASE)).to_text()
    yield _accepted("the derived key for its passphrase", whole, passphrase=None, key=derived)
    scrambled = picture(scheme=_SCRAMBLED, kdf=ARGON2ID)
    yield _accepted("scrambled under a passphrase", scrambled)
    for name, text in _TEXTS.items():
        yield _accepted(f"passphrase: {name}", picture(kdf=SCRYPT, passphrase=text))


def _contexts() -> Iterator[Named]:
    whole = context_picture()
    yield _accepted("context with header", whole)
    yield _accepted("context without header", whole, header=None)
    decomposed = unicodedata.normalize("NFD", CONTEXT)
    yield _accepted("context in form D", whole, context=decomposed)
    yield _accepted("context with spaces around", picture(context=f" {CONTEXT}\n"))
    for name, text in {**_TEXTS, "a zero": "a\0"}.items():
        yield _accepted(f"context: {name}", picture(context=text))
        yield _accepted(f"context without header: {name}", picture(context=text), header=None)


def accept() -> list[Case]:
    """Pictures, keys, headers, descriptions and derivations that every reader must accept."""
    makers = (_pictures, _picture_keys, _passphrases, _contexts)
    own = [{"name": name, **case} for make in makers for name, case in make()]
    rooms = (cases_opened, cases_texts, cases_headers, cases_lines)
    return [*own, *(case for room in rooms for case in room.accepted())]

"""Encryption, section 4: keys from passphrases.

References
----------
RFC 7914, https://www.rfc-editor.org/rfc/rfc7914
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from tests.kit.reference import RefusedError
from tests.kit.reference.argon2 import argon2id

KEY_BYTES = 32
ARGON2ID = "argon2id"
SCRYPT = "scrypt"
SCRYPT_BLOCK_SIZE = 8
SCRYPT_MEMORY = 2**31 - 1
MAX_MEMORY = 4194304
MAX_PASSES = 64
MAX_PARALLEL = 64
_READABLE = re.compile("[a-z0-9]{1,32}:[a-z0-9=,]{1,64}:[0-9a-f]{32}")
_NUMBER = "([1-9][0-9]*)"
_FORM = re.compile(f"(argon2id|scrypt):m={_NUMBER},t={_NUMBER},p={_NUMBER}:([0-9a-f]{{32}})")


@dataclass(frozen=True)
class Derivation:
    """A key derivation with its numbers and its salt of 16 bytes."""

    function: str
    memory: int
    passes: int
    parallel: int
    salt: bytes


def is_readable(text: object) -> bool:
    """Whether a reader of headers accepts `text` as the field `kdf`."""
    return type(text) is str and _READABLE.fullmatch(text) is not None


def parse(text: str) -> Derivation:
    """The derivation that `text` names; refused outside of the limits."""
    match = _FORM.fullmatch(text) if is_readable(text) else None
    if match is None:
        raise RefusedError("key derivation: another function or form")
    function, memory, passes, parallel, salt = match.groups()
    costs = int(memory), int(passes), int(parallel)
    derivation = Derivation(function, *costs, salt=bytes.fromhex(salt))
    _check_limits(derivation)
    return derivation


def _check_limits(d: Derivation) -> None:
    if d.memory > MAX_MEMORY or d.passes > MAX_PASSES or d.parallel > MAX_PARALLEL:
        raise RefusedError("key derivation: too much memory, passes or lanes")
    if d.function == ARGON2ID and d.memory < 8 * d.parallel:
        raise RefusedError("key derivation: less than 8 KiB for a lane")
    if d.function == SCRYPT and (d.memory < 2 or d.memory & (d.memory - 1) or d.passes != 1):
        raise RefusedError("key derivation: a cost that is no power of two, or passes")


def passphrase_bytes(passphrase: str) -> bytes:
    """The passphrase in form C, as UTF-8."""
    if not passphrase:
        raise RefusedError("the passphrase is empty")
    if "\0" in passphrase:
        raise RefusedError("the passphrase has the character U+0000")
    try:
        return unicodedata.normalize("NFC", passphrase).encode("utf-8")
    except UnicodeEncodeError as error:
        raise RefusedError("the passphrase is not Unicode text") from error


def derive(passphrase: str, text: str) -> bytes:
    """Key of 32 bytes that the derivation `text` makes of the passphrase."""
    return derive_from(passphrase_bytes(passphrase), text)


def derive_from(secret: bytes, text: str) -> bytes:
    """Key of 32 bytes that the derivation `text` makes of the bytes of a passphrase."""
    d = parse(text)
    if d.function == SCRYPT:
        return hashlib.scrypt(
            secret,
            salt=d.salt,
            n=d.memory,
            r=SCRYPT_BLOCK_SIZE,
            p=d.parallel,
            maxmem=SCRYPT_MEMORY,
            dklen=KEY_BYTES,
        )
    return argon2id(
        secret,
        salt=d.salt,
        memory=d.memory,
        passes=d.passes,
        parallel=d.parallel,
        length=KEY_BYTES,
    )

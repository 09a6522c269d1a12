"""Texts of keys: Bech32 (BIP 173), what key files hold, and what is wrong with others.

In keys that people typed, letters that look alike are read, and a mistake is located.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from sudokucrypt.errors import InvalidKeyError, MissingKeyError, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# Digits and letters without 1, b, i and o, in an order in which characters that look alike differ
# in one bit (BIP 173).
ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
# The generator of a BCH code, times x^0 to x^4: it finds any four wrong characters (BIP 173).
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
# 30 bits: a text with random errors passes once in a thousand million times.
_CHECKSUM_LENGTH = 6


def encode_bech32(prefix: str, payload: bytes) -> str:
    """Return `payload` as lower-case Bech32 text under a lower-case `prefix`."""
    values = _regroup(payload, 8, 5, pad=True)
    remainder = _polymod([*_prefix_values(prefix), *values, *[0] * _CHECKSUM_LENGTH]) ^ 1
    shifts = range(5 * (_CHECKSUM_LENGTH - 1), -1, -5)
    checksum = [(remainder >> shift) & 31 for shift in shifts]
    return f"{prefix}1" + "".join(ALPHABET[value] for value in [*values, *checksum])


def decode_bech32(text: str) -> tuple[str, bytes]:
    """Return the prefix in lower case and the payload.

    Raises `ValueError` if the text mixes cases, holds a foreign character, or fails its checksum or
    padding. The message never repeats the text.
    """
    # Other alphabets have letters whose lower case is in ours, such as the Kelvin sign.
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise ValueError("a character is not allowed")
    if text not in (text.lower(), text.upper()):
        raise ValueError("upper and lower case are mixed")
    prefix, separator, data = text.lower().rpartition("1")
    if not separator or not prefix or len(data) < _CHECKSUM_LENGTH:
        raise ValueError("the text is cut short")
    if not set(data) <= set(ALPHABET):
        raise ValueError("a character is not allowed")
    values = list(map(ALPHABET.index, data))
    if _polymod([*_prefix_values(prefix), *values]) != 1:
        raise ValueError("the checksum does not match")
    return prefix, bytes(_regroup(values[:-_CHECKSUM_LENGTH], 5, 8, pad=False))


@lru_cache(maxsize=8)
def _prefix_values(prefix: str) -> list[int]:
    # BIP 173: high bits, a zero and low bits, so that all numbers have five bits.
    codes = prefix.encode("ascii")
    return [*[code >> 5 for code in codes], 0, *[code & 31 for code in codes]]


def _polymod(values: Iterable[int]) -> int:
    # Polynomial division over GF(32): `check` holds the six coefficients of the remainder.
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_GENERATORS):
            if top >> bit & 1:
                check ^= generator
    return check


def _regroup(values: Iterable[int], source: int, target: int, *, pad: bool) -> list[int]:
    """Regroup a sequence of `source`-bit numbers into `target`-bit ones."""
    accumulator = bits = 0
    groups = []
    for value in values:
        accumulator = accumulator << source | value
        bits += source
        while bits >= target:
            bits -= target
            groups.append(accumulator >> bits)
            accumulator &= (1 << bits) - 1
    if pad and bits:
        groups.append(accumulator << (target - bits))
    elif not pad and (bits >= source or accumulator):
        raise ValueError("the padding is not zero")
    return groups


KEY_FILE_LIMIT = 64 * 1024
"""Most bytes of a key file: a hundred times what comments and a key take."""

USE_COPY = "use your copy of it; a new key does not restore pictures"

# What the identities of age begin with, of whatever kind; and all texts of keys.
IDENTITY_PREFIX = "age-secret-key-"
_STARTS = ("sudokucrypt-", IDENTITY_PREFIX)

# Shares of a key, and what of them is public.
SHARE_PREFIX = "sudokucrypt-key-share-"
LABEL_PREFIX = "sudokucrypt-share-label-"

# What keys of SSH begin with.
SSH_STARTS = ("ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-")

# What the first line of a locked key begins with.
_DERIVATIONS = ("argon2id:", "scrypt:")


def decode_key(text: str, needed: str, length: int) -> tuple[str, bytes]:
    """Return prefix and secret of the one key in a text, whose secret has `length` bytes.

    Messages about other texts say that a key starts with the `needed` prefix.
    """
    lines = content_lines(text)
    if _are_locked(lines):
        refuse_key("it is locked with a passphrase", hint="sudokucrypt.keys.unlock opens it")
    if lines and lines[0].startswith(("-----BEGIN ", *SSH_STARTS)):
        refuse_key(
            "SSH and PEM keys are not taken",
            hint="use a Key, or an Identity of age",
            hint_key="no_ssh_key",
        )
    if len(lines) != 1:
        refuse_key("there must be exactly one key, and nothing else but comments")
    if lines[0].lower().startswith(SHARE_PREFIX):
        refuse_key(
            "it is a share of a key", hint="sudokucrypt.keys.join_key joins it", hint_key="join"
        )
    if not lines[0].lower().startswith(_STARTS):
        refuse_key(f"a key starts with {needed.upper()}1")
    try:
        prefix, secret = decode_bech32(lines[0])
    except ValueError as error:
        refuse_key(str(error), what="a damaged", hint=USE_COPY)
    if len(secret) != length:
        refuse_key("its length is wrong", hint=USE_COPY)
    return prefix, secret


def read_key_file(path: str | os.PathLike[str]) -> str:
    """Return the text in a key file; `InvalidKeyError` if it cannot be read or is no text."""
    from sudokucrypt.storage import read_limited

    if not isinstance(path, str | os.PathLike):
        raise InvalidKeyError(
            f"a key file is named by its path, not by a {type(path).__name__}",
            hint="from_text reads the text of a key",
        )
    try:
        data = read_limited(Path(path), KEY_FILE_LIMIT)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise InvalidKeyError(
                f"'{path}' is no key file: it is too large", hint_key="keygen"
            ) from None
        kind = MissingKeyError if isinstance(error, FileNotFoundError) else InvalidKeyError
        raise kind(f"cannot read the key file '{path}': {reason_of(error)}") from None
    with error_context(f"'{path}'"):
        return decode_key_file(data)


def content_lines(text: str) -> list[str]:
    """Return the lines of a key file that are neither empty nor comments."""
    lines = text.removeprefix("\ufeff").split("\n")
    return [kept for line in lines if (kept := line.strip(" \t\r")) and kept[0] != "#"]


def is_locked(text: str) -> bool:
    """Return whether the content of a key file needs a passphrase."""
    return _are_locked(content_lines(text))


def _are_locked(lines: list[str]) -> bool:
    return len(lines) == 2 and lines[1].lower().startswith("sudokucrypt-locked-")


def key_texts(text: str) -> list[str]:
    """Return the keys in what somebody typed or stored, each in the form that `read_key` takes.

    A key may span several lines, and in groups with blanks between, as on its card. A locked
    one begins with the line of its derivation.
    """
    keys: list[str] = []
    for line in content_lines(text):
        joined = "".join(line.split())
        before = keys[-1] if keys else ""
        if joined.lower().startswith(_STARTS):
            if before.startswith(_DERIVATIONS) and "\n" not in before:
                keys[-1] += f"\n{joined}"
            else:
                keys.append(joined)
        elif line.startswith(_DERIVATIONS) or not before:
            keys.append(line)
        else:
            keys[-1] += joined
    return keys


def decode_key_file(data: bytes) -> str:
    """Return the text of a key file; `InvalidKeyError` if it is not UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # as shells of Windows write
        refuse_key("it is UTF-16 text", hint="save the file as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        refuse_key("it is not text")


def refuse_key(
    reason: str,
    *,
    what: str = "not a",
    noun: str = "key",
    hint: str | None = None,
    hint_key: str | None = None,
) -> NoReturn:
    """Raise `InvalidKeyError` for a text that is not the `noun` that is needed."""
    raise InvalidKeyError(
        f"{what} sudokucrypt {noun}: {reason}",
        hint=hint or "Key.generate makes a key",
        hint_key=hint_key if hint else "keygen",
    ) from None


@contextmanager
def error_context(origin: str | None) -> Iterator[str | None]:
    """Put before errors what is no key, as messages call it: ``'my.key'`` with its quotes."""
    try:
        yield origin
    except InvalidKeyError as error:
        if origin is None:
            raise
        raise InvalidKeyError(
            f"{origin} is {error}", hint=error.hint, hint_key=error.hint_key
        ) from None


_START = re.compile(r"(?:sudokucrypt-(?:[a-z]+-)*|age-secret-key-(?:pq-)?)[1il]", re.I)
# No key has these letters after its prefix.
_LOOK_ALIKE = str.maketrans("oib1", "0l8l")
_USUAL = 58  # characters after the prefix of every key but a locked one
_MOST_TRIED = 8  # keys of a file that are searched for a mistake, each for a third of a second
_LENGTHS = {SHARE_PREFIX: 88, LABEL_PREFIX: 37}  # of shares


def normalize(text: str) -> str:
    """Return a key text with letters of one case, and with those that were meant.

    Behind the prefix, `O` is read as the digit 0, `I` and the digit 1 as `L`, and `B` as 8.
    A text that does not begin as a key does is returned as it is.
    """
    lower = text.lower()
    start = _START.match(lower)
    if start is None or not lower.isascii():
        return text
    return f"{start[0][:-1]}1{lower[start.end() :].translate(_LOOK_ALIKE)}"


def require_no_mistake(text: str) -> None:
    """Raise `InvalidKeyError` where one mistake makes a key file unreadable, and say where it is.

    The error names line and character, and never repeats the text. A file with another fault, or
    with none, passes.
    """
    if is_locked(text):
        return
    typed, tried = _places(text), 0
    for key in key_texts(text):
        places = [next(typed, (0, 0)) for _ in key]
        key_text = normalize(key)
        start = _START.match(key_text)
        if start is None or _is_valid(key_text):
            continue
        if (tried := tried + 1) > _MOST_TRIED:
            return
        index, what = _find_mistake(key_text, start.end())
        if what:
            share = key_text.startswith((SHARE_PREFIX, LABEL_PREFIX))
            line, column = places[min(index, len(places) - 1)]
            where = f"character {column} of line {line}"
            refuse_key(
                what.format(where),
                what="a damaged",
                noun="key share" if share else "key",
                hint="compare it with the share" if share else USE_COPY,
            )


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield line and column, from 1, of each character of the keys in a file."""
    kept = set(content_lines(text))
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip(" \t\r") in kept:
            yield from (
                (number, column) for column, letter in enumerate(line, 1) if not letter.isspace()
            )


def _find_mistake(text: str, first: int) -> tuple[int, str]:
    """Return where the one mistake in a key is, and what is said of it; nothing if unknown.

    The characters of `text` from `first` on are tried. The checksum tells all single mistakes
    apart, so the one that makes it right is the one that was made.
    """
    for index in range(first, len(text)):
        if text[index] not in ALPHABET:
            return index, "{} is not allowed"
    for index, what, corrected in _corrections(text, first):
        if _is_valid(corrected):
            return index, what
    return 0, ""


def _corrections(text: str, first: int) -> Iterator[tuple[int, str, str]]:
    """Yield places, names and corrections of the mistakes that give a text its length."""
    length, usual = len(text) - first, _LENGTHS.get(text[: first - 1], _USUAL)
    if abs(length - usual) > 1:
        return
    for index in range(first, len(text)):
        before, letter, after = text[:index], text[index], text[index + 1 :]
        if length == usual and index > first:
            exchanged = before[:-1] + letter + before[-1] + after
            yield index, "{} and the one before it are exchanged", exchanged
        if length == usual + 1:
            yield index, "{} is one too many", before + after
        for other in ALPHABET:
            if length == usual:
                yield index, "{} is wrong", before + other + after
            elif length == usual - 1:
                yield index, "a character is missing before {}", before + other + letter + after


def _is_valid(text: str) -> bool:
    try:
        decode_bech32(text)
    except ValueError:
        return False
    return True

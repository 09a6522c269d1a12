"""Texts of keys: Bech32 (BIP 173), key files, and their errors.

In typed keys, similar letters are corrected, and a single mistake is located.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from sudokucrypt.errors import InvalidKeyError, MissingKeyError, format_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# Digits and letters except 1, b, i and o. Their order makes similar characters differ in only one
# bit (BIP 173).
BECH32_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
# The generator of a BCH code, times x^0 to x^4; it detects up to four wrong characters (BIP 173).
_BECH32_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
# 30 bits, so that a text with random errors passes with a chance of 10**-9.
_CHECKSUM_LENGTH = 6


def encode_bech32(prefix: str, payload: bytes) -> str:
    """Return `payload` as lower-case Bech32 text under a lower-case `prefix`."""
    values = _regroup_bits(payload, 8, 5, with_padding=True)
    remainder = _compute_polymod([*_expand_prefix(prefix), *values, *[0] * _CHECKSUM_LENGTH]) ^ 1
    shifts = range(5 * (_CHECKSUM_LENGTH - 1), -1, -5)
    checksum = [(remainder >> shift) & 31 for shift in shifts]
    return f"{prefix}1" + "".join(BECH32_ALPHABET[value] for value in [*values, *checksum])


def decode_bech32(text: str) -> tuple[str, bytes]:
    """Return the prefix in lower case and the payload.

    Raises `ValueError` if the text mixes cases, or has a foreign character, a wrong checksum or
    wrong padding. The message never repeats the text.
    """
    # Some characters outside ASCII, such as the Kelvin sign, have an ASCII lower case.
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise ValueError("a character is not allowed")
    if text not in (text.lower(), text.upper()):
        raise ValueError("upper and lower case are mixed")
    prefix, separator, data = text.lower().rpartition("1")
    if not separator or not prefix or len(data) < _CHECKSUM_LENGTH:
        raise ValueError("the text is cut short")
    if not set(data) <= set(BECH32_ALPHABET):
        raise ValueError("a character is not allowed")
    values = list(map(BECH32_ALPHABET.index, data))
    if _compute_polymod([*_expand_prefix(prefix), *values]) != 1:
        raise ValueError("the checksum does not match")
    return prefix, bytes(_regroup_bits(values[:-_CHECKSUM_LENGTH], 5, 8, with_padding=False))


@lru_cache(maxsize=8)
def _expand_prefix(prefix: str) -> list[int]:
    # BIP 173: the high bits of all characters, a zero, and the low bits of all characters, so that
    # no number has more than five bits.
    codes = prefix.encode("ascii")
    return [*[code >> 5 for code in codes], 0, *[code & 31 for code in codes]]


def _compute_polymod(values: Iterable[int]) -> int:
    # Polynomial division over GF(32): `checksum` holds the six coefficients of the remainder.
    checksum = 1
    for value in values:
        high_bits = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_BECH32_GENERATORS):
            if high_bits >> bit & 1:
                checksum ^= generator
    return checksum


def _regroup_bits(
    values: Iterable[int], source: int, target: int, *, with_padding: bool
) -> list[int]:
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
    if with_padding and bits:
        groups.append(accumulator << (target - bits))
    elif not with_padding and (bits >= source or accumulator):
        raise ValueError("the padding is not zero")
    return groups


MAX_KEY_FILE_BYTES = 64 * 1024
"""Most bytes of a key file: a hundred times what comments and a key take."""

COPY_HINT = "use your copy of it; a new key does not restore pictures"

# The first letters of age identities of any kind, and of the texts of all keys.
IDENTITY_PREFIX = "age-secret-key-"
_KEY_STARTS = ("sudokucrypt-", IDENTITY_PREFIX)

# The start of shares of a key, and of their public labels.
SHARE_PREFIX = "sudokucrypt-key-share-"
LABEL_PREFIX = "sudokucrypt-share-label-"

# The start of keys of SSH.
SSH_STARTS = ("ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-")

# The start of the first line of a locked key.
_DERIVATION_STARTS = ("argon2id:", "scrypt:")


def decode_key(text: str, needed_prefix: str, length: int) -> tuple[str, bytes]:
    """Return prefix and secret of the only key in a text; the secret must have `length` bytes.

    Raises `InvalidKeyError` for other texts; its message says that a key starts with the prefix
    `needed_prefix`.
    """
    lines = list_content_lines(text)
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
    if not lines[0].lower().startswith(_KEY_STARTS):
        refuse_key(f"a key starts with {needed_prefix.upper()}1")
    try:
        prefix, secret = decode_bech32(lines[0])
    except ValueError as error:
        refuse_key(str(error), beginning="a damaged", hint=COPY_HINT)
    if len(secret) != length:
        refuse_key("its length is wrong", hint=COPY_HINT)
    return prefix, secret


def read_key_file(path: str | os.PathLike[str]) -> str:
    """Return the text of a key file; `InvalidKeyError` if it cannot be read or is not UTF-8."""
    from sudokucrypt.storage import read_limited_file

    if not isinstance(path, str | os.PathLike):
        raise InvalidKeyError(
            f"a key file is named by its path, not by a {type(path).__name__}",
            hint="from_text reads the text of a key",
        )
    try:
        data = read_limited_file(Path(path), MAX_KEY_FILE_BYTES)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise InvalidKeyError(
                f"'{path}' is no key file: it is too large", hint_key="keygen"
            ) from None
        message = f"cannot read the key file '{path}': {format_reason(error)}"
        if isinstance(error, FileNotFoundError):
            raise MissingKeyError(message, hint_key="keygen") from None
        raise InvalidKeyError(message) from None
    with add_origin_to_errors(f"'{path}'"):
        return decode_key_file(data)


def list_content_lines(text: str) -> list[str]:
    """Return the lines of a key file that are neither empty nor comments."""
    lines = text.removeprefix("\ufeff").split("\n")
    return [content for line in lines if (content := line.strip(" \t\r")) and content[0] != "#"]


def is_locked(text: str) -> bool:
    """Return whether the content of a key file needs a passphrase."""
    return _are_locked(list_content_lines(text))


def _are_locked(lines: list[str]) -> bool:
    return len(lines) == 2 and lines[1].lower().startswith("sudokucrypt-locked-")


def split_key_texts(text: str) -> list[str]:
    """Split a typed or stored text into its keys, each in the form that `read_key` takes.

    A key may have several lines and groups with blanks, as on a key card. A locked key begins with
    the line of its derivation.
    """
    keys: list[str] = []
    for line in list_content_lines(text):
        line_without_blanks = "".join(line.split())
        last_key = keys[-1] if keys else ""
        if line_without_blanks.lower().startswith(_KEY_STARTS):
            if last_key.startswith(_DERIVATION_STARTS) and "\n" not in last_key:
                keys[-1] += f"\n{line_without_blanks}"
            else:
                keys.append(line_without_blanks)
        elif line.startswith(_DERIVATION_STARTS) or not last_key:
            keys.append(line)
        else:
            keys[-1] += line_without_blanks
    return keys


def decode_key_file(data: bytes) -> str:
    """Return the text of a key file; `InvalidKeyError` if it is not UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # written by Windows shells
        refuse_key("it is UTF-16 text", hint="save the file as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        refuse_key("it is not text")


def refuse_key(
    reason: str,
    *,
    beginning: str = "not a",
    noun: str = "key",
    hint: str | None = None,
    hint_key: str | None = None,
) -> NoReturn:
    """Raise `InvalidKeyError` with the message `beginning` sudokucrypt `noun`: `reason`."""
    raise InvalidKeyError(
        f"{beginning} sudokucrypt {noun}: {reason}",
        hint=hint or "Key.generate makes a key",
        hint_key=hint_key if hint else "keygen",
    ) from None


@contextmanager
def add_origin_to_errors(origin: str | None) -> Iterator[str | None]:
    """Prepend the origin of a text, such as ``'my.key'``, to messages of `InvalidKeyError`."""
    try:
        yield origin
    except InvalidKeyError as error:
        if origin is None:
            raise
        raise InvalidKeyError(
            f"{origin} is {error}", hint=error.hint, hint_key=error.hint_key
        ) from None


_KEY_START = re.compile(r"(?:sudokucrypt-(?:[a-z]+-)*|age-secret-key-(?:pq-)?)[1il]", re.I)
# Letters that no key contains after its prefix, and the similar characters for which people
# mistake them.
_SIMILAR_LETTERS = str.maketrans("oib1", "0l8l")
_KEY_TEXT_LENGTH = 58  # characters after the prefix, for all keys except locked ones
_OTHER_TEXT_LENGTHS = {SHARE_PREFIX: 88, LABEL_PREFIX: 37}
# The maximum number of keys of a file that are searched for a mistake: each search takes a third
# of a second.
_MAX_SEARCHES = 8


def normalize_key_text(text: str) -> str:
    """Return a key text in lower case, after correcting letters that look like others.

    After the prefix, "O" becomes the digit 0, "I" and the digit 1 become "L", and "B" becomes 8.
    A text that does not begin like a key is returned unchanged.
    """
    lower_text = text.lower()
    key_start = _KEY_START.match(lower_text)
    if key_start is None or not lower_text.isascii():
        return text
    return f"{key_start[0][:-1]}1{lower_text[key_start.end() :].translate(_SIMILAR_LETTERS)}"


def require_no_mistake(text: str) -> None:
    """Raise `InvalidKeyError` if a single wrong character makes a key in a text unreadable.

    The error names line and character, and never repeats the text. A text with another fault, or
    with none, passes.
    """
    if is_locked(text):
        return
    position_iterator, search_count = _iterate_letter_positions(text), 0
    for key in split_key_texts(text):
        # Blanks and line ends are not counted: a locked key contains a line feed, and a text that
        # is no key may contain blanks.
        letter_count = sum(not letter.isspace() for letter in key)
        letter_positions = list(islice(position_iterator, letter_count))
        key_text = normalize_key_text(key)
        key_start = _KEY_START.match(key_text)
        if key_start is None or _is_valid_bech32(key_text):
            continue
        if (search_count := search_count + 1) > _MAX_SEARCHES:
            return
        index, mistake_description = _find_mistake(key_text, key_start.end())
        if mistake_description:
            is_share = key_text.startswith((SHARE_PREFIX, LABEL_PREFIX))
            line, column = letter_positions[index]
            refuse_key(
                mistake_description.format(f"character {column} of line {line}"),
                beginning="a damaged",
                noun="key share" if is_share else "key",
                hint="compare it with the share" if is_share else COPY_HINT,
            )


def _iterate_letter_positions(text: str) -> Iterator[tuple[int, int]]:
    """Yield line and column, from 1, of each character of the keys in a file."""
    content = set(list_content_lines(text))
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip(" \t\r") in content:
            yield from (
                (number, column) for column, letter in enumerate(line, 1) if not letter.isspace()
            )


def _find_mistake(text: str, first_index: int) -> tuple[int, str]:
    """Return index and description of the single mistake in a key, or 0 and "" if unknown.

    Mistakes in the characters of `text` from index `first_index` on are tried. The checksum of
    single mistakes differs, so the mistake whose correction is valid is the right one.
    """
    for index in range(first_index, len(text)):
        if text[index] not in BECH32_ALPHABET:
            return index, "{} is not allowed"
    for index, mistake_description, corrected_text in _iterate_corrections(text, first_index):
        if _is_valid_bech32(corrected_text):
            return index, mistake_description
    return 0, ""


def _iterate_corrections(text: str, first_index: int) -> Iterator[tuple[int, str, str]]:
    """Yield index, description and corrected text of each mistake that the length allows."""
    length = len(text) - first_index
    expected_length = _OTHER_TEXT_LENGTHS.get(text[: first_index - 1], _KEY_TEXT_LENGTH)
    if abs(length - expected_length) > 1:
        return
    for index in range(first_index, len(text)):
        text_before, letter, text_after = text[:index], text[index], text[index + 1 :]
        if length == expected_length and index > first_index:
            exchanged_text = text_before[:-1] + letter + text_before[-1] + text_after
            yield index, "{} and the one before it are exchanged", exchanged_text
        if length == expected_length + 1:
            yield index, "{} is one too many", text_before + text_after
        for substitute_letter in BECH32_ALPHABET:
            if length == expected_length:
                yield index, "{} is wrong", text_before + substitute_letter + text_after
            elif length == expected_length - 1:
                completed_text = text_before + substitute_letter + letter + text_after
                yield index, "a character is missing before {}", completed_text


def _is_valid_bech32(text: str) -> bool:
    try:
        decode_bech32(text)
    except ValueError:
        return False
    return True

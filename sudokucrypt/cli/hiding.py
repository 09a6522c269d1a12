"""No message repeats a key or passphrase that was typed in the wrong place.

A key is recognized by its form. A passphrase can be anything: so arguments are repeated only if
they are values of options that have nothing to do with secrets, name a file, look like one, or are
short numbers; any other is called by its position.
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_KEY = re.compile(r"(?:sudokucrypt|age)-(?:[a-z]+-)+1[0-9a-z]+", re.I)
# The end of a key whose beginning was lost; recipients, which are public, begin with age1.
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_MIXED = r"(?=(?:[a-z]*\d){3})(?=(?:\d*[a-z]){3})"  # digits and letters, unlike words
_TAIL = re.compile(
    rf"(?<!age1)(?<!age1pq1)(?<![0-9a-z]){_MIXED}[{_BECH32}]{{40,}}(?![0-9a-z])", re.I
)
_SUFFIXES = """
    age apng avif bin bmp csv gif gz heic heif htm html icc ico jp2 jpeg jpg json jsonl jxl key link
    md mov mp4 npy opensudoku pdf pgm png pnm ppm psd puzzle py qoi sdk sdm svg tar tex tga tif tiff
    txt webp zip
"""
_FILE = re.compile(
    rf"(?:\.{{0,2}}/|~|[a-z][a-z0-9+]*://)\S*|.*\.(?:{'|'.join(_SUFFIXES.split())})", re.I
)
_NUMBERS = re.compile(r"[-+\d.,:x%]{1,24}")
_SECRET = re.compile(r"-[ki]|--(?:new-)?(?:key|pass|identity|to\b|words|max-derivation).*")
_misspelled: set[str] = set()
_ordinary: set[str] = set()
_VARIABLES = ("SUDOKUCRYPT_KEY_FILE", "SUDOKUCRYPT_KEY", "SUDOKUCRYPT_PASSPHRASE")


def hide_secrets(text: str) -> str:
    """Return a message without keys, and without arguments that may be a passphrase."""
    text = _TAIL.sub("[key]", _KEY.sub("[key]", text))
    variables = tuple(os.environ.get(name, "") for name in _VARIABLES)
    for argument, name in _candidates(tuple(sys.argv), variables, frozenset(_ordinary)):
        # By now it may be a file, such as the output, or known as misspelled.
        if argument in text and not is_harmless(argument):
            for quoted in (f"'{argument}'", repr(argument), f'"{argument}"', f"({argument})"):
                text = text.replace(quoted, name)
    return text


def is_harmless(argument: str) -> bool:
    """Return whether messages may repeat an argument: a file, what looks like one, or a number."""
    looks_so = _FILE.fullmatch(argument) or _NUMBERS.fullmatch(argument)
    folder, slash, _ = argument.partition("/")
    in_folder = bool(slash) and os.path.isdir(folder)
    return bool(looks_so) or in_folder or argument in _misspelled or os.path.lexists(argument)


def allow(word: str) -> str:
    """Let messages repeat a word that is a command, or nearly an option or a choice; return it."""
    _misspelled.add(word)
    return word


def know_options(forms: Iterable[str]) -> None:
    """Let messages repeat the values of these options of the command, except those for secrets."""
    _ordinary.clear()
    _ordinary.update([form for form in forms if not _SECRET.fullmatch(form)])


def position_of(argument: str) -> str:
    """Return what messages call an argument that they do not repeat."""
    return f"(argument {sys.argv.index(argument)})" if argument in sys.argv else "(an argument)"


@lru_cache(maxsize=4)
def _candidates(
    arguments: tuple[str, ...], variables: tuple[str, ...], ordinary: frozenset[str]
) -> tuple[tuple[str, str], ...]:
    """Return the arguments, and values of options and variables, that no message may repeat."""
    words = list(enumerate(arguments))[1:]
    named = [
        (text, f"(argument {index})")
        for index, text in words
        if not text.startswith("-") and arguments[index - 1] not in ordinary
    ]
    values = [
        (text.partition("=")[2] if text.startswith("--") else text[2:], f"(in argument {index})")
        for index, text in words
        if text.startswith("-") and ordinary.isdisjoint({text[:2], text.partition("=")[0]})
    ]
    pairs = zip(variables, _VARIABLES, strict=True)
    held = [(text, f"(the value of {name})") for text, name in pairs]
    every = [(text, name) for text, name in [*named, *values, *held] if text]
    return tuple((text, name) for text, name in every if not is_harmless(text))

"""Warnings of passphrases that are soon guessed."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from sudokucrypt.cli.messages import say
from sudokucrypt.keys import words_to_draw

if TYPE_CHECKING:
    from sudokucrypt.keys import Passphrase

# Anyone who has a file guesses without limit. At 10,000 guesses a second, each with 256 MiB of
# memory,
# 8 random lower-case letters last 8 months, and 12 last 300,000 years; what people think of does
# not last as long.
_ENOUGH = 12

# Rows of keys, and the alphabet.
_RUNS = (
    "1234567890" * 3,
    "0987654321" * 3,
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
)
# Digits and signs that people type for letters.
_LEET = str.maketrans("013457@$!|89", "oieastasilbg")
_MOST_WORDS = 2  # two of 10,000 words and some digits are guessed in hours, three in months


def warn_if_guessable(passphrase: Passphrase) -> None:
    """Warn of a passphrase that is short or common, before something is protected with it."""
    text = passphrase.to_bytes().decode()
    if len(text) < _ENOUGH:
        plural = "" if len(text) == 1 else "s"
        say("warning", f"the passphrase has only {len(text)} character{plural} and can be guessed")
    elif is_common(text):
        say("warning", "the passphrase is a common one and can be guessed")
    else:
        return
    say("hint", "'sudokucrypt keygen --words 6' makes one that nobody guesses")


def is_common(text: str) -> bool:
    """Return whether a passphrase is one that programs try early.

    That is one or two common words, or a word again and again, with capitals, digits and signs
    between and around them and for letters; a run of keys; or hardly any different characters.
    """
    folded = text.casefold()
    inner = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", folded)
    readings = {re.sub(r"[\W\d_]+", "", part) for part in (folded, inner.translate(_LEET))}
    return (
        len(set(text)) < 5
        or any(folded in run for run in _RUNS)
        or any(_are_words(reading, _MOST_WORDS) for reading in readings if reading)
    )


def _are_words(letters: str, most: int) -> bool:
    """Return whether a text is a common word, repeated or followed by others, `most` in all."""
    period = (letters * 2).find(letters, 1)  # "testtest" is "test" again and again
    if letters[:period] in load_common_words():
        return True
    starts = range(3, len(letters) - 2) if most > 1 else ()
    return any(
        letters[:end] in load_common_words() and _are_words(letters[end:], most - 1)
        for end in starts
    )


@cache
def load_common_words() -> frozenset[str]:
    """Return 10,000 words that passphrases are often made of, folded to letters."""
    lines = files("sudokucrypt.cli.keys").joinpath("common.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#")).union(words_to_draw())

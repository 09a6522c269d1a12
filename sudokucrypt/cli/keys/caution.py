"""Warnings about passphrases that are easy to guess."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from sudokucrypt.cli.messages import say
from sudokucrypt.keys import list_words

if TYPE_CHECKING:
    from sudokucrypt.keys import Passphrase

# A passphrase of fewer characters is too short. An attacker who has a file can guess without
# limit: at 10,000 guesses a second, each with 256 MiB of memory, 8 random lower-case letters last
# 8 months, and 12 last 300,000 years. Passphrases that are not random are guessed sooner.
_MIN_LENGTH = 12

# Rows of keyboards, and the alphabet.
_KEYBOARD_SEQUENCES = (
    "1234567890" * 3,
    "0987654321" * 3,
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
)
# Digits and signs that people type in place of letters, and these letters.
_LETTERS_FOR_SIGNS = str.maketrans("013457@$!|89", "oieastasilbg")
# Two of 10,000 words and some digits are guessed within hours, but three words take months.
_MAX_GUESSABLE_WORDS = 2


def warn_if_guessable(passphrase: Passphrase) -> None:
    """Print a warning if a new passphrase is short or common."""
    text = passphrase.to_bytes().decode()
    if len(text) < _MIN_LENGTH:
        plural_ending = "" if len(text) == 1 else "s"
        say(
            "warning",
            f"the passphrase has only {len(text)} character{plural_ending} and can be guessed",
        )
    elif is_common(text):
        say("warning", "the passphrase is a common one and can be guessed")
    else:
        return
    say("hint", "'sudokucrypt keygen --words 6' makes one that nobody guesses")


def is_common(text: str) -> bool:
    """Return whether a passphrase is one that guessing programs try early.

    It has less than 5 different characters; or it is a part of a keyboard row or the alphabet; or
    it is one or two common words, or one repeated word. Capitals, digits and signs between the
    words, around them, or in place of letters do not matter.
    """
    lower_case_text = text.casefold()
    trimmed_text = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", lower_case_text)
    letter_texts = {
        re.sub(r"[\W\d_]+", "", part)
        for part in (lower_case_text, trimmed_text.translate(_LETTERS_FOR_SIGNS))
    }
    return (
        len(set(text)) < 5
        or any(lower_case_text in keyboard_sequence for keyboard_sequence in _KEYBOARD_SEQUENCES)
        or any(
            _are_words(letter_text, _MAX_GUESSABLE_WORDS)
            for letter_text in letter_texts
            if letter_text
        )
    )


def _are_words(letters: str, max_words: int) -> bool:
    """Return whether letters are a repeated common word, or at most `max_words` common words."""
    repeat_length = (letters * 2).find(letters, 1)  # length of the repeated part: 4 for "testtest"
    if letters[:repeat_length] in load_common_words():
        return True
    split_positions = range(3, len(letters) - 2) if max_words > 1 else ()
    return any(
        letters[:split_index] in load_common_words()
        and _are_words(letters[split_index:], max_words - 1)
        for split_index in split_positions
    )


@cache
def load_common_words() -> frozenset[str]:
    """Load 10,000 lower-case words common in passphrases, and the words that `keygen` draws."""
    lines = files("sudokucrypt.cli.keys").joinpath("common.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#")).union(list_words())

"""Warnings of passphrases that are soon guessed, and of key files that are open to others."""

from __future__ import annotations

import os
import re
import shlex
import stat
from typing import TYPE_CHECKING

from sudokucrypt.cli.messages import say

if TYPE_CHECKING:
    from sudokucrypt.keys import Passphrase

# Whoever has a file guesses without limit. At 10,000 guesses a second, each with 256 MiB of memory,
# 8 random lower-case letters last 8 months, and 12 last 300,000 years; what people think of does
# not last as long.
_ENOUGH = 12

# Many passwords are one of these, perhaps repeated, with digits and signs around it.
_COMMON = """
    abc admin administrator apple baseball batman changeme computer correcthorsebatterystaple dragon
    football freedom hallo hello iloveyou letmein login lovely master michael monkey mustang ninja
    passphrase passw passwd password passwort princess qazwsx qazwsxedc qwe qwerty qwertz secret
    shadow starwars sudoku sudokucrypt summer sunshine superman test trustno welcome whatever
"""

# Rows of keys, and the alphabet.
_RUNS = (
    "1234567890" * 3,
    "0987654321" * 3,
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
)


def warn_if_guessable(passphrase: Passphrase) -> None:
    """Warn of a passphrase that is short or common, before something is protected with it."""
    text = passphrase.to_bytes().decode()
    letters = re.sub(r"[\W\d_]+", "", text.casefold())
    period = (letters * 2).find(letters, 1)  # "testtest" is "test" again and again
    if len(text) < _ENOUGH:
        plural = "" if len(text) == 1 else "s"
        say("warning", f"the passphrase has only {len(text)} character{plural} and can be guessed")
    elif (
        letters[:period] in _COMMON.split()
        or any(text.casefold() in run for run in _RUNS)
        or len(set(text)) < 5
    ):
        say("warning", "the passphrase is a common one and can be guessed")
    else:
        return
    say("hint", f"use {_ENOUGH} characters or more, such as four words drawn by chance")


def warn_if_open(place: str) -> None:
    """Warn of a file with a secret that other users may read or change.

    Pipes and open descriptors, such as shells make for `<(...)`, are nobody else's.
    """
    if os.name == "nt" or place.startswith(("/dev/", "/proc/")):
        return
    try:
        mode = os.stat(place).st_mode
    except (OSError, ValueError):  # reading it will say why
        return
    can = [word for word, bits in (("read", 0o044), ("change", 0o022)) if mode & bits]
    if can and stat.S_ISREG(mode):
        say("warning", f"other users can {' and '.join(can)} '{place}'")
        say("hint", f"to keep it to yourself: chmod 600 {shlex.quote(place)}")

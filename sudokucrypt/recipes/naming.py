"""What results are called: names that are made of strings and settings, and of no file."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from hashlib import sha256
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from sudokucrypt.frozen import Frozen
from sudokucrypt.header import get_sidecar_name
from sudokucrypt.storage import DEVICE_NAME, decode_in_this_locale, name_here

if TYPE_CHECKING:
    from sudokucrypt.storage import Location

DEFAULT_NAME = "{name}.{word}{suffix}"

# Commands that protect a file name the result after the full name of the file. Other commands
# first drop what such a command has added, so that names do not grow.
_PROTECTING = ("encrypted", "redacted", "scrambled")
_ADDED = re.compile(r"(?<=.)\.(encrypted|redacted|rekeyed|scrambled)(\.[^.]+)?\Z", re.DOTALL)

# Categories of control characters, invisible ones, and those that turn or end a line.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}

# Joiners are invisible too, but shape words of Persian and Indian languages, and join emoji: they
# stay between such characters, and at the end of a word after a sign that removes a vowel.
_SHAPED = (
    "\u0600-\u1cff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ua800-\uabff\ufe0f"
    "\U00010a00-\U00011fff\U0001f000-\U0001faff"
)
_VOWELLESS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_JOINERS = "\u200c\u200d"
_LOOSE_JOINER = re.compile(
    f"(?<![{_SHAPED}])[{_JOINERS}]|(?<![{_VOWELLESS}])[{_JOINERS}](?![{_SHAPED}])"
)

# What Windows obeys where it finds it, by its usual name.
_OBEYED = ("autorun.inf", "desktop.ini")

LAYERS_SUFFIX = ".redaction"
"""What follows the name of a redacted picture in the name of the file of its layers."""

_ENDS = re.compile(r"[. ]+\Z")  # Windows drops them, so that the name would become another one
# The longest name that the usual file systems take.
_NAME_BYTES = 255


class ResultNaming(Frozen):
    """How the result of one input is named."""

    source: Location  # the input, or what is taken for its name
    word: str  # what is done, as in "scrambled"
    folder: Location | None = None  # where the result goes; none for the folder of the input
    # A name with ``{name}``, ``{stem}``, ``{word}`` and ``{suffix}``, or with ``{random}``, which
    # shows nothing of the input and gets a suffix in any case. A file that is restored has the name
    # that is sealed in it, unless a template was chosen.
    template: str = DEFAULT_NAME

    @property
    def takes_sealed_names(self) -> bool:
        """Whether a file that is restored gets the name that is sealed in it."""
        return self.template == DEFAULT_NAME

    def make_path(self, suffix: str, sealed: str | None = None) -> Location:
        """Return where the result goes; the end of a long name is cut off."""
        folder = self.source.parent if self.folder is None else self.folder
        if sealed is not None and self.takes_sealed_names:
            return folder / decode_in_this_locale(safe_name(sealed))
        whole = self.source.name if self.word in _PROTECTING else original_name(self.source)
        # Two random names of a billion differ.
        fields = {"word": self.word, "suffix": suffix, "random": secrets.token_hex(8)}
        for length in range(len(whole), -1, -1):
            shown = whole
            if length < len(whole):  # two long names that differ in their ends still do
                shown = f"{whole[:length]}~{sha256(os.fsencode(whole)).hexdigest()[:8]}"
            name = self.template.format(name=shown, stem=PurePath(shown).stem, **fields)
            if "{random}" in self.template and not Path(name).suffix:
                name += suffix  # whoever types {random} alone wants a picture of no name
            if len(os.fsencode(name)) <= _NAME_BYTES:
                break
        return folder / name


def name_sidecar(path: Location, *, layers: bool = False) -> Location:
    """Return the path of the sidecar of a picture: its header, or its layers."""
    return path.with_name(f"{path.name}{LAYERS_SUFFIX}" if layers else get_sidecar_name(path.name))


def fold_name(name: str) -> str:
    """Return the form that names have in common which a file system may take for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def safe_name(sealed: str) -> str:
    """Return the name that a file gets whose sealed name its sender chose.

    It is a name that the reader sees whole and that nothing takes for more than a file: not hidden,
    since programs read hidden files of a folder by themselves; no option, as which ``*`` would pass
    it to a program; not our sidecar, nor layers; no device; not ``desktop.ini`` and its like;
    without characters that are invisible or turn the direction of writing. ``_`` replaces what is
    not so.
    """
    name = "".join(
        "_" if unicodedata.category(c) in _UNSEEN and c not in _JOINERS else c
        for c in name_here(sealed)
    )
    name = _ENDS.sub(lambda end: "_" * len(end[0]), name)
    folded = fold_name(name)
    if name.startswith((".", "-")) or DEVICE_NAME.match(name) or folded in _OBEYED:
        name = f"_{name}"
    if folded.endswith((get_sidecar_name(""), LAYERS_SUFFIX)):
        name = "_".join(name.rsplit(".", 1))
    while len(name.encode()) > _NAME_BYTES:  # what was put before it may be too much
        stem, dot, suffix = name.rpartition(".")
        name = f"{stem[:-1]}{dot}{suffix}" if stem else name[:-1]
    return _LOOSE_JOINER.sub("_", name)


def original_name(source: Location) -> str:
    """Return the name of a file without what was added to it when it was protected.

    >>> original_name(Path("photo.jpg.encrypted.png"))
    'photo.jpg'
    """
    return _ADDED.sub("", source.name)


def plain_stem(source: Location) -> str:
    """Return the name of a file without its suffix and without what protecting it has added."""
    return PurePath(original_name(source)).stem

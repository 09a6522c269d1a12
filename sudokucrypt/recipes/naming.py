"""Names of results, made from names and settings without access to files."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from hashlib import sha256
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from sudokucrypt.frozen import FrozenObject
from sudokucrypt.header import get_sidecar_name
from sudokucrypt.storage import DEVICE_NAME, decode_in_this_locale, make_usable_name

if TYPE_CHECKING:
    from sudokucrypt.storage import Location

DEFAULT_TEMPLATE = "{name}.{word}{suffix}"

# Commands that protect a file name the result after the full name of the file. Other commands
# first remove the part that such a command added, so that names do not grow.
_PROTECTING_WORDS = ("encrypted", "redacted", "scrambled")
_ADDED_NAME_PART = re.compile(
    r"(?<=.)\.(encrypted|redacted|rekeyed|scrambled)(\.[^.]+)?\Z", re.DOTALL
)

# Unicode categories of control characters, invisible characters, and characters that end a line or
# change the direction of writing.
_INVISIBLE_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}

# Joiners are invisible too, but shape words of Persian and Indian languages, and join emoji. They
# are kept between these characters, and at the end of a word after a sign that removes a vowel.
_JOINABLE_RANGES = (
    "\u0600-\u1cff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ua800-\uabff\ufe0f"
    "\U00010a00-\U00011fff\U0001f000-\U0001faff"
)
_VOWEL_KILLERS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_JOINERS = "\u200c\u200d"
_LOOSE_JOINER = re.compile(
    f"(?<![{_JOINABLE_RANGES}])[{_JOINERS}]|(?<![{_VOWEL_KILLERS}])[{_JOINERS}](?![{_JOINABLE_RANGES}])"
)

# Files that Windows executes or follows when it opens their folder.
_WINDOWS_SETTINGS_FILES = ("autorun.inf", "desktop.ini")

LAYERS_SUFFIX = ".redaction"
"""The suffix of the sidecar with the layers of a redacted picture, after the whole name."""

# Characters that Windows removes from the end of a name, so that the file gets another name.
_TRAILING_DOTS_AND_SPACES = re.compile(r"[. ]+\Z")
# Longest name in bytes that common file systems support.
_MAX_NAME_BYTES = 255


class ResultNaming(FrozenObject):
    """The rule that names the result of one input."""

    source: Location  # the input, or a location with the name to use for it
    participle: str  # part of the name, such as "scrambled"
    folder: Location | None = None  # where the result is written; None: next to the input
    # The template of the name of a result. Its fields are ``{name}``, ``{stem}``, ``{word}`` and
    # ``{suffix}``, or ``{random}``: a random name reveals nothing about the input, and always gets
    # a suffix. With the default template, a restored file gets its sealed name instead.
    template: str = DEFAULT_TEMPLATE

    @property
    def takes_sealed_names(self) -> bool:
        """Whether a restored file gets its sealed name."""
        return self.template == DEFAULT_TEMPLATE

    def make_path(self, suffix: str, sealed_name: str | None = None) -> Location:
        """Return the location of the result, with a shortened name if it would be too long."""
        folder = self.source.parent if self.folder is None else self.folder
        if sealed_name is not None and self.takes_sealed_names:
            return folder / decode_in_this_locale(make_safe_name(sealed_name))
        is_protecting = self.participle in _PROTECTING_WORDS
        full_name = self.source.name if is_protecting else find_original_name(self.source)
        # 8 bytes, so that even a billion random names differ.
        fields = {"word": self.participle, "suffix": suffix, "random": secrets.token_hex(8)}
        for length in range(len(full_name), -1, -1):
            shortened_name = full_name
            if length < len(full_name):  # the digest tells names with equal beginnings apart
                digest = sha256(os.fsencode(full_name)).hexdigest()[:8]
                shortened_name = f"{full_name[:length]}~{digest}"
            name = self.template.format(
                name=shortened_name, stem=PurePath(shortened_name).stem, **fields
            )
            if "{random}" in self.template and not Path(name).suffix:
                name += suffix
            if len(os.fsencode(name)) <= _MAX_NAME_BYTES:
                break
        return folder / name


def name_sidecar(path: Location, *, layers: bool = False) -> Location:
    """Return the location of the sidecar with the header of a picture, or with its layers."""
    return path.with_name(f"{path.name}{LAYERS_SUFFIX}" if layers else get_sidecar_name(path.name))


def fold_name(name: str) -> str:
    """Return a form that is equal for names that a file system may not distinguish."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def make_safe_name(sealed_name: str) -> str:
    """Make a sealed name, which a sender chose, harmless; ``_`` replaces dangerous characters.

    The result is not hidden, since programs read hidden files by themselves; is not an option, as
    which a shell would pass it for ``*``; is not a sidecar, a device, or a file such as
    ``desktop.ini``; and has no characters that are invisible or change the direction of writing.
    """
    name = "".join(
        "_" if unicodedata.category(c) in _INVISIBLE_CATEGORIES and c not in _JOINERS else c
        for c in make_usable_name(sealed_name)
    )
    name = _TRAILING_DOTS_AND_SPACES.sub(lambda end: "_" * len(end[0]), name)
    folded_name = fold_name(name)
    if (
        name.startswith((".", "-"))
        or DEVICE_NAME.match(name)
        or folded_name in _WINDOWS_SETTINGS_FILES
    ):
        name = f"_{name}"
    if folded_name.endswith((get_sidecar_name(""), LAYERS_SUFFIX)):
        name = "_".join(name.rsplit(".", 1))
    while len(name.encode()) > _MAX_NAME_BYTES:  # the added character may make the name too long
        stem, dot, suffix = name.rpartition(".")
        name = f"{stem[:-1]}{dot}{suffix}" if stem else name[:-1]
    return _LOOSE_JOINER.sub("_", name)


def find_original_name(source: Location) -> str:
    """Return the original name of a file, without the part that protecting the file added.

    >>> find_original_name(Path("photo.jpg.encrypted.png"))
    'photo.jpg'
    """
    return _ADDED_NAME_PART.sub("", source.name)


def get_plain_stem(source: Location) -> str:
    """Return the name that a file had before it was protected, without the suffix."""
    return PurePath(find_original_name(source)).stem

"""Suggestions for misspelled arguments, and for options of other programs and old versions."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import click

_WORDS_OF_OTHER_PROGRAMS = {
    "--password": "--passphrase",
    "--password-file": "--passphrase-file",
    "--pass": "--passphrase",
    "--keyfile": "--key",
    "--key-file": "--key",
    "--difficulty": "--level",
    "--out": "--output",
    "--overwrite": "--force",
    "--recurse": "--recursive",
    "--face": "--faces",
    "--recipient": "--to",
    "--recipients-file": "--to-file",
    "--silent": "--quiet",
    "--simulate": "--dry-run",
    "--just-print": "--dry-run",
    "--parallel": "--jobs",
    "decode": "decrypt",
    "decipher": "decrypt",
    "restore": "decrypt",
    "encode": "encrypt",
    "encipher": "encrypt",
    "hide": "encrypt",
    "protect": "encrypt",
    "blur": "redact",
    "cover": "redact",
    "uncover": "unredact",
    "shuffle": "scramble",
    "unshuffle": "unscramble",
    "descramble": "unscramble",
    "genkey": "keygen",
    "generate": "keygen",
    "identify": "info",
    "inspect": "info",
    "show": "info",
    "view": "open",
    "serve": "open",
    "benchmark": "compare",
    "solve": "sudoku solve",
    "puzzle": "sudoku puzzle",
}
"""Options and commands of other programs, and the corresponding ones of this program."""

_REDACT_HINT = "'sudokucrypt redact' covers parts of pictures"
_REMOVED_OPTIONS = {
    "--region": _REDACT_HINT,
    "--mask": _REDACT_HINT,
    "--faces": _REDACT_HINT,
    "--face-margin": _REDACT_HINT,
    "--list-regions": _REDACT_HINT,
    "--allow-none": _REDACT_HINT,
    "--context": "only arrays are scrambled under a context, in Python",
    "--keep-metadata": "all metadata are sealed, and restored with the picture",
}
"""Options that commands for pictures had up to version 1.1, and what replaces them."""

_MIN_SIMILARITY = 0.75  # for difflib; with a lower value, "--zzz" would be similar to "--size"
_PICTURE_COMMANDS = ("encrypt", "decrypt", "scramble", "unscramble", "rekey")
_SINGLE_DASH_PATTERN = re.compile(r"-[a-z][a-z-]{2,}")


def suggest_name(name: str, known_names: Iterable[str]) -> str | None:
    """Return a question whether a similar known name was meant, or None if there is none."""
    from difflib import get_close_matches

    names = list(known_names)
    similar_names = [
        *(word for word in [_WORDS_OF_OTHER_PROGRAMS.get(name, "")] if word.split(" ")[0] in names),
        *(known_name for known_name in names if len(name) > 4 and known_name.startswith(name)),
        # The same letters in another order.
        *(known_name for known_name in names if sorted(known_name) == sorted(name)),
        *get_close_matches(name, names, n=1, cutoff=_MIN_SIMILARITY),
    ]
    return f"did you mean '{similar_names[0]}'?" if similar_names else None


def suggest_option(error: click.NoSuchOption) -> str | None:
    """Return a hint for an unknown option: a file, a value of an option, or a similar option."""
    name = error.option_name
    if os.path.lexists(name):
        return f"to name the file: ./{name}"
    command = error.ctx.command if error.ctx is not None else None
    if name in _REMOVED_OPTIONS and command is not None and command.name in _PICTURE_COMMANDS:
        return _REMOVED_OPTIONS[name]
    parameters = command.params if command is not None else []
    if name == "--html" and "--figures" in _list_option_names(parameters):
        return "name the page with -o: -o report.html"
    for option in parameters:
        # Choices that are imported late are not searched, since that would take too long.
        if name.lstrip("-") in vars(option.type).get("choices", ()):
            return f"did you mean '{option.opts[0]} {name.lstrip('-')}'?"
    return suggest_name(name, _list_option_names(parameters))


def find_single_dash_option(
    arguments: Sequence[str], parameters: Sequence[click.Parameter]
) -> str | None:
    """Return the first long option that lacks a dash, such as ``-key`` for ``--key``, or None.

    Click would read it as ``-k ey``, which is also assumed here if a file ``ey`` exists.
    """
    option_names = _list_option_names(parameters)
    for argument in arguments:
        if argument == "--":
            return None
        is_not_short_option = argument[:2] not in option_names or not os.path.lexists(argument[2:])
        if (
            _SINGLE_DASH_PATTERN.fullmatch(argument)
            and f"-{argument}" in option_names
            and is_not_short_option
        ):
            return argument
    return None


def has_typed_passphrase(arguments: Sequence[str], parameters: Sequence[click.Parameter]) -> bool:
    """Return whether ``--passphrase``, which takes no value, is followed by a passphrase.

    Any word that is neither a file nor an option counts as a passphrase.
    """
    from sudokucrypt.cli.messages import is_harmless

    if "--passphrase" not in _list_option_names(parameters):
        return False
    following_arguments = arguments[arguments.index("--passphrase") + 1 :]
    return (
        bool(following_arguments)
        and not following_arguments[0].startswith("-")
        and not is_harmless(following_arguments[0])
    )


def _list_option_names(parameters: Iterable[click.Parameter]) -> list[str]:
    return [form for parameter in parameters for form in parameter.opts + parameter.secondary_opts]

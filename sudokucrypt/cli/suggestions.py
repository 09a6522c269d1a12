"""What was probably meant by arguments that are nearly right, or that other programs take."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import click

_ELSEWHERE = {
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
"""Words of other programs, and ours."""

_COVERS = "'sudokucrypt redact' covers parts of pictures"
_LEFT = {
    "--region": _COVERS,
    "--mask": _COVERS,
    "--faces": _COVERS,
    "--face-margin": _COVERS,
    "--list-regions": _COVERS,
    "--allow-none": _COVERS,
    "--context": "only arrays are scrambled under a context, in Python",
    "--keep-metadata": "all metadata are sealed, and restored with the picture",
}
"""Options that commands for pictures had up to version 1.1, and what replaces them."""

_CLOSE = 0.75  # of difflib: below it, "--zzz" would be like "--size"
_OF_PICTURES = ("encrypt", "decrypt", "scramble", "unscramble", "rekey")
_ONE_DASH = re.compile(r"-[a-z][a-z-]{2,}")


def is_likely(name: str, known: Iterable[str]) -> str | None:
    """Ask whether another name was meant: the same thing elsewhere, or one that looks alike."""
    from difflib import get_close_matches

    names = list(known)
    alike = [
        *(word for word in [_ELSEWHERE.get(name, "")] if word.split(" ")[0] in names),
        *(longer for longer in names if len(name) > 4 and longer.startswith(name)),
        *(other for other in names if sorted(other) == sorted(name)),  # two letters changed places
        *get_close_matches(name, names, n=1, cutoff=_CLOSE),
    ]
    return f"did you mean '{alike[0]}'?" if alike else None


def find_meant_option(error: click.NoSuchOption) -> str | None:
    """Return what an unknown option was meant to be: a file, a value of an option, or an option."""
    name = error.option_name
    if os.path.lexists(name):
        return f"to name the file: ./{name}"
    command = error.ctx.command if error.ctx is not None else None
    if name in _LEFT and command is not None and command.name in _OF_PICTURES:
        return _LEFT[name]
    parameters = command.params if command is not None else []
    if name == "--html" and "--figures" in _list_forms(parameters):
        return "name the page with -o: -o report.html"
    for option in parameters:
        # Choices that are looked up late are left out: a misspelt option is answered at once.
        if name.lstrip("-") in vars(option.type).get("choices", ()):
            return f"did you mean '{option.opts[0]} {name.lstrip('-')}'?"
    return is_likely(name, _list_forms(parameters))


def with_one_dash(arguments: Sequence[str], parameters: Sequence[click.Parameter]) -> str | None:
    """Return the first argument that is a long option but for a dash: ``-key`` for ``--key``.

    It would be read as ``-k ey``, which is what it is if that file exists.
    """
    forms = _list_forms(parameters)
    for argument in arguments:
        if argument == "--":
            return None
        short = argument[:2] not in forms or not os.path.lexists(argument[2:])
        if _ONE_DASH.fullmatch(argument) and f"-{argument}" in forms and short:
            return argument
    return None


def follows_passphrase(arguments: Sequence[str], parameters: Sequence[click.Parameter]) -> bool:
    """Return whether a word after ``--passphrase``, which takes none, is neither file nor option.

    It is the passphrase itself, then, typed where everybody sees it.
    """
    from sudokucrypt.cli.messages import is_harmless

    if "--passphrase" not in _list_forms(parameters):
        return False
    after = arguments[arguments.index("--passphrase") + 1 :]
    return bool(after) and not after[0].startswith("-") and not is_harmless(after[0])


def _list_forms(parameters: Iterable[click.Parameter]) -> list[str]:
    return [form for parameter in parameters for form in parameter.opts + parameter.secondary_opts]

"""What a command was asked to do, in plain values without any secret, for other machines."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli.options import OWN_SCHEME
from sudokucrypt.keys import Key, PictureKey
from sudokucrypt.remote import Url
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.keys import RestoringKey

_ELSEWHERE = {"sources", "manifest", "shard", "jobs", "threads", "resume", "force", "listing"}
_LIMITS = {"recursive", "max_pixels", "max_rounds", "cluster"}
_KEYS = {"key", "new_key", "prompt", "file", "descriptor"}
_WITHOUT_EFFECT = _ELSEWHERE | _LIMITS | _KEYS
"""Options that no single result depends on, and those that say where the keys are."""

_NOT_SENT: dict[str, object] = {
    "sources": (),
    "manifest": None,
    "shard": None,
    "jobs": 1,
    "listing": False,
    "cluster": None,
}
"""Options that concern the machine where the command was given, and what others get for them."""

_CHECKED_TEXT = b"sudokucrypt"


@dataclass(frozen=True)
class RemoteTask:
    """A command for other machines: they read its keys themselves, from files or variables.

    Parameters
    ----------
    version : str
        Of sudokucrypt.
    run : str
        Drawn for each run, so that no key is held beyond it.
    command : str
        The command.
    options : tuple of (str, object)
        Its options, with paths from the root on.
    scheme : str or None
        A scheme of the user's own, as it was named.
    key_checks : tuple of bytes or None
        Something encrypted with each key, by which others see whether theirs are the same.
    """

    version: str
    run: str
    command: str
    options: tuple[tuple[str, object], ...]
    scheme: str | None
    key_checks: tuple[bytes | None, ...]

    @classmethod
    def given(cls, keys: Sequence[RestoringKey]) -> RemoteTask:
        """Return the order for what the command line says; `click.UsageError` if others cannot."""
        context = click.get_current_context()
        options = asked()
        if "-" in (options.get("key"), options.get("new_key")) or options["descriptor"] is not None:
            raise click.UsageError(
                "--dask sends no key; name a key file that every worker can read"
            )
        # A worker that died may have finished some of what is done again.
        options |= _NOT_SENT | {"resume": not options["force"]}
        return cls(
            version=__version__,
            run=secrets.token_hex(8),
            command=str(context.command.name),
            options=tuple(sorted(options.items())),
            scheme=context.meta.get(OWN_SCHEME),
            key_checks=tuple(map(_key_check, keys)),
        )

    def passes(self, keys: Sequence[RestoringKey]) -> bool:
        """Tell whether these are the keys of those who gave the order."""
        from sudokucrypt.errors import DecryptionError
        from sudokucrypt.recipes import decrypt_bytes

        try:
            return all(
                trial is None or decrypt_bytes(trial, key) == _CHECKED_TEXT
                for trial, key in zip(self.key_checks, keys, strict=True)
            )
        except DecryptionError:
            return False


def asked() -> dict[str, Any]:
    """Return the options of the command that runs, with paths from the root on."""
    context = click.get_current_context()
    kinds = {parameter.name: parameter.type for parameter in context.command.params}
    return {name: _whole(value, kinds[name]) for name, value in context.params.items()}


def run_id(keys: Sequence[RestoringKey]) -> str:
    """Return 16 digits that stand for all that results depend on: command, options and keys.

    Passphrases have no id: runs that differ in nothing else have the same digits.
    """
    context = click.get_current_context()
    options = {name: value for name, value in asked().items() if name not in _WITHOUT_EFFECT}
    ids = [key.id if isinstance(key, Key) else type(key).__name__ for key in keys]
    text = json.dumps([context.command.name, ids, options], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:16]


def _key_check(key: RestoringKey) -> bytes | None:
    from sudokucrypt.recipes import encrypt_bytes

    return None if isinstance(key, PictureKey) else encrypt_bytes(_CHECKED_TEXT, key)


def _whole(value: Any, kind: click.ParamType[Any]) -> Any:
    """Return the value of an option; a path is one from the root on."""
    if not isinstance(kind, click.Path) or value is None or str(value) == "-":
        return value
    if isinstance(value, tuple):
        return tuple(_whole(each, kind) for each in value)
    if isinstance(parse_location(value), Url):
        return value
    whole = str(Path(str(value)).absolute())
    return type(value)(f"{whole}/" if str(value).endswith("/") else whole)

"""Jobs for other machines, without any secret, and the identifiers of runs."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli.options import OWN_SCHEME
from sudokucrypt.keys import Identity, Key, KeyRing, Passphrase, Recipient
from sudokucrypt.remote import Url
from sudokucrypt.storage import Location, parse_location

if TYPE_CHECKING:
    from sudokucrypt.cli.pictures.job import Job
    from sudokucrypt.cli.pictures.regions import RegionOptions
    from sudokucrypt.keys import PictureKey, ProtectingKey, RestoringKey

_Path = TypeVar("_Path", str, Path, str | None, Path | None, Location | None)

_ELSEWHERE = {"sources", "manifest", "shard", "jobs", "threads", "resume", "force", "listing"}
_LIMITS = {"recursive", "max_pixels", "max_rounds", "cluster"}
_KEYS = {"key", "new_key", "prompt", "file", "descriptor"}
# Options that no single result depends on, and those that say where the keys are.
_WITHOUT_EFFECT = _ELSEWHERE | _LIMITS | _KEYS

_CHECKED_TEXT = b"sudokucrypt"


@dataclass(frozen=True)
class RemoteTask:
    """A job for other machines: they read its keys themselves, from files or variables."""

    version: str  # of sudokucrypt
    run: str  # drawn for each run, so that no key is held beyond it
    job: Job = field(compare=False)  # the job without its keys, with paths from the root on
    scheme: str | None  # a scheme of the user's own, as it was named
    # Something encrypted with each key, by which others see whether theirs are the same.
    key_checks: tuple[bytes | None, ...]

    @classmethod
    def of(cls, job: Job) -> RemoteTask:
        """Return the task for a job; `click.UsageError` if others cannot have its keys."""
        if any("-" in secret.keys or secret.descriptor is not None for secret in job.secrets):
            raise click.UsageError(
                "--dask sends no key; name a key file that every worker can read"
            )
        # A worker that died may have finished some of what is done again.
        settings = {**job.options, "resume": not job.options["replace"]}
        sent = replace(
            job,
            keys=(),
            secrets=tuple(
                replace(
                    secret,
                    key=tuple(map(_absolute, secret.key)),
                    identity=tuple(map(_absolute, secret.identity)),
                    to=tuple(one.to_text() for one in _each(key) if isinstance(one, Recipient)),
                    to_file=(),  # recipients are no secret, and travel as they are
                    file=_absolute(secret.file),
                )
                for secret, key in zip(job.secrets, job.keys, strict=True)
            ),
            options={
                name: _absolute(value) if isinstance(value, Path) else value
                for name, value in settings.items()
            },
            layers=tuple(replace(layer, region=_from_root(layer.region)) for layer in job.layers),
            folder=_absolute(job.folder),
        )
        return cls(
            version=__version__,
            run=secrets.token_hex(8),
            job=sent,
            scheme=click.get_current_context().meta.get(OWN_SCHEME),
            key_checks=tuple(map(_key_check, job.keys)),
        )

    def passes(self, keys: Sequence[RestoringKey | ProtectingKey]) -> bool:
        """Tell whether these are the keys of those who gave the order."""
        from sudokucrypt.errors import DecryptionError
        from sudokucrypt.recipes import decrypt_bytes

        try:
            return all(
                trial is None or decrypt_bytes(trial, _opening(key)) == _CHECKED_TEXT
                for trial, key in zip(self.key_checks, keys, strict=True)
            )
        except DecryptionError:
            return False


def invoked_options() -> dict[str, Any]:
    """Return the options of the command that runs, with paths from the root on."""
    context = click.get_current_context()
    kinds = {parameter.name: parameter.type for parameter in context.command.params}
    return {name: _whole(value, kinds[name]) for name, value in context.params.items()}


def run_id(job: Job) -> str:
    """Return 16 digits that identify all that results depend on: command, options and keys.

    Passphrases have no id: runs that differ in nothing else have the same digits.
    """
    context = click.get_current_context()
    options = {
        name: value for name, value in invoked_options().items() if name not in _WITHOUT_EFFECT
    }
    if job.layers:  # each has options of its own, and which key is whose counts
        options["layers"] = [replace(one, region=_from_root(one.region)) for one in job.layers]
    ids = [_id(one) for key in job.keys for one in _each(key)]
    text = json.dumps([context.command.name, ids, options], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:16]


def _from_root(region: RegionOptions) -> RegionOptions:
    """Return the options with a path from the root on."""
    return replace(region, mask_file=_absolute(region.mask_file))


def _each(
    key: RestoringKey | ProtectingKey,
) -> Sequence[Key | Passphrase | PictureKey | Identity | Recipient]:
    """Return what a key consists of."""
    if isinstance(key, KeyRing):
        return key.keys
    return key if isinstance(key, Sequence) else [key]


def _id(key: Key | Passphrase | PictureKey | Identity | Recipient) -> str:
    if isinstance(key, Identity):
        key = key.recipient
    if isinstance(key, Recipient):
        return key.to_text()
    return key.id if isinstance(key, Key) else type(key).__name__


def _opening(key: RestoringKey | ProtectingKey) -> RestoringKey:
    """Return what of a key opens what all of it protects."""
    if isinstance(key, KeyRing):
        return key
    return next(one for one in _each(key) if not isinstance(one, Recipient))


def _key_check(key: RestoringKey | ProtectingKey) -> bytes | None:
    from sudokucrypt.recipes import encrypt_bytes

    # Others may have more keys, but not fewer.
    able = [one for one in _each(key) if isinstance(one, Key | Passphrase | Identity)]
    return encrypt_bytes(_CHECKED_TEXT, able[0]) if able else None


def _whole(value: Any, kind: click.ParamType[Any]) -> Any:
    """Return the value of an option; a path is one from the root on."""
    if not isinstance(kind, click.Path) or value is None or str(value) == "-":
        return value
    if isinstance(value, tuple):
        return tuple(_whole(each, kind) for each in value)
    return _absolute(value)


def _absolute(path: _Path) -> _Path:
    """Return a path from the root on, as whatever it is given; URLs stay as they are."""
    if path is None or isinstance(path, Url) or isinstance(parse_location(path), Url):
        return path
    absolute = str(Path(path).absolute())
    return type(path)(f"{absolute}/" if str(path).endswith("/") else absolute)

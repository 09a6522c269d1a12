"""Jobs for other machines, without any secret."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli.options import OWN_SCHEME
from sudokucrypt.cli.pictures.job import Job, Naming, Work, read_masks
from sudokucrypt.cli.pictures.run_ids import make_absolute_path, make_paths_absolute, split_key
from sudokucrypt.keys import Identity, Key, KeyRing, Passphrase, Recipient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes.sinks import Claims

_CHECKED_TEXT = b"sudokucrypt"


@dataclass(frozen=True)
class RemoteTask:
    """A job for other machines: they read its keys themselves, from files or variables."""

    version: str  # of sudokucrypt
    run: str  # drawn for each run, so that no key is held beyond it
    # What is done and how results are named, without keys, with paths from the root on.
    work: Work = field(compare=False)
    naming: Naming = field(compare=False)
    claims: Claims = field(compare=False)
    scheme: str | None  # a scheme of the user's own, as it was named
    # Something encrypted with each key, by which others see whether theirs are the same.
    key_checks: tuple[bytes | None, ...]

    @classmethod
    def of(cls, job: Job) -> RemoteTask:
        """Return the task for a job; `click.UsageError` if others cannot have its keys."""
        if any(
            "-" in secret.keys or secret.prompt or secret.descriptor is not None
            for secret in job.work.secrets
        ):
            raise click.UsageError(
                "--dask sends no key; name a key or passphrase file that every worker can read"
            )
        work = job.work
        # A worker that died may have finished some of what is done again.
        keeps = not (work.options.replace or getattr(work.options, "update", False))
        changed: dict[str, Any] = {"resume": keeps}
        if isinstance(sidecar := getattr(work.options, "sidecar", None), Path):
            changed["sidecar"] = make_absolute_path(sidecar)
        options = replace(work.options, **changed)
        sent = replace(
            work,
            keys=(),
            secrets=tuple(
                replace(
                    secret,
                    key=tuple(map(make_absolute_path, secret.key)),
                    identity=tuple(map(make_absolute_path, secret.identity)),
                    to=tuple(one.to_text() for one in split_key(key) if isinstance(one, Recipient)),
                    to_file=(),  # recipients are no secret, and travel as they are
                    file=make_absolute_path(secret.file),
                )
                for secret, key in zip(work.secrets, work.keys, strict=True)
            ),
            layers=tuple(
                replace(layer, region=make_paths_absolute(layer.region)) for layer in work.layers
            ),
            options=options,
        )
        return cls(
            version=__version__,
            run=secrets.token_hex(8),
            work=sent,
            naming=replace(job.naming, folder=make_absolute_path(job.naming.folder)),
            claims=job.claims,
            scheme=click.get_current_context().meta.get(OWN_SCHEME),
            key_checks=tuple(map(_check_keys, job.work.keys)),
        )

    def make_job(self, keys: Sequence[RestoringKey | ProtectingKey]) -> Job:
        """Return the job of whoever has the keys."""
        work = replace(self.work, keys=tuple(keys))
        return Job(work=work, naming=self.naming, claims=self.claims, masks=read_masks(work))

    def passes(self, keys: Sequence[RestoringKey | ProtectingKey]) -> bool:
        """Tell whether these are the keys of those who gave the order."""
        from sudokucrypt.errors import DecryptionError
        from sudokucrypt.recipes import decrypt_bytes

        try:
            return all(
                trial is None or decrypt_bytes(trial, _select_opening_keys(key)) == _CHECKED_TEXT
                for trial, key in zip(self.key_checks, keys, strict=True)
            )
        except DecryptionError:
            return False


def _select_opening_keys(key: RestoringKey | ProtectingKey) -> RestoringKey:
    """Return what of a key opens what all of it protects."""
    if isinstance(key, KeyRing):
        return key
    return next(one for one in split_key(key) if not isinstance(one, Recipient))


def _check_keys(key: RestoringKey | ProtectingKey) -> bytes | None:
    from sudokucrypt.recipes import encrypt_bytes

    # Others may have more keys, but not fewer.
    able = [one for one in split_key(key) if isinstance(one, Key | Passphrase | Identity)]
    return encrypt_bytes(_CHECKED_TEXT, able[0]) if able else None

"""Descriptions of jobs that are sent to other machines, without any secret."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli.options import USER_SCHEME_KEY
from sudokucrypt.cli.pictures.job import Job, Naming, RunSettings, read_masks
from sudokucrypt.cli.pictures.run_ids import make_absolute_path, make_paths_absolute, split_key
from sudokucrypt.keys import Identity, Key, KeyRing, Passphrase, Recipient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes.sinks import Claims

_KNOWN_TEXT = b"sudokucrypt"


@dataclass(frozen=True)
class RemoteTask:
    """A job without its keys, for workers that read the keys from files or variables."""

    version: str  # of sudokucrypt
    run: str  # random for each run, so that workers cache keys only for this run
    # The work and the names of results, without keys and with absolute paths.
    work: RunSettings = field(compare=False)
    naming: Naming = field(compare=False)
    claims: Claims = field(compare=False)
    scheme: str | None  # the value of --scheme-file, a scheme that the user wrote
    # A known text encrypted with each key, by which a worker checks that it has the same keys.
    encrypted_known_texts: tuple[bytes | None, ...]

    @classmethod
    def for_job(cls, job: Job) -> RemoteTask:
        """Make the task for a job; raise `click.UsageError` if workers cannot read its keys."""
        if any(
            "-" in secret.keys or secret.prompt or secret.descriptor is not None
            for secret in job.work.secret_options
        ):
            raise click.UsageError(
                "--dask sends no key; name a key or passphrase file that every worker can read"
            )
        work = job.work
        # Results are kept, since a worker may have finished some of a batch before it died.
        keeps_results = not (work.options.replace or getattr(work.options, "update", False))
        changes: dict[str, Any] = {"resume": keeps_results}
        if isinstance(sidecar := getattr(work.options, "sidecar", None), Path):
            changes["sidecar"] = make_absolute_path(sidecar)
        options = replace(work.options, **changes)
        work_without_keys = replace(
            work,
            keys=(),
            secret_options=tuple(
                replace(
                    secret,
                    key=tuple(map(make_absolute_path, secret.key)),
                    identity=tuple(map(make_absolute_path, secret.identity)),
                    to=tuple(
                        key_part.to_text()
                        for key_part in split_key(key)
                        if isinstance(key_part, Recipient)
                    ),
                    to_file=(),  # recipients are not secret: they are sent in `to`
                    file=make_absolute_path(secret.file),
                )
                for secret, key in zip(work.secret_options, work.keys, strict=True)
            ),
            layers=tuple(
                replace(layer, region=make_paths_absolute(layer.region)) for layer in work.layers
            ),
            options=options,
        )
        return cls(
            version=__version__,
            run=secrets.token_hex(8),
            work=work_without_keys,
            naming=replace(job.naming, folder=make_absolute_path(job.naming.folder)),
            claims=job.claims,
            scheme=click.get_current_context().meta.get(USER_SCHEME_KEY),
            encrypted_known_texts=tuple(map(_encrypt_known_text, job.work.keys)),
        )

    def make_job(self, keys: Sequence[RestoringKey | ProtectingKey]) -> Job:
        """Make a job of this task and the keys that this machine has read."""
        work = replace(self.work, keys=tuple(keys))
        return Job(work=work, naming=self.naming, claims=self.claims, masks=read_masks(work))

    def accepts_keys(self, keys: Sequence[RestoringKey | ProtectingKey]) -> bool:
        """Return whether these keys are the same as those of the machine that sent the task."""
        from sudokucrypt.errors import DecryptionError
        from sudokucrypt.recipes import decrypt_bytes

        try:
            return all(
                encrypted_text is None
                or decrypt_bytes(encrypted_text, _select_opening_keys(key)) == _KNOWN_TEXT
                for encrypted_text, key in zip(self.encrypted_known_texts, keys, strict=True)
            )
        except DecryptionError:
            return False


def _select_opening_keys(key: RestoringKey | ProtectingKey) -> RestoringKey:
    """Return the part of a protecting key that can restore, which is not a recipient."""
    if isinstance(key, KeyRing):
        return key
    return next(part for part in split_key(key) if not isinstance(part, Recipient))


def _encrypt_known_text(key: RestoringKey | ProtectingKey) -> bytes | None:
    """Encrypt the known text with the first part of a key that can encrypt, or return None."""
    from sudokucrypt.recipes import encrypt_bytes

    # Only the first part is used, so that a worker may have further keys.
    encrypting_keys = [
        part for part in split_key(key) if isinstance(part, Key | Passphrase | Identity)
    ]
    return encrypt_bytes(_KNOWN_TEXT, encrypting_keys[0]) if encrypting_keys else None

"""``sudokucrypt rekey``: change the key of protected pictures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.keys.secret import SecretOptions, secret_options
from sudokucrypt.cli.pictures.batch import BatchOptions, batch_options, run
from sudokucrypt.recipes import rekey_file

if TYPE_CHECKING:
    from pathlib import Path


@click.command("rekey")
@batch_options
@click.option(
    "--new-key", metavar="NEW", required=True, type=click.Path(), help="The file of the new key."
)
@options.read_sidecar_option
@options.max_rounds_option
@secret_options
def command(
    *,
    batch: BatchOptions,
    secret: SecretOptions,
    new_key: str,
    sidecar: Path | None,
    max_rounds: int,
) -> None:
    """Restore pictures with the old key and protect them with the new, never writing them plainly.

    Scheme, unit, rounds, regions and sealed metadata stay; the salt is new. Copies of IN still
    open with the old key.
    """
    new = SecretOptions(key=new_key, prompt=False, file=None, descriptor=None)
    if secret.key == new_key == "-":
        raise click.UsageError("stdin cannot give both keys")
    work = partial(
        rekey_file,
        key=secret.load(batch.sources),
        new_key=new.load_protecting(batch.sources),
        sidecar=sidecar,
        max_rounds=max_rounds,
    )
    run(batch, "rekeyed", work)

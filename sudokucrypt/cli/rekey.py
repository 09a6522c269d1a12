"""``sudokucrypt rekey``: change the key of a protected picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.messages import say_done
from sudokucrypt.cli.secret import SecretOptions, secret_options
from sudokucrypt.recipes import rekey_file

if TYPE_CHECKING:
    from pathlib import Path


@click.command("rekey")
@options.source_argument
@options.output_option
@click.option("--new-key", metavar="NEW", required=True, help="The file of the new key.")
@options.read_sidecar_option
@options.threads_option
@options.force_option
@secret_options
def command(
    *,
    source: Path,
    output: Path | None,
    secret: SecretOptions,
    new_key: str,
    sidecar: Path | None,
    threads: int | None,
    force: bool,
) -> None:
    """Restore IN with the old key and protect it with the new one, without writing it plainly.

    Scheme, unit and rounds stay. Copies of IN still open with the old key.
    """
    target = output or options.default_output(source, "rekeyed")
    new = SecretOptions(key=new_key, prompt=False, file=None, descriptor=None)
    report = rekey_file(
        source,
        target,
        secret.load(),
        new.load(),
        sidecar=sidecar,
        threads=threads,
        replace=force,
    )
    say_done(report, target, named=output is not None)

"""``sudokucrypt encrypt``: pictures in, encrypted ones out."""

from __future__ import annotations

from functools import partial

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.keys.secret import SecretOptions, secret_options
from sudokucrypt.cli.pictures.batch import BatchOptions, batch_options, run
from sudokucrypt.cli.pictures.regions import RegionOptions, region_options
from sudokucrypt.recipes import encrypt_file


@click.command("encrypt")
@batch_options
@options.rounds_option
@options.deterministic_option
@region_options
@options.keep_option
@options.strip_option
@options.write_sidecar_option
@secret_options
def command(
    *,
    batch: BatchOptions,
    secret: SecretOptions,
    rounds: int | None,
    deterministic: bool,
    region: RegionOptions,
    keep_metadata: bool,
    strip_metadata: bool,
    sidecar: bool,
) -> None:
    """Encrypt pictures: the results are pictures of the same shape that look like noise.

    IN is a file, a folder, or - for stdin. Shape, depth, the timing of an animation and the id of
    the key stay visible, and nothing else unless you ask for it. Metadata are sealed.
    """
    region.check(to_stdout=batch.to_stdout)
    key = secret.load_protecting(batch.sources)
    work = partial(
        encrypt_file,
        key=key,
        rounds=rounds,
        deterministic=deterministic,
        metadata=options.metadata_choice(keep=keep_metadata, strip=strip_metadata),
        sidecar=sidecar,
    )
    run(batch, "encrypted", region.applied(work, batch))

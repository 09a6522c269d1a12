"""``sudokucrypt encrypt``: pictures in, encrypted ones out."""

from __future__ import annotations

from functools import partial

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.batch import BatchOptions, batch_options, run
from sudokucrypt.cli.regions import RegionOptions, region_options
from sudokucrypt.cli.secret import SecretOptions, secret_options
from sudokucrypt.recipes import encrypt_file, matches_file


@click.command("encrypt")
@batch_options
@options.rounds_option
@options.deterministic_option
@region_options
@options.strip_option
@click.option(
    "--seal-metadata", is_flag=True, help="Encrypt EXIF, color profile, XMP and texts too."
)
@options.write_sidecar_option
@secret_options
def command(
    *,
    batch: BatchOptions,
    secret: SecretOptions,
    rounds: int | None,
    deterministic: bool,
    region: RegionOptions,
    strip_metadata: bool,
    seal_metadata: bool,
    sidecar: bool,
) -> None:
    """Encrypt pictures: the results are pictures of the same shape that look like noise.

    IN is a file, a folder, or - for stdin. Shape, depth, the timing of an animation, the id of
    the key and, unless they are sealed or stripped, the metadata stay visible, and nothing else.
    """
    region.check(to_stdout=batch.to_stdout)
    if strip_metadata and seal_metadata:
        raise click.UsageError("metadata are stripped or sealed, not both")
    key = secret.load(batch.sources, new=True)
    work = partial(
        encrypt_file,
        key=key,
        rounds=rounds,
        deterministic=deterministic,
        metadata="strip" if strip_metadata else "seal" if seal_metadata else "keep",
        sidecar=sidecar,
    )
    run(batch, "encrypted", region.applied(work, batch), partial(matches_file, key=key))

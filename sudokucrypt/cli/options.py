"""The arguments that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

source_argument = click.argument("source", metavar="IN", type=click.Path(path_type=Path))
output_option = click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Where to write; .png, .tiff or .webp (lossless). By default a PNG beside IN.",
)
rounds_option = click.option(
    "--rounds",
    metavar="R",
    type=int,
    help="1..255; by default 2 for large pictures, 3 or 8 for small ones.",
)
deterministic_option = click.option(
    "--deterministic", is_flag=True, help="No salt: equal pictures give equal output."
)
context_option = click.option(
    "--context",
    metavar="TEXT",
    help="One permutation per key and context, without a tag: no change is detected.",
)
write_sidecar_option = click.option(
    "--sidecar", is_flag=True, help="Also write the header to OUT.sudokucrypt.json."
)
read_sidecar_option = click.option(
    "--sidecar",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Read the header here; by default from IN.sudokucrypt.json or from IN itself.",
)
compress_option = click.option(
    "--compress",
    metavar="LEVEL",
    type=click.IntRange(0, 9),
    help="0..9 for PNG: 0 stores the samples, 9 is slowest. By default 0 for noise, else 1.",
)
threads_option = click.option(
    "--threads",
    metavar="N",
    type=int,
    help="Threads that share the work; by default one for each core.",
)
force_option = click.option("--force", is_flag=True, help="Replace existing output.")


def default_output(source: Path, word: str) -> Path:
    """Return the PNG beside `source` whose name says what was done to it."""
    stem = source.stem.removesuffix(".scrambled").removesuffix(".encrypted")
    return source.with_name(f"{stem}.{word}.png")

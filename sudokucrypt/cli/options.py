"""The arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sudokucrypt.recipes.options import MetadataChoice

rounds_option = click.option(
    "--rounds",
    metavar="R",
    type=int,
    help="1..255; by default 2 for large pictures, 3 or 8 for small ones. Restoring allows 16 "
    "unless told otherwise.",
)
deterministic_option = click.option(
    "--deterministic",
    is_flag=True,
    help="Derive the salt from key and picture: equal pictures give equal output.",
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
strip_option = click.option(
    "--strip-metadata", is_flag=True, help="Drop EXIF, color profile, XMP and texts."
)
keep_option = click.option(
    "--keep-metadata",
    is_flag=True,
    help="Leave a copy of EXIF, color profile, XMP and resolution readable, without previews, "
    "texts and private data. By default all metadata are sealed.",
)
max_rounds_option = click.option(
    "--max-rounds",
    metavar="R",
    type=click.IntRange(1, 255),
    default=16,
    show_default=True,
    help="Refuse headers that ask for more rounds.",
)
max_pixels_option = click.option(
    "--max-pixels",
    metavar="N",
    type=click.IntRange(1),
    help="Read pictures of up to N pixels and 4 N bytes of samples; by default 134217728.",
)


def metadata_choice(*, keep: bool, strip: bool) -> MetadataChoice:
    """Return what becomes of metadata; `click.UsageError` if both options are given."""
    if keep and strip:
        raise click.UsageError("metadata are kept or stripped, not both")
    return "keep" if keep else "strip" if strip else "seal"

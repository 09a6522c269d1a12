"""``sudokucrypt info``: what a scrambled picture says about itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.options import source_argument
from sudokucrypt.recipes import read_header

if TYPE_CHECKING:
    from pathlib import Path


@click.command("info")
@source_argument
@click.option("--json", "as_json", is_flag=True, help="Print the header as JSON.")
def command(*, source: Path, as_json: bool) -> None:
    """Show scheme, shape, unit, rounds and key id of the scrambled picture IN; needs no key."""
    header = read_header(source)
    if as_json:
        click.echo(json.dumps(json.loads(header.to_bytes()), indent=2))
        return
    unit = header.unit if header.block_size is None else f"block of {header.block_size} pixels"
    rows = {
        "scheme": header.scheme,
        "shape": " x ".join(map(str, header.shape)),
        "samples": header.dtype,
        "unit": unit,
        "rounds": str(header.rounds),
        "key id": header.key_id,
        "salt": header.salt.hex() if header.salt else "none (deterministic)",
        "tag": header.tag.hex() if header.tag else "none (changes are not detected)",
    }
    for name, value in rows.items():
        click.echo(f"{name:8}{value}")

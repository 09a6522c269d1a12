"""``sudokucrypt info``: the header of a protected picture."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.inputs import Item, SourcePath
from sudokucrypt.cli.keys.secret import SecretOptions, secret_options
from sudokucrypt.cli.pictures import robust
from sudokucrypt.errors import DecryptionError, FormatError
from sudokucrypt.kernels import compiled
from sudokucrypt.keys import Passphrase
from sudokucrypt.recipes import inspect_file, read_header
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.header import Header
    from sudokucrypt.keys import RestoringKey
    from sudokucrypt.robust import CarrierMatch
    from sudokucrypt.storage import Location


@click.command("info")
@click.argument("source", metavar="IN", type=SourcePath(), required=False)
@options.read_sidecar_option
@options.max_pixels_option
@option("--json", "Print JSON.", name="as_json")
@option("--system", "Show the kernels and threads of this installation instead.")
@options.max_rounds_option
@secret_options
def command(
    *,
    source: Location | None,
    secret: SecretOptions,
    sidecar: Path | None,
    max_pixels: int | None,
    max_rounds: int,
    as_json: bool,
    system: bool,
) -> None:
    """Show the header of the protected picture IN, or - for stdin.

    No key is needed. With a key, check that it restores the picture, and show what is sealed.
    """
    if (source is None) != system:
        raise click.UsageError("give either a picture or --system")
    if source is None:
        with Workers() as workers:
            threads = workers.threads
        fields = {
            "version": __version__,
            "path": "compiled kernels" if compiled() else "fallbacks (slower, same results)",
            "threads": threads,
            "python": platform.python_version(),
            "numpy": version("numpy"),
        }
        rows = {name: str(value) for name, value in fields.items()}
    else:
        key = secret.load((source,)) if secret.given else None
        place = robust.again(Item(source).content())
        try:
            if key is None:
                header = read_header(place, sidecar=sidecar, max_pixels=max_pixels)
            else:
                header, said = inspect_file(
                    place, key, sidecar=sidecar, max_pixels=max_pixels, max_rounds=max_rounds
                )
        except FormatError as error:
            if error.hint_key != "no_header":
                raise
            _show_sheet(robust.find_carrier(place, max_pixels, error), key, as_json=as_json)
            return
        fields, rows = json.loads(header.to_bytes()), _rows(header)
        if key is not None:
            names = dict.fromkeys(n for f in said.picture.frames for n in f.metadata.names())
            sealed, readable = list(names), list(said.cleartext_names)
            if said.preview is not None:
                sealed.append("preview")
            fields |= {"verified": True, "sealed": sealed, "readable": readable}
            rows |= {"verified": "yes, this key restores the picture"}
            if said.file is not None:  # its name is for whoever decrypts it
                held = {"size": said.file.size, "type": said.file.type}
                fields |= {"file": held}
                kind = said.file.type or "unknown type"
                rows |= {"holds": f"a file of {said.file.size} bytes, {kind}"}
            rows |= {
                "sealed": ", ".join(sealed) or "no metadata",
                "readable": ", ".join(readable) or "no metadata",
            }
    if as_json:
        click.echo(json.dumps(fields, indent=2))
        return
    for name, value in rows.items():
        click.echo(f"{name:10}{value}")


def _show_sheet(found: CarrierMatch, key: RestoringKey | None, *, as_json: bool) -> None:
    """Show what the cells of a robust picture say, after checking it if there is a key."""
    fields = robust.sheet_fields(found)
    if key is not None:
        if isinstance(key, Passphrase):
            raise DecryptionError("wrong key: a robust picture takes no passphrase")
        found.header.opened(key)
        fields["key"] = "fits the header; nothing shows whether the pixels were changed"
    if as_json:
        click.echo(json.dumps(fields, indent=2))
        return
    for name, value in fields.items():
        text = " x ".join(map(str, value)) if isinstance(value, list) else value
        click.echo(f"{name.replace('_', ' '):10}{'none' if value is None else text}")


def _rows(header: Header) -> dict[str, str]:
    """Return the fields of a header as people read them."""
    unit = header.unit if header.block_size is None else f"block of {header.block_size} pixels"
    regions = (f"{x},{y},{width},{height}" for y, x, height, width in header.regions or ())
    part = {
        "regions": " ".join(regions),
        "mask": header.mask is not None and f"{len(header.mask)} bytes",
        "extras": header.encrypted_metadata is not None
        and f"{len(header.encrypted_metadata)} bytes",
    }
    return {
        "scheme": header.scheme,
        "shape": " x ".join(map(str, header.shape)),
        "samples": header.dtype,
        "unit": unit,
        "rounds": str(header.rounds),
        **{name: text for name, text in part.items() if text},
        "key id": header.key_id,
        "salt": header.salt.hex() if header.salt else "none (a context)",
        "kdf": header.kdf or "none (a key, not a passphrase)",
        "tag": header.tag.hex() if header.tag else "none (changes are not detected)",
        "seal": header.header_mac.hex() if header.header_mac else "none",
    }

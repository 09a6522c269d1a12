"""``sudokucrypt info``: the header of a protected picture."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.keys.secret_options import SecretOptions, load_restoring_key, secret_options
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import InputItem, SourcePath, scheme_option
from sudokucrypt.errors import FormatError, InvalidImageError
from sudokucrypt.recipes.options import OpenOptions

if TYPE_CHECKING:
    from sudokucrypt.header import Header
    from sudokucrypt.images import PictureRecord
    from sudokucrypt.recipes import Redaction
    from sudokucrypt.robust import CarrierMatch
    from sudokucrypt.storage import Location


@click.command("info")
@click.argument("source", metavar="IN", type=SourcePath(), required=False)
@option("-r, --recursive", "Check the subfolders of a folder too.")
@option("--json", "Print JSON.", name="as_json")
@option("--recipients", "Print the age file for its recipients: 'age -d' gives the picture key.")
@option("--system", "Show the kernels and threads of this installation instead.")
@scheme_option(None, expose_value=False)
@option_group("opening", OpenOptions, included_names=("sidecar", "max_pixels", "max_rounds"))
@secret_options
def command(
    *,
    source: Location | None,
    recursive: bool,
    secret: SecretOptions,
    opening: OpenOptions,
    as_json: bool,
    recipients: bool,
    system: bool,
) -> None:
    """Show the header of the protected picture IN, or - for stdin.

    No key is needed. With a key, check that it restores the picture, and show what is sealed. If IN
    is a folder, check that the key restores every file in it and that nothing else is there.
    """
    if (source is None) != system:
        raise click.UsageError("give either a picture or --system")
    if source is None:
        _print_fields(_describe_system(), as_json=as_json)
        return
    from sudokucrypt.storage import is_folder

    if is_folder(source):
        if opening.sidecar is not None or recipients:
            raise click.UsageError("--sidecar and --recipients are for one picture")
        _check_folder(source, secret, recursive=recursive, as_json=as_json, options=opening)
        return
    if recursive:
        raise click.UsageError(f"-r is for folders, and '{source}' is not a folder")
    _show_picture_header(source, secret, opening, recipients=recipients, as_json=as_json)


def _check_folder(folder: Location, secret: SecretOptions, **options: Any) -> None:
    """Check every file of a folder; raise an error without a key, which the check needs."""
    from sudokucrypt.cli.pictures.folder_check import check_folder

    if not secret.is_available():
        raise InvalidImageError(
            f"'{folder}' is a folder, not a picture",
            hint="to check every file in it, give its key with --key FILE",
        )
    check_folder(
        folder, load_restoring_key(secret), secret_files=tuple(secret.list_files()), **options
    )


def _show_picture_header(
    source: Location,
    secret: SecretOptions,
    open_options: OpenOptions,
    *,
    recipients: bool,
    as_json: bool,
) -> None:
    """Show the header of one picture."""
    from sudokucrypt.recipes import inspect_file

    key = load_restoring_key(secret, (source,)) if secret.is_given else None
    inspection = inspect_file(InputItem(source).get_file_source(), key, open_options)
    if recipients:
        _write_age_file(inspection.header, str(source))
    elif inspection.carrier is not None:
        _print_fields(
            *_describe_carrier_image(inspection.carrier, has_key=key is not None), as_json=as_json
        )
    elif inspection.redaction is not None:
        _print_fields(
            *_describe_redaction(inspection.redaction, has_key=key is not None), as_json=as_json
        )
    elif inspection.header is not None:
        _print_fields(*_describe_header(inspection.header, inspection.record), as_json=as_json)
        if inspection.other:
            say("note", "this is the header in the sidecar, and the picture holds another one")


def _write_age_file(header: Header | None, name: str) -> None:
    """Write the age file in a header to stdout, to be piped to `age -d`."""
    if header is None or header.recipients is None:
        raise FormatError(f"'{name}' has no recipients", hint="encrypt it with --to")
    if sys.stdout.isatty():
        raise click.UsageError("an age file is not for the terminal; pipe it to 'age -d'")
    sys.stdout.buffer.write(header.recipients)


def _count_recipients(age_file: bytes) -> str:
    """Return the number of recipients of each kind in an age file, or "damaged"."""
    from sudokucrypt.keys import AgeFile, AgeFileError

    try:
        stanzas = AgeFile.from_bytes(age_file).stanzas
    except AgeFileError:
        return "damaged"
    kind_counts = Counter(stanza.arguments[0] for stanza in stanzas)
    return ", ".join(f"{count} x {kind[:32]}" for kind, count in kind_counts.items())


def _print_fields(
    fields: dict[str, Any], rows: dict[str, str] | None = None, *, as_json: bool
) -> None:
    """Print `fields` as JSON, or else `rows` (by default `fields`) as lines of text."""
    if as_json:
        import json

        click.echo(json.dumps(fields, indent=2))
        return
    for name, value in (fields if rows is None else rows).items():
        click.echo(f"{name:10}{value}")


def _describe_system() -> dict[str, Any]:
    """Return the version, kernels, threads and libraries of this installation."""
    import platform
    from importlib.metadata import version

    from sudokucrypt.kernels import is_compiled
    from sudokucrypt.workers import Workers

    with Workers() as workers:
        threads = workers.threads
    return {
        "version": __version__,
        "path": "compiled kernels" if is_compiled() else "fallbacks (slower, same results)",
        "threads": threads,
        "python": platform.python_version(),
        "numpy": version("numpy"),
    }


def _describe_header(
    header: Header, record: PictureRecord | None
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return JSON fields and text rows for a header and, if a key opened it, its sealed data."""
    import json

    from sudokucrypt.ciphers.schemes import SCRAMBLE_JPEG

    fields, rows = json.loads(header.to_bytes()), _format_rows(header)
    if record is None:
        return fields, rows
    sealed_metadata_names = list(record.picture.metadata.names())
    if header.scheme == SCRAMBLE_JPEG.name:  # the whole file is restored, with all metadata
        sealed_metadata_names += record.picture.dropped
    if record.preview is not None:
        sealed_metadata_names.append("preview")
    fields |= {"verified": True, "sealed": sealed_metadata_names}
    rows |= {"verified": "yes, this key restores the picture"}
    if record.file is not None:  # the name of the file is only shown by decrypting it
        fields |= {"file": {"size": record.file.size, "type": record.file.type}}
        file_type = record.file.type or "unknown type"
        rows |= {"holds": f"a file of {record.file.size} bytes, {file_type}"}
    rows |= {"sealed": ", ".join(sealed_metadata_names) or "no metadata"}
    return fields, rows


def _describe_carrier_image(
    match: CarrierMatch, *, has_key: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return JSON fields and text rows for a robust picture."""
    from sudokucrypt.robust import SCHEME_NAME, profile_numbered

    header, profile = match.header, profile_numbered(match.header.profile)
    fields = {
        "scheme": SCHEME_NAME,
        "shape": list(header.shape),
        "sheet": list(match.carrier.shape),
        "profile": profile.name if profile else None,
        "scale": round(match.scale, 4),
        "missing": round(match.missing, 4),
        "key_id": header.key_id,
        "salt": header.salt.hex(),
    }
    if has_key:
        fields["key"] = "fits the header; nothing shows whether the pixels were changed"
    rows = {}
    for name, value in fields.items():
        text = " x ".join(map(str, value)) if isinstance(value, list) else value
        rows[name.replace("_", " ")] = "none" if text is None else str(text)
    return fields, rows


def _describe_redaction(
    redaction: Redaction, *, has_key: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return JSON fields and text rows for a redacted picture."""
    redaction_fields = asdict(redaction)
    fields = {"redaction": redaction_fields.pop("version"), **redaction_fields} | (
        {"verified": True} if has_key else {}
    )
    rows = {
        "shape": " x ".join(map(str, redaction.canvas)),
        "cover": redaction.cover,
        **{f"layer {number}": str(layer) for number, layer in enumerate(redaction.layers, 1)},
        "permanent": f"{redaction.permanent} pixels",
    }
    return fields, rows | ({"verified": "yes, this key lifts a cover"} if has_key else {})


def _format_rows(header: Header) -> dict[str, str]:
    """Return the fields of a header as rows of text."""
    unit = header.unit if header.block_size is None else f"block of {header.block_size} pixels"
    sealed_metadata = header.encrypted_metadata
    return {
        "scheme": header.scheme,
        "shape": " x ".join(map(str, header.shape)),
        "samples": header.dtype,
        "unit": unit,
        "rounds": str(header.rounds),
        **({"segment": f"{header.segment} samples"} if header.segment else {}),
        **({"extras": f"{len(sealed_metadata)} bytes"} if sealed_metadata else {}),
        "key id": header.key_id,
        **({"to": _count_recipients(header.recipients)} if header.recipients else {}),
        "salt": header.salt.hex() if header.salt else "none",
        "kdf": header.kdf or "none (a key, not a passphrase)",
        "tag": header.tag.hex() if header.tag else "none (changes are not detected)",
        "seal": header.header_mac.hex() if header.header_mac else "none",
    }

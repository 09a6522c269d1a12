"""``sudokucrypt share``: write a page with encrypted files that a passphrase opens in a browser."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import click

from sudokucrypt import recipes
from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.keys.secret_options import (
    SecretOptions,
    load_protecting_key,
    recipient_options,
    say_who_can_open,
)
from sudokucrypt.cli.messages import say, show_progress_bar
from sudokucrypt.cli.options import SourcePath, get_binary_stdout
from sudokucrypt.errors import InvalidParameterError, SudokucryptError, UnsupportedError

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.cli.options import InputItem
    from sudokucrypt.keys import ProtectingKey

_MAX_BYTES = 256 << 20  # browsers of phones do not open larger albums
# 62 bits with Argon2id: too many for an attacker who has the album and guesses.
_WORD_COUNT = 6
# Formats that not every browser shows, and PDF, which is not shown since it can contain scripts.
_UNSHOWN_SUFFIX_PATTERN = re.compile(
    r"\.(heic|heif|tiff?|jxl|jp2|psd|pdf|dng|cr[23]|nef|arw|raf|orf|rw2|pef|srw)\Z", re.IGNORECASE
)


@click.command("share")
@click.argument("sources", metavar="IN...", nargs=-1, required=True, type=SourcePath())
@option(
    "-o, --output ALBUM",
    "The album, an HTML file, or - for stdout.",
    type=options.PATH_TYPE,
    required=True,
)
@option("--title TEXT", "Title of the album, which is not encrypted.", default="")
@option("--png", "Write one file as a picture instead, which opens once it is named .html.")
@option("-r, --recursive", "Include subfolders.")
@option("--all-files", "Take files of any kind from folders, including hidden ones.")
@option("--pad", "Hide the size of each file: add zeros, at most 12 %.")
@option("--force", "Replace an existing album.")
@option("--passphrase", "Prompt for a passphrase, made for this album.", name="prompt")
@option(
    "--passphrase-file F", "Read the passphrase from a file.", name="file", type=options.FILE_TYPE
)
@recipient_options
def command(
    *,
    sources: tuple[Path, ...],
    output: Path,
    title: str,
    png: bool,
    recursive: bool,
    all_files: bool,
    pad: bool,
    force: bool,
    secret: SecretOptions,
) -> None:
    """Write one HTML file that shows encrypted files to anyone who has its passphrase.

    IN is a file, or a folder with pictures. Any browser opens the album, without a network. By
    default a passphrase of six random words is made, and printed. An album takes no key: whoever
    can change it on its way can read what is typed into it. So recipients drop it on a page of
    their own, which 'page' writes.
    """
    from secrets import choice

    from sudokucrypt.cli.finding import FileSearch, find_items
    from sudokucrypt.keys import Passphrase, list_words
    from sudokucrypt.page import make_album, make_self_opening_png
    from sudokucrypt.storage import is_same_file, require_free, write_atomically

    writes_to_stdout = str(output) == "-"
    if writes_to_stdout:
        get_binary_stdout()  # raises an error for a terminal before a passphrase is made
    elif not force:
        require_free(output)
    made_passphrase = None
    if not (secret.is_given or secret.to or secret.to_file):
        made_passphrase = " ".join(choice(list_words()) for _ in range(_WORD_COUNT))
    key = load_protecting_key(secret) if made_passphrase is None else Passphrase(made_passphrase)
    search = FileSearch(
        participle="shared",
        recursive=recursive,
        all_files=all_files,
        secret_files=tuple(secret.list_files()),
    )
    inputs = find_items(sources, search)
    inputs.print_left_out_counts(all_files=all_files)
    for item in inputs.items:
        if item.fault:
            raise SudokucryptError(item.fault)
        if is_same_file(output, item.source):
            raise InvalidParameterError("input and output are the same file")
    if png:
        _check_png_options(inputs.items, title)
    encrypted_files = _encrypt_files(inputs.items, key, pad=pad, with_header_rows=png)
    album_parts = (
        [make_self_opening_png(*encrypted_files)] if png else make_album(encrypted_files, title)
    )
    if writes_to_stdout:
        get_binary_stdout().writelines(album_parts)
    else:
        write_atomically({output: album_parts}, replace=force)
        _say_how_to_open(output)
    _say_what_is_only_saved(inputs.items)
    say_who_can_open(key)
    if made_passphrase is not None:
        _print_words(made_passphrase, output)


def _check_png_options(items: list[InputItem], title: str) -> None:
    """Raise `click.UsageError` for several files or a title, which --png cannot store."""
    if len(items) != 1:
        raise click.UsageError("--png takes one file")
    if title:
        raise click.UsageError("--title is for albums, and a picture has none")


def _say_how_to_open(output: Path) -> None:
    """Print notes about the file name and the address that browsers and phones need."""
    if output.suffix.lower() not in (".html", ".htm"):
        say("note", f"'{output}' opens in a browser once its name ends in .html")
    say("note", "iPhones open it only in a page at an address; see docs/howto/any-browser.md")


def _say_what_is_only_saved(items: list[InputItem]) -> None:
    """Print a note with the names of files that browsers cannot show but only save."""
    names = [
        f"'{item.source}'" for item in items if _UNSHOWN_SUFFIX_PATTERN.search(str(item.source))
    ]
    if names:
        suffix = f" and {len(names) - 3} others" if len(names) > 3 else ""
        say("note", f"browsers do not show, but save: {', '.join(names[:3])}{suffix}")


def _print_words(words: str, output: Path) -> None:
    """Print the words that open an album: to stdout, or to stderr if the album is on stdout."""
    if str(output) == "-":
        say("warning", f"the words that open it are: {words}")  # a note would be hidden by -q
    else:
        click.echo(words)
        say("note", f"anyone with these words can open '{output}'; send them another way")


def _encrypt_files(
    items: list[InputItem], key: ProtectingKey, *, pad: bool, with_header_rows: bool
) -> list[bytes]:
    """Encrypt each file, with its name and time sealed in it; return the encrypted files."""
    results: list[bytes] = []
    with show_progress_bar("encrypting") as advance:
        for item in items:
            result = io.BytesIO()
            recipes.encrypt_file(
                item.get_file_source(),
                result,
                key,
                as_file=True,
                pad=pad,
                header_rows=with_header_rows,
            )
            results.append(result.getvalue())
            if sum(map(len, results)) > _MAX_BYTES:
                raise UnsupportedError(
                    f"an album holds at most {_MAX_BYTES >> 20} MiB",
                    hint="encrypt a folder instead, and send the page of 'sudokucrypt page' too",
                )
            advance(len(results), len(items))
    return results

"""``sudokucrypt share``: encrypted files in one page, which a passphrase opens in any browser."""

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
    load_protecting,
    recipient_options,
    say_who_opens,
)
from sudokucrypt.cli.messages import progress_bar, say
from sudokucrypt.cli.options import SourcePath, binary_stdout
from sudokucrypt.errors import InvalidParameterError, SudokucryptError, UnsupportedError

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.cli.options import Item
    from sudokucrypt.keys import ProtectingKey

_LIMIT = 256 << 20  # bytes; more than this, browsers of phones do not open
# 62 bits, behind Argon2id: enough against whoever has the album and guesses.
_WORDS = 6
# What browsers do not show: HEIC but for Safari, TIFF, camera raw, and PDF, which can hold scripts.
_ONLY_SAVED = re.compile(
    r"\.(heic|heif|tiff?|jxl|jp2|psd|pdf|dng|cr[23]|nef|arw|raf|orf|rw2|pef|srw)\Z", re.IGNORECASE
)


@click.command("share")
@click.argument("sources", metavar="IN...", nargs=-1, required=True, type=SourcePath())
@option(
    "-o, --output ALBUM",
    "The album, an HTML file, or - for stdout.",
    type=options.PATH,
    required=True,
)
@option("--title TEXT", "Title of the album, which is not encrypted.", default="")
@option("--png", "Write one file as a picture instead, which opens once it is named .html.")
@option("-r, --recursive", "Include subfolders.")
@option("--all-files", "Take files of any kind from folders, including hidden ones.")
@option("--pad", "Hide the size of each file: add zeros, at most 12 %.")
@option("--force", "Replace an existing album.")
@option("--passphrase", "Prompt for a passphrase, made for this album.", name="prompt")
@option("--passphrase-file F", "Read the passphrase from a file.", name="file", type=options.FILE)
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
    from sudokucrypt.keys import Passphrase, words_to_draw
    from sudokucrypt.page import album, self_opening
    from sudokucrypt.storage import require_free, same_file, write_atomically

    to_stdout = str(output) == "-"
    if to_stdout:
        binary_stdout()  # refused before a passphrase is made
    elif not force:
        require_free(output)
    drawn = None
    if not (secret.given or secret.to or secret.to_file):
        drawn = " ".join(choice(words_to_draw()) for _ in range(_WORDS))
    key = load_protecting(secret) if drawn is None else Passphrase(drawn)
    search = FileSearch(
        word="shared", recursive=recursive, all_files=all_files, secrets=tuple(secret.list_files())
    )
    inputs = find_items(sources, search)
    inputs.say_left_out(all_files=all_files)
    for item in inputs.items:
        if item.fault:
            raise SudokucryptError(item.fault)
        if same_file(output, item.source):
            raise InvalidParameterError("input and output are the same file")
    if png:
        _require_one_without_title(inputs.items, title)
    encrypted = _encrypt_files(inputs.items, key, pad=pad, header_rows=png)
    parts = [self_opening(*encrypted)] if png else album(encrypted, title)
    if to_stdout:
        binary_stdout().writelines(parts)
    else:
        write_atomically({output: parts}, replace=force)
        _say_how_to_open(output)
    _say_what_is_only_saved(inputs.items)
    say_who_opens(key)
    if drawn is not None:
        _print_words(drawn, output)


def _require_one_without_title(items: list[Item], title: str) -> None:
    """Refuse what a picture that opens itself has no room for."""
    if len(items) != 1:
        raise click.UsageError("--png takes one file")
    if title:
        raise click.UsageError("--title is for albums, and a picture has none")


def _say_how_to_open(output: Path) -> None:
    """Say what browsers and phones need."""
    if output.suffix.lower() not in (".html", ".htm"):
        say("note", f"'{output}' opens in a browser once its name ends in .html")
    say("note", "iPhones open it only in a page at an address; see docs/howto/any-browser.md")


def _say_what_is_only_saved(items: list[Item]) -> None:
    """Name the files that browsers cannot show; they show a preview, if there is one."""
    names = [f"'{item.source}'" for item in items if _ONLY_SAVED.search(str(item.source))]
    if names:
        more = f" and {len(names) - 3} others" if len(names) > 3 else ""
        say("note", f"browsers do not show, but save: {', '.join(names[:3])}{more}")


def _print_words(drawn: str, output: Path) -> None:
    """Print the words that open an album, where the album does not go."""
    if str(output) == "-":
        say("warning", f"the words that open it are: {drawn}")  # not a note: -q keeps it
    else:
        click.echo(drawn)
        say("note", f"whoever has these words opens '{output}'; send them another way")


def _encrypt_files(
    items: list[Item], key: ProtectingKey, *, pad: bool, header_rows: bool
) -> list[bytes]:
    """Return what becomes of each file, whose name and time are sealed in it."""
    results: list[bytes] = []
    with progress_bar("encrypting") as advance:
        for item in items:
            result = io.BytesIO()
            recipes.encrypt_file(
                item.content(),
                result,
                key,
                as_file=True,
                pad=pad,
                header_rows=header_rows,
            )
            results.append(result.getvalue())
            if sum(map(len, results)) > _LIMIT:
                raise UnsupportedError(
                    f"an album holds at most {_LIMIT >> 20} MiB",
                    hint="encrypt a folder instead, and send the page of 'sudokucrypt page' too",
                )
            advance(len(results), len(items))
    return results

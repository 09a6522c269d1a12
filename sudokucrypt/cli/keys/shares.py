"""``sudokucrypt key split`` and ``key join``: split a key in shares, and join shares to the key."""

import os
import sys
from pathlib import Path

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.keys.secret_options import (
    SecretOptions,
    list_key_files,
    load_key,
    make_private_folder,
    read_key_argument,
    warn_if_accessible,
    warn_if_output_is_readable,
)
from sudokucrypt.cli.messages import say, say_error
from sudokucrypt.errors import InvalidKeyError, SudokucryptError
from sudokucrypt.keys import MAX_SHARES, Key, KeyShare, join_key, read_shares, split_key
from sudokucrypt.storage import (
    FileStatus,
    require_free,
    write_atomically,
    write_secret_file,
)


@click.command()
@click.argument("name", metavar="KEY", type=options.FILE_TYPE)
@option(
    "--shares N",
    "How many shares are made.",
    type=click.IntRange(2, MAX_SHARES),
    required=True,
)
@option(
    "--needed K",
    "How many of them give the key back; fewer tell nothing about it.",
    type=click.IntRange(2, MAX_SHARES),
    required=True,
)
@option(
    "-o, --output FOLDER",
    "A folder for share-1.txt and so on, readable only by you; - prints the shares.",
    type=options.PATH_TYPE,
    required=True,
)
def split(*, name: str, shares: int, needed: int, output: Path) -> None:
    """Split a key into shares, of which some are enough to get it back.

    KEY is a key file, or - for stdin. Give each share to another person, and write down the id of
    the key: 'key join' compares it. 'key card' prints a share.
    """
    paths = [output / f"share-{number}.txt" for number in range(1, shares + 1)]
    if needed > shares:
        raise click.UsageError("--needed cannot be larger than --shares")
    if output != Path("-"):
        for path in paths:
            require_free(path, secret=True)
    key = load_key(SecretOptions(key=(name,)))
    if not isinstance(key, Key):
        raise InvalidKeyError(
            f"{'an identity' if key.KEY_LEVEL == 'identity' else 'the key of one picture'} "
            "has no shares"
        )
    key_shares = split_key(key, shares=shares, needed=needed)
    if join_key(key_shares) != key:  # checked before anyone relies on the shares
        raise SudokucryptError("the shares do not give the key back; nothing was written")
    if output == Path("-"):
        warn_if_output_is_readable()
        click.echo("\n".join(share.to_file_text() for share in key_shares), nl=False)
    else:
        make_private_folder(output)
        contents = {
            path: [share.to_file_text().encode("ascii")]
            for path, share in zip(paths, key_shares, strict=True)
        }
        write_atomically(contents, replace=False, source_status=FileStatus(mode=0o600))
    say("note", f"any {needed} of {shares} shares give key {key.id}; write its id down with them")


@click.command()
@click.argument("names", metavar="[SHARE]...", nargs=-1, type=options.FILE_TYPE)
@option(
    "-o, --output KEY",
    "A new key file, readable only by you. By default the key goes to stdout.",
    type=options.PATH_TYPE,
)
@option("--key-id ID", "Refuse shares that give a key with another id.")
def join(*, names: tuple[str, ...], output: Path | None, key_id: str | None) -> None:
    """Join shares of a key to the key.

    A SHARE is a file with one share or more, a folder of such files, or - for stdin. Without any,
    shares are prompted for. The id of the key is printed: compare it with the one that you noted.
    """
    if output is not None:
        require_free(output, secret=True)
    if names:
        shares = [share for name in names for share in _read_shares(name)]
    elif sys.stdin.isatty():
        shares = _ask_for_shares()
    else:
        shares = _read_shares("-")
    key = join_key(shares, key_id=key_id)
    if output is None:
        warn_if_output_is_readable()
        click.echo(key.to_file_text(), nl=False)
    else:
        write_secret_file(output, key.to_file_text().encode("ascii"))
    location = "" if output is None else f" is in '{output}'"
    advice = "" if key_id else "; compare its id with the one that was noted"
    say("note", f"key {key.id}{location}{advice}")


def _read_shares(name: str) -> list[KeyShare]:
    """Read the shares in a file, in the files of a folder, or in stdin."""
    if name != "-" and os.path.isdir(name):
        folder_shares = [
            share for path in list_key_files(Path(name)) for share in _read_shares(str(path))
        ]
        if not folder_shares:
            raise InvalidKeyError(f"there is no share in the folder '{name}'")
        return folder_shares
    text = read_key_argument(name)
    if name != "-":
        warn_if_accessible(name)
    return read_shares(text, origin="stdin" if name == "-" else f"'{name}'")


def _ask_for_shares() -> list[KeyShare]:
    """Prompt for shares until there are enough for the key, without showing them."""
    shares: list[KeyShare] = []
    while len(shares) < (shares[0].needed if shares else 2):
        title = f"share ({len(shares) + 1} of {shares[0].needed if shares else 'several'})"
        try:
            share = KeyShare.from_text(click.prompt(title, hide_input=True, err=True))
        except InvalidKeyError as error:
            say_error(error)
            continue
        if any(share.number == typed_share.number for typed_share in shares):
            say("warning", f"share {share.number} was typed already; type another one")
        else:
            shares.append(share)
    return shares

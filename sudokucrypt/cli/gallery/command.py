"""``sudokucrypt gallery``: look at encrypted folders with the key."""

from __future__ import annotations

from pathlib import Path

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.gallery.open_page import is_local, serve_until_interrupted
from sudokucrypt.cli.inputs import SourcePath
from sudokucrypt.cli.keys.secret_options import SecretOptions, secret_options
from sudokucrypt.cli.messages import say
from sudokucrypt.errors import InvalidParameterError, SudokucryptError


@click.command()
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=SourcePath())
@option("-o, --output PAGE", "Write one HTML page, readable only by you.", type=options.PATH)
@option("--serve", "Show the gallery to browsers on this computer, from memory, until Ctrl-C.")
@option(
    "--port N",
    "Port for --serve; by default any that is free.",
    type=click.IntRange(1, 65535),
    default=None,
    show_default=False,
)
@option("-r, --recursive", "Include subfolders.")
@option("--list", "Print everything that was left out, and why.", name="listing")
@option("--force", "Replace an existing page.")
@options.max_pixels_option
@options.max_rounds_option
@secret_options
def gallery(
    *,
    folders: tuple[Path, ...],
    output: Path | None,
    serve: bool,
    port: int | None,
    recursive: bool,
    listing: bool,
    force: bool,
    max_pixels: int | None,
    max_rounds: int,
    secret: SecretOptions,
) -> None:
    """Show what the encrypted pictures in FOLDER are: previews, names and times.

    Only the headers of the files are decrypted, and nothing leaves this computer. The page that -o
    writes is not encrypted: whoever has it sees all of this. --serve writes nothing to disk, and
    decrypts a whole file when you click on it.
    """
    from sudokucrypt.cli.finding import FileSearch, find_items
    from sudokucrypt.cli.gallery.contents import Limits, gather
    from sudokucrypt.cli.gallery.html import page_parts
    from sudokucrypt.cli.keys.loading import load
    from sudokucrypt.storage import FileStatus, require_free, same_file, write_atomically

    if (output is None) != serve:
        raise click.UsageError("say where the gallery goes: give either -o PAGE or --serve")
    if port is not None and not serve:
        raise click.UsageError("--port is for --serve")
    if not all(map(is_local, folders)) or output == Path("-"):
        raise click.UsageError("a gallery is made from files and folders, and goes to a file")
    if output is not None:
        if not output.parent.exists():
            raise SudokucryptError(f"cannot write '{output}': its folder does not exist")
        if not force:
            require_free(output)
    key = load(secret)
    search = FileSearch(
        word="gallery", recursive=recursive, restoring=True, secrets=tuple(secret.files)
    )
    chosen = find_items(folders, search)
    inputs = (*search.secrets, *(item.source for item in chosen.items))
    if output is not None and any(same_file(output, path) for path in inputs):
        raise InvalidParameterError(
            "input and output are the same file", hint="name another output"
        )
    contents = gather(chosen, key, Limits(max_pixels=max_pixels, max_rounds=max_rounds))
    if listing:
        chosen.list_left_out()
    else:
        chosen.say_left_out(all_files=None)
    if output is None:
        serve_until_interrupted(contents, port)
        return
    write_atomically({output: page_parts(contents)}, replace=force, like=FileStatus(mode=0o600))
    say("warning", f"'{output}' shows decrypted previews and names; delete it after use")

"""``sudokucrypt open``: a page on this computer that opens and protects files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.inputs import SourcePath
from sudokucrypt.cli.keys.secret_options import SecretOptions, secret_options
from sudokucrypt.cli.messages import say

if TYPE_CHECKING:
    from sudokucrypt.cli.gallery.contents import Gallery
    from sudokucrypt.cli.gallery.workbench import Workbench


@click.command("open")
@click.argument("folders", metavar="[FOLDER]...", nargs=-1, type=SourcePath())
@option(
    "--port N",
    "Port of the page; by default any that is free.",
    type=click.IntRange(1, 65535),
    default=None,
    show_default=False,
)
@option("--no-browser", "Print the address, and open no browser.")
@option("-r, --recursive", "Include subfolders.")
@options.max_pixels_option
@options.max_rounds_option
@secret_options
def open_command(
    *,
    folders: tuple[Path, ...],
    port: int | None,
    no_browser: bool,
    recursive: bool,
    max_pixels: int | None,
    max_rounds: int,
    secret: SecretOptions,
) -> None:
    """Open and protect files in a browser on this computer, and look at FOLDER.

    Drop protected files of any kind on the page to see and save what is in them, and plain ones to
    encrypt them, or to cover rectangles that you draw. Nothing leaves this computer, and nothing is
    written to disk but what you save. Ctrl-C ends it.
    """
    from sudokucrypt.cli.finding import FileSearch, find_items
    from sudokucrypt.cli.gallery.contents import Gallery, Limits, gather
    from sudokucrypt.cli.gallery.workbench import Workbench
    from sudokucrypt.cli.keys.loading import load

    if not all(map(is_local, folders)):
        raise click.UsageError("files and folders of this computer are opened, and nothing else")
    limits, key = Limits(max_pixels=max_pixels, max_rounds=max_rounds), load(secret)
    gallery = Gallery(entries=(), limits=limits)
    if folders:
        search = FileSearch(
            word="gallery", recursive=recursive, restoring=True, secrets=tuple(secret.files)
        )
        inputs = find_items(folders, search)
        gallery = gather(inputs, key, limits)
        inputs.say_left_out(all_files=None)
    serve_until_interrupted(gallery, port, Workbench(key, limits), browser=not no_browser)


def is_local(path: Path) -> bool:
    """Return whether this is a file or folder of this computer: no address, and not stdin."""
    from sudokucrypt.remote import Url

    return not isinstance(path, Url) and path != Path("-")


def serve_until_interrupted(
    gallery: Gallery, port: int | None, workbench: Workbench | None = None, *, browser: bool = False
) -> None:
    """Answer requests until somebody ends the program, which is the usual end and no failure."""
    from sudokucrypt.cli.gallery.server import GalleryServer

    try:
        with GalleryServer(gallery, port or 0, workbench) as server:
            click.echo(server.url)
            say("note", "only browsers on this computer can open this address; press Ctrl-C to end")
            if browser:
                import webbrowser

                webbrowser.open(server.url)
            server.serve_forever()
    except KeyboardInterrupt:
        say("note", "ended")

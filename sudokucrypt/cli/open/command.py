"""``sudokucrypt open``: open the page in a local browser, with the files of a folder."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import click

from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.keys.secret_options import SecretOptions, load_restoring_key, secret_options
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import SourcePath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.keys import RestoringKey

# A page that redirects to the address. The browser gets the path of this page instead of the
# address, since other accounts can read the arguments of a browser.
_REDIRECT_PAGE: Final = (
    '<!doctype html><meta charset="utf-8"><title>sudokucrypt</title>'
    '<meta http-equiv="refresh" content="0;url={url}"><a href="{url}">Open the page</a>\n'
)


@click.command("open")
@click.argument("path", metavar="[FOLDER]", required=False, type=SourcePath())
@option(
    "--port N",
    "Port of the page; by default any that is free.",
    type=click.IntRange(1, 65535),
    default=None,
    show_default=False,
)
@option("--no-browser", "Print the address, which opens the page once, and start no browser.")
@option("-r, --recursive", "Include subfolders.")
@secret_options
def open_command(
    *,
    path: Path | None,
    port: int | None,
    no_browser: bool,
    recursive: bool,
    secret: SecretOptions,
) -> None:
    """Open the page of 'sudokucrypt page' in a browser, with the files of FOLDER in it.

    The page shows previews and names of encrypted files, opens them, and writes results as new
    files into FOLDER; it replaces none. All cryptography happens in the page, and nothing leaves
    this computer. A key that you name, or your default key, is handed to the page. Ctrl-C ends it.
    """
    from sudokucrypt.cli.open.folder import Folder
    from sudokucrypt.cli.open.server import PageServer
    from sudokucrypt.page import make_folder_page, page
    from sudokucrypt.remote import Url

    if isinstance(path, Url) or path == Path("-"):
        raise click.UsageError("only a file or folder of this computer can be opened")
    folder = None if path is None else Folder(path, recursive=recursive)
    keys = _list_secret_texts(load_restoring_key(secret)) if secret.is_available() else {}
    with _reserve_private_file() as file:
        server = PageServer(
            make_folder_page(),
            page(),
            folder,
            keys,
            port=port or 0,
            on_redeemed=lambda: _remove_file(file),
        )
        with server:
            _start_browser(server.url, None if no_browser else file)
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                say("note", "ended; close the page")


@contextmanager
def _reserve_private_file() -> Iterator[Path]:
    """Yield the path for a file that only this user can read; remove the file at the end."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "open.html"


def _remove_file(file: Path) -> None:
    """Remove the file with the address once the address has been used."""
    with suppress(OSError):
        file.unlink(missing_ok=True)


def _start_browser(url: str, file: Path | None) -> None:
    """Open the address in a browser by a redirect in `file`; without `file`, only print it."""
    if file is None:
        click.echo(url)
        say("note", "the address opens the page once, on this computer; press Ctrl-C to end")
        return
    import webbrowser

    from sudokucrypt.storage import write_secret_file

    write_secret_file(file, _REDIRECT_PAGE.format(url=url).encode("ascii"))
    say("note", "if no browser shows the page, add --no-browser; press Ctrl-C to end")
    Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()


def _list_secret_texts(key: RestoringKey) -> dict[str, Any]:
    """Return the keys and the passphrase in the form that the page reads."""
    from sudokucrypt.keys import KeyRing, Passphrase

    if isinstance(key, Passphrase):
        return {"keys": [], "passphrase": key.to_bytes().decode("utf-8")}
    all_keys = key.keys if isinstance(key, KeyRing) else (key,)
    return {"keys": [f"{each_key.to_text()}\n" for each_key in all_keys], "passphrase": None}

"""``sudokucrypt page``: write the page that decrypts and encrypts in any browser."""

from pathlib import Path

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import get_binary_stdout
from sudokucrypt.errors import SudokucryptError, format_reason


@click.command("page")
@option(
    "-o, --output FILE", "Write the page to a file, or to stdout with -.", type=options.PATH_TYPE
)
@option(
    "--check FILE",
    "Compare a page or an album with the page.",
    type=options.PATH_TYPE,
    name="page_to_check",
)
@option("--force", "Replace an existing file.")
def command(*, output: Path | None, page_to_check: Path | None, force: bool) -> None:
    """Write one HTML file that decrypts and encrypts in any browser, and print its SHA-256.

    The page needs no network and stores nothing. One version of this program writes the same bytes
    everywhere, so the printed SHA-256 and --check show whether a page is the one that it writes.
    """
    import hashlib

    from sudokucrypt.page import page
    from sudokucrypt.storage import require_free, write_atomically

    if output is not None and page_to_check is not None:
        raise click.UsageError("--check writes nothing; leave out --output")
    content = page()
    page_hash = hashlib.sha256(content).hexdigest()
    if page_to_check is not None:
        _require_same_page(page_to_check, content)
        say("note", f"'{page_to_check}' is the page of this version")
    elif output is not None and str(output) == "-":
        get_binary_stdout().write(content)
        say("note", f"the SHA-256 of the page is {page_hash}")
        return
    elif output is not None:
        if not force:
            require_free(output)
        write_atomically({output: [content]}, replace=force)
    click.echo(page_hash)


def _require_same_page(path: Path, content: bytes) -> None:
    """Raise an error unless a file is this page, or an album that contains it."""
    from sudokucrypt.page import remove_files

    try:
        stored_page = path.read_bytes()
    except OSError as error:
        raise SudokucryptError(f"cannot read '{path}': {format_reason(error)}") from None
    if remove_files(stored_page) != content:
        raise SudokucryptError(
            f"'{path}' is not the page that this version writes",
            hint="it was changed, or another version wrote it; 'sudokucrypt page' writes one",
        )

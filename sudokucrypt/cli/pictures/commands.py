"""The commands that protect picture files, restore them, and change their key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt import recipes
from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import GroupedCommand, option
from sudokucrypt.cli.keys.secret_options import SecretOptions, recipient_options, secret_options
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.pictures.batch_options import BatchOptions, batch_options
from sudokucrypt.cli.pictures.robust import RobustOptions, robust_options
from sudokucrypt.lazy import DeferredModule

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.cli.keys import loading
    from sudokucrypt.cli.pictures import job as jobs
    from sudokucrypt.recipes import FileReport
else:  # late, so that a misspelt option is answered at once
    loading = DeferredModule("sudokucrypt.cli.keys.loading")
    jobs = DeferredModule("sudokucrypt.cli.pictures.job")

_EXAMPLES = {
    "encrypt": """\
sudokucrypt encrypt photo.jpg --key my.key
sudokucrypt encrypt holidays -r --all-files -o safe --key my.key""",
    "scramble": """\
sudokucrypt scramble photo.jpg --key my.key
sudokucrypt scramble photo.png --unit block --key my.key""",
    "decrypt": """\
sudokucrypt decrypt photo.jpg.encrypted.png --key my.key
sudokucrypt decrypt safe -r -o holidays --key my.key""",
    "unscramble": """\
sudokucrypt unscramble photo.jpg.scrambled.jpg --key my.key
sudokucrypt unscramble hidden -r -o shown --key my.key""",
    "rekey": """\
sudokucrypt rekey photo.jpg.encrypted.png --key my.key --new-key new.key
sudokucrypt rekey safe -r -o new --key my.key --new-key new.key""",
}

# Options that a command does not look at are called as the parameters of its recipe.


@click.command(cls=GroupedCommand, examples=_EXAMPLES["encrypt"])
@batch_options
@option(
    "--as",
    "'file' encrypts the bytes of a file, which decrypting gives back unchanged; 'pixels' encrypts "
    "the pixels of a picture, and refuses one that holds more. By default 'file', unless another "
    "option needs pixels.",
    name="mode",
    type=click.Choice(["file", "pixels"]),
    heading="What",
    everyday=True,
)
@option(
    "--all-files",
    "Take files of any kind from folders, including hidden ones.",
    heading="What",
    everyday=True,
)
@option(
    "--pad",
    "Hide the size of a file: add zeros, at most 12 %, which decrypting removes.",
    heading="How",
)
@option(
    "--preview/--no-preview",
    "Also seal a small picture, which 'open' shows. By default for pictures of a million pixels "
    "or more that are encrypted as files, unless --deterministic is used.",
    default=None,
    heading="How",
)
@options.rounds_option
@options.deterministic_option
@options.scheme_option("encrypt-v1")
@options.strip_option
@options.write_sidecar_option
@options.header_rows_option
@recipient_options
@secret_options
def encrypt(*, batch: BatchOptions, mode: str | None, all_files: bool, **given: Any) -> None:
    """Encrypt pictures and other files.

    IN is a file, a folder, or - for stdin. Results are pictures that look like noise. Decrypting
    restores the very same file; with --as pixels, and with options that need pixels, it restores
    the same pixels and metadata in a new file. Only size, shape, depth and the key id stay
    visible.
    """
    from sudokucrypt.cli.pictures.batch_run import run

    as_file = mode == "file" if mode else all_files or None
    work = _protecting(recipes.encrypt_file, "encrypted", batch, as_file=as_file, **given)
    run(batch, work, all_files=all_files)


@click.command(cls=GroupedCommand, examples=_EXAMPLES["scramble"])
@batch_options
@option(
    "--unit",
    "Unit that is moved as a whole.",
    type=click.Choice(["pixel", "sample", "block"]),
    default="pixel",
    heading="How",
    everyday=True,
)
@option("--block-size B", "Side of a block in pixels; by default 16.", type=int, heading="How")
@options.rounds_option
@options.deterministic_option
@options.scheme_option("scramble-v1")
@options.strip_option
@options.write_sidecar_option
@options.header_rows_option
@options.compress_option(0)
@robust_options
@recipient_options
@secret_options
def scramble(*, batch: BatchOptions, service: RobustOptions, **given: Any) -> None:
    """Scramble pictures: move their pixels by a permutation that depends on the key.

    IN is a file, a folder, or - for stdin. This hides a picture from view but is not encryption:
    pixels keep their values. Metadata are sealed. A JPEG stays a JPEG, whose blocks are moved and
    masked, and unscrambling restores the very same file.
    """
    from sudokucrypt.cli.pictures.batch_run import run

    service.check()
    if service.robust:
        secret: SecretOptions = given["secret"]
        work = jobs.Work(
            recipe=recipes.scramble_robust_file,
            word="scrambled",
            secrets=(secret,),
            keys=(loading.load_protecting(secret, batch.sources),),
            options=batch.of_recipe(service.of_recipe()),
        )
        run(batch, work)
        return
    smallest = run(batch, _protecting(recipes.scramble_file, "scrambled", batch, **given))
    side = given["block_size"] or 16
    if given["unit"] == "block" and smallest is not None and max(smallest[:2]) < 2 * side:
        say("warning", "no two whole blocks fit into the picture; choose a smaller --block-size")


def _protecting(
    recipe: Callable[..., FileReport],
    word: str,
    batch: BatchOptions,
    *,
    secret: SecretOptions,
    strip_metadata: bool,
    **settings: Any,
) -> jobs.Work:
    """Return the work of a command that protects what is restored exactly."""
    key = loading.load_protecting(secret, batch.sources)
    loading.say_who_opens(key)
    settings["metadata"] = "strip" if strip_metadata else "seal"
    return jobs.Work(
        recipe=recipe, word=word, secrets=(secret,), keys=(key,), options=batch.of_recipe(settings)
    )


@click.command(cls=GroupedCommand, examples=_EXAMPLES["decrypt"])
@batch_options
@options.scheme_option(None, expose_value=False)
@options.read_sidecar_option
@options.compress_option(1)
@options.max_rounds_option
@secret_options
def decrypt(*, batch: BatchOptions, secret: SecretOptions, **settings: Any) -> None:
    """Decrypt pictures and files exactly, or fail.

    IN is a file, a folder, or - for stdin. What was encrypted as a file gets back its name and
    time. A wrong key or a changed picture is detected, and then nothing is written.
    """
    _restore(recipes.decrypt_file, "decrypted", batch, secret, settings)


@click.command(cls=GroupedCommand, examples=_EXAMPLES["unscramble"])
@batch_options
@options.read_sidecar_option
@options.scheme_option(None, expose_value=False)
@options.compress_option(1)
@options.max_rounds_option
@secret_options
def unscramble(*, batch: BatchOptions, secret: SecretOptions, **settings: Any) -> None:
    """Restore scrambled pictures exactly, or fail.

    IN is a file, a folder, or - for stdin. A wrong key or a changed picture is detected, and then
    nothing is written. Results of 'scramble --robust' are restored approximately, even after
    recompression; changes of their pixels are not detected.
    """
    _restore(recipes.unscramble_file, "restored", batch, secret, settings)


def _restore(
    recipe: Callable[..., FileReport],
    word: str,
    batch: BatchOptions,
    secret: SecretOptions,
    settings: dict[str, Any],
) -> None:
    from sudokucrypt.cli.pictures.batch_run import run

    key = loading.load(secret, batch.sources)
    work = jobs.Work(
        recipe=recipe, word=word, secrets=(secret,), keys=(key,), options=batch.of_recipe(settings)
    )
    run(batch, work, restoring=True)


@click.command(cls=GroupedCommand, examples=_EXAMPLES["rekey"])
@batch_options
@option(
    "--new-key NEW",
    "File of the new key, or - for stdin. With --to it may be left out.",
    type=options.FILE,
    heading="Key",
    everyday=True,
)
@options.scheme_option(None, expose_value=False)
@options.read_sidecar_option
@options.max_rounds_option
@recipient_options
@secret_options
def rekey(
    *, batch: BatchOptions, secret: SecretOptions, new_key: str | None, **settings: Any
) -> None:
    """Restore pictures with the old key and protect them with the new one, or for recipients.

    IN is a file, a folder, or - for stdin. Scheme, unit, rounds and sealed metadata stay;
    the salt is new. Nothing plain is written to disk. Existing copies of IN still open with the old
    key. Results have the recipients that --to names and no others.
    """
    from sudokucrypt.cli.pictures.batch_run import run

    other = SecretOptions(
        key=() if new_key is None else (new_key,), to=secret.to, to_file=secret.to_file
    )
    secret = replace(secret, to=(), to_file=())
    if not (other.key or other.to or other.to_file):
        raise click.UsageError("name the new key with --new-key, or recipients with --to")
    if secret.reads_stdin and other.reads_stdin:
        raise click.UsageError("stdin cannot give both keys")
    new = loading.load_protecting(other, batch.sources)
    loading.say_who_opens(new)
    work = jobs.Work(
        recipe=recipes.rekey_file,
        word="rekeyed",
        secrets=(secret, other),
        keys=(loading.load(secret, batch.sources), new),
        options=batch.of_recipe(settings),
    )
    run(batch, work, restoring=True)
